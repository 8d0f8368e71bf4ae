package explore

import "vsrcheck/explore/internal/store"

// A slot is the place of a property among all that a state or a step can violate:
// first the invariants, then the action properties, Deadlock, and the Recurrent
// properties. The order is the order of precedence. What only a complete search
// decides comes last: the Reachable and the Temporal properties.
type slots struct {
	actions, deadlock, recurrent, reachable, temporal, n int
}

func slotsOf[S any](p *Properties[S]) slots {
	var s slots
	s.actions = len(p.Invariants)
	s.deadlock = s.actions + len(p.Actions)
	s.recurrent = s.deadlock + 1
	s.reachable = s.recurrent + len(p.Recurrent)
	s.temporal = s.reachable + len(p.Reachable)
	s.n = s.temporal + len(p.Temporal)
	return s
}

// propertyAt is the name and the kind of the property in a slot.
func propertyAt[S any](p *Properties[S], slot int) (string, Kind) {
	s := slotsOf(p)
	switch {
	case slot < s.actions:
		return p.Invariants[slot].Name, KindInvariant
	case slot < s.deadlock:
		return p.Actions[slot-s.actions].Name, KindAction
	case slot < s.recurrent:
		return "Deadlock", KindDeadlock
	case slot < s.reachable:
		return p.Recurrent[slot-s.recurrent].Name, KindLiveness
	case slot < s.temporal:
		return p.Reachable[slot-s.reachable].Name, KindReachable
	}
	return p.Temporal[slot-s.temporal].Name, KindTemporal
}

// finding is a state, or a step, that violates a property. Each worker keeps the
// smallest one of a level for every slot, so that the choice does not depend on
// which worker saw what.
type finding struct {
	found bool
	state []uint64
	// For a step: what is done in state and where it leads.
	action Action
	target []uint64
}

// offerState keeps a violating state if it is the smallest.
func (f *finding) offerState(state []uint64) {
	if !f.found || store.Less(state, f.state) {
		f.found = true
		f.state = append(f.state[:0], state...)
	}
}

// offerStep keeps a violating step if it is the smallest.
func (f *finding) offerStep(state []uint64, a Action, target []uint64) {
	if f.found {
		switch {
		case store.Less(state, f.state):
		case !store.Equal(state, f.state):
			return
		case a != f.action:
			if a > f.action {
				return
			}
		case !store.Less(target, f.target):
			return
		}
	}
	f.found = true
	f.state = append(f.state[:0], state...)
	f.target = append(f.target[:0], target...)
	f.action = a
}

// offer keeps another worker's finding if it is smaller.
func (f *finding) offer(o *finding) {
	switch {
	case !o.found:
	case o.target == nil:
		f.offerState(o.state)
	default:
		f.offerStep(o.state, o.action, o.target)
	}
}

// witness is a violation that has been decided on; its trace is made at the end.
type witness struct {
	slot    int
	depth   int // of the violation, as in Violation.Depth
	finding finding
	bits    uint64
	// stem leads from finding.state to where the behaviour stays, in a cycle or in a
	// state; empty when finding.state is there already.
	stem []edge
	// lasso is the cycle, starting from and returning to the end of the stem.
	lasso []edge
	// empty marks a property without a witness state: Reachable.
	empty bool
}

// edge is a step of a lasso.
type edge struct {
	action Action
	target []uint64
}

// stateDepth is the depth of finding.state.
func (w *witness) stateDepth() int {
	if w.finding.target != nil {
		return w.depth - 1
	}
	return w.depth - len(w.stem)
}
