package model

import (
	"errors"
	"fmt"
	"strings"
)

// Rules holds the chosen alternative of every switchable rule. Its zero value is
// the system as the report found it, faults included; see Catalogue for what each
// alternative means.
type Rules struct {
	FetchToOp       FetchToOp
	GapCheck        GapCheck
	RepairArming    RepairArming
	ServeCeiling    ServeCeiling
	RepairSession   RepairSession
	Readoption      Readoption
	PrepareFrontier PrepareFrontier
	ProbeAdoption   ProbeAdoption
	Reconcile       Reconcile
	AdoptedNacks    AdoptedNacks
	StartCoverage   StartCoverage
	AppliedPrepare  AppliedPrepare
	SessionEnd      SessionEnd
	Incarnation     Incarnation
	RepairFrames    RepairFrames
	NackQuorum      NackQuorum
	SilentSender    SilentSender
	CanonicalSender CanonicalSender
	DVCCommit       DVCCommit
	CommitAssign    CommitAssign
	QuorumLatch     QuorumLatch
	LogViewTime     LogViewTime
	ViewDurability  ViewDurability
	RecoveringVotes RecoveringVotes
	MissedStartView MissedStartView
	Coverage        Coverage
	ProbeMatch      ProbeMatch
	MergeLog        MergeLog

	Reack            Reack
	LearnedCommit    LearnedCommit
	RestartApplies   RestartApplies
	RepairScope      RepairScope
	Relics           Relics
	RepairFrontier   RepairFrontier
	SelfAck          SelfAck
	StateTransferCut StateTransferCut
}

// The alternatives of each rule. The first of each is what the report's version
// does.
type (
	FetchToOp       uint8
	GapCheck        uint8
	RepairArming    uint8
	ServeCeiling    uint8
	RepairSession   uint8
	Readoption      uint8
	PrepareFrontier uint8
	ProbeAdoption   uint8
	Reconcile       uint8
	AdoptedNacks    uint8
	StartCoverage   uint8
	AppliedPrepare  uint8
	SessionEnd      uint8
	Incarnation     uint8
	RepairFrames    uint8
	NackQuorum      uint8
	SilentSender    uint8
	CanonicalSender uint8
	DVCCommit       uint8
	CommitAssign    uint8
	QuorumLatch     uint8
	LogViewTime     uint8
	ViewDurability  uint8
	RecoveringVotes uint8
	MissedStartView uint8
	Coverage        uint8
	ProbeMatch      uint8
	MergeLog        uint8

	Reack            uint8
	LearnedCommit    uint8
	RestartApplies   uint8
	RepairScope      uint8
	Relics           uint8
	RepairFrontier   uint8
	SelfAck          uint8
	StateTransferCut uint8
)

const (
	FetchOld FetchToOp = iota
	FetchFixed
)

const (
	GapSequencer GapCheck = iota
	GapJournal
	GapAdoptedHole
)

const (
	ArmCommitted RepairArming = iota
	ArmEvents
	ArmAny
)

const (
	ServeHead ServeCeiling = iota
	ServeCommit
)

const (
	SessionSurvives RepairSession = iota
	SessionOfView
)

const (
	ReadoptAlways Readoption = iota
	ReadoptAhead
	ReadoptNever
)

const (
	FrontierOp PrepareFrontier = iota
	FrontierContiguous
)

const (
	ProbeAdoptsAny ProbeAdoption = iota
	ProbeAdoptsObserved
)

const (
	ReconcileAnnounced Reconcile = iota
	ReconcileProven
)

const (
	NackAdopted AdoptedNacks = iota
	AbstainAdopted
)

const (
	CoverMerged StartCoverage = iota
	CoverApplied
)

const (
	AppliedDropped AppliedPrepare = iota
	AppliedAcked
)

const (
	EndOnReply SessionEnd = iota
	EndOnTick
)

const (
	IncarnationInert Incarnation = iota
	IncarnationChecked
)

const (
	FramesAny RepairFrames = iota
	FramesOfSession
)

const (
	NackFull NackQuorum = iota
	NackShort
)

const (
	SilentAbstains SilentSender = iota
	SilentNacks
)

const (
	CanonicalLogView CanonicalSender = iota
	CanonicalLastPrepare
)

const (
	DVCCommitClamped DVCCommit = iota
	DVCCommitUnclamped
)

const (
	CommitRaised CommitAssign = iota
	CommitAssigned
)

const (
	LatchDecided QuorumLatch = iota
	LatchQuorum
)

const (
	LogViewStarted LogViewTime = iota
	LogViewDecided
)

const (
	ViewKept ViewDurability = iota
	ViewLost
)

const (
	RecoveringInvisible RecoveringVotes = iota
	RecoveringJoins
)

const (
	MissedProbes MissedStartView = iota
	MissedWaits
)

const (
	CoverageIdentity Coverage = iota
	CoverageNumber
)

const (
	ProbeStamped ProbeMatch = iota
	ProbeOfAnyView
)

const (
	MergeSuffix MergeLog = iota
	MergeOpNumber
)

const (
	ReackHeld Reack = iota
	ReackDropped
)

const (
	LearnedWalked LearnedCommit = iota
	LearnedJumped
)

const (
	RestartAppliesNone RestartApplies = iota
	RestartAppliesCarried
	RestartAppliesJournaled
)

const (
	ScopeSession RepairScope = iota
	ScopeSuffix
)

const (
	RelicsSwept Relics = iota
	RelicsStay
)

const (
	RepairedContiguous RepairFrontier = iota
	RepairedOp
)

const (
	SelfAckPrepared SelfAck = iota
	SelfAckOnce
	SelfAckTick
)

const (
	CutWhenAnswered StateTransferCut = iota
	CutWhenAsked
)

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

// Rule describes one switchable rule: what it changes, where it comes from and
// which alternatives it has. The zero alternative is the one of the report's
// version.
type Rule struct {
	Name         string
	Summary      string
	Source       string
	Alternatives []Alternative

	// safety says that the faulty alternative loses data and keeps nobody waiting, so that
	// it is no reason why a group does not get on.
	safety bool
	// Defect marks a known defect of some system of this kind that the report's version
	// does not have: the zero alternative is sound, any other brings the defect back.
	Defect bool

	// field points at the rule's value in a Rules.
	field func(*Rules) *uint8
}

// Alternative is one setting of a rule.
type Alternative struct {
	Name string
	// Summary is what the system does. After a semicolon it may say more about that, such as
	// what comes of it; an explanation of a state leaves that away.
	Summary string

	// Breaks names properties of package invariants that a specification of package specs
	// violates because of this alternative.
	Breaks []string
	// Cycles says where it makes cycles in the state graph: a cycle that goes on while an
	// old message arrives again and again keeps liveness from being decided by the
	// quiescent states.
	Cycles Cycles
	// against are the steps of an argument for a reduction that fail under it.
	against arguments

	// Sound says that no property is known to break because of this alternative, and that
	// it makes no cycle. It follows from the above.
	Sound bool
}

// Cycles says where an alternative makes cycles in the state graph.
type Cycles uint8

const (
	acyclic         Cycles = iota // nowhere
	cycles                        // in some groups of any number of views
	cyclesWithViews               // where there is more than one view, and all that it breaks is by going round
)

// arguments are steps of the arguments for the reductions that rest on what rules do. An
// alternative is against those that do not hold under it; of most no test shows that it has
// to be.
type arguments uint8

const (
	// promptAnswers: what a replica does before it adopts an answer does not need the primary
	// that gave it, and leaves nothing behind (prompt.go).
	promptAnswers arguments = 1 << iota
	// eagerAnswers: an answer that nobody gave does not help one that would not take it (eager.go).
	eagerAnswers
	// oldSends: an old heartbeat or an old probe makes no difference to a replica that does
	// not ask (eager.go).
	oldSends
	// freeProbes: to ask costs the asker nothing (eager.go).
	freeProbes
	// newBoot: a restarted replica has no use for the answer to an earlier boot (eager.go, 6).
	newBoot
	// outsiders: who has restarted is not seen in an election (eager.go, 6).
	outsiders
)

// ErrRule is wrapped by errors about unknown rules or alternatives.
var ErrRule = errors.New("unknown rule")

// chosen is the rule's alternative that rs has chosen.
func (r Rule) chosen(rs Rules) Alternative { return r.Alternatives[*r.field(&rs)] }

// Get is the name of the rule's alternative that rs has chosen.
func (r Rule) Get(rs Rules) string { return r.chosen(rs).Name }

// Set chooses an alternative by name. Its error wraps ErrRule and lists the
// alternatives there are.
func (r Rule) Set(rs *Rules, alternative string) error {
	for i, a := range r.Alternatives {
		if a.Name == alternative {
			*r.field(rs) = uint8(i)
			return nil
		}
	}
	return fmt.Errorf("%w: %s has no alternative %q, want %s", ErrRule, r.Name, alternative,
		strings.Join(r.AlternativeNames(), " or "))
}

// AlternativeNames are the names of the alternatives in order.
func (r Rule) AlternativeNames() []string {
	names := make([]string, len(r.Alternatives))
	for i, a := range r.Alternatives {
		names[i] = a.Name
	}
	return names
}
