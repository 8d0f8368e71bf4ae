package model

import (
	"fmt"
	"math/bits"
	"strings"
	"unsafe"
)

// The packed layout: which bits of an encoded state hold which byte of a State. A
// State consists of single bytes and of 64-bit sets only, so the layout is a table
// of (byte offset, width) pairs; encoding and decoding walk it. A test proves that
// no byte of a State that a configuration uses is missing from the table.

// field is one entry of the layout: up to eight bits.
type field struct {
	name   string
	offset uint16 // byte of the State
	width  uint8  // bits, 1..8
	word   uint8  // word of the encoding
	shift  uint8  // lowest bit in that word
}

const stateSize = int(unsafe.Sizeof(State{}))

// A State consists of whole groups of eight bytes, see EncodeStep.
const _ = -uint(unsafe.Sizeof(State{}) % 8)

// layout collects fields; a field never straddles two words.
type layout struct {
	fields []field
	base   unsafe.Pointer // the State that field pointers point into; a pointer, as the stack may move
	word   int
	shift  int
}

// values adds a byte that takes the values 0..largest.
func (l *layout) values(name string, p *uint8, largest int) {
	l.bits(name, uintptr(unsafe.Pointer(p))-uintptr(l.base), bits.Len(uint(largest)))
}

// set adds a bit set of so many positions.
func (l *layout) set(name string, p *uint64, positions int) {
	at := uintptr(unsafe.Pointer(p)) - uintptr(l.base)
	for i := 0; i*8 < positions; i++ {
		l.bits(fmt.Sprintf("%s[%d:]", name, i*8), at+uintptr(i), min(8, positions-i*8))
	}
}

func (l *layout) bits(name string, offset uintptr, width int) {
	if width == 0 {
		return // only one value is possible
	}
	if l.shift+width > 64 {
		l.word++
		l.shift = 0
	}
	l.fields = append(l.fields, field{name, uint16(offset), uint8(width), uint8(l.word), uint8(l.shift)})
	l.shift += width
}

// newLayout builds the table for a configuration under its rules.
func newLayout(m *Model) []field {
	c := &m.cfg
	s := new(State)
	l := &layout{base: unsafe.Pointer(s)}
	n, ops, views := c.Replicas, c.Ops, c.views()
	everyone := int(AllReplicas(n))
	log := func(name string, ids *[MaxOps]identity) {
		for op := range ops {
			l.values(fmt.Sprintf("%s[%d]", name, op+1), &ids[op], views)
		}
	}
	for i := range n {
		r := &s.Replica[i]
		p := fmt.Sprintf("replica[%d].", i)
		l.values(p+"status", (*uint8)(&r.Status), int(statuses)-1)
		l.values(p+"view", &r.View, c.ViewMax)
		l.values(p+"log_view", &r.LogView, c.ViewMax)
		l.values(p+"observed", &r.Observed, c.ViewMax)
		l.values(p+"op", &r.Op, ops)
		l.values(p+"commit_max", &r.CommitMax, ops)
		l.values(p+"commit_min", &r.CommitMin, ops)
		log(p+"journal", &r.Journal)
		if views > 1 {
			l.values(p+"headers_op", &r.HeadersOp, ops)
			log(p+"headers", &r.Headers)
		}
		if m.remembersAnnounced() {
			l.values(p+"announced_op", &r.AnnouncedOp, ops)
		}
		l.values(p+"session_to", &r.SessionTo, ops)
		l.values(p+"session_peer", &r.SessionPeer, n-1)
		for op := range ops {
			l.values(fmt.Sprintf("%sacks[%d]", p, op+1), (*uint8)(&r.Acks[op]), everyone)
		}
		if views > 1 {
			l.values(p+"votes", (*uint8)(&r.Votes), everyone)
			l.values(p+"vote_sent", &r.VoteSent, 1)
			l.values(p+"parked", &r.Parked, 1)
			l.values(p+"merged_op", &r.MergedOp, ops)
			l.values(p+"merged_commit", &r.MergedCommit, ops)
			log(p+"merged", &r.Merged)
		}
	}
	net := &s.Net
	m.messageFields(l, net)
	for v := 1; v < views; v++ {
		for i := range n {
			vote := &net.DoViewChange[v][i]
			p := fmt.Sprintf("do_view_change[%d][%d].", v, i)
			l.values(p+"where", &vote.Where, int(voteCounted))
			l.values(p+"log_view", &vote.LogView, c.ViewMax)
			l.values(p+"op", &vote.Op, ops)
			l.values(p+"commit", &vote.Commit, ops)
			for op := range ops {
				l.values(fmt.Sprintf("%sitems[%d]", p, op+1), &vote.Items[op], int(itemOf(uint8(views), true)))
			}
		}
		sv := &net.StartView[v]
		p := fmt.Sprintf("start_view[%d].", v)
		l.values(p+"to", (*uint8)(&sv.To), everyone)
		l.values(p+"op", &sv.Op, ops)
		l.values(p+"commit", &sv.Commit, ops)
		log(p+"log", &sv.Log)
	}
	m.channelFields(l, s)
	for v := range views {
		for op := range ops {
			// Not below op: a new primary may know of commits above its own head.
			l.values(fmt.Sprintf("stamp[%d][%d]", v, op+1), &s.Stamp[v][op], ops)
		}
	}
	l.values("crashes", &s.Crashes, c.Crashes)
	l.values("stops", &s.Stops, c.Stops)
	l.values("drops", &s.Drops, c.Drops)
	l.values("duplicates", &s.Duplicates, c.Duplicates)
	l.values("resets", &s.Resets, c.Resets)
	log("decided", &s.Decided)
	if m.tracksDecidedIn() {
		for op := range ops {
			l.values(fmt.Sprintf("decided_in[%d]", op+1), &s.DecidedIn[op], c.ViewMax)
		}
	}
	if views > 1 || m.raw {
		l.values("lost", (*uint8)(&s.Lost), everyone)
	}
	l.values("failed", (*uint8)(&s.Failed), int(assertions)-1)
	return l.fields
}

// channelFields adds the channels of network = fifo.
func (m *Model) channelFields(l *layout, s *State) {
	if m.cfg.Network != NetworkFIFO {
		return
	}
	for i := range m.cfg.Replicas {
		for j := range m.cfg.Replicas {
			if i == j && m.rules.SelfAck == SelfAckPrepared {
				continue
			}
			for k := range m.cfg.Channel {
				l.values(fmt.Sprintf("channel[%d][%d][%d]", i, j, k), &s.Channels[i][j][k], m.codes.last)
			}
		}
	}
}

// Words is the width of an encoded state in 64-bit words.
func (m *Model) Words() int { return int(m.layout[len(m.layout)-1].word) + 1 }

// Bits is the number of bits of an encoded state that carry information.
func (m *Model) Bits() int {
	n := 0
	for _, f := range m.layout {
		n += int(f.width)
	}
	return n
}

// Encode packs s into dst, which has Words() words.
func (m *Model) Encode(s *State, dst []uint64) {
	p := (*[stateSize]uint8)(unsafe.Pointer(s))
	var acc uint64
	word := uint8(0)
	for i := range m.layout {
		f := &m.layout[i]
		if f.word != word {
			dst[word] = acc
			acc, word = 0, f.word
		}
		v := uint64(p[f.offset])
		if v>>f.width != 0 {
			f.overflow(v)
		}
		acc |= v << (f.shift & 63)
	}
	dst[word] = acc
}

// overflow reports a value that the layout has no room for: a bug of the model.
func (f *field) overflow(v uint64) {
	panic(fmt.Sprintf("%s is %d, which does not fit into %d bits", f.name, v, f.width))
}

// EncodeStep packs t, a successor of s, into dst, given the encoding of s. It looks
// only at what differs.
func (m *Model) EncodeStep(s *State, encoded []uint64, t *State, dst []uint64) {
	copy(dst, encoded)
	p, q := (*[stateSize]uint8)(unsafe.Pointer(s)), (*[stateSize]uint8)(unsafe.Pointer(t))
	a, b := (*[stateSize / 8]uint64)(unsafe.Pointer(s)), (*[stateSize / 8]uint64)(unsafe.Pointer(t))
	for i := range m.groups {
		g := &m.groups[i]
		if a[g.eight] == b[g.eight] {
			continue
		}
		for k := range g.fields {
			f := &g.fields[k]
			v := uint64(q[f.offset])
			if v>>f.width != 0 {
				f.overflow(v)
			}
			dst[f.word] ^= (v ^ uint64(p[f.offset])) << (f.shift & 63)
		}
	}
}

// group is the fields that lie in the same eight bytes of a State, which are compared
// at once.
type group struct {
	eight  int // index of the eight bytes
	fields []field
}

// groupFields sorts a layout into groups.
func groupFields(layout []field) (groups []group) {
	var byEight [stateSize / 8][]field
	for _, f := range layout {
		byEight[f.offset/8] = append(byEight[f.offset/8], f)
	}
	for i, fields := range byEight {
		if fields != nil {
			groups = append(groups, group{i, fields})
		}
	}
	return groups
}

// Decode unpacks src into s, all of which it overwrites.
func (m *Model) Decode(src []uint64, s *State) {
	*s = State{}
	p := (*[stateSize]uint8)(unsafe.Pointer(s))
	for i := range m.layout {
		f := &m.layout[i]
		p[f.offset] = uint8(src[f.word]>>(f.shift&63)) & (1<<f.width - 1)
	}
}

// Layout is the packed layout as a table, one line per field.
func (m *Model) Layout() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d words, %d bits used\n", m.Words(), m.Bits())
	for _, f := range m.layout {
		fmt.Fprintf(&b, "word %2d  bits %2d..%2d  %s\n", f.word, f.shift, f.shift+f.width-1, f.name)
	}
	return b.String()
}
