package job

import (
	"vsrcheck/explore"
	"vsrcheck/invariants"
)

// Deadlock is the property that a state without any step violates; it is no entry of
// the catalogue.
var Deadlock = invariants.Property{Name: "Deadlock", Kind: invariants.Kind(explore.KindDeadlock)}
