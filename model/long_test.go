package model

import (
	"flag"
	"os"
	"runtime/debug"
	"testing"

	"vsrcheck/explore"
)

// TestMain has searches verify the contract of the model in fewer steps than a user's do:
// the tests make thousands of small searches of similar models, and would spend most of
// their time on that. TestContractIsKept verifies all.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // or they spend a third of their time on the memory of the search before
	explore.DefaultVerification = explore.Verification{First: 500, OneIn: 32}
	if Update() {
		_ = flag.Set("rewrite", "true") // of package datadriven, for the scenarios
	}
	os.Exit(m.Run())
}

// Update reports whether tests write anew the texts that they compare:
// VSRCHECK_UPDATE=1 go test ./model -run 'Describe|Scenarios'.
func Update() bool { return os.Getenv("VSRCHECK_UPDATE") != "" }

// Long reports whether tests that take minutes are to run in full, as in `.ci/run`:
// VSRCHECK_LONG=1 go test ./model.
func Long() bool { return os.Getenv("VSRCHECK_LONG") != "" }

// inFull is the first of two bounds, in a long run the second.
func inFull(short, full int) int {
	if Long() {
		return full
	}
	return short
}

// someOf are the rule sets that a short run takes: the first two, which the others differ
// from in one rule, and every fourth of those, beginning with another one for each n.
func someOf(sets []ruleSet, n int) (out []ruleSet) {
	for i, rs := range sets {
		if Long() || i < 2 || i%4 == n%4 {
			out = append(out, rs)
		}
	}
	return out
}
