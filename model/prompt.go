package model

// Prompt answers: a reduction. An answer to a probe tells how the primary of a view
// stands. It may be late, and be adopted when the primary is long past that; so all that
// a primary has ever been able to answer would be in flight. With prompt answers, one is
// in flight only for as long as it is true.
//
// This keeps what the properties see. Let replica r adopt an answer of view v that its
// primary p gave earlier, and let D be what lies between the two and what r then is
// depends on: the steps of r, and those of others that they depend on, and so on. No step
// of D needs one that p has taken after it gave the answer, as is shown below. So D can be
// taken before the answer is given (steps of two replicas commute, since a message that
// was sent stays: Mazurkiewicz, "Trace Theory", 1986), and the adoption follows at once.
// The run is as long as before, and it ends in the same states of the replicas and with
// the same messages, but for the answers. Conversely, a run with prompt answers is one
// without: of the answers that could be given, it gives those that are adopted at once.
// So the same states of the replicas are reachable, by as short runs; and where no fair
// step changes anything without the reduction, none does with it. (Where r decides an op in
// D that others have decided by then in a newer view, DecidedIn becomes the older one, of
// which Durability asks more.)
//
// Why D does not need p, for the replicas whose answers expire:
//
//   - One that is Recovering, or in the change to v, does nothing else that matters than
//     to adopt a log: D are its observations of newer views and its votes, which p ignores
//     as it leads v already. It adopts in the same way without them.
//   - One in an older view, in a group of at most three: as p leads v, a quorum is in v or
//     later, so everybody else is. Of what these send there is the heartbeat that p began
//     its view with, by which r may observe v as well as by any later message; the messages
//     of a change to v, which need nothing of a p that leads it; and the stream of a repair,
//     which r takes only while it has a session, and then old answers are kept. Nor does
//     anybody there ask r for a repair: a backup asks the primary of its view, and a primary
//     asks nobody, as it starts with all bodies (start_coverage = applied).
//
// D is taken before other steps that came before it, so a constraint might cut off a state on
// the new way: the command refuses the two together.
//
// A replica that crashes in between has no use for the answer (incarnation = checked), and
// adopting ends its repair session with all that belongs to it (repair_session = view,
// repair_frames = session). The rules that let a Recovering replica do more, or have an
// older message matter more than the newest, are ruled out: see what is against promptAnswers
// in the catalogue. Losses
// could make that heartbeat disappear, so they must be taken last (faults.go).
// TestPromptIsHarmless compares the systems with and without.

// expireAnswers removes the answers that do not tell how the primary stands, as far as
// their receivers have no use for an old one.
func (m *Model) expireAnswers(t *State) {
	for v := range uint8(m.cfg.views()) {
		p := &t.Replica[m.cfg.Primary(v)]
		now := uint64(0)
		if p.Status == Normal && p.View == v && p.LogView == v {
			now = 1 << answerPos(p.Op, p.CommitMax)
		}
		for i := range m.cfg.Replicas {
			if m.expires(&t.Replica[i], v) {
				t.Net.Answer[i][v] &= now
			}
		}
	}
}

// expires reports whether a replica has no use for an answer of a view that is not true
// any more.
func (m *Model) expires(r *Replica, view uint8) bool {
	if r.Status == Recovering || r.Status == ViewChange && r.View == view {
		return true
	}
	return r.View < view && r.SessionTo == 0 && m.cfg.Replicas <= 3 && m.sentEagerly(kHeartbeat)
}

// oldAnswersMatter is a setting, such as incarnation=inert, under which an old answer may
// be of a use that one which is true is not, or "".
func (m *Model) oldAnswersMatter() string {
	if rule := m.CyclicRule(); rule != "" {
		return rule
	}
	if m.cfg.RecoveringElects {
		return "recovering_elects=TRUE"
	}
	return m.contrary(promptAnswers).String()
}
