package results

import (
	"io"
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
		rules = append(rules, append(settingJSON(r.Setting), jsonMember{"alternatives", jsonStrings(r.Alternatives)}))
	}
	for _, p := range t.Properties {
		properties = append(properties, jsonObject{{"name", p.Name}, {"kind", p.Kind}, {"deferred", p.Deferred}})
	}
	for _, v := range t.Variables {
		variables = append(variables, jsonObject{{"name", v.Name}, {"type", v.Type.String()}})
	}
	for i := range t.Steps {
		steps = append(steps, t.stepJSON(i))
	}
	var loop any
	if t.LoopStart >= 0 {
		loop = t.LoopStart
	}
	data, err := jsonText(jsonObject{
		{"format", traceFormat},
		{"version", traceVersion},
		{"program", buildJSON(t.Program)},
		{"spec", t.Spec},
		{"path", t.Path},
		{"config", settingsJSON(t.Config)},
		{"rules", listJSON(rules)},
		{"reduction", t.Reduction},
		{"properties", listJSON(properties)},
		{"constraints", jsonStrings(t.Constraints)},
		{"violation", jsonObject{
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

func buildJSON(b Build) jsonObject {
	return jsonObject{
		{"version", b.Version}, {"revision", b.Revision}, {"modified", b.Modified}, {"go", b.Go}, {"os", b.OS}, {"arch", b.Arch},
	}
}

func settingJSON(s Setting) jsonObject {
	out := jsonObject{{"name", s.Name}, {"value", s.Value}}
	if s.Instead != "" {
		out = append(out, jsonMember{"instead_of", s.Instead})
	}
	return out
}

func settingsJSON(all []Setting) []any {
	out := []any{}
	for _, s := range all {
		out = append(out, settingJSON(s))
	}
	return out
}

func (t *Trace) stepJSON(i int) jsonObject {
	s := &t.Steps[i]
	out := jsonObject{{"index", i}}
	if i > 0 {
		action := jsonObject{{"text", s.Action}, {"kind", s.Kind}, {"fair", s.Fair}, {"replica", s.Actor}}
		if s.Message != nil {
			action = append(action, jsonMember{"message", plainJSON(s.Message)})
		}
		out = append(out, jsonMember{"action", action}, jsonMember{"notes", jsonStrings(s.Notes)}, jsonMember{"changes", jsonStrings(s.Changes)})
	}
	var state jsonObject
	for k, v := range s.Values {
		state = append(state, jsonMember{t.Variables[k].Name, plainJSON(v)})
	}
	return append(out, jsonMember{"state", state})
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
		out := jsonObject{}
		for _, f := range v {
			out = append(out, jsonMember{f.Name, plainJSON(f.Value)})
		}
		return out
	case Func:
		out := jsonObject{}
		for _, e := range v {
			out = append(out, jsonMember{keyName(e.Key), plainJSON(e.Value)})
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
