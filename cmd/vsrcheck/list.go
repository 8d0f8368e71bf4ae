package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"vsrcheck/invariants"
	"vsrcheck/model"
	"vsrcheck/results/trace"
	"vsrcheck/specs"
)

func listCommand() command {
	return command{
		name: "list", usage: "[specs|properties|rules|formats]",
		summary:  "list the specifications, the properties, the rules with their alternatives, and the formats of traces",
		examples: []string{"vsrcheck list", "vsrcheck list rules"},
		run:      runList,
	}
}

func runList(_ context.Context, c *call) (int, error) {
	lists := []struct {
		name  string
		print func(io.Writer) error
	}{{"specs", listSpecs}, {"properties", listProperties}, {"rules", listRules}, {"formats", listFormats}}
	if len(c.args) > 1 {
		return 0, usagef("list: got %d arguments, want at most one of specs, properties, rules, formats", len(c.args))
	}
	found := false
	for _, l := range lists {
		if len(c.args) == 1 && c.args[0] != l.name {
			continue
		}
		if found {
			printf(c.stdout, "\n")
		}
		if len(c.args) == 0 {
			printf(c.stdout, "%s\n", strings.ToUpper(l.name))
		}
		found = true
		if err := l.print(c.stdout); err != nil {
			return 0, err
		}
	}
	if !found {
		names := []string{"specs", "properties", "rules", "formats"}
		return 0, usagef("list: got %q, want specs, properties, rules or formats%s", c.args[0], didYouMean(c.args[0], names, ""))
	}
	return exitHolds, nil
}

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

func listSpecs(w io.Writer) error {
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

func listProperties(w io.Writer) error {
	var rows [][]string
	for _, p := range invariants.Catalogue() {
		rows = append(rows, []string{p.Name, string(p.Kind), p.Summary})
	}
	return columns(w, rows)
}

// listRules lists the known defects apart, after a line that says what they are.
func listRules(w io.Writer) error {
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
	printf(w, "\n%s, to be switched on\n", knownDefects)
	return columns(w, defects)
}

// knownDefects is the heading of the rules that are defects of other systems or versions.
const knownDefects = "Known defects that the report's version does not have"

func listFormats(w io.Writer) error {
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
