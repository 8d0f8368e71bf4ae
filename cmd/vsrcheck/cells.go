package main

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/cmd/vsrcheck/internal/search"
	"vsrcheck/cmd/vsrcheck/internal/tell"
	"vsrcheck/explore"
	"vsrcheck/results"
)

// This file has what matrix and mend share: many checks for one answer, each with the
// limits of the command line, kept in one file as they are finished.

// cellOptions are those of a command that runs many checks.
type cellOptions struct {
	job.Request
	job.Limits
	progressOptions
	sizes  []string
	json   string
	html   string
	resume string
	pageOptions

	smallCell uint64 // the distinct states of a check that runs beside others, at most
}

// defaultSmallCell is the number of distinct states up to which checks run side by side,
// with one worker each. What a larger one costs is lost once, at most a second or two.
const defaultSmallCell = 100_000

func newCellOptions() cellOptions {
	return cellOptions{Limits: job.NewLimits(), progressOptions: progressOptions{progress: progressText}, smallCell: defaultSmallCell}
}

// declare declares the options for the run and its output. one is what a check is called,
// whole what all of them make.
func (o *cellOptions) declare(groups *optionGroups, one, whole string) {
	f := groups.add("Run (the limits are for each " + one + ")")
	addTimeout(f, &o.Limits, cellTimeoutOption, "end a "+one+" as inconclusive after `TIME`, such as 90s")
	addWorkers(f, &o.Limits)
	addReduce(f, &o.Request)
	addMaxStates(f, &o.Limits)
	addMemory(f, &o.Limits)
	f.StringVar(&o.resume, "resume", "", "keep finished "+one+"s in `FILE`, and do not run those again that are there")
	f = groups.add("Output")
	f.StringVar(&o.json, "json", "", "write "+whole+" to `FILE`")
	f.StringVar(&o.html, "html", "", "write "+whole+" as a page that needs no other file to `FILE`")
	f.BoolVar(&o.noProgress, "no-progress", false, "no line of progress on standard error")
	o.pageOptions.add(f)
	// What every check has instead of its specification's: sizes, rules and properties.
	groups.request(&o.Request)
}

func (o *cellOptions) validate() error {
	files := []struct{ option, path string }{{"json", o.json}, {"html", o.html}, {"resume", o.resume}}
	for i, f := range files {
		for _, other := range files[:i] {
			if samePath(f.path, other.path) {
				return job.Wrongf("--%s: got %s, to which --%s writes", f.option, f.path, other.option)
			}
		}
	}
	return validateLimits(&o.Limits)
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

// runner runs the checks of a use of the command.
func (o *cellOptions) runner(c *call) *search.Runner {
	progress := &tell.CellMeter{Meter: tell.NewMeter(c.stderr, 0), Quiet: o.noProgress || o.onlyVerdict}
	return &search.Runner{
		Request: &o.Request, Limits: &o.Limits, KeepIn: o.resume, Small: o.smallCell,
		Explore: func(ctx context.Context, j *job.Job, opt explore.Options) (*job.Outcome, error) {
			return o.explore(ctx, c, &o.Limits, j, opt)
		},
		ExitCode: codeOf,
		Warn: func(format string, args ...any) {
			tell.Printf(c.stderr, "vsrcheck: %s: %s\n", c.name, fmt.Sprintf(format, args...))
		},
		Show: progress.Update, Clear: progress.Meter.Clear,
	}
}

// openFiles opens the files of the command line. What is called in the end closes them, and
// removes those of the answer if it was not written.
func (o *cellOptions) openFiles(c *call, r *search.Runner) (files cellFiles, done func(), err error) {
	if files, err = o.create(c); err != nil {
		return nil, nil, err
	}
	if err := r.Open(); err != nil {
		files.abort()
		return nil, nil, err
	}
	return files, func() { r.Close(); files.abort() }, nil
}
