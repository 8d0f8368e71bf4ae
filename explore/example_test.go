package explore_test

import (
	"context"
	"fmt"

	"vsrcheck/explore"
	"vsrcheck/explore/pack"
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

// semaphore is a model for the example: two processes that ask for one semaphore, enter
// and leave.
type semaphore struct{}

// processes are what each process does: 0 idle, 1 waiting, 2 inside.
type processes [2]uint8

// The kinds of actions; an action is its kind and process.
const (
	ask explore.Action = iota
	enter
	leave
)

func (semaphore) Init(yield func(*processes)) { yield(&processes{}) }

func (semaphore) Next(s, t *processes, yield func(explore.Action)) {
	for p := range explore.Action(2) {
		if s[p] == 1 && s[1-p] == 2 {
			continue // waits
		}
		*t = *s
		t[p] = (s[p] + 1) % 3
		yield(explore.Action(s[p]) + 3*p)
	}
}

// layout has the values that each field takes, and so Encode and Decode.
var layout = pack.New(func(f *pack.Fields, s *processes) {
	for p := range s {
		pack.Values(f, "process", &s[p], 2)
	}
})

func (semaphore) Words() int                        { return layout.Words() }
func (semaphore) Encode(s *processes, dst []uint64) { layout.Encode(s, dst) }
func (semaphore) Decode(src []uint64, s *processes) { layout.Decode(src, s) }
func (semaphore) Kinds() []string                   { return []string{"ask", "enter", "leave"} }
func (m semaphore) Kind(a explore.Action) int       { return int(a % 3) }

func only(kind explore.Action) func(explore.Action) bool {
	return func(a explore.Action) bool { return a%3 == kind }
}

// Whether a process that waits for a semaphore gets it depends on how fair the semaphore
// is: \A p : WF_vars(Enter(p)) lets the other process have it each time, and only
// \A p : SF_vars(Enter(p)) does not.
func ExampleTemporal() {
	for _, strong := range []bool{false, true} {
		r, err := explore.Check(context.Background(), semaphore{}, explore.Properties[processes]{
			Temporal: []explore.Temporal[processes]{{
				Name: "waiting ~> inside",
				Kind: explore.LeadsTo,
				P:    func(s *processes) bool { return s[0] == 1 },
				Q:    func(s *processes) bool { return s[0] == 2 },
			}},
			Fairness: []explore.Fairness{
				{Of: only(enter), By: explore.EachAction, Strong: strong},
				{Of: only(leave), By: explore.EachAction},
			},
		}, explore.Options{})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(r.Verdict)
		for _, v := range r.Violations {
			for i, step := range v.Trace {
				fmt.Println(i, step.State)
			}
			fmt.Println("and so on from", v.LoopStart)
		}
	}
	// Output:
	// violated
	// 0 [0 0]
	// 1 [1 0]
	// 2 [1 1]
	// 3 [1 2]
	// 4 [1 0]
	// and so on from 1
	// holds
}
