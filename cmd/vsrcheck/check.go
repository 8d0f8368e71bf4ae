package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"vsrcheck/explore"
	"vsrcheck/results"
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
		run: runCheck,
	}
}

// defaultWidth is the width of lines that do not go to a terminal.
const defaultWidth = 100

func runCheck(ctx context.Context, c *call) (int, error) {
	o := c.options.(*checkOptions)
	if err := o.validate(); err != nil {
		return 0, err
	}
	spec, err := c.spec()
	if err != nil {
		return 0, err
	}
	j, err := o.jobOf(spec)
	if err != nil {
		return 0, err
	}
	var checkpoint *explore.Checkpointing
	if o.checkpoint != "" {
		text, err := j.identity(c.commandLine[2:], spec).text()
		if err != nil {
			return 0, err
		}
		checkpoint = &explore.Checkpointing{Dir: o.checkpoint, Every: o.checkpointEvery, Identity: text, Keep: true}
	}
	return o.check(ctx, c, j, checkpoint)
}

// check runs a job and reports on it. The checkpoint goes last: until every output is in
// place, a run that is killed, or whose disk is full, can be gone on with.
func (o *checkOptions) check(ctx context.Context, c *call, j *job, checkpoint *explore.Checkpointing) (int, error) {
	files, err := o.createFiles(c)
	if err != nil {
		return 0, err
	}
	defer files.abort()

	p := o.page(c)
	opt := o.engineOptions()
	opt.Checkpoint = checkpoint
	j.echo(p, o.runText(j, opt))
	defer checkpoint.Release()
	out, err := o.explore(ctx, c, j, opt)
	if err != nil {
		return 0, errors.Join(err, out.panicTrace(p, o.states(), &files.traceFiles))
	}
	decided := checkpoint != nil && out.Checkpoint == ""
	if err := o.watchGuards(ctx, c, out, opt); err != nil {
		return 0, keptAfter(err, decided, checkpoint)
	}
	if o.guards && out.guarded.cut && decided && checkpoint.Kept() {
		out.Checkpoint = checkpoint.Dir // which looks at them yet
	}
	print := p.later()
	err = join(out.report(p, o.states(), files.line(out.traced() != nil)), files.finish(out, o.states(), out.record(c.commandLine)))
	print()
	switch {
	case out.CheckpointErr != nil:
		return out.code, join(c.lost(), err, fmt.Errorf("%w the checkpoint: %w", results.ErrOutput, out.CheckpointErr))
	case err != nil || c.lost() != nil:
		return out.code, keptAfter(join(c.lost(), err), decided, checkpoint)
	case decided && out.Checkpoint == "":
		if err := checkpoint.Remove(); err != nil {
			printf(c.stderr, "vsrcheck: check: all is done, but %s\n", err)
		}
	}
	return out.code, nil
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
func (o *checkOptions) job(c *call) (*job, error) {
	spec, err := c.spec()
	if err != nil {
		return nil, err
	}
	return o.jobOf(spec)
}

// spec is the specification that the command line names.
func (c *call) spec() (specs.Spec, error) {
	for _, arg := range c.args {
		if option := settingWritten(arg); option != "" {
			return specs.Spec{}, usagef("%s: got %s, want it as an option: %s", c.name, arg, option)
		}
	}
	if len(c.args) != 1 {
		return specs.Spec{}, usagef("%s: got %d arguments, want the name of a specification or the path of a .cfg file", c.name, len(c.args))
	}
	return c.findSpec(c.args[0])
}

// reducedJob is the specification that the command line names with its settings, for
// commands that leave the properties as they are.
func (o *settingOptions) reducedJob(c *call, reduce string) (*job, error) {
	spec, err := c.spec()
	if err != nil {
		return nil, err
	}
	effective, err := o.apply(spec)
	if err != nil {
		return nil, err
	}
	return newJob(effective, false, reduce)
}

// jobOf is a specification with what the command line overrides.
func (o *checkOptions) jobOf(spec specs.Spec) (*job, error) {
	effective, err := o.apply(spec)
	if err != nil {
		return nil, err
	}
	return newJob(effective, o.continueAll, o.reduce)
}

// explore runs the job under the limits of the command line.
func (o *checkOptions) explore(ctx context.Context, c *call, j *job, opt explore.Options) (*outcome, error) {
	ctx, opt, done := o.limited(ctx, c, opt)
	defer done()
	out, err := j.run(ctx, opt)
	if err != nil {
		return out, err
	}
	out.advice = o.adviceOn(out.Stop, context.Cause(ctx))
	switch out.Stop {
	case explore.StopInterrupted:
		out.reason = o.reasonOf(ctx, out.reason)
	case explore.StopMemory: // of which the engine knows only its share
		out.reason = strings.Replace(out.reason, fmt.Sprintf("limit of %d bytes", opt.MemoryLimit), fmt.Sprintf("limit of %d bytes", o.memoryLimit.limit()), 1)
	}
	return out, nil
}

// limited puts a search under the limits of the command line, and shows how it gets on.
// The function ends that.
func (o *checkOptions) limited(ctx context.Context, c *call, opt explore.Options) (context.Context, explore.Options, func()) {
	ctx, cancel := o.withTimeout(ctx)
	limit := o.memoryLimit.limit()
	before := debug.SetMemoryLimit(-1)
	if limit != 0 && limit < 1<<62 {
		// Garbage should not push a process over a limit that its data keeps.
		debug.SetMemoryLimit(int64(limit))
	}
	m := newMeter(c.stderr, limit)
	clear := func() {}
	switch {
	case o.quiet():
	case o.progress == progressForPrograms:
		opt.Interval, opt.Progress = time.Second, m.updateJSON
	default:
		opt.Interval, opt.Progress, clear = m.interval(), m.update, m.clear
	}
	return ctx, opt, func() {
		clear()
		debug.SetMemoryLimit(before)
		cancel()
	}
}

// engineOptions are the engine's options that the command line decides.
func (o *checkOptions) engineOptions() explore.Options {
	return explore.Options{
		Workers: o.workerCount(), Store: explore.StoreKind(o.store),
		MaxStates: o.maxStates, MaxDepth: o.maxDepth, MemoryLimit: forStates(o.memoryLimit.limit()),
		SpillDir: o.spillDir, DiskLimit: o.diskLimit.limit(),
	}
}

// forStates is the share of a memory limit that the engine may use: the rest is for the
// program itself and for garbage.
func forStates(limit uint64) uint64 { return limit - limit/10 - min(limit/3, 16<<20) }

func newPage(c *call, color string) *page {
	p := &page{Writer: c.stdout, width: defaultWidth}
	width, terminal := terminalWidth(c.stdout)
	if terminal {
		p.width = width
	}
	switch color {
	case "always":
		p.color = true
	case "auto":
		p.color = terminal && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	}
	return p
}

// isPath reports whether an argument that means a specification is the path of its file.
func isPath(arg string) bool {
	return strings.HasSuffix(arg, ".cfg") || strings.ContainsRune(arg, filepath.Separator)
}

// findSpec reads the specification that an argument of the command line means: a
// path if it looks like one, else a name.
func findSpec(arg string) (specs.Spec, error) {
	if isPath(arg) {
		return specs.ParseFile(arg)
	}
	spec, err := specs.Load(arg)
	if errors.Is(err, specs.ErrUnknown) && specs.Nearest(arg) == "" {
		return spec, fmt.Errorf("%w; vsrcheck list specs has them all, and a file is named by its path, ending in .cfg", err)
	}
	return spec, err
}
