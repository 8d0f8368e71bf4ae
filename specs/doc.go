// Package specs reads and holds the named checks: one .cfg file each, in the
// configuration syntax of TLC, the model checker of TLA+, so that one file drives both.
// The module that TLC runs with them is VSR.tla, see below.
//
// A file fixes everything that decides a verdict: the sizes and fault budgets,
// the alternative of every switchable rule and the properties. What a run may do
// without changing the verdict (workers, store, limits) is not in it.
//
// The files are in a folder for each family. The name of a file says which that is, and is enough
// to name it anywhere:
//
//   - wedge/ has the reported failure at several sizes and on several networks, each beside the
//     same without it: fetch-to-op-old-*, fetch-to-op-fixed-*, tiny-*; the other fixes that were
//     thought of, gap-check-* and arming-any-heals; and the run of the report, report-scenario*;
//   - findings/ has the other failures that the checker found, finding-*;
//   - zoo/ has one rule at a time at its unsound alternative, zoo-*, and beside it the sound one,
//     zoo-*-sound;
//   - as-shipped/ has the rules as the report and as the source have them, as-reported* and
//     as-shipped*;
//   - sound/ has every rule at a sound alternative, sound* and full*, and all but one at it,
//     sound-but-*.
//
// Reading one goes through four files:
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
// Everything that the grammar of TLC's ModelConfig has is read: no text is passed over but
// white space and comments. What TLC's own lexer cannot read ends the file for TLC, in
// silence; here it is an error.
//
// A file that says SYMMETRY, VIEW, ALIAS, POSTCONDITION, ACTION_CONSTRAINT, _POSSIBLE,
// _PERIODIC or _RL_REWARD, or that has a substitution (<-), a value for one module or the
// value of an operator among its CONSTANTS, is read and then refused, because a verdict
// about another system than the one asked for would be worse than none. The error says
// what there is instead. Such a section without a name in it says nothing, and is taken.
//
// CONSTRAINT takes the names of constraints and of invariants, and has TLC's meaning. A name
// that says that a state is reachable is refused: it is false where a search begins.
// Next to a liveness property only those of the kind constraint are taken, which order
// faults: a state whose fair steps are cut off looks as if nothing could happen any more.
// The checker verifies that none is.
//
// How other people's files fare is in results/cfg-corpus.md.
//
// # The module in TLA+
//
// VSR.tla is the model once more, in TLA+: the constants are those of the files, the
// actions have the names of the kinds of steps of package model and their granularity,
// and the eager sends and the normalisation of package model are written as definitions
// that follow every step. So TLC has to find the same number of distinct states and of
// generated ones, the same depth and the same verdict, for every file and every rule:
//
//	java -cp tla2tools.jar tlc2.TLC -workers 1 -config wedge/tiny-fetch-to-op-old.cfg VSR.tla
//
// It gives the numbers of check --reduce eager, and the numbers of the manifest and of
// results/ that are of such runs can be compared as they are. The definition Reduce is
// "eager"; a file for TLC alone that says Reduce = "none" among its CONSTANTS has the
// numbers of check --reduce none. So has crosscheck of a file that names VotesDecide, for
// which eager sends are not argued: it tells TLC so, as TLC cannot see the properties.
//
// With Reduce = "raw" there is no normalisation either: dead messages and dead variables
// stay, as with check --reduce raw, and a step is what its handler does. The normalisation
// is written in Go and in TLA+ from the same arguments, so a mistake in one of these would
// be in both, and equal numbers would not show it; raw runs rest on none of them. What
// handlers replace by themselves is the same in both, and model.Removed lists it.
//
// The module knows nothing of the reductions faults and prompt, and a run of TLC is never
// one of those. They are compared with raw and with unreduced runs in Go, on many random
// systems: by the verdict of every property, and by the reachable states of the replicas, of
// which a reduction may have fewer and no other (model/raw_test.go). TLC vouches for the raw
// and the unreduced system, and that comparison for the rest.
//
// The command crosscheck runs both and compares, with --states the sets of states too;
// results/runs/tlc has what it gave with TLC as of April 2026 (revision cc6b616). Fairness is
// written per action and message, as the checker has it, so TLC decides liveness for
// spaces of some thousand states only; crosscheck --properties safety leaves it out.
//
// Three things to know when the numbers are compared:
//
//   - One worker (-workers 1): with more, TLC's depth and its shortest traces are not
//     exact.
//   - A violation ends either search where it is found, so the counts of such a run
//     mean nothing; crosscheck compares the space without properties then.
//   - TLC generates a step once for each disjunct of an action that admits it. Guards
//     that may hold for two reasons at once are therefore conditions of an IF or a CASE.
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
