package model

// Log repair. It is not in the paper: a replica that misses bodies asks one peer for
// a range of ops.

// missingSuffix reports whether some op above the commit number that the replica
// claims is not in its journal.
func missingSuffix(r *Replica) bool {
	for op := r.CommitMax + 1; op <= r.Op; op++ {
		if r.held(op) == none {
			return true
		}
	}
	return false
}

// fetchToOp is the last op that a new repair session asks for, or 0 when there is
// nothing to repair. This is the rule that the report is about.
func (m *Model) fetchToOp(r *Replica) uint8 {
	lag := r.CommitMin < r.CommitMax
	missing := missingSuffix(r)
	m.decides(ruleFetchToOp, lag && missing)
	switch {
	case !lag && !missing:
		return 0
	case lag && m.rules.FetchToOp == FetchOld:
		return r.CommitMax
	case lag && !missing:
		return r.CommitMax
	}
	return r.Op
}

// armRepair opens a repair session with peer and sends its request: only when
// Normal, with no session live and something to repair.
func (m *Model) armRepair(t *State, i, peer int) Outcome {
	r := &t.Replica[i]
	if r.Status != Normal || r.SessionTo != 0 || peer == i {
		return NotEnabled
	}
	to := m.fetchToOp(r)
	if to == 0 {
		return NotEnabled
	}
	m.openSession(t, i, peer, to)
	return changed
}

func (m *Model) openSession(t *State, i, peer int, to uint8) {
	r := &t.Replica[i]
	r.SessionTo, r.SessionPeer = to, uint8(peer)
	m.askRepair(t, i)
}

// closeSession ends the repair session. A RepairDone of it that is still in flight
// would be ignored by a later session; under the rule repair_frames = session so would its
// frames, and what is still to be served of its request.
func (m *Model) closeSession(t *State, i int) {
	r := &t.Replica[i]
	if m.watches(ruleRepairFrames) {
		m.noteClose(t, i, r.SessionTo != 0)
	}
	r.SessionTo, r.SessionPeer = 0, 0
	t.Net.RepairDone[i] = 0
	if m.rules.RepairFrames == FramesOfSession {
		t.Net.RepairPrepare[i] = 0
		for j := range m.cfg.Replicas {
			t.Net.RequestPrepares[j][i] = 0
		}
	}
}

// askRepair sends the request of the live session for what is not applied yet.
func (m *Model) askRepair(t *State, i int) Outcome {
	r := &t.Replica[i]
	from := r.CommitMin + 1
	if from > r.SessionTo {
		return RefusedNothingNew
	}
	set := &t.Net.RequestPrepares[r.SessionPeer][i]
	pos := rangePos(from, r.SessionTo)
	if *set>>pos&1 == 1 {
		return RefusedNothingNew
	}
	add(set, pos)
	return changed
}

// tickArmRepair: a tick opens a session while an op is missing, as far as the rule
// repair_arming lets it. The peer is the primary; a primary asks the next replica on
// the ring.
func (m *Model) tickArmRepair(t *State, i int) Outcome {
	r := &t.Replica[i]
	if r.Status != Normal || r.SessionTo != 0 {
		return NotEnabled
	}
	hole := r.CommitMin < r.CommitMax && r.held(r.CommitMin+1) == none
	if m.watches(ruleRepairArming) {
		m.decides(ruleRepairArming, hole || missingSuffix(r))
	}
	switch m.rules.RepairArming {
	case ArmEvents:
		return NotEnabled
	case ArmAny:
		hole = hole || missingSuffix(r)
	}
	if !hole {
		return NotEnabled
	}
	peer := m.cfg.Primary(r.View)
	if peer == i {
		peer = (i + 1) % m.cfg.Replicas
	}
	return m.armRepair(t, i, peer)
}

// retryRepair: a stalled session of a Normal replica asks again.
func (m *Model) retryRepair(t *State, i int) Outcome {
	r := &t.Replica[i]
	if r.Status != Normal || r.SessionTo == 0 {
		return NotEnabled
	}
	return m.askRepair(t, i)
}

// closeRepair: under the rule session_end = tick, a tick ends a session whose window
// was applied otherwise. Without it such a session waits for a RepairDone that it no
// longer asks for, and keeps any other from opening.
func (m *Model) closeRepair(t *State, i int) Outcome {
	r := &t.Replica[i]
	m.decides(ruleSessionEnd, r.SessionTo != 0 && r.CommitMin >= r.SessionTo)
	if m.rules.SessionEnd != EndOnTick || r.SessionTo == 0 || r.CommitMin < r.SessionTo {
		return NotEnabled
	}
	m.closeSession(t, i)
	return changed
}

// receiveRequestPrepares: a Normal peer streams the ops that it holds in the asked
// range, in order, up to its first hole, and then RepairDone.
func (m *Model) receiveRequestPrepares(t *State, i, from int, low, high uint8) Outcome {
	r := &t.Replica[i]
	if r.Status != Normal {
		return RefusedStatus
	}
	if m.watches(ruleServeCeiling) {
		m.noteServe(t, r, from, low, high)
	}
	ceiling := r.CommitMax
	if m.rules.ServeCeiling == ServeHead {
		ceiling = max(ceiling, r.Op)
	}
	var out Outcome = RefusedNothingNew
	for op := low; op <= min(high, ceiling) && r.held(op) != none; op++ {
		pos := m.repairPos(op, r.held(op))
		if t.Net.RepairPrepare[from]>>pos&1 == 0 {
			add(&t.Net.RepairPrepare[from], pos)
			out = changed
		}
	}
	// RepairDone carries the number of the session that asked; a session is told
	// from an earlier one by its peer and its end.
	asker := &t.Replica[from]
	if asker.SessionTo == high && int(asker.SessionPeer) == i && t.Net.RepairDone[from] == 0 {
		t.Net.RepairDone[from] = 1
		out = changed
	}
	return out
}

// receiveRepairPrepare: a replica receives a repaired prepare. There is no check of
// the view, the status or the role. Under repair_frames = any frames carry no session
// number, so one from an earlier session counts, whoever sent it.
func (m *Model) receiveRepairPrepare(t *State, i int, op uint8, id identity) Outcome {
	r := &t.Replica[i]
	switch {
	case r.SessionTo == 0:
		return RefusedNoSession
	case op <= r.CommitMin:
		return RefusedApplied
	case op > r.SessionTo:
		return RefusedOutOfSession
	case r.held(op) != none:
		return RefusedHeld
	}
	if m.watches(ruleRepairScope) {
		m.noteScope(r, op, id)
	}
	if !m.inScope(r, op) {
		return RefusedOutOfSuffix
	}
	r.Journal[op-1] = id
	if m.watches(ruleRepairFrontier) {
		m.noteFrontier(r, op)
	}
	if m.rules.RepairFrontier == RepairedOp {
		r.Op = max(r.Op, op)
	} else {
		m.advanceHead(r)
	}
	return changed
}

// inScope is the rule repair_scope: whether a replica takes a repaired op that its
// session asks for. The suffix of the StartView that it adopted ends where its view
// began; what was prepared in the view is above.
func (m *Model) inScope(r *Replica, op uint8) bool {
	return m.rules.RepairScope != ScopeSuffix || r.HeadersOp == 0 || op <= r.HeadersOp
}

// advanceHead moves the sequencer along the contiguous journal above the head, never
// over a hole: a vote advertises the head.
func (m *Model) advanceHead(r *Replica) {
	for int(r.Op) < m.cfg.Ops && r.held(r.Op+1) != none {
		r.Op++
	}
}

// receiveRepairDone: the end of the live session's stream. It runs the commit walk;
// the session ends when all that it asked for is applied, and asks for the rest at
// once when the walk got on.
func (m *Model) receiveRepairDone(t *State, i int) Outcome {
	r := &t.Replica[i]
	if r.SessionTo == 0 {
		return RefusedNoSession
	}
	before := r.CommitMin
	m.commitWalk(t, i)
	if r.CommitMin >= r.SessionTo {
		m.closeSession(t, i)
		return changed
	}
	if r.CommitMin == before {
		return RefusedNothingNew
	}
	m.askRepair(t, i)
	return changed
}
