package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/pflag"

	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/explore"
	"vsrcheck/results"
	"vsrcheck/specs"
)

func resumeCommand() command {
	return command{
		name: "resume", usage: "DIR [OPTIONS]",
		summary: "go on with a check that was cut short, from its checkpoint",
		about: []string{"A check with --checkpoint DIR that is interrupted, killed or at a limit leaves a checkpoint in DIR. " +
			"To resume it gives the same figures, verdict and trace as a check that was left alone. " +
			"What is checked cannot be changed; limits, workers and output files are those of this command line, or else of the check's."},
		examples: []string{
			"vsrcheck check fetch-to-op-fixed-full --checkpoint run --timeout 8h",
			"vsrcheck resume run --memory-limit 50% --json run.json",
		},
		groups: func() (any, []optionGroup) {
			_, check := newCheckOptions()
			var groups optionGroups
			check.share(groups.add("Run (default: the check's)"),
				"workers", "max-states", "max-depth", "memory-limit", "disk-limit", timeoutOption, oldTimeoutOption, "guards", "checkpoint-every")
			check.share(groups.add("Output (default: the check's)"), "json", "trace", "trace-states", "progress", "no-progress", "quiet", "color")
			return nil, groups
		},
		run: runResume,
	}
}

// share adds options to a set that are declared in another command's groups.
func (g optionGroups) share(to *pflag.FlagSet, names ...string) {
	for _, group := range g {
		group.flags.VisitAll(func(f *pflag.Flag) {
			if slices.Contains(names, f.Name) {
				to.AddFlag(f)
			}
		})
	}
}

func runResume(ctx context.Context, c *call) (int, error) {
	if len(c.args) != 1 {
		return 0, job.Wrongf("resume: got %d arguments, want the directory of a checkpoint", len(c.args))
	}
	dir := c.args[0]
	text, err := explore.CheckpointIdentity(dir)
	if err != nil {
		return 0, err
	}
	id := new(job.Identity)
	if err := json.Unmarshal([]byte(text), id); err != nil {
		return 0, fmt.Errorf("%w: %s was not made by vsrcheck check: %w", explore.ErrCheckpoint, dir, err)
	}
	if build := results.ReadBuild(); build.Version != id.Version || build.Revision != id.Commit {
		return 0, fmt.Errorf("%w: %s was made by version %s (commit %.12s), and this is %s (commit %.12s): want the same", explore.ErrCheckpoint,
			dir, id.Version, id.Commit, build.Version, build.Revision)
	} else if id.Program != job.ProgramSum(build) {
		return 0, fmt.Errorf("%w: %s was made by another build of version %s (commit %.12s) with changes: want the same program", explore.ErrCheckpoint,
			dir, id.Version, id.Commit)
	}
	o, check, err := checkAgain(id, c.flags, c.commandLine[2:])
	if err != nil {
		return 0, err
	}
	base, err := specs.Parse(id.Path, id.Base)
	if err != nil {
		return 0, fmt.Errorf("%w: %s: %w", explore.ErrCheckpoint, dir, err)
	}
	base.Name, base.Path = id.Name, id.Path
	j, err := o.Job(base)
	if err != nil {
		return 0, err
	}
	if again, err := j.Identity(id.Args, base).Text(); err != nil {
		return 0, err
	} else if again != text {
		return 0, fmt.Errorf("%w: %s: the specification, the rules or the layout of states are not what they were", explore.ErrCheckpoint, dir)
	}
	if err := o.near(c.flags, dir); err != nil {
		return 0, err
	}
	c.flags = check
	return o.check(ctx, c, j, &explore.Checkpointing{Dir: dir, Every: o.checkpointEvery, Identity: text, Resume: true, Keep: true})
}

// near refuses files of the check that this command line does not name, and that are neither
// below the current folder nor below that of the checkpoint. Checkpoints are copied and
// passed on, and what one says must not be written just anywhere.
func (o *checkOptions) near(named *pflag.FlagSet, dir string) error {
	refuse := func(option, path string) error {
		for _, folder := range []string{".", filepath.Dir(realPath(dir))} {
			if below, err := filepath.Rel(filepath.Dir(realPath(filepath.Join(folder, "x"))), realPath(path)); err == nil && filepath.IsLocal(below) {
				return nil
			}
		}
		return job.Wrongf("resume: got no --%s, and the check's is %s, neither below the current folder nor below that of %s: give it again", option, path, dir)
	}
	if o.json != "" && !named.Changed("json") {
		if err := refuse("json", o.json); err != nil {
			return err
		}
	}
	for _, t := range o.traces.targets {
		if named.Changed("trace") {
			break
		}
		if err := refuse("trace", t.path); err != nil {
			return err
		}
	}
	return nil
}

// checkAgain are those of the check, with what the command line of resume says instead.
func checkAgain(id *job.Identity, instead *pflag.FlagSet, again []string) (*checkOptions, *pflag.FlagSet, error) {
	o, groups := newCheckOptions()
	flags := pflag.NewFlagSet("check", pflag.ContinueOnError)
	if err := parseFlags(flags, groups, id.Args); err != nil {
		return nil, nil, flagError("check", flags, err)
	}
	if instead.Changed("trace") {
		o.traces = traceOption{} // given anew, and not added to
	}
	if err := flags.Parse(again); err != nil {
		return nil, nil, flagError("resume", flags, err)
	}
	return o, flags, o.validate()
}
