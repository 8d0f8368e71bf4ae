package paxoscommit

import (
	"context"
	"testing"

	"vsrcheck/explore"
)

// TestPublishedCounts has the figures of TLC in the manifest of the TLA+ Examples.
func TestPublishedCounts(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a few seconds")
	}
	p := explore.Properties[State]{
		Invariants: []explore.Invariant[State]{{Name: "Consistent", Holds: System{}.Consistent}},
	}
	r, err := explore.Check(context.Background(), System{}, p, explore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != explore.Holds || r.Distinct != 1_321_761 || r.Generated != 16_959_159 || r.Depth != 28 {
		t.Errorf("got %s, %d distinct, %d generated, depth %d, want holds, 1321761, 16959159, 28", r.Verdict, r.Distinct, r.Generated, r.Depth)
	}
}
