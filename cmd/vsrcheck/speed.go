package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"vsrcheck/results"
	"vsrcheck/results/tlc"
)

// oursPerRound is how often this checker runs while TLC runs once.
const oursPerRound = 5

// addSpeed declares the options of crosscheck that are about speed.
func (o *crosscheckOptions) addSpeed(groups *optionGroups, check optionGroups) {
	f := groups.add("Speed")
	f.BoolVar(&o.speed, "speed", false, "measure instead how long both take, each as a process of its own, in turn; "+
		"without the liveness properties, and the others have to hold")
	f.IntVar(&o.rounds, "rounds", 3, fmt.Sprintf("`N` rounds of %d runs here and one of TLC", oursPerRound))
	check.share(f, "workers")
}

// validateSpeed finds what the types of the options cannot.
func (o *crosscheckOptions) validateSpeed(c *call) error {
	for _, name := range []string{"rounds", "workers"} {
		if c.flags.Changed(name) && !o.speed {
			return usagef("--%s: got no --speed, want it; to compare states TLC runs once, with one worker", name)
		}
	}
	switch {
	case o.speed && o.states:
		return usagef("--speed: got --states too, want one of the two")
	case o.rounds < 1:
		return usagef("--rounds: got %d, want at least 1", o.rounds)
	}
	if o.speed && o.about == crossAll {
		o.about = crossSafety
	}
	return o.validate()
}

// compareSpeed measures each of the runs, and prints and keeps the figures.
func (o *crosscheckOptions) compareSpeed(ctx context.Context, c *call, runs []*crossRun) (int, error) {
	var all []tlc.PublishedSpeed
	for _, run := range runs {
		s, err := run.measure(ctx, c)
		switch {
		case ctx.Err() != nil:
			return exitInterrupted, nil
		case errors.Is(err, errNoTLC):
			printf(c.stderr, "vsrcheck: crosscheck: skipped: %s\n", err)
			return exitInconclusive, nil
		case errors.Is(err, tlc.ErrSpeed):
			printf(c.stdout, "%s\n", err)
			return exitDiffers, nil
		case err != nil:
			return 0, err
		}
		_, name, _ := run.with(o.about)
		all = append(all, tlc.PublishedSpeed{File: name + tlc.CrosscheckRecord, Speed: s})
	}
	printf(c.stdout, "%s", tlc.SpeedRows(all))
	if o.keep == "" {
		return exitHolds, nil
	}
	for _, s := range all {
		data, err := s.Write()
		if err != nil {
			return 0, err
		}
		if err := results.WriteFile(filepath.Join(o.keep, s.File), data); err != nil {
			return 0, err
		}
	}
	everything, err := tlc.ReadSpeeds(o.keep)
	if err != nil {
		return 0, err
	}
	return exitHolds, writeSpeedTable(o.keep, everything)
}

// printSpeeds prints or writes the table of the measurements in a folder.
func (o *crosscheckOptions) printSpeeds(c *call) error {
	all, err := tlc.ReadSpeeds(o.from)
	if err != nil {
		return fmt.Errorf("--from: %w", err)
	}
	if o.write {
		return writeSpeedTable(o.from, all)
	}
	printf(c.stdout, "%s", tlc.SpeedRows(all))
	return nil
}

func writeSpeedTable(dir string, all []tlc.PublishedSpeed) error {
	return results.WriteFile(filepath.Join(dir, tlc.CrosscheckTable), []byte(tlc.SpeedDocument(all)))
}

// measure runs both in turn. Every run has to search the same states, or it is an error
// that wraps [results.ErrSpeed].
func (r *crossRun) measure(ctx context.Context, c *call) (*tlc.Speed, error) {
	spec, name, line := r.with(r.about)
	config, err := r.configText(&spec, r.about)
	if err != nil {
		return nil, err
	}
	var speed *tlc.Speed
	var rounds []tlc.SpeedRound
	for i := range r.rounds {
		round := tlc.SpeedRound{Load: loadAverage()}
		var record *results.Record
		for range oursPerRound {
			var took tlc.SpeedTimes
			if record, took, err = r.runOurs(ctx, line); err != nil {
				return nil, err
			}
			round.Ours = append(round.Ours, took)
		}
		peer := &tlcRun{command: r.tlc, config: config, workers: r.workerCount(), timeout: r.patience}
		output, err := peer.start(ctx)
		if err != nil {
			return nil, err
		}
		round.TLC = peer.took
		rounds = append(rounds, round)
		s, err := tlc.NewSpeed(record, r.tlc, output)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if speed == nil {
			speed = s
		}
		speed.Rounds = rounds
		printf(c.stderr, "%s: round %d of %d: TLC %.1f s, here %.2f s\n", name, i+1, r.rounds, round.TLC.Seconds, round.Ours[0].Seconds)
	}
	return speed, speed.Validate()
}

// runOurs runs this program as a process of its own.
func (r *crossRun) runOurs(ctx context.Context, line []string) (record *results.Record, took tlc.SpeedTimes, err error) {
	program, err := os.Executable()
	if err != nil {
		return nil, took, fmt.Errorf("find this program: %w", err)
	}
	dir, err := os.MkdirTemp("", "vsrcheck-speed-")
	if err != nil {
		return nil, took, fmt.Errorf("%w: %w", results.ErrOutput, err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	// What the reduction is when none is named is for check another than for crosscheck.
	line = slices.DeleteFunc(slices.Clone(line), func(arg string) bool { return strings.HasPrefix(arg, "--reduce=") })
	line = append(line, "--reduce="+r.reduce, "--workers="+strconv.Itoa(r.workerCount()), "--no-progress")
	path := filepath.Join(dir, "record.json")
	cmd := exec.CommandContext(ctx, program, append(slices.Clone(line[1:]), "--json="+path)...)
	cmd.Args[0] = line[0]
	var stderr strings.Builder
	cmd.Stderr = &stderr
	began := time.Now()
	failed := cmd.Run()
	took = timesOf(began, cmd)
	record, err = results.Read(path)
	if err != nil {
		return nil, took, errors.Join(failed, fmt.Errorf("%s: %s", strings.Join(line, " "), firstLine(stderr.String()+"\n"+err.Error())))
	}
	record.CommandLine = line
	return record, took, nil
}

// timesOf are the times of a process that has ended.
func timesOf(began time.Time, cmd *exec.Cmd) tlc.SpeedTimes {
	took := tlc.SpeedTimes{Seconds: time.Since(began).Seconds()}
	if p := cmd.ProcessState; p != nil {
		took.CPUSeconds = (p.UserTime() + p.SystemTime()).Seconds()
	}
	return took
}

// loadAverage is the machine's load of the last minute; nil where Linux's /proc is not.
func loadAverage() *float64 {
	data, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return nil
	}
	first, _, _ := strings.Cut(string(data), " ")
	load, err := strconv.ParseFloat(first, 64)
	if err != nil {
		return nil
	}
	return &load
}
