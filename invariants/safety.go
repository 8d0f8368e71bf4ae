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

// settledViewStays asks for the steps that are possible, not for one that is taken: an
// election that a message starts ends in the same state as one that a timeout starts.
func settledViewStays(m *model.Model, s *model.State) bool {
	replicas := s.Replica[:m.Config().Replicas]
	for i := range replicas {
		if replicas[i].Status != model.Normal || replicas[i].View != replicas[0].View {
			return true
		}
	}
	holds := true
	var t model.State
	m.Next(s, &t, func(a uint32) {
		for i := range replicas {
			holds = holds && (!m.Fair(a) || t.Replica[i].View <= replicas[i].View)
		}
	})
	return holds
}

// durability looks at the step in which a primary starts its view: it leaves the status
// ViewChange for the view that it leads, which nobody else can announce to it.
func durability(m *model.Model, s *model.State, _ uint32, t *model.State) bool {
	c := m.Config()
	return t.Lost.Len() > c.MaxFaulty() || !forgets(m, s, t)
}

// durabilityExcused reports whether a view starts that durability would not let pass, but
// that more than f replicas have lost what they had.
func durabilityExcused(m *model.Model, s, t *model.State) bool {
	c := m.Config()
	return t.Lost.Len() > c.MaxFaulty() && forgets(m, s, t)
}

// forgets reports whether a view starts without an op that was decided below it.
func forgets(m *model.Model, s, t *model.State) bool {
	c := m.Config()
	for i := range c.Replicas {
		a, b := &s.Replica[i], &t.Replica[i]
		if b.Status != model.Normal || a.Status != model.ViewChange || c.Primary(b.View) != i {
			continue
		}
		for op := range uint8(c.Ops) {
			id := s.Decided[op]
			if id == 0 || op < b.CommitMin || s.DecidedIn[op] >= b.View && c.ViewMax > 1 {
				continue // nothing decided below this view, or applied: Agreement looks after it
			}
			if op >= b.Op {
				return true
			}
			// A hole at or below commit_max is still to be repaired; another body is wrong.
			if held := b.Journal[op]; held != id && (held != 0 || op >= b.CommitMax) {
				return true
			}
		}
	}
	return false
}

// committedIsHeld: journals that are not durable are lost with their replica, so what is
// held is what is in the journal of one that is up.
func committedIsHeld(m *model.Model, s *model.State) bool {
	c := m.Config()
	for op := range c.Ops {
		held := s.Decided[op] == 0
		for i := range c.Replicas {
			r := &s.Replica[i]
			held = held || r.Status != model.Stopped && r.Journal[op] == s.Decided[op]
		}
		if !held {
			return false
		}
	}
	return true
}
