package model

import "sync/atomic"

// Rules that decide something. Where a rule is read, another of its alternatives may do
// the same: nack_quorum says nothing where no view changes. A rule decides something in a
// run when in some reachable state some step would have led elsewhere under another
// alternative of that rule alone, where two states are the same if they differ in what
// nobody will ever read. Of a rule that decides nothing the run proves nothing, for good
// or bad: under each alternative the system is the same. (By induction over the steps: as
// long as no step differs, the other system is in the same state.)
//
// The handlers note it where they read a rule, by what differs there, so it costs next to
// nothing, and every step that the search tries is looked at. Two things hide decisions from
// a handler, and then it notes a rule too often rather than not at all:
//
//   - Normalisation (normalise.go) removes what is dead under the rules in force, and another
//     alternative might act on it. For the rules of which that is so, what is noted is that
//     there was such a message, or that there may have been (the places say so).
//   - A reduction leaves out steps. Each is argued by changing the order of steps of
//     different replicas and of faults (eager.go, faults.go, prompt.go): a replica takes the
//     same steps with the same messages, with its variables the same. What is noted depends
//     on those alone, or on what another replica has no use for, so it is noted in the
//     reordered run as well.
//
// TestDecidesAll compares what is noted with a search that takes every step under every
// alternative, without normalisation and reductions.

// decisions are the rules that decided something. Any number of goroutines may add to them,
// and what they are in the end does not depend on their order.
type decisions struct {
	bits atomic.Uint64
	// others are the model under each other alternative of the rules that are compared by
	// doing the same under each.
	others [ruleCount][]*Model
}

// comparedRules are those.
var comparedRules = []ruleIndex{ruleReconcile, ruleStartCoverage, ruleNackQuorum, ruleSilentSender, ruleCanonicalSender, ruleMergeLog}

// Watched is the same model, noting which rules decide something in the steps that it is
// asked for. See Decided.
func (m *Model) Watched() *Model {
	w := *m
	w.decisions = new(decisions)
	rules := Catalogue()
	for _, k := range comparedRules {
		for a := range uint8(len(rules[k].Alternatives)) {
			if field := rules[k].field; a != *field(&w.rules) {
				other := *m
				*field(&other.rules) = a
				other.facts = newRuleFacts(&other)
				other.decisions = nil
				w.decisions.others[k] = append(w.decisions.others[k], &other)
			}
		}
	}
	return &w
}

// Decided are the names of the rules that have decided something so far, in the catalogue's
// order: in some step that a watched model was asked for another alternative would have led
// elsewhere. It is nil for a model that is not watched.
func (m *Model) Decided() []string {
	if m.decisions == nil {
		return nil
	}
	names := []string{}
	for k, r := range Catalogue() {
		if m.decisions.bits.Load()>>k&1 == 1 {
			names = append(names, r.Name)
		}
	}
	return names
}

// Noted and Note let a search that is resumed keep what was noted: see explore.Noting.
func (m *Model) Noted() uint64 {
	if m.decisions == nil {
		return 0
	}
	return m.decisions.bits.Load()
}

// Note adds what another search of the same system has noted.
func (m *Model) Note(notes uint64) {
	if m.decisions != nil {
		m.decisions.bits.Or(notes)
	}
}

// watches reports whether it is still to be found out if a rule decides something.
func (m *Model) watches(k ruleIndex) bool {
	return m.decisions != nil && m.decisions.bits.Load()>>k&1 == 0
}

// watchesAny is watches of some rule of comparedRules.
func (m *Model) watchesAny(set uint64) bool {
	return m.decisions != nil && set&^m.decisions.bits.Load() != 0
}

// decides notes that a rule decides something if differs says that another alternative
// would do something else.
func (m *Model) decides(k ruleIndex, differs bool) {
	if differs && m.watches(k) {
		m.decisions.bits.Or(1 << k)
	}
}

// ackMatters is the rules reack and applied_prepare where replica i would ack an op: that
// differs from not doing so if the ack is not in flight and may still count.
func (m *Model) ackMatters(t *State, i int, op uint8, id identity) bool {
	view := t.Replica[i].View
	pos := m.preparePos(view, op, id)
	return m.cfg.Primary(view) != i && t.Net.PrepareOk[i]>>pos&1 == 0 && m.ackAlive(t, i, pos)
}

// forwardMatters is the same for the prepare that replica i would send on.
func (m *Model) forwardMatters(t *State, i int, view, op uint8, id identity) bool {
	next := (i + 1) % m.cfg.Replicas
	r := &t.Replica[next]
	if next == m.cfg.Primary(view) || t.Net.Prepare[next]>>m.preparePos(view, op, id)&1 == 1 || r.Status == Stopped {
		return false
	}
	return m.viewsMayGoBack(t) || r.View < view || r.View == view && (op > m.floor(t, next) ||
		m.rules.CommitAssign == CommitAssigned || m.rules.AppliedPrepare == AppliedAcked)
}

// noteAppliedPrepare looks at prepares of the view of replica i that normalisation removes
// as they are applied: under applied_prepare = acked one would be kept if its ack may count.
func (m *Model) noteAppliedPrepare(t *State, i int, gone uint64) {
	r := &t.Replica[i]
	for gone &= m.masks.prepareView[r.View]; gone != 0; {
		pos := next(&gone)
		_, op, id := m.prepareAt(pos)
		m.decides(ruleAppliedPrepare, r.Status == Normal && r.held(op) == id && op <= r.Op && m.cfg.Primary(r.View) != i && m.ackAlive(t, i, pos))
	}
}

// noteServe looks at what a peer that serves ops low..high to replica from sends above its
// commit number: only under serve_ceiling = head.
func (m *Model) noteServe(t *State, r *Replica, from int, low, high uint8) {
	asker := &t.Replica[from]
	for op := low; op <= min(high, r.Op) && r.held(op) != none; op++ {
		if op > r.CommitMax && t.Net.RepairPrepare[from]>>m.repairPos(op, r.held(op))&1 == 0 {
			m.decides(ruleServeCeiling, asker.Status != Stopped && op > m.repairFloor(t, from) && !m.keeps(asker, op))
		}
	}
}

// noteClose looks at a repair session that ends, and was open if live says so: what is left
// of it goes under repair_frames = session only. Of what that has removed as dead, something
// is of use to a replica that loses its memory, or adopts another log.
func (m *Model) noteClose(t *State, i int, live bool) {
	if t.Replica[i].Status == Stopped {
		return
	}
	left := t.Net.RepairPrepare[i] != 0
	for j := range m.cfg.Replicas {
		left = left || t.Net.RequestPrepares[j][i] != 0
	}
	hidden := m.rules.RepairFrames == FramesOfSession && live &&
		(m.mayForget(t, i) || int(t.Replica[i].View) < m.cfg.ViewMax || m.rules.Readoption == ReadoptAlways)
	m.decides(ruleRepairFrames, left || hidden)
}

// noteCrash looks at a restart of replica i, which was old. Under incarnation = checked the
// answers to its probes go, and a StartView that is sent to all is none for it; both may have
// been removed as dead before, so it counts if there may have been some.
func (m *Model) noteCrash(t *State, i int, old *Replica) {
	m.decides(ruleViewDurability, old.View > 0 || old.LogView > 0)
	m.noteClose(t, i, old.SessionTo != 0)
	if !m.watches(ruleIncarnation) {
		return
	}
	asked := old.Status != Normal || old.View > 0 || t.Crashes > 0
	for j := range m.cfg.Replicas {
		asked = asked || t.Replica[j].LogView > 0
	}
	m.decides(ruleIncarnation, asked)
}

// noteStart looks at a view that starts while a replica has restarted and not rejoined.
func (m *Model) noteStart(t *State) {
	for i := range m.cfg.Replicas {
		m.decides(ruleIncarnation, m.restarted(&t.Replica[i]))
	}
}

// noteProbe looks at a probe of replica from: whether it reaches one that would take it for
// a sign that its own primary is gone, though it is of another view.
func (m *Model) noteProbe(t *State, from int) {
	view := t.Replica[from].View
	for i := range m.cfg.Replicas {
		r := &t.Replica[i]
		m.decides(ruleProbeMatch, r.Status == Normal && m.cfg.Primary(r.View) == from && r.View != view && int(r.View) < m.cfg.ViewMax)
	}
}

// noteAdoption looks at replica i as it is about to adopt a log: readoption, as the message
// stays and it is Normal now; probe_match, as an old probe of the primary may be in flight.
func (m *Model) noteAdoption(r *Replica, view, commit uint8) {
	m.decides(ruleReadoption, true)
	m.decides(ruleProbeMatch, int(view) < m.cfg.ViewMax && (view > 0 || m.rules.ViewDurability == ViewLost))
	m.decides(ruleCommitAssign, commit < r.CommitMax)
}

// noteRejoin looks at a replica that has just adopted a log and was Recovering before:
// learned_commit says whether it applies only what it has.
func (m *Model) noteRejoin(t *State, r *Replica) {
	for op := r.CommitMin + 1; op <= r.CommitMax; op++ {
		m.decides(ruleLearnedCommit, r.held(op) == none || t.Decided[op-1] == none)
	}
}

// noteProven compares what of the journal survives the adoption of a newer view's log.
func (m *Model) noteProven(r *Replica, op, commit uint8, log *[MaxOps]identity) {
	if !m.watches(ruleReconcile) {
		return
	}
	own := *r
	m.dropUnproven(&own, op, commit, log)
	m.reconcile(&own, op, commit, log)
	for _, u := range m.decisions.others[ruleReconcile] {
		other := *r
		u.dropUnproven(&other, op, commit, log)
		u.reconcile(&other, op, commit, log)
		m.decides(ruleReconcile, own.Journal != other.Journal)
	}
}

// noteMerge compares what the primary of a view change makes of the votes that it has.
func (m *Model) noteMerge(t *State, r *Replica, votes *[MaxReplicas]Vote) {
	const rules = 1<<ruleNackQuorum | 1<<ruleSilentSender | 1<<ruleCanonicalSender | 1<<ruleMergeLog
	if !m.watchesAny(rules) || countedVotes(votes) < m.cfg.ViewChangeQuorum() {
		return
	}
	type merged struct {
		head, commit, logView uint8
		log                   [MaxOps]identity
		ok                    bool
	}
	under := func(u *Model) (g merged) {
		g.head, g.commit, g.logView, g.log, g.ok = u.mergedLog(t, r, votes)
		if !g.ok || int(g.head)-int(g.commit) > m.cfg.Pipeline {
			return merged{}
		}
		if g.logView <= r.LogView {
			g.logView = 0 // only whether it is newer counts
		} else {
			g.logView = 1
		}
		return g
	}
	own := under(m)
	for _, k := range [...]ruleIndex{ruleNackQuorum, ruleSilentSender, ruleCanonicalSender, ruleMergeLog} {
		for _, u := range m.decisions.others[k] {
			if m.watches(k) {
				m.decides(k, under(u) != own)
			}
		}
	}
}

// notePark looks at a log that the primary of a view change has just decided.
func (m *Model) notePark(r *Replica, head, commit, logView uint8, log *[MaxOps]identity) {
	m.decides(ruleLogViewTime, r.LogView != r.View)
	if r.LogView >= logView || !m.watches(ruleReconcile) && !m.watches(ruleCoverage) {
		return
	}
	own := *r
	proven := m
	if m.rules.Reconcile != ReconcileProven {
		proven = m.decisions.others[ruleReconcile][0]
	}
	proven.dropUnproven(&own, head, commit, log)
	differs := own.Journal != r.Journal
	m.decides(ruleReconcile, differs && m.comparesBodies())
	m.decides(ruleCoverage, differs && m.rules.Reconcile == ReconcileProven)
}

// noteCoverage looks at bodies of a new primary that are not those of the merged log.
func (m *Model) noteCoverage(r *Replica) {
	for op := max(r.CommitMin+1, r.MergedCommit, 1); op <= r.MergedOp; op++ {
		m.decides(ruleCoverage, r.held(op) != none && r.held(op) != r.Merged[op-1])
	}
	m.decides(ruleCoverage, r.MergedOp < r.MergedCommit)
}

// noteCovered compares when the journal of a new primary is found to cover the merged log.
func (m *Model) noteCovered(r *Replica) {
	for _, u := range m.decisions.others[ruleStartCoverage] {
		m.decides(ruleStartCoverage, u.coversAll(r) != m.coversAll(r))
	}
}

// coversAll reports whether the journal of a new primary covers the merged log.
func (m *Model) coversAll(r *Replica) bool {
	for op := r.CommitMin + 1; op <= r.MergedOp; op++ {
		if !m.covers(r, op) {
			return false
		}
	}
	return true
}

// noteRelics looks at entries above the head of an adopted or merged log.
func (m *Model) noteRelics(r *Replica, above uint8) {
	for op := int(above) + 1; op <= m.cfg.Ops; op++ {
		m.decides(ruleRelics, r.Journal[op-1] != none)
	}
}

// noteScope looks at a repaired op that is about to be taken. In the last view a replica
// remembers the suffix that it adopted only under repair_scope = suffix; what was prepared in
// the view is above it.
func (m *Model) noteScope(r *Replica, op uint8, id identity) {
	unknown := m.rules.RepairScope == ScopeSession && r.HeadersOp == 0 && r.View > 0 && int(r.View) == m.cfg.ViewMax
	m.decides(ruleRepairScope, r.HeadersOp != 0 && op > r.HeadersOp ||
		unknown && (id-1 == r.View || m.rules.RepairFrames == FramesAny))
}

// noteFrontier looks at how far the head moves when a repaired op has been journaled.
func (m *Model) noteFrontier(r *Replica, op uint8) {
	a, b := *r, *r
	a.Op = max(a.Op, op)
	m.advanceHead(&b)
	m.decides(ruleRepairFrontier, a.Op != b.Op)
}

// noteVote looks at a missing op of a vote. Without a rule that reads it nobody remembers
// what a replica has adopted; it claims no other op that it does not hold.
func (m *Model) noteVote(r *Replica, op, commit uint8) {
	unknown := m.rules.AdoptedNacks == NackAdopted && m.rules.GapCheck != GapAdoptedHole
	m.decides(ruleAdoptedNacks, op > commit && (op <= r.AnnouncedOp || unknown))
}

// noteTransfer looks at a replica that asks for the log of its view.
func (m *Model) noteTransfer(r *Replica) {
	differs := r.Op > r.CommitMax
	for op := int(r.CommitMax) + 1; op <= m.cfg.Ops; op++ {
		differs = differs || r.Journal[op-1] != none
	}
	m.decides(ruleStateTransferCut, differs)
}
