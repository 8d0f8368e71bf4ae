package model

import (
	"fmt"
	"math/bits"
	"unsafe"
)

// This file finds the messages in a Network, as the table of the messages declares where
// they are. Searches do that in every state, so the addresses are computed once, as in
// layout.go.

// place says what a kind of message is in Network.
type place uint8

const (
	placeSet  place = iota // a position in a bit set
	placeFlag              // a byte that is 1
	placeVote              // a Vote in flight
	placeCopy              // a receiver's copy of an Announcement
)

// where is the place of a kind of message in Network: for each of the numbers in its
// action, by how many bytes one more of it is further on.
type where struct {
	place                  place
	base, self, peer, view uintptr
}

// inSet declares a kind by the bit set that it is in.
func inSet(at func(n *Network, self, peer int) *uint64) where {
	return placed(placeSet, func(n *Network, self, peer, _ int) unsafe.Pointer { return unsafe.Pointer(at(n, self, peer)) })
}

// asFlag declares a kind of which each replica is sent one or none.
func asFlag(at func(n *Network, self int) *uint8) where {
	return placed(placeFlag, func(n *Network, self, _, _ int) unsafe.Pointer { return unsafe.Pointer(at(n, self)) })
}

// asVote declares a kind with the content of a Vote, one for each view and sender.
func asVote(at func(n *Network, self, view int) *Vote) where {
	return placed(placeVote, func(n *Network, self, _, view int) unsafe.Pointer { return unsafe.Pointer(at(n, self, view)) })
}

// asCopy declares a kind with the content of an Announcement, one for each view.
func asCopy(at func(n *Network, view int) *Announcement) where {
	return placed(placeCopy, func(n *Network, _, _, view int) unsafe.Pointer { return unsafe.Pointer(at(n, view)) })
}

func placed(p place, at func(n *Network, self, peer, view int) unsafe.Pointer) where {
	n := new(Network)
	from := func(self, peer, view int) uintptr {
		return uintptr(at(n, self, peer, view)) - uintptr(unsafe.Pointer(n))
	}
	base := from(0, 0, 0)
	return where{p, base, from(1, 0, 0) - base, from(0, 1, 0) - base, from(0, 0, 1) - base}
}

// offset is where in Network the message is that the receiving action a delivers.
func (w *where) offset(a uint32) uintptr {
	return w.base + uintptr(selfOf(a))*w.self + uintptr(peerOf(a))*w.peer + uintptr(posOf(a))*w.view
}

// carries reports whether the message that the receiving action a delivers is in the
// network.
func (m *Model) carries(s *State, a uint32) bool {
	k := messageOf(a)
	p := unsafe.Add(unsafe.Pointer(&s.Net), k.offset(a))
	switch k.place {
	case placeSet:
		return *(*uint64)(p)>>posOf(a)&1 == 1
	case placeFlag:
		return *(*uint8)(p) == 1
	case placeVote:
		return (*Vote)(p).Where == voteInFlight
	case placeCopy:
		return (*Announcement)(p).To.Has(selfOf(a))
	}
	panic(k.place.unknown())
}

// remove takes the message out of the network that the receiving action a delivers. A
// vote that the delivery has counted stays.
func (m *Model) remove(t *State, a uint32) {
	k := messageOf(a)
	p := unsafe.Add(unsafe.Pointer(&t.Net), k.offset(a))
	switch k.place {
	case placeSet:
		*(*uint64)(p) &^= 1 << posOf(a)
	case placeFlag:
		*(*uint8)(p) = 0
	case placeVote:
		if vote := (*Vote)(p); vote.Where == voteInFlight {
			*vote = Vote{}
		}
	case placeCopy:
		(*Announcement)(p).To &^= 1 << selfOf(a)
	default:
		panic(k.place.unknown())
	}
}

func (p place) unknown() string { return fmt.Sprintf("model: no place %d in the network", p) }

// A mailbox is a place of the network in which a model may have messages.
type mailbox struct {
	of    *messageKind
	at    uintptr // in Network
	first uint32  // the action that delivers the message there, or the one at position 0
	place place
	self  uint8
	peer  uint8
}

// newMailboxes lists the mailboxes of a configuration in the order in which the messages of a state
// are listed: for each replica the sets and flags of each kind, and then view by view what
// concludes a view change.
func newMailboxes(c *Config) (mailboxes []mailbox) {
	add := func(k *messageKind, self, peer, pos int) {
		a := act(k.delivery, self, peer, pos)
		mailboxes = append(mailboxes, mailbox{k, k.offset(a), a, k.place, uint8(self), uint8(peer)})
	}
	for i := range c.Replicas {
		for n := range messageTable {
			k := &messageTable[n]
			if k.place != placeSet && k.place != placeFlag || k.ofChange && c.views() == 1 {
				continue
			}
			for peer := range k.peers(c) {
				add(k, i, peer, 0)
			}
		}
		for v := 1; v < c.views(); v++ {
			for n := range messageTable {
				if k := &messageTable[n]; k.place == placeVote || k.place == placeCopy {
					add(k, i, 0, v)
				}
			}
		}
	}
	return mailboxes
}

// peers is how many values the second replica of a kind's action has.
func (k *messageKind) peers(c *Config) int {
	switch k.peer {
	case partTo:
		return 1
	case partFrom:
		return c.Replicas
	case partView:
		return c.views()
	}
	panic("model: " + k.name + " has no such peer")
}

// eachMessage calls try with the action that delivers each message of the network, also
// one that has to wait for those before it in its channel.
func (m *Model) eachMessage(s *State, try func(a uint32)) {
	for i := range m.mailboxes {
		l := &m.mailboxes[i]
		p := unsafe.Add(unsafe.Pointer(&s.Net), l.at)
		switch l.place {
		case placeSet:
			for set := *(*uint64)(p); set != 0; {
				try(l.first + uint32(next(&set)))
			}
		case placeFlag:
			if *(*uint8)(p) != 0 {
				try(l.first)
			}
		case placeVote:
			if (*Vote)(p).Where == voteInFlight {
				try(l.first)
			}
		case placeCopy:
			if (*Announcement)(p).To.Has(int(l.self)) {
				try(l.first)
			}
		default:
			panic(l.place.unknown())
		}
	}
}

// plainBoxes are the mailboxes that are sets or flags, where nothing but their addresses and
// weights is of interest.
type plainBoxes struct{ sets, flags []plainBox }

type plainBox struct {
	at     uint16 // in Network
	weight uint16
}

func newPlainBoxes(mailboxes []mailbox) (b plainBoxes) {
	for _, l := range mailboxes {
		box := plainBox{uint16(l.at), uint16(l.of.weight)}
		switch l.place {
		case placeSet:
			b.sets = append(b.sets, box)
		case placeFlag:
			b.flags = append(b.flags, box)
		}
	}
	return b
}

// emptyInbox removes the messages to replica i but the votes. Every step after a stop does
// that, so the fields are named here; TestMessages wants each kind to be among them.
func (m *Model) emptyInbox(t *State, i int) {
	net := &t.Net
	net.Prepare[i], net.Commit[i], net.Probe[i], net.StartViewChange[i] = 0, 0, 0, 0
	net.RepairPrepare[i], net.RepairDone[i] = 0, 0
	net.Answer[i] = [MaxViews]uint64{}
	net.RequestPrepares[i] = [MaxReplicas]uint64{}
	for v := range t.Net.StartView {
		t.Net.StartView[v].To &^= 1 << i
	}
}

// inFlight is the weight of the messages in the network. A request that is served in
// full goes with the frames that it brought about, so those weigh more; and so does a
// heartbeat with a commit number than one that stands for others without. A vote that was
// counted weighs as much as one in flight.
func (m *Model) inFlight(s *State) uint64 {
	n := 0
	net := unsafe.Pointer(&s.Net)
	for _, b := range m.plain.sets {
		n += int(b.weight) * bits.OnesCount64(*(*uint64)(unsafe.Add(net, b.at)))
	}
	for _, b := range m.plain.flags {
		n += int(b.weight) * int(*(*uint8)(unsafe.Add(net, b.at)))
	}
	for i := range m.cfg.Replicas {
		for set := s.Net.Commit[i]; set != 0; {
			_, commit := m.commitAt(next(&set))
			n += int(commit)
		}
		for v := 1; v < m.cfg.views(); v++ {
			n += s.Net.StartView[v].To.Len()
			if s.Net.DoViewChange[v][i].Where != voteNone {
				n++
			}
		}
	}
	return uint64(n)
}

// messageFields adds what the network has in sets and flags to the layout.
func (m *Model) messageFields(l *layout, net *Network) {
	for _, in := range m.mailboxes {
		p := unsafe.Add(unsafe.Pointer(net), in.at)
		name := fmt.Sprintf("%s[%d]", in.of.set, in.self)
		if in.of.peer != partTo {
			name += fmt.Sprintf("[%d]", in.peer)
		}
		switch in.place {
		case placeSet:
			l.set(name, (*uint64)(p), in.of.positions(&m.cfg))
		case placeFlag:
			l.values(name, (*uint8)(p), 1)
		case placeVote, placeCopy: // by view, see newLayout
		default:
			panic(in.place.unknown())
		}
	}
}
