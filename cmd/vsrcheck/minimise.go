package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"vsrcheck/cmd/vsrcheck/internal/behaviour"
	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/cmd/vsrcheck/internal/search"
	"vsrcheck/cmd/vsrcheck/internal/tell"
	"vsrcheck/explore"
	"vsrcheck/invariants"
	"vsrcheck/results"
	"vsrcheck/specs"
)

// minimiseOptions is what the command line of minimise can say.
type minimiseOptions struct {
	job.Request
	job.Limits
	outputOptions
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
			"The constants are taken in the order " + strings.Join(search.MinimisedNames(), ", ") + "; each is set to the least value that violates while the others are as they are, " +
				"tried from the lowest; of sets of replicas the smaller come first. With fewer replicas, what only the others could spend is lowered, too. This is repeated until it lowers nothing. " +
				"So no constant of the result can be lowered alone; another result with other constants low may exist.",
			"The result is a .cfg file for check and the trace of its violation. The exit code is that of a check of the result: 12 or 13, or 11 for a deadlock. " +
				"Without a violation to minimise it is that of the check of the specification: 0, or 20 if that is inconclusive; no file is written then.",
		},
		examples: []string{
			"vsrcheck minimise fetch-to-op-old --output small.cfg",
			"vsrcheck minimise my.cfg --property Durability --max-states 5000000",
		},
		groups:    newMinimiseOptions,
		completes: specNames,
		run:       runMinimise,
	}
}

func newMinimiseOptions() (any, []optionGroup) {
	o := &minimiseOptions{Request: job.Request{Settings: job.NewSettings()}, Limits: job.NewLimits()}
	var groups optionGroups
	groups.settings(&o.Settings, "the specification's")
	f := groups.add("Violation")
	f.StringVar(&o.property, "property", "", "the `NAME` of the property whose violation is minimised (default: the one that decides the check)")
	f = groups.add("Run (the limits are for each candidate)")
	addTimeout(f, &o.Limits, cellTimeoutOption, "end a candidate as inconclusive after `TIME`, such as 90s; the result may then differ from machine to machine")
	addWorkers(f, &o.Limits)
	addReduce(f, &o.Request)
	addMaxStates(f, &o.Limits)
	addMemory(f, &o.Limits)
	f = groups.add("Output")
	f.StringVar(&o.output, "output", "", "write the smallest specification to `FILE.cfg` instead of standard output")
	o.outputOptions.add(f)
	return o, groups
}

// validate finds what the types of the options cannot.
func (o *minimiseOptions) validate() error {
	if samePath(o.output, o.json) {
		return job.Wrongf("--output: got %s, to which --json writes", o.output)
	}
	for _, t := range o.traces.targets {
		if samePath(o.output, t.path) {
			return job.Wrongf("--output: got %s, to which --trace writes", o.output)
		}
	}
	return validateLimits(&o.Limits)
}

// jobOf is the specification that the descent begins with.
func (o *minimiseOptions) jobOf(spec specs.Spec) (*job.Job, error) {
	effective, err := o.Apply(spec)
	if err != nil {
		return nil, err
	}
	if o.property != "" {
		if o.property != job.Deadlock.Name {
			if err := specs.CheckProperty(o.property, "--property", invariants.State, invariants.Step, invariants.Liveness); err != nil {
				return nil, job.Wrongf("%s", err)
			}
		}
		effective.Spec, effective.Chosen = job.CheckingOnly(effective.Spec, o.property), true
		if name := effective.CutsFairSteps(); name != "" && effective.Specification() != spec.Specification() {
			return nil, job.Wrongf("--property: got a liveness property for a specification with the CONSTRAINT %s, want one of the two", name)
		}
	}
	return job.New(effective, false, o.Reduce)
}

// minimising is a use of minimise.
type minimising struct {
	*minimiseOptions
	*search.Minimiser
	call  *call
	page  *tell.Page
	files *runFiles
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
	m := &minimising{minimiseOptions: o, Minimiser: search.NewMinimiser(spec, o.Reduce), call: c, page: o.page(c), files: files}
	m.Check = m.run
	m.page.Echo(j, tell.RunText(&o.Limits, j, o.Limits.Options()))
	m.page.Printf("%s\n", m.page.Paint(tell.StyleBold, candidateLine("candidate", "verdict", "distinct states", "time")))
	out, err := m.run(ctx, j, "as given")
	if err != nil {
		return 0, err
	}
	v := out.Decisive()
	if v == nil {
		m.page.Nothing(out)
		return codeOf(out.End), nil
	}
	if out.Stop != explore.StopNone && j.Bound.Deferred[v.Property] {
		code := exitInconclusive
		if ctx.Err() != nil {
			code = exitInterrupted
		}
		m.page.Verdict(tell.StyleOpen, "INCONCLUSIVE", fmt.Sprintf("%s: %s (%s); --property %s minimises that, a higher limit what the specification is about",
			j.Subject(), tell.ViolatedText(out, tell.Advise(&m.Limits, out.Stop, out.TimedOut)), out.Why, v.Property))
		return code, nil
	}
	if err := m.Descend(ctx, out); err != nil {
		return 0, err
	}
	return m.report(ctx, result)
}

// run runs one candidate and prints what came out.
func (m *minimising) run(ctx context.Context, j *job.Job, name string) (*job.Outcome, error) {
	out, err := m.explore(ctx, m.call, &m.Limits, j, m.Limits.Options())
	if err != nil {
		return nil, errors.Join(err, panicTrace(m.page, out, m.states(), &m.files.traceFiles))
	}
	verdict := string(out.Verdict)
	switch v := out.Decisive(); {
	case out.Vacuous():
		verdict = "vacuous: " + out.Why
	case v != nil && m.Minimiser.Property != "" && v.Property != m.Minimiser.Property:
		verdict = fmt.Sprintf("does not violate: %s decides", v.Property)
	case v != nil:
		verdict = fmt.Sprintf("violates after %s", results.Plural(job.Steps(v), "step"))
	case out.Verdict == explore.Inconclusive && m.Best == nil:
		verdict = "inconclusive: " + out.Why
	case out.Verdict == explore.Inconclusive:
		verdict = "inconclusive, so does not count: " + out.Why
	}
	if len(out.Constraints) > 0 {
		verdict += "; " + results.CutOff(out.Outside)
	}
	m.page.Printf("%s\n", candidateLine(name, verdict, results.Count(out.Distinct), results.Duration(out.Elapsed)))
	return out, nil
}

// candidateLine is a line of the table of candidates.
func candidateLine(name, verdict, distinct, time string) string {
	return fmt.Sprintf("%-20s %15s %8s  %s", name, distinct, time, verdict)
}

// report prints the smallest specification with its trace, and the verdict last.
func (m *minimising) report(ctx context.Context, result *results.File) (int, error) {
	p, out := m.page, m.Best
	defer p.Later()()
	complete := ctx.Err() == nil
	p.Printf("\n")
	failed := p.Show(behaviour.OfViolation(behaviour.WithWidth(out.Job, p.Width), out.Decisive()), m.states())
	p.Printf("\n")
	text := specs.Write(m.Smallest(complete))
	if result == nil {
		p.Printf("%s", text)
	} else {
		err := result.Commit([]byte(text))
		if err == nil {
			p.Item("written", specs.Printable(m.output))
		}
		failed = join(failed, err)
	}
	if files := m.files.line(true); files != "" {
		p.Item("trace", files)
	}
	failed = join(failed, m.files.finish(out, m.states(), out.Record(m.call.commandLine, codeOf(out.End))))
	var sizes []string
	for _, c := range search.Minimised() {
		if !c.Shown(out.Config) {
			continue
		}
		sizes = append(sizes, c.Name+"="+strings.ReplaceAll(c.Get(out.Config).String(), " ", ""))
	}
	what := fmt.Sprintf("%s%s: %s after %s with %s; %s tried", m.Base.Name, out.Within(), m.Minimiser.Property, results.Plural(job.Steps(out.Decisive()), "step"),
		strings.Join(sizes, ", "), results.Plural(len(m.Tried), "candidate"))
	if m.Open > 0 {
		what += "; " + strings.ToLower(m.OpenText()[:1]) + strings.TrimSuffix(m.OpenText()[1:], ".")
	}
	if !complete {
		p.Verdict(tell.StyleOpen, "INTERRUPTED", what+"; smaller ones may violate, too")
		return exitInterrupted, failed
	}
	p.Verdict(tell.StyleBad, "MINIMISED", what)
	return codeOf(out.End), failed
}
