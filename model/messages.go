package model

import "fmt"

// The table of the messages: each kind is declared here once, and what follows from that is
// derived. Its text, the parser of it, its label and its record in TLA+ are in wording.go;
// its places in Network, and with them the layout, the list of what is in flight and what
// removes a message, in mailboxes.go; its numbers in a channel in fifo.go. Only what a replica
// does with a message is elsewhere, in its handler, and when nobody can act on it any
// more, in normalise.go. A message of no kind of the table makes a panic.

// A messageKind is a kind of message.
type messageKind struct {
	delivery kind   // the action that delivers it
	name     string // as in the table of the package documentation
	set      string // the field of Network that holds it, in lower case with underscores
	tla      string // its type in specs/VSR.tla

	// text is how the name of an action writes it, and label the same in a few characters.
	// whole is text with the content that the state keeps; "" where there is none.
	text, label, whole wording

	// record has the numbers of its record in specs/VSR.tla, in order. Those that are not
	// of a replica are also the fields of a Message.
	record []part

	// self and peer are what the two replicas of its action are. A message whose self is
	// its sender goes to the primary of its view; peer may be a view, too, or partTo:
	// it is not used.
	self, peer part
	ofPrimary  bool // the primary of its view is who sends it; no part says so

	*codec
	where // in Network

	// content and tlaContent are what whole and the record add to the numbers.
	content, tlaContent func(m *Model, s *State, a uint32) string

	// turn is its place among the messages that one step puts into a channel (fifo.go).
	turn int
	// weight is that of one message in the measure (measure.go); votes and announcements
	// have theirs in inFlight.
	weight int
	// ofChange: it belongs to a view change, and with one view there is none.
	ofChange bool
	// stands: it says only how its sender stands, and is sent eagerly (eager.go).
	stands bool
	// guards are those that may refuse it, in the order in which its handler asks them.
	guards []refusal
}

// messageTable has the kinds in the order in which the messages of a state are listed.
var messageTable = [...]messageKind{
	{
		delivery: kReceivePrepare, name: "Prepare", set: "prepare", tla: "Prepare",
		text:   words("Prepare{view <view>, op <op>@v<body>}"),
		label:  words("Prepare <op>@v<body>"),
		record: []part{partTo, partView, partOp, partIdentity},
		codec:  &prepareCodec,
		where:  inSet(func(n *Network, self, _ int) *uint64 { return &n.Prepare[self] }),
		turn:   1, weight: 1,
		guards: []refusal{
			{outcome: RefusedStatus}, {outcome: RefusedOldView}, {outcome: RefusedNewerView}, {outcome: RefusedApplied}, {outcome: RefusedDiffers},
			{RefusedHeld, at(ruleReack, ReackDropped)}, {outcome: RefusedGap},
		},
	},
	{
		delivery: kReceivePrepareOk, name: "PrepareOk", set: "prepare_ok", tla: "PrepareOk",
		text:   words("PrepareOk{view <view>, op <op>@v<body>} from replica <from>"),
		label:  words("PrepareOk <op>@v<body>"),
		record: []part{partFrom, partView, partOp, partIdentity},
		self:   partFrom,
		codec:  &prepareCodec,
		where:  inSet(func(n *Network, self, _ int) *uint64 { return &n.PrepareOk[self] }),
		turn:   2, weight: 1,
		guards: []refusal{
			{outcome: RefusedStatus}, {outcome: RefusedOldView},
			{RefusedNewerView, at(ruleViewDurability, ViewLost)}, // it has led that view before
			{outcome: RefusedNotInPipeline}, {outcome: RefusedDiffers}, {outcome: RefusedDuplicateAck},
		},
	},
	{
		delivery: kReceiveCommit, name: "Commit", set: "commit", tla: "Commit",
		text:      words("Commit{view <view>, commit <commit>}"),
		label:     words("Commit <commit>"),
		record:    []part{partTo, partView, partCommit},
		ofPrimary: true,
		codec:     &commitCodec,
		where:     inSet(func(n *Network, self, _ int) *uint64 { return &n.Commit[self] }),
		turn:      6, weight: 1, // and its commit number
		stands: true,
		guards: []refusal{{outcome: RefusedStatus}, {outcome: RefusedOldView}, {outcome: RefusedNewerView}, {outcome: RefusedNothingNew}},
	},
	{
		delivery: kReceiveProbe, name: "RequestStartView", set: "probe", tla: "Probe",
		text:   words("RequestStartView{view <view>} from replica <from>"),
		label:  words("RequestStartView v<view>"),
		record: []part{partTo, partView, partFrom},
		codec:  &senderCodec,
		where:  inSet(func(n *Network, self, _ int) *uint64 { return &n.Probe[self] }),
		turn:   7, weight: 1,
		stands: true,
		guards: []refusal{
			{outcome: RefusedStatus}, {RefusedOldView, at(ruleProbeMatch, ProbeStamped)}, {outcome: RefusedBound},
			{outcome: RefusedNotPrimary}, {outcome: RefusedNothingNew},
		},
	},
	{
		delivery: kReceiveAnswer, name: "StartView", set: "answer", tla: "Answer",
		text:      words("StartView{view <view>, op <head>, commit <commit>} without suffix"),
		label:     words("StartView v<view>"),
		record:    []part{partTo, partView, partHead, partCommit},
		peer:      partView,
		ofPrimary: true,
		codec:     &answerCodec,
		where:     inSet(func(n *Network, self, view int) *uint64 { return &n.Answer[self][view] }),
		turn:      8, weight: 1,
		stands: true,
		guards: []refusal{{outcome: RefusedOldView}, {outcome: RefusedStale}},
	},
	{
		delivery: kReceiveRequestPrepares, name: "RequestPrepares", set: "request_prepares", tla: "RequestPrepares",
		text:   words("RequestPrepares{from_op <first>, to_op <last>} from replica <from>"),
		label:  words("RequestPrepares <first>..<last>"),
		record: []part{partTo, partFrom, partFirst, partLast},
		peer:   partFrom,
		codec:  &rangeCodec,
		where:  inSet(func(n *Network, self, peer int) *uint64 { return &n.RequestPrepares[self][peer] }),
		turn:   5, weight: 1,
		guards: []refusal{{outcome: RefusedStatus}, {outcome: RefusedNothingNew}},
	},
	{
		delivery: kReceiveRepairPrepare, name: "RepairPrepare", set: "repair_prepare", tla: "RepairPrepare",
		text:   words("RepairPrepare{op <op>@v<body>}"),
		label:  words("RepairPrepare <op>@v<body>"),
		record: []part{partTo, partOp, partIdentity},
		codec:  &repairCodec,
		where:  inSet(func(n *Network, self, _ int) *uint64 { return &n.RepairPrepare[self] }),
		turn:   3, weight: 256,
		guards: []refusal{
			{RefusedNoSession, at(ruleRepairFrames, FramesAny)}, // else it goes with its session
			{outcome: RefusedApplied}, {outcome: RefusedOutOfSession}, {outcome: RefusedHeld},
			{RefusedOutOfSuffix, at(ruleRepairScope, ScopeSuffix)},
		},
	},
	{
		delivery: kReceiveRepairDone, name: "RepairDone", set: "repair_done", tla: "RepairDone",
		text:   words("RepairDone"),
		label:  words("RepairDone"),
		record: []part{partTo},
		codec:  &singleCodec,
		where:  asFlag(func(n *Network, self int) *uint8 { return &n.RepairDone[self] }),
		turn:   4, weight: 256,
		guards: []refusal{{outcome: RefusedNothingNew}}, // it always goes with its session, see closeSession
	},
	{
		delivery: kReceiveStartViewChange, name: "StartViewChange", set: "start_view_change", tla: "StartViewChange",
		text:   words("StartViewChange{view <view>} from replica <from>"),
		label:  words("StartViewChange v<view>"),
		record: []part{partTo, partView, partFrom},
		codec:  &senderCodec,
		where:  inSet(func(n *Network, self, _ int) *uint64 { return &n.StartViewChange[self] }),
		turn:   9, weight: 1,
		ofChange: true,
		guards:   []refusal{{outcome: RefusedStatus}, {outcome: RefusedOldView}, {outcome: RefusedDecided}},
	},
	{
		delivery: kReceiveDoViewChange, name: "DoViewChange", set: "do_view_change", tla: "DoViewChange",
		text:    words("DoViewChange{view <view>} from replica <from>"),
		label:   words("DoViewChange v<view>"),
		whole:   words("DoViewChange{view <view>, <content>} from replica <from>"),
		record:  []part{partView, partFrom},
		self:    partFrom,
		codec:   &viewCodec,
		where:   asVote(func(n *Network, self, view int) *Vote { return &n.DoViewChange[view][self] }),
		content: func(_ *Model, s *State, a uint32) string { return voteString(&s.Net.DoViewChange[posOf(a)][selfOf(a)]) },
		tlaContent: func(m *Model, s *State, a uint32) string {
			return m.tlaVoteContent(&s.Net.DoViewChange[posOf(a)][selfOf(a)])
		},
		turn:     10,
		ofChange: true,
		guards: []refusal{
			{outcome: RefusedStatus}, {outcome: RefusedOldView}, {RefusedMalformed, at(ruleDVCCommit, DVCCommitUnclamped)},
			{RefusedClosed, at(ruleQuorumLatch, LatchQuorum)},
		},
	},
	{
		delivery: kReceiveStartView, name: "StartView", set: "start_view", tla: "StartView",
		text:      words("StartView{view <view>} with its suffix"),
		label:     words("StartView v<view>"),
		whole:     words("StartView{view <view>, <content>}"),
		record:    []part{partTo, partView},
		ofPrimary: true,
		codec:     &viewCodec,
		where:     asCopy(func(n *Network, view int) *Announcement { return &n.StartView[view] }),
		content: func(_ *Model, s *State, a uint32) string {
			v := &s.Net.StartView[posOf(a)]
			return fmt.Sprintf("op %d, commit %d, suffix [%s]", v.Op, v.Commit, logString(max(v.Commit, 1), v.Op, &v.Log))
		},
		tlaContent: func(m *Model, s *State, a uint32) string {
			v := &s.Net.StartView[posOf(a)]
			return fmt.Sprintf("op |-> %d, commit |-> %d, log |-> %s", v.Op, v.Commit, m.tlaLog(&v.Log))
		},
		turn:     11,
		ofChange: true,
		guards: []refusal{
			{outcome: RefusedOldView}, {outcome: RefusedStale},
			{RefusedIncarnation, at(ruleIncarnation, IncarnationChecked)},
		},
	},
}

// messageKinds are the entries of the table by the action that delivers the message; nil
// for what is no delivery.
var messageKinds = func() (of [kinds]*messageKind) {
	for i := range messageTable {
		of[messageTable[i].delivery] = &messageTable[i]
	}
	return of
}()

// messageOf is the kind of the message that the receiving action a delivers.
func messageOf(a uint32) *messageKind {
	if k := kindOf(a); k < kinds && messageKinds[k] != nil {
		return messageKinds[k]
	}
	panic(fmt.Sprintf("model: action %#x delivers no message", a))
}

// delivers reports whether a kind is the delivery of a message, and no step of a replica
// or of the network by itself.
func delivers(k kind) bool { return messageKinds[k] != nil }

// A part is one of the numbers that tell a message from others of its kind.
type part uint8

const (
	partTo part = iota
	partFrom
	partView
	partOp       // an op
	partHead     // an op, or 0: an empty log
	partIdentity // of a body
	partCommit   // an op, or 0
	partFirst    // op of a range
	partLast     // op of a range
	partCount
)

// partTable says how the numbers are called: in a Message, in a record in specs/VSR.tla,
// and in a wording.
var partTable = [partCount]struct{ name, tla, word string }{
	partTo:       {"to", "to", "to"},
	partFrom:     {"from", "from", "from"},
	partView:     {"view", "view", "view"},
	partOp:       {"op", "op", "op"},
	partHead:     {"op", "op", "head"},
	partIdentity: {"identity", "id", "body"},
	partCommit:   {"commit", "commit", "commit"},
	partFirst:    {"from_op", "low", "first"},
	partLast:     {"to_op", "high", "last"},
}

// told is a number as texts and the module have it: a body is named by its view.
func (i part) told(value uint8) int {
	if i == partIdentity {
		return int(value) - 1
	}
	return int(value)
}

// bounds are what a number may be in a message of a kind.
func (m *Model) bounds(k *messageKind, i part) (low, high int) {
	switch i {
	case partTo, partFrom:
		return 0, m.cfg.Replicas - 1
	case partView:
		if k.place == placeVote || k.place == placeCopy {
			return 1, m.cfg.ViewMax // view 0 starts by itself
		}
		return 0, m.cfg.ViewMax
	case partOp, partFirst, partLast:
		return 1, m.cfg.Ops
	case partHead, partCommit:
		return 0, m.cfg.Ops
	case partIdentity:
		return 1, m.cfg.views()
	}
	panic(fmt.Sprintf("model: no part %d", i))
}

// numbers are the numbers of a message; those that its kind does not have are 0.
type numbers [partCount]uint8

// unknown is the sender of a message whose sender the state does not keep.
const unknown = 255

// numbers are those of the message that the receiving action a delivers.
func (m *Model) numbers(a uint32) numbers {
	k := messageOf(a)
	n := k.at(m, posOf(a))
	if k.peer != partTo {
		n[k.peer] = uint8(peerOf(a))
	}
	n[k.self] = uint8(selfOf(a))
	switch {
	case k.self == partFrom:
		n[partTo] = uint8(m.cfg.Primary(n[partView]))
	case k.ofPrimary:
		n[partFrom] = uint8(m.cfg.Primary(n[partView]))
	case !k.has(partFrom):
		n[partFrom] = unknown
	}
	return n
}

// deliveryOf is the inverse of numbers: the action that delivers the message.
func (m *Model) deliveryOf(k *messageKind, n numbers) uint32 {
	peer := 0
	if k.peer != partTo {
		peer = int(n[k.peer])
	}
	return act(k.delivery, int(n[k.self]), peer, k.pos(m, n))
}

// has reports whether the record of a kind has a number.
func (k *messageKind) has(i part) bool {
	for _, j := range k.record {
		if i == j {
			return true
		}
	}
	return false
}

// receiver is the replica that a receiving action takes place at, and that of any other.
func (m *Model) receiver(a uint32) int {
	if k := messageKinds[kindOf(a)]; k != nil && k.self == partFrom {
		return m.cfg.Primary(k.at(m, posOf(a))[partView])
	}
	return selfOf(a)
}

// A codec packs the numbers of a message, but for its replicas, into a small and dense
// position, so that the sets of Network pack well.
type codec struct {
	positions func(c *Config) int
	pos       func(m *Model, n numbers) int
	at        func(m *Model, pos int) numbers // the inverse of pos

	// In a channel the messages of a sender are numbered without it, and so that those
	// that one step sends are in order: ranks says how many there are, rank which of
	// them has a position, and ranked is the inverse of it.
	ranks  func(c *Config) int
	rank   func(m *Model, pos int) int
	ranked func(m *Model, rank, from int) int
}

// inOrder completes a codec whose messages are in order by their positions.
func inOrder(k codec) codec {
	k.ranks = k.positions
	k.rank = func(_ *Model, pos int) int { return pos }
	k.ranked = func(_ *Model, rank, _ int) int { return rank }
	return k
}

var (
	prepareCodec = codec{
		positions: func(c *Config) int { return c.identities() * c.Ops },
		pos:       func(m *Model, n numbers) int { return m.preparePos(n[partView], n[partOp], n[partIdentity]) },
		at: func(m *Model, pos int) (n numbers) {
			n[partView], n[partOp], n[partIdentity] = m.prepareAt(pos)
			return n
		},
		ranks:  func(c *Config) int { return c.identities() * c.Ops },
		rank:   func(m *Model, pos int) int { return pos%m.cfg.Ops*m.cfg.identities() + pos/m.cfg.Ops }, // by op first
		ranked: func(m *Model, rank, _ int) int { return rank%m.cfg.identities()*m.cfg.Ops + rank/m.cfg.identities() },
	}
	senderCodec = codec{
		positions: func(c *Config) int { return c.views() * c.Replicas },
		pos:       func(m *Model, n numbers) int { return m.senderPos(n[partView], int(n[partFrom])) },
		at: func(m *Model, pos int) (n numbers) {
			view, from := m.senderAt(pos)
			n[partView], n[partFrom] = view, uint8(from)
			return n
		},
		ranks:  func(c *Config) int { return c.views() },
		rank:   func(m *Model, pos int) int { return pos / m.cfg.Replicas },
		ranked: func(m *Model, rank, from int) int { return m.senderPos(uint8(rank), from) },
	}
	commitCodec = inOrder(codec{
		positions: func(c *Config) int { return c.views() * (c.Ops + 1) },
		pos:       func(m *Model, n numbers) int { return m.commitPos(n[partView], n[partCommit]) },
		at: func(m *Model, pos int) (n numbers) {
			n[partView], n[partCommit] = m.commitAt(pos)
			return n
		},
	})
	answerCodec = inOrder(codec{
		positions: func(c *Config) int { return answerPos(uint8(c.Ops), uint8(c.Ops)) + 1 },
		pos:       func(_ *Model, n numbers) int { return answerPos(n[partHead], n[partCommit]) },
		at: func(_ *Model, pos int) (n numbers) {
			n[partHead], n[partCommit] = answerAt(pos)
			return n
		},
	})
	rangeCodec = inOrder(codec{
		positions: func(c *Config) int { return rangePos(uint8(c.Ops), uint8(c.Ops)) + 1 },
		pos:       func(_ *Model, n numbers) int { return rangePos(n[partFirst], n[partLast]) },
		at: func(_ *Model, pos int) (n numbers) {
			n[partFirst], n[partLast] = rangeAt(pos)
			return n
		},
	})
	repairCodec = inOrder(codec{
		positions: func(c *Config) int { return c.views() * c.Ops },
		pos:       func(m *Model, n numbers) int { return m.repairPos(n[partOp], n[partIdentity]) },
		at: func(m *Model, pos int) (n numbers) {
			n[partOp], n[partIdentity] = m.repairAt(pos)
			return n
		},
	})
	viewCodec = inOrder(codec{
		positions: func(c *Config) int { return c.views() },
		pos:       func(_ *Model, n numbers) int { return int(n[partView]) },
		at:        func(_ *Model, pos int) (n numbers) { n[partView] = uint8(pos); return n },
	})
	singleCodec = inOrder(codec{
		positions: func(*Config) int { return 1 },
		pos:       func(*Model, numbers) int { return 0 },
		at:        func(*Model, int) (n numbers) { return n },
	})
)
