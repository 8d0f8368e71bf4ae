package specs

import (
	"fmt"
	"strconv"
	"strings"
)

// The keywords of TLC's configuration files that this checker honours.
const (
	kwInit          = "INIT"
	kwNext          = "NEXT"
	kwSpecification = "SPECIFICATION"
	kwConstant      = "CONSTANT"
	kwInvariant     = "INVARIANT"
	kwProperty      = "PROPERTY"
	kwConstraint    = "CONSTRAINT"
	kwDeadlock      = "CHECK_DEADLOCK"
)

// keywordForm says what follows a keyword.
type keywordForm int

const (
	formName      keywordForm = iota // one name
	formNames                        // names up to the next keyword
	formConstants                    // assignments up to the next keyword
	formBool                         // TRUE or FALSE
)

// keyword is one keyword of the grammar.
type keyword struct {
	text      string
	canonical string // the form under which the syntax tree keeps it
	form      keywordForm
	// instead says, of a section that this checker does not honour, what there is
	// instead. It is "" for one that it honours.
	instead string
}

// keywords is the grammar of TLC's configuration files at the top level: all keywords of
// TLC's ModelConfig.
func keywords() []keyword {
	const (
		actions  = "only states can be cut off: CONSTRAINT takes the name of a state predicate"
		after    = "nothing is evaluated after a run: its exit code and check --json FILE have its figures"
		symmetry = "there is no reduction by symmetry; without the section the verdict is the same and the state space larger"
		view     = "states are told apart by all their variables; without the section no state is left out"
		alias    = "a trace has all variables, see check --trace; without the section the verdict is the same"
		possible = "that a state is reachable is checked along with the liveness property that needs it"
		learning = "it is about TLC's own simulation; without the section the verdict is the same"
	)
	return []keyword{
		{kwSpecification, kwSpecification, formName, ""},
		{kwInit, kwInit, formName, ""},
		{kwNext, kwNext, formName, ""},
		{kwConstant, kwConstant, formConstants, ""},
		{"CONSTANTS", kwConstant, formConstants, ""},
		{kwInvariant, kwInvariant, formNames, ""},
		{"INVARIANTS", kwInvariant, formNames, ""},
		{kwProperty, kwProperty, formNames, ""},
		{"PROPERTIES", kwProperty, formNames, ""},
		{kwConstraint, kwConstraint, formNames, ""},
		{"CONSTRAINTS", kwConstraint, formNames, ""},
		{kwDeadlock, kwDeadlock, formBool, ""},
		{"ACTION_CONSTRAINT", "ACTION_CONSTRAINT", formNames, actions},
		{"ACTION_CONSTRAINTS", "ACTION_CONSTRAINT", formNames, actions},
		{"SYMMETRY", "SYMMETRY", formName, symmetry},
		{"VIEW", "VIEW", formName, view},
		{"ALIAS", "ALIAS", formName, alias},
		{"POSTCONDITION", "POSTCONDITION", formNames, after},
		{"POSTCONDITIONS", "POSTCONDITION", formNames, after},
		{"_POSSIBLE", "_POSSIBLE", formNames, possible},
		{"_PERIODIC", "_PERIODIC", formName, learning},
		{"_RL_REWARD", "_RL_REWARD", formName, learning},
	}
}

func findKeyword(text string) (keyword, bool) {
	for _, k := range keywords() {
		if k.text == text {
			return k, true
		}
	}
	return keyword{}, false
}

// assignment is one line of a CONSTANTS section, in one of TLC's forms:
//
//	name = value
//	name(value, value) = value
//	name = [Module] value
//	name <- definition
//	name <- [Module] definition
//
// A name may be that of a definition within an instance: name!name.
type assignment struct {
	name       token
	args       []Value // of an operator's value
	argsAt     position
	module     *token // nil: of the whole specification
	definition *token // after <-; nil: there is a value
	arrow      position
	value      Value
	at         position // of the value
}

// section is the beginning of a section that is read and not honoured.
type section struct {
	keyword keyword
	head    token
}

// tree is the syntax tree of a file. Names keep their tokens, so that every later
// error has a place.
type tree struct {
	file       string
	constants  []assignment
	single     map[string]token   // by keyword: INIT, NEXT, SPECIFICATION, CHECK_DEADLOCK ...
	lists      map[string][]token // by keyword: INVARIANT, PROPERTY, CONSTRAINT ...
	unhonoured []section          // in the order of the file, those that say something
	// constantsAt is the place of the last CONSTANTS; without one, the end.
	constantsAt position
	end         token
}

// parser turns tokens into a tree.
type parser struct {
	file   string
	tokens []token // the last one is the end of the file
}

// parse reads one file. It knows TLC's grammar and nothing of the model.
func parse(file, text string) (*tree, error) {
	all, err := tokens(file, text)
	if err != nil {
		return nil, err
	}
	p := &parser{file: file, tokens: all}
	out := &tree{file: file, single: map[string]token{}, lists: map[string][]token{}}
	for p.peek().kind != tokEOF {
		if err := p.section(out); err != nil {
			return nil, err
		}
	}
	if out.end = p.peek(); out.constantsAt == (position{}) {
		out.constantsAt = out.end.pos
	}
	return out, nil
}

func (p *parser) peek() token { return p.tokens[0] }

// take is the next token; the end of the file is never passed.
func (p *parser) take() token {
	t := p.tokens[0]
	if t.kind != tokEOF {
		p.tokens = p.tokens[1:]
	}
	return t
}

func (p *parser) fail(class error, t token, format string, args ...any) error {
	return &Error{File: p.file, Line: t.pos.line, Col: t.pos.col, Msg: fmt.Sprintf(format, args...), Err: class}
}

// keywordHint names the keyword that a word is nearly one of. A misspelt keyword after
// the constants or after names looks like one more of them, so it is asked for there, too.
func keywordHint(word string) string {
	var words []string
	for _, k := range keywords() {
		words = append(words, k.text)
	}
	if word != strings.ToUpper(word) {
		return "" // names like Init are near to keywords
	}
	return onlyNear(word, words)
}

// section reads one keyword and what belongs to it.
func (p *parser) section(out *tree) error {
	head := p.take()
	k, ok := findKeyword(head.text)
	if head.kind != tokWord || !ok {
		hint := ""
		if head.kind == tokWord {
			hint = keywordHint(strings.ToUpper(head.text))
		}
		return p.fail(ErrSyntax, head, "got %s, want a keyword such as CONSTANTS or PROPERTIES%s", head.describe(), hint)
	}
	if k.form == formConstants {
		out.constantsAt = head.pos
		return p.constants(out)
	}
	says, err := p.operands(out, k, head)
	if says && k.instead != "" {
		out.unhonoured = append(out.unhonoured, section{k, head})
	}
	return err
}

// operands reads what follows a keyword other than CONSTANTS, and reports whether that is
// anything.
func (p *parser) operands(out *tree, k keyword, head token) (says bool, err error) {
	switch k.form {
	case formNames:
		for p.inSection() {
			name, err := p.name("a name or a keyword")
			if err != nil {
				return false, err
			}
			says = true
			out.lists[k.canonical] = append(out.lists[k.canonical], name)
		}
		return says, nil
	case formBool:
		if t := p.peek(); t.kind != tokWord || t.text != "TRUE" && t.text != "FALSE" {
			return false, p.fail(ErrSyntax, t, "got %s after %s, want TRUE or FALSE", t.describe(), k.text)
		}
		return true, p.once(out, k, head, p.take())
	}
	if !p.inSection() {
		return false, p.fail(ErrSyntax, p.peek(), "got %s after %s, want a name", p.peek().describe(), k.text)
	}
	name, err := p.name("a name")
	if err != nil {
		return false, err
	}
	return true, p.once(out, k, head, name)
}

// once stores the operand of a keyword that may appear only once.
func (p *parser) once(out *tree, k keyword, head, operand token) error {
	if _, twice := out.single[k.canonical]; twice {
		return p.fail(ErrSyntax, head, "got %s twice, want it once", k.text)
	}
	out.single[k.canonical] = operand
	return nil
}

// inSection reports whether the next token still belongs to the section that is
// being read: as in TLC, the next keyword ends it.
func (p *parser) inSection() bool {
	t := p.peek()
	if t.kind == tokEOF {
		return false
	}
	_, ok := findKeyword(t.text)
	return t.kind != tokWord || !ok
}

// name reads a plain name.
func (p *parser) name(want string) (token, error) {
	t := p.peek()
	if t.kind != tokWord || t.text == "TRUE" || t.text == "FALSE" {
		return t, p.fail(ErrSyntax, t, "got %s, want %s", t.describe(), want)
	}
	return p.take(), nil
}

// symbol takes the next token if it is this symbol.
func (p *parser) symbol(text string) bool {
	if t := p.peek(); t.kind != tokSymbol || t.text != text {
		return false
	}
	p.take()
	return true
}

// constants reads assignments up to the next keyword.
func (p *parser) constants(out *tree) error {
	for p.inSection() {
		a, err := p.assignment()
		if err != nil {
			return err
		}
		out.constants = append(out.constants, a)
	}
	return nil
}

// assignment reads one assignment.
func (p *parser) assignment() (a assignment, err error) {
	if a.name, err = p.name("the name of a constant or a keyword"); err != nil {
		return a, err
	}
	for p.symbol("!") {
		part, err := p.name("a name after !")
		if err != nil {
			return a, err
		}
		a.name.text += "!" + part.text
	}
	if a.arrow = p.peek().pos; p.symbol("<-") {
		if a.module, err = p.module(a.name); err != nil {
			return a, err
		}
		if !p.inSection() {
			return a, p.fail(ErrSyntax, p.peek(), "got %s after %s <-, want the name of a definition", p.peek().describe(), shorten(a.name.text))
		}
		definition, err := p.name("the name of a definition")
		a.definition = &definition
		return a, err
	}
	if a.argsAt = p.peek().pos; p.symbol("(") {
		if a.args, err = p.values(0, ")", "the arguments of "+shorten(a.name.text)); err != nil {
			return a, err
		}
	}
	if t := p.peek(); !p.symbol("=") {
		return a, p.fail(ErrSyntax, t, "got %s after %s, want = and a value%s", t.describe(), shorten(a.name.text), keywordHint(a.name.text))
	}
	if a.module, err = p.module(a.name); err != nil {
		return a, err
	}
	a.at = p.peek().pos
	a.value, err = p.value(0)
	return a, err
}

// module reads the [Module] of an assignment, if there is one.
func (p *parser) module(name token) (*token, error) {
	if !p.symbol("[") {
		return nil, nil
	}
	module, err := p.name("the name of a module")
	if err != nil {
		return nil, err
	}
	if t := p.peek(); !p.symbol("]") {
		return nil, p.fail(ErrSyntax, t, "got %s after [%s, want ]", t.describe(), shorten(module.text))
	}
	return &module, nil
}

// maxNesting bounds sets of sets: no constant needs any, and a bound keeps a hostile
// file from exhausting the stack.
const maxNesting = 8

// value reads one value: a number, TRUE, FALSE, a string, a model value or a set.
func (p *parser) value(depth int) (Value, error) {
	t := p.peek()
	switch {
	case t.kind == tokNumber:
		n, err := strconv.ParseInt(t.text, 10, 32)
		if err != nil {
			return Value{}, p.fail(ErrSyntax, t, "got %s, want one below 2^31", t.describe())
		}
		p.take()
		return intValue(int(n)), nil
	case t.kind == tokString:
		p.take()
		return stringValue(t.text), nil
	case t.kind == tokWord && (t.text == "TRUE" || t.text == "FALSE"):
		p.take()
		return boolValue(t.text == "TRUE"), nil
	case t.kind == tokWord && p.inSection():
		p.take()
		return Value{Kind: ModelValue, Str: t.text}, nil
	case t.kind == tokSymbol && t.text == "{":
		if depth == maxNesting {
			return Value{}, p.fail(ErrSyntax, t, "got sets nested more than %d deep, want fewer", maxNesting)
		}
		return p.set(depth + 1)
	}
	return Value{}, p.fail(ErrSyntax, t, "got %s, want a value: a number, TRUE, FALSE, a \"string\", a name or a {set}", t.describe())
}

// set reads { value, value ... }.
func (p *parser) set(depth int) (Value, error) {
	p.take()
	out := Value{Kind: SetValue}
	if p.symbol("}") {
		return out, nil
	}
	var err error
	out.Set, err = p.values(depth, "}", "a set")
	return out, err
}

// values reads values with commas between them, and the symbol that ends them.
func (p *parser) values(depth int, end, where string) (out []Value, err error) {
	for {
		v, err := p.value(depth)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
		switch t := p.peek(); {
		case p.symbol(","):
		case p.symbol(end):
			return out, nil
		default:
			return nil, p.fail(ErrSyntax, t, "got %s in %s, want , or %s", t.describe(), where, end)
		}
	}
}

// shorten keeps absurdly long input out of error messages.
func shorten(text string) string {
	if len(text) > 40 {
		return strings.ToValidUTF8(text[:37], "") + "..."
	}
	return text
}

// ValueKind is the type of a constant's value.
type ValueKind string

// The kinds of values of TLC's configuration files.
const (
	IntValue    ValueKind = "integer"
	BoolValue   ValueKind = "boolean"
	StringValue ValueKind = "string"
	SetValue    ValueKind = "set"
	ModelValue  ValueKind = "model value"
)

// Value is a constant's value.
type Value struct {
	Kind ValueKind
	Int  int     // of an IntValue
	Bool bool    // of a BoolValue
	Str  string  // of a StringValue or ModelValue
	Set  []Value // of a SetValue
}

func intValue(n int) Value       { return Value{Kind: IntValue, Int: n} }
func boolValue(b bool) Value     { return Value{Kind: BoolValue, Bool: b} }
func stringValue(s string) Value { return Value{Kind: StringValue, Str: s} }

// String writes the value as a configuration file has it.
func (v Value) String() string {
	switch v.Kind {
	case IntValue:
		return strconv.Itoa(v.Int)
	case BoolValue:
		return strings.ToUpper(strconv.FormatBool(v.Bool))
	case StringValue:
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`, "\r", `\r`, "\f", `\f`).Replace(v.Str) + `"`
	case SetValue:
		items := make([]string, len(v.Set))
		for i, item := range v.Set {
			items[i] = item.String()
		}
		return "{" + strings.Join(items, ", ") + "}"
	default:
		return v.Str
	}
}

// describe says what the value is in an error message.
func (v Value) describe() string { return "the " + string(v.Kind) + " " + shorten(v.String()) }
