package invariants

import "vsrcheck/model"

// stable calls see for every Normal primary that keeps a quorum: a replication
// quorum of replicas is up and none of them is past the primary's view.
func stable(m *model.Model, s *model.State, see func(p int, r *model.Replica)) {
	if s.Failed != model.AssertNone {
		return // the system has aborted, and NoAssertion says so
	}
	c := m.Config()
	for i := range c.Replicas {
		r := &s.Replica[i]
		if r.Status != model.Normal || c.Primary(r.View) != i {
			continue
		}
		up := 0
		for j := range c.Replicas {
			if other := &s.Replica[j]; other.Status != model.Stopped && other.View <= r.View {
				up++
			}
		}
		if up >= c.ReplicationQuorum() {
			see(i, r)
		}
	}
}

func quorumAckedCommits(m *model.Model, s *model.State) (out uint64) {
	stable(m, s, func(_ int, r *model.Replica) {
		for op := r.CommitMax + 1; op <= r.Op; op++ {
			if m.QuorumAcked(r, op) {
				out |= 1 << (op - 1)
			}
		}
	})
	return out
}

// decidedOrAlone is the ops that somebody has committed, or all when no primary keeps a
// quorum.
func decidedOrAlone(m *model.Model, s *model.State) (out uint64) {
	out = 1<<m.Config().Ops - 1
	stable(m, s, func(int, *model.Replica) { out = 0 })
	for op := range m.Config().Ops {
		if s.Decided[op] != 0 {
			out |= 1 << op
		}
	}
	return out
}

func everyPreparedCommits(m *model.Model, s *model.State) (out uint64) {
	stable(m, s, func(_ int, r *model.Replica) {
		for op := r.CommitMax + 1; op <= r.Op; op++ {
			out |= 1 << (op - 1)
		}
	})
	return out
}

// backupsCatchUp is the replicas that have something left to apply: a primary below its own
// commit_max, and a backup below what its primary has applied. A backup has to come to not
// less than its primary, not to the same. It may be above it: when the view changes it can
// know of a commit that the new primary has not heard of, and it can hold a body that the
// primary still has to repair. Nothing that is applied is taken back, so "equal" would ask
// the primary to move, which is asked of it by itself: here up to its commit_max, and above
// that by everyPreparedCommits.
func backupsCatchUp(m *model.Model, s *model.State) (out uint64) {
	n := m.Config().Replicas
	stable(m, s, func(p int, r *model.Replica) {
		if r.CommitMin < r.CommitMax {
			out |= 1 << p // the primary has to apply what it knows to be committed
		}
		for j := range n {
			other := &s.Replica[j]
			if other.Status != model.Stopped && other.View <= r.View && other.CommitMin < r.CommitMin {
				out |= 1 << j
			}
		}
	})
	return out
}

func votesDecide(m *model.Model, s *model.State) uint64 {
	if s.Failed != model.AssertNone {
		return 0
	}
	return uint64(m.Undecided(s))
}

func someQuorumOfVotes(m *model.Model, s *model.State) bool {
	return votesDecide(m, s) != 0
}

func someQuorumAcked(m *model.Model, s *model.State) bool {
	return quorumAckedCommits(m, s) != 0
}

func someCommit(m *model.Model, s *model.State) bool {
	c := m.Config()
	for i := range c.Replicas {
		r := &s.Replica[i]
		if r.Status == model.Normal && c.Primary(r.View) == i && r.CommitMax > 0 {
			return true
		}
	}
	return false
}

func someCatchUp(m *model.Model, s *model.State) bool {
	c := m.Config()
	for i := range c.Replicas {
		r := &s.Replica[i]
		if r.Status == model.Normal && c.Primary(r.View) != i && r.CommitMin > 0 {
			return true
		}
	}
	return false
}

func someNumber(m *model.Model, s *model.State) bool {
	for i := range m.Config().Replicas {
		if r := &s.Replica[i]; r.View > 0 || r.Op > 0 || r.CommitMax > 0 {
			return true
		}
	}
	return false
}

func someTwoApply(m *model.Model, s *model.State) bool {
	n := 0
	for i := range m.Config().Replicas {
		if s.Replica[i].CommitMin > 0 {
			n++
		}
	}
	return n >= 2
}

func someViewStarts(m *model.Model, s *model.State) bool {
	c := m.Config()
	for i := range c.Replicas {
		if r := &s.Replica[i]; r.Status == model.Normal && r.View > 0 && c.Primary(r.View) == i {
			return true
		}
	}
	return false
}

func someSettledView(m *model.Model, s *model.State) bool {
	c := m.Config()
	view := s.Replica[0].View
	for i := range c.Replicas {
		if r := &s.Replica[i]; r.Status != model.Normal || r.View != view {
			return false
		}
	}
	return int(view) < c.ViewMax && (view > 0 || s.Crashes > 0)
}

// viewUnsettled is asked in quiescent states only: whether a view change waits there
// although a quorum is up.
func viewUnsettled(m *model.Model, s *model.State) bool {
	c := m.Config()
	up, waiting := 0, false
	if s.Failed != model.AssertNone {
		return false
	}
	for i := range c.Replicas {
		if r := &s.Replica[i]; r.Status != model.Stopped {
			up++
			waiting = waiting || r.Status == model.ViewChange
		}
	}
	return waiting && up >= c.ViewChangeQuorum()
}
