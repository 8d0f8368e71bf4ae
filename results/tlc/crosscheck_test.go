package tlc

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"vsrcheck/model"

	"vsrcheck/results"
	"vsrcheck/results/internal/resultstest"
)

// held is a record and an output of TLC that agree that everything holds.
func held() Crosscheck {
	r := resultstest.Sample()
	r.Verdict, r.Violated, r.TraceLength, r.ExitCode, r.Violations = results.Holds, "", 0, 0, nil
	return Crosscheck{Name: "toy", Record: r, TLC: &Run{Verdict: results.Holds, Distinct: 1234567, Generated: 2000000, Depth: 3, Complete: true}}
}

// violated is a record and an output of TLC that agree on a violation.
func violated(kind string) Crosscheck {
	r := resultstest.Sample()
	r.Violations[0].Kind = kind
	return Crosscheck{Name: "toy", Record: r, TLC: &Run{Verdict: results.Violated, Violated: []string{"P"}, Kind: kind, TraceLength: 2}}
}

// TestCrosscheckDifferences changes one thing in what agrees, and looks for what is said.
func TestCrosscheckDifferences(t *testing.T) {
	for _, test := range []struct {
		why    string
		start  Crosscheck
		change func(r *results.Record, t *Run)
		want   string // "" for agreement
	}{
		{"both hold", held(), func(*results.Record, *Run) {}, ""},
		{"another count", held(), func(_ *results.Record, t *Run) { t.Distinct++ }, "distinct states: ours 1234567, TLC 1234568"},
		{"another number generated", held(), func(r *results.Record, _ *Run) { r.Generated-- }, "generated states: ours 1999999, TLC 2000000"},
		{"another depth", held(), func(_ *results.Record, t *Run) { t.Depth = 2 }, "depth: ours 3, TLC 2"},
		{"TLC finds a violation", held(), func(_ *results.Record, t *Run) { *t = *violated("liveness").TLC }, "verdict: ours holds, TLC P violated after 2 steps"},
		{"TLC fails", held(), func(_ *results.Record, t *Run) { *t = Run{Verdict: results.Inconclusive, Message: "no"} }, "verdict: ours holds, TLC inconclusive: no"},
		{"TLC is ended", held(), func(_ *results.Record, t *Run) { *t = Run{Verdict: results.Inconclusive} }, "verdict: ours holds, TLC inconclusive: it did not come to its end"},
		{"both are inconclusive", held(), func(r *results.Record, t *Run) {
			r.Verdict, r.Reason, t.Verdict = results.Inconclusive, "memory", results.Inconclusive
		}, "verdict: ours inconclusive: memory, TLC inconclusive: it did not come to its end"},

		{"the same invariant", violated("invariant"), func(*results.Record, *Run) {}, ""},
		{"another invariant", violated("invariant"), func(_ *results.Record, t *Run) { t.Violated = []string{"Q"} }, "violated: ours P violated after 2 steps, TLC Q violated after 2 steps"},
		{"another kind", violated("invariant"), func(_ *results.Record, t *Run) { t.Kind = "liveness" }, "violated: ours P violated after 2 steps, TLC P violated after 2 steps"},
		{"a longer trace", violated("action"), func(_ *results.Record, t *Run) { t.TraceLength = 3 }, "steps of the trace: ours 2, TLC 3"},
		{"a longer lasso", violated("liveness"), func(_ *results.Record, t *Run) { t.TraceLength = 3 }, ""},
		{"a lasso that violates more", violated("liveness"), func(_ *results.Record, t *Run) { t.Violated = []string{"Q", "P"} }, ""},
		{"a lasso for a later property that is violated here too", violated("liveness"), func(r *results.Record, t *Run) {
			r.Violations = append(r.Violations, results.Violation{Property: "Q", Kind: "liveness"})
			t.Violated = []string{"Q"}
		}, ""},
		{"a lasso for another property", violated("liveness"), func(_ *results.Record, t *Run) { t.Violated = []string{"Q"} }, "violated: ours P violated after 2 steps, TLC Q violated after 2 steps"},
		{"a lasso for properties without names", violated("liveness"), func(_ *results.Record, t *Run) { t.Violated = nil }, ""},
		{"counts at a violation", violated("invariant"), func(_ *results.Record, t *Run) { t.Distinct = 5 }, ""},
	} {
		c := test.start
		test.change(c.Record, c.TLC)
		if got := strings.Join(c.Differences(), "; "); got != test.want {
			t.Errorf("%s: got %q, want %q", test.why, got, test.want)
		}
	}
}

func TestCrosscheckRows(t *testing.T) {
	equal, differs, lasso, space, broken := held(), held(), violated("liveness"), held(), violated("invariant")
	differs.TLC.Generated++
	lasso.TLC.TraceLength = 4
	space.Record.Properties, space.Record.Reduction = nil, "none"
	broken.TLC.Violated = []string{"Q"}
	got := CrosscheckRows([]Crosscheck{equal, differs, lasso, space, broken})
	want := `| run | properties | verdict | distinct states | generated | depth | |
|---|---|---|--:|--:|--:|---|
| [toy --ops=2](toy.tlc.txt) | all | holds | 1,234,567 | 2,000,000 | 3 | equal |
| [toy --ops=2](toy.tlc.txt) | all | holds | 1,234,567 | 2,000,000 / 2,000,001 | 3 | **differs** |
| [toy --ops=2](toy.tlc.txt) | all | P violated after 2 steps (TLC: 4) |  |  |  | equal |
| [toy --ops=2 --reduce=none](toy.tlc.txt) | none |  | 1,234,567 | 2,000,000 | 3 | equal |
| [toy --ops=2](toy.tlc.txt) | all | P violated after 2 steps / Q violated after 2 steps |  |  |  | **differs** |
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if text := CrosscheckDocument([]Crosscheck{equal, differs}); !strings.Contains(text, "2 runs: 1 equal, 1 different.") {
		t.Errorf("the document does not count:\n%s", text)
	}
	raw := held()
	raw.Record.Reduction = "raw"
	text := CrosscheckDocument([]Crosscheck{raw, differs})
	for _, part := range []string{
		"1 run: 0 equal, 1 different.", "\n## Raw\n", "1 run: 1 equal, 0 different.\n\n| run |",
		"| [toy --ops=2 --reduce=raw](toy.tlc.txt) | all | holds | 1,234,567 | 2,000,000 | 3 | equal |\n",
	} {
		if !strings.Contains(text, part) {
			t.Errorf("the document has no %q:\n%s", part, text)
		}
	}
}

func TestReadCrosschecks(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	data, err := resultstest.Sample().Write()
	if err != nil {
		t.Fatal(err)
	}
	write("a"+CrosscheckRecord, string(data))
	if _, err := ReadCrosschecks(dir); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "a.tlc.txt") {
		t.Errorf("without an output: %v", err)
	}
	write("a"+CrosscheckTLC, Title+"2.15\n")
	all, err := ReadCrosschecks(dir)
	if err != nil || len(all) != 1 || all[0].Name != "a" {
		t.Errorf("got %v, %v", all, err)
	}
	write("b"+CrosscheckTLC, Title+"2.15\n")
	if _, err := ReadCrosschecks(dir); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "b.tlc.txt") {
		t.Errorf("without a record: %v", err)
	}
}

// TestCrosschecks holds the document in tlc to the files beside it, and what it says to
// what has to be compared: that the two agree in every run, and that between them the
// runs use every rule, every budget and groups of several sizes.
func TestCrosschecks(t *testing.T) {
	all, err := ReadCrosschecks("../runs/tlc")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join("../runs/tlc", CrosscheckTable))
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != CrosscheckDocument(all) {
		t.Errorf("tlc/%s is not that of the files beside it; run go run ./cmd/vsrcheck crosscheck --from results/runs/tlc --write", CrosscheckTable)
	}
	// Settings in runs that compare the whole state space: of all runs, and of the raw ones.
	var values, raw []string
	for i := range all {
		c := &all[i]
		for _, d := range c.Differences() {
			t.Errorf("%s: %s", c.Name, d)
		}
		if c.Record.Verdict != results.Holds {
			continue
		}
		for _, s := range slices.Concat(c.Record.Config, c.Record.Rules) {
			values = append(values, s.Name+"="+s.Value)
			if c.Record.Reduction == "raw" {
				raw = append(raw, s.Name+"="+s.Value)
			}
		}
		for _, r := range model.Catalogue() {
			// A record from before there was the rule is of its first alternative.
			if !slices.ContainsFunc(c.Record.Rules, func(s results.Setting) bool { return s.Name == r.Name }) {
				values = append(values, r.Name+"="+r.Get(model.Rules{}))
			}
		}
		values = append(values, "reduce="+c.Record.Reduction)
	}
	wanted := []string{
		"replicas=2", "replicas=3", "replicas=5", "view_max=0", "view_max=1", "view_max=2", "view_max=3",
		"crashes=1", "stops=1", "drops=1", "journal_durable=TRUE", "recovering_elects=TRUE", "prepare_carries_commit=FALSE",
		"reduce=eager", "reduce=none", "reduce=raw",
	}
	rawWanted := []string{
		"replicas=2", "replicas=3", "view_max=0", "view_max=1", // three views are too many states for TLC
		"crashes=1", "stops=1", "drops=1", "journal_durable=TRUE", "recovering_elects=TRUE", "prepare_carries_commit=FALSE",
	}
	for _, r := range model.Catalogue() {
		for _, a := range r.AlternativeNames() {
			wanted = append(wanted, r.Name+"="+a)
			rawWanted = append(rawWanted, r.Name+"="+a)
		}
	}
	for _, want := range wanted {
		if !slices.Contains(values, want) {
			t.Errorf("no run compares the state space under %s", want)
		}
	}
	for _, want := range rawWanted {
		if !slices.Contains(raw, want) {
			t.Errorf("no raw run compares the state space under %s", want)
		}
	}
}
