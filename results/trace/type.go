package trace

import (
	"fmt"
	"strings"
)

// Type is the type of a variable. Formats write it, and readers need it: JSON alone
// does not tell a set from a sequence.
type Type struct {
	Form   Form
	Key    *Type // of a function
	Elem   *Type // of a sequence, a set or a function; nil when only empty ones were seen
	Fields []FieldType
}

// Form is the form of the values of a type.
type Form uint8

// The forms.
const (
	NoForm Form = iota
	IntForm
	StrForm
	BoolForm
	SeqForm
	SetForm
	RecordForm
	FuncForm
)

// FieldType is the type of one field of a record.
type FieldType struct {
	Name string
	Type Type
}

// Variable is a state variable.
type Variable struct {
	Name string
	Type Type
}

// TypeOf is the type of a value. The elements of a set, of a sequence and of a function
// must be of one type; an error names those that are not.
func TypeOf(v Value) (Type, error) {
	switch v := v.(type) {
	case Int:
		return Type{Form: IntForm}, nil
	case Str:
		return Type{Form: StrForm}, nil
	case Bool:
		return Type{Form: BoolForm}, nil
	case Seq:
		elem, err := commonType(v)
		return Type{Form: SeqForm, Elem: elem}, err
	case Set:
		elem, err := commonType(v)
		return Type{Form: SetForm, Elem: elem}, err
	case Rec:
		t := Type{Form: RecordForm}
		for _, f := range v {
			ft, err := TypeOf(f.Value)
			if err != nil {
				return t, fmt.Errorf("field %s: %w", f.Name, err)
			}
			t.Fields = append(t.Fields, FieldType{f.Name, ft})
		}
		return t, nil
	case Func:
		var keys, values []Value
		for _, e := range v {
			keys, values = append(keys, e.Key), append(values, e.Value)
		}
		key, err := commonType(keys)
		if err != nil {
			return Type{}, err
		}
		elem, err := commonType(values)
		return Type{Form: FuncForm, Key: key, Elem: elem}, err
	}
	return Type{}, fmt.Errorf("got %T, want a value", v)
}

// commonType is the type that all the values have, or nil when there are none.
func commonType(values []Value) (*Type, error) {
	var out *Type
	for _, v := range values {
		t, err := TypeOf(v)
		if err != nil {
			return nil, err
		}
		if out == nil {
			out = &t
			continue
		}
		u, err := unify(*out, t)
		if err != nil {
			return nil, err
		}
		out = &u
	}
	return out, nil
}

// unify is the type of which both are: one may know the elements of what is empty in
// the other.
func unify(a, b Type) (Type, error) {
	if a.Form != b.Form || len(a.Fields) != len(b.Fields) {
		return a, fmt.Errorf("got %s and %s in one place, want one type", a, b)
	}
	out := Type{Form: a.Form}
	var err error
	if out.Key, err = unifyElements(a.Key, b.Key); err != nil {
		return a, err
	}
	if out.Elem, err = unifyElements(a.Elem, b.Elem); err != nil {
		return a, err
	}
	for i, f := range a.Fields {
		if f.Name != b.Fields[i].Name {
			return a, fmt.Errorf("got %s and %s in one place, want one type", a, b)
		}
		t, err := unify(f.Type, b.Fields[i].Type)
		if err != nil {
			return a, err
		}
		out.Fields = append(out.Fields, FieldType{f.Name, t})
	}
	return out, nil
}

func unifyElements(a, b *Type) (*Type, error) {
	switch {
	case a == nil:
		return b, nil
	case b == nil:
		return a, nil
	}
	t, err := unify(*a, *b)
	return &t, err
}

// String is the type in Apalache's notation.
func (t Type) String() string {
	elem, key := "a", "a"
	if t.Elem != nil {
		elem = t.Elem.String()
	}
	if t.Key != nil {
		key = t.Key.String()
	}
	switch t.Form {
	case IntForm:
		return "Int"
	case StrForm:
		return "Str"
	case BoolForm:
		return "Bool"
	case SeqForm:
		return "Seq(" + elem + ")"
	case SetForm:
		return "Set(" + elem + ")"
	case FuncForm:
		return key + " -> " + elem
	case RecordForm:
		parts := make([]string, len(t.Fields))
		for i, f := range t.Fields {
			parts[i] = f.Name + ": " + f.Type.String()
		}
		return "{ " + strings.Join(parts, ", ") + " }"
	}
	return "a"
}
