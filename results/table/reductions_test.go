package table

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"vsrcheck/results"
	"vsrcheck/results/internal/resultstest"
)

func TestReductionTable(t *testing.T) {
	run := func(reduction string, distinct uint64, change func(r *results.Record)) results.Published {
		r := resultstest.Sample()
		r.Reduction, r.Distinct = reduction, distinct
		if change != nil {
			change(r)
		}
		return results.Published{File: reduction + ".json", Record: r}
	}
	cut := func(r *results.Record) {
		r.Verdict, r.Violated, r.TraceLength, r.Reason, r.Seconds = results.Inconclusive, "", 0, "a limit", 2
	}
	short := func(r *results.Record) { r.Seconds = 0.5 }
	table, err := Reductions([]results.Published{
		run("eager,faults", 100, nil), run("none", 1000, cut), run("eager", 250, nil), run("eager,faults,prompt", 50, short),
	})
	if err != nil {
		t.Fatal(err)
	}
	const want = `| run | verdict | none | eager | faults | prompt | eager, faults | all | fewer by | time, none | time, all |
|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|
| toy --ops=2 | violated: P | > 1,000 | 250 |  |  | 100 | 50 | > 20.0 | > 2s | 500ms |
`
	if table.Text != want || table.Rows != 1 {
		t.Errorf("got %d rows\n%s\nwant\n%s", table.Rows, table.Text, want)
	}
	for _, bad := range []struct {
		want string
		runs []results.Published
	}{
		{"reduction", []results.Published{run("half", 1, nil)}},
		{"a second run", []results.Published{run("none", 1, nil), run("none", 1, nil)}},
		{"before that violated: P", []results.Published{run("none", 1, nil), run("faults", 1, func(r *results.Record) { r.Verdict = results.Holds })}},
		{"a trace of 3 steps", []results.Published{run("none", 1, nil), run("faults", 1, func(r *results.Record) { r.TraceLength = 3 })}},
	} {
		if _, err := Reductions(bad.runs); err == nil || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("got %v, want an error with %q", err, bad.want)
		}
	}
}

// TestReductions holds the table of reductions to its records.
func TestReductions(t *testing.T) {
	records, err := results.ReadAll("../runs/reductions")
	if err != nil {
		t.Fatal(err)
	}
	table, err := Reductions(records)
	if err != nil {
		t.Fatal(err)
	}
	const readme = "../runs/reductions/README.md"
	got, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	want, err := results.ReplaceTables(got, []results.Table{table})
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not that of the records; run go run ./cmd/vsrcheck table --reductions --dir results/runs/reductions --write results/%s", readme, readme)
	}
}
