package specs

import (
	"fmt"
	"strconv"
	"strings"
)

// The keywords of TLC's configuration files.
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
	formRefused                      // TLC knows the keyword and this checker does not honour it
)

// keyword is one keyword of the grammar.
type keyword struct {
	text      string
	canonical string // the form under which the syntax tree keeps it
	form      keywordForm
}

// keywords is the grammar of TLC's configuration files at the top level.
func keywords() []keyword {
	return []keyword{
		{kwSpecification, kwSpecification, formName},
		{kwInit, kwInit, formName},
		{kwNext, kwNext, formName},
		{kwConstant, kwConstant, formConstants},
		{"CONSTANTS", kwConstant, formConstants},
		{kwInvariant, kwInvariant, formNames},
		{"INVARIANTS", kwInvariant, formNames},
		{kwProperty, kwProperty, formNames},
		{"PROPERTIES", kwProperty, formNames},
		{kwConstraint, kwConstraint, formNames},
		{"CONSTRAINTS", kwConstraint, formNames},
		{kwDeadlock, kwDeadlock, formBool},
		{"ACTION_CONSTRAINT", "", formRefused},
		{"ACTION_CONSTRAINTS", "", formRefused},
		{"SYMMETRY", "", formRefused},
		{"VIEW", "", formRefused},
		{"ALIAS", "", formRefused},
		{"POSTCONDITION", "", formRefused},
		{"TYPE", "", formRefused},
		{"TYPE_CONSTRAINT", "", formRefused},
		{"_PERIODIC", "", formRefused},
		{"_RL_REWARD", "", formRefused},
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

// assignment is one line of a CONSTANTS section.
type assignment struct {
	name  token
	value Value
	at    position // of the value
}

// tree is the syntax tree of a file. Names keep their tokens, so that every later
// error has a place.
type tree struct {
	file      string
	constants []assignment
	single    map[string]token   // by keyword: INIT, NEXT, SPECIFICATION, CHECK_DEADLOCK
	lists     map[string][]token // by keyword: INVARIANT, PROPERTY, CONSTRAINT
	end       token
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
	out.end = p.peek()
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
// the constants looks like one more constant, so it is asked for there, too.
func keywordHint(word string) string {
	var words []string
	for _, k := range keywords() {
		if k.form != formRefused {
			words = append(words, k.text)
		}
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
			hint = keywordHint(head.text)
		}
		return p.fail(ErrSyntax, head, "got %s, want a keyword such as CONSTANTS or PROPERTIES%s", head.describe(), hint)
	}
	switch k.form {
	case formRefused:
		return p.fail(ErrMeaning, head, "got %s, which this checker does not honour; remove it, or check the file with TLC", k.text)
	case formConstants:
		return p.constants(out)
	case formNames:
		for p.inSection() {
			name, err := p.name("a name or a keyword")
			if err != nil {
				return err
			}
			out.lists[k.canonical] = append(out.lists[k.canonical], name)
		}
		return nil
	case formBool:
		if t := p.peek(); t.kind != tokWord || t.text != "TRUE" && t.text != "FALSE" {
			return p.fail(ErrSyntax, t, "got %s after %s, want TRUE or FALSE", t.describe(), k.text)
		}
		return p.once(out, k, head, p.take())
	default:
		if !p.inSection() {
			return p.fail(ErrSyntax, p.peek(), "got %s after %s, want a name", p.peek().describe(), k.text)
		}
		name, err := p.name("a name")
		if err != nil {
			return err
		}
		return p.once(out, k, head, name)
	}
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

// constants reads assignments up to the next keyword.
func (p *parser) constants(out *tree) error {
	for p.inSection() {
		name, err := p.name("the name of a constant or a keyword")
		if err != nil {
			return err
		}
		switch t := p.take(); {
		case t.kind == tokSymbol && t.text == "=":
		case t.kind == tokSymbol && t.text == "<-":
			return p.fail(ErrMeaning, t, "got a substitution (<-) for %s, which this checker does not honour, want %s = value",
				name.text, name.text)
		case t.kind == tokSymbol && (t.text == "!" || t.text == "("):
			return p.fail(ErrMeaning, t, "got %s after %s, want a plain constant: %s = value", t.describe(), name.text, name.text)
		default:
			return p.fail(ErrSyntax, t, "got %s after %s, want = and a value%s", t.describe(), name.text, keywordHint(name.text))
		}
		at := p.peek()
		if at.kind == tokSymbol && at.text == "[" {
			return p.fail(ErrMeaning, at, "got a value for another module, want %s = value", name.text)
		}
		value, err := p.value(0)
		if err != nil {
			return err
		}
		out.constants = append(out.constants, assignment{name, value, at.pos})
	}
	return nil
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
			return Value{}, p.fail(ErrSyntax, t, "got the number %s, want one below 2^31", shorten(t.text))
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
	if t := p.peek(); t.kind == tokSymbol && t.text == "}" {
		p.take()
		return out, nil
	}
	for {
		v, err := p.value(depth)
		if err != nil {
			return Value{}, err
		}
		out.Set = append(out.Set, v)
		switch t := p.take(); {
		case t.kind == tokSymbol && t.text == ",":
		case t.kind == tokSymbol && t.text == "}":
			return out, nil
		default:
			return Value{}, p.fail(ErrSyntax, t, "got %s in a set, want , or }", t.describe())
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
