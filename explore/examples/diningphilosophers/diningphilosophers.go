// Package diningphilosophers is Chandy and Misra's solution of the dining
// philosophers' problem, with the semantics of DiningPhilosophers.tla in the TLA+
// Examples collection. It is an example of liveness under weak fairness on a graph
// with cycles.
package diningphilosophers

import "vsrcheck/explore"

// MaxN is the greatest number of philosophers.
const MaxN = 8

// PC is where a philosopher is in its program.
type PC uint8

// The labels of the program.
const (
	Loop PC = iota
	Eat
	Think
)

// State of the table. Fork i lies between the philosophers i-1 and i.
type State struct {
	Holder [MaxN]uint8 // who has the fork
	Clean  [MaxN]bool  // the fork was handed over and not used since
	Hungry [MaxN]bool
	PC     [MaxN]PC
}

// System is a table of N philosophers.
type System struct{ N int }

// Init gives each fork to its neighbour with the lower number, and makes all
// forks dirty and all philosophers hungry.
func (sys *System) Init(yield func(*State)) {
	s := new(State)
	for p := range sys.N {
		s.Holder[p] = uint8(p)
		s.Hungry[p] = true
	}
	s.Holder[1] = 0
	yield(s)
}

// Next implements [explore.System]. A philosopher always has exactly one step.
func (sys *System) Next(s, t *State, yield func(explore.Action)) {
	for p := range sys.N {
		*t = *s
		sys.step(s, t, p)
		yield(explore.Action(p))
	}
}

func (sys *System) step(s, t *State, p int) {
	left, right := p, (p+1)%sys.N
	has := func(fork int) bool { return int(s.Holder[fork]) == p }
	switch s.PC[p] {
	case Loop:
		// Hand over a dirty fork, cleaned. Whether the philosopher can eat is judged
		// by the forks before that.
		switch {
		case has(left) && !s.Clean[left]:
			t.Holder[left], t.Clean[left] = uint8((p+sys.N-1)%sys.N), true
		case has(right) && !s.Clean[right]:
			t.Holder[right], t.Clean[right] = uint8((p+1)%sys.N), true
		}
		switch {
		case !s.Hungry[p]:
			t.PC[p] = Think
		case has(left) && has(right) && s.Clean[left] && s.Clean[right]:
			t.PC[p] = Eat
		}
	case Eat:
		t.Hungry[p] = false
		t.Clean[left], t.Clean[right] = false, false
		t.PC[p] = Loop
	case Think:
		t.Hungry[p] = true
		t.PC[p] = Loop
	}
}

// Words implements [explore.System].
func (sys *System) Words() int { return 1 }

// Encode implements [explore.System].
func (sys *System) Encode(s *State, dst []uint64) {
	w := uint64(0)
	for p := range sys.N {
		w = w<<3 | uint64(s.Holder[p])
		w = w<<1 | bit(s.Clean[p])
		w = w<<1 | bit(s.Hungry[p])
		w = w<<2 | uint64(s.PC[p])
	}
	dst[0] = w
}

// Decode implements [explore.System].
func (sys *System) Decode(src []uint64, s *State) {
	*s = State{}
	w := src[0]
	for p := sys.N - 1; p >= 0; p-- {
		s.PC[p] = PC(w & 3)
		s.Hungry[p] = w>>2&1 != 0
		s.Clean[p] = w>>3&1 != 0
		s.Holder[p] = uint8(w >> 4 & 7)
		w >>= 7
	}
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// Kinds implements [explore.System].
func (sys *System) Kinds() []string { return []string{"Philosopher"} }

// Kind implements [explore.System].
func (sys *System) Kind(explore.Action) int { return 0 }

// Fair implements [explore.System]: each philosopher is a fair process.
func (sys *System) Fair(explore.Action) bool { return true }

// ExclusiveAccess says that no two neighbours eat at the same time.
func (sys *System) ExclusiveAccess(s *State) bool {
	for p := range sys.N {
		if s.PC[p] == Eat && s.PC[(p+1)%sys.N] == Eat {
			return false
		}
	}
	return true
}

// Hungry has a bit for every hungry philosopher. Nobody starves if every bit is
// clear again and again.
func (sys *System) Hungry(s *State) uint64 {
	var set uint64
	for p := range sys.N {
		set |= bit(s.Hungry[p]) << p
	}
	return set
}
