package results

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// The lines between which the README has its table.
const (
	TableBegin = "<!-- results:begin -->"
	TableEnd   = "<!-- results:end -->"
)

// Published is a record with the name of its file.
type Published struct {
	File string // without the folder
	*Record
}

// ReadAll reads the records in a folder, in the order of their names.
func ReadAll(dir string) ([]Published, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, fmt.Errorf("read records: %w", err)
	}
	slices.Sort(paths)
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

// Table is the table of published runs in Markdown. It is a function of the records
// alone.
func Table(records []Published) string {
	var out strings.Builder
	out.WriteString("| run | verdict | distinct states | generated | depth | trace | time | distinct/s | B/state | workers | store |\n")
	out.WriteString("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|---|\n")
	for _, r := range records {
		verdict, trace := r.Verdict, ""
		switch r.Verdict {
		case Violated:
			verdict = "violated: " + r.Violated
			trace = plural(r.TraceLength, "step")
		case Inconclusive:
			verdict = "inconclusive: " + r.Reason
		}
		fmt.Fprintf(&out, "| [%s](results/%s) | %s | %s | %s | %d | %s | %s | %s | %.1f | %d | %s |\n",
			cell(runName(r.Record)), r.File, cell(verdict), Count(r.Distinct), Count(r.Generated), r.Depth, trace,
			Duration(time.Duration(r.Seconds*float64(time.Second))), Rate(r.StatesPerSecond), r.BytesPerState, r.Workers, r.Store)
	}
	return out.String()
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

// ErrMarkers is wrapped by the error about a document without a place for the table.
var ErrMarkers = errors.New("no place for the table")

// ReplaceTable puts a table between the markers of a document.
func ReplaceTable(document []byte, table string) ([]byte, error) {
	begin := bytes.Index(document, []byte(TableBegin))
	end := bytes.Index(document, []byte(TableEnd))
	if begin < 0 || end < begin {
		return nil, fmt.Errorf("%w: want a line %s and after it a line %s", ErrMarkers, TableBegin, TableEnd)
	}
	var out bytes.Buffer
	out.Write(document[:begin+len(TableBegin)])
	out.WriteString("\n" + table)
	out.Write(document[end:])
	return out.Bytes(), nil
}
