package explore_test

import (
	"context"
	"fmt"
	"slices"

	"vsrcheck/explore"
	"vsrcheck/explore/pack"
)

// crowd is what each of four clients of a lock does: 0 idle, 1 waiting, 2 inside.
type crowd [4]uint8

// lock is a system whose clients are all alike. When they are taken for what they are, the
// encoding forgets which is which: it is that of the sorted clients.
type lock struct {
	*pack.Layout[crowd]
	alike bool
}

func newLock(alike bool) lock {
	return lock{pack.New(func(f *pack.Fields, s *crowd) {
		for p := range s {
			pack.Values(f, fmt.Sprint("client ", p), &s[p], 2)
		}
	}), alike}
}

func (lock) Init(yield func(*crowd)) { yield(&crowd{}) }

func (lock) Next(s, t *crowd, yield func(explore.Action)) {
	for p, doing := range s {
		if doing == 1 && slices.Contains(s[:], 2) {
			continue // waits
		}
		*t = *s
		t[p] = (doing + 1) % 3
		yield(explore.Action(p))
	}
}

// Encode is the place for it: two states are the same one if their encodings are.
func (l lock) Encode(s *crowd, dst []uint64) {
	canonical := *s
	if l.alike {
		slices.Sort(canonical[:])
	}
	l.Layout.Encode(&canonical, dst)
}

// Canonicalises tells the engine that Decode need not give back what was encoded. It
// verifies instead that both have the same successors.
func (l lock) Canonicalises() bool { return l.alike }

// Symmetry makes the states fewer: the four clients of a lock can be told apart or not.
// What is checked must not tell them apart either.
func ExampleCanonical() {
	for _, alike := range []bool{false, true} {
		sys := newLock(alike)
		r, err := explore.Check(context.Background(), sys, explore.Properties[crowd]{
			Invariants: []explore.Invariant[crowd]{{
				Name: "at most one inside",
				Holds: func(s *crowd) bool {
					outside := slices.DeleteFunc(slices.Clone(s[:]), func(doing uint8) bool { return doing == 2 })
					return len(outside) >= len(s)-1
				},
			}},
		}, explore.Options{Verify: explore.VerifyAll()})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s, %d states\n", r.Verdict, r.Distinct)
	}
	// Output:
	// holds, 48 states
	// holds, 9 states
}
