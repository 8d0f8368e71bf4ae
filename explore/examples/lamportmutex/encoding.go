package lamportmutex

import "vsrcheck/explore"

// Words implements [explore.System].
func (System) Words() int { return 3 }

// Encode implements [explore.System].
func (System) Encode(s *State, dst []uint64) {
	var net [2]uint64
	w, k := uint64(s.Crit), 0
	for p := range N {
		w = w<<3 | uint64(s.Clock[p])
		w = w<<3 | uint64(s.Ack[p])
		for q := range N {
			w = w<<3 | uint64(s.Request[p][q])
			if p != q {
				net[k/3] = net[k/3]<<16 | uint64(s.Network[p][q])
				k++
			}
		}
	}
	dst[0], dst[1], dst[2] = w, net[0], net[1]
}

// Decode implements [explore.System].
func (System) Decode(src []uint64, s *State) {
	w, net, k := src[0], [2]uint64{src[1], src[2]}, 5
	for p := N - 1; p >= 0; p-- {
		for q := N - 1; q >= 0; q-- {
			s.Request[p][q] = uint8(w & 7)
			w >>= 3
			if p != q {
				s.Network[p][q] = Queue(net[k/3])
				net[k/3] >>= 16
				k--
			}
		}
		s.Ack[p], s.Clock[p] = uint8(w&7), uint8(w>>3&7)
		w >>= 6
	}
	s.Crit = uint8(w)
}

// Kinds implements [explore.System].
func (System) Kinds() []string {
	return []string{"Request", "Enter", "Exit", "ReceiveRequest", "ReceiveAck", "ReceiveRelease"}
}

// Kind implements [explore.System].
func (System) Kind(a explore.Action) int { return int(a) }

// Fair implements [explore.System]. The specification has no fairness.
func (System) Fair(explore.Action) bool { return false }
