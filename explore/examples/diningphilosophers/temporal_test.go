package diningphilosophers

import (
	"context"
	"fmt"
	"testing"

	"vsrcheck/explore"
)

// noFairness is the table without the fairness of System: each test says its own.
type noFairness struct{ System }

func (noFairness) Fair(explore.Action) bool { return false }

// temporal has NobodyStarves as it is published, and what it means for eating.
func temporal(n int) (out []explore.Temporal[State]) {
	for p := range n {
		out = append(out,
			explore.Temporal[State]{
				Name: fmt.Sprintf("NobodyStarves(%d)", p), Kind: explore.AlwaysEventually,
				P: func(s *State) bool { return !s.Hungry[p] },
			},
			explore.Temporal[State]{
				Name: fmt.Sprintf("HungryEats(%d)", p), Kind: explore.LeadsTo,
				P: func(s *State) bool { return s.Hungry[p] },
				Q: func(s *State) bool { return s.PC[p] == Eat },
			})
	}
	return out
}

// TestTemporalPublished has the verdict that the TLA+ Examples record of TLC: success,
// with NobodyStarves, under \A p : WF_vars(Philosopher(p)), whoever says so.
func TestTemporalPublished(t *testing.T) {
	const n = 5
	for _, c := range []struct {
		name string
		sys  explore.System[State]
		fair []explore.Fairness
	}{
		{"of the system", &System{N: n}, nil},
		{"of the properties", &noFairness{System{N: n}}, []explore.Fairness{{By: explore.EachAction}}},
		{"strong", &noFairness{System{N: n}}, []explore.Fairness{{By: explore.EachAction, Strong: true}}},
	} {
		r, err := explore.Check(context.Background(), c.sys, explore.Properties[State]{Temporal: temporal(n), Fairness: c.fair}, explore.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != explore.Holds || r.Distinct != 67 || r.Generated != 336 || r.Depth != 29 {
			t.Errorf("%s: got %s, %d distinct, %d generated, depth %d, want holds, 67, 336, 29: %+v", c.name, r.Verdict, r.Distinct, r.Generated, r.Depth, r.Violations)
		}
	}
}

// TestTemporalUnfair takes fairness away. Without any, as the comment in the published
// spec says, each process can stop at any time: nobody ever eats. If only one is not fair,
// all wait for it. That the philosophers are fair as a whole, \E p : Philosopher(p), is
// enough, though: nobody can go on for ever without the forks of the neighbours.
func TestTemporalUnfair(t *testing.T) {
	const n = 5
	for _, c := range []struct {
		name  string
		fair  []explore.Fairness
		steps int // of the trace, which ends in a state for ever; -1: holds
	}{
		{"none", nil, 0},
		{"all but one", []explore.Fairness{{Of: func(a explore.Action) bool { return a != 1 }, By: explore.EachAction}}, 5},
		{"as a whole", []explore.Fairness{{}}, -1},
	} {
		r, err := explore.Check(context.Background(), &noFairness{System{N: n}}, explore.Properties[State]{Temporal: temporal(n), Fairness: c.fair}, explore.Options{})
		if err != nil {
			t.Fatal(err)
		}
		steps := -1
		if r.Verdict == explore.Violated {
			steps = len(r.Violations[0].Trace) - 1
			if r.Violations[0].LoopStart >= 0 {
				t.Errorf("%s: got a cycle at %d, want a state for ever", c.name, r.Violations[0].LoopStart)
			}
		}
		if steps != c.steps {
			t.Errorf("%s: got %s, %d steps, want %d", c.name, r.Verdict, steps, c.steps)
		}
	}
}
