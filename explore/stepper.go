package explore

import "vsrcheck/explore/internal/store"

// stepper generates the steps from one state and evaluates the properties there, for
// walks and for shrinking them.
type stepper[S any] struct {
	sys        System[S]
	about      about
	encodeStep func(s *S, encoded []uint64, t *S, dst []uint64)
	props      *Properties[S]
	slots      slots

	prev, s, t *S // where the last step came from, the state, and its successor
	last       Action
	cur, enc   []uint64 // encodings of s and t

	steps  bool // s has a step, maybe a stuttering one
	moving bool // a fair step changes it
	// Steps that were not offered, as they lead outside the constraint; never reset.
	outside   uint64
	outsideOf []uint64 // per Properties.ConstraintParts

	// generated, when not nil, is called for every step, and offer for those that change
	// the state within the constraint, while t and enc are the successor.
	generated func(a Action, fair, effective bool)
	offer     func(a Action, fair bool)

	yield func(Action)
}

func newStepper[S any](sys System[S], props *Properties[S]) *stepper[S] {
	st := &stepper[S]{
		sys: sys, about: aboutActions(sys), props: props, slots: slotsOf(props), encodeStep: stepEncoder(sys),
		prev: new(S), s: new(S), t: new(S),
		cur: make([]uint64, sys.Words()), enc: make([]uint64, sys.Words()),
		outsideOf: make([]uint64, len(props.ConstraintParts)),
	}
	st.yield = st.step
	return st
}

// set makes an encoded state the one to start from.
func (st *stepper[S]) set(state []uint64) {
	copy(st.cur, state)
	st.sys.Decode(st.cur, st.s)
}

// take moves on to a successor.
func (st *stepper[S]) take(a Action, target []uint64) {
	st.prev, st.s = st.s, st.prev
	st.last = a
	st.set(target)
}

func (st *stepper[S]) inside(s *S) bool {
	return st.props.Constraint == nil || st.props.Constraint(s)
}

// expand generates the steps from s.
func (st *stepper[S]) expand() {
	st.steps, st.moving = false, false
	st.sys.Next(st.s, st.t, st.yield)
}

// step is called by the model.
func (st *stepper[S]) step(a Action) {
	st.steps = true
	st.encodeStep(st.s, st.cur, st.t, st.enc)
	fair, effective := st.about.Fair(a), !store.Equal(st.enc, st.cur)
	if st.generated != nil {
		st.generated(a, fair, effective)
	}
	if !effective {
		return
	}
	st.moving = st.moving || fair
	switch {
	case st.offer == nil:
	case st.inside(st.t):
		st.offer(a, fair)
	default:
		st.outside++
		countParts(st.props.ConstraintParts, st.t, st.outsideOf)
	}
}

// violated reports whether the state, the last step, or, of a state that has been
// expanded, its steps violate a property.
func (st *stepper[S]) violated(slot int) bool {
	p := st.props
	switch {
	case slot < st.slots.actions:
		return !p.Invariants[slot].Holds(st.s)
	case slot < st.slots.deadlock:
		return !p.Actions[slot-st.slots.actions].Holds(st.prev, st.last, st.s)
	case slot == st.slots.deadlock:
		return !st.steps
	case slot < st.slots.reachable:
		return !st.moving && p.Recurrent[slot-st.slots.recurrent].Outstanding(st.s) != 0
	}
	return false
}
