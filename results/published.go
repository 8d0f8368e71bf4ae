package results

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// RunsFolder is where the records of published searches and simulations are, below the folder
// of results.
const RunsFolder = "runs"

// Published is a record with the name of its file.
type Published struct {
	File string // without the folder
	*Record
}

// ReadAll reads the records in a folder, in the order of their names.
func ReadAll(dir string) ([]Published, error) {
	paths := FilesWith(dir, ".json")
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

// VerdictText is the verdict with what is violated or why it is open.
func VerdictText(r *Record) string {
	switch r.Verdict {
	case Violated:
		return "violated: " + r.Violated
	case Inconclusive:
		return "inconclusive: " + r.Reason
	}
	return r.Verdict
}

// RunName is the specification with what was overridden.
func RunName(r *Record) string {
	out := r.Spec
	for _, s := range slices.Concat(r.Config, r.Rules) {
		if s.Instead != "" {
			out += " --" + strings.ReplaceAll(s.Name, "_", "-") + "=" + s.Value
		}
	}
	return out
}

// Table is one of the tables of published runs.
type Table struct {
	Name string // in the lines of the README between which it stands
	Rows int
	Text string // in Markdown
}

// TableCell keeps a text from ending its cell of a Markdown table.
func TableCell(text string) string {
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
