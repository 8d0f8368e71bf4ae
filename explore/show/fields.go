package show

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// field is a part of a state that has no parts itself.
type field struct{ name, value string }

// mostNested is how far pointers are followed. A state should have none; what has them may
// go round in a circle.
const mostNested = 16

// fieldsOf lists the fields of a state, in the order of its type.
func fieldsOf[S any](s *S) []field {
	var l lister
	l.add("", reflect.ValueOf(s).Elem(), 0)
	return l.all
}

type lister struct{ all []field }

func (l *lister) leaf(name, value string) {
	if name == "" {
		name = "state"
	}
	l.all = append(l.all, field{name, value})
}

func (l *lister) add(name string, v reflect.Value, nested int) {
	if text, ok := ownText(v); ok {
		l.leaf(name, text)
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			part := v.Type().Field(i).Name
			if name != "" {
				part = name + "." + part
			}
			l.add(part, v.Field(i), nested)
		}
	case reflect.Slice:
		l.leaf("len("+name+")", strconv.Itoa(v.Len()))
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			l.add(fmt.Sprintf("%s[%d]", name, i), v.Index(i), nested)
		}
	case reflect.Map:
		l.entries(name, v, nested)
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() || nested == mostNested {
			l.leaf(name, map[bool]string{true: "nil", false: "..."}[v.IsNil()])
			return
		}
		l.add(name, v.Elem(), nested+1)
	default:
		l.leaf(name, plain(v))
	}
}

// entries adds those of a map, sorted by the text of their keys.
func (l *lister) entries(name string, v reflect.Value, nested int) {
	type entry struct {
		key   string
		value reflect.Value
	}
	var all []entry
	for iter := v.MapRange(); iter.Next(); {
		all = append(all, entry{plain(iter.Key()), iter.Value()})
	}
	slices.SortFunc(all, func(a, b entry) int { return strings.Compare(a.key, b.key) })
	for _, e := range all {
		l.add(fmt.Sprintf("%s[%s]", name, e.key), e.value, nested)
	}
}

// ownText is what a value says of itself, if it can be asked.
func ownText(v reflect.Value) (string, bool) {
	if !v.CanInterface() || (v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface) && v.IsNil() {
		return "", false
	}
	s, ok := v.Interface().(fmt.Stringer)
	if !ok {
		return "", false
	}
	return s.String(), true
}

// plain is the text of a value that has no parts. Fields that are not exported cannot be
// asked for more.
func plain(v reflect.Value) string {
	switch v.Kind() {
	case reflect.String:
		return strconv.Quote(v.String())
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		if v.IsNil() {
			return "nil"
		}
		return "a " + v.Type().String()
	}
	return fmt.Sprint(v)
}
