// Package behaviour has what can be done with one behaviour of a model, which is a list of
// states and the steps between them: tell a step (step.go) and all of it as a trace
// (trace.go), turn its states into values (variables.go), draw it as a space-time diagram
// (spacetime.go), and take it again, under its own rules or others (replay.go, replaysteps.go,
// recorded.go). graph.go has all behaviours of a small model in one graph.
package behaviour
