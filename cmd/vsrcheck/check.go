package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"vsrcheck/cmd/vsrcheck/internal/behaviour"
	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/cmd/vsrcheck/internal/tell"
	"vsrcheck/explore"
	"vsrcheck/results"
	"vsrcheck/results/trace"
	"vsrcheck/specs"
)

func checkCommand() command {
	return command{
		name: "check", usage: "NAME|PATH.cfg [OPTIONS]",
		summary: "explore the whole state space of a specification and check its properties",
		about: []string{"A specification is named, or read from a file, from a pipe such as <(...), or with - from standard input.",
			"Ctrl-C (or SIGTERM, or SIGHUP) ends a check in good order, with its figures and, if asked for, a checkpoint. A second one ends the program at once."},
		examples: []string{
			"vsrcheck check fetch-to-op-old",
			"vsrcheck check fetch-to-op-old --fetch-to-op fixed",
			"vsrcheck check fetch-to-op-fixed --ops 3 --drops 1 --may-crash 0,2",
			"vsrcheck check my.cfg --property EveryPreparedCommits --json run.json",
			"vsrcheck check fetch-to-op-old --trace json=wedge.json --trace itf=wedge.itf.json",
		},
		groups: func() (any, []optionGroup) {
			o, groups := newCheckOptions()
			return o, groups
		},
		completes: specNames,
		run:       runCheck,
	}
}

// checkOptions is what the command line of check can say.
type checkOptions struct {
	job.Request
	job.Limits
	guards bool

	checkpoint      string
	checkpointEvery time.Duration
	outputOptions
}

func newCheckOptions() (*checkOptions, optionGroups) {
	o := &checkOptions{Limits: job.NewLimits()}
	var groups optionGroups
	groups.request(&o.Request)
	f := groups.add("Run")
	addWorkers(f, &o.Limits)
	f.Var(&choice{&o.Store, []string{string(explore.StoreExact), string(explore.StoreHash64), string(explore.StoreHash128)}},
		"store", "how visited states are remembered; the hashes need less memory and may miss states")
	addReduce(f, &o.Request)
	addMaxStates(f, &o.Limits)
	f.IntVar(&o.MaxDepth, "max-depth", 0, "end as inconclusive at `N` steps")
	addMemory(f, &o.Limits)
	addTimeout(f, &o.Limits, timeoutOption, "end as inconclusive after `TIME`, such as 90s or 1h30m")
	f.BoolVar(&o.guards, "guards", false, fmt.Sprintf("say which guards never refused a message, by a second search; up to %s states that is done anyway", results.Count(job.GuardStates)))
	f.StringVar(&o.checkpoint, "checkpoint", "", "keep in `DIR` what vsrcheck resume DIR needs to go on with a check that was cut short; it is removed when there is a verdict and every output is written")
	f.DurationVar(&o.checkpointEvery, "checkpoint-every", 10*time.Minute, "`TIME` between checkpoints at least; one is made in any case when the check is interrupted or at a limit")
	o.outputOptions.add(groups.add("Output"))
	return o, groups
}

// validate finds what the types of the options cannot.
func (o *checkOptions) validate() error {
	switch {
	case o.checkpoint != "" && o.SpillDir != "":
		return job.Wrongf("--spill-dir: got %s and --checkpoint %s, want one of the two: a checkpoint has the states on disk in its own directory", o.SpillDir, o.checkpoint)
	case o.checkpointEvery < 0:
		return job.Wrongf("--checkpoint-every: got %s, want a time that is not negative", o.checkpointEvery)
	}
	return validateLimits(&o.Limits)
}

func runCheck(ctx context.Context, c *call) (int, error) {
	o := c.options.(*checkOptions)
	if err := o.validate(); err != nil {
		return 0, err
	}
	spec, err := c.spec()
	if err != nil {
		return 0, err
	}
	j, err := o.Job(spec)
	if err != nil {
		return 0, err
	}
	var checkpoint *explore.Checkpointing
	if o.checkpoint != "" {
		text, err := j.Identity(c.commandLine[2:], spec).Text()
		if err != nil {
			return 0, err
		}
		checkpoint = &explore.Checkpointing{Dir: o.checkpoint, Every: o.checkpointEvery, Identity: text, Keep: true}
	}
	return o.check(ctx, c, j, checkpoint)
}

// check runs a job and reports on it. The checkpoint goes last: until every output is in
// place, a run that is killed, or whose disk is full, can be gone on with.
func (o *checkOptions) check(ctx context.Context, c *call, j *job.Job, checkpoint *explore.Checkpointing) (int, error) {
	files, err := o.createFiles(c)
	if err != nil {
		return 0, err
	}
	defer files.abort()

	p := o.page(c)
	opt := o.Limits.Options()
	opt.Checkpoint = checkpoint
	p.Echo(j, tell.RunText(&o.Limits, j, opt))
	defer checkpoint.Release()
	out, err := o.explore(ctx, c, &o.Limits, j, opt)
	if err != nil {
		return 0, errors.Join(err, panicTrace(p, out, o.states(), &files.traceFiles))
	}
	decided := checkpoint != nil && out.Checkpoint == ""
	if err := o.watchGuards(ctx, c, out, opt); err != nil {
		return 0, keptAfter(err, decided, checkpoint)
	}
	if o.guards && out.Guarded.Cut && decided && checkpoint.Kept() {
		out.Checkpoint = checkpoint.Dir // which looks at them yet
	}
	print := p.Later()
	err = join(p.Report(out, o.states(), files.line(out.Traced() != nil), tell.Advise(&o.Limits, out.Stop, out.TimedOut)), files.finish(out, o.states(), out.Record(c.commandLine, codeOf(out.End))))
	print()
	switch {
	case out.CheckpointErr != nil:
		return codeOf(out.End), join(c.lost(), err, fmt.Errorf("%w the checkpoint: %w", results.ErrOutput, out.CheckpointErr))
	case err != nil || c.lost() != nil:
		return codeOf(out.End), keptAfter(join(c.lost(), err), decided, checkpoint)
	case decided && out.Checkpoint == "":
		if err := checkpoint.Remove(); err != nil {
			tell.Printf(c.stderr, "vsrcheck: check: all is done, but %s\n", err)
		}
	}
	return codeOf(out.End), nil
}

// keptAfter is the error of a run whose search is done, and says that its checkpoint is still
// there, if it is.
func keptAfter(err error, decided bool, checkpoint *explore.Checkpointing) error {
	if !decided || !checkpoint.Kept() {
		return err
	}
	return join(err, fmt.Errorf("the checkpoint is kept: vsrcheck resume %s goes on", checkpoint.Dir))
}

// job is the specification that the command line means, with what it overrides.
func (c *call) job(r *job.Request) (*job.Job, error) {
	spec, err := c.spec()
	if err != nil {
		return nil, err
	}
	return r.Job(spec)
}

// spec is the specification that the command line names.
func (c *call) spec() (specs.Spec, error) {
	for _, arg := range c.args {
		if option := settingWritten(arg); option != "" {
			return specs.Spec{}, job.Wrongf("%s: got %s, want it as an option: %s", c.name, arg, option)
		}
	}
	if len(c.args) != 1 {
		return specs.Spec{}, job.Wrongf("%s: got %d arguments, want the name of a specification or the path of a .cfg file", c.name, len(c.args))
	}
	return c.findSpec(c.args[0])
}

// reducedJob is the specification that the command line names with its settings, for
// commands that leave the properties as they are.
func (c *call) reducedJob(s job.Settings, reduce string) (*job.Job, error) {
	spec, err := c.spec()
	if err != nil {
		return nil, err
	}
	return (&job.Request{Settings: s, Reduce: reduce}).Job(spec)
}

// explore runs a job under limits, and shows how it gets on.
func (o *progressOptions) explore(ctx context.Context, c *call, l *job.Limits, j *job.Job, opt explore.Options) (*job.Outcome, error) {
	opt, clear := o.showing(c, l, opt)
	defer clear()
	return l.Explore(ctx, j, opt)
}

// showing has a search show how it gets on, until the function is called.
func (o *progressOptions) showing(c *call, l *job.Limits, opt explore.Options) (explore.Options, func()) {
	m := tell.NewMeter(c.stderr, l.MemoryLimit.Limit())
	switch {
	case o.quiet():
	case o.progress == progressForPrograms:
		opt.Interval, opt.Progress = time.Second, m.UpdateJSON
	default:
		opt.Interval, opt.Progress = m.Interval(), m.Update
		return opt, m.Clear
	}
	return opt, func() {}
}

// watchGuards searches the states of a finished run again, under the same limits, for what
// guards refuse.
func (o *checkOptions) watchGuards(ctx context.Context, c *call, out *job.Outcome, opt explore.Options) error {
	opt, clear := o.showing(c, &o.Limits, opt)
	defer clear()
	ctx, done := o.Within(ctx)
	defer done()
	return out.WatchGuards(ctx, opt, o.guards)
}

// panicTrace prints how to get to the state in which the model failed, when that is
// known, and writes it to the trace files.
func panicTrace(p *tell.Page, o *job.Outcome, states trace.States, files *traceFiles) (err error) {
	if o.Result == nil || len(o.PanicTrace) == 0 {
		return nil
	}
	defer func() {
		// A model that fails in a state may fail in printing it, too.
		if v := recover(); v != nil {
			err = fmt.Errorf("print the state in which it failed: %v", v)
		}
	}()
	const property = "the failure of the model"
	t := behaviour.Trace(behaviour.WithWidth(o.Job, p.Width), property, behaviour.KindPanic, o.PanicTrace, -1)
	if err := p.Show(t, states); err != nil {
		return err
	}
	if line := files.line(true); line != "" {
		p.Printf("\n")
		p.Item("trace", line)
	}
	return files.write(&tracedRun{o.Job, behaviour.Trace(o.Job, property, behaviour.KindPanic, o.PanicTrace, -1), o.PanicTrace}, states)
}
