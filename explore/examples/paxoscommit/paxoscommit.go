// Package paxoscommit is Paxos Commit as specified by Gray and Lamport in
// "Consensus on Transaction Commit" (2006), with the semantics of
// transaction_commit/PaxosCommit.tla in the TLA+ Examples collection, for two
// ballots.
package paxoscommit

import "vsrcheck/explore"

// The sizes. With two ballots, 0 and 1, every message has at most one content
// and can be told from its sender and its ballot.
const (
	N         = 2 // resource managers, each with its own instance of Paxos
	Acceptors = 3
	ballots   = 2
)

// Value of a vote, or the state of a resource manager.
type Value uint8

// The values. As the state of a resource manager None means working.
const (
	None Value = iota
	Prepared
	Aborted
	Committed
)

// Acceptor is the state of an acceptor in one instance and what it has sent.
type Acceptor struct {
	MBal    uint8 // ballot that it takes part in
	Voted   uint8 // 1 + ballot of its last vote, 0 for none
	Val     Value // of its last vote
	Phase1b uint8 // message for ballot 1 sent: 1 + Value that it reports, 0 for none
	Phase2b [ballots]Value
}

// Instance is a resource manager and its instance of Paxos.
type Instance struct {
	RM      Value
	Phase1a bool           // message for ballot 1 sent
	Phase2a [ballots]Value // messages sent
	Acc     [Acceptors]Acceptor
}

// State of the protocol. Messages are never removed.
type State struct {
	Ins           [N]Instance
	Commit, Abort bool // messages sent
}

// The kinds of actions.
const (
	rmPrepare = iota
	rmChooseToAbort
	rmRcvCommitMsg
	rmRcvAbortMsg
	phase1a
	phase2a
	decide
	phase1b
	phase2b
)

// majorities of acceptors.
var majorities = [][2]int{{0, 1}, {0, 2}, {1, 2}}

// System is the protocol.
type System struct{}

// Init implements [explore.System].
func (System) Init(yield func(*State)) { yield(new(State)) }

// Next implements [explore.System]. Where the specification says that something
// exists, TLC generates a step for everything that does, and so does this.
func (System) Next(s, t *State, yield func(explore.Action)) {
	*t = *s
	for r := range N {
		nextInstance(s, t, r, yield)
	}
	commits, aborts := 1, 0
	for r := range N {
		commits *= s.Ins[r].quorums(Prepared)
		aborts += s.Ins[r].quorums(Aborted)
	}
	t.Commit = true
	for range commits {
		yield(decide)
	}
	t.Commit, t.Abort = s.Commit, true
	for range aborts {
		yield(decide)
	}
	t.Abort = s.Abort
}

func nextInstance(s, t *State, r int, yield func(explore.Action)) {
	old, ins := &s.Ins[r], &t.Ins[r]
	send := func(kind explore.Action) {
		yield(kind)
		*ins = *old
	}
	if old.RM == None {
		ins.RM, ins.Phase2a[0] = Prepared, Prepared
		send(rmPrepare)
		ins.RM, ins.Phase2a[0] = Aborted, Aborted
		send(rmChooseToAbort)
	}
	if s.Commit {
		ins.RM = Committed
		send(rmRcvCommitMsg)
	}
	if s.Abort {
		ins.RM = Aborted
		send(rmRcvAbortMsg)
	}
	ins.Phase1a = true
	send(phase1a)
	for _, m := range majorities {
		a, b := old.Acc[m[0]].Phase1b, old.Acc[m[1]].Phase1b
		if old.Phase2a[1] == None && a != 0 && b != 0 {
			// Those who voted did so in ballot 0, and all alike.
			if ins.Phase2a[1] = Value(max(a, b) - 1); ins.Phase2a[1] == None {
				ins.Phase2a[1] = Aborted
			}
			send(phase2a)
		}
	}
	for a := range Acceptors {
		acc := &ins.Acc[a]
		if old.Phase1a && acc.MBal == 0 {
			acc.MBal = 1
			acc.Phase1b = 1 + uint8(acc.Val)
			send(phase1b)
		}
		for b, v := range old.Phase2a {
			if v != None && int(acc.MBal) <= b {
				acc.MBal, acc.Voted, acc.Val = uint8(b), uint8(b+1), v
				acc.Phase2b[b] = v
				send(phase2b)
			}
		}
	}
}

// quorums counts the ballots and majorities that have chosen a value.
func (ins *Instance) quorums(v Value) (n int) {
	for b := range ballots {
		for _, m := range majorities {
			if ins.Acc[m[0]].Phase2b[b] == v && ins.Acc[m[1]].Phase2b[b] == v {
				n++
			}
		}
	}
	return n
}
