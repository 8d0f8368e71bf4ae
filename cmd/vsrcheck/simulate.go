package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"vsrcheck/explore"
	"vsrcheck/model"
	"vsrcheck/results"
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
		run: runSimulate,
	}
}

// simulateOptions is what the command line of simulate can say.
type simulateOptions struct {
	*checkOptions
	seed  uint64
	num   uint64
	depth int
}

// newSimulateOptions declares the options of simulate: what is to be checked is said as
// in check.
func newSimulateOptions() (*simulateOptions, []optionGroup) {
	check, shared := newCheckOptions()
	o := &simulateOptions{checkOptions: check}
	groups := specGroups(shared)
	f := groups.add("Run")
	f.Uint64Var(&o.seed, "seed", 1, "`N` decides all walks: the same seed is the same run")
	f.Uint64Var(&o.num, "num", 10_000, "end after `N` walks; 0: at --timeout or Ctrl-C only")
	f.IntVar(&o.depth, "depth", explore.DefaultDepth, "a walk ends after `N` steps, if it has not come to its end before")
	shared.share(f, "workers", timeoutOption, oldTimeoutOption)
	declareSends(f, &o.reduce)
	output := groups.add("Output")
	shared.share(output, "json", "trace", "trace-states", "progress", "no-progress", "color")
	return o, groups
}

// settingGroups are the options of check for every constant and every rule, known defects
// included.
func settingGroups(check optionGroups) optionGroups { return check[:3:3] }

// specGroups are the options of check that say what is checked: sizes, rules, known
// defects and properties.
func specGroups(check optionGroups) optionGroups { return check[:4:4] }

func (o *simulateOptions) validate() error {
	switch {
	case o.depth < 1:
		return usagef("--depth: got %d, want a number of steps, at least 1", o.depth)
	case o.num > math.MaxUint32:
		return usagef("--num: got %d, want at most %d walks, or 0 for no limit", o.num, uint32(math.MaxUint32))
	}
	return o.checkOptions.validate()
}

func runSimulate(ctx context.Context, c *call) (int, error) {
	o := c.options.(*simulateOptions)
	if err := o.validate(); err != nil {
		return 0, err
	}
	j, err := o.job(c)
	if err != nil {
		return 0, err
	}
	j.bound.dropBounds()
	files, err := o.createFiles(c)
	if err != nil {
		return 0, err
	}
	defer files.abort()
	opt := explore.SimulateOptions{Seed: o.seed, Walks: o.num, Depth: o.depth, Workers: o.workerCount()}
	p := o.page(c)
	j.echo(p, o.runText(j, opt))
	out, err := o.simulate(ctx, c, j, opt)
	if err != nil {
		return 0, errors.Join(fmt.Errorf("simulate %s: %w", j.Name, err), out.panicTrace(p, o.states(), &files.traceFiles))
	}
	defer p.later()()
	return out.code, join(out.report(p, o.states(), files.line(out.traced() != nil)),
		files.finish(out.outcome, o.states(), out.record(c.commandLine)))
}

// simulate does the walks under the limits of the command line. When the model fails,
// what comes with the error has the trace to the state in which it did.
func (o *simulateOptions) simulate(ctx context.Context, c *call, j *job, opt explore.SimulateOptions) (*simulated, error) {
	ctx, cancel := o.withTimeout(ctx)
	defer cancel()
	switch {
	case o.quiet():
	case o.progress == progressForPrograms:
		m := newMeter(c.stderr, 0)
		opt.Interval, opt.Progress = time.Second, m.simulateJSON
	default:
		m := newMeter(c.stderr, 0)
		opt.Interval = m.interval()
		opt.Progress = func(s explore.SimulateProgress) { m.show(simulateProgressLine(s)) }
		defer m.clear()
	}
	out := &simulated{outcome: &outcome{job: j, started: time.Now()}}
	var err error
	out.sim, err = explore.Simulate(ctx, explore.System[model.State](j.model), j.bound.Properties, opt)
	if out.sim != nil {
		out.asResult(ctx)
		out.reason = o.reasonOf(ctx, out.reason)
	}
	return out, err
}

// runText says how the run is done.
func (o *simulateOptions) runText(j *job, opt explore.SimulateOptions) string {
	parts := []string{"random walks", fmt.Sprintf("seed=%d", opt.Seed)}
	if opt.Walks != 0 {
		parts = append(parts, "at most "+results.Count(opt.Walks)+" walks")
	}
	parts = append(parts, fmt.Sprintf("at most %d steps each", opt.Depth), fmt.Sprintf("workers=%d", opt.Workers), "reduce="+reductionOf(j.model))
	if o.timeout != 0 {
		parts = append(parts, "at most "+o.timeout.String())
	}
	return strings.Join(parts, ", ")
}

func simulateProgressLine(s explore.SimulateProgress) string {
	return fmt.Sprintf("%s: %s, %s walks", s.Phase, results.Duration(s.Elapsed.Round(time.Second)), results.Count(s.Walks))
}

// simulated is a job that has been simulated. Its outcome stands for what a search
// would have found, so that the same code prints it.
type simulated struct {
	*outcome
	sim *explore.Simulation[model.State]
}

// asResult fills in the outcome.
func (s *simulated) asResult(ctx context.Context) {
	// What was found is listed twice, in the same order: as it decides.
	slices.SortStableFunc(s.sim.Violations, func(a, b explore.Found[model.State]) int {
		return int(s.rankOf(&a.Violation) - s.rankOf(&b.Violation))
	})
	r := &explore.Result[model.State]{
		Verdict: s.sim.Verdict, Stop: s.sim.Stop, Reason: s.sim.Reason, PanicTrace: s.sim.PanicTrace,
		Observed: s.sim.Observed, Quiescent: s.sim.Quiescent, Outside: s.sim.Outside, OutsideOf: s.sim.OutsideOf, Workers: s.sim.Workers, Elapsed: s.sim.Elapsed,
	}
	for i := range s.sim.Violations {
		r.Violations = append(r.Violations, s.sim.Violations[i].Violation)
	}
	if r.Verdict == explore.Violated {
		r.Stop = explore.StopNone // walks decide nothing else, whether they go on or not
	}
	for _, c := range s.sim.Coverage {
		r.Coverage = append(r.Coverage, c.Coverage)
	}
	s.Result = r
	s.decide(ctx)
}

// record is everything about the run for its JSON file.
func (s *simulated) record(commandLine []string) *results.Record {
	r := s.outcome.record(commandLine)
	r.Simulation = &results.Simulation{
		Seed: s.sim.Seed, Depth: s.sim.Depth, Walks: s.sim.Walks, Steps: s.sim.Steps, Longest: s.sim.Longest, Cut: s.sim.Cut,
		Distinct: s.sim.Distinct, DistinctError: explore.DistinctError, Met: s.sim.ReachableMet,
	}
	for i := range s.sim.Violations {
		v := &s.sim.Violations[i]
		r.Simulation.Shrunk = append(r.Simulation.Shrunk, results.Shrunk{Walk: v.Walk, From: v.Walked, To: steps(&v.Violation)})
	}
	for i := range r.Coverage {
		r.Coverage[i].Taken = s.sim.Coverage[i].Taken
	}
	return r
}

// report prints what the walks came by, the verdict last. files says which trace files
// there are; "" is none.
func (s *simulated) report(p *page, states results.States, files string) error {
	narrow := s.withWidth(p.width)
	for i := range s.sim.Violations {
		v := &s.sim.Violations[i]
		p.item("simulated", foundText(v, s.sim.Seed))
		p.printf("\n")
		if err := p.show(narrow.trace(&v.Violation), states); err != nil {
			return err
		}
		p.printf("\n")
	}
	s.coverage(p)
	s.figures(p)
	if files != "" {
		p.item("trace", files)
	}
	s.verdict(p)
	return nil
}

// foundText says where a trace comes from, and what it is not.
func foundText(v *explore.Found[model.State], seed uint64) string {
	n := steps(&v.Violation)
	shrunk := fmt.Sprintf("%d steps shrunk to %d", v.Walked, n)
	if n == v.Walked {
		shrunk = fmt.Sprintf("%d steps, which shrinking does not lower", n)
	}
	return fmt.Sprintf("%s is violated in walk %s of seed %d: %s; the trace was found by simulation and is not proven to be a shortest one",
		v.Property, results.Count(v.Walk), seed, shrunk)
}

// coverage prints what each kind of action did, and points out those that were never
// taken.
func (s *simulated) coverage(p *page) {
	var rows []coverageRow
	var never []string
	withOthers := s.model.Fused()
	for k, c := range s.sim.Coverage {
		if c.Taken == 0 {
			if !slices.Contains(withOthers, k) {
				never = append(never, c.Kind)
			}
			continue
		}
		rows = append(rows, coverageRow{c.Kind, c.Fair, c.Effective, c.Taken})
	}
	p.coverage("enabled", "of these taken", rows)
	if len(never) > 0 {
		p.item("never taken", strings.Join(never, ", "))
	}
	p.printf("\n")
}

// figures prints how much was walked, and at what cost.
func (s *simulated) figures(p *page) {
	walks := float64(s.sim.Walks)
	seconds := max(s.sim.Elapsed.Seconds(), 1e-9)
	p.wrapped("  ", fmt.Sprintf("%s walks, %s steps, about %s distinct states (standard error %.1f%%)",
		results.Count(s.sim.Walks), results.Count(s.sim.Steps), results.Count(s.sim.Distinct), 100*explore.DistinctError))
	p.item("walks", fmt.Sprintf("%.1f steps on average, %d at most; %s cut at %d steps", float64(s.sim.Steps)/max(walks, 1), s.sim.Longest, results.Count(s.sim.Cut), s.sim.Depth))
	s.cutOff(p, "steps outside", results.StepsOutside(s.sim.Outside))
	for _, name := range slices.Compact(slices.Sorted(maps.Values(s.bound.parts))) {
		p.item("not seen", name+" is a temporal formula, at which walks do not look")
	}
	if len(s.bound.Recurrent) > 0 {
		p.item("liveness", fmt.Sprintf("inspected in the %s quiescent states that the walks came by, %.1f a walk", results.Count(s.sim.Quiescent), float64(s.sim.Quiescent)/max(walks, 1)))
		s.observations(p)
	}
	var unmet []string
	for _, r := range s.bound.Reachable {
		if _, met := s.sim.ReachableMet[r.Name]; !met {
			unmet = append(unmet, r.Name)
		}
	}
	if len(unmet) > 0 {
		p.item("never met", strings.Join(unmet, ", ")+": raise the bounds or walk more")
	}
	p.item("time", fmt.Sprintf("%s with %s, %.0f walks/s, %s steps", results.Duration(s.sim.Elapsed), results.Plural(s.sim.Workers, "worker"), walks/seconds, results.Rate(float64(s.sim.Steps)/seconds)))
}
