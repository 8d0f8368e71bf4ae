package lamportmutex

import (
	"context"
	"testing"

	"vsrcheck/explore"
)

// TestPublishedCounts has the figures of TLC in the manifest of the TLA+ Examples.
func TestPublishedCounts(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second")
	}
	r, err := explore.Check(context.Background(), System{}, Properties, explore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != explore.Holds || r.Distinct != 724_274 || r.Generated != 2_729_079 || r.Depth != 61 {
		t.Errorf("got %s, %d distinct, %d generated, depth %d, want holds, 724274, 2729079, 61", r.Verdict, r.Distinct, r.Generated, r.Depth)
	}
}
