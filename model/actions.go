package model

import "fmt"

// kind of an action; the names are those of the actions in TLA+.
type kind uint8

const (
	kRequest kind = iota
	kRetransmit
	kHeartbeat
	kCommitWalk
	kReceivePrepare
	kReceivePrepareOk
	kReceiveCommit
	kArmRepair
	kRetryRepair
	kCloseRepair
	kReceiveRequestPrepares
	kReceiveRepairPrepare
	kReceiveRepairDone
	kProbe
	kReceiveProbe
	kReceiveAnswer
	kNewerViewTimeout
	kHeartbeatTimeout
	kViewChangeTimeout
	kProbeTimeout
	kReceiveStartViewChange
	kResendStartViewChange
	kReceiveDoViewChange
	kResendDoViewChange
	kAdvanceView
	kReceiveStartView
	kCrashRestart
	kStop
	kDrop
	kDuplicate
	kReset
	kinds
)

// kindInfo says what kind of action a kind is.
type kindInfo struct {
	name  string
	on    target
	cause cause
	// since is the first of the networks that has it.
	since NetworkKind
	doc   string
}

// target is what an action acts on, and with that how it is written.
type target uint8

const (
	onReplica target = iota // a replica takes a step by itself: Stop(replica 0)
	onMessage               // a replica receives a message: ReceiveCommit(replica 1, Commit{...})
	onFlight                // it happens to a message in flight: Drop(Commit{...} to replica 1)
	onPair                  // it happens between two replicas: Reset(replica 0, replica 1)
)

// cause is why an action happens.
type cause uint8

const (
	fair     cause = iota // it may not stay enabled for ever without being taken
	timeout               // a timer that changes the view, and that nobody can count on
	client                // nor on a request
	fault                 // something breaks
	repeated              // the network delivers again
)

var kindTable = [kinds]kindInfo{
	kRequest:                {"Request", onReplica, client, NetworkSet, "the primary prepares the next op"},
	kRetransmit:             {"Retransmit", onReplica, fair, NetworkSet, "the primary re-sends every op above its commit number that has no quorum to each replica that has not acked it"},
	kHeartbeat:              {"Heartbeat", onReplica, fair, NetworkSet, "the primary sends its commit number to all backups"},
	kCommitWalk:             {"CommitWalk", onReplica, fair, NetworkSet, "a tick applies committed ops that are in the journal"},
	kReceivePrepare:         {"ReceivePrepare", onMessage, fair, NetworkSet, "a replica receives a prepare"},
	kReceivePrepareOk:       {"ReceivePrepareOk", onMessage, fair, NetworkSet, "the primary receives an ack"},
	kReceiveCommit:          {"ReceiveCommit", onMessage, fair, NetworkSet, "a replica receives a heartbeat"},
	kArmRepair:              {"ArmRepair", onReplica, fair, NetworkSet, "a tick opens a repair session"},
	kRetryRepair:            {"RetryRepair", onReplica, fair, NetworkSet, "a stalled repair session asks again"},
	kCloseRepair:            {"CloseRepair", onReplica, fair, NetworkSet, "a tick ends a repair session whose window is applied"},
	kReceiveRequestPrepares: {"ReceiveRequestPrepares", onMessage, fair, NetworkSet, "a peer serves a repair request"},
	kReceiveRepairPrepare:   {"ReceiveRepairPrepare", onMessage, fair, NetworkSet, "a replica receives a repaired prepare"},
	kReceiveRepairDone:      {"ReceiveRepairDone", onMessage, fair, NetworkSet, "a replica receives the end of a repair stream"},
	kProbe:                  {"Probe", onReplica, fair, NetworkSet, "a replica asks all others for the StartView of the current view"},
	kReceiveProbe:           {"ReceiveProbe", onMessage, fair, NetworkSet, "a replica receives a RequestStartView"},
	kReceiveAnswer:          {"ReceiveAnswer", onMessage, fair, NetworkSet, "a replica receives a StartView without suffix"},
	kNewerViewTimeout:       {"NewerViewTimeout", onReplica, fair, NetworkSet, "a replica that has seen traffic of a newer view probes for it"},
	kHeartbeatTimeout:       {"HeartbeatTimeout", onReplica, timeout, NetworkSet, "a backup gives up on its primary"},
	kViewChangeTimeout:      {"ViewChangeTimeout", onReplica, timeout, NetworkSet, "a replica gives up on a view change and tries the next view"},
	kProbeTimeout:           {"ProbeTimeout", onReplica, timeout, NetworkSet, "a recovering replica that nobody answers starts an election"},
	kReceiveStartViewChange: {"ReceiveStartViewChange", onMessage, fair, NetworkSet, "a replica receives a StartViewChange"},
	kResendStartViewChange:  {"ResendStartViewChange", onReplica, fair, NetworkSet, "a replica in a view change sends its StartViewChange again"},
	kReceiveDoViewChange:    {"ReceiveDoViewChange", onMessage, fair, NetworkSet, "the primary of the next view receives a vote"},
	kResendDoViewChange:     {"ResendDoViewChange", onReplica, fair, NetworkSet, "a replica in a view change sends its vote again, as its log is now"},
	kAdvanceView:            {"AdvanceView", onReplica, fair, NetworkSet, "a tick reconciles the journal with the merged log and starts the view when the journal covers it"},
	kReceiveStartView:       {"ReceiveStartView", onMessage, fair, NetworkSet, "a replica receives the StartView that concludes a view change"},
	kCrashRestart:           {"CrashRestart", onReplica, fault, NetworkSet, "a replica crashes and restarts"},
	kStop:                   {"Stop", onReplica, fault, NetworkSet, "a replica stops for good"},
	kDrop:                   {"Drop", onFlight, fault, NetworkSet, "a message is lost"},
	kDuplicate:              {"Duplicate", onFlight, repeated, NetworkConsume, "a message is delivered and stays in flight (network = consume)"},
	kReset:                  {"Reset", onPair, fault, NetworkFIFO, "the connection of two replicas breaks, and what is in it is lost (network = fifo)"},
}

// local marks the kinds that are steps of a replica rather than deliveries, and fairKinds
// those that are weakly fair. A search asks for both all the time.
var (
	local     = kindsThat(func(i *kindInfo) bool { return i.on == onReplica })
	fairKinds = kindsThat(func(i *kindInfo) bool { return i.cause == fair })
)

func kindsThat(are func(i *kindInfo) bool) (set [kinds]bool) {
	for k := range kindTable {
		set[k] = are(&kindTable[k])
	}
	return set
}

// An action packs a kind and what it acts on into 32 bits: the kind, a replica (the
// receiver of a message), another replica, and a position in a set of the network.
// A Drop and a Duplicate also carry the kind that would receive the message.
const (
	posBits  = 8
	peerBits = 3
	selfBits = 3
	kindBits = 6

	peerShift = posBits
	selfShift = peerShift + peerBits
	kindShift = selfShift + selfBits
	dropShift = kindShift + kindBits
)

func act(k kind, self, peer, pos int) uint32 {
	return uint32(k)<<kindShift | uint32(self)<<selfShift | uint32(peer)<<peerShift | uint32(pos)
}

// dropOf is the loss of the message that the receiving action a would deliver.
func dropOf(a uint32) uint32 {
	return about(kDrop, a)
}

// duplicateOf is the delivery of that message without taking it out of the network.
func duplicateOf(a uint32) uint32 {
	return about(kDuplicate, a)
}

// about is what a kind of action does to the message that the receiving action a delivers.
func about(k kind, a uint32) uint32 {
	return act(k, 0, 0, 0) | uint32(kindOf(a))<<dropShift | a&(1<<kindShift-1)
}

// aboutMessage reports whether a is a Drop or a Duplicate, which carry the receiving
// action of their message.
func aboutMessage(a uint32) bool { return infoOf(a).on == onFlight }

// infoOf is what there is to know of an action's kind.
func infoOf(a uint32) *kindInfo {
	if k := kindOf(a); k < kinds {
		return &kindTable[k]
	}
	panic(fmt.Sprintf("model: action %#x is of no kind", a))
}

// droppedBy is the receiving action whose message the drop a loses, or the duplicate a
// repeats.
func droppedBy(a uint32) uint32 {
	return a>>dropShift<<kindShift | a&(1<<kindShift-1)
}

func kindOf(a uint32) kind { return kind(a >> kindShift & (1<<kindBits - 1)) }
func selfOf(a uint32) int  { return int(a >> selfShift & (1<<selfBits - 1)) }
func peerOf(a uint32) int  { return int(a >> peerShift & (1<<peerBits - 1)) }
func posOf(a uint32) int   { return int(a & (1<<posBits - 1)) }

// AllKinds are the names of the kinds of actions, whatever the network.
func AllKinds() []string {
	names := make([]string, kinds)
	for k, info := range kindTable {
		names[k] = info.name
	}
	return names
}

// Kinds are the names of the kinds of actions that the model's network has.
func (m *Model) Kinds() []string {
	n := 0
	for n < len(kindTable) && kindTable[n].since <= m.cfg.Network {
		n++
	}
	return AllKinds()[:n]
}

// Kind is the index into Kinds of an action.
func (m *Model) Kind(a uint32) int { return int(kindOf(a)) }

// KindDoc is one line on what actions of a kind do.
func (m *Model) KindDoc(k int) string { return kindTable[k].doc }

// Fair reports whether the action is weakly fair: every delivery, retransmission,
// probe, repair and local step is; faults, timeouts that change the view and
// requests are not.
func (m *Model) Fair(a uint32) bool { return fairKinds[kindOf(a)] }

// KindFair reports whether actions of a kind are weakly fair.
func (m *Model) KindFair(k int) bool { return fairKinds[k] }

// Fused are the kinds of actions that eager sends leave nothing, or less, to do: what they
// send is in flight as early as it can be, and was sent with other steps.
func (m *Model) Fused() (kinds []int) {
	for _, k := range []kind{kHeartbeat, kProbe} {
		if m.sentEagerly(k) {
			kinds = append(kinds, int(k))
		}
	}
	if m.answers {
		kinds = append(kinds, int(kReceiveProbe))
	}
	return kinds
}

// ActionString is the action in the protocol's words, with its parameters.
func (m *Model) ActionString(a uint32) string {
	info := infoOf(a)
	switch info.on {
	case onReplica:
		return fmt.Sprintf("%s(replica %d)", info.name, selfOf(a))
	case onMessage:
		return fmt.Sprintf("%s(replica %d, %s)", info.name, m.receiver(a), m.messageString(a))
	case onFlight:
		d := droppedBy(a)
		return fmt.Sprintf("%s(%s to replica %d)", info.name, m.messageString(d), m.receiver(d))
	case onPair:
		return fmt.Sprintf("%s(replica %d, replica %d)", info.name, selfOf(a), peerOf(a))
	}
	panic(fmt.Sprintf("model: %s acts on nothing known", info.name))
}

// Actor is the replica that takes the action; for a lost message, the replica that
// will not receive it; for a broken connection, the lower of the two.
func (m *Model) Actor(a uint32) int {
	if aboutMessage(a) {
		a = droppedBy(a)
	}
	return m.receiver(a)
}

// opString writes an op with its identity: 2@v1 is op 2 as view 1 prepared it.
func opString(op uint8, id identity) string {
	return fmt.Sprintf("%d@v%d", op, id-1)
}
