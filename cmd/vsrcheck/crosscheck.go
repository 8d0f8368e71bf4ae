package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"vsrcheck/cmd/vsrcheck/internal/cross"
	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/cmd/vsrcheck/internal/tell"
	"vsrcheck/invariants"
	"vsrcheck/results"
	"vsrcheck/results/tlc"
	"vsrcheck/specs"
)

// crosscheckOptions is what the command line of crosscheck can say.
type crosscheckOptions struct {
	cross.Comparison
	from  string
	write bool
	speed bool
}

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
		groups:    newCrosscheckOptions,
		completes: specNames,
		run:       runCrosscheck,
	}
}

func newCrosscheckOptions() (any, []optionGroup) {
	limits := job.NewLimits()
	o := &crosscheckOptions{Comparison: cross.Comparison{
		About: cross.All, Request: &job.Request{Settings: job.NewSettings()}, Limits: &limits, ExitCode: codeOf,
	}}
	var groups optionGroups
	f := groups.add("Comparison")
	f.StringVar(&o.TLC, "tlc", "tlc", "the shell `COMMAND` that starts TLC")
	f.Var(&choice{&o.About, []string{cross.All, cross.Safety, cross.None}}, "properties", "which of the specification's properties to check; liveness takes TLC long")
	f.BoolVar(&o.States, "states", false, "compare the sets of states too, and show the first that only one of the two reaches")
	declareSends(f, &o.Request.Reduce)
	f.Lookup("reduce").Usage += "; the same in both"
	f.DurationVar(&o.Patience, "timeout", 0, "give up on one run of TLC after `TIME`")
	f.StringVar(&o.Keep, "keep", "", "keep the records, TLC's outputs and the table of all that is there in `FOLDER`")
	f.StringVar(&o.from, "from", "", "run nothing; print the table of what is kept in `FOLDER`")
	f.BoolVar(&o.write, "write", false, "with --from: write the table to that folder's README.md instead")
	o.addSpeed(&groups)
	groups.settings(&o.Request.Settings, "the specification's")
	return o, groups
}

func runCrosscheck(ctx context.Context, c *call) (int, error) {
	o := c.options.(*crosscheckOptions)
	o.Out, o.Errs = c.stdout, c.stderr
	if err := o.validateSpeed(c); err != nil {
		return 0, err
	}
	if o.from != "" {
		return o.printKept(c)
	}
	if o.write {
		return 0, job.Wrongf("--write: got no --from FOLDER, want one")
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
	var runs []*cross.Run
	for _, name := range names {
		spec, err := c.findSpec(name)
		if err != nil {
			return 0, err
		}
		run, err := o.New(name, spec)
		if err != nil {
			return 0, err
		}
		if outside, err := run.StartsOutside(); err != nil {
			return 0, err
		} else if outside {
			tell.Printf(c.stdout, "INCONCLUSIVE %s%s: the initial state is outside the constraint, no state would be visited: nothing to compare\n", run.Title, results.Within(run.Constraints))
			return exitAssumption, nil
		}
		for _, name := range run.LeftOut {
			p, _ := invariants.Named(name)
			tell.Printf(c.stderr, "vsrcheck: crosscheck: %s: %s is left out, as TLC cannot check it: %s\n", run.Title, name, p.NotInTLA)
		}
		runs = append(runs, run)
	}
	if o.Keep != "" {
		if err := os.MkdirAll(o.Keep, 0o755); err != nil {
			return 0, fmt.Errorf("%w: %w", results.ErrOutput, err)
		}
	}
	if o.speed {
		return o.compareSpeed(ctx, c, runs)
	}
	var all []tlc.Crosscheck
	differs := false
	for _, run := range runs {
		pairs, err := run.Both(ctx)
		if ctx.Err() != nil {
			return exitInterrupted, nil
		}
		if errors.Is(err, cross.ErrNoTLC) {
			tell.Printf(c.stderr, "vsrcheck: crosscheck: skipped: %s\n", err)
			return exitInconclusive, nil
		}
		if err != nil {
			return 0, err
		}
		all = append(all, pairs...)
		differs = differs || run.Differs
	}
	tell.Printf(c.stdout, "%s", tlc.CrosscheckRows(all))
	for i := range all {
		for _, d := range all[i].Differences() {
			tell.Printf(c.stdout, "%s: %s\n", all[i].Name, d)
			differs = true
		}
	}
	if o.Keep != "" {
		everything, err := cross.Kept(o.Keep)
		if err != nil {
			return 0, err
		}
		if err := cross.WriteTable(o.Keep, everything); err != nil {
			return 0, err
		}
	}
	if differs {
		return exitDiffers, nil
	}
	return exitHolds, nil
}

func (o *crosscheckOptions) printKept(c *call) (int, error) {
	if len(c.args) > 0 {
		return 0, job.Wrongf("crosscheck: got %d arguments beside --from, want none", len(c.args))
	}
	if o.speed {
		return exitHolds, o.printSpeeds(c)
	}
	all, err := cross.Kept(o.from)
	if err != nil {
		return 0, fmt.Errorf("--from: %w", err)
	}
	if o.write {
		if err := cross.WriteTable(o.from, all); err != nil {
			return 0, err
		}
	} else {
		tell.Printf(c.stdout, "%s", tlc.CrosscheckRows(all))
	}
	for i := range all {
		if len(all[i].Differences()) > 0 {
			return exitDiffers, nil
		}
	}
	return exitHolds, nil
}

// addSpeed declares the options of crosscheck that are about speed.
func (o *crosscheckOptions) addSpeed(groups *optionGroups) {
	f := groups.add("Speed")
	f.BoolVar(&o.speed, "speed", false, "measure instead how long both take, each as a process of its own, in turn; "+
		"without the liveness properties, and the others have to hold")
	f.IntVar(&o.Rounds, "rounds", 3, fmt.Sprintf("`N` rounds of %d runs here and one of TLC", cross.OursPerRound))
	addWorkers(f, o.Limits)
}

// validateSpeed finds what the types of the options cannot.
func (o *crosscheckOptions) validateSpeed(c *call) error {
	for _, name := range []string{"rounds", "workers"} {
		if c.flags.Changed(name) && !o.speed {
			return job.Wrongf("--%s: got no --speed, want it; to compare states TLC runs once, with one worker", name)
		}
	}
	switch {
	case o.speed && o.States:
		return job.Wrongf("--speed: got --states too, want one of the two")
	case o.Rounds < 1:
		return job.Wrongf("--rounds: got %d, want at least 1", o.Rounds)
	}
	if o.speed && o.About == cross.All {
		o.About = cross.Safety
	}
	return validateLimits(o.Limits)
}

// compareSpeed measures each of the runs, and prints and keeps the figures.
func (o *crosscheckOptions) compareSpeed(ctx context.Context, c *call, runs []*cross.Run) (int, error) {
	var all []tlc.PublishedSpeed
	for _, run := range runs {
		s, err := run.Measure(ctx)
		switch {
		case ctx.Err() != nil:
			return exitInterrupted, nil
		case errors.Is(err, cross.ErrNoTLC):
			tell.Printf(c.stderr, "vsrcheck: crosscheck: skipped: %s\n", err)
			return exitInconclusive, nil
		case errors.Is(err, tlc.ErrSpeed):
			tell.Printf(c.stdout, "%s\n", err)
			return exitDiffers, nil
		case err != nil:
			return 0, err
		}
		_, name, _ := run.With(o.About)
		all = append(all, tlc.PublishedSpeed{File: name + tlc.CrosscheckRecord, Speed: s})
	}
	tell.Printf(c.stdout, "%s", tlc.SpeedRows(all))
	if o.Keep == "" {
		return exitHolds, nil
	}
	for _, s := range all {
		data, err := s.Write()
		if err != nil {
			return 0, err
		}
		if err := results.WriteFile(filepath.Join(o.Keep, s.File), data); err != nil {
			return 0, err
		}
	}
	everything, err := tlc.ReadSpeeds(o.Keep)
	if err != nil {
		return 0, err
	}
	return exitHolds, cross.WriteSpeedTable(o.Keep, everything)
}

// printSpeeds prints or writes the table of the measurements in a folder.
func (o *crosscheckOptions) printSpeeds(c *call) error {
	all, err := tlc.ReadSpeeds(o.from)
	if err != nil {
		return fmt.Errorf("--from: %w", err)
	}
	if o.write {
		return cross.WriteSpeedTable(o.from, all)
	}
	tell.Printf(c.stdout, "%s", tlc.SpeedRows(all))
	return nil
}
