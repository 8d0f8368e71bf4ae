// Package invariants declares the properties of the model: name, summary, formula in
// words, what the formula does not rule out, and the function that decides it.
//
// Safety properties look at one state or one step. A liveness property is a set of
// obligations per state, one bit each: on every weakly fair behaviour each bit is
// clear again and again. As "P leads to not P" is the same as "not P again and
// again", that expresses every leads-to whose goal is that its premise is over. One with
// another goal says so by Until; it is a temporal formula, P ~> Q for each bit, and takes
// longer to check.
//
// Every property that a file may name has a Reachable companion, without which it says
// nothing: a liveness property holds while its premise never comes true, Durability while no
// view starts. A run says of each property whether it says anything.
//
// The liveness properties excuse a group without a primary. GroupRecovers does not, where no
// way without a fault leads to one: see recovery.go.
//
// The obligations hold for a stable primary: a Normal primary while a replication
// quorum of replicas is up and none of that quorum is past its view. A replica that
// is stuck on its way into the view counts as up, so that being stuck is a violation
// and no excuse.
//
// House rule: no property without a hand-built state or step that violates it, a
// switched rule (or, where that takes no rule, a size) under which the checker finds a
// violation, and the companion.
package invariants
