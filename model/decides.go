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

// ruleIndex is the place of a rule in the catalogue.
type ruleIndex uint8

const (
	ruleFetchToOp ruleIndex = iota
	ruleGapCheck
	ruleRepairArming
	ruleServeCeiling
	ruleRepairSession
	ruleReadoption
	rulePrepareFrontier
	ruleProbeAdoption
	ruleReconcile
	ruleAdoptedNacks
	ruleStartCoverage
	ruleAppliedPrepare
	ruleSessionEnd
	ruleIncarnation
	ruleRepairFrames
	ruleNackQuorum
	ruleSilentSender
	ruleCanonicalSender
	ruleDVCCommit
	ruleCommitAssign
	ruleQuorumLatch
	ruleLogViewTime
	ruleViewDurability
	ruleRecoveringVotes
	ruleMissedStartView
	ruleCoverage
	ruleProbeMatch
	ruleMergeLog
	ruleReack
	ruleLearnedCommit
	ruleRestartApplies
	ruleRepairScope
	ruleRelics
	ruleRepairFrontier
	ruleSelfAck
	ruleStateTransferCut
	ruleCount
)

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
