package model

// Normalisation of dead messages and dead variables.
//
// A message is dead when no replica can act on it in any future: every guard that
// would have to let it pass stays closed. Removing it merges states that differ in
// dead messages only. The arguments below rest on what never goes back: the view
// number and the stopped status always; the commit numbers of a replica only when it
// cannot crash any more, which is why mayForget is asked first. TestNormaliseIsExact
// checks it against the model itself, over bounded prefixes of many small systems:
// steps taken with and without normalising before lead to states that go on alike.

// masks are bit sets that normalise needs in every state.
type masks struct {
	prepareView   [MaxViews]uint64             // prepares with this view stamp
	prepareOp     [MaxOps + 1]uint64           // prepares with an op number above this
	prepareNewer  [MaxViews + 1]uint64         // prepares with a view stamp of at least this
	commitAt      [MaxViews][MaxOps + 1]uint64 // heartbeats of this view with a commit number above this
	commitNewer   [MaxViews + 1]uint64         // heartbeats of at least this view
	senderView    [MaxViews]uint64             // view-only messages of this view
	senderNewer   [MaxViews + 1]uint64         // view-only messages of at least this view
	repairAbove   [MaxOps + 1]uint64           // repair frames with an op number above this
	rangeToAbove  [MaxOps + 1]uint64           // ranges that end above this op
	answerAtLeast [MaxOps + 2]uint64           // answers whose head is at least this op
}

func newMasks(m *Model) masks {
	var k masks
	c := &m.cfg
	for v := range uint8(c.views()) {
		for id := identity(1); id <= v+1; id++ {
			for op := uint8(1); int(op) <= c.Ops; op++ {
				bit := uint64(1) << m.preparePos(v, op, id)
				k.prepareView[v] |= bit
				for low := range op {
					k.prepareOp[low] |= bit
				}
				for low := range v + 1 {
					k.prepareNewer[low] |= bit
				}
			}
		}
		for commit := range uint8(c.Ops + 1) {
			bit := uint64(1) << m.commitPos(v, commit)
			for low := range commit {
				k.commitAt[v][low] |= bit
			}
			for low := range v + 1 {
				k.commitNewer[low] |= bit
			}
		}
		for i := range c.Replicas {
			bit := uint64(1) << m.senderPos(v, i)
			k.senderView[v] |= bit
			for low := range v + 1 {
				k.senderNewer[low] |= bit
			}
		}
	}
	for op := uint8(1); int(op) <= c.Ops; op++ {
		for id := identity(1); int(id) <= c.views(); id++ {
			for low := range op {
				k.repairAbove[low] |= 1 << m.repairPos(op, id)
			}
		}
		for from := uint8(1); from <= op; from++ {
			for low := range op {
				k.rangeToAbove[low] |= 1 << rangePos(from, op)
			}
		}
	}
	for op := range uint8(c.Ops + 1) {
		for commit := range op + 1 {
			for low := range op + 1 {
				k.answerAtLeast[low] |= 1 << answerPos(op, commit)
			}
		}
	}
	return k
}

// mayForget reports whether a replica may still lose its volatile state, and with it
// its commit numbers and its journal.
func (m *Model) mayForget(t *State, i int) bool {
	return int(t.Crashes) < m.cfg.Crashes && m.cfg.MayCrash.Has(i)
}

// floor is the op number up to which replica i has applied for good.
func (m *Model) floor(t *State, i int) uint8 {
	if m.mayForget(t, i) {
		return 0
	}
	return t.Replica[i].CommitMin
}

// mayAnnounce reports whether replica i may lead a view from its own on and announce
// it to somebody who can still act on that.
func (m *Model) mayAnnounce(t *State, i int) bool {
	if !m.mayLead(t, i) {
		return false
	}
	for j := range m.cfg.Replicas {
		if j != i && t.Replica[j].Status != Stopped && m.mayAdopt(t, i, j, m.mayForget(t, j)) {
			return true
		}
	}
	return false
}

// commitFloor is the commit number below which replica i will never be again while it
// takes part in its view. A crash takes its own knowledge away, but it rejoins this
// view only by a StartView of it: one in flight, or an answer that its primary has
// yet to give, whose commit number is at least that of any heartbeat sent before.
//
// Under incarnation = checked only an answer that is yet to be given brings it back.
func (m *Model) commitFloor(t *State, i int) uint8 {
	r := &t.Replica[i]
	floor := r.CommitMax
	keeps := !m.mayForget(t, i) || m.rules.Incarnation == IncarnationChecked
	if keeps && m.rules.CommitAssign == CommitRaised {
		return floor
	}
	if t.Net.StartView[r.View].To.Has(i) {
		floor = min(floor, t.Net.StartView[r.View].Commit)
	}
	for set := t.Net.Answer[i][r.View]; set != 0; {
		_, commit := answerAt(next(&set))
		floor = min(floor, commit)
	}
	return floor
}

// mayLead reports whether replica i can be the Normal primary of some view from its
// own on. A replica that is Recovering in its own view never leads that one.
func (m *Model) mayLead(t *State, i int) bool {
	r := &t.Replica[i]
	for v := int(r.View); v <= m.cfg.ViewMax; v++ {
		if m.cfg.Primary(uint8(v)) == i && (v > int(r.View) || r.Status != Recovering) {
			return true
		}
	}
	return false
}

// normalise removes what is dead from t, unless the model is raw.
func (m *Model) normalise(t *State) {
	if m.raw {
		return
	}
	for i := range m.cfg.Replicas {
		m.normaliseReplica(t, i)
	}
	if m.viewsMayGoBack(t) {
		m.normaliseStopped(t)
		return
	}
	for i := range m.cfg.Replicas {
		m.normaliseInbox(t, i)
	}
	m.normaliseVotes(t)
	m.normaliseStamps(t)
}

// viewsMayGoBack reports whether some replica may yet crash and forget its view. Then
// no message is dead because its view is past, and none but those to stopped replicas
// is removed.
func (m *Model) viewsMayGoBack(t *State) bool {
	if m.rules.ViewDurability == ViewKept {
		return false
	}
	for i := range m.cfg.Replicas {
		if t.Replica[i].Status != Stopped && m.mayForget(t, i) {
			return true
		}
	}
	return false
}

// normaliseStopped removes the messages to stopped replicas.
func (m *Model) normaliseStopped(t *State) {
	for i := range m.cfg.Replicas {
		if t.Replica[i].Status == Stopped {
			m.emptyInbox(t, i)
		}
	}
	for v := 1; v < m.cfg.views(); v++ {
		if t.Replica[m.cfg.Primary(uint8(v))].Status == Stopped {
			t.Net.DoViewChange[v] = [MaxReplicas]Vote{}
		}
		if sv := &t.Net.StartView[v]; sv.To == 0 {
			*sv = Announcement{}
		}
	}
}

// normaliseReplica clears variables that no guard will read again.
func (m *Model) normaliseReplica(t *State, i int) {
	r := &t.Replica[i]
	if r.Observed <= r.View {
		r.Observed = 0
	}
	if r.Status != Normal || !m.leads(t, i) {
		r.Acks = [MaxOps]ReplicaSet{}
	}
	// Adopted headers serve the next vote, for ops from its commit number up: that is
	// commit_max, but not above the head.
	if r.HeadersOp != 0 {
		if r.Status == Normal && int(r.View) == m.cfg.ViewMax {
			end := r.HeadersOp
			m.clearHeaders(r)
			if m.rules.RepairScope == ScopeSuffix {
				r.HeadersOp = end // bounds what repair brings
			}
		}
		for op := uint8(1); op < min(r.CommitMax, r.Op) && op <= r.HeadersOp; op++ {
			r.Headers[op-1] = none
		}
	}
	// The announced head tells holes from ops never prepared, for the gap check and
	// for votes. What is applied is never missing again.
	votes := m.rules.AdoptedNacks == AbstainAdopted && (r.Status != Normal || int(r.View) < m.cfg.ViewMax)
	if r.AnnouncedOp <= r.CommitMin || m.rules.GapCheck != GapAdoptedHole && !votes {
		r.AnnouncedOp = 0
	}
}

// remembersAnnounced reports whether Replica.AnnouncedOp is kept: some rule asks for it, or
// the model is raw.
func (m *Model) remembersAnnounced() bool {
	return m.raw || m.rules.GapCheck == GapAdoptedHole || m.rules.AdoptedNacks == AbstainAdopted && m.cfg.ViewMax > 0
}

// normaliseInbox removes the dead messages to replica i, and its dead acks.
func (m *Model) normaliseInbox(t *State, i int) {
	r := &t.Replica[i]
	net := &t.Net
	k := &m.masks

	// Acks go to the primary of their view.
	for set := net.PrepareOk[i]; set != 0; {
		pos := next(&set)
		if !m.ackAlive(t, i, pos) {
			net.PrepareOk[i] &^= 1 << pos
		}
	}
	if r.Status == Stopped {
		m.emptyInbox(t, i)
		return
	}
	floor := m.floor(t, i)

	// A prepare: its view is past, or its op is applied and its ack of no use. It has no
	// commit number to tell either, unless commit_max may be below commit_min.
	applied := floor
	if m.rules.CommitAssign == CommitAssigned {
		applied = 0
	}
	prepares := k.prepareNewer[r.View+1] | k.prepareView[r.View]&k.prepareOp[applied]
	if m.rules.AppliedPrepare == AppliedAcked {
		for set := net.Prepare[i] &^ prepares & k.prepareView[r.View]; set != 0; {
			pos := next(&set)
			if m.ackAlive(t, i, pos) {
				prepares |= 1 << pos
			}
		}
	}
	if m.watches(ruleAppliedPrepare) {
		m.noteAppliedPrepare(t, i, net.Prepare[i]&^prepares)
	}
	net.Prepare[i] &= prepares

	// A heartbeat: its view is past and the replica will never lead (a leader answers
	// it), or it raises nothing.
	commits := k.commitNewer[r.View+1]
	if !m.leads(t, i) {
		commits |= k.commitAt[r.View][m.commitFloor(t, i)]
	}
	// One whose commit number raises nothing may still be heard by a later primary,
	// which then announces its view. Its commit number does not matter for that, nor
	// how many there are, so one stands for all of a view, unless it is delivered once.
	// The loss of that one is the loss of all that it stands for, with one Drop. A run can
	// have that with as many losses when all but one were never sent: a heartbeat is sent
	// by a step of its own, which nothing depends on but its delivery. So no state of the
	// replicas is reached that was not; and a run in which one of them is left is still
	// there, as one that does not lose it.
	idle := net.Commit[i] &^ commits
	net.Commit[i] &= commits
	switch {
	case idle == 0 || !m.mayAnnounce(t, i):
	case m.cfg.Network != NetworkSet:
		net.Commit[i] |= idle // each is heard once
	default:
		for v := range r.View + 1 {
			here := k.commitNewer[v] &^ k.commitNewer[v+1]
			if idle&here != 0 && (net.Commit[i]&here == 0 || int(t.Drops) < m.cfg.Drops) {
				net.Commit[i] |= 1 << m.commitPos(v, 0)
			}
		}
	}

	// A StartViewChange: its view is past or started here, or it is counted.
	votes := k.senderNewer[r.View+1]
	if r.Status == ViewChange && r.VoteSent == 0 {
		votes |= k.senderView[r.View]
	}
	for set := net.StartViewChange[i] & votes & k.senderView[r.View]; set != 0; {
		pos := next(&set)
		if _, from := m.senderAt(pos); r.Votes.Has(from) {
			votes &^= 1 << pos
		}
	}
	net.StartViewChange[i] &= votes

	for set := net.Probe[i]; set != 0; {
		pos := next(&set)
		if !m.probeAlive(t, i, pos) {
			net.Probe[i] &^= 1 << pos
		}
	}

	// A repair frame: its op is applied, or held for as long as the session lives.
	net.RepairPrepare[i] &= k.repairAbove[m.repairFloor(t, i)]
	for set := net.RepairPrepare[i]; set != 0; {
		pos := next(&set)
		if op, _ := m.repairAt(pos); m.keeps(r, op) {
			net.RepairPrepare[i] &^= 1 << pos
		}
	}
	if r.SessionTo == 0 {
		net.RepairDone[i] = 0
	}
	// A repair request to this replica: the asker has applied what it asks for.
	for j := range m.cfg.Replicas {
		if net.RequestPrepares[i][j] == 0 {
			continue
		}
		if t.Replica[j].Status == Stopped {
			net.RequestPrepares[i][j] = 0
			continue
		}
		alive := k.rangeToAbove[m.repairFloor(t, j)]
		if asker := &t.Replica[j]; int(asker.SessionPeer) == i && asker.SessionTo != 0 {
			alive |= k.rangeToAbove[asker.SessionTo-1] &^ k.rangeToAbove[asker.SessionTo]
		}
		net.RequestPrepares[i][j] &= alive
		if int(t.Drops) == m.cfg.Drops && m.cfg.Network == NetworkSet {
			m.normaliseServed(t, i, j)
		}
	}

	// A StartView: its view is past, or it would be ignored for good.
	for v := range uint8(m.cfg.views()) {
		net.Answer[i][v] &= m.answersAlive(t, i, v, m.mayForgetBoot(t, i))
	}
	for v := 1; v < m.cfg.views(); v++ {
		if sv := &net.StartView[v]; sv.To.Has(i) && !m.startViewAlive(t, i, uint8(v), sv.Op) {
			sv.To &^= 1 << i
		}
	}
}

// repairFloor is the op up to which replica i has no use for a repair frame. A loss of
// memory ends the session, and with that its frames under repair_frames = session.
func (m *Model) repairFloor(t *State, i int) uint8 {
	if m.rules.RepairFrames == FramesOfSession {
		return t.Replica[i].CommitMin
	}
	return m.floor(t, i)
}

// keeps reports whether a replica holds an op for as long as its repair session lives: no
// journal entry is dropped within a view, and the frames end with the session.
func (m *Model) keeps(r *Replica, op uint8) bool {
	return m.rules.RepairFrames == FramesOfSession && m.rules.RepairSession == SessionOfView && r.held(op) != none
}

// normaliseServed looks at the requests of replica j to replica i when nothing can be
// lost any more, and stays in flight when it is delivered. One that was served in full
// goes: all that serving it again could send is in flight or dead. The others begin with
// the first op of which that is not so, as long as replica i holds the ops before it for
// good.
func (m *Model) normaliseServed(t *State, i, j int) {
	peer, asker := &t.Replica[i], &t.Replica[j]
	floor := m.repairFloor(t, j)
	fixed := peer.CommitMin // the bodies up to here never change
	if m.mayForget(t, i) {
		fixed = 0
	} else if int(peer.View) == m.cfg.ViewMax && peer.Status == Normal && m.rules.Readoption != ReadoptAlways {
		fixed = peer.Op // and nor does its log in the last view, unless it adopts that again
	}
	for set := t.Net.RequestPrepares[i][j]; set != 0; {
		pos := next(&set)
		low, high := rangeAt(pos)
		served := asker.SessionTo != high || int(asker.SessionPeer) != i || t.Net.RepairDone[j] == 1
		from := low
		for op := low; op <= high; op++ {
			held := op <= fixed && peer.held(op) != none
			dead := op <= floor || m.keeps(asker, op)
			if from == op && op < high && held && dead {
				from++
			}
			served = served && (dead || held && t.Net.RepairPrepare[j]>>m.repairPos(op, peer.held(op))&1 == 1)
		}
		t.Net.RequestPrepares[i][j] &^= 1 << pos
		if !served {
			t.Net.RequestPrepares[i][j] |= 1 << rangePos(from, high)
		}
	}
}

// ackAlive reports whether the ack at a position of sender i's set can still count.
func (m *Model) ackAlive(t *State, i, pos int) bool {
	view, op, id := m.prepareAt(pos)
	p := &t.Replica[m.cfg.Primary(view)]
	switch {
	case p.Status == Stopped || p.View > view:
		return false
	case p.View < view:
		return true
	case p.Status == Recovering:
		return false // it will not lead this view again
	case p.Status == ViewChange:
		return true
	case op > p.Op && m.rules.ViewDurability == ViewLost:
		return true // it may prepare the op in this view once more
	}
	return op > p.CommitMax && m.inPipeline(p, op) && p.held(op) == id &&
		!p.Acks[op-1].Has(i) && !m.hasQuorum(p, op)
}

// probeAlive reports whether a RequestStartView to replica i can still have an
// effect: i may lead a view and answer, or i may elect because the primary of its
// view is the one that probes.
func (m *Model) probeAlive(t *State, i, pos int) bool {
	view, from := m.senderAt(pos)
	leads := m.cfg.Primary(view) == from // such a probe outlives a restart, see endBoot
	forgets := m.mayForgetBoot(t, from) || leads && m.mayForget(t, from)
	if t.Replica[from].Status != Stopped && m.mayLead(t, i) && m.mayAdopt(t, i, from, forgets) {
		return true
	}
	if m.rules.ProbeMatch == ProbeOfAnyView {
		for v := int(t.Replica[i].View); v < m.cfg.ViewMax; v++ {
			if m.cfg.Primary(uint8(v)) == from {
				return true
			}
		}
	}
	return leads && view >= t.Replica[i].View && int(view) < m.cfg.ViewMax
}

// mayForgetBoot reports whether replica i may lose what it knows and still act on what was
// sent to it before: the answers to its probes are of no use to its next boot under
// incarnation = checked.
func (m *Model) mayForgetBoot(t *State, i int) bool {
	return m.mayForget(t, i) && m.rules.Incarnation != IncarnationChecked
}

// mayAdopt reports whether an answer of replica i to replica to could still be acted on,
// now or later. forgets says whether that is to hold beyond a loss of memory of to.
func (m *Model) mayAdopt(t *State, i, to int, forgets bool) bool {
	for v := max(t.Replica[i].View, t.Replica[to].View); int(v) <= m.cfg.ViewMax; v++ {
		if m.cfg.Primary(v) == i && m.answersAlive(t, to, v, forgets) != 0 {
			return true
		}
	}
	return false
}

// answersAlive is the set of answers (positions by op and commit) of a view that replica i
// could still act on; forgets says whether it may lose its memory before it does.
func (m *Model) answersAlive(t *State, i int, view uint8, forgets bool) uint64 {
	r := &t.Replica[i]
	if view < r.View {
		return 0
	}
	alive := m.masks.answerAtLeast[0]
	switch {
	case forgets:
		return alive
	case m.refusesPast() && r.Status == Recovering && view < r.Observed && !m.mayElectRecovering():
		return 0
	case view == r.LogView:
		alive = m.masks.answerAtLeast[r.CommitMin]
	}
	// A replica that stays Normal in the last view keeps refusing what it refuses
	// now: its head does not go back there. So does one that leaves an earlier view,
	// where it refuses what is past.
	if view == r.View && r.Status == Normal && (int(view) == m.cfg.ViewMax || m.refusesPast()) {
		switch m.rules.Readoption {
		case ReadoptAhead:
			alive &= m.masks.answerAtLeast[r.Op+1]
		case ReadoptNever:
			alive = 0
		}
	}
	return alive
}

// mayElectRecovering reports whether a Recovering replica may come to a view change, where it
// adopts what it refused as too old for it while it was Recovering.
func (m *Model) mayElectRecovering() bool {
	return m.cfg.RecoveringElects || m.rules.RecoveringVotes != RecoveringInvisible
}

// refusesPast reports whether a replica that leaves its view by itself, or by a restart,
// has no use for what was sent to it in that view. Under incarnation = inert the dead
// messages are those of the runs that were published before there was the rule.
func (m *Model) refusesPast() bool {
	return m.rules.Incarnation == IncarnationChecked && m.rules.ProbeAdoption == ProbeAdoptsObserved
}

// startViewAlive reports whether replica i could still act on the StartView with a suffix
// that a view began with, and that has the given head.
func (m *Model) startViewAlive(t *State, i int, view, op uint8) bool {
	alive := m.answersAlive(t, i, view, m.mayForget(t, i))>>answerPos(op, 0)&1 == 1
	if !alive || m.rules.Incarnation != IncarnationChecked || m.rules.Readoption == ReadoptAlways {
		return alive
	}
	r := &t.Replica[i]
	if view == r.View && r.Status == Normal && (int(view) == m.cfg.ViewMax || m.refusesPast()) {
		return false // no answer that brings it back after a restart has a lower head
	}
	if !m.restarted(r) {
		return true
	}
	return m.mayRejoinBelow(t, i, view)
}

// mayRejoinBelow reports whether replica i, which has restarted, may come to take part in
// a view below the given one, and so adopt that one's StartView after all: by an answer
// that is in flight or yet to be given, by an election of its own or one that it joins
// (recovering_votes = votes), or, in the view that it leads, by the traffic of a newer one.
func (m *Model) mayRejoinBelow(t *State, i int, view uint8) bool {
	r := &t.Replica[i]
	if view > r.View && (m.cfg.RecoveringElects || !m.staysOut(r) || m.leads(t, i)) {
		return true
	}
	for v := r.View; v < view; v++ {
		p := &t.Replica[m.cfg.Primary(v)]
		if t.Net.Answer[i][v] != 0 || p.Status != Stopped && (p.View < v || p.View == v && p.Status != Recovering) {
			return true
		}
	}
	return false
}

// normaliseVotes removes DoViewChange messages that cannot be counted any more, and
// counted ones that have served.
func (m *Model) normaliseVotes(t *State) {
	for v := 1; v < m.cfg.views(); v++ {
		p := &t.Replica[m.cfg.Primary(uint8(v))]
		for i := range m.cfg.Replicas {
			vote := &t.Net.DoViewChange[v][i]
			if vote.Where == voteNone {
				continue
			}
			alive := int(p.View) < v && p.Status != Stopped
			if int(p.View) == v && p.Status == ViewChange {
				alive = p.Parked == 0
			}
			if vote.Where == voteCounted && int(p.View) != v {
				alive = false
			}
			if !alive {
				*vote = Vote{}
			}
		}
		if sv := &t.Net.StartView[v]; sv.To == 0 {
			*sv = Announcement{}
		}
	}
}

// normaliseStamps clears the commit numbers of prepares that can raise nobody's: every
// live replica knows as much, and keeps knowing it. While a replica may still crash
// and a newer view may start from less knowledge, no stamp is dead; nor while one may
// still read them in its durable journal.
func (m *Model) normaliseStamps(t *State) {
	low := uint8(MaxOps)
	for i := range m.cfg.Replicas {
		r := &t.Replica[i]
		if r.Status == Stopped {
			continue
		}
		if m.mayForget(t, i) && m.cfg.JournalDurable && m.rules.RestartApplies == RestartAppliesCarried {
			return
		}
		if !m.mayForget(t, i) && m.rules.CommitAssign == CommitRaised {
			low = min(low, r.CommitMax)
			continue
		}
		if int(r.View) < m.cfg.ViewMax {
			return
		}
		low = min(low, m.commitFloor(t, i))
		if p := &t.Replica[m.cfg.Primary(r.View)]; p.Status == Normal {
			low = min(low, p.CommitMax)
		}
	}
	for v := range m.cfg.views() {
		for op := range m.cfg.Ops {
			if t.Stamp[v][op] <= low {
				t.Stamp[v][op] = 0
			}
		}
	}
}
