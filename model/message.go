package model

// Message is a message of the network, or one that an action delivers or loses, with
// the numbers that its kind carries. The content of a DoViewChange and of a StartView
// with a suffix is in the state, see Network.
type Message struct {
	Name string // as in the table of the package documentation
	Set  string // the field of Network that holds it, in lower case with underscores
	To   int    // the receiver
	From int    // the sender, or -1: the state does not keep it, and nobody asks

	// Fields are the numbers that tell it from others of its name, in the order in which
	// a trace writes them. An identity is as in State: v+1 is the body that view v prepared.
	Fields []MessageField
}

// MessageField is a number in a message.
type MessageField struct {
	Name  string
	Value int
}

// Messages calls yield for every message in flight, in a fixed order.
func (m *Model) Messages(s *State, yield func(Message)) {
	m.eachMessage(s, func(a uint32) {
		msg, _ := m.Message(a)
		yield(msg)
	})
}

// Message is the message that an action delivers or, for a Drop, loses; false for a
// local step and a Reset.
func (m *Model) Message(a uint32) (Message, bool) {
	k := kindOf(a)
	if aboutMessage(a) {
		return m.Message(droppedBy(a))
	}
	if k >= kinds || !delivers(k) {
		return Message{}, false
	}
	self, peer, pos := selfOf(a), peerOf(a), posOf(a)
	msg := Message{To: m.receiver(a), From: -1}
	field := func(name string, value uint8) { msg.Fields = append(msg.Fields, MessageField{name, int(value)}) }
	switch k {
	case kReceivePrepare, kReceivePrepareOk:
		msg.Name, msg.Set = "Prepare", "prepare"
		if k == kReceivePrepareOk {
			msg.Name, msg.Set, msg.From = "PrepareOk", "prepare_ok", self
		}
		view, op, id := m.prepareAt(pos)
		field("view", view)
		field("op", op)
		field("identity", id)
	case kReceiveCommit:
		msg.Name, msg.Set = "Commit", "commit"
		view, commit := m.commitAt(pos)
		msg.From = m.cfg.Primary(view)
		field("view", view)
		field("commit", commit)
	case kReceiveStartViewChange, kReceiveProbe:
		msg.Name, msg.Set = "StartViewChange", "start_view_change"
		if k == kReceiveProbe {
			msg.Name, msg.Set = "RequestStartView", "probe"
		}
		view, from := m.senderAt(pos)
		msg.From = from
		field("view", view)
	case kReceiveDoViewChange:
		msg.Name, msg.Set, msg.From = "DoViewChange", "do_view_change", self
		field("view", uint8(pos))
	case kReceiveStartView:
		msg.Name, msg.Set, msg.From = "StartView", "start_view", m.cfg.Primary(uint8(pos))
		field("view", uint8(pos))
	case kReceiveAnswer:
		msg.Name, msg.Set, msg.From = "StartView", "answer", m.cfg.Primary(uint8(peer))
		op, commit := answerAt(pos)
		field("view", uint8(peer))
		field("op", op)
		field("commit", commit)
	case kReceiveRequestPrepares:
		msg.Name, msg.Set, msg.From = "RequestPrepares", "request_prepares", peer
		from, to := rangeAt(pos)
		field("from_op", from)
		field("to_op", to)
	case kReceiveRepairPrepare:
		msg.Name, msg.Set = "RepairPrepare", "repair_prepare"
		op, id := m.repairAt(pos)
		field("op", op)
		field("identity", id)
	case kReceiveRepairDone:
		msg.Name, msg.Set = "RepairDone", "repair_done"
	}
	return msg, true
}

// StatusName is the name of a status.
func StatusName(status uint8) string { return statusNames[status] }

// ItemText says what an item of a vote says: "blank" (not held), "nack" (never
// prepared), "header" (known by its header only) or "present" (offered with its body);
// identity is the one reported, or 0.
func ItemText(i uint8) (says string, identity uint8) {
	switch {
	case i == itemBlank:
		return "blank", none
	case i == itemNack:
		return "nack", none
	case itemPresent(i):
		return "present", itemIdentity(i)
	}
	return "header", itemIdentity(i)
}

// VoteWhere says where a vote is: "" for none, "in flight" or "counted".
func VoteWhere(v *Vote) string {
	return [...]string{voteNone: "", voteInFlight: "in flight", voteCounted: "counted"}[v.Where]
}
