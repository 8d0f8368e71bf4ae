package invariants

import "vsrcheck/model"

// restartFirst is a constraint on the order of faults: nobody leaves view 0 before
// the crashes are used up.
func restartFirst(m *model.Model, s *model.State) bool {
	c := m.Config()
	if int(s.Crashes) == c.Crashes {
		return true
	}
	for i := range c.Replicas {
		if s.Replica[i].View > 0 {
			return false
		}
	}
	return true
}

// stopLast is a constraint on the order of faults: nobody stops before some replica
// has reached the last view.
func stopLast(m *model.Model, s *model.State) bool {
	c := m.Config()
	if s.Stops == 0 {
		return true
	}
	for i := range c.Replicas {
		if r := &s.Replica[i]; r.Status != model.Stopped && int(r.View) == c.ViewMax {
			return true
		}
	}
	return false
}

// fromViewZero is the identity of a body that the primary of view 0 prepared; those of
// later views are above it, and that of no body is below.
const fromViewZero = 1

// inheritedLog is a constraint on the order of requests: every op below the last one
// is first prepared in view 0, so that a later view has it from its predecessor or not
// at all.
func inheritedLog(m *model.Model, s *model.State) bool {
	c := m.Config()
	for i := range c.Replicas {
		r := &s.Replica[i]
		for op := range c.Ops - 1 {
			if r.Journal[op] > fromViewZero {
				return false
			}
		}
	}
	return true
}

// deposedStays is a constraint on what replica 0 learns: it stays the primary of view 0 and
// goes on serving that, whatever the others do.
func deposedStays(m *model.Model, s *model.State) bool {
	r := &s.Replica[0]
	return r.Status == model.Stopped || r.Status == model.Normal && r.View == 0
}
