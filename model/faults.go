package model

import "slices"

// Faults last: a reduction. A replica that stops sends nothing any more, and neither
// does a message that is lost: from outside, a stopped replica is one that takes no
// step, and a lost message one that does not arrive. A run can always let that happen
// without the fault. So Stop and Drop are taken only at the end of a run, where they
// leave nothing to do: where the state after them, or after some more of them, is one
// that no fair step changes.
//
// This keeps what the properties see. Stop and Drop are right movers (Lipton, "Reduction:
// A Method of Proving Properties of Parallel Programs", 1975): let x be a step that
// follows the stop of replica r. It is one of another replica, or the loss of a message;
// no guard and no effect of it looks at r, but for messages to r that were dead. So x
// can be taken first, and leads with the stop to the same state. The same goes for the
// loss of a message m and any x but one that sends m again; the run without the loss
// and that x goes on in the same way, with a loss to spare. Hence, for every run
// without the reduction:
//
//   - If it violates a safety property, so does the run without its stops and losses,
//     which is shorter: the properties look at the replicas, where a stop only takes
//     away, and at Lost, where it only excuses. (Not so CommittedIsHeld, which fails by
//     what a stop takes away: the command refuses the two together.)
//   - If it ends in a state q that no fair step changes, the run with its stops and
//     losses at the end is no longer and ends in q, but for losses that were made good.
//     The first of them is taken in a state from which the rest of them leads to q,
//     which is what silenceable asks.
//
// With eager answers there is another step that sends because of what is in flight: each
// step of a primary answers all probes to it. A probe that is lost before such a step x can
// be lost after it only if the answers that x then gives change nothing in the end. Let i be
// the replica that probed and q a quiescent state, led by a primary p of a quorum. Where
// probes are eager, too, i has not stopped to probe in q, and would be answered; or it is
// Normal, and refuses an answer of its view, as readoption is never; and it has heard the
// heartbeat of p, so it is in no older view. Where readoption is ahead, i would take an
// answer whose head is above its own. But if all rules are sound, it has the head of p in q:
// what is above it is a prepare that p retransmits or a committed op, which a repair session
// fetches. So with losses answers are eager under such rules only, see lostProbesMatter.
//
// Of the faults at the end of such a run, those that are needed are taken in one order.
// Stops come first: a message that is lost before a stop can be lost after it, if it is
// not dead then. And only messages are lost whose delivery would change the state: the
// others may as well stay in flight, and the replicas end as they do without them. A
// message that comes to make a difference when another one is lost, as its delivery would
// send that one again, is lost after it.
//
// A run without such a loss may be longer by some sends: while a loss is left, a repair
// request is in flight although it has been served, as its frames may be lost; so the loss of
// anything spares the requests that have been served all along (normaliseServed). A trace
// with a loss is therefore a shortest one but for requests for repair that are sent again.
//
// As the runs are no longer, a shortest trace is one of the system without the
// reduction as well. Nothing but the faults that are left to take may follow the first
// of them, so a state after a fault that is not quiescent yet says so by Pending.
//
// A constraint is a bound on the states that are expanded, and a fault that is taken later must
// not be cut off by it. The constraints of the catalogue only order faults and requests, and
// let that pass: where one holds in a state with a stopped replica, it holds in the same state
// with that replica as it was before its stop, since it held there and the replica has taken no
// step since (RestartFirst, InheritedLog, DeposedStays); and StopLast holds of a stop that is
// taken later if it holds of the earlier one, as views do not go back. Losses they do not see.
// Any other predicate as a constraint may be true because of a stop: the command refuses it.
// VotesDecide is about a quiescent state, which stays, whoever leads in it.
//
// Liveness must be decided in quiescent states for this: a fault cannot be moved behind
// a cycle. Rules under which there are cycles are not reduced, and the search verifies
// on every step that there are none. TestFaultsLastIsHarmless compares the systems with
// and without.

// Reduces reports whether the model may leave out steps of which only finite behaviours
// that end are known to need none. It makes the model an explore.Reduced.
func (m *Model) Reduces() bool {
	return m.reductions.FaultsLast && m.cfg.Stops+m.cfg.Drops > 0 || m.reductions.PromptAnswers
}

// late reports whether a fault was taken after which only such faults are left.
func (m *Model) late(s *State) bool {
	return m.reductions.FaultsLast && s.Stops+s.Drops > 0
}

// Pending reports whether a fair step that Next leaves out would change s. It makes the
// model an explore.Reduced.
func (m *Model) Pending(s *State) bool {
	return m.late(s) && !m.Quiescent(s)
}

// Quiescent reports whether no fair step changes s.
func (m *Model) Quiescent(s *State) bool {
	_, still := m.moversOf(s)
	return still
}

// moversOf are the movers of s. It is still when there are none, and no other fair step
// changes it either.
func (m *Model) moversOf(s *State) (v movers, still bool) {
	still = true
	if s.Failed != AssertNone {
		return v, still
	}
	u := *s
	m.eachStep(s, func(a uint32) {
		if fairKinds[kindOf(a)] && m.take(&u, a)&changed != 0 {
			if u != *s {
				still = false
				if m.moves(s, &u, a) {
					v.note(m, a)
				}
			}
			u = *s
		}
	})
	return v, still
}

// silenceable reports whether some of the faults that are left, or none, lead from s to
// a state that no fair step changes.
func (m *Model) silenceable(s *State) bool {
	v, still := m.moversOf(s)
	if still {
		return true
	}
	found := false
	u := *s
	m.eachFault(s, func(f uint32) {
		if !found && v.preventable(m, s, f) && m.inTurn(s, &u, f) && m.take(&u, f)&changed != 0 {
			found = m.silenceable(&u)
			u = *s
		}
	})
	return found
}

// inTurn reports whether the fault f may be the next of those that a run ends with: stops
// come first, and a loss is that of a message that would make a difference. u equals s,
// and does so afterwards.
func (m *Model) inTurn(s, u *State, f uint32) bool {
	if kindOf(f) == kStop {
		return s.Drops == 0
	}
	differs := m.take(u, droppedBy(f))&changed != 0 && *u != *s
	*u = *s
	return differs
}

// faultsLeft reports whether the budget has another fault that may follow those taken.
func (m *Model) faultsLeft(s *State) bool {
	return int(s.Drops) < m.cfg.Drops || s.Drops == 0 && int(s.Stops) < m.cfg.Stops
}

// moves reports whether a is a fair step from s to t that changes its replica.
func (m *Model) moves(s, t *State, a uint32) bool {
	if !fairKinds[kindOf(a)] {
		return false
	}
	i := m.receiver(a)
	return s.Replica[i] != t.Replica[i]
}

// movers are the fair steps of a state that change the replica that takes them. Nothing
// prevents one but the stop of its replica or the loss of its message.
type movers struct {
	local      [MaxReplicas]bool // the replica has one that takes no message
	n          int
	deliveries [16]uint32 // n of those that take one; with as many there is no preventing them
}

func (v *movers) note(m *Model, a uint32) {
	if local[kindOf(a)] {
		v.local[selfOf(a)] = true
		return
	}
	if v.n < len(v.deliveries) {
		v.deliveries[v.n] = a
		v.n++
	}
}

// preventable reports whether the fault f, and the faults that are left after it, are
// enough to prevent them all. Otherwise f need not be tried.
func (v *movers) preventable(m *Model, s *State, f uint32) bool {
	stops, drops := m.cfg.Stops-int(s.Stops), m.cfg.Drops-int(s.Drops)
	var cost [MaxReplicas]int // losses that it would take to silence a replica
	for _, a := range v.deliveries[:v.n] {
		if a != droppedBy(f) {
			cost[m.receiver(a)]++
		}
	}
	for i, is := range v.local {
		if is {
			cost[i] = len(v.deliveries)
		}
	}
	if kindOf(f) == kStop {
		stops--
		cost[selfOf(f)] = 0
	} else {
		drops--
	}
	if s.Drops > 0 || kindOf(f) != kStop {
		stops = min(stops, 0) // a stop would not be in turn
	}
	if stops < 0 || drops < 0 {
		return false // the budget is used up
	}
	slices.Sort(cost[:])
	for _, n := range cost[:max(0, len(cost)-stops)] { // the others stop
		drops -= n
	}
	return drops >= 0
}

// forgetLost clears the ghost of the replicas that lost their memory once it can excuse
// nothing any more: a view that starts has to have what was decided unless more than f of
// them did, no replica crashes any more, and none starts a view after a stop.
func (m *Model) forgetLost(t *State) {
	if int(t.Crashes) == m.cfg.Crashes && t.Lost.Len() <= m.cfg.MaxFaulty() {
		t.Lost = 0
	}
}
