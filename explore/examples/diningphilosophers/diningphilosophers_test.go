package diningphilosophers

import (
	"context"
	"testing"

	"vsrcheck/explore"
)

// unfair is a table at which one philosopher may stop at any time.
type unfair struct{ System }

func (u *unfair) Fair(a explore.Action) bool { return a != 1 }

func check(t *testing.T, sys explore.System[State], p *System) *explore.Result[State] {
	r, err := explore.Check(context.Background(), sys, explore.Properties[State]{
		Invariants:    []explore.Invariant[State]{{Name: "ExclusiveAccess", Holds: p.ExclusiveAccess}},
		Recurrent:     []explore.Recurrent[State]{{Name: "NobodyStarves", Outstanding: p.Hungry}},
		CheckDeadlock: true,
	}, explore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestPublishedCounts has the figures of TLC in the manifest of the TLA+ Examples.
func TestPublishedCounts(t *testing.T) {
	sys := &System{N: 5}
	r := check(t, sys, sys)
	if r.Verdict != explore.Holds || r.Liveness != explore.MethodComponents {
		t.Fatalf("got %s by %q: %+v", r.Verdict, r.Liveness, r.Violations)
	}
	if r.Distinct != 67 || r.Generated != 336 || r.Depth != 29 {
		t.Errorf("got %d distinct, %d generated, depth %d, want 67, 336, 29", r.Distinct, r.Generated, r.Depth)
	}
}

// TestStarvation lets a philosopher stop; a neighbour then starves.
func TestStarvation(t *testing.T) {
	sys := &unfair{System{N: 3}}
	r := check(t, sys, &sys.System)
	if r.Verdict != explore.Violated || r.Violations[0].Property != "NobodyStarves" {
		t.Errorf("got %s: %+v", r.Verdict, r.Violations)
	}
}
