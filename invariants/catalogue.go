package invariants

import "vsrcheck/model"

// Kind says when a property is evaluated.
type Kind string

// The kinds of properties.
const (
	State     Kind = "invariant" // every state
	Step      Kind = "action"    // every step
	Reachable Kind = "reachable" // some state
	Liveness  Kind = "liveness"  // every fair behaviour: []<>(bit clear) for each bit, or P ~> Q

	// Report is not a verdict either: the run counts the quiescent states in which it is so.
	Report Kind = "report"

	// Bound is a state property of a bound on the search, which says that the bound cuts
	// nothing off. A run that it concerns checks it unasked; see SendsFit.
	Bound Kind = "bound"

	// Constraint is not a property but a bound on the search: only states in which it
	// holds are expanded.
	Constraint Kind = "constraint"
)

// Property is one declared property of the model. Exactly one of the functions is
// set, according to Kind.
type Property struct {
	Name    string
	Kind    Kind
	Summary string // one line
	Formula string // the formula in words
	Limits  string // what the property does not rule out

	// Companion names the Reachable property that makes this one say something: where it is
	// never met, this one holds because nothing happens that it is about. Every property of
	// the kinds State, Step and Liveness has one.
	Companion string
	// Absent is of a Reachable property: what is so where it is never met, in words.
	Absent string
	// Unasked says that a check of liveness asks for this property, too, unless its
	// properties were chosen one by one, or it would cost a reduction.
	Unasked bool
	// KeptBy are the reductions that are argued to keep the verdict on this property, of the
	// kinds State, Step and Liveness. A run that checks it takes no others, so a new property
	// has none until somebody has argued for some.
	KeptBy model.Reductions
	// NotKept is why the verdict may not be kept by the rest of them, in words that go on after
	// the property's name; "" when there is no rest.
	NotKept string
	// EagerUnless is of a property for which eager sends are argued under some settings only:
	// a setting of m under which they are not, such as view_max > 1, or "". constrained says
	// that a constraint bounds the search.
	EagerUnless func(m *model.Model, constrained bool) string
	// NotInTLA is why no TLA+ formula says the same, so that VSR.tla does not define it; ""
	// when it does.
	NotInTLA string

	Holds     func(m *model.Model, s *model.State) bool                           // State, Reachable, Report, Bound, Constraint
	HoldsStep func(m *model.Model, s *model.State, a uint32, t *model.State) bool // Step
	// Excused is of a Step property that has an excuse: whether a step would violate it but
	// for that. Excusable is what such a step is, and Excuse the excuse, in words. A run
	// counts these steps.
	Excused           func(m *model.Model, s *model.State, t *model.State) bool
	Excusable, Excuse string

	Outstanding func(m *model.Model, s *model.State) uint64 // Liveness

	// Until is of a Liveness property whose goal is not just that its premise is over: for
	// each bit it is P ~> Q, with Outstanding for P and Until for Q. Else it is nil.
	Until func(m *model.Model, s *model.State) uint64

	// PerReplica says that bit i of Outstanding is replica i; else it is op i+1.
	PerReplica bool
}

// Catalogue lists every property, in the order of precedence in reports.
func Catalogue() []Property {
	ways := new(recoveries)
	return []Property{
		{
			Name:      "TypeOK",
			Kind:      State,
			Summary:   "the order of numbers within a replica holds",
			Formula:   "for every replica: log_view <= view <= view_max, commit_min <= commit_max <= ops, head and repair window <= ops",
			Limits:    "says nothing about how replicas relate to each other; that a value fits its field is checked where states are encoded",
			Companion: "SomeNumber",
			KeptBy:    model.AllReductions,
			Holds:     typeOK,
		},
		{
			Name:      "Agreement",
			Kind:      State,
			Summary:   "no two replicas ever apply different bodies at one op",
			Formula:   "every replica has applied, at each op up to its commit_min, the body that was first committed or applied there by anybody, at any time",
			Limits:    "an op that nobody applies, or that is lost before anybody else applies it, breaks Durability instead",
			Companion: "SomeTwoApply",
			KeptBy:    model.AllReductions,
			Holds:     agreement,
		},
		{
			Name:      "NoAssertion",
			Kind:      State,
			Summary:   "no condition that the running system asserts is false",
			Formula:   "no primary receives a prepare above its sequencer; a primary applies committed ops of its pipeline in order, without a gap",
			Limits:    "only the assertions listed in model.Assertion",
			Companion: "SomeCommit",
			KeptBy:    model.AllReductions,
			Holds:     noAssertion,
		},
		{
			Name:      "SettledViewStays",
			Kind:      State,
			Summary:   "a view that every replica is Normal in can be left by a timeout only",
			Formula:   "while every replica is Normal and all are in one view, no delivery and no other step that has to happen takes one of them to a higher view",
			Limits:    "nothing about views that some replica has not joined, nor about how often a timeout ends one",
			Companion: "SomeSettledView",
			KeptBy:    model.AllReductions,
			Holds:     settledViewStays,
		},
		{
			Name:      "CommittedIsHeld",
			Kind:      State,
			Summary:   "an op that was committed is held by somebody",
			Formula:   "for each op that a primary ever committed or a replica ever applied, some replica that has not stopped has the body first committed or applied there in its journal",
			Limits:    "not excused by more than f losses, so it is false by design once every replica that held the op has lost its journal; a body that is only in flight is not held; that a holder ever serves it is left to BackupsCatchUp",
			Companion: "SomeCommit",
			KeptBy:    model.Reductions{EagerSends: true, PromptAnswers: true},
			NotKept:   "which a stop alone may break, and then a later stop is not the same",
			Holds:     committedIsHeld,
		},
		{
			Name:      "NoRegression",
			Kind:      Step,
			Summary:   "a replica's numbers never go back, except by a crash or a stop",
			Formula:   "view, log_view, commit_max and commit_min of every replica are at least what they were, in every step but CrashRestart and Stop",
			Limits:    "the head op may go back: a view change discards uncommitted ops",
			Companion: "SomeNumber",
			KeptBy:    model.AllReductions,
			HoldsStep: noRegression,
		},
		{
			Name:      "Durability",
			Kind:      Step,
			Summary:   "a view that starts has every op committed before it",
			Formula:   "when a primary starts a view, its head covers every op decided in a lower view, and at each it holds the decided body, or, at or below its commit_max, none; as long as at most f replicas have lost their journal or stopped",
			Limits:    "more than f losses, counted over the whole run, excuse everything, and the run counts the view starts that it excused; that a hole below commit_max is repaired is left to BackupsCatchUp",
			Companion: "SomeViewStarts",
			KeptBy:    model.AllReductions,
			HoldsStep: durability,
			Excused:   durabilityExcused,
			Excusable: "view start",
			Excuse:    "more than f replicas had lost their journal or stopped",
		},
		{
			Name:        "QuorumAckedCommits",
			Kind:        Liveness,
			Summary:     "an op that its primary has seen acked by a replication quorum is eventually committed",
			Formula:     "for each op: (a Normal primary has a quorum of acks for it above its commit_max, and a quorum of replicas is up and not past its view) leads to (that is over: committed, or the primary or the quorum has left the view)",
			Limits:      "nothing about ops without a quorum of acks, nor about views whose primary is down; at drops = 0 nothing about lost one-shot messages",
			Companion:   "SomeQuorumAcked",
			KeptBy:      model.AllReductions,
			Outstanding: quorumAckedCommits,
		},
		{
			Name:        "EveryPreparedCommits",
			Kind:        Liveness,
			Summary:     "an op that its primary has prepared is eventually committed",
			Formula:     "for each op: (a Normal primary claims it above its commit_max, and a quorum of replicas is up and not past its view) leads to (that is over)",
			Limits:      "nothing about views whose primary is down; at drops = 0 nothing about lost one-shot messages",
			Companion:   "SomeCommit",
			KeptBy:      model.AllReductions,
			Outstanding: everyPreparedCommits,
		},
		{
			Name:        "BackupsCatchUp",
			Kind:        Liveness,
			Summary:     "a primary eventually applies what is committed, and a live backup what its primary has applied",
			Formula:     "for each replica: (it is a Normal primary that keeps a quorum and has commit_min < commit_max; or it is up, not past the view of such a primary, and has applied less than that) leads to (that is over)",
			Limits:      "of a backup it asks for not less than its primary, and not for equal: it may have applied more, where it knows of a commit from an earlier view or the primary lacks a body, and nothing that is applied is taken back; that the primary commits as much is left to EveryPreparedCommits; nothing about views whose primary is down; at drops = 0 nothing about lost one-shot messages",
			Companion:   "SomeCatchUp",
			KeptBy:      model.AllReductions,
			Outstanding: backupsCatchUp,
			PerReplica:  true,
		},
		{
			Name:        "VotesDecide",
			Kind:        Liveness,
			Summary:     "a view change that a quorum has joined is eventually decided",
			Formula:     "for each replica: (it leads a view change that a view-change quorum of replicas, itself included, is in, and has not decided the log) leads to (that is over)",
			Limits:      "that the new primary gets the bodies of the decided log is left to ViewSettles; where more is lost than f, nothing may be left to decide by",
			Companion:   "SomeQuorumOfVotes",
			KeptBy:      model.Reductions{FaultsLast: true, PromptAnswers: true},
			NotKept:     "which asks for states without a primary, and eager sends are argued for those with one",
			Outstanding: votesDecide,
			PerReplica:  true,
		},
		{
			Name:        "AckedLeadsToDecided",
			Kind:        Liveness,
			Summary:     "an op that its primary has seen acked by a replication quorum is eventually committed, by whatever primary",
			Formula:     "for each op: (a Normal primary has a quorum of acks for it above its commit_max, and a quorum of replicas is up and not past its view) leads to (a primary has committed it, or no primary keeps a quorum)",
			Limits:      "it is about the op number: another body that is committed there ends the obligation, which Durability and Agreement look after; so does a moment without a primary that keeps a quorum, even if one comes after it; at drops = 0 nothing about lost one-shot messages",
			Companion:   "SomeQuorumAcked",
			KeptBy:      model.Reductions{EagerSends: true},
			NotKept:     "a temporal formula, which asks for every state on the way",
			Outstanding: quorumAckedCommits,
			Until:       decidedOrAlone,
		},
		{
			Name:      "GroupRecovers",
			Kind:      Liveness,
			Summary:   "a group of which a quorum is up is not dead: steps without a fault lead to a primary that keeps a quorum",
			Formula:   "always: (a view-change quorum of replicas is up) leads to (some sequence of steps, timeouts that change the view included, but no fault and no request, leads to a Normal primary that keeps a quorum); one that is cut off by view_max or by a full channel counts as leading there",
			Limits:    "that a way is there, not that it is taken: a group that may get a primary and never does is not dead; what only a bound cuts off is counted as RecoveryCut; nothing where less than a quorum is up",
			Companion: "SomeLeaderless",
			KeptBy:    model.AllReductions,
			Unasked:   true,

			EagerUnless: (*model.Model).StaleAnswersRevive,
			NotInTLA:    "that a state can be reached is no property of a behaviour",

			Outstanding: ways.outstanding,
		},
		{
			Name:    "SomeQuorumAcked",
			Kind:    Reachable,
			Summary: "some op has its quorum of acks and waits for one below it",
			Formula: "in some state QuorumAckedCommits has something outstanding",
			Absent:  "no op with its quorum of acks ever waits for one below it",
			Limits:  "with a single op there is nothing below, and QuorumAckedCommits says nothing",
			Holds:   someQuorumAcked,
		},
		{
			Name:    "SomeCommit",
			Kind:    Reachable,
			Summary: "some op is committed",
			Formula: "in some state a Normal primary has commit_max > 0",
			Absent:  "no op is committed",
			Holds:   someCommit,
		},
		{
			Name:    "SomeCatchUp",
			Kind:    Reachable,
			Summary: "some backup applies an op",
			Formula: "in some state a backup has commit_min > 0",
			Absent:  "no backup applies an op",
			Holds:   someCatchUp,
		},
		{
			Name:    "SomeQuorumOfVotes",
			Kind:    Reachable,
			Summary: "some view change is joined by a quorum",
			Formula: "in some state VotesDecide has something outstanding",
			Absent:  "no view change is joined by a quorum",
			Holds:   someQuorumOfVotes,
		},
		{
			Name:    "SomeNumber",
			Kind:    Reachable,
			Summary: "some number of a replica rises",
			Formula: "in some state a replica has view, op or commit_max > 0",
			Absent:  "no number of a replica ever rises",
			Holds:   someNumber,
		},
		{
			Name:    "SomeTwoApply",
			Kind:    Reachable,
			Summary: "two replicas apply an op",
			Formula: "in some state two replicas have commit_min > 0",
			Absent:  "no two replicas apply an op",
			Holds:   someTwoApply,
		},
		{
			Name:    "SomeViewStarts",
			Kind:    Reachable,
			Summary: "some view starts",
			Formula: "in some state a replica is the Normal primary of a view above 0",
			Absent:  "no view starts",
			Holds:   someViewStarts,
		},
		{
			Name:    "SomeSettledView",
			Kind:    Reachable,
			Summary: "after a restart or a change of view all are in one view again, and a next one is possible",
			Formula: "in some state every replica is Normal in the same view, below view_max, which is not 0 or a replica has restarted",
			Absent:  "all are never in one view, below view_max, after a restart or a change of view",
			Holds:   someSettledView,
		},
		{
			Name:    "SomeLeaderless",
			Kind:    Reachable,
			Summary: "a quorum is up, and no primary keeps one",
			Formula: "in some state a view-change quorum of replicas is up, and no Normal primary keeps a replication quorum",
			Absent:  "no quorum is ever without a primary",
			Holds:   leaderless,
		},
		{
			Name:    "ViewSettles",
			Kind:    Report,
			Summary: "a replica waits in a view change, and no step that has to happen ends that",
			Formula: "a replica is in the status ViewChange, a quorum of replicas is up, and nothing that has to happen changes anything",
			Limits:  "reported, not a verdict: in the system a timer starts the next view, which the bounds of a run may cut off; whether that can help is left to GroupRecovers",
			Holds:   viewUnsettled,
		},
		{
			Name:    "DeadGroup",
			Kind:    Report,
			Summary: "the group is dead: no steps without a fault lead to a primary that keeps a quorum",
			Formula: "GroupRecovers is violated by staying here",
			Limits:  "reported, also where GroupRecovers is not asked for",
			Holds:   ways.dead,
		},
		{
			Name:    "RecoveryCut",
			Kind:    Report,
			Summary: "no primary keeps a quorum, and whether one comes with a higher view is cut off by view_max",
			Formula: "a view-change quorum of replicas is up, no step that has to happen changes anything, no sequence of steps without a fault or a request leads to a Normal primary that keeps a quorum, and view_max (or a full channel) cuts some off",
			Limits: "reported, not a verdict: with a higher view_max the group may turn out to recover, or to be dead, which GroupRecovers is about. " +
				"Where a bound cuts something off, no more than a thousand states are searched for a way within it",
			Holds: ways.cut,
		},
		{
			Name:    "SendsFit",
			Kind:    Bound,
			Summary: "no step waits for room in a channel (network = fifo)",
			Formula: "every step that is possible but for the bound `channel` is possible",
			Limits: "checked by itself with network = fifo, when liveness or deadlock is. What a step that waits leaves undone may be all that a " +
				"liveness property fails by: under weak fairness others may fill the channel for ever. So where this is false the run is " +
				"inconclusive: raise channel, or lower ops. A violation of safety counts all the same, and so does one of liveness if no step " +
				"waits where its behaviour stays: these are there in any channel",
			Holds: sendsFit,
		},
		{
			Name:    "RestartFirst",
			Kind:    Constraint,
			Summary: "faults in order: nobody leaves view 0 before the crashes are used up",
			Formula: "crashes = the budget, or every replica is in view 0",
			Limits:  "leaves out every behaviour in which a view changes before the last restart",
			Holds:   restartFirst,
		},
		{
			Name:    "StopLast",
			Kind:    Constraint,
			Summary: "faults in order: nobody stops before some replica has reached the last view",
			Formula: "no replica has stopped, or a live one is in view_max",
			Limits:  "leaves out every behaviour in which a replica stops earlier",
			Holds:   stopLast,
		},
		{
			Name:    "InheritedLog",
			Kind:    Constraint,
			Summary: "requests in order: all ops but the last one are prepared before the view changes",
			Formula: "every body held at an op below the last one was first prepared in view 0",
			Limits:  "leaves out every behaviour in which a later view prepares more than the last op",
			Holds:   inheritedLog,
		},
		{
			Name:    "DeposedStays",
			Kind:    Constraint,
			Summary: "a deposed primary: replica 0 never learns that view 0 is over",
			Formula: "replica 0 is Normal in view 0, or has stopped",
			Limits:  "leaves out every behaviour in which replica 0 takes part in another view, or restarts",
			Holds:   deposedStays,
		},
	}
}

// Waits are the bits of a Liveness property that it waits for after a state, when before
// are those that it waited for before it. They are violated if that stays so for ever.
func (p *Property) Waits(m *model.Model, s *model.State, before uint64) uint64 {
	if p.Until == nil {
		return p.Outstanding(m, s)
	}
	return (before | p.Outstanding(m, s)) &^ p.Until(m, s)
}

// Named finds a property by name.
func Named(name string) (Property, bool) {
	for _, p := range Catalogue() {
		if p.Name == name {
			return p, true
		}
	}
	return Property{}, false
}
