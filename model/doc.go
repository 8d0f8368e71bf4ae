// Package model is Viewstamped Replication as Apache Iggy's partition plane runs it,
// as a finite transition system with switchable rules.
//
// # Glossary
//
//	view          a period led by one replica, the primary: view v is led by v mod n
//	op            one position of the log, numbered from 1
//	head          the highest op a replica claims: its sequencer (Replica.Op)
//	commit_max    the highest op a replica knows to be committed by the group
//	commit_min    the highest op it has applied itself
//	body          what a prepare carries; 2@v1 is the body that view 1 prepared at op 2
//	header        a body's identity without the body
//	hole          an op that a replica claims and whose body it does not hold
//	suffix        the headers, from the commit number to the head, in a vote or a StartView
//	nack          a vote's proof that its sender never prepared an op
//	merged log    what the new primary decides from the votes; parked until it holds it
//	answer        a StartView without suffix: what a settled primary sends to a probe
//	quiescent     a state that no weakly fair step changes
//
// # Messages
//
//	message           sent by                        received by        handler
//	Prepare           primary, ring, Retransmit      backups            receivePrepare
//	PrepareOk         backups                        primary of view    receivePrepareOk
//	Commit            primary (Heartbeat)            all others         receiveCommit
//	StartViewChange   a replica that changes view    all others         receiveStartViewChange
//	DoViewChange      the same, with f of the above  primary of view    receiveDoViewChange
//	StartView         the new primary                backups            receiveStartView
//	StartView         primary, to a probe or to an   backups            receiveStartView
//	 without suffix    older primary's heartbeat
//	RequestStartView  Recovering, or in a view       all others         receiveProbe
//	                   change
//	RequestPrepares   an open repair session         its peer           receiveRequestPrepares
//	RepairPrepare     the peer                       the asker          receiveRepairPrepare
//	RepairDone        the peer                       the asker          receiveRepairDone
//
// Each kind of message is declared in messages.go, with the guards that it meets. The
// actions are in actions.go, one handler each, guards before effects; what a guard
// refuses with is in outcome.go. Rules that a run can switch are declared in catalogue.go,
// with all that is to be known of their alternatives, and decided at one place each.
//
// # The network
//
// It is one of three, and handlers do not know which: they send by putting a message into
// a set of State.Net, and what a delivery leaves there is decided in one place, take.
//
//	set      the set of the messages that were sent and are not lost. Delivery does not
//	         remove a message, so delay, reordering and duplication need no budget; a loss
//	         is the action Drop and has one. A one-shot message that is refused stays
//	         deliverable: a liveness result without drops says nothing about lost ones.
//	consume  each message in flight is delivered once, effective or refused; duplicates
//	         have a budget, too (networks.go).
//	fifo     each is delivered once, and those of one replica to another in the order in
//	         which they were sent, as TCP gives it; what breaks a connection loses what is
//	         in it (fifo.go).
//
// Whatever the replicas can come to over fifo they can come to over consume, and so with
// consume and set. What is sent and refused for ever makes a cycle under the last two, so
// that liveness is decided by strongly connected components there. Messages and
// variables that no guard can read again are removed (normalise.go), and three
// messages that may be sent again at any moment are sent as early as they can be
// (eager.go). A stop or a loss is taken only where it leaves nothing to do (faults.go), and
// the answer to a probe is in flight only while it is true (prompt.go).
// Each of these comes with its reasons and a test against the plain system.
//
// # What is left out, and why that is safe or what it hides
//
//   - State transfer, eviction of flushed ops and purges: a peer serves what its
//     journal holds. A replica that would fall back to state transfer stays behind
//     here, and BackupsCatchUp would say so.
//   - Clients and replies: a Request is a client's op that finds room.
//   - Time: a timer that can fire may fire. The heartbeat timers that only send are
//     weakly fair, those that change the view are not.
//   - The hash chain between prepares, and with it the headers that lower-ranked
//     voters report committed: the merge knows the window from the commit number up.
//   - The repair of a parked merged log: this version waits for a later vote or the
//     next view, which is how the plane behaved before the report's version. A primary
//     that repairs what it has parked takes frames while its view changes, and starts views
//     that do not start here. So there are runs that no verdict here is about, and what
//     they do to safety, too, is open.
//   - The session number of a repair stream: a RepairDone belongs to the live session
//     when peer and end are the same. A stale one that is taken for it could have
//     been the answer to the live session's own request. Under repair_frames = session
//     what an earlier session asked for goes with that session, so none is stale.
//   - The incarnation of a boot, as a number. Under incarnation = inert, as on the
//     partition plane, it is 0 everywhere, and a restarted replica may adopt a StartView
//     from before its restart (finding-stale-start-view). Under checked what carries the
//     incarnation of an earlier boot is lost at the restart instead (endBoot).
//   - A primary that restarts in the view it leads cannot lead it again, so a body is
//     named by op and view. Under view_durability = lost it can, and two bodies that it
//     then prepares at one op of one view are one here.
//
// # Where the source wins over the protocol's description
//
//   - A prepare that raises commit_max and is then dropped does not walk the journal,
//     and a later heartbeat with the same number raises nothing; the walk is resumed
//     by a tick (CommitWalk), as in the source since Apache Iggy #4006.
//   - When the primary takes committed ops out of its pipeline it asserts that they
//     follow the last one applied; the journal is walked only when the pipeline had
//     none (drain in normal.go).
//   - A StartViewChange for the view that a replica is Normal in would make it vote
//     again; the vote reaches a primary that has started the view and is ignored
//     there, so the model refuses it at once.
//   - A replica that leads its view by number notes a heartbeat of a newer view in any
//     status, others only when Normal, as in the source's heartbeat handler.
//   - The running system refuses to start a view whose uncommitted range exceeds the
//     pipeline, where the description has an assertion; merge refuses it.
//   - The headers of an adopted StartView and a parked merged log share one slot in
//     the source. Here they are two, and the own vote never reports the parked log.
package model
