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
	if k < kinds && aboutMessage(a) {
		return m.Message(droppedBy(a))
	}
	if k >= kinds || !delivers(k) {
		return Message{}, false
	}
	of, n := messageOf(a), m.numbers(a)
	msg := Message{Name: of.name, Set: of.set, To: int(n[partTo]), From: int(n[partFrom])}
	if n[partFrom] == unknown {
		msg.From = -1
	}
	for _, i := range of.record {
		if i != partTo && i != partFrom {
			msg.Fields = append(msg.Fields, MessageField{partTable[i].name, int(n[i])})
		}
	}
	return msg, true
}

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
