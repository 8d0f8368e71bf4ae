package results_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vsrcheck/results"
	"vsrcheck/results/internal/resultstest"
	"vsrcheck/results/table"
)

// Every number that the findings quote is that of a record beside them.
func TestFindings(t *testing.T) {
	text, err := os.ReadFile("findings.md")
	if err != nil {
		t.Fatal(err)
	}
	claim := regexp.MustCompile("(?m)^`([a-z0-9-]+)` \\([^)]*\\): (\\w+) is violated after (\\d+) steps(?:, in ([\\d,]+) distinct states)?")
	claims := claim.FindAllStringSubmatch(string(text), -1)
	if len(claims) < 10 {
		t.Fatalf("found %d claims, want at least 10: does the pattern still fit the text?", len(claims))
	}
	for _, c := range claims {
		r, err := results.Read(filepath.Join(results.RunsFolder, c[1]+".json"))
		if err != nil {
			t.Errorf("%s: %v", c[1], err)
			continue
		}
		if steps, _ := strconv.Atoi(c[3]); r.Violated != c[2] || r.TraceLength != steps {
			t.Errorf("%s: the findings say %s after %d steps, the record %s after %d", c[1], c[2], steps, r.Violated, r.TraceLength)
		}
		if c[4] != "" && c[4] != results.Count(r.Distinct) {
			t.Errorf("%s: the findings say %s distinct states, the record %s", c[1], c[4], results.Count(r.Distinct))
		}
	}
}

// The table of the networks is that of the records in the folder networks, and the entries
// stand in its order: first what needs no more than connections that keep their order. With
// VSRCHECK_UPDATE=1 the table is written anew.
func TestFindingsByNetwork(t *testing.T) {
	records, err := results.ReadAll("runs/networks")
	if err != nil {
		t.Fatal(err)
	}
	made, order, err := table.Networks(records)
	if err != nil {
		t.Fatal(err)
	}
	const findings = "findings.md"
	text, err := os.ReadFile(findings)
	if err != nil {
		t.Fatal(err)
	}
	want, err := results.ReplaceTables(text, []results.Table{{Name: "networks", Rows: len(order), Text: made}})
	if err != nil {
		t.Fatal(err)
	}
	switch {
	case bytes.Equal(text, want):
	case resultstest.Update():
		if err := results.WriteFile(findings, want); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("the table of networks in %s is not that of the records; VSRCHECK_UPDATE=1 go test ./results -run TestFindingsByNetwork rewrites it", findings)
	}
	entries := regexp.MustCompile("(?m)^`(finding-[a-z0-9-]+)` \\(").FindAllStringSubmatch(string(text), -1)
	at := -1
	for _, e := range entries {
		place := slices.Index(order, e[1])
		if place < 0 {
			t.Errorf("%s has no row in the table of networks", e[1])
		}
		if place < at {
			t.Errorf("%s stands after %s, want the order of the table", e[1], order[at])
		}
		at = max(at, place)
	}
	if len(entries) < 10 {
		t.Errorf("found %d entries, want at least 10: does the pattern still fit the text?", len(entries))
	}
}

// A record whose name is not that of its specification and a network is refused, and so
// is what only a bound on the search violates: it has found nothing.
func TestNetworkTable(t *testing.T) {
	records, err := results.ReadAll("runs/networks")
	if err != nil {
		t.Fatal(err)
	}
	odd := records[0]
	odd.File = "odd.fifo.json"
	if _, _, err := table.Networks([]results.Published{odd}); !errors.Is(err, results.ErrRecord) {
		t.Errorf("a record of another name gives %v, want ErrRecord", err)
	}
	found := *records[slices.IndexFunc(records, func(r results.Published) bool {
		return r.Verdict == results.Violated && strings.HasSuffix(r.File, ".fifo.json")
	})].Record
	waits := found
	waits.Violated = "SendsFit"
	made, order, err := table.Networks([]results.Published{
		{File: found.Spec + ".set.json", Record: &found}, {File: found.Spec + ".fifo.json", Record: &waits},
	})
	if err != nil || len(order) != 1 || !strings.Contains(made, "| [holds, with steps that wait (") || strings.Count(made, "**") != 2 {
		t.Errorf("got %q in the order %q, %v", made, order, err)
	}

	// A newer record of the same is inconclusive.
	open := found
	open.Verdict, open.Violated, open.Reason, open.TraceLength = results.Inconclusive, "", "a channel was full", 0
	for name, want := range map[string]string{"SendsFit": "| [holds, with steps that wait (", "EveryPreparedCommits": "| [undecided ("} {
		open.Violations = []results.Violation{{Property: name, Bounded: true}}
		made, _, err := table.Networks([]results.Published{
			{File: found.Spec + ".set.json", Record: &found}, {File: found.Spec + ".fifo.json", Record: &open},
		})
		if err != nil || !strings.Contains(made, want) || strings.Count(made, "**") != 2 {
			t.Errorf("%s: got %q, %v", name, made, err)
		}
	}
}
