package invariants

import (
	"sync/atomic"

	"vsrcheck/model"
)

// Whether a group that nobody leads gets a primary again without a fault.

// led reports whether some Normal primary keeps a quorum.
func led(m *model.Model, s *model.State) (found bool) {
	stable(m, s, func(int, *model.Replica) { found = true })
	return found
}

// leaderless reports whether a quorum that could elect a primary is up, and no primary keeps
// one.
func leaderless(m *model.Model, s *model.State) bool {
	if s.Failed != model.AssertNone {
		return false
	}
	c := m.Config()
	up := 0
	for i := range c.Replicas {
		if s.Replica[i].Status != model.Stopped {
			up++
		}
	}
	return up >= c.ViewChangeQuorum() && !led(m, s)
}

// recovery is which way leads from s to a primary that keeps a quorum. There has to be none
// only where a quorum is up.
func recovery(m *model.Model, s *model.State) model.Way {
	if !leaderless(m, s) {
		return model.WayFound
	}
	return m.FindWay(s, func(t *model.State) bool { return led(m, t) }).Way
}

// recoveries are the functions of the properties that ask for the way. Several of them are
// asked of one state after the other, so the last answer is kept. Which worker gave it makes
// no difference: it is a function of the state.
type recoveries struct{ last atomic.Pointer[recovered] }

type recovered struct {
	m   *model.Model
	s   model.State
	way model.Way
}

func (r *recoveries) way(m *model.Model, s *model.State) model.Way {
	if !leaderless(m, s) {
		return model.WayFound
	}
	if l := r.last.Load(); l != nil && l.m == m && l.s == *s {
		return l.way
	}
	way := recovery(m, s)
	r.last.Store(&recovered{m, *s, way})
	return way
}

// outstanding has a bit for the group as a whole: that it is dead. Once it is, it stays so
// until a fault, and no fault has to happen.
func (r *recoveries) outstanding(m *model.Model, s *model.State) uint64 {
	if r.way(m, s) == model.WayNone {
		return 1
	}
	return 0
}

// dead and cut are asked in quiescent states only: whether the group is dead, and whether it
// is not only in so far as a bound on the search hides what would become of it.
func (r *recoveries) dead(m *model.Model, s *model.State) bool { return r.way(m, s) == model.WayNone }
func (r *recoveries) cut(m *model.Model, s *model.State) bool  { return r.way(m, s) == model.WayCut }
