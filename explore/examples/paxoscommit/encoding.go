package paxoscommit

import "vsrcheck/explore"

// Words implements [explore.System]: one for each instance.
func (System) Words() int { return N }

// Encode implements [explore.System].
func (System) Encode(s *State, dst []uint64) {
	for r := range s.Ins {
		ins := &s.Ins[r]
		w := uint64(ins.RM) | bit(ins.Phase1a)<<2 | uint64(ins.Phase2a[0])<<3 | uint64(ins.Phase2a[1])<<5
		for i := range ins.Acc {
			a := &ins.Acc[i]
			w = w<<11 | uint64(a.MBal) | uint64(a.Voted)<<1 | uint64(a.Val)<<3 | uint64(a.Phase1b)<<5 |
				uint64(a.Phase2b[0])<<7 | uint64(a.Phase2b[1])<<9
		}
		dst[r] = w
	}
	dst[0] = dst[0]<<2 | bit(s.Commit)<<1 | bit(s.Abort)
}

// Decode implements [explore.System].
func (System) Decode(src []uint64, s *State) {
	s.Commit, s.Abort = src[0]&2 != 0, src[0]&1 != 0
	for r := range s.Ins {
		w := src[r]
		if r == 0 {
			w >>= 2
		}
		ins := &s.Ins[r]
		for i := Acceptors - 1; i >= 0; i-- {
			ins.Acc[i] = Acceptor{
				MBal: uint8(w & 1), Voted: uint8(w >> 1 & 3), Val: Value(w >> 3 & 3), Phase1b: uint8(w >> 5 & 3),
				Phase2b: [ballots]Value{Value(w >> 7 & 3), Value(w >> 9 & 3)},
			}
			w >>= 11
		}
		ins.RM, ins.Phase1a = Value(w&3), w>>2&1 != 0
		ins.Phase2a = [ballots]Value{Value(w >> 3 & 3), Value(w >> 5 & 3)}
	}
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// Kinds implements [explore.System].
func (System) Kinds() []string {
	return []string{"RMPrepare", "RMChooseToAbort", "RMRcvCommitMsg", "RMRcvAbortMsg", "Phase1a", "Phase2a", "Decide", "Phase1b", "Phase2b"}
}

// Kind implements [explore.System].
func (System) Kind(a explore.Action) int { return int(a) }

// Fair implements [explore.System]. The specification has no fairness.
func (System) Fair(explore.Action) bool { return false }

// Consistent says that no resource manager commits while another one aborts.
func (System) Consistent(s *State) bool {
	commits, aborts := false, false
	for r := range s.Ins {
		commits = commits || s.Ins[r].RM == Committed
		aborts = aborts || s.Ins[r].RM == Aborted
	}
	return !(commits && aborts)
}
