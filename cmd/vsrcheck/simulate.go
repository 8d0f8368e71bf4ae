package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/cmd/vsrcheck/internal/tell"
	"vsrcheck/explore"
)

func simulateCommand() command {
	return command{
		name: "simulate", usage: "NAME|PATH.cfg [OPTIONS]",
		summary: "walk through a state space at random, for sizes that check cannot exhaust",
		about: []string{
			"A walk alternates between storms, in which faults, view timeouts and requests happen among everything else, and calms, " +
				"in which only what has to happen does, until nothing is left to happen; there liveness is decided, as check decides it in quiescent states. " +
				"Each walk has its own odds for kinds of actions, and makes some messages and replicas slow.",
			"A violation is shrunk before it is shown: the trace is one of the system, and not proven to be a shortest one. " +
				"The result is the same for every number of workers and every run with the same seed. " +
				"Walks prove nothing: without a violation the verdict is inconclusive, with exit code 20. " +
				"A walk does not leave the constraint of a specification, and does not look for cycles; the steps that it did not take for that are counted.",
		},
		examples: []string{
			"vsrcheck simulate fetch-to-op-old",
			"vsrcheck simulate fetch-to-op-old --replicas 5 --ops 8 --stops 2 --seed 7",
			"vsrcheck simulate fetch-to-op-fixed --replicas 5 --ops 8 --num 0 --timeout 10m",
			"vsrcheck simulate fetch-to-op-old --replicas 5 --ops 8 --pipeline 8 --stops 2 --json run.json --trace json=wedge.json",
		},
		groups: func() (any, []optionGroup) {
			o, groups := newSimulateOptions()
			return o, groups
		},
		completes: specNames,
		run:       runSimulate,
	}
}

// simulateOptions is what the command line of simulate can say.
type simulateOptions struct {
	job.Request
	job.Limits // of which there are the workers and the time
	outputOptions
	seed  uint64
	num   uint64
	depth int
}

// newSimulateOptions declares the options of simulate: what is to be checked is said as
// in check.
func newSimulateOptions() (*simulateOptions, []optionGroup) {
	o := &simulateOptions{Limits: job.NewLimits()}
	var groups optionGroups
	groups.request(&o.Request)
	f := groups.add("Run")
	f.Uint64Var(&o.seed, "seed", 1, "`N` decides all walks: the same seed is the same run")
	f.Uint64Var(&o.num, "num", 10_000, "end after `N` walks; 0: at --timeout or Ctrl-C only")
	f.IntVar(&o.depth, "depth", explore.DefaultDepth, "a walk ends after `N` steps, if it has not come to its end before")
	addWorkers(f, &o.Limits)
	addTimeout(f, &o.Limits, timeoutOption, "end as inconclusive after `TIME`, such as 90s or 1h30m")
	declareSends(f, &o.Reduce)
	o.outputOptions.add(groups.add("Output"))
	return o, groups
}

func (o *simulateOptions) validate() error {
	switch {
	case o.depth < 1:
		return job.Wrongf("--depth: got %d, want a number of steps, at least 1", o.depth)
	case o.num > math.MaxUint32:
		return job.Wrongf("--num: got %d, want at most %d walks, or 0 for no limit", o.num, uint32(math.MaxUint32))
	}
	return validateLimits(&o.Limits)
}

func runSimulate(ctx context.Context, c *call) (int, error) {
	o := c.options.(*simulateOptions)
	if err := o.validate(); err != nil {
		return 0, err
	}
	j, err := c.job(&o.Request)
	if err != nil {
		return 0, err
	}
	j.Bound.DropBounds()
	files, err := o.createFiles(c)
	if err != nil {
		return 0, err
	}
	defer files.abort()
	opt := explore.SimulateOptions{Seed: o.seed, Walks: o.num, Depth: o.depth, Workers: o.WorkerCount()}
	p := o.page(c)
	p.Echo(j, tell.WalksText(&o.Limits, j, opt))
	out, err := o.simulate(ctx, c, j, opt)
	if err != nil {
		return 0, errors.Join(fmt.Errorf("simulate %s: %w", j.Name, err), panicTrace(p, out.Outcome, o.states(), &files.traceFiles))
	}
	defer p.Later()()
	return codeOf(out.End), join(p.Walks(out, o.states(), files.line(out.Traced() != nil)),
		files.finish(out.Outcome, o.states(), out.Record(c.commandLine, codeOf(out.End))))
}

// simulate does the walks under the limits of the command line. When the model fails,
// what comes with the error has the trace to the state in which it did.
func (o *simulateOptions) simulate(ctx context.Context, c *call, j *job.Job, opt explore.SimulateOptions) (*job.Walked, error) {
	switch {
	case o.quiet():
	case o.progress == progressForPrograms:
		m := tell.NewMeter(c.stderr, 0)
		opt.Interval, opt.Progress = time.Second, m.SimulateJSON
	default:
		m := tell.NewMeter(c.stderr, 0)
		opt.Interval = m.Interval()
		opt.Progress = func(s explore.SimulateProgress) { m.Show(tell.SimulateProgressLine(s)) }
		defer m.Clear()
	}
	return job.Simulate(ctx, &o.Limits, j, opt)
}
