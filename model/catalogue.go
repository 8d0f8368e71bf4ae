package model

// Catalogue lists every switchable rule, in the order in which a run echoes them.
func Catalogue() []Rule {
	return []Rule{
		{
			Name:    "fetch_to_op",
			Summary: "how far up a repair session asks",
			Source:  "the report; Apache Iggy #4075, #4074",
			Alternatives: []Alternative{
				{"old", "up to the commit number whenever that lags", false},
				{"fixed", "up to the head while a body above the commit number is missing", true},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.FetchToOp) },
		},
		{
			Name:    "gap_check",
			Summary: "which prepares a backup takes at an op that it already claims",
			Source:  "the report: the check, and the fixes that it rules out",
			Alternatives: []Alternative{
				{"sequencer", "none: only head + 1", true},
				{"journal", "any at or below the head that the journal lacks", true},
				{"adopted-hole", "those that the last StartView announced and the journal lacks", true},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.GapCheck) },
		},
		{
			Name:    "repair_arming",
			Summary: "when a tick opens a repair session",
			Source:  "Apache Iggy #4006, #4008",
			Alternatives: []Alternative{
				{"committed", "while the next committed op is missing", true},
				{"events", "never: only a StartView or a heartbeat that raises commit_max does", false},
				{"any", "also while a body above the commit number is missing", true},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.RepairArming) },
		},
		{
			Name:    "serve_ceiling",
			Summary: "how far above its commit number a peer serves repair",
			Source:  "Apache Iggy #3824, #3987",
			Alternatives: []Alternative{
				{"head", "up to its head", true},
				{"commit", "not at all", false},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.ServeCeiling) },
		},
		{
			Name:    "repair_session",
			Summary: "how long a repair session lives",
			Source:  "Apache Iggy, public source after the report",
			Alternatives: []Alternative{
				{"survives", "until all it asked for is applied, over view changes", false},
				{"view", "also not longer than the view that it was opened in", true},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.RepairSession) },
		},
		{
			Name:    "readoption",
			Summary: "whether a Normal replica adopts a StartView of the view that it is in",
			Source:  "Apache Iggy, public source after the report",
			Alternatives: []Alternative{
				{"always", "yes, unless the head is below what it has applied; an old one can lose a committed op, or wedge the backup by coming again and again", false},
				{"ahead", "only one whose head is above its own", true},
				{"never", "no", true},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.Readoption) },
		},
		{
			Name:    "prepare_frontier",
			Summary: "how far the head moves when a prepare fills the op after it",
			Source:  "found by this checker; Apache Iggy #3667 for the repair path",
			Alternatives: []Alternative{
				{"op", "to that op, even when repair has filled the ops above it", false},
				{"contiguous", "along the contiguous journal, as on the repair path", true},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.PrepareFrontier) },
		},
		{
			Name:    "probe_adoption",
			Summary: "which StartView a replica adopts that probes because it has seen a newer view",
			Source:  "found by this checker",
			Alternatives: []Alternative{
				{"any", "also a delayed one of the view that it is about to leave, back and forth", false},
				{"observed", "none older than the view it has seen", true},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.ProbeAdoption) },
		},
		{
			Name:    "reconcile",
			Summary: "which journal entries above commit_min survive the adoption of a newer view's log",
			Source:  "found by this checker; Apache Iggy fences such entries in its public source after the report",
			Alternatives: []Alternative{
				{"announced", "all that the announcement does not contradict above its commit number", false},
				{"proven", "only those that the announcement names, or that came with the same log", true},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.Reconcile) },
		},
		{
			Name:    "adopted_nacks",
			Summary: "what a vote says of an op that the last StartView announced and the journal lacks",
			Source:  "Apache Iggy #3824",
			Alternatives: []Alternative{
				{"nacked", "that the replica never prepared it, unless it still knows the header", false},
				{"abstains", "nothing, unless it still knows the header", true},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.AdoptedNacks) },
		},
		{
			Name:    "start_coverage",
			Summary: "from which op on a new primary's journal must be complete before its view starts",
			Source:  "Apache Iggy #4073",
			Alternatives: []Alternative{
				{"merged", "from the commit number of the merged log", false},
				{"applied", "from the op after the last one that it applied", true},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.StartCoverage) },
		},
		{
			Name:    "applied_prepare",
			Summary: "what a replica does with a prepare that it has already applied",
			Source:  "found by this checker; related to Apache Iggy #3585",
			Alternatives: []Alternative{
				{"dropped", "drops it: the whole chain has it", false},
				{"acked", "acks it again: a new primary may know less", true},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.AppliedPrepare) },
		},
		{
			Name:    "session_end",
			Summary: "what ends a repair session whose window is applied",
			Source:  "found by this checker; Apache Iggy, public source after the report",
			Alternatives: []Alternative{
				{"reply", "only the RepairDone of its stream", false},
				{"tick", "also a tick", true},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.SessionEnd) },
		},
		{
			Name:    "incarnation",
			Summary: "which StartView a restarted replica adopts",
			Source:  "found by this checker; VSR Revisited, section 4.3; Apache Iggy's metadata plane",
			Alternatives: []Alternative{
				{"inert", "any: probes and their answers carry the incarnation 0", false},
				{"checked", "only the answer to a probe of its present boot; what was sent to an earlier one is ignored", true},
			},
			safety: true,
			field:  func(r *Rules) *uint8 { return (*uint8)(&r.Incarnation) },
		},
		{
			Name:    "repair_frames",
			Summary: "which repaired prepares a live repair session takes",
			Source:  "found by this checker; Apache Iggy checks more on its metadata plane",
			Alternatives: []Alternative{
				{"any", "any in its window, whoever was asked for it and when", false},
				{"session", "those that answer it: request and frames carry its number", true},
			},
			safety: true,
			field:  func(r *Rules) *uint8 { return (*uint8)(&r.RepairFrames) },
		},
		{
			Name:    "nack_quorum",
			Summary: "how many nacks discard an op",
			Source:  "TigerBeetle 5e51bfcba",
			Defect:  true,
			Alternatives: []Alternative{
				{"full", "so many that the others are no replication quorum", true},
				{"short", "one fewer", false},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.NackQuorum) },
		},
		{
			Name:    "silent_sender",
			Summary: "what a vote that says nothing of an op counts for",
			Source:  "Apache Iggy #3824",
			Defect:  true,
			Alternatives: []Alternative{
				{"abstains", "nothing", true},
				{"nacks", "a nack: its sender would have named the op", false},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.SilentSender) },
		},
		{
			Name:    "canonical_sender",
			Summary: "which votes have the log that counts",
			Source:  "TigerBeetle c4af21150",
			Defect:  true,
			Alternatives: []Alternative{
				{"log_view", "those with the highest log view", true},
				{"last_prepare", "those whose last prepare has the highest view", false},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.CanonicalSender) },
		},
		{
			Name:    "dvc_commit",
			Summary: "which commit number a vote carries",
			Source:  "Apache Iggy #3512",
			Defect:  true,
			Alternatives: []Alternative{
				{"clamped", "commit_max, but not above the head", true},
				{"unclamped", "commit_max; a receiver drops a vote whose commit number is above its head", false},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.DVCCommit) },
		},
		{
			Name:    "commit_assign",
			Summary: "what a StartView does to commit_max",
			Source:  "Vanlightly e04048d",
			Defect:  true,
			Alternatives: []Alternative{
				{"raised", "raises it", true},
				{"assigned", "sets it, also to less", false},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.CommitAssign) },
		},
		{
			Name:    "quorum_latch",
			Summary: "until when a new primary counts votes",
			Source:  "Apache Iggy #3824",
			Defect:  true,
			Alternatives: []Alternative{
				{"decided", "until they decide the log", true},
				{"quorum", "until they are a quorum, even one that decides nothing", false},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.QuorumLatch) },
		},
		{
			Name:    "log_view_time",
			Summary: "when a new primary's log view rises",
			Source:  "Apache Iggy #3824",
			Defect:  true,
			Alternatives: []Alternative{
				{"started", "when its view starts", true},
				{"decided", "when the log is decided, which its journal may still lack", false},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.LogViewTime) },
		},
		{
			Name:    "view_durability",
			Summary: "whether the view and the log view survive a crash",
			Source:  "Apache Iggy #3767",
			Defect:  true,
			Alternatives: []Alternative{
				{"kept", "yes, in the superblock", true},
				{"lost", "no: the replica restarts in view 0", false},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.ViewDurability) },
		},
		{
			Name:    "recovering_votes",
			Summary: "whether a recovering replica takes part in view changes",
			Source:  "Apache Iggy #3667; TAPIR #15",
			Defect:  true,
			Alternatives: []Alternative{
				{"invisible", "no, until it has adopted a StartView", true},
				{"votes", "yes, with the log that the crash has left it", false},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.RecoveringVotes) },
		},
		{
			Name:    "missed_start_view",
			Summary: "what a backup in a view change does that misses the StartView",
			Source:  "Apache Iggy #3667",
			Defect:  true,
			Alternatives: []Alternative{
				{"probes", "it asks for it", true},
				{"waits", "it waits", false},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.MissedStartView) },
		},
		{
			Name:    "coverage",
			Summary: "which entries of a new primary's journal count as the merged log",
			Source:  "Apache Iggy #3824",
			Defect:  true,
			Alternatives: []Alternative{
				{"identity", "the bodies that it names", true},
				{"number", "any body at one of its ops", false},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.Coverage) },
		},
		{
			Name:    "probe_match",
			Summary: "which probe of its primary makes a backup elect",
			Source:  "Apache Iggy #3667",
			Defect:  true,
			Alternatives: []Alternative{
				{"stamped", "one of the view that the backup is in", true},
				{"any", "also a delayed one, of another view", false},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.ProbeMatch) },
		},
		{
			Name:    "merge_log",
			Summary: "how a new primary decides the log",
			Source:  "Apache Iggy #3824",
			Defect:  true,
			Alternatives: []Alternative{
				{"suffix", "by the headers of the votes; it waits until it holds it", true},
				{"op_number", "by the highest op number; its own journal, up to the first hole, is the log", false},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.MergeLog) },
		},
		{
			Name:    "reack",
			Summary: "what a replica does with a prepare that it holds and has not applied",
			Source:  "Apache Iggy #3585",
			Defect:  true,
			Alternatives: []Alternative{
				{"acked", "forwards it and acks it again", true},
				{"dropped", "drops it: it was acked when it came first", false},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.Reack) },
		},
		{
			Name:    "learned_commit",
			Summary: "what a rejoining replica makes of the commit number of the StartView that it adopts",
			Source:  "Apache Iggy #3625, until #3667",
			Defect:  true,
			Alternatives: []Alternative{
				{"walked", "applies up to it what its journal holds, and repairs the rest", true},
				{"jumped", "takes all ops up to it for applied", false},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.LearnedCommit) },
		},
		{
			Name:    "restart_applies",
			Summary: "what a restarted replica applies from a durable journal before it has rejoined",
			Source:  "Apache Iggy #3625, on the metadata plane; the partition plane has no durable journal",
			Defect:  true,
			Alternatives: []Alternative{
				{"none", "nothing", true},
				{"carried", "up to the highest commit number that the journaled headers carry", true},
				{"journaled", "every op up to its first hole", false},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.RestartApplies) },
		},
		{
			Name:    "repair_scope",
			Summary: "which repaired ops a backup journals",
			Source:  "Apache Iggy #3824, on the metadata plane",
			Defect:  true,
			Alternatives: []Alternative{
				{"session", "those that its session asks for", true},
				{"suffix", "of these only those within the suffix that it adopted, if it has one", false},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.RepairScope) },
		},
		{
			Name:    "relics",
			Summary: "what becomes of journal entries above the head of an adopted log",
			Source:  "Apache Iggy #3918, on the metadata plane",
			Defect:  true,
			Alternatives: []Alternative{
				{"swept", "they go with every adoption", true},
				{"stay", "they stay, unless the truncation begins below them", false},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.Relics) },
		},
		{
			Name:    "repair_frontier",
			Summary: "how far the head moves when repair brings an op",
			Source:  "Apache Iggy #3667",
			Defect:  true,
			Alternatives: []Alternative{
				{"contiguous", "along the contiguous journal, never over a hole", true},
				{"op", "to that op, over a hole below it", false},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.RepairFrontier) },
		},
		{
			Name:    "self_ack",
			Summary: "how a primary counts its own ack of an op that it prepares",
			Source:  "Apache Iggy #3585",
			Defect:  true,
			Alternatives: []Alternative{
				{"prepared", "with the prepare: what would remake a lost one is left out", true},
				{"once", "by a message to itself, sent once", false},
				{"tick", "by a message to itself, sent again on a tick", true},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.SelfAck) },
		},
		{
			Name:    "state_transfer_cut",
			Summary: "when a replica that asks for the log of its view drops what it has above its commit number",
			Source:  "Vanlightly, on state transfer in VSR Revisited",
			Defect:  true,
			Alternatives: []Alternative{
				{"answered", "when the answer tells it what differs", true},
				{"asked", "at once, and may vote with the rest", false},
			},
			field: func(r *Rules) *uint8 { return (*uint8)(&r.StateTransferCut) },
		},
	}
}
