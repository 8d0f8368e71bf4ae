package cross

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

	"vsrcheck/cmd/vsrcheck/internal/tell"
	"vsrcheck/results"
	"vsrcheck/results/tlc"
)

// OursPerRound is how often this checker runs while TLC runs once.
const OursPerRound = 5

// WriteSpeedTable writes the table of measurements to the document of a folder.
func WriteSpeedTable(dir string, all []tlc.PublishedSpeed) error {
	return results.WriteFile(filepath.Join(dir, tlc.CrosscheckTable), []byte(tlc.SpeedDocument(all)))
}

// Measure runs both in turn. Every run has to search the same states, or it is an error
// that wraps [results.ErrSpeed].
func (r *Run) Measure(ctx context.Context) (*tlc.Speed, error) {
	spec, name, line := r.With(r.About)
	config, err := r.configText(&spec, r.About)
	if err != nil {
		return nil, err
	}
	var speed *tlc.Speed
	var rounds []tlc.SpeedRound
	for i := range r.Rounds {
		round := tlc.SpeedRound{Load: loadAverage()}
		var record *results.Record
		for range OursPerRound {
			var took tlc.SpeedTimes
			if record, took, err = r.runOurs(ctx, line); err != nil {
				return nil, err
			}
			round.Ours = append(round.Ours, took)
		}
		peer := &TLCRun{command: r.TLC, config: config, workers: r.Limits.WorkerCount(), timeout: r.Patience}
		output, err := peer.start(ctx)
		if err != nil {
			return nil, err
		}
		round.TLC = peer.took
		rounds = append(rounds, round)
		s, err := tlc.NewSpeed(record, r.TLC, output)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if speed == nil {
			speed = s
		}
		speed.Rounds = rounds
		tell.Printf(r.Errs, "%s: round %d of %d: TLC %.1f s, here %.2f s\n", name, i+1, r.Rounds, round.TLC.Seconds, round.Ours[0].Seconds)
	}
	return speed, speed.Validate()
}

// runOurs runs this program as a process of its own.
func (r *Run) runOurs(ctx context.Context, line []string) (record *results.Record, took tlc.SpeedTimes, err error) {
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
	line = append(line, "--reduce="+r.Request.Reduce, "--workers="+strconv.Itoa(r.Limits.WorkerCount()), "--no-progress")
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
