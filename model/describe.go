package model

import (
	"fmt"
	"strings"
)

// Changes lists, field by field, what differs between s and t, one line each: first
// the replicas, then what was sent, lost or became irrelevant.
func (m *Model) Changes(s, t *State) []string {
	var out []string
	for i := range m.cfg.Replicas {
		for _, c := range m.replicaChanges(&s.Replica[i], &t.Replica[i]) {
			out = append(out, fmt.Sprintf("replica %d: %s", i, c))
		}
	}
	before, after := m.messages(s), m.messages(t)
	for _, a := range after {
		if !before.has(a) {
			out = append(out, fmt.Sprintf("sent to replica %d: %s", m.receiver(a), m.messageText(t, a)))
		}
	}
	for _, a := range before {
		if !after.has(a) {
			out = append(out, fmt.Sprintf("no longer of use to replica %d: %s", m.receiver(a), m.messageText(s, a)))
		}
	}
	if t.Failed != s.Failed {
		out = append(out, "assertion failed: "+t.Failed.String())
	}
	return out
}

// replicaChanges lists the fields in which two states of a replica differ.
func (m *Model) replicaChanges(a, b *Replica) []string {
	var out []string
	number := func(name string, x, y uint8) {
		if x != y {
			out = append(out, fmt.Sprintf("%s: %d -> %d", name, x, y))
		}
	}
	log := func(name string, x, y *[MaxOps]identity) {
		for op := range m.cfg.Ops {
			if x[op] != y[op] {
				out = append(out, fmt.Sprintf("%s[%d]: %s -> %s", name, op+1, slotString(op+1, x[op]), slotString(op+1, y[op])))
			}
		}
	}
	if a.Status != b.Status {
		out = append(out, fmt.Sprintf("status: %s -> %s", statusNames[a.Status], statusNames[b.Status]))
	}
	if b.Status == Stopped {
		return out
	}
	number("view", a.View, b.View)
	number("log_view", a.LogView, b.LogView)
	number("newer view seen", a.Observed, b.Observed)
	number("op", a.Op, b.Op)
	number("commit_max", a.CommitMax, b.CommitMax)
	number("commit_min", a.CommitMin, b.CommitMin)
	log("journal", &a.Journal, &b.Journal)
	log("headers", &a.Headers, &b.Headers)
	if a.SessionTo != b.SessionTo || a.SessionPeer != b.SessionPeer {
		out = append(out, fmt.Sprintf("repair session: %s -> %s", sessionString(a), sessionString(b)))
	}
	for op := range m.cfg.Ops {
		if a.Acks[op] != b.Acks[op] {
			out = append(out, fmt.Sprintf("acks[%d]: %v -> %v", op+1, a.Acks[op], b.Acks[op]))
		}
	}
	if a.Votes != b.Votes {
		out = append(out, fmt.Sprintf("start_view_change votes: %v -> %v", a.Votes, b.Votes))
	}
	number("do_view_change sent", a.VoteSent, b.VoteSent)
	if a.Parked != b.Parked {
		if b.Parked == 1 {
			out = append(out, fmt.Sprintf("merged log: head %d, commit %d", b.MergedOp, b.MergedCommit))
			log("merged", &a.Merged, &b.Merged)
		} else {
			out = append(out, "merged log: gone")
		}
	}
	return out
}

func slotString(op int, id identity) string {
	if id == none {
		return "empty"
	}
	return opString(uint8(op), id)
}

func sessionString(r *Replica) string {
	if r.SessionTo == 0 {
		return "none"
	}
	return fmt.Sprintf("up to op %d from replica %d", r.SessionTo, r.SessionPeer)
}

// messageSet is the list of the actions that deliver the messages of a state.
type messageSet []uint32

func (l messageSet) has(a uint32) bool {
	for _, b := range l {
		if a == b {
			return true
		}
	}
	return false
}

func (m *Model) messages(s *State) messageSet {
	var out messageSet
	m.eachMessage(s, func(a uint32) { out = append(out, a) })
	return out
}

// messageText is messageString with the content that the state keeps for a
// DoViewChange or a StartView.
func (m *Model) messageText(s *State, a uint32) string {
	switch kindOf(a) {
	case kReceiveDoViewChange:
		v := &s.Net.DoViewChange[posOf(a)][selfOf(a)]
		var items []string
		for op := max(v.Commit, 1); op <= v.Op; op++ {
			items = append(items, itemString(op, v.Items[op-1]))
		}
		return fmt.Sprintf("DoViewChange{view %d, log_view %d, op %d, commit %d, suffix [%s]} from replica %d",
			posOf(a), v.LogView, v.Op, v.Commit, strings.Join(items, ", "), selfOf(a))
	case kReceiveStartView:
		v := &s.Net.StartView[posOf(a)]
		var ids []string
		for op := max(v.Commit, 1); op <= v.Op; op++ {
			ids = append(ids, slotString(int(op), v.Log[op-1]))
		}
		return fmt.Sprintf("StartView{view %d, op %d, commit %d, suffix [%s]}", posOf(a), v.Op, v.Commit, strings.Join(ids, ", "))
	}
	return m.messageString(a)
}

func itemString(op uint8, i item) string {
	switch {
	case i == itemBlank:
		return fmt.Sprintf("%d blank", op)
	case i == itemNack:
		return fmt.Sprintf("%d nack", op)
	case itemPresent(i):
		return opString(op, itemIdentity(i)) + " present"
	}
	return opString(op, itemIdentity(i)) + " header only"
}

// Table is the state as a table of plain text: a row per replica, then the messages
// that can still be acted on, each with what would become of it.
func (m *Model) Table(s *State) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-8s %-10s %4s %8s %4s %10s %10s", "replica", "status", "view", "log_view", "op", "commit_max", "commit_min")
	for op := 1; op <= m.cfg.Ops; op++ {
		fmt.Fprintf(&b, " %8s", fmt.Sprintf("op %d", op))
	}
	fmt.Fprintf(&b, "  repair\n")
	for i := range m.cfg.Replicas {
		r := &s.Replica[i]
		if r.Status == Stopped {
			fmt.Fprintf(&b, "%-8d %-10s\n", i, statusNames[r.Status])
			continue
		}
		status := statusNames[r.Status]
		if r.Status == Normal && m.leads(s, i) {
			status = "Primary"
		}
		fmt.Fprintf(&b, "%-8d %-10s %4d %8d %4d %10d %10d", i, status, r.View, r.LogView, r.Op, r.CommitMax, r.CommitMin)
		for op := 1; op <= m.cfg.Ops; op++ {
			cell := "-"
			switch id := r.Journal[op-1]; {
			case id != none:
				cell = opString(uint8(op), id)
			case op <= int(r.Op):
				cell = "HOLE"
			}
			fmt.Fprintf(&b, " %8s", cell)
		}
		fmt.Fprintf(&b, "  %s\n", sessionString(r))
	}
	for i := range m.cfg.Replicas {
		r := &s.Replica[i]
		for op := range m.cfg.Ops {
			if r.Acks[op] != 0 {
				fmt.Fprintf(&b, "acks of op %d at replica %d: %v\n", op+1, i, r.Acks[op])
			}
		}
	}
	m.eachMessage(s, func(a uint32) {
		t := *s
		out := m.step(&t, a)
		m.normalise(&t)
		note := ""
		if out.refused() {
			note = "refused: " + out.String()
		} else if t == *s {
			note = "no effect"
		}
		fmt.Fprintf(&b, "in flight to replica %d: %s  %s\n", m.receiver(a), m.messageText(s, a), note)
	})
	return b.String()
}

// Explain says why nothing can happen any more.
func (m *Model) Explain(s *State) string { return m.Table(s) }
