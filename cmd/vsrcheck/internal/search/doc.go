// Package search looks for an answer by many checks: a matrix of rules (matrix.go), the
// smallest sets of rule changes that mend a specification (mend.go, with refuter.go for
// counterexamples that refute several sets), and the smallest sizes that are violated
// (minimise.go). runner.go runs the checks, and keeps those that are finished in a file.
//
// It prints nothing: who asks is told how far it is by functions of its [Runner].
package search
