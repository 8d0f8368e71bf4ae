// Package specs reads and holds the named checks: one .cfg file each, in the
// configuration syntax of TLC, the model checker of TLA+, so that one file can drive
// both. The module in TLA+ that TLC needs for it, VSR.tla, is not written yet.
//
// A file fixes everything that decides a verdict: the sizes and fault budgets,
// the alternative of every switchable rule and the properties. What a run may do
// without changing the verdict (workers, store, limits) is not in it.
//
// The package has four layers, each usable without the next:
//
//   - lexer.go turns text into tokens with positions;
//   - parser.go turns tokens into a syntax tree, knowing TLC's grammar and nothing
//     of Viewstamped Replication;
//   - bind.go turns the tree into a [Spec], knowing which constants, rules and
//     properties exist;
//   - write.go prints a Spec again, in one canonical form.
//
// # What is refused
//
// TLC has keywords that this checker does not honour: SYMMETRY, VIEW, ALIAS,
// POSTCONDITION, ACTION_CONSTRAINT and substitutions (<-). A file that uses one is
// refused, because a verdict about another system than the one asked for would be
// worse than none. CONSTRAINT takes the name of any state predicate of the
// catalogue and has TLC's meaning. Next to a liveness property only those of the kind
// constraint are taken, which order faults: a state whose fair steps are cut off looks as
// if nothing could happen any more. The checker verifies that none is.
//
// # Fairness
//
// A liveness property needs fairness, and in TLA+ fairness is a part of the
// specification. So a file with a liveness property says SPECIFICATION FairSpec and
// any other says SPECIFICATION Spec (or INIT Init and NEXT Next).
//
// # Errors
//
// Every error has the file's name, the line and the column, and wraps one of
// [ErrSyntax] (the text is no configuration file), [ErrMeaning] (it is one, but
// names something that does not exist or contradicts itself) and
// [vsrcheck/model.ErrConfig] (the sizes do not fit).
package specs
