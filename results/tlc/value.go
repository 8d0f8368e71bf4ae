package tlc

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// CanonicalTLA is a value of TLA+, as TLC prints it, in one canonical form: without
// spaces and line breaks, the elements of sets in the order of their texts, the fields
// of records by name, and functions from 1..n as tuples. Values with the same canonical
// form are equal. Known are numbers, strings, booleans, sets, intervals, records, tuples
// and functions, which is all that the states of the module in specs/ consist of. Its
// error wraps ErrOutput.
func CanonicalTLA(text string) (string, error) {
	p := tlaParser{text: text}
	value, err := p.value()
	if err == nil && p.peek() != "" {
		err = p.want("the end")
	}
	if err != nil {
		return "", err
	}
	return value, nil
}

// CanonicalState is a state as TLC prints it, a conjunction of equations between
// variables and values, in one canonical form with one variable a line. Its error wraps
// ErrOutput.
func CanonicalState(text string) (string, error) {
	var lines []string
	p := tlaParser{text: text}
	for p.peek() != "" {
		if !p.take(`/\`) {
			return "", p.want(`/\`)
		}
		name := p.word()
		if name == "" {
			return "", p.want("a variable")
		}
		if !p.take("=") {
			return "", p.want("=")
		}
		value, err := p.value()
		if err != nil {
			return "", err
		}
		lines = append(lines, name+" = "+value+"\n")
	}
	if len(lines) == 0 {
		return "", p.want(`/\`)
	}
	slices.Sort(lines)
	return strings.Join(lines, ""), nil
}

// tlaParser reads values from left to right.
type tlaParser struct {
	text  string
	at    int
	depth int
}

// maxTLADepth bounds how deep values are nested; those of the module stay below ten.
const maxTLADepth = 100

func (p *tlaParser) want(what string) error {
	return fmt.Errorf("%w: got %.20q at byte %d of a state, want %s", ErrOutput, p.text[p.at:], p.at, what)
}

// peek skips white space and is the rest of the text.
func (p *tlaParser) peek() string {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
	return p.text[p.at:]
}

func (p *tlaParser) take(token string) bool {
	if !strings.HasPrefix(p.peek(), token) {
		return false
	}
	p.at += len(token)
	return true
}

// word takes a name or a number.
func (p *tlaParser) word() string {
	rest := p.peek()
	n := 0
	for n < len(rest) && (rest[n] == '_' || rest[n] >= '0' && rest[n] <= '9' || rest[n] >= 'a' && rest[n] <= 'z' || rest[n] >= 'A' && rest[n] <= 'Z') {
		n++
	}
	p.at += n
	return rest[:n]
}

func (p *tlaParser) value() (string, error) {
	if p.depth++; p.depth > maxTLADepth {
		return "", p.want("values that are less deeply nested")
	}
	defer func() { p.depth-- }()
	switch {
	case p.take("<<"):
		parts, err := p.list(">>", p.value)
		return "<<" + strings.Join(parts, ",") + ">>", err
	case p.take("{"):
		parts, err := p.list("}", p.value)
		slices.Sort(parts)
		return "{" + strings.Join(slices.Compact(parts), ",") + "}", err
	case p.take("["):
		parts, err := p.list("]", func() (string, error) { return p.pair("|->", p.word) })
		slices.Sort(parts)
		return "[" + strings.Join(parts, ",") + "]", err
	case p.take("("):
		return p.function()
	case p.take(`"`):
		end := strings.IndexByte(p.text[p.at:], '"')
		if end < 0 {
			return "", p.want(`a closing "`)
		}
		s := p.text[p.at : p.at+end]
		p.at += end + 1
		return `"` + s + `"`, nil
	}
	return p.number()
}

// number is a number, an interval of numbers or a boolean.
func (p *tlaParser) number() (string, error) {
	sign := ""
	if p.take("-") {
		sign = "-"
	}
	text := sign + p.word()
	if text == "TRUE" || text == "FALSE" {
		return text, nil
	}
	low, err := strconv.Atoi(text)
	if err != nil {
		return "", p.want("a value")
	}
	if !p.take("..") {
		return strconv.Itoa(low), nil
	}
	high, err := strconv.Atoi(p.word())
	if err != nil || high-low > 1<<10 {
		return "", p.want("the end of an interval")
	}
	var parts []string
	for n := low; n <= high; n++ {
		parts = append(parts, strconv.Itoa(n))
	}
	slices.Sort(parts)
	return "{" + strings.Join(parts, ",") + "}", nil
}

// list takes parts between commas up to the closing token.
func (p *tlaParser) list(end string, part func() (string, error)) ([]string, error) {
	var parts []string
	if p.take(end) {
		return nil, nil
	}
	for {
		s, err := part()
		if err != nil {
			return nil, err
		}
		parts = append(parts, s)
		if p.take(end) {
			return parts, nil
		}
		if !p.take(",") {
			return nil, p.want("a comma or " + end)
		}
	}
}

// pair is a key, an arrow and a value.
func (p *tlaParser) pair(arrow string, key func() string) (string, error) {
	name := key()
	if name == "" {
		return "", p.want("a name or a number")
	}
	if !p.take(arrow) {
		return "", p.want(arrow)
	}
	value, err := p.value()
	return name + arrow + value, err
}

// function is what TLC writes as (0 :> a @@ 1 :> b).
func (p *tlaParser) function() (string, error) {
	values := map[int]string{}
	for {
		key, err := strconv.Atoi(p.word())
		if err != nil {
			return "", p.want("a number")
		}
		if !p.take(":>") {
			return "", p.want(":>")
		}
		value, err := p.value()
		if err != nil {
			return "", err
		}
		if _, ok := values[key]; ok {
			return "", p.want("another key")
		}
		values[key] = value
		if p.take(")") {
			break
		}
		if !p.take("@@") {
			return "", p.want("@@ or )")
		}
	}
	keys := slices.Sorted(maps.Keys(values))
	tuple := keys[0] == 1 && keys[len(keys)-1] == len(keys)
	var parts []string
	for _, key := range keys {
		if tuple {
			parts = append(parts, values[key])
		} else {
			parts = append(parts, fmt.Sprintf("%d:>%s", key, values[key]))
		}
	}
	if tuple {
		return "<<" + strings.Join(parts, ",") + ">>", nil
	}
	return "(" + strings.Join(parts, "@@") + ")", nil
}
