package explore

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"
)

// BenchmarkInsert measures insertions of states of several widths, most of which
// are duplicates, as in a search. The states come in no order.
func BenchmarkInsert(b *testing.B) {
	const states, repeats = 4 << 20, 5
	for _, kind := range []StoreKind{StoreExact, StoreHash64, StoreHash128} {
		for _, width := range []int{1, 6} {
			b.Run(fmt.Sprintf("%s/%dwords", kind, width), func(b *testing.B) {
				b.ReportAllocs()
				var bytes uint64
				for b.Loop() {
					s, err := newStore(&Options{Store: kind, Workers: 1}, width, newTestDisk(b, b.TempDir()))
					if err != nil {
						b.Fatal(err)
					}
					in, batch := s.inserter(), newBatch(width)
					x := uint64(1)
					for range states * repeats {
						x = x*6364136223846793005 + 1442695040888963407
						n := x >> 42 // 22 bits
						for i := range width {
							batch.at(batch.n)[i] = n << (i * 7)
						}
						if in.take(batch); batch.n == batchStates {
							in.insert(batch)
							batch.n = 0
						}
					}
					bytes = s.bytes()
					b.ReportMetric(float64(bytes)/float64(s.count()), "bytes/state")
				}
				n := float64(states*repeats) * float64(b.N)
				b.ReportMetric(n/b.Elapsed().Seconds()/1e6, "Minserts/s")
			})
		}
	}
}

// BenchmarkContention measures insertions by many goroutines at once: one in ten words
// is new, as in a search, or all are.
func BenchmarkContention(b *testing.B) {
	for _, share := range []int{10, 1} {
		for _, goroutines := range []int{1, 2, 4, 8, 16, 32, 64} {
			b.Run(fmt.Sprintf("one-in-%d-new/%d", share, goroutines), func(b *testing.B) {
				const inserts = 4 << 20
				for b.Loop() {
					s := newExactStore(1, &Options{Workers: goroutines}, nil)
					var wg sync.WaitGroup
					for g := range goroutines {
						in := s.exactInserter()
						wg.Go(func() {
							batch := newBatch(1)
							for i := range inserts / goroutines {
								// All goroutines meet the same words, at about the same time.
								n := i
								if share == 1 {
									n = i*goroutines + g
								} else {
									n = n / share * 7919 % (inserts / share)
								}
								batch.at(batch.n)[0] = uint64(n)
								if in.take(batch); batch.n == batchStates {
									in.insert(batch)
									batch.n = 0
								}
							}
						})
					}
					wg.Wait()
				}
				b.ReportMetric(float64(inserts)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Minserts/s")
			})
		}
	}
}

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
