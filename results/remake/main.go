// Command remake runs the published records again, each by its own command line, and
// writes the record and, where there is one, the text beside it:
//
//	go run ./results/remake                     all in runs, its networks and its reductions
//	go run ./results/remake sound-small 'networks/finding-*'
//
// Arguments are names of records below results/runs, without .json; they may be patterns. Records
// with more than -max-states states are left alone, and so are those that were not made
// by one command that wrote this file. It starts with the smallest, so that what is quick is
// done first, and ends with a list of the records whose figures are others than before. The
// exit code is 1 if a run failed. Records in a folder below runs leave members out, and
// traces have what each step changes; -shorten brings those into that form that crosscheck or a test
// wrote. Afterwards `VSRCHECK_UPDATE=1 go test ./results/...` writes
// the tables and the figures in the documents anew.
package main

import (
	"bytes"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"vsrcheck/results"
)

func main() {
	maxStates := flag.Uint64("max-states", 30_000_000, "leave records with more distinct states (or steps of walks) alone")
	dry := flag.Bool("n", false, "only list what would be run")
	short := flag.Bool("shorten", false, "run nothing; bring the records and traces that were written otherwise into the form in which they are kept")
	flag.Parse()
	err := error(nil)
	if *short {
		err = shorten()
	} else {
		err = remake(flag.Args(), *maxStates, *dry)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "remake:", err)
		os.Exit(1)
	}
}

// job is one record to make again.
type job struct {
	name string // below results/runs, without .json
	old  *results.Record
}

func (j job) path() string { return recordPath(j.name) }
func (j job) text() string { return runs + j.name + ".txt" }

// runs is where the records are.
const runs = "results/" + results.RunsFolder + "/"

func recordPath(name string) string { return runs + name + ".json" }

// output is which argument of its command names the record, -1 if none does. The folder may
// have changed since.
func (j job) output() int {
	return slices.IndexFunc(j.old.CommandLine, func(arg string) bool { return path.Base(arg) == path.Base(j.path()) })
}

// size is what decides how long the run takes.
func (j job) size() uint64 {
	if j.old.Simulation != nil {
		return j.old.Simulation.Steps
	}
	return j.old.Distinct
}

func remake(patterns []string, maxStates uint64, dry bool) error {
	if _, err := os.Stat("results/remake"); err != nil {
		return errors.New("run it in the module's root: the command lines of the records name files from there")
	}
	jobs, err := find(patterns, maxStates)
	if err != nil || dry {
		return err
	}
	dir, err := os.MkdirTemp("", "remake")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "vsrcheck")
	if out, err := exec.Command("go", "build", "-buildvcs=auto", "-o", program, "./cmd/vsrcheck").CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w\n%s", err, out)
	}
	var changed, failed []string
	for i, j := range jobs {
		fmt.Printf("%3d of %d  %s: ", i+1, len(jobs), j.name)
		record, err := j.run(program)
		if err != nil {
			fmt.Println("FAILED:", err)
			failed = append(failed, j.name)
			continue
		}
		before, after := figures(j.old), figures(record)
		if before == after {
			fmt.Println("as before:", after)
			continue
		}
		fmt.Printf("CHANGED:\n  before %s\n  now    %s\n", before, after)
		changed = append(changed, fmt.Sprintf("%s\n  before %s\n  now    %s", j.name, before, after))
	}
	fmt.Printf("\n%d of %d records have other figures than before\n", len(changed), len(jobs))
	for _, c := range changed {
		fmt.Println(c)
	}
	if len(failed) > 0 {
		return fmt.Errorf("%d runs failed: %s", len(failed), strings.Join(failed, ", "))
	}
	return nil
}

// find returns the records to make, the smallest first, and says which it leaves alone.
func find(patterns []string, maxStates uint64) ([]job, error) {
	if len(patterns) == 0 {
		patterns = []string{"*", "networks/*", "reductions/*"}
	}
	var jobs []job
	seen := map[string]bool{}
	for _, pattern := range patterns {
		paths, err := filepath.Glob(recordPath(strings.TrimSuffix(pattern, ".json")))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", pattern, err)
		}
		if len(paths) == 0 {
			return nil, fmt.Errorf("no record %s", recordPath(pattern))
		}
		for _, file := range paths {
			if seen[file] {
				continue
			}
			seen[file] = true
			r, err := results.Read(file)
			if err != nil {
				return nil, err
			}
			j := job{strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(file), runs), ".json"), r}
			switch {
			case j.output() < 0:
				fmt.Printf("left alone: %s was made by %s\n", j.name, strings.Join(r.CommandLine, " "))
			case j.size() > maxStates:
				fmt.Printf("left alone: %s has %s, more than -max-states\n", j.name, results.Count(j.size()))
			default:
				jobs = append(jobs, j)
			}
		}
	}
	slices.SortStableFunc(jobs, func(a, b job) int { return cmp.Compare(a.size(), b.size()) })
	fmt.Printf("%d records to make\n", len(jobs))
	return jobs, nil
}

// run makes the record. The program writes the file in one piece, and only when it has
// ended, so that an interrupted run leaves the old record.
func (j job) run(program string) (*results.Record, error) {
	var stdout, stderr bytes.Buffer
	args := slices.Clone(j.old.CommandLine)
	args[j.output()] = j.path()
	command := exec.Command(program, args[1:]...)
	command.Stdout, command.Stderr = &stdout, &stderr
	err := command.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	record, readErr := results.Read(j.path())
	if readErr != nil {
		return nil, readErr
	}
	if record.Started.Equal(j.old.Started) {
		return nil, fmt.Errorf("no new record, %w: %s", err, strings.TrimSpace(stderr.String()))
	}
	if err := shortenRecord(j.path(), record); err != nil {
		return nil, err
	}
	if _, err := os.Stat(j.text()); errors.Is(err, fs.ErrNotExist) {
		return record, nil
	}
	return record, results.WriteFile(j.text(), stdout.Bytes())
}

// figures are what should be the same in every run of the same model.
func figures(r *results.Record) string {
	out := r.Verdict
	if r.Violated != "" {
		out += fmt.Sprintf(" %s after %d steps", r.Violated, r.TraceLength)
	}
	if r.Reason != "" {
		out += " (" + r.Reason + ")"
	}
	if r.Simulation != nil {
		return out + fmt.Sprintf(", %s walks of %s steps", results.Count(r.Simulation.Walks), results.Count(r.Simulation.Steps))
	}
	return out + fmt.Sprintf(", %s distinct, %s generated, depth %d", results.Count(r.Distinct), results.Count(r.Generated), r.Depth)
}
