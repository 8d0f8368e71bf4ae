package explore_test

import (
	"context"
	"fmt"

	"vsrcheck/explore"
)

// hanoi is a puzzle for the example: n discs on three pegs.
type hanoi struct{ discs int }

// pegs of the discs, the smallest first.
type pegs [8]uint8

func (h hanoi) Init(yield func(*pegs)) { yield(&pegs{}) }

func (h hanoi) Next(s, t *pegs, yield func(explore.Action)) {
	for from := range uint8(3) {
		disc := s.top(h.discs, from)
		if disc == h.discs {
			continue // no disc on this peg
		}
		for to := range uint8(3) {
			if s.top(h.discs, to) > disc {
				*t = *s
				t[disc] = to
				yield(explore.Action(from)<<8 | explore.Action(to))
			}
		}
	}
}

// top is the smallest disc on a peg, or the number of discs.
func (s *pegs) top(discs int, peg uint8) int {
	for d := range discs {
		if s[d] == peg {
			return d
		}
	}
	return discs
}

func (h hanoi) Words() int { return 1 }

func (h hanoi) Encode(s *pegs, dst []uint64) {
	dst[0] = 0
	for d, peg := range s {
		dst[0] |= uint64(peg) << (2 * d)
	}
}

func (h hanoi) Decode(src []uint64, s *pegs) {
	for d := range s {
		s[d] = uint8(src[0] >> (2 * d) & 3)
	}
}

func (h hanoi) Kinds() []string          { return []string{"move"} }
func (h hanoi) Kind(explore.Action) int  { return 0 }
func (h hanoi) Fair(explore.Action) bool { return false }

// The towers of Hanoi as a complete model. That the puzzle is never solved is an
// invariant; the shortest trace that violates it is the solution.
func ExampleCheck() {
	h := hanoi{discs: 3}
	r, err := explore.Check(context.Background(), h, explore.Properties[pegs]{
		Invariants: []explore.Invariant[pegs]{{
			Name:  "never solved",
			Holds: func(s *pegs) bool { return *s != pegs{2, 2, 2} },
		}},
	}, explore.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	v := r.Violations[0]
	fmt.Printf("%s %q in %d moves:", r.Verdict, v.Property, v.Depth)
	for _, step := range v.Trace[1:] {
		fmt.Printf(" %d-%d", step.Action>>8, step.Action&3)
	}
	fmt.Println()
	// Output: violated "never solved" in 7 moves: 0-2 0-1 2-1 0-2 1-0 1-2 0-2
}
