// Package twophase is two-phase commit as specified by Gray and Lamport in
// "Consensus on Transaction Commit" (2006), and as it is found in the TLA+ Examples
// collection (transaction_commit/TwoPhase.tla).
package twophase

import "vsrcheck/explore"

// RM is the state of a resource manager.
type RM uint8

// The states of a resource manager; the transaction manager has Working (init),
// Committed and Aborted.
const (
	Working RM = iota
	Prepared
	Committed
	Aborted
)

// MaxN is the greatest number of resource managers that fit into one word.
const MaxN = 15

// State of the protocol. Messages are never removed.
type State struct {
	RM       [MaxN]RM
	TM       RM
	Received uint16 // resource managers whose Prepared message the TM has received
	Sent     uint16 // Prepared messages sent
	Commit   bool   // Commit message sent
	Abort    bool   // Abort message sent
}

// The kinds of actions.
const (
	tmCommit = iota
	tmAbort
	tmRcvPrepared
	rmPrepare
	rmChooseToAbort
	rmRcvCommitMsg
	rmRcvAbortMsg
)

// System is two-phase commit with N resource managers.
type System struct{ N int }

// Init implements [explore.System].
func (sys *System) Init(yield func(*State)) { yield(new(State)) }

// Next implements [explore.System].
func (sys *System) Next(s, t *State, yield func(explore.Action)) {
	all := uint16(1)<<sys.N - 1
	*t = *s
	if s.TM == Working && s.Received == all {
		t.TM, t.Commit = Committed, true
		yield(tmCommit)
		t.TM, t.Commit = s.TM, s.Commit
	}
	if s.TM == Working {
		t.TM, t.Abort = Aborted, true
		yield(tmAbort)
		t.TM, t.Abort = s.TM, s.Abort
	}
	for r := range sys.N {
		bit, rm := uint16(1)<<r, explore.Action(r<<8)
		if s.TM == Working && s.Sent&bit != 0 {
			t.Received |= bit
			yield(tmRcvPrepared | rm)
			t.Received = s.Received
		}
		if s.RM[r] == Working {
			t.RM[r] = Prepared
			t.Sent |= bit
			yield(rmPrepare | rm)
			t.Sent = s.Sent
			t.RM[r] = Aborted
			yield(rmChooseToAbort | rm)
		}
		if s.Commit {
			t.RM[r] = Committed
			yield(rmRcvCommitMsg | rm)
		}
		if s.Abort {
			t.RM[r] = Aborted
			yield(rmRcvAbortMsg | rm)
		}
		t.RM[r] = s.RM[r]
	}
}

// Words implements [explore.System].
func (sys *System) Words() int { return 1 }

// Encode implements [explore.System].
func (sys *System) Encode(s *State, dst []uint64) {
	w := uint64(s.Sent)<<sys.N | uint64(s.Received)
	for _, rm := range s.RM[:sys.N] {
		w = w<<2 | uint64(rm)
	}
	w = w<<2 | uint64(s.TM) // Commit and Abort follow from it
	dst[0] = w
}

// Decode implements [explore.System].
func (sys *System) Decode(src []uint64, s *State) {
	w := src[0]
	*s = State{TM: RM(w & 3)}
	w >>= 2
	for r := sys.N - 1; r >= 0; r-- {
		s.RM[r] = RM(w & 3)
		w >>= 2
	}
	s.Received, s.Sent = uint16(w&(1<<sys.N-1)), uint16(w>>sys.N)
	s.Commit, s.Abort = s.TM == Committed, s.TM == Aborted
}

// Kinds implements [explore.System].
func (sys *System) Kinds() []string {
	return []string{"TMCommit", "TMAbort", "TMRcvPrepared", "RMPrepare", "RMChooseToAbort", "RMRcvCommitMsg", "RMRcvAbortMsg"}
}

// Kind implements [explore.System].
func (sys *System) Kind(a explore.Action) int { return int(a & 0xff) }

// Fair implements [explore.System]. The specification has no fairness.
func (sys *System) Fair(explore.Action) bool { return false }

// Consistent says that no two resource managers decide differently.
func (sys *System) Consistent(s *State) bool {
	var seen [4]bool
	for _, rm := range s.RM[:sys.N] {
		seen[rm] = true
	}
	return !(seen[Committed] && seen[Aborted])
}
