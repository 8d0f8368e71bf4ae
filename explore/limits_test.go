package explore

import "testing"

// fanOut is a system in which state n has fan successors, as far as size goes; its states
// are several words wide and share nothing, so that every store is pressed for room.
type fanOut struct{ size, fan, words int }

func (w fanOut) Init(yield func(*node)) { yield(&node{0}) }

func (w fanOut) Next(s, t *node, yield func(Action)) {
	for i := 1; i <= w.fan; i++ {
		if t.n = s.n*w.fan + i; t.n < w.size {
			yield(0)
		}
	}
}

func (w fanOut) Words() int { return w.words }

func (w fanOut) Encode(s *node, dst []uint64) {
	h := uint64(s.n)
	for i := range dst {
		dst[i] = h
		h = h*0x9e3779b97f4a7c15 + uint64(s.n)
	}
}

func (w fanOut) Decode(src []uint64, s *node) { s.n = int(src[0]) }
func (w fanOut) Kinds() []string              { return []string{"step"} }
func (w fanOut) Kind(Action) int              { return 0 }
func (w fanOut) Fair(Action) bool             { return false }

// A memory limit, wherever it strikes, never takes the process down and never lets a
// run with missing states hold.
func TestMemoryLimitSweep(t *testing.T) {
	chain := 4001 // each level takes all workers to its end
	switch {
	case raceDetector:
		chain = 1001
	case long():
		chain = 20001
	}
	for _, sys := range []fanOut{{chain, 1, 1}, {20001, 40, 2}, {20001, 40, 8}, {20001, 3, 20}} {
		for _, store := range []StoreKind{StoreExact, StoreHash64, StoreHash128} {
			limited := 0
			step := uint64(2)
			switch {
			case raceDetector:
				step = 1 // it takes long
			case long():
				step = 5
			}
			for limit := uint64(20_000); limit < 6_000_000; limit += limit / step {
				r := mustCheck(t, sys, Properties[node]{}, Options{Workers: 2, Store: store, MemoryLimit: limit})
				switch {
				case r.Verdict == Holds && r.Distinct != uint64(sys.size):
					t.Errorf("%+v, %s, limit %d: holds with %d of %d states", sys, store, limit, r.Distinct, sys.size)
				case r.Verdict != Holds && r.Stop != StopMemory:
					t.Errorf("%+v, %s, limit %d: got %s, %q", sys, store, limit, r.Verdict, r.Stop)
				case r.Verdict != Holds:
					limited++
				}
			}
			if limited == 0 {
				t.Errorf("%+v, %s: no limit was ever met", sys, store)
			}
		}
	}
}
