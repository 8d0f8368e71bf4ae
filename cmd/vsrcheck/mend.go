package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"
	"unicode"

	"vsrcheck/model"
	"vsrcheck/specs"
)

// mendOptions is what the command line of mend can say.
type mendOptions struct {
	*cellOptions
	rules      []string
	maxChanges int
	all        bool
}

// defaultMaxChanges is the number of rules that a set changes at most, if nobody says.
const defaultMaxChanges = 6

func mendCommand() command {
	return command{
		name: "mend", usage: "NAME|PATH.cfg [OPTIONS]",
		summary: "find the smallest sets of rule changes under which a violated specification holds",
		about: []string{
			"A change is another alternative of a rule: by default each that list rules calls sound, as the others are defects and no fixes. Sets of one change come first, then of two, up to --max-changes; the first number at which a set is enough ends the search. " +
				"A set is enough if everything holds in every size of --sizes, each searched to its end, and no property is vacuous. " +
				"It is refuted by a counterexample in one size: its own, or one of another set whose steps are possible under it, too, and violate the same property at their end. " +
				"As every smaller set is refuted, every change of a set that is enough decides something; the output has what breaks without it, and the commands that repeat each check.",
			"Small checks run side by side, each with one worker; one that turns out to be larger is run again by itself, with all workers. All but the times is the same on every run and for every number of workers. " +
				"With --resume FILE finished checks are kept as matrix keeps its cells, and in the same file if you like.",
			"The exit code is 0 when sets were found and every smaller one is refuted, or when the specification holds as it is; 20 when a limit ended a check on which that depends; 70 when the model failed in one. " +
				"When no set up to --max-changes is enough it is that of a check of the specification: 11, 12 or 13. Interrupted, it is 130, and no file is written but that of finished checks.",
		},
		examples: []string{
			"vsrcheck mend fetch-to-op-old-small",
			"vsrcheck mend as-reported-tiny --html mend.html",
			"vsrcheck mend as-shipped-small --sizes 'ops=1; ops=2 view_max=1 stops=0' --resume cells.jsonl",
			"vsrcheck mend my.cfg --rules fetch_to_op,gap_check=journal --max-changes 2 --all",
		},
		groups: newMendOptions,
		run:    runMend,
	}
}

func newMendOptions() (any, []optionGroup) {
	cells, shared := newCellOptions()
	o := &mendOptions{cellOptions: cells}
	var groups optionGroups
	f := groups.add("Changes")
	f.StringSliceVar(&o.rules, "rules", nil, "the changes to choose from: `NAME` for all other alternatives of a rule, NAME=ALTERNATIVE for one, all for those of all rules (default: the sound ones of all rules)")
	f.IntVar(&o.maxChanges, "max-changes", defaultMaxChanges, "sets of at most `N` changes")
	f.BoolVar(&o.all, "all", false, "also larger sets, up to --max-changes, of which no part is enough")
	f.StringArrayVar(&o.sizes, "sizes", nil, "sizes in which a set has to hold instead of the specification's own: "+sizesUsage)
	o.declare(&groups, shared, "check", "the answer")
	// What every check has instead of the specification's: sizes, rules and properties.
	return o, append(groups, specGroups(shared)...)
}

func (o *mendOptions) validate() error {
	if o.maxChanges < 1 {
		return usagef("--max-changes: got %d, want at least 1", o.maxChanges)
	}
	return o.cellOptions.validate()
}

// allRules is what --rules takes for the alternatives of every rule.
const allRules = "all"

// choices are the changes to choose from, in the catalogue's order.
func (o *mendOptions) choices(own model.Rules) ([]change, error) {
	all := changes(own, nil)
	wanted := map[string]bool{} // names of rules, and of changes
	for _, text := range o.rules {
		name, alternative, one := strings.Cut(text, "=")
		if text == allRules {
			for _, c := range all {
				wanted[c.rule.Name] = true
			}
			continue
		}
		names := []string{name}
		if err := readRules("--rules", names); err != nil {
			return nil, err
		}
		if !one {
			wanted[names[0]] = true
			continue
		}
		c := change{alternative: alternative}
		for _, r := range model.Catalogue() {
			if r.Name == names[0] {
				c.rule = r
			}
		}
		other := own
		if err := c.rule.Set(&other, alternative); err != nil {
			return nil, usagef("--rules: %s", err)
		}
		if alternative == c.rule.Get(own) {
			return nil, usagef("--rules: got %s, which the specification has, want another alternative", text)
		}
		wanted[c.String()] = true
	}
	var out []change
	for _, c := range all {
		if o.rules == nil && c.sound() || wanted[c.rule.Name] || wanted[c.String()] {
			out = append(out, c)
		}
	}
	return out, nil
}

func (c change) String() string { return c.rule.Name + "=" + c.alternative }

// sound reports whether no property is known to break because of the alternative.
func (c change) sound() bool {
	for _, a := range c.rule.Alternatives {
		if a.Name == c.alternative {
			return a.Sound
		}
	}
	return false
}

func runMend(ctx context.Context, c *call) (int, error) {
	o := c.options.(*mendOptions)
	if err := o.validate(); err != nil {
		return 0, err
	}
	m, err := o.newMender(c)
	if err != nil {
		return 0, err
	}
	files, done, err := m.openFiles()
	if err != nil {
		return 0, err
	}
	defer done()

	p := o.page(c)
	m.bases[0].echo(p, o.runText(m.bases[0], o.engineOptions()))
	if len(m.shown) > 1 {
		var names []string
		for i := range m.shown {
			names = append(names, m.shown[i].Size)
		}
		p.item("sizes", "in each of "+strings.Join(names, "; ")+" (above is the first)")
	}
	p.item("changes", m.choiceText())
	p.printf("\n")
	began := time.Now()
	if err := m.run(ctx); err != nil {
		return 0, err
	}
	answer := m.answer(ctx)
	answer.Seconds, answer.CommandLine = time.Since(began).Seconds(), shownLine(c.commandLine)
	defer p.later()()
	code := m.report(ctx, p, answer)
	if code == exitInterrupted {
		return code, nil
	}
	return code, files.write(answer)
}

// newMender reads what is to be mended, and with what.
func (o *mendOptions) newMender(c *call) (*mender, error) {
	spec, err := c.spec()
	if err != nil {
		return nil, err
	}
	sizes, err := readSizes(o.sizes)
	if err != nil {
		return nil, err
	}
	m := &mender{spec: spec, cellRunner: cellRunner{cellOptions: o.cellOptions, call: c}, maxChanges: o.maxChanges, all: o.all}
	for _, s := range sizes {
		j, base, err := o.base(spec, s)
		if err != nil {
			return nil, err
		}
		m.bases, m.shown = append(m.bases, j), append(m.shown, base)
	}
	if m.choices, err = o.choices(m.bases[0].Rules); err != nil {
		return nil, err
	}
	if len(m.choices) == 0 {
		return nil, usagef("mend: got %s, whose rules have no other sound alternative, want --rules for others", spec.Name)
	}
	return m, nil
}

// choiceText lists the changes to choose from.
func (m *mender) choiceText() string {
	var names []string
	for _, c := range m.choices {
		names = append(names, c.String())
	}
	return fmt.Sprintf("%d, of which a set has at most %d: %s", len(names), min(m.maxChanges, len(names)), strings.Join(names, ", "))
}

// checkCommand is the command that repeats the check of a set in one size.
func (m *mender) checkCommand(base int, set []int) string {
	words := []string{"vsrcheck", "check", quoted(m.call.args[0])}
	for _, c := range specs.Constants() {
		if m.bases[base].instead[c.Name] == "" {
			continue
		}
		value := c.Get(m.bases[base].Config).String()
		if c.Kind == specs.SetValue {
			value = cmp.Or(strings.NewReplacer("{", "", "}", "", " ", "").Replace(value), "none")
		}
		words = append(words, "--"+optionName(c.Name)+"="+value)
	}
	rules := m.bases[base].Rules
	for _, i := range set {
		_ = m.choices[i].rule.Set(&rules, m.choices[i].alternative) // it is one of the rule's
	}
	for _, r := range model.Catalogue() {
		if got := r.Get(rules); got != r.Get(m.spec.Rules) {
			words = append(words, "--"+optionName(r.Name)+"="+got)
		}
	}
	for _, name := range []string{"property", "invariant", "check-deadlock", "continue", "reduce"} {
		if f := m.call.flags.Lookup(name); f.Changed {
			words = append(words, "--"+name+"="+quoted(strings.Trim(f.Value.String(), "[]")))
		}
	}
	return strings.Join(words, " ")
}

// quoted is a word for a shell.
func quoted(word string) string {
	if shown := specs.Printable(word); shown != word || strings.ContainsAny(word, "\t") {
		// As bash and its like read it: a terminal must not obey what is in it.
		return "$'" + strings.NewReplacer("'", `\'`, "\t", `\t`).Replace(specs.Printable(strings.ReplaceAll(word, `\`, `\\`))) + "'"
	}
	if strings.ContainsFunc(word, func(r rune) bool {
		return !strings.ContainsRune("-_./,:=", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return word
}
