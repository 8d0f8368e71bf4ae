package main

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"

	"vsrcheck/explore"
	"vsrcheck/model"
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
	j, err := o.jobOf(spec)
	if err != nil {
		t.Fatal(err)
	}
	id := j.identity([]string{name, "--max-depth", "3"}, spec)
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
		text, err := id.text()
		if err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(t.TempDir(), "checkpoint")
		if _, err := explore.Check(context.Background(), explore.System[model.State](j.model), j.bound.Properties,
			explore.Options{MaxDepth: 3, Checkpoint: &explore.Checkpointing{Dir: dir, Identity: text}}); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if code := run(context.Background(), []string{"resume", dir, "--max-depth", "4", "--no-progress"}, &out, &out); code != test.code || !strings.Contains(out.String(), test.want) {
			t.Errorf("exit %d, want %d and %q:\n%s", code, test.code, test.want, out.String())
		}
	}
}
