package trace

import (
	"io"

	"vsrcheck/results"
	"vsrcheck/results/internal/jsontext"
)

// The head of a trace in JSON.
const (
	traceFormat  = "vsrcheck-trace"
	traceVersion = 1
)

// writeJSON writes the format that trace.schema.json describes.
func writeJSON(out io.Writer, t *Trace, _ WriteOptions) error {
	var rules, properties, variables, steps []any
	for _, r := range t.Rules {
		rules = append(rules, append(settingJSON(r.Setting), jsontext.Member{"alternatives", jsontext.Strings(r.Alternatives)}))
	}
	for _, p := range t.Properties {
		properties = append(properties, jsontext.Object{{"name", p.Name}, {"kind", p.Kind}, {"deferred", p.Deferred}})
	}
	for _, v := range t.Variables {
		variables = append(variables, jsontext.Object{{"name", v.Name}, {"type", v.Type.String()}})
	}
	for i := range t.Steps {
		steps = append(steps, t.stepJSON(i))
	}
	var loop any
	if t.LoopStart >= 0 {
		loop = t.LoopStart
	}
	data, err := jsontext.Text(jsontext.Object{
		{"format", traceFormat},
		{"version", traceVersion},
		{"program", buildJSON(t.Program)},
		{"spec", t.Spec},
		{"path", t.Path},
		{"config", settingsJSON(t.Config)},
		{"rules", listJSON(rules)},
		{"reduction", t.Reduction},
		{"properties", listJSON(properties)},
		{"constraints", jsontext.Strings(t.Constraints)},
		{"violation", jsontext.Object{
			{"property", t.Property}, {"kind", t.Kind}, {"summary", t.Summary},
			{"loop_start", loop}, {"forever", t.Forever}, {"explanation", t.Explanation},
		}},
		{"variables", listJSON(variables)},
		{"steps", listJSON(steps)},
	})
	if err != nil {
		return err
	}
	_, err = out.Write(data)
	return err
}

// listJSON keeps an empty list from being written as null.
func listJSON(list []any) []any {
	if list == nil {
		return []any{}
	}
	return list
}

func buildJSON(b results.Build) jsontext.Object {
	return jsontext.Object{
		{"version", b.Version}, {"revision", b.Revision}, {"modified", b.Modified}, {"go", b.Go}, {"os", b.OS}, {"arch", b.Arch},
	}
}

func settingJSON(s results.Setting) jsontext.Object {
	out := jsontext.Object{{"name", s.Name}, {"value", s.Value}}
	if s.Instead != "" {
		out = append(out, jsontext.Member{"instead_of", s.Instead})
	}
	return out
}

func settingsJSON(all []results.Setting) []any {
	out := []any{}
	for _, s := range all {
		out = append(out, settingJSON(s))
	}
	return out
}

func (t *Trace) stepJSON(i int) jsontext.Object {
	s := &t.Steps[i]
	out := jsontext.Object{{"index", i}}
	if i > 0 {
		action := jsontext.Object{{"text", s.Action}, {"kind", s.Kind}, {"fair", s.Fair}, {"replica", s.Actor}}
		if s.Message != nil {
			action = append(action, jsontext.Member{"message", plainJSON(s.Message)})
		}
		out = append(out, jsontext.Member{"action", action}, jsontext.Member{"notes", jsontext.Strings(s.Notes)}, jsontext.Member{"changes", jsontext.Strings(s.Changes)})
	}
	var state jsontext.Object
	for k, v := range s.Values {
		state = append(state, jsontext.Member{t.Variables[k].Name, plainJSON(v)})
	}
	return append(out, jsontext.Member{"state", state})
}

// plainJSON is a value as JSON writes such things: a set is a list, and a function an
// object whose names are its keys.
func plainJSON(v Value) any {
	switch v := v.(type) {
	case Int:
		return int64(v)
	case Str:
		return string(v)
	case Bool:
		return bool(v)
	case Seq:
		return plainList(v)
	case Set:
		return plainList(v)
	case Rec:
		out := jsontext.Object{}
		for _, f := range v {
			out = append(out, jsontext.Member{f.Name, plainJSON(f.Value)})
		}
		return out
	case Func:
		out := jsontext.Object{}
		for _, e := range v {
			out = append(out, jsontext.Member{keyName(e.Key), plainJSON(e.Value)})
		}
		return out
	}
	return nil
}

func plainList(values []Value) []any {
	out := make([]any, len(values))
	for i, v := range values {
		out[i] = plainJSON(v)
	}
	return out
}

// keyName is a function's key as the name of a member.
func keyName(key Value) string {
	if s, ok := key.(Str); ok {
		return string(s)
	}
	return Text(key)
}
