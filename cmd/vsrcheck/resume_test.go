package main

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/explore"
	"vsrcheck/model"
	"vsrcheck/results"
	"vsrcheck/specs"
)

// TestResumeProgram: builds from changed work trees look alike, but another program is
// not gone on with.
func TestResumeProgram(t *testing.T) {
	const name = "fetch-to-op-old-small"
	spec, err := specs.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	o, _ := newCheckOptions()
	j, err := o.Job(spec)
	if err != nil {
		t.Fatal(err)
	}
	id := j.Identity([]string{name, "--max-depth", "3"}, spec)
	own := id.Program
	for _, test := range []struct {
		program string
		code    int
		want    string
	}{
		{own, exitInconclusive, "depth limit of 4 steps"},
		{strings.Repeat("0", 64), exitData, "another build"},
	} {
		id.Program = test.program
		text, err := id.Text()
		if err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(t.TempDir(), "checkpoint")
		if _, err := explore.Check(context.Background(), explore.System[model.State](j.Model), j.Bound.Properties,
			explore.Options{MaxDepth: 3, Checkpoint: &explore.Checkpointing{Dir: dir, Identity: text}}); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if code := run(context.Background(), []string{"resume", dir, "--max-depth", "4", "--no-progress"}, &out, &out); code != test.code || !strings.Contains(out.String(), test.want) {
			t.Errorf("exit %d, want %d and %q:\n%s", code, test.code, test.want, out.String())
		}
	}
}

// TestResumeRules cuts a check short at each of its levels, and goes on with it in another
// process, as it were: the record has the same rules that decided something. Only safety is
// asked for, as what decides liveness looks at every step again.
func TestResumeRules(t *testing.T) {
	spec, err := specs.Load("zoo-nack-quorum-sound")
	if err != nil {
		t.Fatal(err)
	}
	spec.Invariants, spec.Properties = []string{"TypeOK"}, nil
	j, err := job.New(&job.Override{Spec: spec}, false, job.ReduceAll)
	if err != nil {
		t.Fatal(err)
	}
	check := func(opt explore.Options) *results.Record {
		t.Helper()
		out, err := j.Run(context.Background(), opt)
		if err != nil {
			t.Fatal(err)
		}
		return out.Record(nil, codeOf(out.End))
	}
	want := check(explore.Options{Workers: 2})
	if want.Verdict != results.Holds || len(want.Deciding) == 0 {
		t.Fatalf("got %s, and %v decided something", want.Verdict, want.Deciding)
	}
	lost := false // whether there is something to be lost
	for depth := 1; depth <= want.Depth; depth += 3 {
		keep := &explore.Checkpointing{Dir: t.TempDir(), Every: time.Hour}
		cut := check(explore.Options{Workers: 1 + depth%3, MaxDepth: depth, Checkpoint: keep})
		lost = lost || len(cut.Deciding) > 0
		resumed := *keep
		resumed.Resume = true
		if got := check(explore.Options{Workers: 1 + depth%2, Checkpoint: &resumed}); got.Verdict != want.Verdict || !slices.Equal(got.Deciding, want.Deciding) {
			t.Errorf("resumed at depth %d: got %s, %v, want %s, %v", depth, got.Verdict, got.Deciding, want.Verdict, want.Deciding)
		}
	}
	if !lost {
		t.Error("no rule decided anything before the checks were resumed")
	}
}
