package results_test

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"vsrcheck/results"
	"vsrcheck/results/internal/resultstest"
	"vsrcheck/results/mend"
	"vsrcheck/results/table"
)

// TestReadmeFix holds the lines that say whether the fix is enough to the records of their
// commands. With VSRCHECK_UPDATE=1 it rewrites them.
func TestReadmeFix(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(readme), "<!-- fix:begin -->\n```\n")
	block, _, closed := strings.Cut(rest, "\n```\n<!-- fix:end -->")
	lines := strings.Split(block, "\n")
	if !closed || len(lines) != 4 {
		t.Fatalf("got %d lines between the markers, want 4:\n%s", len(lines), block)
	}
	records, err := results.ReadAll(results.RunsFolder)
	if err != nil {
		t.Fatal(err)
	}
	mends, err := mend.ReadAll("runs/mend")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		command, comment, _ := strings.Cut(line, " # ")
		var want string
		words := strings.Fields(command)
		asked := table.Flags(&results.Record{Spec: words[2], CommandLine: words})
		is := func(spec string, commandLine []string) bool {
			return spec == words[2] && commandLine[1] == words[1] && table.Flags(&results.Record{Spec: spec, CommandLine: commandLine}) == asked
		}
		if i := slices.IndexFunc(records, func(r results.Published) bool { return is(r.Spec, r.CommandLine) }); i >= 0 {
			r := records[i]
			want = fmt.Sprintf(": %s, %s states", r.Verdict, results.Count(r.Distinct))
			if r.Verdict == results.Violated {
				want = fmt.Sprintf(": %s after %s", r.Violated, results.Plural(r.TraceLength, "step"))
			}
		}
		if i := slices.IndexFunc(mends, func(m mend.Published) bool { return is(m.Bases[0].Spec, m.CommandLine) }); i >= 0 {
			_, what, _ := strings.Cut(mends[i].What(), ": ")
			what, _, _ = strings.Cut(what, ",")
			want = ": " + what
		}
		if want != "" && strings.HasSuffix(comment, want) {
			continue
		}
		if !resultstest.Update() || want == "" {
			t.Errorf("the README says %q, the record of the command %q", comment, want)
			continue
		}
		about, _, _ := strings.Cut(comment, ": ")
		readme = bytes.Replace(readme, []byte(line), []byte(command+" # "+about+want), 1)
		if err := results.WriteFile("../README.md", readme); err != nil {
			t.Error(err)
		}
	}
}

// TestReadme holds the tables of README.md to the published records. With VSRCHECK_UPDATE=1 it
// rewrites them.
func TestReadme(t *testing.T) {
	tables, err := table.Read(".")
	if err != nil {
		t.Fatal(err)
	}
	const readme = "README.md"
	got, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	want, err := results.ReplaceTables(got, tables)
	if err != nil {
		t.Fatalf("%s: %v", readme, err)
	}
	if bytes.Equal(got, want) {
		return
	}
	if !resultstest.Update() {
		t.Fatalf("a table in %s is not that of the records; run go run ./cmd/vsrcheck table --write results/README.md", readme)
	}
	if err := results.WriteFile(readme, want); err != nil {
		t.Fatal(err)
	}
}
