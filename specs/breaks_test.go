package specs_test

import (
	"slices"
	"strings"
	"testing"

	"vsrcheck/invariants"
	"vsrcheck/model"
	"vsrcheck/specs"
)

// TestBreaks: what an alternative is said to break is a property that some specification
// with it violates; and what the zoo violates is said of the alternative that it is about.
func TestBreaks(t *testing.T) {
	manifest, err := specs.LoadManifest()
	if err != nil {
		t.Fatal(err)
	}
	violated := map[string][]model.Rules{}
	for _, name := range specs.Names() {
		if e, ok := manifest.Entry(name); ok && e.Violated != "" {
			spec, err := specs.Load(name)
			if err != nil {
				t.Fatal(err)
			}
			violated[e.Violated] = append(violated[e.Violated], spec.Rules)
		}
	}
	for _, r := range model.Catalogue() {
		for _, a := range r.Alternatives {
			for _, property := range a.Breaks {
				if !slices.ContainsFunc(invariants.Catalogue(), func(p invariants.Property) bool { return p.Name == property }) {
					t.Errorf("%s=%s breaks %s, which is no property", r.Name, a.Name, property)
				}
				if !slices.ContainsFunc(violated[property], func(rs model.Rules) bool { return r.Get(rs) == a.Name }) {
					t.Errorf("%s=%s breaks %s, and no specification with it violates that", r.Name, a.Name, property)
				}
			}
		}
		name := "zoo-" + strings.ReplaceAll(r.Name, "_", "-")
		if e, ok := manifest.Entry(name); ok {
			spec, err := specs.Load(name)
			if err != nil {
				t.Fatal(err)
			}
			i := slices.Index(r.AlternativeNames(), r.Get(spec.Rules))
			if !slices.Contains(r.Alternatives[i].Breaks, e.Violated) {
				t.Errorf("%s violates %s, and %s=%s is said to break %v", name, e.Violated, r.Name, r.Get(spec.Rules), r.Alternatives[i].Breaks)
			}
		}
	}
}
