package trace

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"

	"vsrcheck/results/internal/resultstest"
)

// TestShorten: a trace with what its steps change is shorter, valid, and read as the whole one is.
func TestShorten(t *testing.T) {
	for _, loop := range []bool{false, true} {
		want := sampleTrace(t, loop)
		full := written(t, "json", want)
		short, err := Shorten(full)
		if err != nil {
			t.Fatal(err)
		}
		if len(short) >= len(full) || bytes.Count(short, []byte(`"state"`)) != 1 || bytes.Count(short, []byte(`"patch"`)) != len(want.Steps)-1 {
			t.Errorf("got %d bytes of %d:\n%s", len(short), len(full), short)
		}
		if err := resultstest.Schema(t, "trace").Validate(resultstest.Instance(t, short)); err != nil {
			t.Error(err)
		}
		got, err := Read(short, want.Variables)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("got\n%+v, %v\nwant\n%+v", got, err, want)
		}
		if _, err := Shorten(short); !errors.Is(err, ErrShort) {
			t.Errorf("a short trace: %v", err)
		}
	}
	for _, bad := range []string{"", "[]", `{"steps": []}`, `{"steps": [{}]}`, `{"steps": [{"state": {}}, {"index": 1}]}`} {
		if _, err := Shorten([]byte(bad)); !errors.Is(err, ErrTrace) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// TestMergePatch has the examples of RFC 7396 that states can have, and what has no change.
func TestMergePatch(t *testing.T) {
	object := func(pairs ...any) map[string]any {
		out := map[string]any{}
		for i := 0; i < len(pairs); i += 2 {
			out[pairs[i].(string)] = pairs[i+1]
		}
		return out
	}
	for _, c := range []struct{ before, patch, want any }{
		{object("a", "b"), object("a", "c"), object("a", "c")},
		{object("a", "b"), object("b", "c"), object("a", "b", "b", "c")},
		{object("a", "b", "b", "c"), object("a", nil), object("b", "c")},
		{object("a", []any{"b"}), object("a", "c"), object("a", "c")},
		{object("a", object("b", "c")), object("a", object("b", "d", "c", nil)), object("a", object("b", "d"))},
		{[]any{"a", "b"}, []any{"c", "d"}, []any{"c", "d"}},
		{object("a", "foo"), "bar", "bar"},
		{object("e", "f"), object(), object("e", "f")},
		{[]any{"x"}, object("a", object("bb", object("ccc", nil))), object("a", object("bb", object()))},
	} {
		if got := merged(c.before, c.patch); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%v with %v: got %v, want %v", c.before, c.patch, got, c.want)
		}
	}
}

// TestReadPatchRefuses: a patch has no state beside it, and one before it, is an object, and makes
// a state of the model.
func TestReadPatchRefuses(t *testing.T) {
	trace := sampleTrace(t, true)
	data, err := Shorten(written(t, "json", trace))
	if err != nil {
		t.Fatal(err)
	}
	good := string(data)
	for _, c := range []struct{ from, to, want string }{
		{`"patch": {`, `"state": {}, "patch": {`, "steps[1].patch: got a state, too"},
		{`"state": {`, `"patch": {`, `steps[0]: got no "state"`},
		{`"patch": {`, `"patch": {"unheard": 1, `, `steps[1].state: got an unknown member "unheard"`},
		{`"patch": {`, `"patch": {"` + trace.Variables[0].Name + `": null}, "more": {`, `steps[1].state: got no "` + trace.Variables[0].Name + `"`},
		{`"patch": {`, `"patch": 7, "changes2": {`, "steps[1].patch: got 7, want an object"},
	} {
		bad := strings.Replace(good, c.from, c.to, 1)
		if _, err := Read([]byte(bad), trace.Variables); bad == good || !errors.Is(err, ErrTrace) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.to, err, c.want)
		}
	}
	// Patches that make a large state again and again take no memory.
	large := strings.Repeat("0,", maxListLength/2) + "0"
	many := strings.Repeat(`,{"index":1,"patch":{}}`, 2*maxTraceValues/maxListLength+1)
	bomb := `{"format":"vsrcheck-trace","version":1,"steps":[{"index":0,"state":{"x":[` + large + `]}}` + many + `]}`
	r := &traceReader{}
	root := resultstest.Instance(t, []byte(bomb)).(map[string]any)
	var state any
	for i, n := range (jsonNode{r, "", root}).field("steps").list() {
		state = r.stateOf(i, n, state).v
	}
	if r.err == nil || !strings.Contains(r.err.Error(), "values in the states") {
		t.Errorf("got %v, want too many values", r.err)
	}
}
