package invariants

import "vsrcheck/model"

func typeOK(m *model.Model, s *model.State) bool {
	c := m.Config()
	for i := range c.Replicas {
		r := &s.Replica[i]
		if r.LogView > r.View || int(r.View) > c.ViewMax || r.CommitMin > r.CommitMax {
			return false
		}
		if int(r.Op) > c.Ops || int(r.CommitMax) > c.Ops || int(r.SessionTo) > c.Ops {
			return false
		}
	}
	return true
}

func agreement(m *model.Model, s *model.State) bool {
	for i := range m.Config().Replicas {
		r := &s.Replica[i]
		for op := range r.CommitMin {
			if r.Journal[op] != s.Decided[op] {
				return false
			}
		}
	}
	return true
}

func noAssertion(_ *model.Model, s *model.State) bool {
	return s.Failed == model.AssertNone
}

func noRegression(m *model.Model, s *model.State, a uint32, t *model.State) bool {
	for i := range m.Config().Replicas {
		before, after := &s.Replica[i], &t.Replica[i]
		if after.Status == model.Stopped {
			continue
		}
		if after.View < before.View || after.LogView < before.LogView {
			return false
		}
		if t.Crashes != s.Crashes && m.Actor(a) == i {
			continue // the one that crashed has lost its commit numbers
		}
		if after.CommitMax < before.CommitMax || after.CommitMin < before.CommitMin {
			return false
		}
	}
	return true
}

// durability looks at the step in which a primary starts its view: its log view
// rises to the view that it leads.
func durability(m *model.Model, s *model.State, _ uint32, t *model.State) bool {
	c := m.Config()
	if t.Lost.Len() > c.MaxFaulty() {
		return true
	}
	for i := range c.Replicas {
		a, b := &s.Replica[i], &t.Replica[i]
		if b.Status != model.Normal || a.Status == model.Normal || c.Primary(b.View) != i || a.LogView == b.LogView {
			continue
		}
		for op := range uint8(c.Ops) {
			id := s.Decided[op]
			if id == 0 || op < b.CommitMin || s.DecidedIn[op] >= b.View && c.ViewMax > 1 {
				continue // nothing decided below this view, or applied: Agreement looks after it
			}
			if op >= b.Op {
				return false
			}
			// A hole at or below commit_max is still to be repaired; another body is wrong.
			if held := b.Journal[op]; held != id && (held != 0 || op >= b.CommitMax) {
				return false
			}
		}
	}
	return true
}
