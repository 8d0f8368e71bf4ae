package table

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"vsrcheck/results"
	"vsrcheck/results/internal/resultstest"
)

// TestBoundedTable: what holds within a constraint is not published as "holds".
func TestBoundedTable(t *testing.T) {
	for outside, want := range map[uint64]string{
		0:    "| holds, within CONSTRAINT First and Last (the constraint cut nothing off) |",
		1:    "| holds, within CONSTRAINT First and Last (1 state outside was not expanded) |",
		1234: "| holds, within CONSTRAINT First and Last (1,234 states outside were not expanded) |",
	} {
		r := resultstest.Bounded(outside)
		resultstest.RoundTrip(t, r)
		if got := searchTable([]results.Published{{File: "r.json", Record: r}}); !strings.Contains(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if got := searchTable([]results.Published{{File: "r.json", Record: resultstest.Sample()}}); strings.Contains(got, "CONSTRAINT") {
		t.Errorf("without a constraint: got %s", got)
	}
	for outside, want := range map[uint64]string{
		0: "(no walk came by a step that leads outside)", 1: "(1 step that leads outside was not taken)", 99: "(99 steps that lead outside were not taken)",
	} {
		r := resultstest.Simulated()
		r.Constraints, r.Outside = []results.Constraint{{Name: "First", Outside: outside}}, outside
		resultstest.RoundTrip(t, r)
		if got := simulationTable([]results.Published{{File: "r.json", Record: r}}); !strings.Contains(got, "violated: P, within CONSTRAINT First "+want) {
			t.Errorf("walks: got %s, want %s", got, want)
		}
	}
}

func TestTables(t *testing.T) {
	held := resultstest.Sample()
	held.Verdict, held.Violated, held.TraceLength, held.ExitCode = results.Holds, "", 0, 0
	held.Violations, held.Config = nil, []results.Setting{{Name: "ops", Value: "4"}}
	open := resultstest.Sample()
	open.Verdict, open.Reason = results.Inconclusive, "a|b"
	walked := resultstest.Simulated()
	walked.Verdict, walked.Violated, walked.Violations, walked.TraceLength, walked.ExitCode = results.Inconclusive, "", nil, 0, 20
	walked.Reason, walked.Simulation.Shrunk = "nothing violated in 256 walks", nil
	tables := Runs([]results.Published{{File: "a.json", Record: resultstest.Sample()}, {File: "s.json", Record: resultstest.Simulated()}, {File: "b.json", Record: held}, {File: "c.json", Record: open}, {File: "w.json", Record: walked}})
	const searches = `| run | verdict | distinct states | generated | depth | trace | time | distinct/s | B/state | workers | store |
|---|---|--:|--:|--:|--:|--:|--:|--:|--:|---|
| [toy --ops=2](runs/a.json) | violated: P | 1,234,567 | 2,000,000 | 3 | 2 steps | 1.5s | 823 k/s | 10.0 | 2 | exact |
| [toy](runs/b.json) | holds | 1,234,567 | 2,000,000 | 3 |  | 1.5s | 823 k/s | 10.0 | 2 | exact |
| [toy --ops=2](runs/c.json) | inconclusive: a\|b | 1,234,567 | 2,000,000 | 3 |  | 1.5s | 823 k/s | 10.0 | 2 | exact |
`
	const simulations = `| spec | flags | verdict | walks | steps | distinct states (estimate) | trace | time |
|---|---|---|--:|--:|--:|--:|--:|
| [toy](runs/s.json) | ` + "`--ops 2 --num=9`" + ` | violated: P | 256 | 4,567 | 1,999 | 9 steps shrunk to 2 | 1.5s |
| [toy](runs/w.json) | ` + "`--ops 2 --num=9`" + ` | inconclusive: nothing violated in 256 walks | 256 | 4,567 | 1,999 |  | 1.5s |
`
	if tables[0].Text != searches || tables[1].Text != simulations {
		t.Errorf("got\n%s\n%s\nwant\n%s\n%s", tables[0].Text, tables[1].Text, searches, simulations)
	}
	const place = "before\n<!-- results:begin -->\n%s<!-- results:end -->\nbetween\n<!-- simulations:begin -->\n%s<!-- simulations:end -->\nafter\n"
	replaced, err := results.ReplaceTables(fmt.Appendf(nil, place, "stale\n", "stale\n"), tables)
	if err != nil || string(replaced) != fmt.Sprintf(place, searches, simulations) {
		t.Errorf("got %q, %v", replaced, err)
	}
	one := []results.Table{{Name: "x", Rows: 1, Text: "t\n"}}
	for _, bad := range []string{"", "<!-- x:begin -->", "<!-- x:end --><!-- x:begin -->"} {
		if _, err := results.ReplaceTables([]byte(bad), one); !errors.Is(err, results.ErrMarkers) {
			t.Errorf("ReplaceTables(%q) = %v, want ErrMarkers", bad, err)
		}
	}
	one[0].Rows = 0
	if got, err := results.ReplaceTables([]byte("text"), one); err != nil || string(got) != "text" {
		t.Errorf("no rows and no place: got %q, %v", got, err)
	}
}
