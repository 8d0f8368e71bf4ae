package matrix

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"vsrcheck/results"
	"vsrcheck/results/internal/resultstest"
)

// ruleMatrix has a first base that all is measured by, one that is about a single rule at
// its own alternative, and one that is about a single rule at the first base's.
func ruleMatrix() *Matrix {
	rules := func(fetch, gap string) []results.Setting {
		return []results.Setting{{Name: "fetch", Value: fetch}, {Name: "gap", Value: gap}}
	}
	change := func(name, value, instead string) []results.Setting {
		return []results.Setting{{Name: name, Value: value, Instead: instead}}
	}
	breaks := func(distinct uint64, steps int) Outcome {
		return Outcome{Verdict: results.Violated, Distinct: distinct, Violations: []results.Violation{{Property: "Safe", Kind: "invariant", Actions: make([]string, steps)}}}
	}
	holds := func(distinct uint64) Outcome { return Outcome{Verdict: results.Holds, Distinct: distinct} }
	return &Matrix{
		Schema: Schema, Build: results.Build{Version: "v1", Go: "go1", OS: "linux", Arch: "amd64"},
		Bases: []Base{{Spec: "sound", Rules: rules("fixed", "head")}, {Spec: "finding", Rules: rules("old", "head")}, {Spec: "zoo", Size: "ops=2", Rules: rules("fixed", "head")}},
		Cells: []Cell{
			{Base: 0, Changed: []results.Setting{}, Outcome: holds(10)},
			{Base: 0, Changed: change("fetch", "old", "fixed"), Outcome: breaks(3000, 20)},
			{Base: 0, Changed: change("gap", "journal", "head"), Outcome: holds(12)},
			{Base: 1, Changed: []results.Setting{}, Outcome: breaks(2000, 14)},
			{Base: 1, Changed: change("fetch", "fixed", "old"), Outcome: holds(30)},
			{Base: 2, Changed: []results.Setting{}, Outcome: holds(40)},
			{Base: 2, Changed: change("gap", "journal", "head"), Outcome: holds(5000)},
			{Base: 2, Changed: change("gap", "none", "head"), Outcome: Outcome{Verdict: results.Inconclusive, Reason: "limit", Distinct: 7}},
		},
	}
}

func TestRuleTable(t *testing.T) {
	want := `| rule | baseline | instead | breaks | steps | distinct states | time | in | not in |
|---|---|---|---|--:|--:|--:|---|---|
| fetch | fixed | old | Safe | 14 | 2,000 | 0s | finding |  |
| gap | head | journal | nothing within these bounds |  | 5,000 | 0s |  | sound, zoo ops=2 |
| gap | head | none | nothing within these bounds |  | 7 | 0s |  | zoo ops=2 (inconclusive) |
`
	got := ruleMatrix().RuleTable()
	if got.Text != want || got.Rows != 3 || got.Name != "rules" {
		t.Errorf("got %d rows of %s\n%s\nwant\n%s", got.Rows, got.Name, got.Text, want)
	}
}

// TestRuleTableNotConsulted: where a rule decided nothing, nothing is said of it.
func TestRuleTableNotConsulted(t *testing.T) {
	m := ruleMatrix()
	m.Cells[2].Outcome.Idle = []string{"gap"}
	got := m.RuleTable().Text
	if want := "| gap | head | journal | nothing within these bounds |  | 5,000 | 0s |  | sound (not consulted), zoo ops=2 |\n"; !strings.Contains(got, want) {
		t.Errorf("got\n%s\nwant a line\n%s", got, want)
	}
	m.Cells[6].Outcome.Idle = []string{"gap"}
	got = m.RuleTable().Text
	if want := "| gap | head | journal | not consulted |  | 5,000 | 0s |  | sound (not consulted), zoo ops=2 (not consulted) |\n"; !strings.Contains(got, want) {
		t.Errorf("got\n%s\nwant a line\n%s", got, want)
	}
	if text := m.Text(); strings.Count(text, "holds (gap decided nothing)") != 2 || !strings.Contains(text, "  - gap=journal ") {
		t.Errorf("got\n%s\nwant two cells marked", text)
	}
	if want := "in 2 a changed rule decided nothing"; !strings.Contains(m.Totals(), want) {
		t.Errorf("got %q, want %q", m.Totals(), want)
	}
	var page bytes.Buffer
	if err := m.WriteHTML(&page); err != nil || !strings.Contains(page.String(), `class="idle"`) {
		t.Errorf("error %v, or no grey cell", err)
	}
}

func TestReadMatrix(t *testing.T) {
	path := filepath.Join(t.TempDir(), "matrix.json")
	data, err := ruleMatrix().Write()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := Read(path); err != nil || !reflect.DeepEqual(got.Cells[2], ruleMatrix().Cells[2]) || len(got.Cells) != 8 {
		t.Errorf("got %+v, %v", got, err)
	}
	if _, err := Read(path + "x"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a matrix that is not there: %v", err)
	}
	for _, damage := range [][2]string{
		{`"schema": 1`, `"schema": 2`}, {`"cells"`, `"cels"`}, {`"base": 2`, `"base": 3`}, {`"verdict": "holds"`, `"verdict": "fine"`},
		{`"verdict": "violated"`, `"verdict": "holds"`}, {`"name": "gap", "value": "journal"`, `"name": "gab", "value": "journal"`}, {`"changed": []`, `"changed": [{"name": "gap", "value": "x"}]`},
	} {
		bad := strings.Replace(string(data), damage[0], damage[1], 1)
		if _, err := Parse([]byte(bad)); !errors.Is(err, ErrMatrix) || bad == string(data) {
			t.Errorf("%s in place of %s: got %v, want ErrMatrix", damage[1], damage[0], err)
		}
	}
	for _, bad := range []string{"", "{}", "[]", string(data) + "{}"} {
		if _, err := Parse([]byte(bad)); !errors.Is(err, ErrMatrix) {
			t.Errorf("%.20q: got %v, want ErrMatrix", bad, err)
		}
	}
}

// TestPublishedMatrix: every cell that is published has a verdict or says why it has none,
// and everything of the table is measured by rules under which all holds.
func TestPublishedMatrix(t *testing.T) {
	m, err := Read("../runs/matrix/matrix.json")
	if err != nil {
		t.Fatal(err)
	}
	if own := m.of(0)[0]; own.Verdict != results.Holds {
		t.Errorf("%s: got %s, want what all holds under", m.Bases[0].Name(), own.What())
	}
	for i := range m.Cells {
		if c := &m.Cells[i]; c.Verdict == Failed || c.Verdict == results.Inconclusive && c.Reason == "" {
			t.Errorf("%s, %s: %s", m.Bases[c.Base].Name(), c.Name(), c.What())
		}
	}
	text, err := os.ReadFile("../runs/matrix/matrix.txt")
	if err != nil {
		t.Fatal(err)
	}
	if want := m.Text() + fmt.Sprintf("DECIDED %d cells: %s\n", len(m.Cells), m.Totals()); string(text) != want {
		t.Error("matrix.txt is not the text of matrix.json")
	}
	var want bytes.Buffer
	if err := m.WriteHTML(&want); err != nil {
		t.Fatal(err)
	}
	const html = "../runs/matrix/matrix.html"
	if page, err := os.ReadFile(html); err != nil || !bytes.Equal(page, want.Bytes()) {
		if !resultstest.Update() {
			t.Errorf("%s is not the page of matrix.json (%v); VSRCHECK_UPDATE=1 writes it", html, err)
		} else if err := results.WriteFile(html, want.Bytes()); err != nil {
			t.Error(err)
		}
	}
	readme, err := os.ReadFile("../runs/matrix/README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, command, _ := strings.Cut(string(readme), "\nvsrcheck matrix ")
	command, _, _ = strings.Cut(command, "--")
	bases := strings.Fields(strings.ReplaceAll(command, "\\", ""))
	if len(bases) != len(m.Bases) {
		t.Fatalf("the command has %d specifications, want %d as the matrix", len(bases), len(m.Bases))
	}
	for b, base := range bases {
		name, rule, _ := strings.Cut(base, ":")
		if name != m.Bases[b].Spec {
			t.Errorf("the command has %s, the matrix %s", base, m.Bases[b].Spec)
		}
		for _, c := range m.of(b)[1:] {
			if rule != "" && c.Changed[0].Name != rule {
				t.Errorf("the command has %s, the matrix changes %s", base, c.Name())
			}
		}
	}
	if rows := m.RuleTable().Rows; rows < len(m.Bases[0].Rules) {
		t.Errorf("the table has %d rows, want one at least for each of %d rules", rows, len(m.Bases[0].Rules))
	}
}

func FuzzParseMatrix(f *testing.F) {
	data, err := ruleMatrix().Write()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(`{"schema":1,"bases":[{}],"cells":[{}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Parse(data)
		if err != nil {
			return
		}
		if table := m.RuleTable(); table.Rows != strings.Count(table.Text, "\n")-2 {
			t.Errorf("got %d rows in\n%s", table.Rows, table.Text)
		}
	})
}
