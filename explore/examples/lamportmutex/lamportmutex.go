// Package lamportmutex is the mutual exclusion algorithm of Lamport's "Time,
// Clocks, and the Ordering of Events in a Distributed System" (1978), with the
// semantics of lamport_mutex/LamportMutex.tla in the TLA+ Examples collection. It
// is an example of an infinite system that a constraint makes finite.
package lamportmutex

import "vsrcheck/explore"

// N is the number of processes, MaxClock the bound on their clocks.
const (
	N        = 3
	MaxClock = 6
)

// A message is the clock of a request, or one of these.
const (
	ackMessage = 8
	relMessage = 9
)

// Queue of up to four messages, the oldest in the low bits, 0 meaning none.
type Queue uint16

func (q Queue) length() (n int) {
	for ; q != 0; q >>= 4 {
		n++
	}
	return n
}

func (q *Queue) append(m uint8) { *q |= Queue(m) << (4 * q.length()) }

// State of all processes. Request[p][q] is the clock of q's request as far as p
// knows, 0 for none; Network[p][q] are the messages from p to q.
type State struct {
	Clock   [N]uint8
	Request [N][N]uint8
	Ack     [N]uint8 // set of processes
	Network [N][N]Queue
	Crit    uint8 // set of processes
}

// The kinds of actions.
const (
	request = iota
	enter
	exit
	receiveRequest
	receiveAck
	receiveRelease
)

// System is the algorithm for N processes.
type System struct{}

// Init implements [explore.System].
func (System) Init(yield func(*State)) { yield(&State{Clock: [N]uint8{1, 1, 1}}) }

// Next implements [explore.System].
func (System) Next(s, t *State, yield func(explore.Action)) {
	for p := range N {
		if s.Request[p][p] == 0 {
			*t = *s
			t.Request[p][p] = s.Clock[p]
			t.broadcast(p, s.Clock[p])
			t.Ack[p] = 1 << p
			yield(request)
		}
		if s.mayEnter(p) {
			*t = *s
			t.Crit |= 1 << p
			yield(enter)
		}
		if s.Crit>>p&1 != 0 {
			*t = *s
			t.Crit &^= 1 << p
			t.broadcast(p, relMessage)
			t.Request[p][p] = 0
			t.Ack[p] = 0
			yield(exit)
		}
		for q := range N {
			if p != q && s.Network[q][p] != 0 {
				*t = *s
				yield(t.receive(p, q))
			}
		}
	}
}

func (s *State) broadcast(p int, m uint8) {
	for q := range N {
		if q != p {
			s.Network[p][q].append(m)
		}
	}
}

func (s *State) mayEnter(p int) bool {
	for q := range N {
		own, other := s.Request[p][p], s.Request[p][q]
		if q != p && other != 0 && (own > other || own == other && p > q) {
			return false
		}
	}
	return s.Ack[p] == 1<<N-1
}

// receive takes the oldest message from q to p.
func (s *State) receive(p, q int) explore.Action {
	m := uint8(s.Network[q][p] & 15)
	s.Network[q][p] >>= 4
	switch m {
	case ackMessage:
		s.Ack[p] |= 1 << q
		return receiveAck
	case relMessage:
		s.Request[p][q] = 0
		return receiveRelease
	}
	s.Request[p][q] = m
	s.Clock[p] = max(m, s.Clock[p]) + 1
	s.Network[p][q].append(ackMessage)
	return receiveRequest
}

// Properties of the published run.
var Properties = explore.Properties[State]{
	Invariants: []explore.Invariant[State]{
		{Name: "Mutex", Holds: func(s *State) bool { return s.Crit&(s.Crit-1) == 0 }},
		{Name: "BoundedNetwork", Holds: func(s *State) bool {
			for p := range N {
				for q := range N {
					if s.Network[p][q].length() > 3 {
						return false
					}
				}
			}
			return true
		}},
	},
	Constraint: func(s *State) bool { return max(s.Clock[0], s.Clock[1], s.Clock[2]) <= MaxClock },
}
