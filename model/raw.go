package model

import "fmt"

// The raw system: a step is what its handler does, and nothing is removed afterwards. It is
// there to compare with. All reductions build on the normalisation (normalise.go), and raw
// runs do without: what the arguments in those files overlook shows as a difference.
//
// Handlers alone still replace or remove what follows; Removed lists it, each with the
// reason. Where a reason does not hold, raw is refused; see RawRefused.

// Removal is something that the raw system does not keep, although it was sent or known.
type Removal struct {
	What   string // what is not kept
	Reason string // why nobody can tell
}

// Removed lists what the raw system still removes.
func Removed() []Removal {
	return []Removal{
		{"the state of a stopped replica", "it takes no step any more, and nobody reads it; messages to it stay in flight, and are lost by a Drop alone"},
		{"copies of a message that is in flight already", "under network = set a message may be delivered any number of times, so one copy does for all; under consume see Duplicate"},
		{"a DoViewChange that is in flight when its sender builds it again", "the primary counts the first vote of a sender, and nothing but its delivery depends on the newer copy: a run that delivers the older one is a run without the step that replaces it"},
		{fmt.Sprintf("answers to, and probes of, a boot that is over (%s)", at(ruleIncarnation, IncarnationChecked).words()), "the rule: they carry the incarnation of that boot, and are ignored. A probe of the primary of a view, which elects, stays"},
		{fmt.Sprintf("requests, frames and RepairDone of a repair session that is over (%s; RepairDone always)", at(ruleRepairFrames, FramesOfSession).words()), "the rule: they carry the number of that session, and are ignored"},
		{"the part of an answer's commit number that is above its head", "the model's handler clamps it, as the public source does since Apache Iggy #4191, and did not before. Only a primary that started its view without an op which it knew to be committed has a commit_max above its head: Durability is violated in that step, or excused by more than f losses. What happens after it is not exact for a source without the clamp"},
		{"acks beyond a quorum, and StartViewChange messages after the own vote", "the handlers do not count them"},
	}
}

// Raw is the same model without any reduction and without normalisation.
func (m *Model) Raw() *Model {
	u := *m
	u.raw = true
	u.reduce(Reductions{})
	u.setLayout()
	return &u
}

// IsRaw reports whether the model is without normalisation.
func (m *Model) IsRaw() bool { return m.raw }

// RawRefused says under which setting the raw system would not be what it says it is, or "".
func (m *Model) RawRefused() string {
	switch {
	case m.cfg.Network == NetworkFIFO:
		return "with network = fifo a message that nobody can act on would fill its bounded channel for ever"
	case m.rules.ViewDurability == ViewLost && m.cfg.Crashes > 0 && m.cfg.ViewMax > 0:
		return "with " + m.setting(ruleViewDurability).words() + " a view may start twice, and its second StartView, prepares and votes would replace the first"
	}
	return ""
}

// reachesNobody reports whether a delivers a message to a stopped replica. Elsewhere the
// normalisation removes such messages.
func (m *Model) reachesNobody(t *State, a uint32) bool {
	if !m.raw {
		return false
	}
	if kindOf(a) == kDuplicate {
		a = droppedBy(a)
	}
	return delivers(kindOf(a)) && t.Replica[m.receiver(a)].Status == Stopped
}
