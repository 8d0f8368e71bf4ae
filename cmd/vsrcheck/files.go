package main

import (
	"os"
	"path/filepath"
	"strings"

	"vsrcheck/cmd/vsrcheck/internal/behaviour"
	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/cmd/vsrcheck/internal/tell"
	"vsrcheck/explore"
	"vsrcheck/model"
	"vsrcheck/results"
	"vsrcheck/results/trace"
	"vsrcheck/specs"
)

// traceOption is the option --trace, which may be given again: the files to write a
// trace to.
type traceOption struct{ targets []traceTarget }

// traceTarget is one file and its format.
type traceTarget struct {
	format trace.Format
	path   string
	file   *results.File
}

func (o *traceOption) String() string { return "" }
func (o *traceOption) Type() string   { return "FORMAT=FILE" }

// Set reads FORMAT=FILE.
func (o *traceOption) Set(text string) error {
	name, path, found := strings.Cut(text, "=")
	format, known := trace.FindFormat(name)
	switch {
	case !found:
		return job.Wrongf("got %q, want FORMAT=FILE, such as json=trace.json", text)
	case !known:
		names := trace.FormatNames()
		return job.Wrongf("got unknown format %q, want one of %s%s", name, strings.Join(names, ", "), job.DidYouMean(name, names, ""))
	case path == "":
		return job.Wrongf("got %q, want the name of a file after %s=", text, name)
	}
	for _, t := range o.targets {
		if samePath(t.path, path) {
			return job.Wrongf("got %s a second time, want a file for each trace", path)
		}
	}
	o.targets = append(o.targets, traceTarget{format: format, path: path})
	return nil
}

// samePath reports whether two paths, "" is none, are of one file, which may not be there yet.
func samePath(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	if one, err := os.Stat(a); err == nil {
		if other, err := os.Stat(b); err == nil && os.SameFile(one, other) {
			return true
		}
	}
	return realPath(a) == realPath(b)
}

// realPath is a path without links to folders, as far as there are any.
func realPath(path string) string {
	if whole, err := filepath.Abs(path); err == nil {
		path = whole
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		path = filepath.Join(dir, filepath.Base(path))
	}
	return path
}

// traceFiles are the files of a run, made before it.
type traceFiles struct {
	targets   []traceTarget
	variables []trace.Variable
}

// runFiles are the files that a run writes: its record, and the trace of the violation
// that it found.
type runFiles struct {
	traceFiles
	record *results.File // nil for none
}

// createFiles prepares the files of a run.
func (o *outputOptions) createFiles(c *call) (*runFiles, error) {
	files := &runFiles{}
	var err error
	if c.flags.Changed("json") {
		if files.record, err = c.create(o.json); err != nil {
			return nil, err
		}
	}
	traces, err := o.traces.create(c, o.json)
	if err != nil {
		files.abort()
		return nil, err
	}
	files.traceFiles = *traces
	return files, nil
}

// finish writes the files after the run. One that cannot be written is no reason not to
// write the others. The record is the last of the files, unless a trace is for a stream, whose
// reader may take long.
func (f *runFiles) finish(out *job.Outcome, states trace.States, record *results.Record) error {
	var traced, failed error
	writeTrace := func(stream bool) {
		if v := out.Traced(); v != nil {
			traced = join(traced, f.writeThose(stream, &tracedRun{out.Job, behaviour.OfViolation(out.Job, v), v.Trace}, states))
		}
	}
	writeTrace(false)
	if f.record != nil {
		data, err := record.Write()
		if err == nil {
			err = f.record.Commit(data)
		}
		failed = err
	}
	writeTrace(true)
	return join(traced, failed)
}

func (f *runFiles) abort() {
	f.record.Abort()
	f.traceFiles.abort()
}

// create prepares the files, so that one that cannot be written is found before the
// time is spent. other is a file that the run writes besides; "" is none.
func (o *traceOption) create(c *call, other string) (*traceFiles, error) {
	out := &traceFiles{}
	if len(o.targets) == 0 {
		return out, nil
	}
	var err error
	if out.variables, err = behaviour.Variables(); err != nil {
		return nil, err
	}
	for _, t := range o.targets {
		if samePath(t.path, other) {
			out.abort()
			return nil, job.Wrongf("--trace: got %s, to which --json writes", t.path)
		}
		if t.file, err = c.create(t.path); err != nil {
			out.abort()
			return nil, err
		}
		out.targets = append(out.targets, t)
	}
	return out, nil
}

// line says what is written, or that nothing is.
func (f *traceFiles) line(written bool) string {
	var parts []string
	for _, t := range f.targets {
		parts = append(parts, specs.Printable(t.path)+" ("+t.format.Name+")")
	}
	switch {
	case len(parts) == 0:
		return ""
	case !written:
		return "none, so not written: " + strings.Join(parts, ", ")
	}
	return "written to " + strings.Join(parts, ", ")
}

// tracedRun is a trace with what it takes to draw it.
type tracedRun struct {
	job   *job.Job
	trace *trace.Trace
	steps []explore.Step[model.State]
}

// write writes the trace to all files that it can be written to, and then to a stream.
func (f *traceFiles) write(t *tracedRun, states trace.States) error {
	return join(f.writeThose(false, t, states), f.writeThose(true, t, states))
}

// writeThose writes the trace to files, or to a stream.
func (f *traceFiles) writeThose(stream bool, t *tracedRun, states trace.States) error {
	var failed error
	t.trace.Variables = f.variables
	for i := range f.targets {
		target := &f.targets[i]
		if stream != (target.path == stdio) {
			continue
		}
		opt := trace.WriteOptions{TextOptions: trace.TextOptions{States: states, Width: tell.DefaultWidth}, File: target.path}
		if target.format.Drawn {
			opt.Diagram = behaviour.DiagramOf(t.job, t.trace, t.steps)
		}
		data, err := target.format.Bytes(t.trace, opt)
		if err == nil {
			err = target.file.Commit(data)
		}
		failed = join(failed, err)
	}
	return failed
}

// abort removes what create made and write did not write.
func (f *traceFiles) abort() {
	for i := range f.targets {
		f.targets[i].file.Abort()
	}
}
