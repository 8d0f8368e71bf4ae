package results

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// Published is a record with the name of its file.
type Published struct {
	File string // without the folder
	*Record
}

// ReadAll reads the records in a folder, in the order of their names.
func ReadAll(dir string) ([]Published, error) {
	paths := filesWith(dir, ".json")
	var out []Published
	for _, path := range paths {
		r, err := Read(path)
		if err != nil {
			return nil, err
		}
		out = append(out, Published{File: filepath.Base(path), Record: r})
	}
	return out, nil
}

// Table is one of the tables of published runs.
type Table struct {
	Name string // in the lines of the README between which it stands
	Rows int
	Text string // in Markdown
}

// Tables are the tables of published runs: of the searches, and of the simulations. They
// are a function of the records alone.
func Tables(records []Published) []Table {
	var searches, simulations []Published
	for _, r := range records {
		if r.Simulation == nil {
			searches = append(searches, r)
		} else {
			simulations = append(simulations, r)
		}
	}
	return []Table{
		{"results", len(searches), searchTable(searches)},
		{"simulations", len(simulations), simulationTable(simulations)},
	}
}

// RunsFolder is where the records of published searches and simulations are, below the folder
// of results.
const RunsFolder = "runs"

// ReadTables reads the tables of the runs published in a folder's folder runs, of the answers
// of mend in its folder mend, and of the matrix in its folder matrix, as far as there are these.
// Their links are relative to the folder.
func ReadTables(dir string) ([]Table, error) {
	records, err := ReadAll(filepath.Join(dir, RunsFolder))
	if err != nil {
		return nil, err
	}
	mends, err := ReadMends(filepath.Join(dir, "mend"))
	if err != nil {
		return nil, err
	}
	tables := append(Tables(records), MendTable(mends))
	m, err := ReadMatrix(filepath.Join(dir, "matrix", "matrix.json"))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return tables, nil
	case err != nil:
		return nil, err
	}
	return append(tables, m.RuleTable()), nil
}

func searchTable(records []Published) string {
	var out strings.Builder
	out.WriteString("| run | verdict | distinct states | generated | depth | trace | time | distinct/s | B/state | workers | store |\n")
	out.WriteString("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|---|\n")
	for _, r := range records {
		trace := ""
		if r.Verdict == Violated {
			trace = Plural(r.TraceLength, "step")
		}
		fmt.Fprintf(&out, "| [%s](runs/%s) | %s | %s | %s | %d | %s | %s | %s | %.1f | %d | %s |\n",
			cell(runName(r.Record)), r.File, cell(boundedText(r.Record)), Count(r.Distinct), Count(r.Generated), r.Depth, trace,
			seconds(r.Seconds), Rate(r.StatesPerSecond), r.BytesPerState, r.Workers, r.Store)
	}
	return out.String()
}

func simulationTable(records []Published) string {
	var out strings.Builder
	out.WriteString("| spec | flags | verdict | walks | steps | distinct states (estimate) | trace | time |\n")
	out.WriteString("|---|---|---|--:|--:|--:|--:|--:|\n")
	for _, r := range records {
		trace := ""
		if len(r.Simulation.Shrunk) > 0 {
			trace = fmt.Sprintf("%d steps shrunk to %d", r.Simulation.Shrunk[0].From, r.Simulation.Shrunk[0].To)
		}
		fmt.Fprintf(&out, "| [%s](runs/%s) | `%s` | %s | %s | %s | %s | %s | %s |\n",
			cell(r.Spec), r.File, cell(flagsText(r.Record)), cell(boundedText(r.Record)), Count(r.Simulation.Walks), Count(r.Simulation.Steps),
			Count(r.Simulation.Distinct), trace, seconds(r.Seconds))
	}
	return out.String()
}

func verdictText(r *Record) string {
	switch r.Verdict {
	case Violated:
		return "violated: " + r.Violated
	case Inconclusive:
		return "inconclusive: " + r.Reason
	}
	return r.Verdict
}

// looks are the options of a command line that change nothing about a run, with whether
// a value follows.
var looks = map[string]bool{
	"--json": true, "--trace": true, "--trace-states": true, "--color": true, "--workers": true, "--no-progress": false,
}

// flagsText is what the command line of a record says of the run, apart from the
// program, the command and the specification.
func flagsText(r *Record) string {
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

// runName is the specification with what was overridden.
func runName(r *Record) string {
	out := r.Spec
	for _, s := range slices.Concat(r.Config, r.Rules) {
		if s.Instead != "" {
			out += " --" + strings.ReplaceAll(s.Name, "_", "-") + "=" + s.Value
		}
	}
	return out
}

// cell keeps a text from ending its cell of a Markdown table.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ").Replace(text)
}

// ErrMarkers is wrapped by the error about a document without a place for a table.
var ErrMarkers = errors.New("no place for a table")

// ReplaceTables puts the tables into a document, each between the two lines that have
// its name. A table without rows needs no place.
func ReplaceTables(document []byte, tables []Table) ([]byte, error) {
	for _, t := range tables {
		first, last := fmt.Appendf(nil, "<!-- %s:begin -->", t.Name), fmt.Appendf(nil, "<!-- %s:end -->", t.Name)
		begin, end := bytes.Index(document, first), bytes.Index(document, last)
		switch {
		case begin < 0 && end < 0 && t.Rows == 0:
			continue
		case begin < 0 || end < begin:
			return nil, fmt.Errorf("%w: want a line %s and after it a line %s", ErrMarkers, first, last)
		}
		document = slices.Concat(document[:begin+len(first)], []byte("\n"+t.Text), document[end:])
	}
	return document, nil
}
