package model

// Faults, and how a replica finds its way back.

// crashRestart: a replica loses its volatile state and restarts. The view and the
// log view are in the superblock; so is the journal when it is durable.
func (m *Model) crashRestart(t *State, i int) Outcome {
	r := &t.Replica[i]
	if int(t.Crashes) >= m.cfg.Crashes || !m.cfg.MayCrash.Has(i) {
		return NotEnabled
	}
	old := *r
	if m.decisions != nil {
		m.noteCrash(t, i, &old)
	}
	*r = Replica{Status: Recovering, View: old.View, LogView: old.LogView}
	if m.rules.ViewDurability == ViewLost {
		r.View, r.LogView = 0, 0
		m.forgetVotes(t, i)
	}
	if m.cfg.JournalDurable {
		r.Journal = old.Journal
		m.advanceHead(r)
		r.CommitMax = m.restartCommit(t, r)
		m.commitWalk(t, i)
	} else {
		m.lose(t, i)
	}
	m.closeSession(t, i)
	m.endBoot(t, i)
	t.Crashes++
	return changed
}

// endBoot is the part of the rule incarnation that a restart has: what replica i asked
// before it, and what was answered, carries the incarnation of a boot that is over. So no
// answer to an old probe is adopted, and the probe is as good as lost; but one of a view
// that the replica leads still says that it cannot lead that view. A StartView that a
// primary sends to all unasked carries the incarnation that each last probed with.
func (m *Model) endBoot(t *State, i int) {
	if m.rules.Incarnation != IncarnationChecked {
		return
	}
	t.Net.Answer[i] = [MaxViews]uint64{}
	for v := range uint8(m.cfg.views()) {
		if m.cfg.Primary(v) == i {
			continue
		}
		for j := range m.cfg.Replicas {
			t.Net.Probe[j] &^= 1 << m.senderPos(v, i)
		}
	}
}

// restarted reports whether a replica has restarted and not rejoined yet. One that is
// Recovering because it has seen a newer view has lost nothing. (One that has restarted in
// the view that it leads may see a newer view, too. It then counts as one of those, which
// is safe: it took no part in the view that it adopts.)
func (m *Model) restarted(r *Replica) bool {
	return r.Status == Recovering && r.Observed <= r.View
}

// forgetVotes: the votes that replica i has counted are part of what it loses. Only a
// replica that forgets its view may collect votes for the same one again.
func (m *Model) forgetVotes(t *State, i int) {
	for v := range m.cfg.views() {
		for j := range m.cfg.Replicas {
			if vote := &t.Net.DoViewChange[v][j]; vote.Where == voteCounted && m.cfg.Primary(uint8(v)) == i {
				*vote = Vote{}
			}
		}
	}
}

// restartCommit is the rule restart_applies: up to which op a restarted replica takes
// its durable journal for committed.
func (m *Model) restartCommit(t *State, r *Replica) uint8 {
	m.decides(ruleRestartApplies, r.Op > 0)
	switch m.rules.RestartApplies {
	case RestartAppliesCarried:
		carried := uint8(0)
		for op := uint8(1); op <= r.Op; op++ {
			carried = max(carried, t.Stamp[r.held(op)-1][op-1])
		}
		return carried
	case RestartAppliesJournaled:
		return r.Op
	}
	return 0
}

// stop: a replica is gone for good.
func (m *Model) stop(t *State, i int) Outcome {
	if int(t.Stops) >= m.cfg.Stops || !m.cfg.MayStop.Has(i) {
		return NotEnabled
	}
	t.Replica[i] = Replica{Status: Stopped}
	m.closeSession(t, i)
	m.lose(t, i)
	t.Stops++
	return changed
}

// drop: the message that the receiving action a would deliver is lost. Sending it
// again puts it back.
func (m *Model) drop(t *State, a uint32) Outcome {
	m.remove(t, a)
	t.Drops++
	return changed
}

// newerViewTimeout: a Normal replica that has seen traffic of a newer view stops
// serving its own and probes for the newer one. At a primary this is the heartbeat
// timer, at a backup the timer that waits for heartbeats; neither changes the view.
func (m *Model) newerViewTimeout(t *State, i int) Outcome {
	r := &t.Replica[i]
	if r.Status != Normal || r.Observed <= r.View {
		return NotEnabled
	}
	m.decides(ruleProbeAdoption, true) // of what it asks for, an old StartView may be in flight, or be dead already
	m.leaveView(t, i)
	r.Status = Recovering
	return changed
}

// probe: a Recovering replica, or a backup in a view change, asks everybody for the
// StartView of the current view.
func (m *Model) probe(t *State, i int) Outcome {
	r := &t.Replica[i]
	m.decides(ruleMissedStartView, r.Status == ViewChange && !m.leads(t, i))
	switch {
	case r.Status == Recovering:
	case r.Status == ViewChange && !m.leads(t, i) && m.rules.MissedStartView == MissedProbes:
	default:
		return NotEnabled
	}
	if m.watches(ruleProbeMatch) {
		m.noteProbe(t, i)
	}
	out := m.broadcast(&t.Net.Probe, i, m.senderPos(r.View, i))
	if m.cutWhenAsking(r) {
		out = changed
	}
	return out
}

// cutWhenAsking is the rule state_transfer_cut: a replica that asks for the log of its
// view already drops its own above its commit number. One that is in a view change may
// still vote, and advertises the head that is left.
func (m *Model) cutWhenAsking(r *Replica) bool {
	if m.watches(ruleStateTransferCut) {
		m.noteTransfer(r)
	}
	if m.rules.StateTransferCut != CutWhenAsked {
		return false
	}
	cut := r.Op > r.CommitMax
	r.Op = min(r.Op, r.CommitMax)
	for op := r.CommitMax + 1; int(op) <= m.cfg.Ops; op++ {
		cut = cut || r.held(op) != none
		r.Journal[op-1] = none
	}
	return cut
}

// receiveProbe: the settled Normal primary answers with a StartView without suffix.
// A backup stays silent, except that a probe from the primary of its own view,
// stamped with that view, makes it start an election.
func (m *Model) receiveProbe(t *State, i, from int, view uint8) Outcome {
	r := &t.Replica[i]
	if r.Status != Normal {
		return RefusedStatus
	}
	if m.cfg.Primary(r.View) == from {
		m.decides(ruleProbeMatch, view != r.View && int(r.View) < m.cfg.ViewMax)
		if view != r.View && m.rules.ProbeMatch == ProbeStamped {
			return RefusedOldView
		}
		return m.startElection(t, i)
	}
	if !m.leads(t, i) {
		return RefusedNotPrimary
	}
	if r.LogView != r.View {
		return RefusedStatus
	}
	set := &t.Net.Answer[from][r.View]
	pos := answerPos(r.Op, r.CommitMax)
	if *set>>pos&1 == 1 {
		return RefusedNothingNew
	}
	add(set, pos)
	return changed
}

// answerAll: the primary announces its view, without suffix, to every backup.
func (m *Model) answerAll(t *State, i int) Outcome {
	r := &t.Replica[i]
	pos := answerPos(r.Op, r.CommitMax)
	var out Outcome = RefusedNothingNew
	for j := range m.cfg.Replicas {
		if j != i && t.Net.Answer[j][r.View]>>pos&1 == 0 {
			add(&t.Net.Answer[j][r.View], pos)
			out = changed
		}
	}
	return out
}

// probeTimeout: a recovering replica that nobody answers starts an election.
func (m *Model) probeTimeout(t *State, i int) Outcome {
	if !m.cfg.RecoveringElects || t.Replica[i].Status != Recovering {
		return NotEnabled
	}
	return m.startElection(t, i)
}

// lose notes that a replica lost its journal or stopped, where that is part of the state:
// without a view change no op is asked of those that are left.
func (m *Model) lose(t *State, i int) {
	if m.tracksLost() {
		t.Lost |= 1 << i
	}
}

// tracksLost reports whether State.Lost is kept.
func (m *Model) tracksLost() bool { return m.cfg.views() > 1 }
