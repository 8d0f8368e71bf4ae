package results

import (
	"strings"
)

// Constraint is a predicate that bounded a run (TLC's CONSTRAINT), with what it cut off. In a
// simulation the counts are of steps that walks did not take, as they lead outside; in a
// search, of distinct states.
type Constraint struct {
	Name string `json:"name"`
	// Outside counts the states outside the run's constraints in which this one is false:
	// they were checked, and not expanded. 0: this one cut nothing off. A state may count for
	// several constraints.
	Outside uint64 `json:"outside"`
}

// Within names constraints as a verdict does: " within CONSTRAINT A and B", or "" when
// there are none.
func Within(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return " within CONSTRAINT " + strings.Join(names, " and ")
}

// CutOff says what the constraints of a search cut off, given the states outside.
func CutOff(outside uint64) string {
	switch outside {
	case 0:
		return "the constraint cut nothing off"
	case 1:
		return "1 state outside was not expanded"
	}
	return Count(outside) + " states outside were not expanded"
}

// StepsOutside is CutOff for walks, given the steps that they did not take.
func StepsOutside(steps uint64) string {
	switch steps {
	case 0:
		return "no walk came by a step that leads outside"
	case 1:
		return "1 step that leads outside was not taken"
	}
	return Count(steps) + " steps that lead outside were not taken"
}

// Within names the constraints of the run, as a verdict does.
func (r *Record) Within() string { return Within(ConstraintNames(r.Constraints)) }

// ConstraintNames are their names, in order.
func ConstraintNames(all []Constraint) (names []string) {
	for _, c := range all {
		names = append(names, c.Name)
	}
	return names
}

// validateConstraints says whether the constraints of a record agree with the states outside.
func (r *Record) validateConstraints() error {
	var sum, most uint64
	for _, c := range r.Constraints {
		if c.Name == "" {
			return BadRecord("a constraint has no name")
		}
		sum, most = sum+c.Outside, max(most, c.Outside)
	}
	if r.Outside < most || r.Outside > sum {
		return BadRecord("outside is %d, but the constraints have %d together, and one of them %d", r.Outside, sum, most)
	}
	return nil
}
