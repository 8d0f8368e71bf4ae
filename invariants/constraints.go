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
