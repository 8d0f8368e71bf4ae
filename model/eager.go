package model

// Eager sends: a reduction. Three messages say nothing but how their sender stands
// and may be sent again at any moment: a heartbeat, a probe, and the answer to a
// probe. With eager sends they are in flight from the first moment at which they can
// be, so the steps Heartbeat and Probe and the choice of when to answer disappear.
//
// This keeps what the properties see. Call a state quiescent when no fair step
// changes it. (1) Every behaviour without eager sends is one with them, with more
// messages in flight: an additional message is delivered or it is not, and stands in
// nobody's way. (2) Every behaviour with eager sends is one without: send a message
// just before its delivery. So the same states of the replicas are reachable, which
// settles safety. (3) Let q be quiescent without eager sends, and p a Normal primary
// in it that keeps a quorum, as every liveness property asks for. Its heartbeat with
// its present commit number was sent and received, so no earlier one can raise
// anything. A replica that still probes would be answered, so there is none. Where a
// probe is in flight, p has answered it as it stands now, so a Normal replica has no
// use for an earlier answer under readoption = ahead: its head is not below. The
// additional messages change nothing in q, so it is quiescent with eager sends too.
// (4) Let q be quiescent with eager sends; the behaviour of (2), completed by the
// sends that are still enabled, ends in the same states of the replicas, and their
// delivery changes nothing there.
//
// (5) Some rules make cycles, see CyclicRule; there a fair run may also go round for ever.
// Take such a run without eager sends, with a primary p of view v that keeps a quorum in
// all of it. p stays Normal: nobody else announces v. So its head and its commit number are
// the same all the time, and what was sent to it and is in flight is delivered to it at any
// moment. It has thus answered every probe as it stands. Let an answer that only eager sends
// have be possible to adopt all the time, by a replica i that does not take it. A view above
// v has not started, as the quorums of the two meet; so it is an answer of v, or of a view
// below, and i is in none above v. If i always probes, or has once probed in its view, the
// answer of p is there too; it is at least as new, and i would have taken it. If i is not
// always of one status, no answer can be adopted all the time, and fairness forces none.
// This holds for answers. A probe is a step of its own: a replica that is Recovering now and
// then need never take it, and eager probes would force it to. So neither probes nor
// heartbeats are eager where a rule makes cycles in more than one view.
//
// (6) GroupRecovers is about a group that is dead: nobody leads a quorum, and no steps without
// a fault change that. It stays so whatever is done, so take all timeouts for newer views.
// Then each replica that is up is Recovering, for good (recovering_elects = FALSE), or leads
// a view without a quorum: any other has a timeout that begins an election, up to view_max,
// and then it is not known to be dead. A group that is dead with eager sends is dead without,
// as (2) and (1) give it the same ways. Conversely, let it be dead without, and i Recovering.
// With eager sends it may have an answer that nobody gave, of a replica p that has led
// since and leads no more. With prompt answers that one has expired. Else let i become
// Recovering at the very end, after all such p have ceased to lead: it had only sent
// probes since, and whoever began an election because of one may do so by its timeout, and
// observe newer views afterwards. If i has crashed then, it has a new incarnation, and nobody
// has answered that. If it is there because it saw a newer view, it may have probed before
// and not crashed since; staleAnswersRevive says where that can be. A constraint may cut off
// the states on this other way.
//
// The argument has limits, and the reduction keeps within them. A probe that need not
// have been sent makes the primary answer for ever; a Normal replica may act on that
// unless readoption = never, so probes are eager only there; and not under
// state_transfer_cut = asked, where asking costs the asker its log. So is a heartbeat when
// there is more than one view, as a later primary answers one of an older view. Under
// readoption = always even an old answer has an effect, so answers are not eager. Some
// known defects make an old message matter: a probe may elect (probe_match = any), an
// old heartbeat's answer may help one that does not ask (missed_start_view = waits), and
// with its view a replica forgets what it has sent (view_durability = lost). And it
// would not do at all for retransmissions and repair requests: whether one of those
// was sent before its window closed is what the report is about. TestEagerIsHarmless
// compares the systems with and without on small configurations, with three replicas
// and two views for a choice of the rule sets.
func (m *Model) sendEagerly(t *State) {
	for i := range m.cfg.Replicas {
		switch t.Replica[i].Status {
		case Normal:
			if m.sentEagerly(kHeartbeat) {
				m.heartbeat(t, i)
			}
		case Recovering, ViewChange:
			if m.sentEagerly(kProbe) {
				m.probe(t, i)
			}
		}
	}
	if !m.answers {
		return
	}
	for i := range m.cfg.Replicas {
		r := &t.Replica[i]
		if r.Status != Normal || !m.leads(t, i) || r.LogView != r.View {
			continue
		}
		for set := t.Net.Probe[i]; set != 0; {
			_, from := m.senderAt(next(&set))
			add(&t.Net.Answer[from][r.View], answerPos(r.Op, r.CommitMax))
		}
	}
}

// mayAnswerEagerly reports whether eager answers are argued for the rules and the budgets.
func (m *Model) mayAnswerEagerly() bool {
	return m.holds(eagerAnswers) && m.lostProbesMatter() == ""
}

// lostProbesMatter is a setting, such as session_end=reply, under which a probe that is lost
// before it is answered may matter, or "".
func (m *Model) lostProbesMatter() string {
	nobodyProbes := m.cfg.Crashes == 0 && m.cfg.ViewMax == 0
	if m.cfg.Drops == 0 || nobodyProbes || m.oldSendsDoNoHarm() {
		return ""
	}
	for k, rule := range Catalogue() {
		// Where all that an alternative does is to go round, CyclicRule says so.
		if a := rule.chosen(m.rules); !a.Sound && a.Cycles != cyclesWithViews {
			return m.setting(ruleIndex(k)).String()
		}
	}
	return ""
}

// StaleAnswersRevive is a setting, such as view_max > 1, under which a dead group may have a way
// out by an answer that only eager sends have, so that GroupRecovers may hold with them and
// not without, or "". constrained says that a CONSTRAINT cuts off states. See (6) above.
//
// With one view and one crash at most, i has not both probed before and seen view 1: it would
// have had to crash before, so the others have not; then whoever has started view 1 with its
// primary is up and visible, unless it has stopped, and a quorum cannot have stopped.
func (m *Model) StaleAnswersRevive(constrained bool) string {
	early := m.answers || m.sentEagerly(kProbe)
	if !early || m.reductions.PromptAnswers || m.cfg.RecoveringElects || m.cfg.Crashes == 0 && m.cfg.ViewMax == 0 {
		return ""
	}
	oneView := m.cfg.ViewMax == 0
	switch {
	case constrained:
		return "a CONSTRAINT"
	case !m.holds(newBoot) && (m.cfg.Crashes > 1 || !oneView):
		return m.contrary(newBoot).String()
	case oneView:
		return ""
	case !m.holds(outsiders):
		return m.contrary(outsiders).String()
	case m.cfg.ViewMax > 1:
		return "view_max > 1"
	case m.cfg.Crashes > 1:
		return "crashes > 1"
	}
	return ""
}

// oldSendsDoNoHarm reports whether, under the rules, an old heartbeat or an old probe makes
// no difference to a replica that does not ask.
func (m *Model) oldSendsDoNoHarm() bool {
	return m.holds(oldSends) && m.CyclicRule() == ""
}

// sentEagerly reports whether steps of a kind are taken as early as they can be, so
// that none is left to take.
func (m *Model) sentEagerly(k kind) bool {
	switch k {
	case kHeartbeat:
		return m.reductions.EagerSends && (m.oldSendsDoNoHarm() || m.cfg.ViewMax == 0)
	case kProbe:
		return m.reductions.EagerSends && m.oldSendsDoNoHarm() && m.holds(freeProbes)
	}
	return false
}
