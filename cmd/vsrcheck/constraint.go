package main

import (
	"fmt"
	"strings"

	"vsrcheck/explore"
	"vsrcheck/invariants"
	"vsrcheck/results"
)

// What the commands say of a run that a constraint bounds, and of one that decides nothing:
// because no state was visited, or because nothing was asked.

// within names the constraints of a job, as its verdict does.
func (j *job) within() string { return results.Within(j.Constraints) }

// subject is what a verdict is about: the specification, what was overridden, and what
// bounds the search.
func (j *job) subject() string { return j.Name + overriddenText(j.override) + j.within() }

// startsOutside reports whether the constraint cuts off the initial state, so that a search
// would visit none.
func (j *job) startsOutside() bool { return j.bound.outside(&j.start()[0].State) }

// startsOutside is that of the job which both would run.
func (r *crossRun) startsOutside() (bool, error) {
	j, err := newJob(r.override, false, r.reduce)
	return err == nil && j.startsOutside(), err
}

// echoConstraints says beforehand what bounds a run.
func (j *job) echoConstraints(p *page) {
	label := "constraint"
	for _, name := range j.Constraints {
		p.item(label, name+": "+constraintText(name))
		label = ""
	}
}

// explainConstraints says what bounds the runs of a specification.
func explainConstraints(p *page, names []string) {
	for i, name := range names {
		label := ""
		if i == 0 {
			label = "constraint"
		}
		p.item(label, name+": "+constraintText(name))
	}
	if len(names) > 0 {
		p.item("", "a state outside is checked, and a search does not go on from there: what holds, holds within")
	}
}

// constraintText says of a constraint what it keeps to.
func constraintText(name string) string {
	p, _ := invariants.Named(name)
	if p.Kind != invariants.Constraint {
		return "an invariant, " + p.Summary + "; a state that breaks it is not expanded"
	}
	return p.Summary
}

// cutOff prints what the constraints of a run cut off, each by itself.
func (o *outcome) cutOff(p *page, unit, sum string) {
	if len(o.Constraints) == 0 {
		return
	}
	if o.Outside == 0 || len(o.Constraints) == 1 {
		p.item("constraint", strings.Join(o.Constraints, " and ")+": "+sum)
		return
	}
	p.item("constraint", sum)
	for i, c := range o.constraintRecords() {
		text := fmt.Sprintf("%s: false in %s of the %s", c.Name, results.Count(o.OutsideOf[i]), unit)
		if c.Outside == 0 {
			text = c.Name + ": cut nothing off"
		}
		p.item("", text)
	}
}

// constraintRecords are the constraints for the record of a run.
func (o *outcome) constraintRecords() (out []results.Constraint) {
	for i, name := range o.Constraints {
		c := results.Constraint{Name: name}
		if i < len(o.OutsideOf) {
			c.Outside = o.OutsideOf[i]
		}
		out = append(out, c)
	}
	return out
}

// vacuous reports whether there is no verdict as no property that was asked for says anything.
func (o *outcome) vacuous() bool { return o.code == exitAssumption && o.saysNothing() }

// stopUnasked is the reason that ends a run of which nothing was asked.
const stopUnasked explore.Stop = "unasked"

// asksNothing reports whether a specification names nothing that could be violated. What every
// run checks by itself nobody has asked.
func (j *job) asksNothing() bool {
	return len(j.Invariants)+len(j.Properties) == 0 && !j.CheckDeadlock && !j.counting
}

// askedNothing takes the verdict from a run that holds because nothing was asked.
func (o *outcome) askedNothing() {
	switch {
	case !o.asksNothing():
		return
	case o.Stop == explore.StopWalks:
		o.reason += ", of which nothing was asked"
		o.code = exitAssumption
		return
	case o.Verdict != explore.Holds:
		return
	}
	o.Verdict, o.Stop, o.code = explore.Inconclusive, stopUnasked, exitAssumption
	o.Reason = "nothing was asked, so nothing is decided: no property, and no CHECK_DEADLOCK; the space is exhausted (" + results.Count(o.Distinct) + " distinct states"
	if len(o.Constraints) > 0 {
		o.Reason += "; " + results.CutOff(o.Outside)
	}
	o.Reason += "), and only " + noAssertion + ", which every run checks, was looked at: it is violated in none of them"
	o.reason = o.Reason
}
