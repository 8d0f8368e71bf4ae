// Package table makes the tables of the documents from the records: of searches and simulations,
// of the reductions, and of the findings over other networks.
package table

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"vsrcheck/results"
	"vsrcheck/results/matrix"
	"vsrcheck/results/mend"
)

// Runs are the tables of published runs: of the searches, and of the simulations. They
// are a function of the records alone.
func Runs(records []results.Published) []results.Table {
	var searches, simulations []results.Published
	for _, r := range records {
		if r.Simulation == nil {
			searches = append(searches, r)
		} else {
			simulations = append(simulations, r)
		}
	}
	return []results.Table{
		{Name: "results", Rows: len(searches), Text: searchTable(searches)},
		{Name: "simulations", Rows: len(simulations), Text: simulationTable(simulations)},
	}
}

// Read reads the tables of the runs published in a folder's folder runs, of the answers
// of mend in its folder mend, and of the matrix in its folder matrix, as far as there are these.
// Their links are relative to the folder.
func Read(dir string) ([]results.Table, error) {
	records, err := results.ReadAll(filepath.Join(dir, results.RunsFolder))
	if err != nil {
		return nil, err
	}
	mends, err := mend.ReadAll(filepath.Join(dir, results.RunsFolder, "mend"))
	if err != nil {
		return nil, err
	}
	tables := append(Runs(records), mend.Table(mends))
	m, err := matrix.Read(filepath.Join(dir, results.RunsFolder, "matrix", "matrix.json"))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return tables, nil
	case err != nil:
		return nil, err
	}
	return append(tables, m.RuleTable()), nil
}

func searchTable(records []results.Published) string {
	var out strings.Builder
	out.WriteString("| run | verdict | distinct states | generated | depth | trace | time | distinct/s | B/state | workers | store |\n")
	out.WriteString("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|---|\n")
	for _, r := range records {
		trace := ""
		if r.Verdict == results.Violated {
			trace = results.Plural(r.TraceLength, "step")
		}
		fmt.Fprintf(&out, "| [%s](runs/%s) | %s | %s | %s | %d | %s | %s | %s | %.1f | %d | %s |\n",
			results.TableCell(results.RunName(r.Record)), r.File, results.TableCell(boundedText(r.Record)), results.Count(r.Distinct), results.Count(r.Generated), r.Depth, trace,
			results.Seconds(r.Seconds), results.Rate(r.StatesPerSecond), r.BytesPerState, r.Workers, r.Store)
	}
	return out.String()
}

func simulationTable(records []results.Published) string {
	var out strings.Builder
	out.WriteString("| spec | flags | verdict | walks | steps | distinct states (estimate) | trace | time |\n")
	out.WriteString("|---|---|---|--:|--:|--:|--:|--:|\n")
	for _, r := range records {
		trace := ""
		if len(r.Simulation.Shrunk) > 0 {
			trace = fmt.Sprintf("%d steps shrunk to %d", r.Simulation.Shrunk[0].From, r.Simulation.Shrunk[0].To)
		}
		fmt.Fprintf(&out, "| [%s](runs/%s) | `%s` | %s | %s | %s | %s | %s | %s |\n",
			results.TableCell(r.Spec), r.File, results.TableCell(Flags(r.Record)), results.TableCell(boundedText(r.Record)), results.Count(r.Simulation.Walks), results.Count(r.Simulation.Steps),
			results.Count(r.Simulation.Distinct), trace, results.Seconds(r.Seconds))
	}
	return out.String()
}

// looks are the options of a command line that change nothing about a run, with whether
// a value follows.
var looks = map[string]bool{
	"--json": true, "--trace": true, "--trace-states": true, "--color": true, "--workers": true, "--no-progress": false,
}

// Flags is what the command line of a record says of the run, apart from the
// program, the command and the specification.
func Flags(r *results.Record) string {
	var out []string
	for i := 2; i < len(r.CommandLine); i++ {
		arg := r.CommandLine[i]
		name, _, inOne := strings.Cut(arg, "=")
		hasValue, look := looks[name]
		switch {
		case look && hasValue && !inOne:
			i++
		case look, arg == r.Spec, arg == r.Path:
		default:
			out = append(out, arg)
		}
	}
	return strings.Join(out, " ")
}

// boundedText is what was found, and within what.
func boundedText(r *results.Record) string {
	out := results.VerdictText(r)
	if len(r.Constraints) == 0 {
		return out
	}
	cut := results.CutOff(r.Outside)
	if r.Simulation != nil {
		cut = results.StepsOutside(r.Outside)
	}
	return out + "," + r.Within() + " (" + cut + ")"
}
