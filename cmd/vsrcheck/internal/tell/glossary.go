package tell

import (
	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/results/trace"
)

// word is an entry of the glossary.
type word struct {
	Word    string
	Forms   string // other forms in which it is printed
	meaning string
	own     bool // of this checker, not of the protocol
}

func (w word) kind() string {
	if w.own {
		return "a word of this checker"
	}
	return "a word of the protocol"
}

// printGlossary prints all of it.
func printGlossary(p *Page) {
	for _, g := range Glossary() {
		for _, line := range trace.Wrap("  "+p.Paint(StyleBold, g.Word)+": ", "    ", g.meaning, p.Width) {
			p.Printf("%s\n", line)
		}
	}
}

// Glossary has every word of reports, tables and traces that has a meaning of its own and is
// none of the names that explain finds elsewhere: specifications, properties, rules,
// constants, actions and formats. A test reads what is printed, and finds those that are
// missing. The messages are a table in the documentation of package model.
func Glossary() []word {
	return append(protocolWords(), checkerWords()...)
}

// protocolWords are those of Viewstamped Replication as the model has it.
func protocolWords() []word {
	protocol := func(name, forms, meaning string) word { return word{name, forms, meaning, false} }
	return []word{
		protocol("replica", "replicas", "one of the processes that keep a copy of the log; they are numbered from 0"),
		protocol("group", "", "all replicas together"),
		protocol("role", "status", "what a replica is: Primary or Backup where it is Normal, else its status"),
		protocol("Normal", "", "a status: the replica serves its view, as its primary or as a backup"),
		protocol("ViewChange", "view-change", "a status: the replica has left its last view and waits for the next one to start"),
		protocol("Recovering", "", "a status: the replica has lost its volatile state, or its view, and asks for the view with probes; it votes in nothing"),
		protocol("Stopped", "", "a status: the replica is gone for good. As a verdict of replay: a step of the trace is not possible"),
		protocol("view", "views", "a period that one replica leads, the primary: view v is led by replica v mod n"),
		protocol("log_view", "", "the latest view whose log a replica has adopted; at most its view. A vote of a higher one decides what the merged log has"),
		protocol("primary", "primaries leads lead leading", "the replica that leads a view: it numbers requests, prepares them, and commits those that a quorum has acked"),
		protocol("backup", "backups", "a replica that is Normal in a view which another leads"),
		protocol("op", "ops", "one position of the log, numbered from 1, with the request that stands there"),
		protocol("log", "logs", "the sequence of ops that a replica claims: of some it has the bodies, see journal, of others only that they are there"),
		protocol("request", "requests", "a client's op that the primary takes, numbers and prepares"),
		protocol("body", "bodies", "what a prepare carries. 2@v1 is the body that view 1 prepared at op 2"),
		protocol("identity", "@", "which body an op number stands for: the view in which it was first prepared"),
		protocol("header", "headers headers_op", "a body's identity without the body. headers_op is the last op that the headers of an adopted StartView cover"),
		protocol("head", "sequencer announced_op", "the highest op number that a replica claims, held or not (its sequencer). announced_op is the head of the last StartView adopted, until all up to it is applied"),
		protocol("hole", "holes adopted-hole", "an op at or below a replica's head whose body its journal lacks: claimed, not held"),
		protocol("claim", "claimed claims", "to have an op at or below the head, be its body held or not"),
		protocol("blank", "", "what a vote says of an op for which its sender has no header: neither a body nor a nack"),
		protocol("suffix", "suffixes", "the headers from the commit number to the head in a vote or in a StartView. A StartView without suffix is an answer to a probe: whoever adopts it claims ops without knowing their headers"),
		protocol("journal", "journals held", "the bodies that a replica holds, by op"),
		protocol("prepare", "prepared prepares prepare_ok", "to give a request the next op number and send it to the backups; a prepared op is not committed yet. Also the message Prepare{view, op, identity}, which carries the body; the answer to it is PrepareOk"),
		protocol("PrepareOk", "", "the message in which a backup acks an op to the primary of the view: PrepareOk{view, op, identity}"),
		protocol("ack", "acks acked", "a replica's word to the primary that it holds the body of an op: its PrepareOk. The primary's own counts, too"),
		protocol("quorum", "quorums", "so many replicas that two quorums always meet: of acks to commit, of votes to start a view, of nacks to discard an op"),
		protocol("commit", "committed commits point", "to decide an op: a quorum has acked it, so no view change may lose it. Also the message Commit{view, commit}, the primary's heartbeat, which says up to which op all is committed: the commit point"),
		protocol("commit_max", "max", "the highest op number that a replica knows to be committed"),
		protocol("commit_min", "min", "the highest op number that a replica has applied: all up to it are, in order"),
		protocol("apply", "applied applies unapplied", "to execute a committed op, in order; a table marks it with *. + is known committed and not applied"),
		protocol("pipeline", "in-pipeline", "the ops that a primary has prepared and not committed; as a constant, how many they may be at most"),
		protocol("heartbeat", "heartbeats", "the primary's Commit message, sent again and again; a backup that misses it begins a view change"),
		protocol("gap", "gaps out-of-order", "ops between a replica's head, or what its journal holds, and a prepare that arrives; whether the prepare is refused then is the rule gap_check"),
		protocol("window", "", "the ops from the commit number to the head: those that a vote and a StartView tell of"),
		protocol("timeout", "timeouts", "a timer that fires. Those that change the view are not fair: they may fire, but need not"),
		protocol("tick", "ticks", "a local step that a timer brings about again and again, such as RetryRepair"),
		protocol("retransmit", "retransmits re-sends resend", "to send prepares again that are not acked by all; the primary does it again and again"),
		protocol("election", "elections", "a view change: the replicas leave a view and start the next one with its primary"),
		protocol("StartViewChange", "start_view_change", "the message by which a replica says that it leaves its view for the named one: StartViewChange{view}"),
		protocol("DoViewChange", "do_view_change", "the vote for a new primary, with the suffix of its sender's log, its log_view and its commit number. It is sent when f others have sent StartViewChange, too"),
		protocol("vote", "votes voted vote_sent voters", "a replica's DoViewChange; in the field votes of a state, from whom it has StartViewChange. vote_sent: it has sent its DoViewChange of this view"),
		protocol("nack", "nacks nacked", "a vote's proof that its sender never prepared an op; a quorum of nacks lets the new primary discard it"),
		protocol("merge", "merged merged_op merged_commit merges", "to decide from a quorum of votes what the log of a new view has. merged_op is the head of the merged log, merged_commit its commit number"),
		protocol("park", "parked", "to keep the merged log aside until the journal holds all of it: only then does the view start"),
		protocol("discard", "discarded discarding truncated", "to take an op out of the merged log, as enough replicas never prepared it"),
		protocol("StartView", "start_view", "the message that starts a view: the log of its primary as a suffix. Without suffix, StartView{view, op, commit}, it is the answer to a probe"),
		protocol("adopt", "adopts adopted adopting", "to take the log of a StartView as the own: its head, its headers where it has some, and its commit number"),
		protocol("probe", "probes RequestStartView probing", "the message RequestStartView{view}, by which a replica that is Recovering, or stuck in a view change, asks for the view that runs"),
		protocol("answer", "answers answered", "a StartView without suffix, by which a settled primary answers a probe"),
		protocol("observed", "", "a newer view that a replica has seen in a message which it could not use; 0 is none"),
		protocol("repair", "repairs repair-session repaired", "to fetch the bodies of holes from another replica, with RequestPrepares"),
		protocol("session", "sessions session_to session_peer", "what a repair is about: up to which op (session_to) and from which peer (session_peer) a replica asks for bodies. One is live at a time"),
		protocol("repair session", "", "a column of the table of a state: up to which op a replica asks for bodies, and from whom; see session"),
		protocol("peer", "peers", "the replica that a repair session asks"),
		protocol("arm", "arms armed", "to open a repair session"),
		protocol("RequestPrepares", "request_prepares", "the message of a repair session: RequestPrepares{from_op, to_op} asks for the bodies of these ops"),
		protocol("from_op", "", "the first op that a RequestPrepares asks for"),
		protocol("to_op", "", "the last op that a RequestPrepares asks for"),
		protocol("RepairPrepare", "repair_prepare", "a body that a repair session has asked for: RepairPrepare{op, identity}"),
		protocol("RepairDone", "repair_done", "the end of what a peer sends to a repair session"),
		protocol("stream", "streams", "what a peer sends to a repair session: RepairPrepares, and RepairDone at the end"),
		protocol("incarnation", "boot boots", "which of its boots a message of a replica is of; see the rule incarnation"),
		protocol("decided", "decided_in decide", "of an op: the identity that a primary first committed there, or a replica applied. decided_in is the view in which. Neither is known to a replica: properties read them. As a verdict of matrix: every cell has one"),
		protocol("stamp", "", "the commit number in the header of a prepare, by the view that prepared it and by op"),
		protocol("lost", "loses lose", "the replicas that ever lost their journal or stopped; properties read it. Of a message: it was dropped"),
		protocol("failed", "assertion", "the first condition that the running system asserts and that did not hold: NoAssertion is violated, and the state has no successors"),
		protocol("says", "items", "what a vote says of an op: a body, a header, a nack or blank. items are one for each op"),
		protocol("where", "", "of a vote: in flight, or counted by the new primary"),
		protocol("message", "messages traffic", "what one replica sends to another; its name and its numbers are printed as Commit{view 0, commit 1}"),
		protocol("room", "", "space in a channel, of the network fifo: a step whose messages do not fit waits for it"),
		protocol("fault", "", "a crash, a stop, a loss: what nobody counts on, and of which there are as many as the budget has"),
		protocol("restarted", "restarts restart", "that a replica has crashed and is up again, Recovering, with its journal or without it (journal_durable)"),
		protocol("net", "", "the messages in flight, in a trace's state"),
		protocol("from", "", "of a message in a trace: its sender"),
		protocol("to", "", "of a message in a trace: its receiver, or all of them"),
		protocol("in flight", "flight in-flight", "sent, not lost, and such that somebody may act on it yet"),
		protocol("one-shot", "", "a message that is sent once and never again by itself; in this network only a drop loses it"),
		protocol("channel", "channels", "what is in flight from one replica to another, in order, under the network fifo; as a constant, how many messages it has room for"),
		protocol("effective", "effect", "that a step changes the state"),
		protocol("refused", "refuses refuse", "that a guard turns a message away: it changes nothing"),
		protocol("accepted", "", "that a replica takes what a message brings"),
	}
}

// checkerWords are those of the checker and its reports.
func checkerWords() []word {
	own := func(name, forms, meaning string) word { return word{name, forms, meaning, true} }
	return []word{
		own("quiescent", "", "a state in which no step that has to happen changes anything: there a fair behaviour may stay for ever, so a liveness property that still waits is violated"),
		own("fair", "", "a step that cannot stay possible for ever without being taken: deliveries, retransmissions, probes, repair and local steps are fair; faults, timeouts that change the view, and requests are not"),
		own("constraint", "constraints", "a predicate that a specification names under CONSTRAINT, to bound the search: of a state in which it is false no step is taken, so that what holds, holds within; every verdict names it"),
		own("outside", "", "a state in which a constraint is false: it was reached and checked, and not expanded, and each run says how many there are"),
		own("guard", "guards", "a reason for which a message is refused where it arrives, such as the gap check; a check says which never refused one: about these it says nothing"),
		own("deferred", "", "a property whose violation is reported but does not end the search"),
		own("companion", "companions", "a state that has to be reachable, so that a property does not hold merely because nothing happens that it is about"),
		own("distinct", "", "states that differ from each other"),
		own("generated", "", "states counted each time a step leads to them, and the initial state, as TLC counts"),
		own("depth", "", "number of levels of the breadth-first search, as TLC counts: the initial state alone has depth 1"),
		own("inconclusive", "", "a run that decides nothing: something cut it short, or it visited no state, or nothing was asked; the verdict line says why, and the exit code is never 0"),
		own("vacuous", "", "a property that holds because what it speaks of never happens: its companion was not met. The run says so of each; where it goes for all that were asked for, the run is inconclusive"),
		own("dead", "", "a group of which a quorum is up, and to which no steps without a fault, timeouts included, bring a primary with a quorum again: GroupRecovers is violated"),
		own("excused", "excuse", "a step that would violate a property but for what excuses it, as more than f losses excuse Durability: the run counts them"),
		own("set", "", "the network in which a message in flight stays there when it is delivered, so that it may arrive again, late and out of order (--network)"),
		own("consume", "", "the network in which a message in flight is delivered once, out of order (--network)"),
		own("fifo", "", "the network in which a message is delivered once, and in the order of its channel, as TCP does (--network)"),
		own("reduce", "", "to leave out states without which every verdict and the length of every trace is the same (--reduce); each run says which reductions were in force, and --reduce none takes every step"),
		own(job.ReduceEager, "", "a reduction: heartbeats, probes and their answers are in flight as early as they can be, instead of being sent in steps of their own (model/eager.go)"),
		own(job.ReduceFaults, "", "a reduction: a stop or a loss is a step only where it leaves nothing to do, as only there can it change a verdict (model/faults.go)"),
		own(job.ReducePrompt, "", "a reduction: an answer to a probe is in flight only while it tells how its sender stands (model/prompt.go)"),
		own(job.ReduceRaw, "", rawText()),
		own("vsrcheck", "", "this program, in its version and the commit that it was built from"),
		own("spec", "specification specs", "what is checked: sizes, budgets, rules and properties, by name or from a .cfg file"),
		own("config", "sizes budgets budget", "sizes and budgets of faults: vsrcheck explain NAME explains each"),
		own("rules", "rule", "switches that decide what the replicas do; vsrcheck list rules has them"),
		own("defects", "defect", "rules for what the report's version does right, to see what breaks without it"),
		own("checking", "properties", "which properties are checked; * marks one whose violation does not end the search"),
		own("run", "", "how the search is done: workers, store, reductions and limits"),
		own("workers", "worker", "how many goroutines search at the same time; verdict, figures and trace are the same for every number (--workers)"),
		own("store", "", "how visited states are remembered: exact, or as hashes of 64 or 128 bits, which may miss states (--store)"),
		own("trace", "", "the steps from the initial state to a violation, the fewest possible; or the files it was written to"),
		own("walk", "walks", "one behaviour that simulate takes at random, or that step takes by hand"),
		own("simulated", "", "that a violation was found by a walk at random: its trace was shrunk, and need not be a shortest one"),
		own("action", "actions", "what a replica or the network may do in a step; vsrcheck explain NAME explains each"),
		own("liveness", "", "that what has to happen does happen; and how the run decided it"),
		own("collisions", "", "how likely it is that a state was taken for another one, which was missed then"),
		own("time", "", "how long the run took, and how many distinct states it found in a second"),
		own("memory", "", "what was reserved for the visited states, and the most that the process had"),
		own("disk", "", "the most that the run had on disk"),
		own("checkpoint", "", "what vsrcheck resume needs to go on with a check that was cut"),
		own("with others", "fused", "actions whose messages were sent along with other steps (reduction eager), so that they are no steps of their own"),
		own("never fired", "never-taken never-met", "actions that no state made possible: the bounds rule them out, or the model is wrong"),
		own("no effect", "", "actions that were possible and changed nothing"),
		own("length", "", "that a trace is not proven to be a shortest one, and why"),
		own("next", "", "what to do after a search that was cut"),
		own("state", "states", "what every replica has, what is in flight, and what of the budgets is spent, at one moment"),
		own("step", "steps", "an action that is taken: from one state to the next"),
		own("cycle", "cycles loop", "states that lead back to themselves, so that a behaviour can go round for ever"),
		own("bounds", "bound", "sizes and budgets: within them a verdict holds"),
		own("no refusal", "", "which guards never refused a message in this run: it says nothing about them"),
		own("why nothing", "why-nothing-helps", "the heading of what says, of a last state, why nothing can happen any more"),
		own("network", "", "what may happen to a message in flight: set, consume or fifo (--network)"),
		own("initial", "", "the one state in which every behaviour begins"),
		own("HOLDS", "", "a verdict: every state was visited, and no property is violated"),
		own("VIOLATED", "", "a verdict: a property is false, and the trace shows how it comes to that"),
		own("REPRODUCED", "", "a verdict of replay: every step is possible again, and the property is violated"),
		own("NOT VIOLATED", "", "a verdict of replay: every step is possible again, and the property is not violated"),
		own("DIFFERS", "", "a verdict of replay: a step leads to another state than the recorded one; of manifest and crosscheck: the results are not the same"),
		own("INTERRUPTED", "", "a verdict: somebody ended the run before it had decided anything"),
		own("MINIMISED", "", "a verdict of minimise: these are the smallest sizes at which the specification is violated"),
		own("MENDED", "", "a verdict of mend: these sets of changes are enough, and no smaller one is"),
		own("NOT MENDED", "", "a verdict of mend: no set of the changes to choose from is enough"),
	}
}
