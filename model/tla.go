package model

import (
	"fmt"
	"strings"
)

// TLA is a state in the notation of TLA+, with the variables of the module in
// specs/VSR.tla and as TLC writes a state: one conjunct for each variable. An identity
// is the view of its body there, and none is -1.
func (m *Model) TLA(s *State) string {
	var out strings.Builder
	variable := func(name, value string) { fmt.Fprintf(&out, "/\\ %s = %s\n", name, value) }
	n, ops, views := m.cfg.Replicas, m.cfg.Ops, m.cfg.views()
	var replicas, stamps []string
	for i := range n {
		replicas = append(replicas, fmt.Sprintf("%d :> %s", i, m.tlaReplica(&s.Replica[i])))
	}
	for v := range views {
		stamps = append(stamps, fmt.Sprintf("%d :> %s", v, tlaNumbers(s.Stamp[v][:ops])))
	}
	variable("replica", "("+strings.Join(replicas, " @@ ")+")")
	inFlight, counted := m.tlaMessages(s)
	variable("messages", tlaSet(inFlight))
	variable("counted", tlaSet(counted))
	variable("stamp", "("+strings.Join(stamps, " @@ ")+")")
	variable("channels", m.tlaChannels(s))
	variable("crashes_used", fmt.Sprint(s.Crashes))
	variable("stops_used", fmt.Sprint(s.Stops))
	variable("drops_used", fmt.Sprint(s.Drops))
	variable("duplicates_used", fmt.Sprint(s.Duplicates))
	variable("resets_used", fmt.Sprint(s.Resets))
	variable("decided", m.tlaLog(&s.Decided))
	variable("decided_in", tlaNumbers(s.DecidedIn[:ops]))
	variable("lost", s.Lost.String())
	variable("failed", `"`+assertionTable[s.Failed].tla+`"`)
	return out.String()
}

func (m *Model) tlaReplica(r *Replica) string {
	var acks []string
	for _, a := range r.Acks[:m.cfg.Ops] {
		acks = append(acks, a.String())
	}
	return fmt.Sprintf(`[status |-> "%s", view |-> %d, log_view |-> %d, observed |-> %d, `+
		`op |-> %d, commit_max |-> %d, commit_min |-> %d, journal |-> %s, `+
		`headers_op |-> %d, headers |-> %s, announced_op |-> %d, session_to |-> %d, session_peer |-> %d, acks |-> <<%s>>, `+
		`votes |-> %s, vote_sent |-> %s, parked |-> %s, merged_op |-> %d, merged_commit |-> %d, merged |-> %s]`,
		r.Status, r.View, r.LogView, r.Observed,
		r.Op, r.CommitMax, r.CommitMin, m.tlaLog(&r.Journal),
		r.HeadersOp, m.tlaLog(&r.Headers), r.AnnouncedOp, r.SessionTo, r.SessionPeer, strings.Join(acks, ", "),
		r.Votes, tlaBool(r.VoteSent), tlaBool(r.Parked), r.MergedOp, r.MergedCommit, m.tlaLog(&r.Merged))
}

// tlaMessages are the records of the messages in flight and of the votes counted.
func (m *Model) tlaMessages(s *State) (inFlight, counted []string) {
	m.eachMessage(s, func(a uint32) { inFlight = append(inFlight, m.tlaMessage(s, a)) })
	for view := range m.cfg.views() {
		for i := range m.cfg.Replicas {
			if v := &s.Net.DoViewChange[view][i]; v.Where == voteCounted {
				counted = append(counted, m.tlaMessage(s, act(kReceiveDoViewChange, i, 0, view)))
			}
		}
	}
	return inFlight, counted
}

// channel lists the codes of the messages from one replica to another; over other networks
// than fifo there are none.
func (m *Model) channel(s *State, from, to int) []uint8 {
	if m.cfg.Network != NetworkFIFO {
		return nil
	}
	return s.Channels[from][to][:]
}

// tlaChannels is the function from senders and receivers to their channels.
func (m *Model) tlaChannels(s *State) string {
	var all []string
	for i := range m.cfg.Replicas {
		var from []string
		for j := range m.cfg.Replicas {
			var queue []string
			for _, code := range m.channel(s, i, j) {
				if code != 0 {
					queue = append(queue, m.tlaMessage(s, m.delivery(i, j, code)))
				}
			}
			from = append(from, fmt.Sprintf("%d :> <<%s>>", j, strings.Join(queue, ", ")))
		}
		all = append(all, fmt.Sprintf("%d :> (%s)", i, strings.Join(from, " @@ ")))
	}
	return "(" + strings.Join(all, " @@ ") + ")"
}

// tlaVoteContent is what the record of a vote has besides its view and its sender.
func (m *Model) tlaVoteContent(v *Vote) string {
	items := make([]string, m.cfg.Ops)
	for op, it := range v.Items[:m.cfg.Ops] {
		says := "header"
		switch {
		case it == itemBlank:
			says = "nothing"
		case it == itemNack:
			says = "nack"
		case itemPresent(it):
			says = "body"
		}
		items[op] = fmt.Sprintf(`[says |-> "%s", id |-> %d]`, says, int(itemIdentity(it))-1)
	}
	return fmt.Sprintf("log_view |-> %d, op |-> %d, commit |-> %d, items |-> <<%s>>",
		v.LogView, v.Op, v.Commit, strings.Join(items, ", "))
}

// tlaLog is a log as a tuple of the views of its bodies.
func (m *Model) tlaLog(log *[MaxOps]identity) string {
	out := make([]string, m.cfg.Ops)
	for op := range m.cfg.Ops {
		out[op] = fmt.Sprint(int(log[op]) - 1)
	}
	return "<<" + strings.Join(out, ", ") + ">>"
}

func tlaNumbers(numbers []uint8) string {
	out := make([]string, len(numbers))
	for i, n := range numbers {
		out[i] = fmt.Sprint(n)
	}
	return "<<" + strings.Join(out, ", ") + ">>"
}

func tlaBool(flag uint8) string {
	if flag != 0 {
		return "TRUE"
	}
	return "FALSE"
}

func tlaSet(elements []string) string { return "{" + strings.Join(elements, ", ") + "}" }
