package specs

import (
	"fmt"
	"slices"
	"strings"

	"vsrcheck/invariants"
)

// constraintKinds are the kinds of what may stand in CONSTRAINT. Beside the constraints
// these are the invariants, as in TLC: a search may stop where one is broken, to see what else
// is wrong. What is there to be reached, Reachable, is false where a search begins, and
// nothing would be searched.
var constraintKinds = []invariants.Kind{invariants.Constraint, invariants.State}

// reachableIn is the error about a name that says that a state is reachable, in a place
// for names of other kinds.
func reachableIn(name, place string, wanted []invariants.Kind) error {
	if slices.Contains(wanted, invariants.Constraint) {
		names := namesOf(invariants.Constraint)
		return fmt.Errorf("got %s in %s, but it says that a state is reachable: it is false where a search begins, and nothing would be searched; want one of %s, or an invariant",
			name, place, strings.Join(names, ", "))
	}
	var users []string
	for _, p := range invariants.Catalogue() {
		if p.Companion == name {
			users = append(users, p.Name)
		}
	}
	if len(users) == 0 {
		return fmt.Errorf("got %s in %s, but it says that a state is reachable, and no run asks that by itself; leave it out", name, place)
	}
	return fmt.Errorf("got %s in %s, but it says that a state is reachable; leave it out: %s brings it along", name, place, strings.Join(users, " or "))
}

// namesOf lists the properties of a kind.
func namesOf(kind invariants.Kind) (names []string) {
	for _, p := range invariants.Catalogue() {
		if p.Kind == kind {
			names = append(names, p.Name)
		}
	}
	return names
}
