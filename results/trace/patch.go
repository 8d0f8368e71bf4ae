package trace

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"vsrcheck/results/internal/jsontext"
)

// ErrShort is the error about a trace that has been shortened already.
var ErrShort = errors.New("the trace is short already")

// Shorten writes a trace in the format json with the states as what changes: a step after the
// first has, instead of its state, the merge patch (RFC 7396) that makes it of the state before.
// [Read] gives the same trace for both. Published traces are kept so: a state is some thirty
// lines, and a step changes few of them. No library: those for merge patches work on text, and
// lose the order of the members.
func Shorten(data []byte) ([]byte, error) {
	root, err := jsontext.Decode(data)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrTrace, err)
	}
	trace, _ := root.(jsontext.Object)
	steps, _ := trace.Get("steps").([]any)
	if len(steps) == 0 {
		return nil, fmt.Errorf("%w: got no steps, want a trace in the format json", ErrTrace)
	}
	var before any
	for i := range steps {
		step, _ := steps[i].(jsontext.Object)
		at := slices.IndexFunc(step, func(m jsontext.Member) bool { return m[0] == "state" })
		if i > 0 && step.Get("patch") != nil {
			return nil, ErrShort
		}
		if at < 0 {
			return nil, fmt.Errorf("%w: steps[%d]: got no state, want one", ErrTrace, i)
		}
		state := step[at][1]
		if i > 0 {
			patch, _ := difference(before, state)
			step[at] = jsontext.Member{"patch", patch}
		}
		before = state
	}
	return jsontext.Text(root)
}

// difference is the merge patch from one value to another, and whether they differ. No value of
// a trace is null, so that there is always one.
func difference(before, after any) (patch any, differ bool) {
	b, objects := before.(jsontext.Object)
	a, both := after.(jsontext.Object)
	if !objects || !both {
		return after, !reflect.DeepEqual(before, after)
	}
	out := jsontext.Object{}
	for _, m := range b {
		if a.Get(m[0]) == nil {
			out = append(out, jsontext.Member{m[0], nil})
		}
	}
	for _, m := range a {
		if old := b.Get(m[0]); old == nil {
			out = append(out, m)
		} else if part, differ := difference(old, m[1]); differ {
			out = append(out, jsontext.Member{m[0], part})
		}
	}
	return out, len(out) > 0
}

// merged is a value with a merge patch. What the patch does not name is shared with before.
func merged(before, patch any) any {
	changes, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	old, _ := before.(map[string]any)
	out := maps.Clone(old)
	if out == nil {
		out = map[string]any{}
	}
	for name, change := range changes {
		if change == nil {
			delete(out, name)
		} else {
			out[name] = merged(old[name], change)
		}
	}
	return out
}

// count is of how many values a value consists.
func count(v any) int {
	n := 1
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			n += count(e)
		}
	case map[string]any:
		for _, e := range v {
			n += count(e)
		}
	}
	return n
}
