// Package jsontext reads and writes a file that is one JSON value, laid out for people.
package jsontext

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// Object is a JSON object whose members keep their order.
type Object []Member

// Get is the value of a member, nil when there is none of that name.
func (o Object) Get(name any) any {
	for _, m := range o {
		if m[0] == name {
			return m[1]
		}
	}
	return nil
}

// Member is the name of a member, which is a string, and its value: an Object, []any, or what
// encoding/json writes as a scalar.
type Member [2]any

// jsonWidth is the longest line for what is written on one line at all.
const jsonWidth = 110

// Text lays out a JSON value for people: what fits on a line is on one line.
func Text(v any) ([]byte, error) {
	w := &jsonWriter{}
	w.value(v, 0, 0)
	w.out.WriteByte('\n')
	return w.out.Bytes(), w.err
}

type jsonWriter struct {
	out bytes.Buffer
	err error
}

// value writes v, whose first line begins after used characters.
func (w *jsonWriter) value(v any, indent, used int) {
	short := w.short(v)
	if _, list := v.([]any); used+utf8.RuneCountInString(short) < jsonWidth || !list && !isObject(v) {
		w.out.WriteString(short)
		return
	}
	pad := strings.Repeat("  ", indent+1)
	if object, ok := v.(Object); ok {
		w.out.WriteString("{\n")
		for i, m := range object {
			label := pad + w.scalar(m[0]) + ": "
			w.out.WriteString(label)
			w.value(m[1], indent+1, len(label))
			w.comma(i, len(object))
		}
		w.out.WriteString(pad[2:] + "}")
		return
	}
	list, _ := v.([]any)
	if w.fill(list, pad) {
		return
	}
	w.out.WriteString("[\n")
	for i, e := range list {
		w.out.WriteString(pad)
		w.value(e, indent+1, len(pad))
		w.comma(i, len(list))
	}
	w.out.WriteString(pad[2:] + "]")
}

// shortScalar is up to how many characters an element may have for its list to be filled: numbers
// and names are read along a line, and sentences one below the other.
const shortScalar = 32

// fill writes a list of short scalars with as many on a line as fit, and reports whether it is one.
func (w *jsonWriter) fill(list []any, pad string) bool {
	parts := make([]string, len(list))
	for i, e := range list {
		_, inner := e.([]any)
		if parts[i] = w.short(e); inner || isObject(e) || len(parts[i]) > shortScalar {
			return false
		}
	}
	w.out.WriteString("[")
	used := jsonWidth
	for i, part := range parts {
		if i < len(parts)-1 {
			part += ","
		}
		if used+1+len(part) > jsonWidth {
			w.out.WriteString("\n" + pad + part)
			used = len(pad) + len(part)
		} else {
			w.out.WriteString(" " + part)
			used += 1 + len(part)
		}
	}
	w.out.WriteString("\n" + pad[2:] + "]")
	return true
}

func isObject(v any) bool {
	_, ok := v.(Object)
	return ok
}

func (w *jsonWriter) comma(i, n int) {
	if i < n-1 {
		w.out.WriteByte(',')
	}
	w.out.WriteByte('\n')
}

// short is v on one line.
func (w *jsonWriter) short(v any) string {
	switch v := v.(type) {
	case Object:
		parts := make([]string, len(v))
		for i, m := range v {
			parts[i] = w.scalar(m[0]) + ": " + w.short(m[1])
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case []any:
		parts := make([]string, len(v))
		for i, e := range v {
			parts[i] = w.short(e)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return w.scalar(v)
}

func (w *jsonWriter) scalar(v any) string {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false) // traces are full of ->
	if err := e.Encode(v); err != nil && w.err == nil {
		w.err = err
	}
	return strings.TrimSuffix(out.String(), "\n")
}

// Strings are texts as a list.
func Strings(texts []string) []any {
	out := make([]any, len(texts))
	for i, t := range texts {
		out[i] = t
	}
	return out
}
