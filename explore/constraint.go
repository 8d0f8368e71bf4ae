package explore

import "fmt"

// What a run may say of properties when a constraint keeps states from being expanded.
//
// A state outside the constraint is a state of the system all the same, and so is the step
// that leads there. What lies behind it was not looked at. Therefore:
//
//   - A violation is a violation, wherever it is found: an Invariant is evaluated in the
//     states outside too, initial ones among them, and an ActionProperty on the steps that
//     lead there.
//   - That an Invariant or an ActionProperty holds, or that there is no Deadlock, is said of
//     what was looked at. The verdict is Holds, as TLC's is, and Result.Outside is what it
//     does not reach beyond. A state outside is no deadlock: nobody asked for its steps.
//   - A Reachable that was met in a state outside is reachable. If it was not met and there is
//     a state outside, the run is Inconclusive.
//   - Recurrent and Temporal are about behaviours. One that leaves the constraint by a step
//     that is not fair (a fault, for example) is one of those that the constraint is there to
//     leave out: a bound on the faults, within which every fair behaviour was seen to its end.
//     One that a fair step takes outside, or that begins there, was cut off in its midst, and
//     unless the property is violated elsewhere the run is Inconclusive.
//   - Quiescent and Observed count states within. Outside nobody knows what is quiescent. A
//     state that a fair step takes outside is not quiescent.
//
// A run that has visited no state within the constraint decides nothing of all this, and is
// Inconclusive (StopEmpty), whatever it was asked; so is one of a system without an initial
// state.

// cutOff says what of the fair behaviours the constraint cut off, given the number of fair
// steps that lead outside, or "" when it cut off none.
func (s *search[S]) cutOff(fairSteps uint64) string {
	states := fmt.Sprintf("%d initial states are outside the constraint", s.initOut)
	if s.initOut == 1 {
		states = "1 initial state is outside the constraint"
	}
	steps := fmt.Sprintf("%d fair steps lead", fairSteps)
	if fairSteps == 1 {
		steps = "1 fair step leads"
	}
	const unknown = ", and what happens there is unknown"
	switch {
	case s.initOut > 0 && fairSteps > 0:
		return states + " and " + steps + " there" + unknown
	case s.initOut > 0:
		return states + unknown
	case fairSteps > 0:
		return steps + " to states outside the constraint" + unknown
	}
	return ""
}

// nothingVisited is the result of a search that ended before it began.
func (s *search[S]) nothingVisited(res *Result[S]) {
	res.Stop, res.Reason = StopEmpty, noBeginning(s.outside)
}

// noBeginning says why no state was visited, given the number of initial states.
func noBeginning(initial uint64) string {
	if initial == 0 {
		return "there is no initial state: nothing was searched"
	}
	return fmt.Sprintf("no initial state is within the constraint (%d outside): nothing was searched", initial)
}

// countOutside counts w.u, a new state outside the constraint.
func (w *worker[S]) countOutside() {
	w.outside++
	countParts(w.props.ConstraintParts, w.u, w.outsideOf)
}

// countParts counts a state outside for each part of the constraint that is false in it.
func countParts[S any](parts []Invariant[S], state *S, counts []uint64) {
	for i := range parts {
		if !parts[i].Holds(state) {
			counts[i]++
		}
	}
}

func (w *worker[S]) forgetOutside() {
	w.outside = 0
	clear(w.outsideOf)
}

// beginnings counts initial states, in the order in which Init offers them and as often.
type beginnings struct{ all, within uint64 }

// lookAtInit counts the initial states that walks may begin with. A panic is left to the
// walks, which know what to do with it.
func (s *simulation[S]) lookAtInit() (b beginnings) {
	defer func() {
		if recover() != nil {
			b = beginnings{1, 1}
		}
	}()
	s.sys.Init(func(state *S) {
		b.all++
		if s.props.Constraint == nil || s.props.Constraint(state) {
			b.within++
		}
	})
	return b
}
