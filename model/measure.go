package model

// The measure that shows the state graph to be without cycles. Nearly every step
// adds: a fault uses its budget, a view change raises a view, a delivery raises a
// commit number, a head or the number of bodies held, a send adds a message. The
// components are ordered so that a step raises the first component that it changes.
// The exceptions are those rules and steps that can undo each other; the checker
// notices them, as it compares the measure over every step.

// MeasureWords is the length of the measure.
func (m *Model) MeasureWords() int { return 3 }

// Measure writes the measure of s to dst: faults, views and status first, then what
// the replicas know, then what is in flight.
func (m *Model) Measure(s *State, dst []uint64) {
	var views, logViews, settled, changing, commits, applied, heads, bodies, acks, sessions uint64
	for i := range m.cfg.Replicas {
		r := &s.Replica[i]
		if r.Status == Stopped {
			continue
		}
		views += uint64(r.View)
		logViews += uint64(r.LogView)
		// In one view a replica recovers, is Normal, sees a newer view and probes.
		observed := r.Observed
		if observed <= r.View {
			observed = 0 // as after normalisation
		}
		switch {
		case r.Status == Normal && observed == 0:
			settled++
		case r.Status == Normal:
			settled += 2
		case r.Status == Recovering && observed != 0:
			settled += 3
		}
		changing += uint64(r.Votes.Len()) + 8*uint64(r.VoteSent) + 16*uint64(r.Parked)
		if r.VoteSent == 1 {
			changing += 8 // the votes are cleared with it
		}
		commits += uint64(r.CommitMax)
		applied += uint64(r.CommitMin)
		heads += uint64(r.Op)
		for op := range m.cfg.Ops {
			if r.Journal[op] != none {
				bodies++
			}
			// A pipeline entry goes with the commit of its op.
			acks += uint64(r.Acks[op].Len())
		}
		// A session ends when all it asked for is applied, and the next one asks for
		// more: over, none, live.
		switch {
		case r.SessionTo == 0:
			sessions++
		case r.SessionTo > r.CommitMin:
			sessions += 2
		}
		settled += 4 * uint64(observed)
	}
	for v := 1; v < m.cfg.views(); v++ {
		for i := range m.cfg.Replicas {
			if s.Net.DoViewChange[v][i].Where == voteCounted {
				changing += 2
			}
		}
	}
	faults := uint64(s.Crashes) + uint64(s.Stops) + uint64(s.Drops) + uint64(s.Duplicates) + uint64(s.Resets)
	failed := uint64(0)
	if s.Failed != AssertNone {
		failed = 1
	}
	dst[0] = failed<<60 | faults<<52 | views<<46 | logViews<<40 | settled<<32 | changing<<16 | commits<<8 | applied
	dst[1] = heads<<48 | bodies<<40 | acks<<32 | sessions<<16
	dst[2] = m.inFlight(s)
}
