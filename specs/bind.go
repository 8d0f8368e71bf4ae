package specs

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/emirpasic/gods/maps/linkedhashmap"

	"vsrcheck/invariants"
	"vsrcheck/model"
)

// The names of the behaviour specifications and predicates that a file may use.
const (
	specPlain = "Spec"     // no fairness: safety only
	specFair  = "FairSpec" // every step that is no fault, timeout or request is weakly fair
	nameInit  = "Init"
	nameNext  = "Next"
)

// Parse reads a specification. The file's name is used for errors and, without its
// folder and extension, as the specification's name. Its errors are of type *Error.
func Parse(file, text string) (Spec, error) {
	b := newBinder(file)
	if strings.HasPrefix(text, "\xff\xfe") || strings.HasPrefix(text, "\xfe\xff") {
		return Spec{}, b.fail(ErrSyntax, position{1, 1}, "got text in UTF-16, want UTF-8")
	}
	// Editors of Windows begin a file with a byte order mark.
	missing, err := b.read(strings.TrimPrefix(text, "\ufeff"))
	if err != nil {
		return Spec{}, err
	}
	if len(missing) > 0 {
		return Spec{}, b.fail(ErrMeaning, b.constantsAt, "got no value for the constants %s, want all of them", strings.Join(missing, ", "))
	}
	return *b.spec, nil
}

// binder gives meaning to a syntax tree.
type binder struct {
	file        string
	spec        *Spec
	constantsAt position // of the last section of constants, or the end of the file
}

func newBinder(file string) *binder {
	file = Printable(file)
	base := filepath.Base(file)
	return &binder{file: file, spec: &Spec{
		Name:          strings.TrimSuffix(base, filepath.Ext(base)),
		Path:          file,
		CheckDeadlock: true,
	}}
}

// read reads a whole file but for missing constants, which it lists. A missing rule keeps
// the model's zero alternative.
func (b *binder) read(text string) (missing []string, err error) {
	if err := b.comments(text); err != nil {
		return nil, err
	}
	t, err := parse(b.file, text)
	if err != nil {
		return nil, err
	}
	b.constantsAt = t.constantsAt
	if err := b.sections(t); err != nil {
		return nil, err
	}
	if missing, err = b.constants(t); err != nil {
		return nil, err
	}
	if err := b.properties(t); err != nil {
		return nil, err
	}
	if err := b.behaviour(t); err != nil {
		return nil, err
	}
	if d, ok := t.single[kwDeadlock]; ok {
		b.spec.CheckDeadlock = d.text == "TRUE"
	}
	return missing, nil
}

func (b *binder) fail(class error, pos position, format string, args ...any) error {
	return &Error{File: b.file, Line: pos.line, Col: pos.col, Msg: fmt.Sprintf(format, args...), Err: class}
}

// Printable is a text without what a terminal would obey: control characters, which could
// also be in the name of a file, and marks that turn the direction of writing.
func Printable(text string) string {
	var out strings.Builder
	for i, r := range text {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], string(utf8.RuneError)):
			fmt.Fprintf(&out, `\x%02x`, text[i])
		case r == '\t', unicode.IsGraphic(r):
			out.WriteRune(r)
		case r < 0x80:
			fmt.Fprintf(&out, `\x%02x`, r)
		default:
			fmt.Fprintf(&out, `\u%04x`, r)
		}
	}
	return out.String()
}

// comments reads the block of \* lines with which a file begins: a one-line
// summary, more text, and a line that gives the size.
func (b *binder) comments(text string) error {
	var lines []string
	number := 0
	for line := range strings.SplitSeq(oneLineEnd(text), "\n") {
		number++
		rest, ok := strings.CutPrefix(line, `\*`)
		if !ok {
			break
		}
		rest = strings.TrimRight(strings.TrimPrefix(rest, " "), " \t\r")
		rest = Printable(rest)
		size, ok := strings.CutPrefix(rest, "size:")
		if !ok || len(strings.Fields(size)) > 1 { // a sentence that begins so says how large something is
			lines = append(lines, rest)
			continue
		}
		pos := position{number, 1}
		if b.spec.Size != "" {
			return b.fail(ErrMeaning, pos, "got a second size, want one")
		}
		b.spec.Size = strings.TrimSpace(size)
		var names []string
		for _, s := range Sizes() {
			if names = append(names, s); s == b.spec.Size {
				names = nil
				break
			}
		}
		if names != nil {
			return b.fail(ErrMeaning, pos, "got size %q, want %s", shorten(b.spec.Size), strings.Join(names, " or "))
		}
	}
	for len(lines) > 0 && strings.TrimSpace(lines[0]) == "" {
		lines = lines[1:]
	}
	if len(lines) > 0 {
		b.spec.Summary = strings.TrimSpace(lines[0])
		b.spec.Text = strings.Trim(strings.Join(lines[1:], "\n"), "\n")
	}
	return nil
}

// sections refuses what TLC would honour and this checker does not: a verdict about
// another system than the one asked for would be worse than none.
func (b *binder) sections(t *tree) error {
	for _, s := range t.unhonoured {
		return b.fail(ErrMeaning, s.head.pos, "got %s, which this checker does not honour: %s", s.keyword.text, s.keyword.instead)
	}
	return nil
}

// plain refuses the forms of assignments that give a constant no value of its own.
func (b *binder) plain(a assignment) error {
	name := shorten(a.name.text)
	switch {
	case a.definition != nil:
		return b.fail(ErrMeaning, a.arrow, "got a substitution (<-) for %s in CONSTANTS, which this checker does not honour, want a value: %s = value",
			name, name)
	case a.args != nil:
		return b.fail(ErrMeaning, a.argsAt, "got the value of an operator, %s(...), in CONSTANTS, want a plain constant: name = value", name)
	case a.module != nil:
		return b.fail(ErrMeaning, a.module.pos, "got a value for the module %s in CONSTANTS, want one for all: %s = value", shorten(a.module.text), name)
	}
	return nil
}

// constants fills in the configuration and the rules, and lists what is missing.
func (b *binder) constants(t *tree) ([]string, error) {
	// Looked up by name, for duplicates and for what is missing, and walked in the
	// order of the file, so that the first fault of a file is the one reported.
	given := linkedhashmap.New()
	for _, a := range t.constants {
		if err := b.plain(a); err != nil {
			return nil, err
		}
		if first, twice := given.Get(a.name.text); twice {
			return nil, b.fail(ErrMeaning, a.name.pos, "got %s twice, want it once; the first is in line %d",
				shorten(a.name.text), first.(assignment).name.pos.line)
		}
		given.Put(a.name.text, a)
	}

	var missing, names []string
	known := map[string]func(assignment) error{}
	for _, c := range Constants() {
		names = append(names, c.Name)
		known[c.Name] = func(a assignment) error { return b.constant(c, a) }
		if _, ok := given.Get(c.Name); !ok && !c.Optional {
			missing = append(missing, c.Name)
		}
	}
	for _, r := range model.Catalogue() {
		names = append(names, r.Name)
		known[r.Name] = func(a assignment) error { return b.rule(r, a) }
		if _, ok := given.Get(r.Name); !ok {
			missing = append(missing, r.Name)
		}
	}
	for it := given.Iterator(); it.Next(); {
		a := it.Value().(assignment)
		set, ok := known[a.name.text]
		if !ok {
			return nil, b.fail(ErrMeaning, a.name.pos, "got an unknown constant %s%s", shorten(a.name.text), didYouMean(a.name.text, names))
		}
		if err := set(a); err != nil {
			return nil, err
		}
	}
	for _, c := range Constants() {
		if _, ok := given.Get(c.Name); !ok && c.Default != nil {
			if err := c.Set(&b.spec.Config, *c.Default); err != nil {
				return nil, b.fail(ErrMeaning, b.constantsAt, "%s", err)
			}
		}
		if _, ok := given.Get(c.Name); !ok && c.Kind == SetValue && b.spec.Config.Replicas <= model.MaxReplicas {
			*c.set(&b.spec.Config) = model.AllReplicas(b.spec.Config.Replicas)
		}
	}
	if len(missing) > 0 {
		return missing, nil // what is not there cannot be judged
	}
	if err := b.spec.Config.Validate(); err != nil {
		return nil, b.sizes(err, t, given)
	}
	return nil, nil
}

func (b *binder) constant(c Constant, a assignment) error {
	if err := c.Set(&b.spec.Config, a.value); err != nil {
		class := ErrMeaning
		if errors.Is(err, model.ErrConfig) {
			class = err
		}
		return b.fail(class, a.at, "%s", err)
	}
	return nil
}

func (b *binder) rule(r model.Rule, a assignment) error {
	names := r.AlternativeNames()
	if a.value.Kind != StringValue {
		hint := ""
		if near := Suggest(a.value.Str, names); near != "" {
			hint = fmt.Sprintf("; did you mean %q, in quotes?", near)
		}
		for _, n := range names {
			if n == a.value.Str {
				hint = fmt.Sprintf("; write %q", n)
			}
		}
		return b.fail(ErrMeaning, a.at, "got %s for the rule %s, want a string%s", a.value.describe(), r.Name, hint)
	}
	if err := r.Set(&b.spec.Rules, a.value.Str); err != nil {
		return b.fail(ErrMeaning, a.at, "got %s for the rule %s, want one of %s%s", shorten(a.value.String()), r.Name,
			strings.Join(names, ", "), onlyNear(a.value.Str, names))
	}
	return nil
}

// onlyNear is didYouMean for messages that list the candidates anyway.
func onlyNear(word string, candidates []string) string {
	if near := Suggest(word, candidates); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}

// sizes places an error of model.Config.Validate at the first constant that it
// names. It keeps the error on one line.
func (b *binder) sizes(err error, t *tree, given *linkedhashmap.Map) error {
	text := strings.ReplaceAll(err.Error(), "\n", "; ")
	pos, best := t.end.pos, len(text)
	given.Each(func(key, value any) {
		name := key.(string)
		if i := strings.Index(text, name); i >= 0 && i < best {
			best, pos = i, value.(assignment).at
		}
	})
	return b.fail(err, pos, "%s", text)
}

// properties fills in what the file checks.
func (b *binder) properties(t *tree) error {
	var err error
	if b.spec.Invariants, err = b.names(t.lists[kwInvariant], "INVARIANTS", invariants.State); err != nil {
		return err
	}
	if b.spec.Properties, err = b.names(t.lists[kwProperty], "PROPERTIES", invariants.Step, invariants.Liveness); err != nil {
		return err
	}
	b.spec.Constraints, err = b.names(t.lists[kwConstraint], "CONSTRAINT", constraintKinds...)
	return err
}

// names checks a list of property names of the given kinds.
func (b *binder) names(list []token, section string, kinds ...invariants.Kind) ([]string, error) {
	var out []string
	for _, t := range list {
		for _, earlier := range out {
			if earlier == t.text {
				return nil, b.fail(ErrMeaning, t.pos, "got %s twice in %s, want it once", shorten(t.text), section)
			}
		}
		if err := CheckProperty(t.text, section, kinds...); err != nil {
			if hint := keywordHint(t.text); hint != "" {
				return nil, b.fail(ErrMeaning, t.pos, "got an unknown property %s in %s%s", shorten(t.text), section, hint)
			}
			return nil, b.fail(ErrMeaning, t.pos, "%s", err)
		}
		out = append(out, t.text)
	}
	return out, nil
}

// CheckProperty says whether a property exists and has one of the given kinds. The
// place (a section of a file or an option) is only used in its error, which names
// the nearest property or the right place.
func CheckProperty(name, place string, kinds ...invariants.Kind) error {
	var candidates []string
	for _, p := range invariants.Catalogue() {
		right := false
		for _, k := range kinds {
			right = right || p.Kind == k
		}
		if right {
			candidates = append(candidates, p.Name)
		}
		if p.Name != name {
			continue
		}
		if right {
			return nil
		}
		switch p.Kind {
		case invariants.State:
			return fmt.Errorf("got %s in %s, but it is an invariant, want it in %s", name, place, otherPlace(place, "INVARIANTS", "--invariant"))
		case invariants.Reachable:
			return reachableIn(name, place, kinds)
		case invariants.Bound:
			return fmt.Errorf("got %s in %s, but it is checked by itself with network = fifo; leave it out", name, place)
		case invariants.Report:
			return fmt.Errorf("got %s in %s, but it is counted by itself where liveness is checked, and no verdict; leave it out", name, place)
		case invariants.Constraint:
			return fmt.Errorf("got %s in %s, but it is a constraint, want it in %s", name, place, otherPlace(place, "CONSTRAINT", "CONSTRAINT of a .cfg file"))
		default:
			kind := string(p.Kind)
			if p.Kind == invariants.Step {
				kind = "step"
			}
			return fmt.Errorf("got %s in %s, but it is a %s property, want it in %s", name, place, kind, otherPlace(place, "PROPERTIES", "--property"))
		}
	}
	return fmt.Errorf("got an unknown property %s in %s%s", shorten(name), place, didYouMean(name, candidates))
}

// otherPlace is where a property belongs that stands in the wrong place: an option for an
// option, a section for a section.
func otherPlace(place, section, option string) string {
	if strings.HasPrefix(place, "--") {
		return option
	}
	return section
}

// behaviour checks SPECIFICATION, INIT and NEXT. Which of the two specifications a
// file needs follows from its properties, so nothing is kept of it.
func (b *binder) behaviour(t *tree) error {
	spec, hasSpec := t.single[kwSpecification]
	init, hasInit := t.single[kwInit]
	next, hasNext := t.single[kwNext]
	for _, one := range []struct {
		given bool
		token token
		word  string
		want  []string
	}{
		{hasSpec, spec, kwSpecification, []string{specPlain, specFair}},
		{hasInit, init, kwInit, []string{nameInit}},
		{hasNext, next, kwNext, []string{nameNext}},
	} {
		if one.given && one.token.text != one.want[0] && one.token.text != one.want[len(one.want)-1] {
			return b.fail(ErrMeaning, one.token.pos, "got %s %s, want %s", one.word, shorten(one.token.text), strings.Join(one.want, " or "))
		}
	}
	switch {
	case hasSpec && hasInit:
		return b.fail(ErrMeaning, init.pos, "got INIT next to SPECIFICATION, want one of the two")
	case hasSpec && hasNext:
		return b.fail(ErrMeaning, next.pos, "got NEXT next to SPECIFICATION, want one of the two")
	case !hasSpec && !(hasInit && hasNext):
		return b.fail(ErrMeaning, t.end.pos, "got no behaviour to check, want SPECIFICATION %s or SPECIFICATION %s", specPlain, specFair)
	}
	for _, p := range t.lists[kwProperty] {
		if !isLiveness(p.text) {
			continue
		}
		if name := b.spec.CutsFairSteps(); name != "" {
			return b.fail(ErrMeaning, p.pos, "got the liveness property %s next to the CONSTRAINT %s, want one of the two: "+
				"a state whose successors are cut off looks as if nothing could happen any more", p.text, name)
		}
		if spec.text != specFair {
			return b.fail(ErrMeaning, p.pos, "got the liveness property %s without fairness, want SPECIFICATION %s", p.text, specFair)
		}
	}
	return nil
}

func isLiveness(name string) bool {
	for _, p := range invariants.Catalogue() {
		if p.Name == name {
			return p.Kind == invariants.Liveness
		}
	}
	return false
}
