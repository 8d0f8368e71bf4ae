package store

import (
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"testing"
)

// TestInsertConcurrently inserts the same states from several goroutines: each
// must be new exactly once, and all must be in the level.
func TestInsertConcurrently(t *testing.T) {
	const goroutines, width = 4, 3
	encode := func(n int, dst []uint64) {
		dst[0], dst[1], dst[2] = uint64(n%7), uint64(n), uint64(n*n)
	}
	for _, kind := range []Kind{KindExact, KindHash64, KindHash128} {
		for _, bits := range []int{0, 14} {
			if kind == KindHash64 && bits != 0 {
				continue // that loses states
			}
			states := 300_000 // several chunks of the arena, several growths of the index
			if raceDetector {
				states = 20_000
			}
			if bits != 0 {
				states = 6_400 // poor hashes take long
				if raceDetector {
					states = 1_024 // a multiple of 32, like the others
				}
			}
			opt := Options{Kind: kind, Width: width, Workers: goroutines, FingerprintBits: bits}
			if kind == KindHash128 {
				opt.FingerprintBits *= 2
			}
			dir := t.TempDir()
			d := newTestDisk(t, dir)
			s, err := New(opt, d)
			if err != nil {
				t.Fatal(err)
			}
			var wg sync.WaitGroup
			fresh := make([]int, goroutines)
			for g := range goroutines {
				in := s.Inserter()
				wg.Go(func() {
					b := NewBatch(width)
					for i := range states {
						// Each goroutine has its own order, but they meet all the time.
						n := i
						if g%2 == 1 {
							n = i ^ 31
						}
						encode(n, b.At(b.N))
						if in.Take(b); b.N == BatchStates || i == states-1 {
							in.Insert(b)
							fresh[g] += len(b.Fresh)
							b.N = 0
						}
					}
				})
			}
			wg.Wait()
			total := 0
			for _, n := range fresh {
				total += n
			}
			l, err := s.EndLevel()
			if err != nil {
				t.Fatal(err)
			}
			if total != states || int(s.Count()) != states || int(l.States()) != states {
				t.Errorf("%s, %d bits: %d new, count %d, level %d, want %d", kind, bits, total, s.Count(), l.States(), states)
			}
			seen := map[uint64]bool{}
			for round := range 2 { // from memory, then, for the hash stores, from the file
				clear(seen)
				var p Piece
				want := make([]uint64, width)
				for i := range l.Chunks() {
					if err := l.Load(i, &p); err != nil {
						t.Fatal(err)
					}
					for words := p.Words; len(words) > 0; words = words[width:] {
						encode(int(words[1]), want)
						if !slices.Equal(words[:width], want) {
							t.Fatalf("%s: got state %v, want %v", kind, words[:width], want)
						}
						seen[words[1]] = true
					}
				}
				if len(seen) != states {
					t.Errorf("%s, round %d: level has %d states, want %d", kind, round, len(seen), states)
				}
				if _, err := s.EndLevel(); err != nil {
					t.Fatal(err)
				}
			}
			if err := d.Close(); err != nil {
				t.Error(err)
			}
			if left, _ := os.ReadDir(dir); len(left) > 0 {
				t.Errorf("%s: %v left behind", kind, left)
			}
		}
	}
}

// TestHashSpreads changes single bits: about half of the bits of the hash must
// change, whichever bit it was.
func TestHashSpreads(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for name, hash := range map[string]func([]uint64) uint64{"first": Hash, "second": hashWords2} {
		for _, width := range []int{1, 2, 5} {
			const rounds = 400
			flips := make([][64]int, 64*width)
			words := make([]uint64, width)
			for range rounds {
				for i := range words {
					words[i] = rng.Uint64() & rng.Uint64() & rng.Uint64() // sparse, as packed states are
				}
				h := hash(words)
				for in := range flips {
					words[in/64] ^= 1 << (in % 64)
					d := h ^ hash(words)
					words[in/64] ^= 1 << (in % 64)
					for out := range 64 {
						flips[in][out] += int(d >> out & 1)
					}
				}
			}
			for in := range flips {
				for out, n := range flips[in] {
					if n < rounds/3 || n > rounds*2/3 {
						t.Errorf("%s hash, %d words: bit %d changes bit %d in %d of %d cases", name, width, in, out, n, rounds)
					}
				}
			}
		}
	}
}
