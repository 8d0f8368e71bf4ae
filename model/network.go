package model

import "math/bits"

// This file has the positions of messages in the bit sets of Network. A position
// is small and dense, so that the sets pack well; the layout takes the number of
// positions of each set from here.

// preparePos is the position of a prepare (or of its ack) with the given view
// stamp, op and identity. The identity's view is never above the stamp's.
func (m *Model) preparePos(view, op uint8, id identity) int {
	first := id - 1
	return (int(view)*(int(view)+1)/2+int(first))*m.cfg.Ops + int(op) - 1
}

// prepareAt is the inverse of preparePos.
func (m *Model) prepareAt(pos int) (view, op uint8, id identity) {
	op = uint8(pos%m.cfg.Ops) + 1
	pair := pos / m.cfg.Ops
	for pair > int(view) {
		pair -= int(view) + 1
		view++
	}
	return view, op, uint8(pair) + 1
}

// commitPos is the position of a heartbeat.
func (m *Model) commitPos(view, commit uint8) int {
	return int(view)*(m.cfg.Ops+1) + int(commit)
}

func (m *Model) commitAt(pos int) (view, commit uint8) {
	return uint8(pos / (m.cfg.Ops + 1)), uint8(pos % (m.cfg.Ops + 1))
}

// senderPos is the position of a message that carries a view only.
func (m *Model) senderPos(view uint8, sender int) int {
	return int(view)*m.cfg.Replicas + sender
}

func (m *Model) senderAt(pos int) (view uint8, sender int) {
	return uint8(pos / m.cfg.Replicas), pos % m.cfg.Replicas
}

// answerPos is the position of a StartView without suffix: commit <= op. A clamp
// keeps a commit number above the head (possible only in faulty rules) in range.
func answerPos(op, commit uint8) int {
	return int(op)*(int(op)+1)/2 + int(min(commit, op))
}

func answerAt(pos int) (op, commit uint8) {
	for pos > int(op) {
		pos -= int(op) + 1
		op++
	}
	return op, uint8(pos)
}

// rangePos is the position of a range of ops, 1 <= from <= to.
func rangePos(from, to uint8) int {
	return int(to)*(int(to)-1)/2 + int(from) - 1
}

func rangeAt(pos int) (from, to uint8) {
	to = 1
	for pos >= int(to) {
		pos -= int(to)
		to++
	}
	return uint8(pos) + 1, to
}

// repairPos is the position of a repair frame.
func (m *Model) repairPos(op uint8, id identity) int {
	return (int(op)-1)*m.cfg.views() + int(id) - 1
}

func (m *Model) repairAt(pos int) (op uint8, id identity) {
	return uint8(pos/m.cfg.views()) + 1, uint8(pos%m.cfg.views()) + 1
}

// add puts a position into a set.
func add(set *uint64, pos int) { *set |= 1 << pos }

// broadcast sends one message of replica i, at the same position of each receiver's
// set, to everybody else.
func (m *Model) broadcast(to *[MaxReplicas]uint64, i, pos int) Outcome {
	var out Outcome = RefusedNothingNew
	for j := range m.cfg.Replicas {
		if j != i && to[j]>>pos&1 == 0 {
			add(&to[j], pos)
			out = changed
		}
	}
	return out
}

// next takes the lowest position out of *set; it is called while *set != 0.
func next(set *uint64) int {
	pos := bits.TrailingZeros64(*set)
	*set &= *set - 1
	return pos
}
