package tell

import (
	"fmt"
	"strings"

	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/invariants"
	"vsrcheck/results"
)

// echoConstraints says beforehand what bounds a run.
func (p *Page) echoConstraints(j *job.Job) {
	label := "constraint"
	for _, name := range j.Constraints {
		p.Item(label, name+": "+constraintText(name))
		label = ""
	}
}

// explainConstraints says what bounds the runs of a specification.
func explainConstraints(p *Page, names []string) {
	for i, name := range names {
		label := ""
		if i == 0 {
			label = "constraint"
		}
		p.Item(label, name+": "+constraintText(name))
	}
	if len(names) > 0 {
		p.Item("", "a state outside is checked, and a search does not go on from there: what holds, holds within")
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
func (p *Page) cutOff(o *job.Outcome, unit, sum string) {
	if len(o.Constraints) == 0 {
		return
	}
	if o.Outside == 0 || len(o.Constraints) == 1 {
		p.Item("constraint", strings.Join(o.Constraints, " and ")+": "+sum)
		return
	}
	p.Item("constraint", sum)
	for i, c := range o.ConstraintRecords() {
		text := fmt.Sprintf("%s: false in %s of the %s", c.Name, results.Count(o.OutsideOf[i]), unit)
		if c.Outside == 0 {
			text = c.Name + ": cut nothing off"
		}
		p.Item("", text)
	}
}
