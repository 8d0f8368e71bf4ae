// Package tell says on a terminal, or where one would be, what is, was and is being done: the
// page and its styles (page.go), what a check reports (report.go, with verdict.go, guards.go,
// constraint.go, advice.go), what walks and replays do (walks.go, replay.go), how a run is
// getting on (progress.go), the words that explain knows (explain.go, glossary.go), lists
// (list.go), lines that a person edits (lines.go), and outputs whose reader may go (output.go).
package tell
