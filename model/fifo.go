package model

import (
	"fmt"
	"slices"
)

// The channels of network = fifo. Two replicas of Apache Iggy have one TCP connection, which
// the one with the lower number dials and both send on. So each ordered pair of replicas
// has a channel: a queue of the messages that the first has sent to the second, of which
// only the head is delivered, and taken out by that. (A primary that acks itself with a
// message has a channel to itself under the rule self_ack.)
//
// A message is in the sets of State.Net while it is in a channel, and the channels say in
// which order. So a run of this network is, but for what breaks connections, one of
// network = consume in which the messages arrive in order, and in particular what is sent
// while the same message is in flight to its receiver, whoever sent that one, merges with
// it: a copy that a timer would put behind it is put there by a later tick.
//
// What becomes of a channel:
//
//   - A step that sends several messages puts them in the order of the numbers below, which
//     is that of the handlers: frames by op, and then the end of their stream.
//   - A channel holds Config.Channel messages. A step whose messages do not fit is not
//     possible until they do: the send waits. That is a bound on the search, which the report
//     of a run names, and not how the running system behaves, whose queues are long
//     and drop what is too much. Safety loses only runs by it. Liveness may seem to fail when a
//     step waits for ever, as others fill the channel again and again; so a run that decides
//     liveness also checks that no step ever waits (SendsFit), and then the bound has cut
//     nothing off. Where a step waits the run is inconclusive, but for a violation that is
//     there in any channel: of safety, or of liveness where no step waits.
//   - Reset breaks the connection of two replicas, and everything that is in the channels
//     between them, in both directions, is lost: what had arrived before is a delivery before
//     it. Both sides go on sending as soon as they are connected again, which here is at once.
//   - A replica that crashes takes along what was sent to it and had not arrived. What it had
//     sent itself may still arrive, and is there before what it sends after its restart: that
//     the connection after a restart overtakes what is left in the one before it is left to
//     network = consume. The same goes for a stop. That a crash also loses some of what the
//     replica had sent takes a Reset.
//   - A dead message (normalise.go) is taken out of its channel, wherever it is. It stood in
//     the way of those behind it until it was delivered, which was possible at any time: it
//     changes nothing in any future, and what it sends is dead, too, and takes no room. So the
//     same replica states are reached, by as many fair steps less, and a channel has room
//     for as much as it would have after that delivery. TestDeadMessagesInChannels compares
//     the two.
//   - A vote that is sent again while an earlier one of its sender and view is in the channel
//     waits until that has arrived, as the two may differ.

// inTurn lists the kinds of messages in the order in which one step puts them into a channel.
var inTurn = func() []*messageKind {
	list := slices.DeleteFunc(slices.Clone(messageKinds[:]), func(k *messageKind) bool { return k == nil })
	slices.SortFunc(list, func(a, b *messageKind) int { return a.turn - b.turn })
	return list
}()

// channelCodes numbers the messages that one replica can send to another from 1 on.
type channelCodes struct {
	first [kinds]int // the code of the first message of a kind
	ranks [kinds]int // how many there are of a kind, of one view if that is the peer
	of    [256]*messageKind
	last  int
}

func newChannelCodes(c *Config) (codes channelCodes) {
	for _, k := range inTurn {
		codes.first[k.delivery] = codes.last + 1
		count := k.ranks(c)
		codes.ranks[k.delivery] = count
		if k.peer == partView {
			count *= c.views()
		}
		for range count {
			codes.last++
			if codes.last < len(codes.of) {
				codes.of[codes.last] = k
			}
		}
	}
	return codes
}

// validateChannels numbers the messages, and says whether there is a number for each. Its
// errors wrap ErrConfig.
func (m *Model) validateChannels() error {
	m.codes = newChannelCodes(&m.cfg)
	switch {
	case m.codes.last > 255:
		return fmt.Errorf("%w: ops=%d with view_max=%d needs %d numbers for the messages of a channel, the layout of network = fifo has 255; lower ops or view_max",
			ErrConfig, m.cfg.Ops, m.cfg.ViewMax, m.codes.last)
	case m.rules.ViewDurability == ViewLost:
		return fmt.Errorf("%w: network = fifo with %s: a view that starts twice would have two announcements in one channel, and the layout holds one; want another network",
			ErrConfig, m.setting(ruleViewDurability).words())
	}
	return nil
}

// code is the number of the message that the receiving action a delivers, among those of
// its sender to its receiver.
func (m *Model) code(a uint32) uint8 {
	k := messageOf(a)
	n := k.rank(m, posOf(a))
	if k.peer == partView {
		n += peerOf(a) * m.codes.ranks[k.delivery]
	}
	return uint8(m.codes.first[k.delivery] + n)
}

// delivery is the inverse of code: the action that delivers a message of a channel.
func (m *Model) delivery(from, to int, code uint8) uint32 {
	k := m.codes.of[code]
	n := int(code) - m.codes.first[k.delivery]
	self, peer := to, 0
	if k.self == partFrom {
		self = from
	}
	switch k.peer {
	case partFrom:
		peer = from
	case partView:
		ranks := m.codes.ranks[k.delivery]
		peer, n = n/ranks, n%ranks
	}
	return act(k.delivery, self, peer, k.ranked(m, n, from))
}

// eachDelivery calls try with the action that delivers each message that may arrive now.
func (m *Model) eachDelivery(s *State, try func(a uint32)) {
	if m.cfg.Network != NetworkFIFO {
		m.eachMessage(s, try)
		return
	}
	for to := range m.cfg.Replicas {
		for from := range m.cfg.Replicas {
			if code := s.Channels[from][to][0]; code != 0 {
				try(m.delivery(from, to, code))
			}
		}
	}
}

// takeInOrder is take under network = fifo.
func (m *Model) takeInOrder(t *State, a uint32) Outcome {
	k := kindOf(a)
	if delivers(k) && !m.isNext(t, a) {
		return RefusedBehind
	}
	before := *t
	out := m.arrive(t, a)
	if out&changed == 0 {
		return out
	}
	if k == kCrashRestart {
		m.loseInbox(t, selfOf(a))
	}
	m.normalise(t)
	if why := m.moveChannels(&before, t, m.Actor(a)); why != Taken {
		*t = before
		return why
	}
	return out
}

// isNext reports whether the message that a delivers is the first of its channel.
func (m *Model) isNext(s *State, a uint32) bool {
	to, code := m.receiver(a), m.code(a)
	for from := range m.cfg.Replicas {
		if s.Channels[from][to][0] == code && m.delivery(from, to, code) == a {
			return true
		}
	}
	return false
}

// moveChannels brings the channels of t in line with its sets, after a step of replica i
// from s: what is gone goes, and what is new is what i has sent. It returns Taken, or why
// the step has to wait.
func (m *Model) moveChannels(s, t *State, i int) Outcome {
	for v := range m.cfg.views() {
		for j := range m.cfg.Replicas {
			a, b := &s.Net.DoViewChange[v][j], &t.Net.DoViewChange[v][j]
			if a.Where == voteInFlight && b.Where == voteInFlight && *a != *b {
				return RefusedNothingNew
			}
		}
	}
	for from := range m.cfg.Replicas {
		for to := range m.cfg.Replicas {
			m.keepInFlight(t, from, to)
		}
	}
	type message struct{ to, code uint8 }
	var few [32]message
	sent := few[:0]
	m.eachMessage(t, func(a uint32) {
		if !m.carries(s, a) {
			sent = append(sent, message{uint8(m.receiver(a)), m.code(a)})
		}
	})
	slices.SortFunc(sent, func(a, b message) int { return int(a.code) - int(b.code) })
	for _, msg := range sent {
		queue := &t.Channels[i][msg.to]
		at := slices.Index(queue[:m.cfg.Channel], 0)
		if at < 0 {
			return RefusedFull
		}
		queue[at] = msg.code
	}
	return Taken
}

// keepInFlight takes out of a channel what is in flight no more.
func (m *Model) keepInFlight(t *State, from, to int) {
	queue := &t.Channels[from][to]
	n := 0
	for _, code := range queue {
		if code != 0 && m.carries(t, m.delivery(from, to, code)) {
			queue[n] = code
			n++
		}
	}
	clear(queue[n:])
}

// loseInbox loses what is on its way to replica i.
func (m *Model) loseInbox(t *State, i int) {
	for from := range m.cfg.Replicas {
		m.loseChannel(t, from, i)
	}
}

func (m *Model) loseChannel(t *State, from, to int) {
	for _, code := range t.Channels[from][to] {
		if code != 0 {
			m.remove(t, m.delivery(from, to, code))
		}
	}
}

// eachConnection calls try with every pair of replicas, the lower first.
func (m *Model) eachConnection(try func(i, j int)) {
	for j := range m.cfg.Replicas {
		for i := range j {
			try(i, j)
		}
	}
}

// reset: the connection of two replicas breaks.
func (m *Model) reset(t *State, i, j int) Outcome {
	if int(t.Resets) >= m.cfg.Resets || t.Channels[i][j][0] == 0 && t.Channels[j][i][0] == 0 {
		return NotEnabled
	}
	m.loseChannel(t, i, j)
	m.loseChannel(t, j, i)
	t.Resets++
	return changed
}

// crowded reports whether some channel has no room for what one step sends at most: the
// frames of all ops and the end of their stream.
func (m *Model) crowded(s *State) bool {
	for i := range m.cfg.Replicas {
		for j := range m.cfg.Replicas {
			if at := m.cfg.Channel - (m.cfg.Ops + 1); at <= 0 || s.Channels[i][j][at] != 0 {
				return true
			}
		}
	}
	return false
}

// Waits reports whether some step that is possible otherwise waits in s for room in a
// channel.
func (m *Model) Waits(s *State) bool {
	if m.cfg.Network != NetworkFIFO || s.Failed != AssertNone || !m.crowded(s) {
		return false
	}
	found := false
	u := *s
	m.each(s, func(a uint32) {
		if found {
			return
		}
		switch out := m.take(&u, a); {
		case out&^changed == RefusedFull:
			found = true
		case out&changed != 0:
			u = *s
		}
	})
	return found
}
