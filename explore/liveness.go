package explore

import "fmt"

// decideLiveness decides the Recurrent properties that are still open when the
// search is complete: every reachable state has been expanded, and no quiescent
// one violates them.
func (s *search[S]) decideLiveness(res *Result[S]) error {
	if len(s.props.Recurrent) == 0 {
		return nil
	}
	switch {
	case s.measured != nil && !s.cyclic.Load():
		res.Liveness = MethodQuiescent
	case !s.recurrentOpen():
		// Every one is violated already.
	case s.reduced != nil:
		res.Stop = StopReduction
		res.Reason = "there may be cycles, and the system leaves out steps, which is sound for liveness without cycles only"
	default:
		if err := s.decideComponents(res); err != nil {
			return err
		}
	}
	// A constraint that cuts off unfair steps only is a bound on the faults: within it
	// every fair behaviour was seen to its end.
	if cut := s.cutOff(s.fairOut); cut != "" && s.recurrentOpen() && res.Stop == StopNone {
		res.Stop, res.Reason = StopConstraint, cut+": liveness was not decided"
	}
	return nil
}

// recurrentOpen reports whether a Recurrent property is not known to be violated.
func (s *search[S]) recurrentOpen() bool {
	for i := range s.props.Recurrent {
		if s.open[s.slots.recurrent+i] {
			return true
		}
	}
	return false
}

// decideReachable reports what a complete search never met.
func (s *search[S]) decideReachable(res *Result[S]) {
	if s.ended() {
		return
	}
	for i := range s.props.Reachable {
		slot := s.slots.reachable + i
		switch {
		case !s.open[slot] || s.props.Optional[s.props.Reachable[i].Name]:
		case s.outside == 0:
			s.witnesses = append(s.witnesses, witness{slot: slot, empty: true})
		case res.Stop == StopNone:
			res.Stop = StopConstraint
			res.Reason = fmt.Sprintf("%s was not met, but the constraint cut off the successors of %d states outside it", s.props.Reachable[i].Name, s.outside)
		}
	}
}
