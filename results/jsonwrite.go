package results

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// jsonObject is a JSON object whose members keep their order.
type jsonObject []jsonMember

type jsonMember struct {
	name  string
	value any // jsonObject, []any, or what encoding/json writes as a scalar
}

// jsonWidth is the longest line for what is written on one line at all.
const jsonWidth = 110

// jsonText lays out a JSON value for people: what fits on a line is on one line.
func jsonText(v any) ([]byte, error) {
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
	if object, ok := v.(jsonObject); ok {
		w.out.WriteString("{\n")
		for i, m := range object {
			label := pad + w.scalar(m.name) + ": "
			w.out.WriteString(label)
			w.value(m.value, indent+1, len(label))
			w.comma(i, len(object))
		}
		w.out.WriteString(pad[2:] + "}")
		return
	}
	list, _ := v.([]any)
	w.out.WriteString("[\n")
	for i, e := range list {
		w.out.WriteString(pad)
		w.value(e, indent+1, len(pad))
		w.comma(i, len(list))
	}
	w.out.WriteString(pad[2:] + "]")
}

func isObject(v any) bool {
	_, ok := v.(jsonObject)
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
	case jsonObject:
		parts := make([]string, len(v))
		for i, m := range v {
			parts[i] = w.scalar(m.name) + ": " + w.short(m.value)
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

func jsonStrings(texts []string) []any {
	out := make([]any, len(texts))
	for i, t := range texts {
		out[i] = t
	}
	return out
}
