package store

import (
	"fmt"
	"sync"
	"testing"
)

// BenchmarkInsert measures insertions of states of several widths, most of which
// are duplicates, as in a search. The states come in no order.
func BenchmarkInsert(b *testing.B) {
	const states, repeats = 4 << 20, 5
	for _, kind := range []Kind{KindExact, KindHash64, KindHash128} {
		for _, width := range []int{1, 6} {
			b.Run(fmt.Sprintf("%s/%dwords", kind, width), func(b *testing.B) {
				b.ReportAllocs()
				var bytes uint64
				for b.Loop() {
					s, err := New(Options{Kind: kind, Width: width, Workers: 1}, newTestDisk(b, b.TempDir()))
					if err != nil {
						b.Fatal(err)
					}
					in, batch := s.Inserter(), NewBatch(width)
					x := uint64(1)
					for range states * repeats {
						x = x*6364136223846793005 + 1442695040888963407
						n := x >> 42 // 22 bits
						for i := range width {
							batch.At(batch.N)[i] = n << (i * 7)
						}
						if in.Take(batch); batch.N == BatchStates {
							in.Insert(batch)
							batch.N = 0
						}
					}
					bytes = s.Bytes()
					b.ReportMetric(float64(bytes)/float64(s.Count()), "bytes/state")
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
					s := newExactStore(Options{Width: 1, Workers: goroutines}, nil)
					var wg sync.WaitGroup
					for g := range goroutines {
						in := s.newInserter()
						wg.Go(func() {
							batch := NewBatch(1)
							for i := range inserts / goroutines {
								// All goroutines meet the same words, at about the same time.
								n := i
								if share == 1 {
									n = i*goroutines + g
								} else {
									n = n / share * 7919 % (inserts / share)
								}
								batch.At(batch.N)[0] = uint64(n)
								if in.Take(batch); batch.N == BatchStates {
									in.Insert(batch)
									batch.N = 0
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
