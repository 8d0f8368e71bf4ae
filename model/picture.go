package model

// This file has a state and its messages as values, for pictures: what describe.go
// writes as text, taken apart.

// Envelope is a message in flight with what a picture writes on it.
type Envelope struct {
	Message
	Action uint32 // the step that delivers it; names the message within a state
	// Label is short: Prepare 2@v0. Text is complete, and two messages are the same
	// exactly when Action and Text are.
	Label, Text string
	// Background marks the messages that say only how their sender stands and are in
	// flight as early as they can be (eager.go): most of them are never delivered.
	Background bool
}

// InFlight lists the messages in flight, in the order in which Next tries them.
func (m *Model) InFlight(s *State) []Envelope {
	var out []Envelope
	m.eachMessage(s, func(a uint32) {
		e := Envelope{Action: a, Label: m.messageLabel(a), Text: m.messageText(s, a)}
		e.Message, _ = m.Message(a)
		e.Background = messageOf(a).stands && m.reductions.EagerSends || m.standsIn(s, a)
		out = append(out, e)
	})
	return out
}

// Delivers is the receiving action behind a: a itself, the one that a Drop keeps from
// happening, or the one that a Duplicate is a copy of. It is false for a local step and a
// Reset.
func (m *Model) Delivers(a uint32) (delivery uint32, ok bool) {
	if aboutMessage(a) {
		a = droppedBy(a)
	}
	return a, delivers(kindOf(a))
}

// Drops reports whether a is the loss of a message.
func (m *Model) Drops(a uint32) bool { return kindOf(a) == kDrop }

// ActionLabel is the action in a few characters: a message's label, or the name of
// the step.
func (m *Model) ActionLabel(a uint32) string {
	if d, ok := m.Delivers(a); ok {
		return m.messageLabel(d)
	}
	return kindTable[kindOf(a)].name
}

// Verdict says what a replica does with a message.
type Verdict string

// The verdicts.
const (
	CanTake   Verdict = "taken"   // all of it
	TakesPart Verdict = "partly"  // a guard refuses it, and something in it still counts
	Refuses   Verdict = "refused" // a guard refuses it, and nothing changes
	NoEffect  Verdict = "nothing" // no guard refuses it, and nothing in it is new
)

// Fate is what would become of the message that a delivers if that happened in s. The
// reason is the guard's, with the numbers that it compared, or "".
func (m *Model) Fate(s *State, a uint32) (v Verdict, reason string) {
	t, out := m.handled(s, a)
	same := t == *s
	if out.refused() {
		if same {
			return Refuses, m.reason(s, a, out)
		}
		return TakesPart, m.reason(s, a, out)
	}
	if same {
		return NoEffect, ""
	}
	return CanTake, ""
}

// ReplicaView is what a person wants to see of a replica.
type ReplicaView struct {
	Role                                      string // Primary, Backup, or the status when it is not Normal
	View, LogView, Head, CommitMax, CommitMin int
	Log                                       []Cell // by op, from op 1
	Session                                   string // the repair session, or ""
	Acks                                      []Ack  // of a primary's pipeline, above its commit_max
	Details                                   []string
}

// Cell is what a replica has at one op.
type Cell struct {
	Body      string // 2@v1, or "" when it holds none
	Hole      bool   // claimed and not held
	Applied   bool
	Committed bool // known to be committed
	Above     bool // held above the head
}

// Ack is how an op of the pipeline stands.
type Ack struct {
	Op     int
	By     []int
	Needed int
	Quorum bool
	// Blocker is the op below without a quorum that keeps this one, which has its own,
	// from committing; 0 when there is none.
	Blocker int
}

// View is replica i in s.
func (m *Model) View(s *State, i int) ReplicaView {
	r := &s.Replica[i]
	v := ReplicaView{Role: m.role(s, i)}
	if r.Status == Stopped {
		return v
	}
	v.View, v.LogView = int(r.View), int(r.LogView)
	v.Head, v.CommitMax, v.CommitMin = int(r.Op), int(r.CommitMax), int(r.CommitMin)
	for op := uint8(1); op <= uint8(m.cfg.Ops); op++ {
		c := Cell{Applied: op <= r.CommitMin, Committed: op <= r.CommitMax}
		if id := r.held(op); id != none {
			c.Body, c.Above = opString(op, id), op > r.Op
		} else {
			c.Hole = op <= r.Op
		}
		v.Log = append(v.Log, c)
	}
	if r.SessionTo != 0 {
		v.Session = sessionString(r)
	}
	v.Acks = m.acks(r)
	v.Details = m.details(s, i)
	return v
}

// acks is how the ops of a primary's pipeline stand above its commit number.
func (m *Model) acks(r *Replica) (out []Ack) {
	if r.Acks == [MaxOps]ReplicaSet{} {
		return nil
	}
	blocker := 0
	for op := r.CommitMax + 1; op <= r.Op; op++ {
		a := Ack{Op: int(op), By: members(r.Acks[op-1]), Needed: m.cfg.ReplicationQuorum(), Quorum: m.hasQuorum(r, op)}
		if a.Quorum {
			a.Blocker = blocker
		} else if blocker == 0 {
			blocker = int(op)
		}
		out = append(out, a)
	}
	return out
}
