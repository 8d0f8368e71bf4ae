package job

import (
	"vsrcheck/explore"
	"vsrcheck/results"
)

// What the commands say of a run that a constraint bounds, and of one that decides nothing:
// because no state was visited, or because nothing was asked.

// Within names the constraints of a job, as its verdict does.
func (j *Job) Within() string { return results.Within(j.Constraints) }

// Subject is what a verdict is about: the specification, what was overridden, and what
// bounds the search.
func (j *Job) Subject() string { return j.Name + OverriddenText(j.Override) + j.Within() }

// StartsOutside reports whether the constraint cuts off the initial state, so that a search
// would visit none.
func (j *Job) StartsOutside() bool { return j.Bound.Outside(&j.Start()[0].State) }

// ConstraintRecords are the constraints for the record of a run.
func (o *Outcome) ConstraintRecords() (out []results.Constraint) {
	for i, name := range o.Constraints {
		c := results.Constraint{Name: name}
		if i < len(o.OutsideOf) {
			c.Outside = o.OutsideOf[i]
		}
		out = append(out, c)
	}
	return out
}

// Vacuous reports whether there is no verdict as no property that was asked for says anything.
func (o *Outcome) Vacuous() bool { return o.End == EndNothing && o.saysNothing() }

// StopUnasked is the reason that ends a run of which nothing was asked.
const StopUnasked explore.Stop = "unasked"

// AsksNothing reports whether a specification names nothing that could be violated. What every
// run checks by itself nobody has asked.
func (j *Job) AsksNothing() bool {
	return len(j.Invariants)+len(j.Properties) == 0 && !j.CheckDeadlock && !j.Counting
}

// askedNothing takes the verdict from a run that holds because nothing was asked.
func (o *Outcome) askedNothing() {
	switch {
	case !o.AsksNothing():
		return
	case o.Stop == explore.StopWalks:
		o.Why += ", of which nothing was asked"
		o.End = EndNothing
		return
	case o.Verdict != explore.Holds:
		return
	}
	o.Verdict, o.Stop, o.End = explore.Inconclusive, StopUnasked, EndNothing
	o.Reason = "nothing was asked, so nothing is decided: no property, and no CHECK_DEADLOCK; the space is exhausted (" + results.Count(o.Distinct) + " distinct states"
	if len(o.Constraints) > 0 {
		o.Reason += "; " + results.CutOff(o.Outside)
	}
	o.Reason += "), and only " + NoAssertion + ", which every run checks, was looked at: it is violated in none of them"
	o.Why = o.Reason
}
