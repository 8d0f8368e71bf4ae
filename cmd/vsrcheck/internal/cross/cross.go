package cross

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/explore"
	"vsrcheck/invariants"
	"vsrcheck/model"
	"vsrcheck/results"
	"vsrcheck/results/tlc"
	"vsrcheck/specs"
)

// Which properties a cross-check is about.
const (
	All    = "all"    // those of the specification
	Safety = "safety" // without those of liveness, which take TLC long
	None   = "none"   // the state space alone
)

// Kept reads the cross-checks of a folder that the command line names.
func Kept(dir string) ([]tlc.Crosscheck, error) {
	all, err := tlc.ReadCrosschecks(dir)
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("%w in %s", tlc.ErrNoCrosscheck, dir)
	}
	return all, err
}

// WriteTable writes the table of a folder to its document.
func WriteTable(dir string, all []tlc.Crosscheck) error {
	return results.WriteFile(filepath.Join(dir, tlc.CrosscheckTable), []byte(tlc.CrosscheckDocument(all)))
}

// Comparison is how specifications are compared.
type Comparison struct {
	Request *job.Request // what each is checked with instead; its reduction is for both
	Limits  *job.Limits

	TLC      string        // the shell command that starts TLC
	About    string        // which properties
	States   bool          // the sets of states, too
	Keep     string        // a folder for what both gave; "" is none
	Patience time.Duration // with one run of TLC; 0: no end
	Rounds   int           // of a measurement

	ExitCode  func(job.Ending) int // that a check by itself would have
	Out, Errs io.Writer            // for what differs, and for how it is getting on
}

// Run is one specification that both are to run.
type Run struct {
	*Comparison
	*job.Override
	arg     string   // the specification as the command line names it
	Title   string   // for files and tables: the specification and what was overridden
	line    []string // the command line of a check that explores the same
	Differs bool     // the state sets differ
	LeftOut []string // properties that TLC cannot check
}

// New applies the overrides of the command line to a specification.
func (o *Comparison) New(arg string, spec specs.Spec) (*Run, error) {
	effective, err := o.Request.Apply(spec)
	if err != nil {
		return nil, err
	}
	var leftOut []string
	effective.Properties = slices.DeleteFunc(slices.Clone(effective.Properties), func(name string) bool {
		p, ok := invariants.Named(name)
		if ok && p.NotInTLA != "" {
			leftOut = append(leftOut, name)
		}
		return ok && p.NotInTLA != ""
	})
	r := &Run{Comparison: o, Override: effective, LeftOut: leftOut, arg: arg, Title: spec.Name, line: []string{"vsrcheck", "check", arg}}
	add := func(name, value string) {
		r.Title += "_" + name + "=" + value
		r.line = append(r.line, "--"+name+"="+value)
	}
	for _, c := range o.Request.Constants {
		if c.Given {
			add(job.OptionName(c.Name), c.Text)
		}
	}
	for _, rule := range o.Request.Rules {
		if rule.Text != "" {
			add(job.OptionName(rule.Rule.Name), rule.Text)
		}
	}
	if o.Request.Reduce != job.ReduceEager {
		add("reduce", o.Request.Reduce)
	}
	return r, nil
}

// Both runs the specification here and under TLC. When properties are violated, the
// state space is compared in a second pair of runs.
func (r *Run) Both(ctx context.Context) ([]tlc.Crosscheck, error) {
	pair, err := r.pair(ctx, r.About)
	if err != nil {
		return nil, err
	}
	if pair.Record.Verdict != results.Violated || r.About == None {
		return []tlc.Crosscheck{pair}, nil
	}
	space, err := r.pair(ctx, None)
	if err != nil {
		return nil, err
	}
	return []tlc.Crosscheck{pair, space}, nil
}

// pair runs the specification with some of its properties, here and under TLC.
func (r *Run) pair(ctx context.Context, properties string) (tlc.Crosscheck, error) {
	spec, name, line := r.With(properties)
	out, states, err := r.ours(ctx, &spec)
	if err != nil {
		return tlc.Crosscheck{}, err
	}
	text, err := r.configText(&spec, properties)
	if err != nil {
		return tlc.Crosscheck{}, err
	}
	run := &TLCRun{command: r.TLC, config: text, timeout: r.Patience}
	if states != nil {
		run.dumped = states.see
	}
	output, err := run.start(ctx)
	if err != nil {
		return tlc.Crosscheck{}, err
	}
	parsed, err := tlc.Parse(output)
	if err != nil {
		return tlc.Crosscheck{}, fmt.Errorf("%s: %w", name, err)
	}
	pair := tlc.Crosscheck{Name: name, Record: out.Record(line, r.ExitCode(out.End)), TLC: parsed}
	if states != nil && pair.Record.Verdict == results.Holds && parsed.Verdict == results.Holds {
		r.Differs = !states.report(r.Out, name) || r.Differs
	}
	if r.Keep != "" {
		return pair, keep(r.Keep, pair, output)
	}
	return pair, nil
}

// With is the specification with some of its properties, the name of that run, and the
// command line of a check that explores the same.
func (r *Run) With(properties string) (spec job.Override, name string, line []string) {
	spec, name, line = *r.Override, r.Title, slices.Clone(r.line)
	if properties != All {
		spec.Properties = slices.Clone(spec.Properties)
		spec.Properties = slices.DeleteFunc(spec.Properties, isLiveness)
		name, line = name+"."+properties, append(line, "--property="+orNone(spec.Properties))
	}
	if properties == None {
		spec.Invariants, spec.Properties, spec.CheckDeadlock = nil, nil, false
		line = append(slices.Clone(r.line), "--property=none", "--invariant="+job.NoAssertion, "--check-deadlock=false", "--continue")
	}
	return spec, name, line
}

func isLiveness(name string) bool {
	p, ok := invariants.Named(name)
	return ok && p.Kind == invariants.Liveness
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ",")
}

// configText is the .cfg file for TLC: the specification's own, unless something in it
// was overridden.
func (r *Run) configText(spec *job.Override, properties string) (string, error) {
	reduce := r.Request.Reduce
	if fit, _ := job.Fitting(model.Reductions{EagerSends: reduce == job.ReduceEager}, spec.Spec); reduce == job.ReduceEager && !fit.EagerSends {
		reduce = job.ReduceNone // as ours does
	}
	if r.Title == spec.Name && properties == All && reduce == job.ReduceEager && r.LeftOut == nil {
		if r.arg == spec.Name {
			return specs.Text(r.arg)
		}
		data, err := os.ReadFile(r.arg)
		return string(data), err
	}
	text := specs.Write(spec.Spec)
	if reduce != job.ReduceEager {
		text = strings.Replace(text, "CONSTANTS\n", "CONSTANTS\n  Reduce = \""+reduce+"\"\n", 1)
	}
	return text, nil
}

// ours explores the specification here. What TLC has no notion of is left out: that
// nothing ever made a premise true, that a channel was full, and, where no property was
// asked for, the assertions.
func (r *Run) ours(ctx context.Context, spec *job.Override) (*job.Outcome, *stateSet, error) {
	j, err := job.New(spec, false, r.Request.Reduce)
	if err != nil {
		return nil, nil, err
	}
	j.Bounded = true
	j.Counting = true
	j.Bound.Reachable = nil
	j.Bound.Listed = slices.DeleteFunc(j.Bound.Listed, func(p results.Property) bool { return p.Kind == string(invariants.Reachable) })
	j.Bound.DropBounds()
	j.Bound.DropUnasked()
	if len(spec.Invariants)+len(spec.Properties) == 0 {
		j.Bound.Invariants, j.Bound.Listed = nil, []results.Property{}
	}
	memory := job.DefaultMemory()
	opt := explore.Options{MemoryLimit: memory.Limit()}
	var states *stateSet
	if r.States {
		opt.Workers = 1 // so that the first state is the same in every run
		states = newStateSet(j.Model)
		j.Bound.Invariants = append(j.Bound.Invariants, explore.Invariant[model.State]{Name: "states", Holds: func(s *model.State) bool {
			if !j.Bound.Outside(s) {
				states.add(s)
			}
			return true
		}})
	}
	out, err := j.Run(ctx, opt)
	return out, states, err
}

// keep writes the two files of a cross-check.
func keep(dir string, c tlc.Crosscheck, output string) error {
	data, err := c.Record.Write()
	if err != nil {
		return err
	}
	if err := results.WriteFile(filepath.Join(dir, c.Name+tlc.CrosscheckRecord), data); err != nil {
		return err
	}
	return results.WriteFile(filepath.Join(dir, c.Name+tlc.CrosscheckTLC), []byte(tlc.Strip(output)))
}

// StartsOutside is that of the job which both would run.
func (r *Run) StartsOutside() (bool, error) {
	j, err := job.New(r.Override, false, r.Request.Reduce)
	return err == nil && j.StartsOutside(), err
}
