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
	name string
	// fair: it may not stay enabled for ever without being taken. Faults, timeouts
	// that change the view and client requests are not fair.
	fair bool
	doc  string
}

var kindTable = [kinds]kindInfo{
	kRequest:                {"Request", false, "the primary prepares the next op"},
	kRetransmit:             {"Retransmit", true, "the primary re-sends every op above its commit number that has no quorum to each replica that has not acked it"},
	kHeartbeat:              {"Heartbeat", true, "the primary sends its commit number to all backups"},
	kCommitWalk:             {"CommitWalk", true, "a tick applies committed ops that are in the journal"},
	kReceivePrepare:         {"ReceivePrepare", true, "a replica receives a prepare"},
	kReceivePrepareOk:       {"ReceivePrepareOk", true, "the primary receives an ack"},
	kReceiveCommit:          {"ReceiveCommit", true, "a replica receives a heartbeat"},
	kArmRepair:              {"ArmRepair", true, "a tick opens a repair session"},
	kRetryRepair:            {"RetryRepair", true, "a stalled repair session asks again"},
	kCloseRepair:            {"CloseRepair", true, "a tick ends a repair session whose window is applied"},
	kReceiveRequestPrepares: {"ReceiveRequestPrepares", true, "a peer serves a repair request"},
	kReceiveRepairPrepare:   {"ReceiveRepairPrepare", true, "a replica receives a repaired prepare"},
	kReceiveRepairDone:      {"ReceiveRepairDone", true, "a replica receives the end of a repair stream"},
	kProbe:                  {"Probe", true, "a replica asks all others for the StartView of the current view"},
	kReceiveProbe:           {"ReceiveProbe", true, "a replica receives a RequestStartView"},
	kReceiveAnswer:          {"ReceiveAnswer", true, "a replica receives a StartView without suffix"},
	kNewerViewTimeout:       {"NewerViewTimeout", true, "a replica that has seen traffic of a newer view probes for it"},
	kHeartbeatTimeout:       {"HeartbeatTimeout", false, "a backup gives up on its primary"},
	kViewChangeTimeout:      {"ViewChangeTimeout", false, "a replica gives up on a view change and tries the next view"},
	kProbeTimeout:           {"ProbeTimeout", false, "a recovering replica that nobody answers starts an election"},
	kReceiveStartViewChange: {"ReceiveStartViewChange", true, "a replica receives a StartViewChange"},
	kResendStartViewChange:  {"ResendStartViewChange", true, "a replica in a view change sends its StartViewChange again"},
	kReceiveDoViewChange:    {"ReceiveDoViewChange", true, "the primary of the next view receives a vote"},
	kResendDoViewChange:     {"ResendDoViewChange", true, "a replica in a view change sends its vote again, as its log is now"},
	kAdvanceView:            {"AdvanceView", true, "a tick reconciles the journal with the merged log and starts the view when the journal covers it"},
	kReceiveStartView:       {"ReceiveStartView", true, "a replica receives the StartView that concludes a view change"},
	kCrashRestart:           {"CrashRestart", false, "a replica crashes and restarts"},
	kStop:                   {"Stop", false, "a replica stops for good"},
	kDrop:                   {"Drop", false, "a message is lost"},
	kDuplicate:              {"Duplicate", false, "a message is delivered and stays in flight (network = consume)"},
	kReset:                  {"Reset", false, "the connection of two replicas breaks, and what is in it is lost (network = fifo)"},
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
	return act(kDrop, 0, 0, 0) | uint32(kindOf(a))<<dropShift | a&(1<<kindShift-1)
}

// duplicateOf is the delivery of that message without taking it out of the network.
func duplicateOf(a uint32) uint32 {
	return act(kDuplicate, 0, 0, 0) | uint32(kindOf(a))<<dropShift | a&(1<<kindShift-1)
}

// aboutMessage reports whether a is a Drop or a Duplicate, which carry the receiving
// action of their message.
func aboutMessage(a uint32) bool { return kindOf(a) == kDrop || kindOf(a) == kDuplicate }

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
	last := [...]kind{NetworkSet: kDrop, NetworkConsume: kDuplicate, NetworkFIFO: kReset}
	return AllKinds()[:last[m.cfg.Network]+1]
}

// Kind is the index into Kinds of an action.
func (m *Model) Kind(a uint32) int { return int(kindOf(a)) }

// KindDoc is one line on what actions of a kind do.
func (m *Model) KindDoc(k int) string { return kindTable[k].doc }

// Fair reports whether the action is weakly fair: every delivery, retransmission,
// probe, repair and local step is; faults, timeouts that change the view and
// requests are not.
func (m *Model) Fair(a uint32) bool { return kindTable[kindOf(a)].fair }

// KindFair reports whether actions of a kind are weakly fair.
func (m *Model) KindFair(k int) bool { return kindTable[k].fair }

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
	k, self := kindOf(a), selfOf(a)
	switch k {
	case kDrop, kDuplicate:
		d := droppedBy(a)
		return fmt.Sprintf("%s(%s to replica %d)", kindTable[k].name, m.messageString(d), m.receiver(d))
	case kReset:
		return fmt.Sprintf("Reset(replica %d, replica %d)", self, peerOf(a))
	case kReceivePrepare, kReceivePrepareOk, kReceiveCommit, kReceiveRequestPrepares, kReceiveRepairPrepare,
		kReceiveRepairDone, kReceiveProbe, kReceiveAnswer, kReceiveStartViewChange, kReceiveDoViewChange, kReceiveStartView:
		return fmt.Sprintf("%s(replica %d, %s)", kindTable[k].name, m.receiver(a), m.messageString(a))
	}
	return fmt.Sprintf("%s(replica %d)", kindTable[k].name, self)
}

// Actor is the replica that takes the action; for a lost message, the replica that
// will not receive it; for a broken connection, the lower of the two.
func (m *Model) Actor(a uint32) int {
	if aboutMessage(a) {
		a = droppedBy(a)
	}
	return m.receiver(a)
}

// receiver is the replica that a receiving action takes place at.
func (m *Model) receiver(a uint32) int {
	switch kindOf(a) {
	case kReceivePrepareOk:
		view, _, _ := m.prepareAt(posOf(a))
		return m.cfg.Primary(view)
	case kReceiveDoViewChange:
		return m.cfg.Primary(uint8(posOf(a)))
	}
	return selfOf(a)
}

// messageString is the message that a receiving action delivers.
func (m *Model) messageString(a uint32) string {
	peer, pos := peerOf(a), posOf(a)
	switch kindOf(a) {
	case kReceivePrepare:
		view, op, id := m.prepareAt(pos)
		return fmt.Sprintf("Prepare{view %d, op %s}", view, opString(op, id))
	case kReceivePrepareOk:
		view, op, id := m.prepareAt(pos)
		return fmt.Sprintf("PrepareOk{view %d, op %s} from replica %d", view, opString(op, id), selfOf(a))
	case kReceiveCommit:
		view, commit := m.commitAt(pos)
		return fmt.Sprintf("Commit{view %d, commit %d}", view, commit)
	case kReceiveStartViewChange:
		view, from := m.senderAt(pos)
		return fmt.Sprintf("StartViewChange{view %d} from replica %d", view, from)
	case kReceiveProbe:
		view, from := m.senderAt(pos)
		return fmt.Sprintf("RequestStartView{view %d} from replica %d", view, from)
	case kReceiveDoViewChange:
		return fmt.Sprintf("DoViewChange{view %d} from replica %d", pos, selfOf(a))
	case kReceiveStartView:
		return fmt.Sprintf("StartView{view %d} with its suffix", pos)
	case kReceiveAnswer:
		op, commit := answerAt(pos)
		return fmt.Sprintf("StartView{view %d, op %d, commit %d} without suffix", peer, op, commit)
	case kReceiveRequestPrepares:
		from, to := rangeAt(pos)
		return fmt.Sprintf("RequestPrepares{from_op %d, to_op %d} from replica %d", from, to, peer)
	case kReceiveRepairPrepare:
		op, id := m.repairAt(pos)
		return fmt.Sprintf("RepairPrepare{op %s}", opString(op, id))
	case kReceiveRepairDone:
		return "RepairDone"
	}
	return fmt.Sprintf("message(%d)", a)
}

// opString writes an op with its identity: 2@v1 is op 2 as view 1 prepared it.
func opString(op uint8, id identity) string {
	return fmt.Sprintf("%d@v%d", op, id-1)
}
