package job

import (
	"slices"
	"strings"

	"vsrcheck/explore"
	"vsrcheck/invariants"
	"vsrcheck/model"
	"vsrcheck/results"
)

// A property may hold because nothing happens that it is about: its companion, a state that
// has to be reachable, is never met. Then it says nothing, and the run says that of it. The
// others count. Only where none of those that were asked for says anything is there no
// verdict.

// exhausted reports whether every state within the bounds was visited, so that what was not
// met is not there.
func (o *Outcome) exhausted() bool {
	return o.Verdict == explore.Holds || o.Depth > 0 && o.Covered+1 >= o.Depth
}

// Silent are the properties of a run that say nothing, with what they lack, in the order in
// which they are checked. It is empty when the search did not come to its end, as then
// nobody knows, and it lacks those that are violated.
func (o *Outcome) Silent() (out []results.Vacuity) {
	if o.Bound == nil || !o.exhausted() {
		return nil
	}
	for _, l := range o.Bound.Listed {
		p, ok := invariants.Named(l.Name)
		if !ok || p.Companion == "" || !o.Bound.has(p.Companion) {
			continue
		}
		_, met := o.ReachableMet[p.Companion]
		violated := slices.ContainsFunc(o.Violations, func(v explore.Violation[model.State]) bool { return v.Property == p.Name })
		if met || violated {
			continue
		}
		companion, _ := invariants.Named(p.Companion)
		out = append(out, results.Vacuity{Property: p.Name, Companion: p.Companion, Why: companion.Absent})
	}
	return out
}

// saysNothing reports whether none of the properties that were asked for says anything. One
// that is checked unasked does not make up for that.
func (o *Outcome) saysNothing() bool {
	if o.Bound == nil || len(o.Bound.asked) == 0 || o.CheckDeadlock {
		return false
	}
	empty := o.Silent()
	return !slices.ContainsFunc(o.Bound.asked, func(p invariants.Property) bool {
		return !slices.ContainsFunc(empty, func(v results.Vacuity) bool { return v.Property == p.Name })
	})
}

// VacuityText says which properties say nothing, and why; "" when all say something.
func VacuityText(all []results.Vacuity) string {
	var whys []string
	by := map[string][]string{}
	for _, v := range all {
		if by[v.Why] == nil {
			whys = append(whys, v.Why)
		}
		by[v.Why] = append(by[v.Why], v.Property)
	}
	var parts []string
	for _, why := range whys {
		says := " says nothing: "
		if len(by[why]) > 1 {
			says = " say nothing: "
		}
		parts = append(parts, strings.Join(by[why], ", ")+says+why)
	}
	return strings.Join(parts, "; ")
}
