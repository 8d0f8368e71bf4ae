package trace

import (
	"fmt"
	"slices"
	"strings"
)

// Value is a value of a state variable, in the few forms that TLA+, JSON and the
// Informal Trace Format share. Traces are made of them, so that the formats know
// nothing of a model, and a model nothing of the formats.
type Value interface{ isValue() }

// The forms of values.
type (
	Int  int64
	Str  string
	Bool bool
	Seq  []Value // a sequence; as in TLA+, the first element has index 1
	Set  []Value // without duplicates, in any order
	Rec  []Field // in the order in which it is written
	Func []Entry // a function, its keys in the order in which it is written
)

// Field is one field of a Rec.
type Field struct {
	Name  string
	Value Value
}

// Entry is the value of a Func for one key.
type Entry struct{ Key, Value Value }

func (Int) isValue() {}

func (Str) isValue() {}

func (Bool) isValue() {}

func (Seq) isValue() {}

func (Set) isValue() {}

func (Rec) isValue() {}

func (Func) isValue() {}

// Text is the value as a TLA+ expression on one line. The elements of sets are sorted,
// so that equal values have equal texts.
func Text(v Value) string {
	switch v := v.(type) {
	case Int:
		return fmt.Sprint(int64(v))
	case Str:
		return tlaString(string(v))
	case Bool:
		return strings.ToUpper(fmt.Sprint(bool(v)))
	case Seq:
		return "<<" + strings.Join(texts(v), ", ") + ">>"
	case Set:
		elements := texts(v)
		slices.SortFunc(elements, byLengthAndText)
		return "{" + strings.Join(elements, ", ") + "}"
	case Rec:
		parts := make([]string, len(v))
		for i, f := range v {
			parts[i] = f.Name + " |-> " + Text(f.Value)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case Func:
		if len(v) == 0 {
			return "<<>>"
		}
		parts := make([]string, len(v))
		for i, e := range v {
			parts[i] = Text(e.Key) + " :> " + Text(e.Value)
		}
		return "(" + strings.Join(parts, " @@ ") + ")"
	}
	return fmt.Sprint(v)
}

func texts(values []Value) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = Text(v)
	}
	return out
}

// byLengthAndText sorts 2 before 10.
func byLengthAndText(a, b string) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}

// tlaString is a string as a TLA+ literal.
func tlaString(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(s) + `"`
}

// Difference is one place in which a recorded value and the one that came out differ.
type Difference struct {
	Path string // such as replica[1].journal[2]
	Text string // what was recorded and what is there now
}

// String is the difference in one line.
func (d Difference) String() string { return d.Path + ": " + d.Text }

// Differences lists where got differs from recorded, in the order in which got is
// written. With common only what both have is compared: for values of systems of
// different sizes.
func Differences(path string, recorded, got Value, common bool) []Difference {
	d := &differ{common: common}
	d.compare(path, recorded, got)
	return d.out
}

type differ struct {
	common bool
	out    []Difference
}

func (d *differ) add(path, format string, args ...any) {
	d.out = append(d.out, Difference{path, fmt.Sprintf(format, args...)})
}

func (d *differ) compare(path string, recorded, got Value) {
	switch g := got.(type) {
	case Seq:
		if r, ok := recorded.(Seq); ok {
			d.sequences(path, r, g)
			return
		}
	case Set:
		if r, ok := recorded.(Set); ok {
			d.sets(path, r, g)
			return
		}
	case Rec:
		if r, ok := recorded.(Rec); ok {
			d.records(path, r, g)
			return
		}
	case Func:
		if r, ok := recorded.(Func); ok {
			d.functions(path, r, g)
			return
		}
	default:
		if recorded == got {
			return
		}
	}
	d.add(path, "recorded %s, now %s", Text(recorded), Text(got))
}

func (d *differ) sequences(path string, recorded, got Seq) {
	if len(recorded) != len(got) && !d.common {
		d.add(path, "recorded with %d elements, now with %d", len(recorded), len(got))
		return
	}
	for i := range min(len(recorded), len(got)) {
		d.compare(fmt.Sprintf("%s[%d]", path, i+1), recorded[i], got[i])
	}
}

func (d *differ) sets(path string, recorded, got Set) {
	r, g := texts(recorded), texts(got)
	for _, e := range r {
		if !slices.Contains(g, e) {
			d.add(path, "recorded with %s, now without", e)
		}
	}
	for _, e := range g {
		if !slices.Contains(r, e) {
			d.add(path, "recorded without %s, now with", e)
		}
	}
}

func (d *differ) records(path string, recorded, got Rec) {
	for _, g := range got {
		r, ok := recorded.get(g.Name)
		if !ok {
			d.add(path+"."+g.Name, "not recorded, now %s", Text(g.Value))
			continue
		}
		d.compare(path+"."+g.Name, r, g.Value)
	}
}

func (d *differ) functions(path string, recorded, got Func) {
	if len(recorded) != len(got) && !d.common {
		d.add(path, "recorded for %d keys, now for %d", len(recorded), len(got))
		return
	}
	for _, g := range got {
		key := Text(g.Key)
		i := slices.IndexFunc(recorded, func(e Entry) bool { return Text(e.Key) == key })
		switch {
		case i >= 0:
			d.compare(fmt.Sprintf("%s[%s]", path, key), recorded[i].Value, g.Value)
		case !d.common:
			d.add(fmt.Sprintf("%s[%s]", path, key), "not recorded, now %s", Text(g.Value))
		}
	}
}

// get is the value of a field.
func (r Rec) get(name string) (Value, bool) {
	for _, f := range r {
		if f.Name == name {
			return f.Value, true
		}
	}
	return nil, false
}
