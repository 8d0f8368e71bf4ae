package model

// View changes: section 4.2 of Viewstamped Replication Revisited, with the vote and
// the merge of the running system: votes carry headers with nack and present bits,
// and the new primary decides per op.

// startElection moves a replica to the next view on its own account.
func (m *Model) startElection(t *State, i int) Outcome {
	r := &t.Replica[i]
	if int(r.View) >= m.cfg.ViewMax {
		return RefusedBound
	}
	// The headers of the adopted log are gone before the vote is built.
	m.clearHeaders(r)
	m.enterViewChange(t, i, r.View+1)
	return changed
}

// enterViewChange leaves the view for a higher one, counts the own vote and
// broadcasts StartViewChange.
func (m *Model) enterViewChange(t *State, i int, view uint8) {
	r := &t.Replica[i]
	m.leaveView(t, i)
	r.View = view
	r.Status = ViewChange
	m.resetViewChange(r)
	r.Votes = 1 << i
	m.sendStartViewChange(t, i)
}

// resetViewChange clears what a view change collects: the pipeline, the votes and
// the parked log.
func (m *Model) resetViewChange(r *Replica) {
	r.Acks = [MaxOps]ReplicaSet{}
	r.Votes, r.VoteSent = 0, 0
	m.clearMerged(r)
}

func (m *Model) clearMerged(r *Replica) {
	r.Parked, r.MergedOp, r.MergedCommit = 0, 0, 0
	r.Merged = [MaxOps]identity{}
}

func (m *Model) clearHeaders(r *Replica) {
	r.HeadersOp = 0
	r.Headers = [MaxOps]identity{}
}

func (m *Model) sendStartViewChange(t *State, i int) Outcome {
	return m.broadcast(&t.Net.StartViewChange, i, m.senderPos(t.Replica[i].View, i))
}

// heartbeatTimeout: a Normal backup hears nothing from its primary and starts an
// election. One that has seen traffic of a newer view probes instead, see
// newerViewTimeout.
func (m *Model) heartbeatTimeout(t *State, i int) Outcome {
	r := &t.Replica[i]
	if r.Status != Normal || m.leads(t, i) || r.Observed > r.View {
		return NotEnabled
	}
	return m.startElection(t, i)
}

// viewChangeTimeout: a view change does not come to an end; try the next view. What
// the replica knows of the adopted headers stays as it is.
func (m *Model) viewChangeTimeout(t *State, i int) Outcome {
	r := &t.Replica[i]
	if r.Status != ViewChange {
		return NotEnabled
	}
	if int(r.View) >= m.cfg.ViewMax {
		return RefusedBound
	}
	m.enterViewChange(t, i, r.View+1)
	return changed
}

// resendStartViewChange: a replica in a view change repeats its StartViewChange.
func (m *Model) resendStartViewChange(t *State, i int) Outcome {
	if t.Replica[i].Status != ViewChange {
		return NotEnabled
	}
	return m.sendStartViewChange(t, i)
}

// staysOut is the rule recovering_votes: whether a replica hears nothing of a view
// change because it is recovering. What a crash has left it proves nothing.
func (m *Model) staysOut(r *Replica) bool {
	return r.Status == Recovering && m.rules.RecoveringVotes == RecoveringInvisible
}

// receiveStartViewChange: count the sender; with f of them from others, vote.
func (m *Model) receiveStartViewChange(t *State, i, from int, view uint8) Outcome {
	r := &t.Replica[i]
	m.decides(ruleRecoveringVotes, r.Status == Recovering && view > r.View)
	if m.staysOut(r) {
		return RefusedStatus
	}
	if view < r.View {
		return RefusedOldView
	}
	if view > r.View {
		m.enterViewChange(t, i, view)
	} else if r.Status != ViewChange {
		// The running system would send a vote that its primary ignores: the view
		// has started.
		return RefusedStatus
	}
	if r.VoteSent == 1 || r.Votes.Has(from) {
		return RefusedDecided
	}
	r.Votes |= 1 << from
	if (r.Votes &^ (1 << i)).Len() >= m.cfg.MaxFaulty() {
		m.vote(t, i)
	}
	return changed
}

// vote sends the replica's DoViewChange to the primary of the next view, or counts
// it when it is that primary.
func (m *Model) vote(t *State, i int) {
	r := &t.Replica[i]
	r.VoteSent = 1
	r.Votes = 0
	slot := &t.Net.DoViewChange[r.View][i]
	if slot.Where == voteCounted {
		return // it voted before it forgot the view: view_durability = lost
	}
	*slot = m.buildVote(t, r)
	slot.Where = voteInFlight
	if m.leads(t, i) {
		slot.Where = voteCounted
		m.merge(t, i)
	}
}

// voteCommit is the rule dvc_commit: the commit number of a replica's vote. A heartbeat
// may have brought one above the head.
func (m *Model) voteCommit(r *Replica) uint8 {
	m.decides(ruleDVCCommit, r.CommitMax > r.Op)
	if m.rules.DVCCommit == DVCCommitUnclamped {
		return r.CommitMax
	}
	return min(r.CommitMax, r.Op)
}

// buildVote is the DoViewChange of a replica: each op from its commit number to its
// head is reported as it is known.
func (m *Model) buildVote(t *State, r *Replica) Vote {
	v := Vote{LogView: r.LogView, Op: r.Op, Commit: m.voteCommit(r)}
	for op := max(v.Commit, 1); op <= v.Op; op++ {
		known := r.held(op) != none || op <= r.HeadersOp && r.Headers[op-1] != none
		if !known && m.watches(ruleAdoptedNacks) {
			m.noteVote(r, op, v.Commit)
		}
		switch {
		case r.held(op) != none:
			v.Items[op-1] = itemOf(r.held(op), true)
		case op <= r.HeadersOp && r.Headers[op-1] != none:
			v.Items[op-1] = itemOf(r.Headers[op-1], false)
		case op <= r.AnnouncedOp && m.rules.AdoptedNacks == AbstainAdopted:
			// Missing is no proof: the replica claims the op since it adopted it.
		case op > v.Commit:
			v.Items[op-1] = itemNack
		}
	}
	return v
}

// resendDoViewChange: the vote is built again and sent again. An earlier copy that
// is still in flight is replaced: its delivery after this step is the same as before
// it, and the first vote of a sender that arrives is the one that counts.
func (m *Model) resendDoViewChange(t *State, i int) Outcome {
	r := &t.Replica[i]
	if r.Status != ViewChange || r.VoteSent == 0 || m.leads(t, i) {
		return NotEnabled
	}
	slot := &t.Net.DoViewChange[r.View][i]
	if slot.Where == voteCounted {
		return RefusedDecided
	}
	fresh := m.buildVote(t, r)
	fresh.Where = voteInFlight
	if *slot == fresh {
		return RefusedNothingNew
	}
	*slot = fresh
	return changed
}

// closesVotes is the rule quorum_latch: whether the primary of a view change takes no
// further vote, although the log is not decided.
func (m *Model) closesVotes(t *State, view uint8) bool {
	return m.rules.QuorumLatch == LatchQuorum && countedVotes(&t.Net.DoViewChange[view]) >= m.cfg.ViewChangeQuorum()
}

// countedVotes is how many votes the primary of a view change has received.
func countedVotes(votes *[MaxReplicas]Vote) (n int) {
	for i := range votes {
		if votes[i].Where == voteCounted {
			n++
		}
	}
	return n
}

// receiveDoViewChange: the primary of the next view counts a vote.
func (m *Model) receiveDoViewChange(t *State, p, from int, view uint8) Outcome {
	r := &t.Replica[p]
	vote := &t.Net.DoViewChange[view][from]
	m.decides(ruleRecoveringVotes, r.Status == Recovering && view > r.View && vote.Commit <= vote.Op)
	if m.staysOut(r) {
		return RefusedStatus
	}
	if view < r.View {
		return RefusedOldView
	}
	if vote.Commit > vote.Op {
		return RefusedMalformed // possible only under dvc_commit = unclamped
	}
	if m.watches(ruleQuorumLatch) {
		m.decides(ruleQuorumLatch, view == r.View && r.Status == ViewChange && r.Parked == 0 &&
			countedVotes(&t.Net.DoViewChange[view]) >= m.cfg.ViewChangeQuorum())
	}
	if view == r.View && m.closesVotes(t, view) {
		return RefusedClosed
	}
	if view > r.View {
		m.enterViewChange(t, p, view)
	} else if r.Status != ViewChange {
		return RefusedStatus
	}
	if r.VoteSent == 0 {
		r.VoteSent = 1
		r.Votes = 0
		own := &t.Net.DoViewChange[view][p]
		*own = m.buildVote(t, r)
		own.Where = voteCounted
	}
	vote.Where = voteCounted
	m.merge(t, p)
	return changed
}

// Undecided are the replicas that lead a view change which a view-change quorum has
// joined, and have not decided its log.
func (m *Model) Undecided(s *State) (set ReplicaSet) {
	for p := range m.cfg.Replicas {
		r := &s.Replica[p]
		if r.Status == ViewChange && m.leads(s, p) && r.Parked == 0 && m.joined(s, r.View).Len() >= m.cfg.ViewChangeQuorum() {
			set |= 1 << p
		}
	}
	return set
}

// joined are the replicas that are in the change to a view.
func (m *Model) joined(s *State, view uint8) (set ReplicaSet) {
	for i := range m.cfg.Replicas {
		if r := &s.Replica[i]; r.Status == ViewChange && r.View == view {
			set |= 1 << i
		}
	}
	return set
}

// merge decides the log of the view that replica p leads, when the votes that it
// has counted allow it, and parks it.
func (m *Model) merge(t *State, p int) {
	r := &t.Replica[p]
	if r.Parked == 1 {
		return
	}
	votes := &t.Net.DoViewChange[r.View]
	if m.decisions != nil {
		m.noteMerge(t, r, votes)
	}
	head, commit, logView, log, ok := m.mergedLog(t, r, votes)
	if !ok || int(head)-int(commit) > m.cfg.Pipeline {
		return
	}
	if m.decisions != nil {
		m.notePark(r, head, commit, logView, &log)
	}
	if r.LogView < logView && m.comparesBodies() {
		m.dropUnproven(r, head, commit, &log)
	}
	if m.rules.LogViewTime == LogViewDecided {
		r.LogView = r.View
	}
	r.CommitMax = max(r.CommitMax, commit)
	r.Parked, r.MergedOp, r.MergedCommit, r.Merged = 1, head, commit, log
}

// mergedLog decides, for every op that might be uncommitted, whether the new view
// keeps it. Discarding takes a nack quorum; keeping takes a header from a canonical
// sender and at least one copy of the body. ok is false while it is undecided; r is the
// new primary.
func (m *Model) mergedLog(t *State, r *Replica, votes *[MaxReplicas]Vote) (head, commit, logView uint8, log [MaxOps]identity, ok bool) {
	if countedVotes(votes) < m.cfg.ViewChangeQuorum() {
		return 0, 0, 0, log, false
	}
	for i := range m.cfg.Replicas {
		v := &votes[i]
		if v.Where != voteCounted {
			continue
		}
		logView = max(logView, m.rank(v))
		commit = max(commit, v.Commit)
		if v.Op > 0 {
			// The commit number that the sender's head prepare carries.
			if id := itemIdentity(v.Items[v.Op-1]); id != none {
				commit = max(commit, t.Stamp[id-1][v.Op-1])
			}
		}
	}
	// Canonical are the senders whose log belongs to the highest view.
	top := uint8(0)
	for i := range m.cfg.Replicas {
		if v := &votes[i]; v.Where == voteCounted && m.rank(v) == logView {
			top = max(top, v.Op)
		}
	}
	if m.rules.MergeLog == MergeOpNumber {
		head, log = ownLog(r, commit, top)
		return head, commit, logView, log, true
	}
	top = max(top, commit)
	head = top
	for op := max(commit, 1); op <= top; op++ {
		id, copies, nacks, conflict := m.tally(votes, logView, op)
		if nacks >= m.nackQuorum() {
			if op <= commit {
				return 0, 0, 0, log, false // refuse to discard what is committed
			}
			head = op - 1
			break
		}
		if conflict || id == none || copies == 0 {
			return 0, 0, 0, log, false
		}
		log[op-1] = id
	}
	return head, commit, logView, log, true
}

// rank is the rule canonical_sender: the view that a voter's log belongs to, by which the
// logs are told apart.
func (m *Model) rank(v *Vote) uint8 {
	if m.rules.CanonicalSender == CanonicalLogView {
		return v.LogView
	}
	for op := v.Op; op >= max(v.Commit, 1); op-- {
		if id := itemIdentity(v.Items[op-1]); id != none {
			return id - 1 // the view of its last prepare
		}
	}
	return 0
}

// ownLog is the merged log under merge_log = op_number: of the log that wins only the
// head counts, and the journal of the new primary has to do.
func ownLog(r *Replica, commit, top uint8) (head uint8, log [MaxOps]identity) {
	head = r.CommitMin
	for head < top && r.held(head+1) != none {
		head++
	}
	for op := max(commit, 1); op <= head; op++ {
		log[op-1] = r.held(op)
	}
	return head, log
}

// nackQuorum is the rule nack_quorum: how many nacks discard an op.
func (m *Model) nackQuorum() int {
	if m.rules.NackQuorum == NackShort {
		return m.cfg.NackQuorum() - 1
	}
	return m.cfg.NackQuorum()
}

// tally counts what the votes say of one op.
func (m *Model) tally(votes *[MaxReplicas]Vote, logView, op uint8) (id identity, copies, nacks int, conflict bool) {
	for i := range m.cfg.Replicas {
		v := &votes[i]
		if v.Where != voteCounted || m.rank(v) != logView || op > v.Op {
			continue
		}
		if got := itemIdentity(v.Items[op-1]); got != none {
			conflict = conflict || id != none && id != got
			id = max(id, got)
		}
	}
	for i := range m.cfg.Replicas {
		v := &votes[i]
		switch {
		case v.Where != voteCounted:
		case op > v.Op:
			nacks++ // its log ends below
		case op < max(v.Commit, 1) || v.Items[op-1] == itemBlank:
			if m.rules.SilentSender == SilentNacks {
				nacks++
			}
		case v.Items[op-1] == itemNack:
			nacks++
		default:
			got := itemIdentity(v.Items[op-1])
			if got == id {
				if itemPresent(v.Items[op-1]) {
					copies++
				}
			} else if m.rank(v) < logView {
				nacks++ // it holds another body, or one that a newer view discarded
			}
		}
	}
	return id, copies, nacks, conflict
}

// reconcile drops the journal entries that disagree with an adopted or merged log:
// all from the lowest that differs, and all above its head; under relics = stay the
// latter go only with the former. It never touches what is applied or announced as
// committed; a difference there is only logged. Without a suffix only the entries
// above the announced head go.
func (m *Model) reconcile(r *Replica, head, commit uint8, log *[MaxOps]identity) bool {
	floor := r.CommitMin
	cut := uint8(0)
	if log != nil {
		floor = max(floor, commit)
		for op := max(commit, 1); op <= head; op++ {
			if held := r.held(op); op > floor && held != none && log[op-1] != none && held != log[op-1] {
				cut = op
				break
			}
		}
	}
	if cut == 0 {
		if m.watches(ruleRelics) {
			m.noteRelics(r, max(head, floor))
		}
		if m.rules.Relics == RelicsStay {
			return false
		}
		cut = max(head, floor) + 1
	}
	dropped := false
	for op := int(cut); op <= m.cfg.Ops; op++ {
		dropped = dropped || r.Journal[op-1] != none
		r.Journal[op-1] = none
	}
	return dropped
}

// dropUnproven is the rule reconcile: it drops the entries above commit_min of a
// replica whose own log is older than the adopted one, unless that names them. log is
// nil when it names none. Under relics = stay those above the head are none of its
// concern.
func (m *Model) dropUnproven(r *Replica, head, commit uint8, log *[MaxOps]identity) {
	if m.rules.Reconcile != ReconcileProven {
		return
	}
	if m.watches(ruleRelics) {
		m.noteRelics(r, max(head, r.CommitMin))
	}
	last := uint8(m.cfg.Ops)
	if m.rules.Relics == RelicsStay {
		last = head
	}
	for op := r.CommitMin + 1; op <= last; op++ {
		if log == nil || op < max(commit, 1) || op > head || r.held(op) != log[op-1] {
			r.Journal[op-1] = none
		}
	}
}

// advanceView: a tick of the new primary brings its journal in line with the merged
// log and starts the view once the journal covers it.
func (m *Model) advanceView(t *State, i int) Outcome {
	r := &t.Replica[i]
	if r.Status != ViewChange || r.Parked == 0 {
		return NotEnabled
	}
	if m.watches(ruleCoverage) {
		m.noteCoverage(r)
	}
	var out Outcome = NotEnabled
	named := &r.Merged
	if !m.comparesBodies() {
		named = nil
	}
	if m.reconcile(r, r.MergedOp, r.MergedCommit, named) {
		out = changed
	}
	if m.watches(ruleStartCoverage) {
		m.noteCovered(r)
	}
	if !m.coversAll(r) {
		return out
	}
	m.startView(t, i)
	return changed
}

// comparesBodies is the rule coverage: whether a new primary tells the bodies in its
// journal from those that the merged log names, or op numbers will do.
func (m *Model) comparesBodies() bool { return m.rules.Coverage == CoverageIdentity }

// covers is the rules start_coverage and coverage: whether the journal of a new primary
// has what the merged log wants at an op.
func (m *Model) covers(r *Replica, op uint8) bool {
	held := r.held(op)
	if op < max(r.MergedCommit, 1) {
		return held != none || m.rules.StartCoverage == CoverMerged
	}
	return held != none && (held == r.Merged[op-1] || !m.comparesBodies())
}

// startView: the new primary starts its view and announces the merged log.
func (m *Model) startView(t *State, i int) {
	r := &t.Replica[i]
	if m.watches(ruleIncarnation) {
		m.noteStart(t)
	}
	m.leaveView(t, i)
	r.Status = Normal
	r.LogView = r.View
	r.Op = r.MergedOp
	sv := &t.Net.StartView[r.View]
	*sv = Announcement{To: AllReplicas(m.cfg.Replicas) &^ (1 << i), Op: r.MergedOp, Commit: r.MergedCommit, Log: r.Merged}
	// The pipeline is rebuilt from the journal, up to its first gap.
	r.Acks = [MaxOps]ReplicaSet{}
	for op := r.MergedCommit + 1; op <= r.MergedOp && r.held(op) != none; op++ {
		r.Acks[op-1] = 1 << i
	}
	m.clearMerged(r)
	m.clearHeaders(r)
	r.AnnouncedOp = 0
	r.VoteSent, r.Votes = 0, 0
	m.drain(t, i)
}

// readopts is the rule readoption: whether a Normal replica adopts a StartView of its
// own view with the given head.
func (m *Model) readopts(r *Replica, op uint8) bool {
	switch m.rules.Readoption {
	case ReadoptAhead:
		return op > r.Op
	case ReadoptNever:
		return false
	}
	return true
}

// announcedCommit is the rule commit_assign: the commit_max of a replica that adopts a
// StartView.
func (m *Model) announcedCommit(r *Replica, commit uint8) uint8 {
	if m.rules.CommitAssign == CommitAssigned {
		return commit
	}
	return max(r.CommitMax, commit)
}

// leaveView ends what belongs to the view that replica i leaves or adopts anew:
// under repair_session = view, its repair session.
func (m *Model) leaveView(t *State, i int) {
	m.decides(ruleRepairSession, t.Replica[i].SessionTo != 0)
	if m.rules.RepairSession == SessionOfView {
		m.closeSession(t, i)
	}
}

// receiveStartView: a replica receives the announcement of a view by its primary,
// with the suffix of the merged log or without one (log is nil).
func (m *Model) receiveStartView(t *State, i int, view, op, commit uint8, log *[MaxOps]identity) Outcome {
	r := &t.Replica[i]
	if view < r.View {
		return RefusedOldView
	}
	if view == r.LogView && op < r.CommitMin {
		return RefusedStale
	}
	m.decides(ruleReadoption, view == r.View && r.Status == Normal)
	if view == r.View && r.Status == Normal && !m.readopts(r, op) {
		return RefusedStale
	}
	m.decides(ruleProbeAdoption, r.Status == Recovering && view < r.Observed)
	if r.Status == Recovering && view < r.Observed && m.rules.ProbeAdoption == ProbeAdoptsObserved {
		return RefusedStale
	}
	m.decides(ruleIncarnation, log != nil && m.restarted(r))
	if log != nil && m.rules.Incarnation == IncarnationChecked && m.restarted(r) {
		return RefusedIncarnation // it went out to all, and answers nobody
	}
	if m.decisions != nil {
		m.noteAdoption(r, view, commit)
	}
	m.leaveView(t, i)
	older, rejoins := r.LogView < view, r.Status == Recovering
	r.View, r.LogView, r.Status = view, view, Normal
	r.CommitMax = m.announcedCommit(r, commit)
	m.resetViewChange(r)
	m.clearHeaders(r)
	if log != nil && op > 0 {
		r.HeadersOp, r.Headers = op, *log
	}
	r.Op = op
	r.AnnouncedOp = op
	if log != nil && op == 0 {
		log = nil // a suffix of nothing is no suffix
	}
	if older {
		if m.watches(ruleReconcile) {
			m.noteProven(r, op, commit, log)
		}
		m.dropUnproven(r, op, commit, log)
	}
	m.reconcile(r, op, commit, log)
	for o := commit + 1; o <= op; o++ {
		if r.held(o) != none {
			m.ack(t, i, o, r.held(o))
		}
	}
	if rejoins && m.watches(ruleLearnedCommit) {
		m.noteRejoin(t, r)
	}
	if rejoins && m.rules.LearnedCommit == LearnedJumped {
		r.CommitMin = r.CommitMax
	}
	m.commitWalk(t, i)
	m.armRepair(t, i, m.cfg.Primary(view))
	return changed
}
