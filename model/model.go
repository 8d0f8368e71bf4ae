package model

import "fmt"

// Model is the transition system of one configuration under one set of rules. It
// satisfies explore.System[State] and explore.Measured[State], and is never changed
// after New, so any number of goroutines may use it.
type Model struct {
	cfg        Config
	rules      Rules
	facts      ruleFacts
	layout     []field
	groups     []group   // of the layout
	mailboxes  []mailbox // where messages may be
	plain      plainBoxes
	masks      masks
	codes      channelCodes
	reductions Reductions
	answers    bool       // eager sends are in force for answers, too
	raw        bool       // without normalisation, see raw.go
	width      int        // of the lines of a description, see WithWidth
	decisions  *decisions // nil: nobody wants to know, see Watched
}

// New checks the configuration and builds its model, with eager sends where they are
// argued and no other reduction. Its errors wrap ErrConfig.
func New(cfg Config, rules Rules) (*Model, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	m := &Model{cfg: cfg, rules: rules, width: textWidth}
	m.facts = newRuleFacts(m)
	m.reduce(Reductions{EagerSends: true})
	if cfg.Network == NetworkFIFO {
		if err := m.validateChannels(); err != nil {
			return nil, err
		}
	}
	m.setLayout()
	m.masks = newMasks(m)
	return m, nil
}

func (m *Model) setLayout() {
	m.mailboxes = newMailboxes(&m.cfg)
	m.plain = newPlainBoxes(m.mailboxes)
	m.layout = newLayout(m)
	m.groups = groupFields(m.layout)
}

// Reductions of the number of states. The files named argue for each; a property of
// the catalogue of invariants says for which of them that is argued (KeptBy).
type Reductions struct {
	EagerSends    bool // eager.go
	FaultsLast    bool // faults.go
	PromptAnswers bool // prompt.go
}

// AllReductions is every reduction that there is.
var AllReductions = Reductions{EagerSends: true, FaultsLast: true, PromptAnswers: true}

// And are the reductions that are in both.
func (r Reductions) And(other Reductions) Reductions {
	return Reductions{
		EagerSends:    r.EagerSends && other.EagerSends,
		FaultsLast:    r.FaultsLast && other.FaultsLast,
		PromptAnswers: r.PromptAnswers && other.PromptAnswers,
	}
}

// Without are the reductions that are not in the other.
func (r Reductions) Without(other Reductions) Reductions {
	return Reductions{
		EagerSends:    r.EagerSends && !other.EagerSends,
		FaultsLast:    r.FaultsLast && !other.FaultsLast,
		PromptAnswers: r.PromptAnswers && !other.PromptAnswers,
	}
}

// With is the same model with those of the reductions that are argued for its rules, and
// no others; it is normalised.
func (m *Model) With(r Reductions) *Model {
	u := *m
	u.reduce(r)
	if m.raw {
		u.raw = false
		u.setLayout()
	}
	return &u
}

// reduce puts those of the reductions in force that are argued.
func (m *Model) reduce(r Reductions) {
	m.reductions = m.Argued(r)
	m.answers = m.reductions.EagerSends && m.mayAnswerEagerly()
}

// Argued are those of the reductions whose arguments hold under the model's rules. (A rule's
// alternative is sound or not; a reduction is argued for a model, or it is not.)
func (m *Model) Argued(r Reductions) Reductions {
	if m.cfg.Network != NetworkSet {
		return Reductions{} // all are argued for a set: what is in flight stands in nobody's way
	}
	r.FaultsLast = r.FaultsLast && m.CyclicRule() == ""
	r.PromptAnswers = r.PromptAnswers && m.oldAnswersMatter() == "" && (r.FaultsLast || m.cfg.Drops == 0)
	return r
}

// Unargued says why a choice of reductions is not argued for the model's rules, or "".
func (m *Model) Unargued(r Reductions) string {
	argued := m.Argued(r)
	switch {
	case m.cfg.Network != NetworkSet && r != argued:
		return "no reduction is known to be sound for network = " + m.cfg.Network.String()
	case r.FaultsLast && !argued.FaultsLast:
		return "with " + m.CyclicRule() + " the state graph has cycles, and a fault cannot be moved behind one"
	case r.PromptAnswers && !argued.PromptAnswers:
		if rule := m.oldAnswersMatter(); rule != "" {
			return "with " + rule + " an old answer may matter more than one that is true"
		}
		return "with drops an answer is prompt only where the losses come last"
	}
	return ""
}

// CyclicRule is a rule with its alternative, such as readoption=always, or the network,
// under which the state graph may have cycles, or "". A delayed StartView takes a replica
// that probes back and forth only where there is a newer view.
func (m *Model) CyclicRule() string { return m.facts.cyclic }

// Unreduced is the same model without any reduction: every heartbeat, probe and answer
// is a step of its own, and a fault may happen at any time.
func (m *Model) Unreduced() *Model { return m.With(Reductions{}) }

// Reductions are those of the model.
func (m *Model) Reductions() Reductions { return m.reductions }

// Config is the configuration of the model.
func (m *Model) Config() Config { return m.cfg }

// Rules are the rules of the model.
func (m *Model) Rules() Rules { return m.rules }

// Init yields the one initial state: every replica Normal in view 0 with an empty
// log, nothing sent.
func (m *Model) Init(yield func(s *State)) {
	var s State
	yield(&s)
}

// Next yields every step enabled in s, but for what the reductions leave out. Handlers
// write to t, which equals s before each; one that refuses without effect leaves t as
// it was.
func (m *Model) Next(s, t *State, yield func(a uint32)) {
	if s.Failed != AssertNone {
		return
	}
	*t = *s
	last, late := m.reductions.FaultsLast, m.late(s)
	if late && !m.faultsLeft(s) {
		return
	}
	var v movers
	m.eachStep(s, func(a uint32) {
		if late && !fairKinds[kindOf(a)] || m.take(t, a)&changed == 0 {
			return
		}
		if last && m.moves(s, t, a) {
			v.note(m, a)
		}
		if !late {
			yield(a)
		}
		*t = *s
	})
	m.eachFault(s, func(f uint32) {
		if last && !(v.preventable(m, s, f) && m.inTurn(s, t, f)) || m.take(t, f)&changed == 0 {
			return
		}
		if !last || m.silenceable(t) {
			yield(f)
		}
		*t = *s
	})
}

// take takes a step of t, sends and normalisation included. When the step is not enabled,
// t is as it was.
func (m *Model) take(t *State, a uint32) Outcome {
	if m.reachesNobody(t, a) {
		return NotEnabled
	}
	if m.cfg.Network != NetworkSet {
		return m.takeOnce(t, a)
	}
	out := m.step(t, a)
	if out&changed != 0 {
		if m.reductions.EagerSends {
			m.sendEagerly(t)
		}
		if m.reductions.PromptAnswers {
			m.expireAnswers(t)
		}
		if m.reductions.FaultsLast {
			m.forgetLost(t)
		}
		m.normalise(t)
	}
	return out
}

// each calls try for every action that may be enabled in s.
func (m *Model) each(s *State, try func(a uint32)) {
	m.eachStep(s, try)
	m.eachFault(s, try)
}

// eachStep calls try for the actions of each but for those of eachFault: the local steps
// of each live replica, the delivery of each message.
func (m *Model) eachStep(s *State, try func(a uint32)) {
	for i := range m.cfg.Replicas {
		if s.Replica[i].Status == Stopped {
			continue
		}
		for k := range kind(kinds) {
			if local[k] && k != kStop && !m.sentEagerly(k) {
				try(act(k, i, 0, 0))
			}
		}
	}
	m.eachDelivery(s, try)
}

// eachFault calls try for every fault that a run may leave to its end: the stop of each
// live replica, the loss of each message; and for the faults that only some networks have.
func (m *Model) eachFault(s *State, try func(a uint32)) {
	for i := range m.cfg.Replicas {
		if s.Replica[i].Status != Stopped {
			try(act(kStop, i, 0, 0))
		}
	}
	if int(s.Drops) < m.cfg.Drops {
		m.eachMessage(s, func(a uint32) { try(dropOf(a)) })
	}
	if int(s.Duplicates) < m.cfg.Duplicates {
		m.eachMessage(s, func(a uint32) { try(duplicateOf(a)) })
	}
	if int(s.Resets) < m.cfg.Resets {
		m.eachConnection(func(i, j int) { try(act(kReset, i, j, 0)) })
	}
}

// step applies one action to t.
func (m *Model) step(t *State, a uint32) Outcome {
	self, peer, pos := selfOf(a), peerOf(a), posOf(a)
	switch kindOf(a) {
	case kRequest:
		return m.request(t, self)
	case kRetransmit:
		return m.retransmit(t, self)
	case kHeartbeat:
		return m.heartbeat(t, self)
	case kCommitWalk:
		return m.tickCommitWalk(t, self)
	case kReceivePrepare:
		view, op, id := m.prepareAt(pos)
		return m.receivePrepare(t, self, view, op, id)
	case kReceivePrepareOk:
		view, op, id := m.prepareAt(pos)
		return m.receivePrepareOk(t, m.cfg.Primary(view), self, view, op, id)
	case kReceiveCommit:
		view, commit := m.commitAt(pos)
		return m.receiveCommit(t, self, view, commit)
	case kArmRepair:
		return m.tickArmRepair(t, self)
	case kRetryRepair:
		return m.retryRepair(t, self)
	case kCloseRepair:
		return m.closeRepair(t, self)
	case kReceiveRequestPrepares:
		from, to := rangeAt(pos)
		return m.receiveRequestPrepares(t, self, peer, from, to)
	case kReceiveRepairPrepare:
		op, id := m.repairAt(pos)
		return m.receiveRepairPrepare(t, self, op, id)
	case kReceiveRepairDone:
		return m.receiveRepairDone(t, self)
	case kProbe:
		return m.probe(t, self)
	case kReceiveProbe:
		view, from := m.senderAt(pos)
		return m.receiveProbe(t, self, from, view)
	case kReceiveAnswer:
		op, commit := answerAt(pos)
		return m.receiveStartView(t, self, uint8(peer), op, commit, nil)
	case kNewerViewTimeout:
		return m.newerViewTimeout(t, self)
	case kHeartbeatTimeout:
		return m.heartbeatTimeout(t, self)
	case kViewChangeTimeout:
		return m.viewChangeTimeout(t, self)
	case kProbeTimeout:
		return m.probeTimeout(t, self)
	case kReceiveStartViewChange:
		view, from := m.senderAt(pos)
		return m.receiveStartViewChange(t, self, from, view)
	case kResendStartViewChange:
		return m.resendStartViewChange(t, self)
	case kReceiveDoViewChange:
		return m.receiveDoViewChange(t, m.cfg.Primary(uint8(pos)), self, uint8(pos))
	case kResendDoViewChange:
		return m.resendDoViewChange(t, self)
	case kAdvanceView:
		return m.advanceView(t, self)
	case kReceiveStartView:
		sv := t.Net.StartView[pos]
		return m.receiveStartView(t, self, uint8(pos), sv.Op, sv.Commit, &sv.Log)
	case kCrashRestart:
		return m.crashRestart(t, self)
	case kStop:
		return m.stop(t, self)
	case kDrop:
		return m.drop(t, droppedBy(a))
	case kDuplicate:
		return m.step(t, droppedBy(a))
	case kReset:
		return m.reset(t, self, peer)
	}
	panic(fmt.Sprintf("model: action %#x is of no kind", a))
}

// leads reports whether replica i is the primary of its own view.
func (m *Model) leads(t *State, i int) bool {
	return m.cfg.Primary(t.Replica[i].View) == i
}
