package model_test

import (
	"fmt"
	"slices"
	"testing"

	"vsrcheck/explore"
	"vsrcheck/model"
	"vsrcheck/model/modeltest"
)

// tester is what a test and one draw of a property test have in common.
type tester interface {
	Helper()
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// shortest are the properties that a model violates, each with the length of its
// shortest trace. A reduced model with cycles cannot tell.
func (s *searched) shortest(t tester) (violated []string, acyclic bool) {
	t.Helper()
	switch s.result.Stop {
	case explore.StopNone:
	case explore.StopReduction:
		return nil, false
	default:
		t.Fatalf("inconclusive: %s", s.result.Reason)
	}
	for _, v := range s.result.Violations {
		if v.Property == "CommittedIsHeld" {
			continue // not for faults last, see everyProperty
		}
		violated = append(violated, fmt.Sprintf("%s after %d steps", v.Property, v.Depth))
	}
	slices.Sort(violated)
	return violated, true
}

// unless is the difference, unless it does not matter.
func unless(harmless bool, difference string) string {
	if harmless {
		return ""
	}
	return difference
}

// sameVerdicts compares a reduced model with a freer one: the same states of the replicas
// are quiescent (with eager sends: the same of those with a primary that leads a quorum,
// since eager sends keep no more), the others are all reachable in the freer one as well,
// and the same properties are violated after as many steps.
func sameVerdicts(t tester, name string, reduced, free *searched) {
	t.Helper()
	eager := reduced.model.Reductions().EagerSends
	t.Logf("%s, eager %t: %d states, without the reduction %d", name, eager, reduced.result.Distinct, free.result.Distinct)
	if reduced.interrupted() || free.interrupted() {
		t.Errorf("%s: too many states", name)
		return
	}
	for _, diff := range []struct{ what, states string }{
		{"reached only with the reduction", onlyIn(reduced, free, every)},
		{"quiescent only with the reduction", unless(eager, onlyIn(reduced, free, still))},
		{"quiescent only without the reduction", unless(eager, onlyIn(free, reduced, still))},
		{"quiescent and led only with the reduction", onlyIn(reduced, free, led)},
		{"quiescent and led only without the reduction", onlyIn(free, reduced, led)},
	} {
		if diff.states != "" {
			t.Errorf("%s: %s: %s", name, diff.what, diff.states)
		}
	}
	a, acyclic := reduced.shortest(t)
	b, _ := free.shortest(t)
	if acyclic && !slices.Equal(a, b) {
		t.Errorf("%s: violates %v with the reduction, %v without", name, a, b)
	}
}

// searchLimit is a number of states beyond which sameVerdicts gives up.
const searchLimit = 600_000

// TestFaultsLastIsHarmless compares the model with itself without the reduction that
// takes stops and losses last.
func TestFaultsLastIsHarmless(t *testing.T) {
	configs := []model.Config{
		modeltest.Sized(2, 2, 0, 1, 1, 0),
		modeltest.Sized(2, 2, 0, 0, 1, 1),
		modeltest.Sized(2, 1, 0, 1, 1, 1),
		modeltest.Sized(2, 1, 0, 0, 0, 2),
		modeltest.Sized(2, 1, 1, 0, 1, 0),
		modeltest.Sized(2, 1, 1, 1, 0, 1),
		modeltest.Sized(2, 1, 1, 0, 1, 1),
		modeltest.Sized(2, 2, 1, 0, 0, 1),
		modeltest.Sized(2, 2, 0, 1, 0, 1),
		modeltest.Sized(2, 1, 0, 1, 0, 2),
		modeltest.Sized(2, 1, 2, 1, 0, 2),
		modeltest.Sized(3, 1, 0, 1, 0, 1),
		modeltest.Sized(3, 1, 0, 1, 1, 0),
		modeltest.Sized(3, 2, 0, 0, 1, 0),
		modeltest.Sized(3, 1, 0, 0, 1, 1),
		modeltest.Sized(3, 1, 0, 0, 2, 0),
		modeltest.Sized(3, 1, 1, 0, 1, 0),
	}
	for _, cfg := range configs {
		t.Run(modeltest.Name(cfg), func(t *testing.T) {
			t.Parallel()
			for i, rs := range modeltest.RuleSets() {
				if big := cfg.Replicas > 2 && cfg.ViewMax > 0 || cfg.Drops+cfg.Stops > 1; big && (testing.Short() || i%4 != 1) {
					continue // too many states, or too much time for all rules
				}
				if testing.Short() && i > 1 {
					continue
				}
				if cfg.ViewMax > 1 && i%8 != 1 && !model.Long() {
					continue // a long run has more rules
				}
				m := newModel(t, cfg, rs.Rules).With(model.AllReductions)
				if rs.Rules.Readoption == model.ReadoptAlways || rs.Rules.CommitAssign == model.CommitAssigned ||
					rs.Rules.StateTransferCut == model.CutWhenAsked ||
					rs.Rules.ProbeAdoption == model.ProbeAdoptsAny && cfg.ViewMax > 0 {
					if m.Reductions().FaultsLast {
						t.Errorf("%s: the measure does not rule out cycles, and faults are taken last", rs.Name)
					}
					continue
				}
				// With losses and eager sends, the rules have to be sound where old probes matter.
				both := m.Reductions().FaultsLast
				if !both && (cfg.Drops == 0 || rs.Rules.Readoption == model.ReadoptNever && rs.Rules.MissedStartView == model.MissedProbes &&
					rs.Rules.ProbeMatch == model.ProbeStamped && rs.Rules.ViewDurability == model.ViewKept) {
					t.Fatalf("%s: faults are not taken last", rs.Name)
				}
				if m.Unreduced().Reductions().FaultsLast {
					t.Fatal("the model does not say how it is reduced")
				}
				for _, eager := range []bool{true, false} {
					if eager && !both || !eager && (cfg.Replicas > 2 || i%4 != 1) {
						continue
					}
					last := m.With(model.Reductions{EagerSends: eager, FaultsLast: true})
					free := m.With(model.Reductions{EagerSends: eager})
					sameVerdicts(t, rs.Name, search(t, last, searchLimit), search(t, free, searchLimit))
				}
			}
		})
	}
}
