package trace

import (
	"fmt"
	"io"

	"vsrcheck/results"
	"vsrcheck/results/internal/jsontext"
)

// itfDescription is where the format is described.
const itfDescription = "https://apalache-mc.org/docs/adr/015adr-trace.html"

// writeITF writes the Informal Trace Format of Apalache's ADR-015. What replay needs
// besides the states is in the objects named #meta, which the format leaves to tools.
func writeITF(out io.Writer, t *Trace, _ WriteOptions) error {
	var names []any
	types := jsontext.Object{}
	for _, v := range t.Variables {
		names = append(names, v.Name)
		types = append(types, jsontext.Member{v.Name, v.Type.String()})
	}
	meta := jsontext.Object{
		{"format", "ITF"},
		{"format-description", itfDescription},
		{"description", fmt.Sprintf("%s (%s) is violated after %s", t.Property, t.Kind, results.Plural(len(t.Steps)-1, "step"))},
		{"source", t.Path},
		{"status", "violation"},
		{"varTypes", types},
		{"spec", t.Spec},
		{"property", t.Property},
		{"kind", t.Kind},
		{"forever", t.Forever},
		{"config", settingMembers(t.Config)},
		{"rules", ruleMembers(t.Rules)},
		{"reduction", t.Reduction},
	}
	if len(t.Constraints) > 0 {
		meta = append(meta, jsontext.Member{"constraints", jsontext.Strings(t.Constraints)})
	}
	states := []any{}
	for i := range t.Steps {
		states = append(states, t.itfState(i))
	}
	root := jsontext.Object{{"#meta", meta}, {"vars", listJSON(names)}, {"states", states}}
	switch {
	case t.LoopStart >= 0:
		root = append(root, jsontext.Member{"loop", t.LoopStart})
	case t.Forever && len(t.Steps) > 0:
		root = append(root, jsontext.Member{"loop", len(t.Steps) - 1}) // without it the trace would be finite
	}
	data, err := jsontext.Text(root)
	if err != nil {
		return err
	}
	_, err = out.Write(data)
	return err
}

func settingMembers(all []results.Setting) jsontext.Object {
	out := jsontext.Object{}
	for _, s := range all {
		out = append(out, jsontext.Member{s.Name, s.Value})
	}
	return out
}

func ruleMembers(all []Rule) jsontext.Object {
	out := jsontext.Object{}
	for _, r := range all {
		out = append(out, jsontext.Member{r.Name, r.Value})
	}
	return out
}

func (t *Trace) itfState(i int) jsontext.Object {
	s := &t.Steps[i]
	meta := jsontext.Object{{"index", i}}
	if i > 0 {
		meta = append(meta, jsontext.Member{"action", s.Action})
		if len(s.Notes) > 0 {
			meta = append(meta, jsontext.Member{"notes", jsontext.Strings(s.Notes)})
		}
	}
	out := jsontext.Object{{"#meta", meta}}
	for k, v := range s.Values {
		out = append(out, jsontext.Member{t.Variables[k].Name, itfJSON(v)})
	}
	return out
}

// itfJSON is a value as the format writes it. All integers are written as big ones:
// then a reader needs one form only.
func itfJSON(v Value) any {
	switch v := v.(type) {
	case Int:
		return jsontext.Object{{"#bigint", fmt.Sprint(int64(v))}}
	case Seq:
		return itfList(v)
	case Set:
		return jsontext.Object{{"#set", itfList(v)}}
	case Rec:
		out := jsontext.Object{}
		for _, f := range v {
			out = append(out, jsontext.Member{f.Name, itfJSON(f.Value)})
		}
		return out
	case Func:
		entries := []any{}
		for _, e := range v {
			entries = append(entries, []any{itfJSON(e.Key), itfJSON(e.Value)})
		}
		return jsontext.Object{{"#map", entries}}
	}
	return plainJSON(v)
}

func itfList(values []Value) []any {
	out := make([]any, len(values))
	for i, v := range values {
		out[i] = itfJSON(v)
	}
	return out
}
