package explore

import (
	"context"
	"math"
	"strings"
	"testing"
)

// TestCollisions shows that a poor hash does not fool the exact store, and does
// fool a hash store, which says so.
func TestCollisions(t *testing.T) {
	g := &grid{size: 30}
	r := mustCheck(t, g, Properties[cell]{}, Options{fingerprintBits: 8})
	if r.Distinct != 31*31 || r.CollisionProbability != 0 {
		t.Errorf("exact: got %d distinct, probability %g", r.Distinct, r.CollisionProbability)
	}
	r = mustCheck(t, g, Properties[cell]{}, Options{Store: StoreHash64, fingerprintBits: 8})
	if r.Distinct > 255 || r.CollisionProbability != 1 {
		t.Errorf("hash: got %d distinct, probability %g", r.Distinct, r.CollisionProbability)
	}
	r = mustCheck(t, g, Properties[cell]{}, Options{Store: StoreHash64})
	n := 31.0 * 31
	if want := n * (n - 1) / 2 / math.Exp2(64); r.Distinct != 31*31 || r.CollisionProbability != want {
		t.Errorf("hash64: got %d distinct, probability %g, want %g", r.Distinct, r.CollisionProbability, want)
	}
	r = mustCheck(t, g, Properties[cell]{}, Options{Store: StoreHash128})
	if want := n * (n - 1) / 2 / math.Exp2(128); r.Distinct != 31*31 || r.CollisionProbability != want {
		t.Errorf("hash128: got %d distinct, probability %g, want %g", r.Distinct, r.CollisionProbability, want)
	}
}

// TestHashStoreCannotDecideCycles needs components, which need the exact store.
func TestHashStoreCannotDecideCycles(t *testing.T) {
	p := Properties[cell]{Recurrent: []Recurrent[cell]{{"home", func(s *cell) uint64 { return boolBit(s.x+s.y != 0) }}}}
	r := mustCheck(t, &grid{size: 9, cyclic: true}, p, Options{Store: StoreHash64})
	if r.Verdict != Inconclusive || r.Stop != StopStore || !strings.Contains(r.Reason, "exact") {
		t.Errorf("got %+v", r)
	}
	p.Recurrent[0].Outstanding = func(s *cell) uint64 { return boolBit(s.x+s.y != 18) }
	if r = mustCheck(t, &grid{size: 9}, p, Options{Store: StoreHash64}); r.Verdict != Holds || r.Liveness != MethodQuiescent {
		t.Errorf("got %+v", r)
	}
}

func TestBadOptions(t *testing.T) {
	for _, o := range []Options{{Store: "tree"}, {Store: StoreHash64, SpillDir: "/nonexistent/dir"}} {
		if _, err := Check(context.Background(), diamond(), Properties[node]{}, o); err == nil {
			t.Errorf("no error for %+v", o)
		}
	}
}
