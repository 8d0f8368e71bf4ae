package main

import (
	"context"
	"flag"
	"strings"
	"testing"

	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/explore"
	"vsrcheck/model"
	"vsrcheck/specs"
)

// withoutMeasure is a model that cannot show that its graph has no cycles, so that the
// engine has to look for strongly connected components.
type withoutMeasure struct {
	explore.System[model.State]
	explore.Kinded
	explore.WeaklyFair
}

// TestTemporalFormula: an op that is acked leads to one that is decided exactly where nobody
// has to wait for an acked op for ever, with a trace of the same length; the first is
// decided as a temporal formula, the second by quiescent states.
func TestTemporalFormula(t *testing.T) {
	violated := 0
	for _, rule := range []string{
		"fetch_to_op=old", "fetch_to_op=fixed", "serve_ceiling=commit", "repair_session=survives", "repair_arming=any", "readoption=never",
	} {
		for _, reduce := range []string{job.ReduceNone, job.ReduceEager} {
			spec, err := specs.Load("tiny-leads-to-fixed")
			if err != nil {
				t.Fatal(err)
			}
			name, value, _ := strings.Cut(rule, "=")
			for _, r := range model.Catalogue() {
				if r.Name == name {
					if err := r.Set(&spec.Rules, value); err != nil {
						t.Fatal(err)
					}
				}
			}
			run := func(property string) *job.Outcome {
				spec.Properties = []string{property}
				j, err := job.New(&job.Override{Spec: spec}, false, reduce)
				if err != nil {
					t.Fatal(err)
				}
				out, err := j.Run(context.Background(), explore.Options{})
				if err != nil {
					t.Fatal(err)
				}
				return out
			}
			formula, simple := run("AckedLeadsToDecided"), run("QuorumAckedCommits")
			if formula.Verdict != simple.Verdict || formula.End != simple.End {
				t.Errorf("%s, %s: %s %s as a formula, by quiescent states %s", rule, reduce, formula.Verdict, formula.Why, simple.Verdict)
				continue
			}
			if formula.Liveness != explore.MethodComponents || simple.Liveness == explore.MethodComponents {
				t.Errorf("%s, %s: decided by %q and %q", rule, reduce, formula.Liveness, simple.Liveness)
			}
			if formula.Verdict == explore.Violated {
				violated++
				f, s := &formula.Violations[0], &simple.Violations[0]
				if len(formula.Violations) != 1 || f.Property != "AckedLeadsToDecided" || f.Kind != s.Kind || f.Depth != s.Depth || f.LoopStart != s.LoopStart {
					t.Errorf("%s, %s: %d violations, %s (%s) at depth %d, by quiescent states %s (%s) at depth %d", rule, reduce,
						len(formula.Violations), f.Property, f.Kind, f.Depth, s.Property, s.Kind, s.Depth)
				}
			}
		}
	}
	if violated != 6 {
		t.Errorf("%d violations, want those of three rules", violated)
	}
}

var graphLimit = flag.Uint64("graph-limit", graphLimitDefault(), "how many states the graphs of TestBothLivenessMethods may have (0: any number)")

func graphLimitDefault() uint64 {
	if long() {
		return 0
	}
	return 20_000
}

// TestBothLivenessMethods: on every tiny and small specification, the quiescent states
// of a graph verified acyclic and the strongly connected components give one verdict,
// and the violated properties are the same. Components of some million states take
// minutes, so a short run leaves out the larger graphs, `.ci/run` those beyond 100,000
// states, and a long run none.
func TestBothLivenessMethods(t *testing.T) {
	limit := *graphLimit
	manifest, err := specs.LoadManifest()
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, name := range specs.Names() {
		spec, err := specs.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		if spec.Size == specs.Full || testing.Short() && !strings.HasPrefix(name, specs.Tiny) {
			continue
		}
		if e, _ := manifest.Entry(name); limit > 0 && e.DistinctStates > limit {
			continue // and that is with every reduction, up to the first violation
		}
		j, err := job.New(&job.Override{Spec: spec}, true, job.ReduceEager)
		if err != nil {
			t.Fatal(err)
		}
		if len(j.Bound.Recurrent) == 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			check := func(sys explore.System[model.State]) *explore.Result[model.State] {
				r, err := explore.Check(context.Background(), sys, j.Bound.Properties, explore.Options{MaxStates: limit})
				if err != nil {
					t.Fatal(err)
				}
				return r
			}
			quiescent := check(j.Model)
			switch {
			case quiescent.Stop == explore.StopStates:
				t.Skipf("more than %d states", limit)
			case quiescent.Liveness == explore.MethodComponents:
				return // there may be cycles, and this is the only method
			}
			components := check(withoutMeasure{j.Model, j.Model, j.Model})
			if quiescent.Liveness == explore.MethodQuiescent {
				compared++
				if components.Components != 0 {
					t.Errorf("the graph was verified acyclic, and %d components have a cycle", components.Components)
				}
			}
			if quiescent.Verdict != components.Verdict || len(quiescent.Violations) != len(components.Violations) {
				t.Fatalf("%s with %d violations, by components %s with %d", quiescent.Verdict, len(quiescent.Violations), components.Verdict, len(components.Violations))
			}
			for i := range quiescent.Violations {
				a, b := &quiescent.Violations[i], &components.Violations[i]
				if a.Property != b.Property || a.Depth != b.Depth || a.LoopStart != b.LoopStart {
					t.Errorf("%s at depth %d, by components %s at depth %d", a.Property, a.Depth, b.Property, b.Depth)
				}
			}
		})
	}
	if want := 10; compared < want && !testing.Short() {
		t.Errorf("%d specifications were decided by quiescent states, want at least %d", compared, want)
	}
}
