package main

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"vsrcheck/explore"
	"vsrcheck/invariants"
	"vsrcheck/model"
	"vsrcheck/results"
	"vsrcheck/specs"
)

// minimiseOptions is what the command line of minimise can say.
type minimiseOptions struct {
	*checkOptions
	property string
	output   string
}

func minimiseCommand() command {
	return command{
		name: "minimise", usage: "NAME|PATH.cfg [OPTIONS]",
		summary: "find the smallest sizes and budgets at which a specification is still violated",
		about: []string{
			"The property is the one that decides the check of the specification, or --property. " +
				"A candidate is the specification with one constant lowered and nothing but that property to check. " +
				"It violates when the property decides its check, which is exhaustive. " +
				"A candidate that ends as inconclusive, at --max-states or --cell-timeout or as a channel was full, counts as not violating, and the output says so.",
			"The constants are taken in the order " + strings.Join(minimisedNames(), ", ") + "; each is set to the least value that violates while the others are as they are, " +
				"tried from the lowest; of sets of replicas the smaller come first. With fewer replicas, what only the others could spend is lowered, too. This is repeated until it lowers nothing. " +
				"So no constant of the result can be lowered alone; another result with other constants low may exist.",
			"The result is a .cfg file for check and the trace of its violation. The exit code is that of a check of the result: 12 or 13, or 11 for a deadlock. " +
				"Without a violation to minimise it is that of the check of the specification: 0, or 20 if that is inconclusive; no file is written then.",
		},
		examples: []string{
			"vsrcheck minimise fetch-to-op-old --output small.cfg",
			"vsrcheck minimise my.cfg --property Durability --max-states 5000000",
		},
		groups: newMinimiseOptions,
		run:    runMinimise,
	}
}

func newMinimiseOptions() (any, []optionGroup) {
	check, shared := newCheckOptions()
	o := &minimiseOptions{checkOptions: check}
	groups := settingGroups(shared)
	f := groups.add("Violation")
	f.StringVar(&o.property, "property", "", "the `NAME` of the property whose violation is minimised (default: the one that decides the check)")
	f = groups.add("Run (the limits are for each candidate)")
	o.declareTimeout(f, cellTimeoutOption, "end a candidate as inconclusive after `TIME`, such as 90s; the result may then differ from machine to machine")
	shared.share(f, "max-states", "workers", "reduce", "memory-limit", "spill-dir", "disk-limit")
	f = groups.add("Output")
	f.StringVar(&o.output, "output", "", "write the smallest specification to `FILE.cfg` instead of standard output")
	shared.share(f, "json", "trace", "trace-states", "progress", "no-progress", "color")
	return o, groups
}

// minimisedOrder is the order in which constants are lowered: first what shrinks a state
// space most, so that what follows is cheap.
var minimisedOrder = []string{"replicas", "view_max", "drops", "duplicates", "resets", "stops", "crashes", "ops", "pipeline"}

// minimised are the constants that minimise lowers: all sizes and budgets, then all sets. A
// channel is not made smaller: steps would wait for room in it, which is no simpler.
func minimised() []specs.Constant {
	var sizes, sets []specs.Constant
	for _, c := range specs.Constants() {
		switch {
		case c.Name == "channel":
		case c.Kind == specs.IntValue:
			sizes = append(sizes, c)
		case c.Kind == specs.SetValue:
			sets = append(sets, c)
		}
	}
	rank := func(c specs.Constant) int {
		if i := slices.Index(minimisedOrder, c.Name); i >= 0 {
			return i
		}
		return len(minimisedOrder) // a new one: after those whose cost is known
	}
	slices.SortStableFunc(sizes, func(a, b specs.Constant) int { return rank(a) - rank(b) })
	return append(sizes, sets...)
}

func minimisedNames() (names []string) {
	for _, c := range minimised() {
		names = append(names, c.Name)
	}
	return names
}

// lower are the configurations with less of one constant, the least first. Those that are
// no configuration are left out.
func lower(c specs.Constant, from model.Config) (out []model.Config) {
	var values []specs.Value
	now := c.Get(from)
	if c.Kind == specs.IntValue {
		for n := range now.Int {
			values = append(values, specs.Value{Kind: specs.IntValue, Int: n})
		}
	} else {
		values = subsets(now.Set)
	}
	for _, v := range values {
		cfg := from
		if err := c.Set(&cfg, v); err != nil {
			continue
		}
		if cfg.Replicas != from.Replicas && cfg.Replicas >= 0 && cfg.Replicas <= model.MaxReplicas {
			// A replica that is gone can do nothing, and there is nothing to spend on it.
			cfg.MayCrash &= model.AllReplicas(cfg.Replicas)
			cfg.MayStop &= model.AllReplicas(cfg.Replicas)
			cfg.Stops = min(cfg.Stops, cfg.MayStop.Len())
			if cfg.MayCrash == 0 {
				cfg.Crashes = 0
			}
		}
		if cfg.Validate() == nil {
			out = append(out, cfg)
		}
	}
	return out
}

// subsets are the sets with less than all of the items, the smallest first.
func subsets(items []specs.Value) []specs.Value {
	var masks []uint
	for mask := range uint(1)<<len(items) - 1 {
		masks = append(masks, mask)
	}
	slices.SortStableFunc(masks, func(a, b uint) int { return bits.OnesCount(a) - bits.OnesCount(b) })
	var out []specs.Value
	for _, mask := range masks {
		set := specs.Value{Kind: specs.SetValue}
		for i, item := range items {
			if mask>>i&1 == 1 {
				set.Set = append(set.Set, item)
			}
		}
		out = append(out, set)
	}
	return out
}

// validate finds what the types of the options cannot.
func (o *minimiseOptions) validate() error {
	if samePath(o.output, o.json) {
		return usagef("--output: got %s, to which --json writes", o.output)
	}
	for _, t := range o.traces.targets {
		if samePath(o.output, t.path) {
			return usagef("--output: got %s, to which --trace writes", o.output)
		}
	}
	return o.checkOptions.validate()
}

// jobOf is the specification that the descent begins with.
func (o *minimiseOptions) jobOf(spec specs.Spec) (*job, error) {
	effective, err := o.apply(spec)
	if err != nil {
		return nil, err
	}
	if o.property != "" {
		if o.property != deadlock.Name {
			if err := specs.CheckProperty(o.property, "--property", invariants.State, invariants.Step, invariants.Liveness); err != nil {
				return nil, usagef("%s", err)
			}
		}
		effective.Spec, effective.chosen = checkingOnly(effective.Spec, o.property), true
		if name := effective.CutsFairSteps(); name != "" && effective.Specification() != spec.Specification() {
			return nil, usagef("--property: got a liveness property for a specification with the CONSTRAINT %s, want one of the two", name)
		}
	}
	return newJob(effective, false, o.reduce)
}

// minimiser is a descent from a violated specification.
type minimiser struct {
	*minimiseOptions
	call     *call
	page     *page
	files    *runFiles
	base     specs.Spec // as its file has it
	property string
	best     *outcome // the smallest that violates
	tried    map[model.Config]bool
	open     int // candidates that were inconclusive
}

func runMinimise(ctx context.Context, c *call) (int, error) {
	o := c.options.(*minimiseOptions)
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
	files, err := o.createFiles(c)
	if err != nil {
		return 0, err
	}
	defer files.abort()
	var result *results.File
	if c.flags.Changed("output") {
		if result, err = c.create(o.output); err != nil {
			return 0, err
		}
		defer result.Abort()
	}
	m := &minimiser{minimiseOptions: o, call: c, page: o.page(c), files: files, base: spec, tried: map[model.Config]bool{}}
	j.echo(m.page, o.runText(j, o.engineOptions()))
	m.page.printf("%s\n", m.page.paint(styleBold, candidateLine("candidate", "verdict", "distinct states", "time")))
	out, err := m.run(ctx, j, "as given")
	if err != nil {
		return 0, err
	}
	v := out.decisive()
	if v == nil {
		out.nothing(m.page)
		return out.code, nil
	}
	if out.Stop != explore.StopNone && j.bound.Deferred[v.Property] {
		code := exitInconclusive
		if ctx.Err() != nil {
			code = exitInterrupted
		}
		m.page.verdict(styleOpen, "INCONCLUSIVE", fmt.Sprintf("%s: %s (%s); --property %s minimises that, a higher limit what the specification is about",
			j.subject(), out.violatedText(), out.reason, v.Property))
		return code, nil
	}
	m.best, m.property = out, v.Property
	if err := m.descend(ctx); err != nil {
		return 0, err
	}
	return m.report(ctx, result)
}

// checkingOnly is a specification with nothing but one property to check.
func checkingOnly(spec specs.Spec, property string) specs.Spec {
	spec.Properties, spec.Invariants, spec.CheckDeadlock = nil, nil, property == deadlock.Name
	if p, ok := invariants.Named(property); ok && p.Kind == invariants.State {
		spec.Invariants = []string{property}
	} else if ok {
		spec.Properties = []string{property}
	}
	return spec
}

// descend lowers the constants until none can be lowered, or until it is interrupted.
func (m *minimiser) descend(ctx context.Context) error {
	for changed := true; changed; {
		changed = false
		for _, c := range minimised() {
			for _, cfg := range lower(c, m.best.Config) {
				smaller, err := m.try(ctx, c, cfg)
				if err != nil || ctx.Err() != nil {
					return err
				}
				if smaller {
					changed = true
					break // the lower ones were tried before
				}
			}
		}
	}
	return nil
}

// try runs a candidate, and makes it the best if it violates.
func (m *minimiser) try(ctx context.Context, c specs.Constant, cfg model.Config) (bool, error) {
	if m.tried[cfg] {
		return false, nil
	}
	m.tried[cfg] = true
	spec := checkingOnly(m.best.Spec, m.property)
	spec.Config = cfg
	lowered := newOverride(m.base, spec)
	lowered.chosen = true
	j, err := newJob(lowered, false, m.reduce)
	if err != nil {
		return false, err
	}
	out, err := m.run(ctx, j, differences(c, m.best.Config, cfg))
	if err != nil {
		return false, err
	}
	if v := out.decisive(); v == nil || v.Property != m.property {
		return false, nil
	}
	m.best = out
	return true, nil
}

// differences is what a candidate has lower, as name=value: the constant, and the budgets
// that go with it.
func differences(lowered specs.Constant, before, after model.Config) string {
	var parts []string
	for _, c := range minimised() {
		value := c.Get(after).String()
		if c.Name == lowered.Name || c.Kind == specs.IntValue && value != c.Get(before).String() {
			parts = append(parts, c.Name+"="+strings.ReplaceAll(value, " ", ""))
		}
	}
	return strings.Join(parts, " ")
}

// run runs one candidate and prints what came out.
func (m *minimiser) run(ctx context.Context, j *job, name string) (*outcome, error) {
	out, err := m.explore(ctx, m.call, j, m.engineOptions())
	if err != nil {
		return nil, errors.Join(err, out.panicTrace(m.page, m.states(), &m.files.traceFiles))
	}
	verdict := string(out.Verdict)
	switch v := out.decisive(); {
	case out.vacuous():
		verdict = "vacuous: " + out.reason
	case v != nil && m.property != "" && v.Property != m.property:
		verdict = fmt.Sprintf("does not violate: %s decides", v.Property)
	case v != nil:
		verdict = fmt.Sprintf("violates after %s", results.Plural(steps(v), "step"))
	case out.Verdict == explore.Inconclusive && m.best == nil:
		verdict = "inconclusive: " + out.reason
	case out.Verdict == explore.Inconclusive:
		verdict = "inconclusive, so does not count: " + out.reason
		m.open++
	}
	if len(out.Constraints) > 0 {
		verdict += "; " + results.CutOff(out.Outside)
	}
	m.page.printf("%s\n", candidateLine(name, verdict, results.Count(out.Distinct), results.Duration(out.Elapsed)))
	return out, nil
}

// candidateLine is a line of the table of candidates.
func candidateLine(name, verdict, distinct, time string) string {
	return fmt.Sprintf("%-20s %15s %8s  %s", name, distinct, time, verdict)
}

// nothing says that there is no violation to minimise.
func (o *outcome) nothing(p *page) {
	word, style, what, none := "HOLDS", styleGood, o.holdsText(), "there is no violation to minimise"
	switch {
	case o.vacuous():
		word, style, what = "VACUOUS", styleOpen, o.reason
	case o.Verdict == explore.Inconclusive:
		word, style, what, none = "INCONCLUSIVE", styleOpen, o.reason, "no violation was found that could be minimised"
	}
	p.verdict(style, word, fmt.Sprintf("%s: %s; %s", o.subject(), what, none))
}

// smallest is the specification that the descent came to, for a file of its own.
func (m *minimiser) smallest(complete bool) specs.Spec {
	spec := checkingOnly(m.best.Spec, m.property)
	spec.Size = ""
	name := strings.Join(strings.Fields(m.base.Name), " ") // a file's name may have anything in it
	spec.Summary = "Smallest sizes at which " + name + " violates " + m.property
	spec.Text = "Made by vsrcheck minimise. "
	switch {
	case !complete:
		spec.Text += "It was interrupted, so smaller ones may violate, too."
	default:
		spec.Text += "With one constant lower and the others as they are here, there\nis no violation: each such candidate was checked."
		if m.open > 0 {
			spec.Text += "\n" + m.openText()
		}
	}
	return spec
}

// openText says of inconclusive candidates how they were counted.
func (m *minimiser) openText() string {
	return fmt.Sprintf("Inconclusive and counted as not violating: %s.", results.Plural(m.open, "candidate"))
}

// report prints the smallest specification with its trace, and the verdict last.
func (m *minimiser) report(ctx context.Context, result *results.File) (int, error) {
	p, out := m.page, m.best
	defer p.later()()
	complete := ctx.Err() == nil
	p.printf("\n")
	failed := p.show(out.withWidth(p.width).trace(out.decisive()), m.states())
	p.printf("\n")
	text := specs.Write(m.smallest(complete))
	if result == nil {
		p.printf("%s", text)
	} else {
		err := result.Commit([]byte(text))
		if err == nil {
			p.item("written", specs.Printable(m.output))
		}
		failed = join(failed, err)
	}
	if files := m.files.line(true); files != "" {
		p.item("trace", files)
	}
	failed = join(failed, m.files.finish(out, m.states(), out.record(m.call.commandLine)))
	var sizes []string
	for _, c := range minimised() {
		if !c.Shown(out.Config) {
			continue
		}
		sizes = append(sizes, c.Name+"="+strings.ReplaceAll(c.Get(out.Config).String(), " ", ""))
	}
	what := fmt.Sprintf("%s%s: %s after %s with %s; %s tried", m.base.Name, out.within(), m.property, results.Plural(steps(out.decisive()), "step"),
		strings.Join(sizes, ", "), results.Plural(len(m.tried), "candidate"))
	if m.open > 0 {
		what += "; " + strings.ToLower(m.openText()[:1]) + strings.TrimSuffix(m.openText()[1:], ".")
	}
	if !complete {
		p.verdict(styleOpen, "INTERRUPTED", what+"; smaller ones may violate, too")
		return exitInterrupted, failed
	}
	p.verdict(styleBad, "MINIMISED", what)
	return out.code, failed
}
