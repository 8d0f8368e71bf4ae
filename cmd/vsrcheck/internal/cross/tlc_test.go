package cross

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vsrcheck/model"
	"vsrcheck/specs"
)

// firstStates are the first states of a specification, in the order of a search.
func firstStates(t *testing.T, name string, n int) (*model.Model, []model.State) {
	t.Helper()
	spec, err := specs.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.New(spec.Config, spec.Rules)
	if err != nil {
		t.Fatal(err)
	}
	var states []model.State
	m.Init(func(s *model.State) { states = append(states, *s) })
	for i := 0; len(states) < n; i++ {
		s := states[i]
		var next model.State
		m.Next(&s, &next, func(uint32) { states = append(states, next) })
	}
	return m, states[:n]
}

// TestStateSet compares sets that are equal, and sets that differ by one state.
func TestStateSet(t *testing.T) {
	m, states := firstStates(t, "tiny-fetch-to-op-old", 4)
	for _, test := range []struct {
		what         string
		ours, theirs []int
		want         []string
	}{
		{"equal", []int{0, 1, 2}, []int{2, 0, 1}, []string{"run: the same 3 states in both\n"}},
		{"only here", []int{0, 1, 2, 3}, []int{0, 3}, []string{
			"run: only here 2 states, only under TLC 0\n", "the first state that is reached only here:\n", "op|->1"}},
		{"only under TLC", []int{0, 1}, []int{0, 1, 2}, []string{
			"run: only here 0 states, only under TLC 1\n", "the first state that is reached only under TLC:\n", "crashes_used = 1\n"}},
	} {
		set := newStateSet(m)
		for _, i := range test.ours {
			set.add(&states[i])
		}
		dump := filepath.Join(t.TempDir(), "dump")
		var text strings.Builder
		for n, i := range test.theirs {
			text.WriteString("State " + string(rune('1'+n)) + ":\n" + m.TLA(&states[i]) + "\n")
		}
		if err := os.WriteFile(dump, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := (&TLCRun{dumped: set.see}).readDump(dump); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if equal := set.report(&out, "run"); equal != (test.what == "equal") {
			t.Errorf("%s: equal %v", test.what, equal)
		}
		for _, want := range test.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: there is no %q in\n%s", test.what, want, out.String())
			}
		}
	}
	set := newStateSet(m)
	if err := set.see("State of the art"); err == nil {
		t.Error("a text that is no state is taken for one")
	}
	if err := (&TLCRun{}).readDump(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a dump that is not there is read")
	}
}
