// Package explore is an explicit-state model checker for finite transition
// systems. It knows nothing of any particular model.
//
// # Quick start
//
// A model is a type of states and a [System] over it: the initial states, the steps from a
// state, and the encoding, which package vsrcheck/explore/pack derives from a list of the
// fields. [Properties] are what can be checked, and [Check] checks it. Package
// vsrcheck/explore/show prints what was found, and lets you walk through the model by hand.
// The first example below is a whole model, and is run by the tests.
//
// The same model in a module of its own is in testdata/othermodule. The module path of this
// repository has no dot, so the go command will not look for it on the network, and has to
// be told where it is, once:
//
//	go mod init example.org/mine
//	go mod edit -replace vsrcheck=/path/to/this/repository
//	go mod tidy
//
// The first two lines make the go.mod, and the third one adds "require vsrcheck", once a Go
// file there imports "vsrcheck/explore". To give the module a public path instead, run in a
// clone
//
//	git ls-files -z '*.go' '*go.mod' | xargs -0 sed -Ei 's#"vsrcheck/#"example.org/vsrcheck/#g; s#^(module|require|replace) vsrcheck#\1 example.org/vsrcheck#'
//
// Besides the standard library the engine needs golang.org/x/sync and
// github.com/axiomhq/hyperloglog. What the rest of this repository needs, such as the browser
// of its tests, is not in the go.sum that go build or go mod tidy makes for who imports it:
// Go reads the requirements of a module only as far as its packages are used.
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
// The exact store keeps every state, compressed into a tree that shares its nodes with the
// trees of other states. It takes 10 to 14 bytes for a state, and its share of the nodes.
// When the memory limit is reached, the states go to disk, and whether a state is new is
// decided at the end of its level. The run ends as [Inconclusive] when the nodes, which
// cannot go to disk, leave too little room, or when liveness has to be decided by components,
// which would look states up on disk one by one.
//
// The hash stores keep only fingerprints of 64 or 128 bits. Two states with the same
// fingerprint are taken for one, and what is reachable only through the second is missed.
// Result.CollisionProbability bounds the probability that this happened at all.
//
// How they work is in the documentation of package explore/internal/store.
//
// # Checkpoints
//
// A checkpoint (checkpoint.go) is of a level border: the files of all levels, for the
// exact store its inner nodes, and a list of these with the figures of the run. One that is
// due in the middle of a level (part.go) has more: how many chunks of the level have been
// expanded, the states that were found in that, and its figures. The workers pause between two
// chunks, so that no chunk is half done, and which chunks they were does not matter: what comes
// of a level is a sum, a union or a least element over all of its states. Files
// are parts of volumes (disk.go of the store), which are only appended to, or emptied when no
// list has anything in them. The list is written last and renamed over the one before. A run that is killed, at whatever moment, leaves a
// list all of whose files are complete, and whatever is behind them in the volumes is
// ignored. Every file has a CRC-32C, the list a SHA-256, and all are verified before a
// run goes on; what does not match is refused by name. As the search is a function of
// the levels, a run that goes on gives what one that was left alone gives. A checkpoint
// costs the sorting and writing of the states that are new since the last one; in the middle of
// a level the exact store also writes the roots of that level, once. A run locks
// the directory, so that no other one writes there. It removes the checkpoint when it has
// decided everything; one that had no memory left to look for cycles keeps it.
//
// # Many processors
//
// Workers share the sets of the store, the cursor and, once per batch, counters of states and
// memory; the documentation of the store has what that costs. The last limit is the border of
// a level: all workers wait for the last chunk of 64 states, and then one merges what they
// have found. A level of fewer states than can keep the workers busy for 100 microseconds
// each is expanded by fewer of them, so models with very many small levels gain little from
// many processors.
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
// the whole graph is partitioned once (partition.go); only components in which a bit is
// set in some states but not in all are partitioned again. Steps are not stored but
// generated again, which is most of the time.
//
// One worker uses Tarjan's algorithm without recursion. A state has two marks of four
// bytes, one for each kind of partition. On top of these 8 bytes per state come the
// path of the search and the states whose component is not complete: in the worst
// case, one component of a single long path, another 28 bytes per state, and what is
// pending of the successors.
//
// Several workers use the algorithm of Bloem, Laarman and van de Pol, "Multi-core
// On-The-Fly SCC Decomposition", PPoPP 2016: each searches the whole graph depth first, in
// an order of its own, and passes over the components that any of them has completed; a
// union-find (forest.go) has what they know of the others. It was chosen because it
// generates the steps of a state about once, as Tarjan's does. To trim states without
// predecessors first, and to search forwards and backwards from the rest (Fleischer,
// Hendrickson and Pinar, "On Identifying Strongly Connected Components in Parallel", 2000),
// would generate them twice and more, or take memory for all predecessors. Unlike the
// published algorithm, a worker goes back along its own path before it looks at states
// that others have left open: it has their steps already. A state has three marks of four
// bytes. On top of these 12 bytes come 4 for each state of a component with a cycle and,
// for each worker, up to 20 for each state on its path, and what is pending. Where the
// memory limit leaves room for two marks only, one worker does it alone. At most 28
// workers take part. Which of them finds a component depends on timing, which components
// there are does not, and of several that violate a property the one is taken that comes
// first by depth and encoding. Large components are also looked at together, each worker
// taking a share of the states.
//
// A constraint that cuts off unfair steps only (faults, for example) bounds what may go
// wrong, and liveness within that bound is exact. When a fair step leads outside it, or an
// initial state is outside, a violation found is a violation, but that none was found proves
// nothing of behaviours that leave the constraint, and the run is [Inconclusive]. What each
// kind of property says under a constraint is in constraint.go. A run that visits no state
// at all decides nothing (StopEmpty).
//
// # Temporal properties and strong fairness
//
// A [Temporal] property is <>P, <>[]P, []<>P or P ~> Q, of all behaviours that satisfy a
// conjunction of weak and strong fairness conditions ([Fairness]), each on a set of
// actions. Recurrent stays the cheaper form where it is enough, as an acyclic graph needs no
// components for it; a run without Temporal properties pays nothing for them. The question is again (temporal.go) which sets V of
// states a fair behaviour can visit infinitely often, and nothing else. V is a single
// state in which the behaviour stutters, or strongly connected, and
//
//   - for WF_vars(A), some state of V does not enable <<A>>_vars, or a step inside V is an
//     <<A>>_vars step;
//   - for SF_vars(A), no state of V enables it, or such a step is inside V.
//
// A single state has no step inside, so a behaviour may stay in it for ever exactly if no
// fair action changes it. A property is violated by a V
//
//   - within ~P for []<>P;
//   - with a state of ~P in it for <>[]P;
//   - within ~P for <>P, reached from an initial state through ~P;
//   - within ~Q for P ~> Q, reached from a state with P through ~Q.
//
// The whole graph is partitioned into components once for all properties, and within each
// component, for each property, the states that the violation has to be within. If such a
// part C starves a weakly fair action, so does every V in it, and C is discarded. If it
// starves a strongly fair one, which some of its states enable and no step inside takes, V
// cannot have these states: they are removed, and what is left is partitioned again. In
// each round the states that are left have one strongly fair action less to heed, so there
// are at most as many rounds as such actions. If nothing is starved, C itself is a V. This
// is the emptiness test for Streett's acceptance condition of Emerson and Lei, "Modalities
// for Model Checking: Branching Time Logic Strikes Back", Science of Computer Programming
// 8, 1987, and Lichtenstein and Pnueli, "Checking That Finite State Concurrent Programs
// Satisfy Their Linear Specification", POPL 1985. See Manna and Pnueli, "Temporal
// Verification of Reactive Systems: Safety", 1995, chapter 5, which TLC follows too. TLC
// multiplies the state graph with a tableau of the property to get its behaviour graph,
// since it takes any temporal formula. For these four forms the tableau is
// what the list above says, and the state graph is enough.
//
// The counterexample (temporal_lasso.go) is a shortest way to the nearest state of all
// such C, or of <>[]P and []<>P to their shallowest state, and from there a cycle that goes
// from one requirement to the next by shortest ways. It is not always a shortest cycle, but
// heeds a strongly fair action only if one of its states enables it.
//
// Steps are generated again, not stored: once for the partition, once more for each part
// that is judged. The memory is that of Recurrent, the marks of each state and what the
// partition has under way, plus one number for each state of the parts that are
// kept for <>P and P ~> Q. The workers share in it as in the components for Recurrent; only
// counterexamples are made by one. For the same reasons as
// above it needs the exact store in memory, and a constraint that cuts off an initial state or
// a fair step, of any condition, leaves what is not violated [Inconclusive].
//
// # Panics
//
// A panic in the model does not take the program down: it ends the search after
// the level, and is returned as a [*PanicError] with a trace to the state.
//
// # Contract
//
// A verdict is about the states that Encode tells apart. An Encode that forgets a field
// makes states equal that are not: the search is smaller, misses what is behind them, and
// holds. A Next that changes *s, that depends on the order of a map or on what was in *t
// before, makes the result depend on chance. So a run verifies ([Verification]) in part of
// its states what [System], [Incremental] and [Measured] ask:
//
//   - Decode(Encode(t)) = t for every successor t as Next has left it, and for the initial
//     states;
//   - Encode and EncodeStep write the same words, and all of them, over whatever was there,
//     and Encode leaves the state alone;
//   - Decode overwrites all of *s;
//   - Next leaves *s alone, and yields the same steps in the same order when it is called
//     again with another *t; Init yields the same states again;
//   - Kind is an index into Kinds, and Kind, Fair, Measure and the constraint are functions.
//
// By default these are the states with the first 100,000 steps and one state in 1,024 after
// that, chosen by a hash of the encoding. A fault ends the run, after the level, with a
// [*ContractError] that names the state, the step, the word and the field; it is the same
// one for every number of workers, as long as the fault itself is no matter of chance. A
// fault that only few states show can be missed by the sample: [VerifyAll] misses none.
// An Encode that makes states equal on purpose, for symmetry, says so by [Canonical]: that is
// the place for it, and the example of [Canonical] shows how. Package
// vsrcheck/explore/pack derives Encode and Decode from a list of fields with their greatest
// values, and a value that does not fit is an error with the name of the field.
//
// # Warts
//
//   - The engine does not know whether a property tells states apart that a [Canonical]
//     encoding makes one. It would be evaluated in one of them only. Nothing verifies that.
//   - Under symmetry actions are those of the state that stands for the others. So a trace
//     may seem to change who is who between two steps, and fairness per action means less
//     than it says.
//   - A system that says nothing of its actions has one kind for all of them, so its coverage
//     does not show an action that is never possible.
//   - An action is a number of 32 bits. A system with more to say than that has to number it.
//   - Components, and with them liveness on graphs with cycles, need all states in memory.
//   - A state is as wide as the widest one. There are no states of different widths.
//   - A worker is a search with more fields: it embeds it, for the sake of the inner loop's
//     brevity, so that it is not seen at a glance which field belongs to whom.
//   - The order of the encodings decides which of several shortest traces is shown, so another
//     layout of the same model may show another one.
package explore
