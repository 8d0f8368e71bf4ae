package explore

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
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
	for _, kind := range []StoreKind{StoreExact, StoreHash64, StoreHash128} {
		for _, bits := range []int{0, 14} {
			if kind == StoreHash64 && bits != 0 {
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
			opt := &Options{Store: kind, Workers: goroutines, SpillDir: t.TempDir(), fingerprintBits: bits}
			if kind == StoreHash128 {
				opt.fingerprintBits *= 2
			}
			d := newTestDisk(t, opt.SpillDir)
			s, err := newStore(opt, width, d)
			if err != nil {
				t.Fatal(err)
			}
			var wg sync.WaitGroup
			fresh := make([]int, goroutines)
			for g := range goroutines {
				in := s.inserter()
				wg.Go(func() {
					b := newBatch(width)
					for i := range states {
						// Each goroutine has its own order, but they meet all the time.
						n := i
						if g%2 == 1 {
							n = i ^ 31
						}
						encode(n, b.at(b.n))
						if in.take(b); b.n == batchStates || i == states-1 {
							in.insert(b)
							fresh[g] += len(b.fresh)
							b.n = 0
						}
					}
				})
			}
			wg.Wait()
			total := 0
			for _, n := range fresh {
				total += n
			}
			l, err := s.endLevel()
			if err != nil {
				t.Fatal(err)
			}
			if total != states || int(s.count()) != states || int(l.states()) != states {
				t.Errorf("%s, %d bits: %d new, count %d, level %d, want %d", kind, bits, total, s.count(), l.states(), states)
			}
			seen := map[uint64]bool{}
			for round := range 2 { // from memory, then, for the hash stores, from the file
				clear(seen)
				var p piece
				want := make([]uint64, width)
				for i := range l.chunks() {
					if err := l.load(i, &p); err != nil {
						t.Fatal(err)
					}
					for words := p.words; len(words) > 0; words = words[width:] {
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
				if _, err := s.endLevel(); err != nil {
					t.Fatal(err)
				}
			}
			if err := d.close(); err != nil {
				t.Error(err)
			}
			if left, _ := os.ReadDir(opt.SpillDir); len(left) > 0 {
				t.Errorf("%s: %v left behind", kind, left)
			}
		}
	}
}

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

// TestHashSpreads changes single bits: about half of the bits of the hash must
// change, whichever bit it was.
func TestHashSpreads(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for name, hash := range map[string]func([]uint64) uint64{"first": hashWords, "second": hashWords2} {
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
