// Package explore is an explicit-state model checker for finite transition
// systems. It knows nothing of any particular model: see [System] for what a model
// provides, [Properties] for what can be checked, and the example of [Check] for a
// complete model.
//
// # Search
//
// A run is one breadth-first search, level by level. Level 0 is the initial
// states, and level d+1 is what is reachable from level d by one step and was not
// reached before. All workers expand the same level, and take chunks of it by
// advancing a common cursor. Apart from the cursor they share only the visited
// set. A level is always expanded completely before anything is decided.
//
// That makes the result a function of the model. Which worker meets a state first
// depends on timing, but the set of states in a level does not. Nor do the counts.
// Whenever there is a choice, for instance among several states of a level that
// violate the same invariant, the one with the smallest encoding is taken.
// Therefore the verdict, the counts and the traces are the same for every number
// of workers and in every run. The only exceptions are runs that are interrupted
// or reach the memory limit, which end in the middle of a level.
//
// Each property is checked at one place. Invariants, Reachable and the constraint
// are evaluated once on every new state; action properties on every step that
// changes the state; deadlock and quiescence when a state is expanded. An
// expansion only encodes the successors, into a batch; the batch is inserted as a
// whole so that the cache misses of its states overlap, and then the states that
// turned out to be new are decoded and inspected.
//
// # Stores
//
// The exact store (store_exact.go) keeps every state. States lie one after the
// other in large chunks and are known by their number, which is given in the order
// of insertion; a worker reserves numbers in blocks, so a level is a list of
// ranges. An index with open addressing finds a state by its hash. A slot is one
// word, with the number of the state and some bits of the hash. It is filled by
// compare-and-swap after the state has been written, and then never changes. If
// the bits match, the whole states are compared, so a poor hash costs time but
// never a state.
//
// The hash stores (store_hash.go) keep only fingerprints of 64 or 128 bits. Two
// states with the same fingerprint are taken for one, and what is reachable only
// through the second is missed. Result.CollisionProbability bounds the probability
// that this happened at all, by the number of pairs of states. The states
// themselves are kept for the current and the next level; older levels go to a
// file, from which traces are rebuilt.
//
// # Traces
//
// No parent is stored with a state. To find the way to a state at depth d
// (trace.go), level d-1 is expanded once more, and of all states that lead to it,
// the one with the smallest encoding is its predecessor; and so on up to level 0.
// This costs at most the time of the search, only when there is something to show,
// and saves a word per state in all runs. Since levels are breadth-first, each
// trace is as short as possible.
//
// # Liveness
//
// A [Recurrent] property is violated by a fair behaviour on which one of its bits
// stays set for ever. Fairness is weak, per action: no fair action may be enabled
// for ever, in the sense that it would change the state, without being taken. In a
// finite graph a behaviour ends in one of two ways.
//
// It may stay in one state for ever. That is fair exactly if the state is
// quiescent: no fair action changes it. So every quiescent state with a bit set is
// a violation, found during the search.
//
// Or it changes the state infinitely often. Then it goes round in cycles. If the
// graph has none, the quiescent states are the whole answer. A system can prove
// this by a measure ([Measured]) that every step increases: the checker verifies it
// on all steps that it generates, and so relies on no claim of the model
// (MethodQuiescent).
//
// Otherwise (components.go) let V be the states that the behaviour visits
// infinitely often. They are strongly connected, they have the bit set, and each
// fair action is disabled in one of them or taken between two of them. Now take the
// strongly connected component C around V in the graph restricted to the states
// with the bit set. C has all the states and steps of V, so it satisfies the same
// condition. Conversely, if a component with more than one state satisfies the
// condition, a behaviour that goes round in it, and visits all that the condition
// asks for, is a violation. Hence it suffices to test these components
// (MethodComponents). Whether an action is enabled is judged in the whole graph,
// also if it leads out of the component.
//
// Components of the restricted graph lie within components of the whole graph, so
// the whole graph is partitioned once, by Tarjan's algorithm without recursion,
// with four bytes per state; only components in which a bit is set in some states
// but not in all are partitioned again. Steps are not stored but generated again.
//
// When the constraint has cut states off, a violation found is a violation, but
// that none was found proves nothing of behaviours that leave the constraint, and
// the run is [Inconclusive].
//
// # Panics
//
// A panic in the model does not take the program down: it ends the search after
// the level, and is returned as a [*PanicError] with a trace to the state.
package explore
