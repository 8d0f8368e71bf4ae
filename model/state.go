package model

// Status of a replica.
type Status uint8

// The statuses.
const (
	Normal     Status = iota // serves its view
	ViewChange               // has left its last view and waits for the next one to start
	Recovering               // has lost its volatile state or its view; probes and votes in nothing
	Stopped                  // is gone for good
	statuses
)

// statusNames are the names of the statuses, in texts and in specs/VSR.tla.
var statusNames = [statuses]string{
	Normal:     "Normal",
	ViewChange: "ViewChange",
	Recovering: "Recovering",
	Stopped:    "Stopped",
}

// String is the status in one word.
func (s Status) String() string { return statusNames[s] }

// An identity names the body of a prepare: 0 is none, v+1 is the body that the
// primary of view v prepared at that op. A primary prepares at most one body per op
// in a view, so (op, view) stands for the checksum of the real system.
type identity = uint8

// none is the identity of an empty slot.
const none identity = 0

// identityOf is the identity of a body first prepared in the given view.
func identityOf(view uint8) identity { return view + 1 }

// State is one state of the whole group, its network and the ghost variables of
// the properties. It is a plain value: two states are the same exactly when their
// encodings are, and every field that the configuration uses is in the layout (see
// layout.go). Op numbers start
// at 1; arrays over ops are indexed by op-1.
type State struct {
	Replica [MaxReplicas]Replica
	Net     Network
	// Channels say, under network = fifo, in which order the messages in flight arrive:
	// [from][to] lists the codes of fifo.go, the first to arrive first, and then zeros.
	Channels [MaxChannelReplicas][MaxChannelReplicas][MaxChannel]uint8

	// Stamp is the commit number in the header of the prepare with identity v+1 at
	// op: Stamp[v][op-1]. It is written once, when the prepare is made, and cleared
	// when it can raise nobody's commit number any more.
	Stamp [MaxViews][MaxOps]uint8

	Crashes uint8 // crash-and-restart faults used, <= Config.Crashes
	Stops   uint8 // stop faults used, <= Config.Stops
	Drops   uint8 // message losses used, <= Config.Drops

	Duplicates uint8 // repeated deliveries used, <= Config.Duplicates
	Resets     uint8 // broken connections used, <= Config.Resets

	// Decided is a ghost: the identity first committed by a primary or applied by a
	// replica at each op.
	Decided [MaxOps]identity
	// DecidedIn is a ghost: the view of the replica that decided the op. Only a view
	// above it has to have the op; with two views that is always the second one, so
	// it is kept from three views on.
	DecidedIn [MaxOps]uint8
	// Lost is a ghost: the replicas that ever lost their journal or stopped. With faults
	// last it is cleared when it can excuse nothing any more.
	Lost ReplicaSet
	// Failed is a ghost: the first condition that the running system asserts and
	// that did not hold, see Assertion. A failed state has no successors.
	Failed Assertion
}

// Replica is the state of one replica.
type Replica struct {
	Status   Status
	View     uint8 // current view; kept over a crash (superblock)
	LogView  uint8 // latest view whose log it adopted, <= View; kept over a crash
	Observed uint8 // a newer view seen in traffic that it could not process, or 0

	Op        uint8 // the sequencer: the head op number that it claims
	CommitMax uint8 // highest op that it knows to be committed by the group
	CommitMin uint8 // highest op that it has itself applied, <= CommitMax

	Journal [MaxOps]identity // bodies held

	// The canonical headers of the log adopted from a StartView with a suffix, for
	// the ops max(commit,1)..HeadersOp: identities without bodies. HeadersOp is 0
	// when there are none.
	HeadersOp uint8
	Headers   [MaxOps]identity
	// AnnouncedOp is the head of the last StartView adopted, until all up to it is
	// applied; kept only under the rules that ask for it.
	AnnouncedOp uint8

	SessionTo   uint8 // the live repair session asks up to this op; 0: no session
	SessionPeer uint8 // the replica it asks; 0 when there is no session

	// Acks are, at the Normal primary, the replicas that acked each op of the
	// pipeline. An op is in the pipeline when its set is not empty: the primary acks
	// its own (but see the rule self_ack).
	Acks [MaxOps]ReplicaSet

	Votes    ReplicaSet // StartViewChange senders of this view, itself included; empty once VoteSent
	VoteSent uint8      // 1 when its DoViewChange of this view was sent (or counted, at the new primary)

	// The merged log of the view change that this replica leads, once decided: it
	// is parked here until the journal covers it.
	Parked       uint8 // 1 when there is one
	MergedOp     uint8
	MergedCommit uint8
	Merged       [MaxOps]identity // for the ops max(MergedCommit,1)..MergedOp
}

// held is the identity that the replica's journal holds at op, or none.
func (r *Replica) held(op uint8) identity { return r.Journal[op-1] }

// Network is the set of the messages that were sent, are not lost and can still be
// acted on (see normalise.go). Under network = set delivery does not remove a message, so
// delay, reordering and duplication need no budget; networks.go has the others. Each set
// is a bit set; network.go has the positions.
type Network struct {
	Prepare         [MaxReplicas]uint64 // by receiver: (view, op, identity)
	PrepareOk       [MaxReplicas]uint64 // by sender, to the primary of view: (view, op, identity)
	Commit          [MaxReplicas]uint64 // by receiver: (view, commit)
	StartViewChange [MaxReplicas]uint64 // by receiver: (view, sender)
	Probe           [MaxReplicas]uint64 // RequestStartView, by receiver: (view, sender)

	// DoViewChange by view and sender; the receiver is the primary of view. A vote
	// that was received stays here as part of the new primary's state.
	DoViewChange [MaxViews][MaxReplicas]Vote
	// StartView with a suffix, by view: the announcement that concludes a view
	// change. A view starts once, so there is one per view.
	StartView [MaxViews]Announcement
	// Answer is a StartView without a suffix, by receiver and view: (op, commit).
	Answer [MaxReplicas][MaxViews]uint64

	// RequestPrepares by receiver and sender: (from op, to op).
	RequestPrepares [MaxReplicas][MaxReplicas]uint64
	RepairPrepare   [MaxReplicas]uint64 // by receiver: (op, identity)
	// RepairDone is 1 when one for the receiver's live session is in flight. One of
	// an earlier session is ignored, and so not kept.
	RepairDone [MaxReplicas]uint8
}

// Where a DoViewChange is.
const (
	voteNone     uint8 = iota
	voteInFlight       // in the network
	voteCounted        // received by the new primary
)

// Vote is the content of a DoViewChange. Items lists, for each op from
// max(Commit,1) to Op, what the sender says of it.
type Vote struct {
	Where   uint8
	LogView uint8
	Op      uint8
	Commit  uint8
	Items   [MaxOps]item
}

// An item is what a DoViewChange says of one op.
type item = uint8

const (
	itemBlank item = 0 // nothing: not held, at or below the commit number
	itemNack  item = 1 // "I prove that I never prepared it"
	// From 2 on: an identity, with the present bit lowest.
)

// itemOf is the item that reports an identity, with or without its body.
func itemOf(id identity, present bool) item {
	i := 2 * id
	if present {
		i++
	}
	return i
}

// itemIdentity is the identity that an item reports, or none.
func itemIdentity(i item) identity { return i / 2 }

// itemPresent reports whether the sender offers the body.
func itemPresent(i item) bool { return i >= 2 && i&1 == 1 }

// Announcement is a StartView with its suffix: the identities of the ops
// max(Commit,1)..Op.
type Announcement struct {
	To     ReplicaSet // the receivers whose copy is in flight
	Op     uint8
	Commit uint8
	Log    [MaxOps]identity
}

// Assertion is a condition that the running system asserts.
type Assertion uint8

// The assertions.
const (
	AssertNone Assertion = iota
	// AssertPrepareAboveSequencer: a primary received a prepare above its own
	// sequencer, so that the next op that it assigns would collide.
	AssertPrepareAboveSequencer
	// AssertCommitSequential: a primary took a committed op out of its pipeline
	// that does not follow the last one it applied.
	AssertCommitSequential
	assertions
)

// assertionTable says what did not hold, in words and in specs/VSR.tla.
var assertionTable = [assertions]struct{ words, tla string }{
	AssertNone:                  {"none", "no"},
	AssertPrepareAboveSequencer: {"a primary received a prepare above its sequencer", "prepare above the sequencer"},
	AssertCommitSequential:      {"a primary committed an op that does not follow the last op it applied", "commit out of sequence"},
}

// String is the assertion in words.
func (a Assertion) String() string { return assertionTable[a].words }
