package tell

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"vsrcheck/invariants"
	"vsrcheck/model"
	"vsrcheck/results/trace"
	"vsrcheck/specs"
)

// columns prints rows in aligned columns.
func columns(w io.Writer, rows [][]string) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		if _, err := fmt.Fprintln(t, strings.Join(r, "\t")); err != nil {
			return err
		}
	}
	return t.Flush()
}

// ListSpecs prints the shipped specifications, with what the manifest expects of them.
func ListSpecs(w io.Writer) error {
	manifest, err := specs.LoadManifest()
	if err != nil {
		return err
	}
	rows := [][]string{{"name", "size", "expected", "summary"}}
	for _, name := range specs.Names() {
		spec, err := specs.Load(name)
		if err != nil {
			return err
		}
		e, _ := manifest.Entry(name)
		rows = append(rows, []string{name, spec.Size, expected(e), spec.Summary})
	}
	return columns(w, rows)
}

// expected is the manifest's result in a word or two.
func expected(e specs.Entry) string {
	switch e.Result {
	case specs.ResultSuccess:
		return "holds"
	case specs.ResultUnknown, "":
		return "-"
	}
	return "violates " + e.Violated
}

// ListProperties prints the properties that can be checked.
func ListProperties(w io.Writer) error {
	var rows [][]string
	for _, p := range invariants.Catalogue() {
		rows = append(rows, []string{p.Name, string(p.Kind), p.Summary})
	}
	return columns(w, rows)
}

// ListRules lists the known defects apart, after a line that says what they are.
func ListRules(w io.Writer) error {
	var rules, defects [][]string
	for _, r := range model.Catalogue() {
		rows := &rules
		if r.Defect {
			rows = &defects
		}
		*rows = append(*rows, []string{r.Name, "", r.Summary})
		for _, a := range r.Alternatives {
			*rows = append(*rows, []string{"  " + a.Name, soundness(a), a.Summary})
		}
	}
	if err := columns(w, rules); err != nil || defects == nil {
		return err
	}
	Printf(w, "\n%s, to be switched on\n", KnownDefects)
	return columns(w, defects)
}

// KnownDefects is the heading of the rules that are defects of other systems or versions.
const KnownDefects = "Known defects that the report's version does not have"

// ListFormats prints the formats of traces.
func ListFormats(w io.Writer) error {
	var rows [][]string
	for _, f := range trace.Formats() {
		rows = append(rows, []string{f.Name, f.Summary})
	}
	return columns(w, rows)
}

func soundness(a model.Alternative) string {
	if a.Sound {
		return "sound"
	}
	return "faulty"
}
