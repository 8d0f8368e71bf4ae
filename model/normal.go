package model

// Normal operation: section 4.1 of Viewstamped Replication Revisited, as Iggy's
// partition plane runs it.

// request: the Normal primary prepares the next op. In the system this is a client
// request that finds room in the pipeline.
func (m *Model) request(t *State, i int) Outcome {
	r := &t.Replica[i]
	if r.Status != Normal || !m.leads(t, i) {
		return NotEnabled
	}
	if int(r.Op) >= m.cfg.Ops || int(r.Op)-int(r.CommitMax) >= m.cfg.Pipeline {
		return RefusedBound
	}
	r.Op++
	id := identityOf(r.View)
	r.Journal[r.Op-1] = id
	m.selfAck(t, i, r.Op)
	if m.cfg.PrepareCarriesCommit {
		t.Stamp[r.View][r.Op-1] = r.CommitMax
	}
	m.forward(t, i, r.View, r.Op, id)
	// A quorum of one acks itself: never with two replicas or more.
	return changed
}

// selfAck is the rule self_ack: the primary acks an op that it has just prepared.
func (m *Model) selfAck(t *State, i int, op uint8) {
	r := &t.Replica[i]
	m.decides(ruleSelfAck, true)
	if m.rules.SelfAck == SelfAckPrepared {
		r.Acks[op-1] = 1 << i
		return
	}
	add(&t.Net.PrepareOk[i], m.preparePos(r.View, op, r.held(op)))
}

// inPipeline reports whether a primary waits for acks of an op. Its own is the first,
// unless that is a message of its own.
func (m *Model) inPipeline(r *Replica, op uint8) bool {
	if m.rules.SelfAck == SelfAckPrepared {
		return r.Acks[op-1] != 0
	}
	return op > r.CommitMax && op <= r.Op
}

// forward sends a prepare to the next replica on the ring, which ends before the
// primary of the message's view.
func (m *Model) forward(t *State, i int, view, op uint8, id identity) {
	next := (i + 1) % m.cfg.Replicas
	if next != m.cfg.Primary(view) {
		add(&t.Net.Prepare[next], m.preparePos(view, op, id))
	}
}

// ack sends a PrepareOk for an op to the primary of the replica's view.
func (m *Model) ack(t *State, i int, op uint8, id identity) {
	view := t.Replica[i].View
	if m.cfg.Primary(view) != i {
		add(&t.Net.PrepareOk[i], m.preparePos(view, op, id))
	}
}

// receivePrepare: a replica receives a prepare with the given view stamp.
func (m *Model) receivePrepare(t *State, i int, view, op uint8, id identity) Outcome {
	r := &t.Replica[i]
	if r.Status != Normal {
		return RefusedStatus
	}
	if view < r.View {
		return RefusedOldView
	}
	if view > r.View {
		return m.observe(r, view) | RefusedNewerView
	}
	backup := !m.leads(t, i)
	var out Outcome
	if stamp := t.Stamp[id-1][op-1]; backup && stamp > r.CommitMax {
		r.CommitMax = stamp // before any check below
		out = changed
	}
	if op <= r.CommitMin {
		if m.watches(ruleAppliedPrepare) {
			m.decides(ruleAppliedPrepare, r.held(op) == id && op <= r.Op && m.ackMatters(t, i, op, id))
		}
		if m.rules.AppliedPrepare == AppliedAcked && r.held(op) == id && op <= r.Op {
			m.ack(t, i, op, id)
			return changed
		}
		return out | RefusedApplied
	}
	if held := r.held(op); held != none {
		if held != id {
			return out | RefusedDiffers
		}
		if m.watches(ruleReack) {
			m.decides(ruleReack, m.forwardMatters(t, i, view, op, id) || op <= r.Op && m.ackMatters(t, i, op, id))
		}
		if m.rules.Reack == ReackDropped {
			return out | RefusedHeld
		}
		// Both are idempotent at their receivers.
		m.forward(t, i, view, op, id)
		if op <= r.Op {
			m.ack(t, i, op, id)
		}
		return changed
	}
	if !backup {
		// The primary journals what it prepares before anybody can send it back, and
		// the ring and the retransmission both leave it out.
		if op > r.Op {
			t.Failed = AssertPrepareAboveSequencer
			return changed
		}
		r.Journal[op-1] = id
		return changed
	}
	m.decides(ruleGapCheck, op <= r.Op)
	if op != r.Op+1 && !m.admitsHole(r, op) {
		return out | RefusedGap
	}
	r.Journal[op-1] = id
	r.Op = max(r.Op, op)
	m.decides(rulePrepareFrontier, int(r.Op) < m.cfg.Ops && r.held(r.Op+1) != none)
	if m.rules.PrepareFrontier == FrontierContiguous {
		m.advanceHead(r)
	}
	m.forward(t, i, view, op, id)
	m.ack(t, i, op, id)
	m.commitWalk(t, i)
	return changed
}

// admitsHole is the part of the gap check that the rule gap_check switches: whether
// a backup takes a prepare at an op that it already claims and does not hold.
func (m *Model) admitsHole(r *Replica, op uint8) bool {
	switch m.rules.GapCheck {
	case GapJournal:
		return op <= r.Op
	case GapAdoptedHole:
		return op <= r.Op && op <= r.AnnouncedOp
	}
	return false
}

// observe remembers traffic of a newer view that the replica cannot process.
func (m *Model) observe(r *Replica, view uint8) Outcome {
	if view <= r.Observed {
		return 0
	}
	r.Observed = view
	return changed
}

// receivePrepareOk: primary p receives an ack from replica from.
func (m *Model) receivePrepareOk(t *State, p, from int, view, op uint8, id identity) Outcome {
	r := &t.Replica[p]
	switch {
	case r.Status != Normal:
		return RefusedStatus
	case view < r.View:
		return RefusedOldView
	case view > r.View:
		return RefusedNewerView
	case op <= r.CommitMax || !m.inPipeline(r, op):
		return RefusedNotInPipeline
	case r.held(op) != id:
		return RefusedDiffers
	case r.Acks[op-1].Has(from) || m.hasQuorum(r, op):
		return RefusedDuplicateAck
	}
	r.Acks[op-1] |= 1 << from
	if !m.hasQuorum(r, op) {
		return changed
	}
	// The commit point walks up while consecutive ops have their quorum, and stops
	// at the first that has none.
	for int(r.CommitMax) < m.cfg.Ops && m.hasQuorum(r, r.CommitMax+1) {
		r.CommitMax++
		m.decide(t, r, r.CommitMax)
	}
	m.drain(t, p)
	return changed
}

// hasQuorum reports whether the primary r has seen a replication quorum of acks for
// an op of its pipeline. Acks beyond it change nothing and are not counted.
func (m *Model) hasQuorum(r *Replica, op uint8) bool {
	return r.Acks[op-1].Len() >= m.cfg.ReplicationQuorum()
}

// QuorumAcked reports whether a primary has seen a replication quorum of acks for
// an op that it has not committed.
func (m *Model) QuorumAcked(r *Replica, op uint8) bool {
	return op > r.CommitMax && m.hasQuorum(r, op)
}

// decide records the ghost: what the group first committed or applied at an op.
func (m *Model) decide(t *State, r *Replica, op uint8) {
	if t.Decided[op-1] != none {
		return
	}
	t.Decided[op-1] = r.held(op)
	if m.tracksDecidedIn() {
		t.DecidedIn[op-1] = r.View
	}
}

// tracksDecidedIn reports whether State.DecidedIn is kept.
func (m *Model) tracksDecidedIn() bool { return m.cfg.ViewMax > 1 }

// drain applies the committed prefix of the primary's pipeline; when nothing of it
// is committed, the journal is walked instead. The running system asserts that the
// ops it takes out of the pipeline follow the last one applied.
func (m *Model) drain(t *State, i int) {
	r := &t.Replica[i]
	drained := false
	for op := uint8(1); op <= r.CommitMax; op++ {
		if r.Acks[op-1] == 0 {
			continue
		}
		drained = true
		r.Acks[op-1] = 0
		if op != r.CommitMin+1 {
			t.Failed = AssertCommitSequential
			return
		}
		m.apply(t, r, op)
	}
	if !drained {
		m.commitWalk(t, i)
	}
}

// commitWalk applies committed ops while the journal holds the next one; it never
// skips a hole.
func (m *Model) commitWalk(t *State, i int) {
	r := &t.Replica[i]
	for r.CommitMin < r.CommitMax && r.held(r.CommitMin+1) != none {
		m.apply(t, r, r.CommitMin+1)
	}
}

func (m *Model) apply(t *State, r *Replica, op uint8) {
	r.CommitMin = op
	m.decide(t, r, op)
}

// tickCommitWalk: a tick applies committed ops that are in the journal.
func (m *Model) tickCommitWalk(t *State, i int) Outcome {
	r := &t.Replica[i]
	if r.Status != Normal || r.CommitMin >= r.CommitMax || r.held(r.CommitMin+1) == none {
		return NotEnabled
	}
	if m.leads(t, i) {
		m.drain(t, i)
	} else {
		m.commitWalk(t, i)
	}
	return changed
}

// heartbeat: the primary tells all backups what it has applied. A primary that has
// seen traffic of a newer view probes instead, see newerViewTimeout.
func (m *Model) heartbeat(t *State, i int) Outcome {
	r := &t.Replica[i]
	if r.Status != Normal || !m.leads(t, i) || r.Observed > r.View {
		return NotEnabled
	}
	return m.broadcast(&t.Net.Commit, i, m.commitPos(r.View, r.CommitMin))
}

// receiveCommit: a replica receives a heartbeat.
func (m *Model) receiveCommit(t *State, i int, view, commit uint8) Outcome {
	r := &t.Replica[i]
	if m.leads(t, i) {
		if r.Status == Normal && view < r.View {
			// The sender missed the view change: announce the view to every backup.
			return m.answerAll(t, i)
		}
		if view > r.View {
			return m.observe(r, view) | RefusedNewerView
		}
		return RefusedOldView
	}
	switch {
	case r.Status != Normal:
		return RefusedStatus
	case view < r.View:
		return RefusedOldView
	case view > r.View:
		return m.observe(r, view) | RefusedNewerView
	case commit <= r.CommitMax:
		return RefusedNothingNew
	}
	r.CommitMax = commit
	m.commitWalk(t, i)
	m.armRepair(t, i, m.cfg.Primary(view))
	return changed
}

// retransmit: the Normal primary re-sends each op above its commit number that has
// no quorum to every replica missing from its acks. Under self_ack = tick the same tick
// makes its own ack again.
func (m *Model) retransmit(t *State, i int) Outcome {
	r := &t.Replica[i]
	if r.Status != Normal || !m.leads(t, i) {
		return NotEnabled
	}
	var out Outcome = RefusedNothingNew
	for op := r.CommitMax + 1; op <= r.Op; op++ {
		if !m.inPipeline(r, op) || m.hasQuorum(r, op) {
			continue
		}
		pos := m.preparePos(r.View, op, r.held(op))
		for j := range m.cfg.Replicas {
			if j != i && !r.Acks[op-1].Has(j) && t.Net.Prepare[j]>>pos&1 == 0 {
				add(&t.Net.Prepare[j], pos)
				out = changed
			}
		}
		if m.rules.SelfAck == SelfAckTick && !r.Acks[op-1].Has(i) && t.Net.PrepareOk[i]>>pos&1 == 0 {
			m.selfAck(t, i, op)
			out = changed
		}
	}
	return out
}
