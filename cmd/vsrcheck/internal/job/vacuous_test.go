package job

import (
	"context"
	"slices"
	"testing"

	"vsrcheck/explore"
	"vsrcheck/invariants"
	"vsrcheck/model"
	"vsrcheck/results"
	"vsrcheck/specs"
)

// TestEachPropertyCanSayNothing: for every property that a file may name, alone in a run in
// which its companion is never met, there is no verdict, and beside one that says something
// the run holds. A companion that is met is no matter.
func TestEachPropertyCanSayNothing(t *testing.T) {
	never := func(out *Outcome, name string) {
		p, _ := invariants.Named(name)
		delete(out.ReachableMet, p.Companion)
	}
	for _, p := range invariants.Catalogue() {
		if p.Kind != invariants.State && p.Kind != invariants.Step && p.Kind != invariants.Liveness {
			continue
		}
		for _, other := range []string{"", "NoRegression", "EveryPreparedCommits"} {
			rest, _ := invariants.Named(other)
			if other == p.Name || other != "" && rest.Companion == p.Companion {
				continue
			}
			spec, err := specs.Load("tiny-fetch-to-op-fixed")
			if err != nil {
				t.Fatal(err)
			}
			spec = CheckingOnly(spec, p.Name)
			if other != "" {
				spec.Properties = append(slices.Clone(spec.Properties), other)
			}
			j, err := New(&Override{Spec: spec}, false, ReduceEager)
			if err != nil {
				t.Fatal(err)
			}
			out := &Outcome{Job: j, Result: &explore.Result[model.State]{Verdict: explore.Holds, ReachableMet: map[string]int{}}}
			for _, r := range j.Bound.Reachable {
				out.ReachableMet[r.Name] = 1
			}
			if got := out.Silent(); len(got) > 0 {
				t.Errorf("%s %s: all is met, and %v says nothing", p.Name, other, got)
			}
			never(out, p.Name)
			got := out.Silent()
			if !slices.ContainsFunc(got, func(v results.Vacuity) bool { return v.Property == p.Name && v.Companion == p.Companion && v.Why != "" }) {
				t.Errorf("%s %s: got %v, want that it says nothing", p.Name, other, got)
			}
			want := EndHolds
			if other == "" {
				want = EndNothing
			}
			if out.Decide(context.Background()); out.End != want {
				t.Errorf("%s %s: ends as %d, want %d", p.Name, other, out.End, want)
			}
		}
	}
}
