package model

// The rules, each declared here once, with all that other parts of the model have to know of
// its alternatives. A new one also has a field and constants in rules.go, and is read where
// it decides something.

// Catalogue lists every switchable rule, in the order in which a run echoes them.
func Catalogue() []Rule {
	rules := [ruleCount]Rule{
		ruleFetchToOp: {
			Name:    "fetch_to_op",
			Summary: "how far up a repair session asks",
			Source:  "the report; Apache Iggy #4075, #4074",
			Alternatives: []Alternative{
				{Name: "old", Summary: "up to the commit number whenever that lags", Breaks: []string{"QuorumAckedCommits"}},
				{Name: "fixed", Summary: "up to the head while a body above the commit number is missing"},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.FetchToOp) },
		},
		ruleGapCheck: {
			Name:    "gap_check",
			Summary: "which prepares a backup takes at an op that it already claims",
			Source:  "the report: the check, and the fixes that it rules out",
			Alternatives: []Alternative{
				{Name: "sequencer", Summary: "none: only head + 1"},
				{Name: "journal", Summary: "any at or below the head that the journal lacks"},
				{Name: "adopted-hole", Summary: "those that the last StartView announced and the journal lacks"},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.GapCheck) },
		},
		ruleRepairArming: {
			Name:    "repair_arming",
			Summary: "when a tick opens a repair session",
			Source:  "Apache Iggy #4006, #4008",
			Alternatives: []Alternative{
				{Name: "committed", Summary: "while the next committed op is missing"},
				{Name: "events", Summary: "never: only a StartView or a heartbeat that raises commit_max does", Breaks: []string{"BackupsCatchUp"}},
				{Name: "any", Summary: "also while a body above the commit number is missing"},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.RepairArming) },
		},
		ruleServeCeiling: {
			Name:    "serve_ceiling",
			Summary: "how far above its commit number a peer serves repair",
			Source:  "Apache Iggy #3824, #3987",
			Alternatives: []Alternative{
				{Name: "head", Summary: "up to its head"},
				{Name: "commit", Summary: "not at all", Breaks: []string{"EveryPreparedCommits"}},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.ServeCeiling) },
		},
		ruleRepairSession: {
			Name:    "repair_session",
			Summary: "how long a repair session lives",
			Source:  "Apache Iggy, public source after the report",
			Alternatives: []Alternative{
				{Name: "survives", Summary: "until all it asked for is applied, over view changes", Breaks: []string{"NoAssertion", "QuorumAckedCommits"}, against: promptAnswers},
				{Name: "view", Summary: "also not longer than the view that it was opened in"},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.RepairSession) },
		},
		ruleReadoption: {
			Name:    "readoption",
			Summary: "whether a Normal replica adopts a StartView of the view that it is in",
			Source:  "Apache Iggy, public source after the report",
			Alternatives: []Alternative{
				{Name: "always", Summary: "yes, unless the head is below what it has applied; an old one can lose a committed op, or wedge the backup by coming again and again", Breaks: []string{"BackupsCatchUp", "Durability"}, Cycles: cycles, against: oldSends | eagerAnswers},
				{Name: "ahead", Summary: "only one whose head is above its own", against: oldSends},
				{Name: "never", Summary: "no"},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.Readoption) },
		},
		rulePrepareFrontier: {
			Name:    "prepare_frontier",
			Summary: "how far the head moves when a prepare fills the op after it",
			Source:  "found by this checker; Apache Iggy #3667 for the repair path",
			Alternatives: []Alternative{
				{Name: "op", Summary: "to that op, even when repair has filled the ops above it", Breaks: []string{"EveryPreparedCommits"}},
				{Name: "contiguous", Summary: "along the contiguous journal, as on the repair path"},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.PrepareFrontier) },
		},
		ruleProbeAdoption: {
			Name:    "probe_adoption",
			Summary: "which StartView a replica adopts that probes because it has seen a newer view",
			Source:  "found by this checker",
			Alternatives: []Alternative{
				{Name: "any", Summary: "also a delayed one of the view that it is about to leave, back and forth", Breaks: []string{"BackupsCatchUp"}, Cycles: cyclesWithViews},
				{Name: "observed", Summary: "none older than the view it has seen"},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.ProbeAdoption) },
		},
		ruleReconcile: {
			Name:    "reconcile",
			Summary: "which journal entries above commit_min survive the adoption of a newer view's log",
			Source:  "found by this checker; Apache Iggy fences such entries in its public source after the report",
			Alternatives: []Alternative{
				{Name: "announced", Summary: "all that the announcement does not contradict above its commit number", Breaks: []string{"Agreement"}},
				{Name: "proven", Summary: "only those that the announcement names, or that came with the same log"},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.Reconcile) },
		},
		ruleAdoptedNacks: {
			Name:    "adopted_nacks",
			Summary: "what a vote says of an op that the last StartView announced and the journal lacks",
			Source:  "Apache Iggy #3824",
			Alternatives: []Alternative{
				{Name: "nacked", Summary: "that the replica never prepared it, unless it still knows the header", Breaks: []string{"Durability"}},
				{Name: "abstains", Summary: "nothing, unless it still knows the header"},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.AdoptedNacks) },
		},
		ruleStartCoverage: {
			Name:    "start_coverage",
			Summary: "from which op on a new primary's journal must be complete before its view starts",
			Source:  "Apache Iggy #4073",
			Alternatives: []Alternative{
				{Name: "merged", Summary: "from the commit number of the merged log", Breaks: []string{"BackupsCatchUp"}, against: promptAnswers},
				{Name: "applied", Summary: "from the op after the last one that it applied"},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.StartCoverage) },
		},
		ruleAppliedPrepare: {
			Name:    "applied_prepare",
			Summary: "what a replica does with a prepare that it has already applied",
			Source:  "found by this checker; related to Apache Iggy #3585",
			Alternatives: []Alternative{
				{Name: "dropped", Summary: "drops it: the whole chain has it", Breaks: []string{"EveryPreparedCommits"}},
				{Name: "acked", Summary: "acks it again: a new primary may know less"},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.AppliedPrepare) },
		},
		ruleSessionEnd: {
			Name:    "session_end",
			Summary: "what ends a repair session whose window is applied",
			Source:  "found by this checker; Apache Iggy, public source after the report",
			Alternatives: []Alternative{
				{Name: "reply", Summary: "only the RepairDone of its stream", Breaks: []string{"EveryPreparedCommits"}},
				{Name: "tick", Summary: "also a tick"},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.SessionEnd) },
		},
		ruleIncarnation: {
			Name:    "incarnation",
			Summary: "which StartView a restarted replica adopts",
			Source:  "found by this checker; VSR Revisited, section 4.3; Apache Iggy's metadata plane",
			Alternatives: []Alternative{
				{Name: "inert", Summary: "any: probes and their answers carry the incarnation 0", Breaks: []string{"Durability"}, against: promptAnswers | newBoot},
				{Name: "checked", Summary: "only the answer to a probe of its present boot; what was sent to an earlier one is ignored"},
			},
			safety: true,
			field:  func(r *Rules) *uint8 { return (*uint8)(&r.Incarnation) },
		},
		ruleRepairFrames: {
			Name:    "repair_frames",
			Summary: "which repaired prepares a live repair session takes",
			Source:  "found by this checker; Apache Iggy checks more on its metadata plane",
			Alternatives: []Alternative{
				{Name: "any", Summary: "any in its window, whoever was asked for it and when", Breaks: []string{"Agreement"}, against: promptAnswers},
				{Name: "session", Summary: "those that answer it: request and frames carry its number"},
			},
			safety: true,
			field:  func(r *Rules) *uint8 { return (*uint8)(&r.RepairFrames) },
		},
		ruleNackQuorum: {
			Name:    "nack_quorum",
			Summary: "how many nacks discard an op",
			Source:  "TigerBeetle 5e51bfcba",
			Defect:  true,
			Alternatives: []Alternative{
				{Name: "full", Summary: "so many that the others are no replication quorum"},
				{Name: "short", Summary: "one fewer", Breaks: []string{"Durability"}},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.NackQuorum) },
		},
		ruleSilentSender: {
			Name:    "silent_sender",
			Summary: "what a vote that says nothing of an op counts for",
			Source:  "Apache Iggy #3824",
			Defect:  true,
			Alternatives: []Alternative{
				{Name: "abstains", Summary: "nothing"},
				{Name: "nacks", Summary: "a nack: its sender would have named the op", Breaks: []string{"Durability"}},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.SilentSender) },
		},
		ruleCanonicalSender: {
			Name:    "canonical_sender",
			Summary: "which votes have the log that counts",
			Source:  "TigerBeetle c4af21150",
			Defect:  true,
			Alternatives: []Alternative{
				{Name: "log_view", Summary: "those with the highest log view"},
				{Name: "last_prepare", Summary: "those whose last prepare has the highest view", Breaks: []string{"Agreement"}},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.CanonicalSender) },
		},
		ruleDVCCommit: {
			Name:    "dvc_commit",
			Summary: "which commit number a vote carries",
			Source:  "Apache Iggy #3512",
			Defect:  true,
			Alternatives: []Alternative{
				{Name: "clamped", Summary: "commit_max, but not above the head"},
				{Name: "unclamped", Summary: "commit_max; a receiver drops a vote whose commit number is above its head", Breaks: []string{"VotesDecide"}},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.DVCCommit) },
		},
		ruleCommitAssign: {
			Name:    "commit_assign",
			Summary: "what a StartView does to commit_max",
			Source:  "Vanlightly e04048d",
			Defect:  true,
			Alternatives: []Alternative{
				{Name: "raised", Summary: "raises it"},
				{Name: "assigned", Summary: "sets it, also to less", Breaks: []string{"TypeOK"}, Cycles: cycles},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.CommitAssign) },
		},
		ruleQuorumLatch: {
			Name:    "quorum_latch",
			Summary: "until when a new primary counts votes",
			Source:  "Apache Iggy #3824",
			Defect:  true,
			Alternatives: []Alternative{
				{Name: "decided", Summary: "until they decide the log"},
				{Name: "quorum", Summary: "until they are a quorum, even one that decides nothing", Breaks: []string{"VotesDecide"}},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.QuorumLatch) },
		},
		ruleLogViewTime: {
			Name:    "log_view_time",
			Summary: "when a new primary's log view rises",
			Source:  "Apache Iggy #3824",
			Defect:  true,
			Alternatives: []Alternative{
				{Name: "started", Summary: "when its view starts"},
				{Name: "decided", Summary: "when the log is decided, which its journal may still lack", Breaks: []string{"Durability"}},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.LogViewTime) },
		},
		ruleViewDurability: {
			Name:    "view_durability",
			Summary: "whether the view and the log view survive a crash",
			Source:  "Apache Iggy #3767",
			Defect:  true,
			Alternatives: []Alternative{
				{Name: "kept", Summary: "yes, in the superblock"},
				{Name: "lost", Summary: "no: the replica restarts in view 0", Breaks: []string{"Durability"}, against: promptAnswers | oldSends | eagerAnswers},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.ViewDurability) },
		},
		ruleRecoveringVotes: {
			Name:    "recovering_votes",
			Summary: "whether a recovering replica takes part in view changes",
			Source:  "Apache Iggy #3667; TAPIR #15",
			Defect:  true,
			Alternatives: []Alternative{
				{Name: "invisible", Summary: "no, until it has adopted a StartView"},
				{Name: "votes", Summary: "yes, with the log that the crash has left it", Breaks: []string{"Durability"}, against: promptAnswers | outsiders},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.RecoveringVotes) },
		},
		ruleMissedStartView: {
			Name:    "missed_start_view",
			Summary: "what a backup in a view change does that misses the StartView",
			Source:  "Apache Iggy #3667",
			Defect:  true,
			Alternatives: []Alternative{
				{Name: "probes", Summary: "it asks for it"},
				{Name: "waits", Summary: "it waits", Breaks: []string{"BackupsCatchUp"}, against: promptAnswers | oldSends},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.MissedStartView) },
		},
		ruleCoverage: {
			Name:    "coverage",
			Summary: "which entries of a new primary's journal count as the merged log",
			Source:  "Apache Iggy #3824",
			Defect:  true,
			Alternatives: []Alternative{
				{Name: "identity", Summary: "the bodies that it names"},
				{Name: "number", Summary: "any body at one of its ops", Breaks: []string{"Agreement"}},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.Coverage) },
		},
		ruleProbeMatch: {
			Name:    "probe_match",
			Summary: "which probe of its primary makes a backup elect",
			Source:  "Apache Iggy #3667",
			Defect:  true,
			Alternatives: []Alternative{
				{Name: "stamped", Summary: "one of the view that the backup is in"},
				{Name: "any", Summary: "also a delayed one, of another view", Breaks: []string{"SettledViewStays"}, against: promptAnswers | oldSends},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.ProbeMatch) },
		},
		ruleMergeLog: {
			Name:    "merge_log",
			Summary: "how a new primary decides the log",
			Source:  "Apache Iggy #3824",
			Defect:  true,
			Alternatives: []Alternative{
				{Name: "suffix", Summary: "by the headers of the votes; it waits until it holds it"},
				{Name: "op_number", Summary: "by the highest op number; its own journal, up to the first hole, is the log", Breaks: []string{"Durability"}},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.MergeLog) },
		},
		ruleReack: {
			Name:    "reack",
			Summary: "what a replica does with a prepare that it holds and has not applied",
			Source:  "Apache Iggy #3585",
			Defect:  true,
			Alternatives: []Alternative{
				{Name: "acked", Summary: "forwards it and acks it again"},
				{Name: "dropped", Summary: "drops it: it was acked when it came first", Breaks: []string{"EveryPreparedCommits"}},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.Reack) },
		},
		ruleLearnedCommit: {
			Name:    "learned_commit",
			Summary: "what a rejoining replica makes of the commit number of the StartView that it adopts",
			Source:  "Apache Iggy #3625, until #3667",
			Defect:  true,
			Alternatives: []Alternative{
				{Name: "walked", Summary: "applies up to it what its journal holds, and repairs the rest"},
				{Name: "jumped", Summary: "takes all ops up to it for applied", Breaks: []string{"Agreement"}},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.LearnedCommit) },
		},
		ruleRestartApplies: {
			Name:    "restart_applies",
			Summary: "what a restarted replica applies from a durable journal before it has rejoined",
			Source:  "Apache Iggy #3625, on the metadata plane; the partition plane has no durable journal",
			Defect:  true,
			Alternatives: []Alternative{
				{Name: "none", Summary: "nothing"},
				{Name: "carried", Summary: "up to the highest commit number that the journaled headers carry"},
				{Name: "journaled", Summary: "every op up to its first hole", Breaks: []string{"Durability"}},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.RestartApplies) },
		},
		ruleRepairScope: {
			Name:    "repair_scope",
			Summary: "which repaired ops a backup journals",
			Source:  "Apache Iggy #3824, on the metadata plane",
			Defect:  true,
			Alternatives: []Alternative{
				{Name: "session", Summary: "those that its session asks for"},
				{Name: "suffix", Summary: "of these only those within the suffix that it adopted, if it has one", Breaks: []string{"BackupsCatchUp"}},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.RepairScope) },
		},
		ruleRelics: {
			Name:    "relics",
			Summary: "what becomes of journal entries above the head of an adopted log",
			Source:  "Apache Iggy #3918, on the metadata plane",
			Defect:  true,
			Alternatives: []Alternative{
				{Name: "swept", Summary: "they go with every adoption"},
				{Name: "stay", Summary: "they stay, unless the truncation begins below them", Breaks: []string{"Agreement"}, against: promptAnswers},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.Relics) },
		},
		ruleRepairFrontier: {
			Name:    "repair_frontier",
			Summary: "how far the head moves when repair brings an op",
			Source:  "Apache Iggy #3667",
			Defect:  true,
			Alternatives: []Alternative{
				{Name: "contiguous", Summary: "along the contiguous journal, never over a hole"},
				{Name: "op", Summary: "to that op, over a hole below it", Breaks: []string{"Durability"}},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.RepairFrontier) },
		},
		ruleSelfAck: {
			Name:    "self_ack",
			Summary: "how a primary counts its own ack of an op that it prepares",
			Source:  "Apache Iggy #3585",
			Defect:  true,
			Alternatives: []Alternative{
				{Name: "prepared", Summary: "with the prepare: what would remake a lost one is left out"},
				{Name: "once", Summary: "by a message to itself, sent once", Breaks: []string{"EveryPreparedCommits"}},
				{Name: "tick", Summary: "by a message to itself, sent again on a tick"},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.SelfAck) },
		},
		ruleStateTransferCut: {
			Name:    "state_transfer_cut",
			Summary: "when a replica that asks for the log of its view drops what it has above its commit number",
			Source:  "Vanlightly, on state transfer in VSR Revisited",
			Defect:  true,
			Alternatives: []Alternative{
				{Name: "answered", Summary: "when the answer tells it what differs"},
				{Name: "asked", Summary: "at once, and may vote with the rest", Breaks: []string{"Durability"}, Cycles: cycles, against: freeProbes},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.StateTransferCut) },
		},
	}
	for i := range rules {
		for j := range rules[i].Alternatives {
			a := &rules[i].Alternatives[j]
			a.Sound = len(a.Breaks) == 0 && a.Cycles == acyclic
		}
	}
	return rules[:]
}
