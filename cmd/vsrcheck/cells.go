package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync"
	"time"

	"vsrcheck/explore"
	"vsrcheck/explore/lock"
	"vsrcheck/model"
	"vsrcheck/results"
	"vsrcheck/results/matrix"
	"vsrcheck/specs"
)

// This file has what matrix and mend share: many checks for one answer, each with the
// limits of the command line, kept in one file as they are finished.

// cellOptions are those of a command that runs many checks.
type cellOptions struct {
	*checkOptions
	sizes  []string
	html   string
	resume string

	smallCell uint64 // the distinct states of a check that runs beside others, at most
}

// defaultSmallCell is the number of distinct states up to which checks run side by side,
// with one worker each. What a larger one costs is lost once, at most a second or two.
const defaultSmallCell = 100_000

func newCellOptions() (*cellOptions, optionGroups) {
	check, shared := newCheckOptions()
	return &cellOptions{checkOptions: check, smallCell: defaultSmallCell}, shared
}

// declare declares the options for the run and its output. one is what a check is called,
// whole what all of them make.
func (o *cellOptions) declare(groups *optionGroups, shared optionGroups, one, whole string) {
	f := groups.add("Run (the limits are for each " + one + ")")
	o.declareTimeout(f, cellTimeoutOption, "end a "+one+" as inconclusive after `TIME`, such as 90s")
	shared.share(f, "max-states", "workers", "reduce", "memory-limit", "spill-dir", "disk-limit")
	f.StringVar(&o.resume, "resume", "", "keep finished "+one+"s in `FILE`, and do not run those again that are there")
	f = groups.add("Output")
	f.StringVar(&o.json, "json", "", "write "+whole+" to `FILE`")
	f.StringVar(&o.html, "html", "", "write "+whole+" as a page that needs no other file to `FILE`")
	shared.share(f, "no-progress", "color")
	f.Lookup("no-progress").Usage = "no line of progress on standard error" // there is no --progress here
}

func (o *cellOptions) validate() error {
	files := []struct{ option, path string }{{"json", o.json}, {"html", o.html}, {"resume", o.resume}}
	for i, f := range files {
		for _, other := range files[:i] {
			if samePath(f.path, other.path) {
				return usagef("--%s: got %s, to which --%s writes", f.option, f.path, other.option)
			}
		}
	}
	return o.checkOptions.validate()
}

// cellFiles are the files that were asked for, by their options.
type cellFiles map[string]*results.File

// create makes the files of --json and --html.
func (o *cellOptions) create(c *call) (cellFiles, error) {
	files := cellFiles{}
	for option, path := range map[string]string{"json": o.json, "html": o.html} {
		if !c.flags.Changed(option) {
			continue
		}
		f, err := c.create(path)
		if err != nil {
			files.abort()
			return nil, err
		}
		files[option] = f
	}
	return files, nil
}

// abort removes what was not written.
func (f cellFiles) abort() {
	for _, file := range f {
		file.Abort()
	}
}

// write writes the answer to the files.
func (f cellFiles) write(answer interface {
	Write() ([]byte, error)
	WriteHTML(io.Writer) error
}) error {
	var failed error
	if file := f["json"]; file != nil {
		data, err := answer.Write()
		if err == nil {
			err = file.Commit(data)
		}
		failed = err
	}
	if file := f["html"]; file != nil {
		var page bytes.Buffer
		err := answer.WriteHTML(&page)
		if err == nil {
			err = file.Commit(page.Bytes())
		}
		failed = join(failed, err)
	}
	return failed
}

// change is one rule at another alternative than a base's.
type change struct {
	rule        model.Rule
	alternative string
}

// base is a specification in one size, under its own rules.
func (o *cellOptions) base(spec specs.Spec, s size) (*job, matrix.Base, error) {
	own, err := o.apply(spec)
	if err != nil {
		return nil, matrix.Base{}, err
	}
	if own, err = s.settings.apply(own.Spec); err != nil {
		return nil, matrix.Base{}, fmt.Errorf("%s %s: %w", spec.Name, s.name, err)
	}
	own = newOverride(spec, own.Spec)
	own.chosen = o.properties != nil
	j, err := newJob(own, o.continueAll, o.reduce)
	if err != nil {
		return nil, matrix.Base{}, fmt.Errorf("%s: %w", strings.TrimSpace(spec.Name+" "+s.name), err)
	}
	return j, matrix.Base{
		Spec: j.Name, Path: j.Path, Size: s.name, Summary: j.Summary, Config: j.configSettings(), Rules: j.ruleSettings(),
		Properties: j.bound.listed, Constraints: j.Constraints, Reduction: reductionOf(j.model),
	}, nil
}

// changed is a base with some of its rules changed.
func (o *cellOptions) changed(own specs.Spec, changes ...change) (*job, []results.Setting, error) {
	spec, settings := own, []results.Setting{}
	for _, c := range changes {
		settings = append(settings, results.Setting{Name: c.rule.Name, Value: c.alternative, Instead: c.rule.Get(own.Rules)})
		if err := c.rule.Set(&spec.Rules, c.alternative); err != nil {
			return nil, nil, err
		}
	}
	effective := newOverride(own, spec)
	effective.chosen = o.properties != nil
	j, err := newJob(effective, o.continueAll, o.reduce)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", own.Name, err)
	}
	return j, settings, nil
}

// cellRunner runs the checks.
type cellRunner struct {
	*cellOptions
	call     *call
	finished *matrix.FinishedCells // nil: they are not kept
	held     *lock.Lock            // of their file
	lock     sync.Mutex            // over what keep writes
}

// openFiles opens the files of the command line. What is called in the end closes them, and
// removes those of the answer if it was not written.
func (r *cellRunner) openFiles() (files cellFiles, done func(), err error) {
	if files, err = r.create(r.call); err != nil {
		return nil, nil, err
	}
	if err := r.open(); err != nil {
		files.abort()
		return nil, nil, err
	}
	return files, func() { r.close(); files.abort() }, nil
}

// open opens the file of --resume.
func (r *cellRunner) open() (err error) {
	if r.call.flags.Changed("resume") {
		if r.held, err = lockCells(r.resume); err != nil {
			return err
		}
		if r.finished, err = matrix.OpenCells(r.resume); err != nil {
			r.held.Release()
			return err
		}
		if r.finished.Torn() {
			printf(r.call.stderr, "vsrcheck: %s: the last line of %s was not complete and is gone; its cell is run again\n", r.call.name, r.resume)
		}
	}
	return nil
}

// close closes it.
func (r *cellRunner) close() {
	if r.finished != nil {
		_ = r.finished.Close() // each check is written already
		r.held.Release()
	}
}

// lockCells keeps another run from the same file of finished cells.
func lockCells(path string) (*lock.Lock, error) {
	held, err := lock.Take(path + ".lock")
	var at *fs.PathError
	switch {
	case errors.Is(err, lock.ErrHeld):
		return nil, fmt.Errorf("%w: %s: %w", matrix.ErrCells, path, err)
	case errors.As(err, &at):
		return nil, fmt.Errorf("%w %s: %w", results.ErrOutput, path, at.Err)
	case err != nil:
		return nil, fmt.Errorf("%w %s: %w", results.ErrOutput, path, err)
	}
	return held, nil
}

// keptText says whether an interrupted search can go on.
func (r *cellRunner) keptText() string {
	if r.finished != nil {
		return "the same command goes on"
	}
	return "--resume FILE would have kept them"
}

// find is the outcome of a check that is in the file, or nil.
func (r *cellRunner) find(j *job) (*matrix.Outcome, error) {
	if r.finished == nil {
		return nil, nil
	}
	key, err := r.key(j)
	if err != nil {
		return nil, err
	}
	if got, ok := r.finished.Find(key, r.limits()); ok {
		return &got, nil
	}
	return nil, nil
}

// keep writes the outcome of a check to the file. Several goroutines may.
func (r *cellRunner) keep(j *job, name string, got *matrix.Outcome) error {
	if r.finished == nil || got.Verdict == matrix.Failed {
		return nil
	}
	key, err := r.key(j)
	if err != nil {
		return err
	}
	r.lock.Lock()
	defer r.lock.Unlock()
	return r.finished.Add(matrix.FinishedCell{Key: key, Name: name, Limits: r.limits(), Outcome: *got})
}

// cellVerified is the number of steps in which a small cell verifies the contract of its model.
const cellVerified = 2000

// small runs a check with one worker as far as small ones go. Its outcome is nil if that
// decided nothing.
func (r *cellRunner) small(ctx context.Context, j *job) (*matrix.Outcome, error) {
	limited, cancel := r.withTimeout(ctx)
	defer cancel()
	opt := r.engineOptions()
	opt.MemoryLimit /= uint64(r.workerCount())
	opt.Workers, opt.MaxStates = 1, r.smallCell
	// Hundreds of small runs of one model: each verifies a beginning of its own and a sample.
	opt.Verify = &explore.Verification{First: min(cellVerified, explore.DefaultVerification.First), OneIn: explore.DefaultVerification.OneIn}
	asked := r.maxStates != 0 && r.maxStates <= r.smallCell
	if asked {
		opt.MaxStates = r.maxStates
	}
	began := time.Now()
	out, err := j.run(limited, opt)
	if err == nil && out.Stop != explore.StopNone && !(asked && out.Stop == explore.StopStates) && !undecidable(out.Stop) {
		return nil, nil
	}
	return outcomeOf(out, err, began)
}

// alone runs a check by itself, with all workers. Its outcome is nil if it was interrupted.
func (r *cellRunner) alone(ctx context.Context, j *job) (*matrix.Outcome, error) {
	began := time.Now()
	out, err := r.explore(ctx, r.call, j, r.engineOptions())
	if err == nil && ctx.Err() != nil {
		return nil, nil
	}
	return outcomeOf(out, err, began)
}

// thisProgram identifies the program; finding that out may read all of it.
var thisProgram = sync.OnceValue(func() string {
	build := results.ReadBuild()
	return build.Version + " " + build.Revision + " " + programSum(build)
})

// key stands for everything on which the outcome of a check depends.
func (r *cellRunner) key(j *job) (string, error) {
	spec := j.Spec
	spec.Summary, spec.Text, spec.Size = "", "", ""
	data, err := json.Marshal([]string{thisProgram(), j.model.Layout(), specs.Write(spec), r.reduce, fmt.Sprint(r.continueAll), fmt.Sprint(j.chosen)})
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16]), nil
}

// limits are what an inconclusive check depends on besides.
func (r *cellRunner) limits() string {
	return fmt.Sprintf("max-states=%d time-limit=%s memory-limit=%d disk-limit=%d", r.maxStates, r.timeout, r.memoryLimit.limit(), r.diskLimit.limit())
}

// cellMeter shows how many checks are finished.
type cellMeter struct {
	meter *meter
	quiet bool
	last  time.Time
}

func (c *cellMeter) update(text string) {
	if c.last.IsZero() {
		c.last = time.Now()
	}
	if c.quiet || !c.meter.terminal && time.Since(c.last) < c.meter.interval() {
		return
	}
	c.last = time.Now()
	c.meter.show(text)
}
