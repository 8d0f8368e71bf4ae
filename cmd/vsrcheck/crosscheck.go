package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"vsrcheck/explore"
	"vsrcheck/invariants"
	"vsrcheck/model"
	"vsrcheck/results"
	"vsrcheck/results/tlc"
	"vsrcheck/specs"
)

// crosscheckOptions is what the command line of crosscheck can say.
type crosscheckOptions struct {
	*checkOptions // of which the constants, the rules and the reduction can be given

	tlc        string
	about      string // which properties
	states     bool
	keep, from string
	write      bool
	patience   time.Duration // with one run of TLC; 0: no end

	speed  bool
	rounds int
}

// Which properties a cross-check is about.
const (
	crossAll    = "all"    // those of the specification
	crossSafety = "safety" // without those of liveness, which take TLC long
	crossNone   = "none"   // the state space alone
)

func crosscheckCommand() command {
	return command{
		name: "crosscheck", usage: "[NAME|PATH.cfg...] [OPTIONS]",
		summary: "run specifications here and under TLC, and compare; without names, the tiny ones",
		about:   []string{"What TLA+ cannot state is left out: GroupRecovers, which check asks beside other liveness properties (explain GroupRecovers)."},
		examples: []string{
			"vsrcheck crosscheck --tlc 'java -cp tla2tools.jar tlc2.TLC'",
			"vsrcheck crosscheck tiny-fetch-to-op-fixed --view-max 1 --ops 1 --states",
			"vsrcheck crosscheck --from results/runs/tlc",
			"vsrcheck crosscheck --speed --workers 2 fetch-to-op-fixed-small --reduce none",
		},
		groups: newCrosscheckOptions,
		run:    runCrosscheck,
	}
}

func newCrosscheckOptions() (any, []optionGroup) {
	check, shared := newCheckOptions()
	o := &crosscheckOptions{checkOptions: check, about: crossAll}
	var groups optionGroups
	f := groups.add("Comparison")
	f.StringVar(&o.tlc, "tlc", "tlc", "the shell `COMMAND` that starts TLC")
	f.Var(&choice{&o.about, []string{crossAll, crossSafety, crossNone}}, "properties", "which of the specification's properties to check; liveness takes TLC long")
	f.BoolVar(&o.states, "states", false, "compare the sets of states too, and show the first that only one of the two reaches")
	declareSends(f, &o.reduce)
	f.Lookup("reduce").Usage += "; the same in both"
	f.DurationVar(&o.patience, "timeout", 0, "give up on one run of TLC after `TIME`")
	f.StringVar(&o.keep, "keep", "", "keep the records, TLC's outputs and the table of all that is there in `FOLDER`")
	f.StringVar(&o.from, "from", "", "run nothing; print the table of what is kept in `FOLDER`")
	f.BoolVar(&o.write, "write", false, "with --from: write the table to that folder's README.md instead")
	o.addSpeed(&groups, shared)
	return o, append(groups, settingGroups(shared)...)
}

func runCrosscheck(ctx context.Context, c *call) (int, error) {
	o := c.options.(*crosscheckOptions)
	if err := o.validateSpeed(c); err != nil {
		return 0, err
	}
	if o.from != "" {
		return o.printKept(c)
	}
	if o.write {
		return 0, usagef("--write: got no --from FOLDER, want one")
	}
	names := c.args
	if len(names) == 0 {
		chosen, err := (&manifestOptions{sizes: []string{specs.Tiny}}).specs(nil)
		if err != nil {
			return 0, err
		}
		for _, spec := range chosen {
			names = append(names, spec.Name)
		}
	}
	var runs []*crossRun
	for _, name := range names {
		spec, err := c.findSpec(name)
		if err != nil {
			return 0, err
		}
		run, err := o.newCrossRun(name, spec)
		if err != nil {
			return 0, err
		}
		if outside, err := run.startsOutside(); err != nil {
			return 0, err
		} else if outside {
			printf(c.stdout, "INCONCLUSIVE %s%s: the initial state is outside the constraint, no state would be visited: nothing to compare\n", run.name, results.Within(run.Constraints))
			return exitAssumption, nil
		}
		for _, name := range run.leftOut {
			p, _ := invariants.Named(name)
			printf(c.stderr, "vsrcheck: crosscheck: %s: %s is left out, as TLC cannot check it: %s\n", run.name, name, p.NotInTLA)
		}
		runs = append(runs, run)
	}
	if o.keep != "" {
		if err := os.MkdirAll(o.keep, 0o755); err != nil {
			return 0, fmt.Errorf("%w: %w", results.ErrOutput, err)
		}
	}
	if o.speed {
		return o.compareSpeed(ctx, c, runs)
	}
	var all []tlc.Crosscheck
	differs := false
	for _, run := range runs {
		pairs, err := run.both(ctx, c)
		if ctx.Err() != nil {
			return exitInterrupted, nil
		}
		if errors.Is(err, errNoTLC) {
			printf(c.stderr, "vsrcheck: crosscheck: skipped: %s\n", err)
			return exitInconclusive, nil
		}
		if err != nil {
			return 0, err
		}
		all = append(all, pairs...)
		differs = differs || run.differs
	}
	printf(c.stdout, "%s", tlc.CrosscheckRows(all))
	for i := range all {
		for _, d := range all[i].Differences() {
			printf(c.stdout, "%s: %s\n", all[i].Name, d)
			differs = true
		}
	}
	if o.keep != "" {
		everything, err := kept(o.keep)
		if err != nil {
			return 0, err
		}
		if err := writeTable(o.keep, everything); err != nil {
			return 0, err
		}
	}
	if differs {
		return exitDiffers, nil
	}
	return exitHolds, nil
}

// kept reads the cross-checks of a folder that the command line names.
func kept(dir string) ([]tlc.Crosscheck, error) {
	all, err := tlc.ReadCrosschecks(dir)
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("%w in %s", tlc.ErrNoCrosscheck, dir)
	}
	return all, err
}

func (o *crosscheckOptions) printKept(c *call) (int, error) {
	if len(c.args) > 0 {
		return 0, usagef("crosscheck: got %d arguments beside --from, want none", len(c.args))
	}
	if o.speed {
		return exitHolds, o.printSpeeds(c)
	}
	all, err := kept(o.from)
	if err != nil {
		return 0, fmt.Errorf("--from: %w", err)
	}
	if o.write {
		if err := writeTable(o.from, all); err != nil {
			return 0, err
		}
	} else {
		printf(c.stdout, "%s", tlc.CrosscheckRows(all))
	}
	for i := range all {
		if len(all[i].Differences()) > 0 {
			return exitDiffers, nil
		}
	}
	return exitHolds, nil
}

// writeTable writes the table of a folder to its document.
func writeTable(dir string, all []tlc.Crosscheck) error {
	return results.WriteFile(filepath.Join(dir, tlc.CrosscheckTable), []byte(tlc.CrosscheckDocument(all)))
}

// crossRun is one specification that both are to run.
type crossRun struct {
	*crosscheckOptions
	*override
	arg     string   // the specification as the command line names it
	name    string   // for files and tables: the specification and what was overridden
	line    []string // the command line of a check that explores the same
	differs bool     // the state sets differ
	leftOut []string // properties that TLC cannot check
}

// newCrossRun applies the overrides of the command line to a specification.
func (o *crosscheckOptions) newCrossRun(arg string, spec specs.Spec) (*crossRun, error) {
	effective, err := o.apply(spec)
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
	r := &crossRun{crosscheckOptions: o, override: effective, leftOut: leftOut, arg: arg, name: spec.Name, line: []string{"vsrcheck", "check", arg}}
	add := func(name, value string) {
		r.name += "_" + name + "=" + value
		r.line = append(r.line, "--"+name+"="+value)
	}
	for _, c := range o.constants {
		if c.given {
			add(optionName(c.Name), c.text)
		}
	}
	for _, rule := range o.rules {
		if rule.text != "" {
			add(optionName(rule.rule.Name), rule.text)
		}
	}
	if o.reduce != reduceEager {
		add("reduce", o.reduce)
	}
	return r, nil
}

// both runs the specification here and under TLC. When properties are violated, the
// state space is compared in a second pair of runs.
func (r *crossRun) both(ctx context.Context, c *call) ([]tlc.Crosscheck, error) {
	pair, err := r.pair(ctx, c, r.about)
	if err != nil {
		return nil, err
	}
	if pair.Record.Verdict != results.Violated || r.about == crossNone {
		return []tlc.Crosscheck{pair}, nil
	}
	space, err := r.pair(ctx, c, crossNone)
	if err != nil {
		return nil, err
	}
	return []tlc.Crosscheck{pair, space}, nil
}

// pair runs the specification with some of its properties, here and under TLC.
func (r *crossRun) pair(ctx context.Context, c *call, properties string) (tlc.Crosscheck, error) {
	spec, name, line := r.with(properties)
	out, states, err := r.ours(ctx, &spec)
	if err != nil {
		return tlc.Crosscheck{}, err
	}
	text, err := r.configText(&spec, properties)
	if err != nil {
		return tlc.Crosscheck{}, err
	}
	run := &tlcRun{command: r.tlc, config: text, timeout: r.patience}
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
	pair := tlc.Crosscheck{Name: name, Record: out.record(line), TLC: parsed}
	if states != nil && pair.Record.Verdict == results.Holds && parsed.Verdict == results.Holds {
		r.differs = !states.report(c, name) || r.differs
	}
	if r.keep != "" {
		return pair, keep(r.keep, pair, output)
	}
	return pair, nil
}

// with is the specification with some of its properties, the name of that run, and the
// command line of a check that explores the same.
func (r *crossRun) with(properties string) (spec override, name string, line []string) {
	spec, name, line = *r.override, r.name, slices.Clone(r.line)
	if properties != crossAll {
		spec.Properties = slices.Clone(spec.Properties)
		spec.Properties = slices.DeleteFunc(spec.Properties, isLiveness)
		name, line = name+"."+properties, append(line, "--property="+orNone(spec.Properties))
	}
	if properties == crossNone {
		spec.Invariants, spec.Properties, spec.CheckDeadlock = nil, nil, false
		line = append(slices.Clone(r.line), "--property=none", "--invariant="+noAssertion, "--check-deadlock=false", "--continue")
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
func (r *crossRun) configText(spec *override, properties string) (string, error) {
	reduce := r.reduce
	if fit, _ := fitting(model.Reductions{EagerSends: reduce == reduceEager}, spec.Spec); reduce == reduceEager && !fit.EagerSends {
		reduce = reduceNone // as ours does
	}
	if r.name == spec.Name && properties == crossAll && reduce == reduceEager && r.leftOut == nil {
		if r.arg == spec.Name {
			return specs.Text(r.arg)
		}
		data, err := os.ReadFile(r.arg)
		return string(data), err
	}
	text := specs.Write(spec.Spec)
	if reduce != reduceEager {
		text = strings.Replace(text, "CONSTANTS\n", "CONSTANTS\n  Reduce = \""+reduce+"\"\n", 1)
	}
	return text, nil
}

// ours explores the specification here. What TLC has no notion of is left out: that
// nothing ever made a premise true, that a channel was full, and, where no property was
// asked for, the assertions.
func (r *crossRun) ours(ctx context.Context, spec *override) (*outcome, *stateSet, error) {
	j, err := newJob(spec, false, r.reduce)
	if err != nil {
		return nil, nil, err
	}
	j.bounded = true
	j.counting = true
	j.bound.Reachable = nil
	j.bound.listed = slices.DeleteFunc(j.bound.listed, func(p results.Property) bool { return p.Kind == string(invariants.Reachable) })
	j.bound.dropBounds()
	j.bound.dropUnasked()
	if len(spec.Invariants)+len(spec.Properties) == 0 {
		j.bound.Invariants, j.bound.listed = nil, []results.Property{}
	}
	memory := defaultMemory()
	opt := explore.Options{MemoryLimit: memory.limit()}
	var states *stateSet
	if r.states {
		opt.Workers = 1 // so that the first state is the same in every run
		states = newStateSet(j.model)
		j.bound.Invariants = append(j.bound.Invariants, explore.Invariant[model.State]{Name: "states", Holds: func(s *model.State) bool {
			if !j.bound.outside(s) {
				states.add(s)
			}
			return true
		}})
	}
	out, err := j.run(ctx, opt)
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
