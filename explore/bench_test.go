package explore

import (
	"context"
	"fmt"
	"runtime"
	"testing"
)

// BenchmarkCheckGrid measures the engine on a model that costs next to nothing.
func BenchmarkCheckGrid(b *testing.B) {
	const size = 1500
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprint(workers), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Check(context.Background(), &grid{size: size}, Properties[cell]{}, Options{Workers: workers}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64((size+1)*(size+1))*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mstates/s")
		})
	}
}

// TestNoAllocationPerState compares two runs: what the greater one allocates more
// must be far less than one allocation per state.
func TestNoAllocationPerState(t *testing.T) {
	if raceDetector {
		t.Skip("counts the same without, and faster")
	}
	p := Properties[cell]{
		Invariants: []Invariant[cell]{{"I", func(s *cell) bool { return s.x >= 0 }}},
		Actions:    []ActionProperty[cell]{{"A", func(s *cell, a Action, t *cell) bool { return t.x >= s.x }}},
		Recurrent:  []Recurrent[cell]{{"R", func(s *cell) uint64 { return 0 }}},
		Reachable:  []Reachable[cell]{{"X", func(s *cell) bool { return s.x == 3 }}},
		Constraint: func(s *cell) bool { return s.x >= 0 },
	}
	for _, kind := range []StoreKind{StoreExact, StoreHash64, StoreHash128} {
		count := func(size int) uint64 {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			mustCheck(t, &grid{size: size}, p, Options{Workers: 1, Store: kind})
			runtime.ReadMemStats(&after)
			return after.Mallocs - before.Mallocs
		}
		// Some are made per level, of which there are 2*size+1, and none per state, of
		// which the greater run has 150,600 more.
		if more, levels := count(400)-count(100), uint64(600); more > 10*levels {
			t.Errorf("%s: %d more allocations for %d more levels", kind, more, levels)
		}
	}
}
