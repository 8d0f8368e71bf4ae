package main

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/explore"
	"vsrcheck/invariants"
	"vsrcheck/model"
	"vsrcheck/results"
)

// TestAdvice: a search that was cut says what to do next, whatever cut it, alone and beside a
// violation.
func TestAdvice(t *testing.T) {
	for stop, want := range map[explore.Stop]string{
		explore.StopStates: "raise --max-states", explore.StopDepth: "raise --max-depth", explore.StopMemory: "raise --memory-limit", explore.StopDisk: "make room",
		explore.StopInterrupted: "raise --timeout", explore.StopEmpty: "name a CONSTRAINT", explore.StopConstraint: "leave out the CONSTRAINT",
		explore.StopReduction: "take --reduce none", explore.StopStore: "raise --memory-limit",
	} {
		o, _ := newCheckOptions()
		out := job.Outcome{Job: &job.Job{Bound: &job.Bound{Listed: []results.Property{{Name: "BackupsCatchUp", Kind: string(invariants.Liveness)}}}},
			Result: &explore.Result[model.State]{Stop: stop, Reason: "there is a reason"}, Why: "there is a reason"}
		got := cutText(&out, adviceOn(&o.Limits, stop, true))
		if !strings.HasPrefix(got, "the search was cut (there is a reason) before BackupsCatchUp was decided; next: "+want) {
			t.Errorf("%s: got %q, want %s", stop, got, want)
		}
	}
	o, _ := newCheckOptions()
	o.Store = string(explore.StoreHash64)
	for _, stop := range []explore.Stop{explore.StopMemory, explore.StopStore} {
		if got := adviceOn(&o.Limits, stop, false).next; !strings.Contains(got, "take --store exact") {
			t.Errorf("%s: got %q", stop, got)
		}
	}
	if got := adviceOn(&o.Limits, explore.StopInterrupted, false); got != (advice{}) {
		t.Errorf("who interrupts a search needs no advice: %+v", got)
	}
}

// TestResumeCommand runs the command that a search prints when it is cut: it comes further,
// although the limits of a resumed check are those of the check.
func TestResumeCommand(t *testing.T) {
	t.Chdir(t.TempDir())
	for i, limit := range [][]string{
		{"--max-states", "3000"}, {"--max-depth", "12"}, {"--max-depth", "3", "--max-states", "100000"}, {"--timeout", "60ms"},
	} {
		dir := "a folder " + string(rune('a'+i))
		code, stdout, stderr := runHere(context.Background(), append([]string{"check", "fetch-to-op-old-small", "--no-progress", "--checkpoint", dir}, limit...)...)
		m := regexp.MustCompile(`(?m)^checkpoint +vsrcheck (.*) goes on$`).FindStringSubmatch(stdout)
		if m == nil {
			t.Errorf("%v: got exit code %d and no command to go on: %s", limit, code, stderr)
			continue
		}
		before, after, quoted := strings.Cut(m[1], "'"+dir+"'")
		if !quoted {
			t.Fatalf("got %q", m[1])
		}
		args := append(append(strings.Fields(before), dir), strings.Fields(after)...)
		if limit[0] == "--timeout" {
			args = append(args, "--timeout", "0")
		}
		if code, stdout, stderr := runHere(context.Background(), append(args, "--no-progress")...); code != exitLiveness || !strings.Contains(stdout, "VIOLATED fetch-to-op-old-small: QuorumAckedCommits") {
			t.Errorf("%v: %v: got exit code %d, %s%s", limit, args, code, stderr, stdout)
		}
	}
}
