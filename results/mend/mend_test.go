package mend

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"vsrcheck/results"
	"vsrcheck/results/internal/resultstest"
	"vsrcheck/results/matrix"
)

// testMend has a set of each fate, in two sizes.
func testMend() *Answer {
	rules := []results.Setting{{Name: "fetch", Value: "old"}, {Name: "gap", Value: "head"}, {Name: "arm", Value: "no"}}
	change := func(names ...string) []results.Setting {
		out := []results.Setting{}
		for _, n := range names {
			out = append(out, results.Setting{Name: n, Value: "new<b>", Instead: "old"})
		}
		return out
	}
	violation := func(property string) results.Violation {
		return results.Violation{Property: property, Kind: "invariant", Depth: 2, LoopStart: -1, Actions: []string{"A", "B"}}
	}
	never := results.Violation{Property: "Met", Kind: "reachable", LoopStart: -1, Actions: []string{}}
	silent := []results.Vacuity{{Property: "Quiet", Companion: "Met", Why: "nothing happens"}}
	holds := matrix.Outcome{Verdict: results.Holds, Vacuous: silent, Idle: []string{"gap"}, Distinct: 1234, Generated: 5000, Depth: 3, Seconds: 0.25}
	bad := matrix.Outcome{Verdict: results.Violated, ExitCode: 12, Violations: []results.Violation{violation("Safe")}, Distinct: 7, Generated: 9, Depth: 3}
	base := matrix.Base{Spec: "one", Path: "one.cfg", Config: []results.Setting{}, Rules: rules, Properties: []results.Property{}, Reduction: "none"}
	larger := base
	larger.Size = "ops=2"
	return &Answer{
		Schema: Schema, Build: results.Build{Version: "v1", Go: "go1"}, CommandLine: []string{"vsrcheck", "mend", "one"}, Seconds: 2,
		Bases: []matrix.Base{base, larger}, Own: []matrix.Outcome{holds, bad}, Changes: change("fetch", "gap", "arm"), MaxChanges: 2, All: true,
		Levels: []Level{{Changes: 1, Sets: 3, Searched: 1, Vacuous: 1, Replayed: 1}, {Changes: 2, Sets: 3, Enough: 1, Replayed: 2}},
		Sets: []Set{{Changed: change("fetch", "gap"), Checks: []Check{
			{Base: 0, Command: "vsrcheck check one --fetch=new", Outcome: holds}, {Base: 1, Command: "vsrcheck check one --ops=2", Outcome: holds},
		}}},
		Vacuous: []Set{{Changed: change("gap"), Why: "one: vacuous: Met is never met", Checks: []Check{
			{Base: 0, Command: "vsrcheck check one --gap=new", Outcome: matrix.Outcome{Verdict: matrix.Vacuous, ExitCode: 10, Violations: []results.Violation{never}}},
		}}},
		Counterexamples: []Counterexample{
			{Base: 1, Set: matrix.OwnRules, Command: "vsrcheck check one --ops=2", Violation: violation("Safe"), Refutes: []string{"", "2"}},
			{Base: 0, Set: "fetch=new<b>", Command: "vsrcheck check one", Violation: violation("Alive"), Refutes: []string{"0", "0 2", "1 2"}},
		},
	}
}

func TestMendText(t *testing.T) {
	want := `its own rules
  holds     one: 1,234 states, depth 3, 250ms
  violated  one ops=2: Safe after 2 steps, 7 states, depth 3, 0s
1 change: 3 sets, 1 refuted by search, 1 refuted by replay, 1 vacuous
2 changes: 3 sets, 1 enough, 2 refuted by replay

fetch=new<b>, gap=new<b>
  holds     one: 1,234 states, depth 3, 250ms
            vsrcheck check one --fetch=new
  holds     one ops=2: 1,234 states, depth 3, 250ms
            vsrcheck check one --ops=2
  without   fetch=new<b>: one: vacuous: Met is never met
  without   gap=new<b>: Alive after 2 steps in one
            vsrcheck check one

gap=new<b>
  does not count: one: vacuous: Met is never met
`
	if got := testMend().Text(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestMendVerdict says what an answer comes to.
func TestMendVerdict(t *testing.T) {
	open := Set{Changed: []results.Setting{{Name: "x", Value: "y"}}, Why: "limit", Checks: []Check{{Outcome: matrix.Outcome{Verdict: results.Inconclusive, Reason: "limit"}}}}
	failed := open
	failed.Checks = []Check{{Outcome: matrix.Outcome{Verdict: matrix.Failed}}}
	for _, test := range []struct {
		change  func(*Answer)
		verdict string
		what    string
	}{
		{func(*Answer) {}, Mended, "one: 1 set of 2 changes is enough, and no part of one is; 6 sets looked at, 2 counterexamples; 1 set holds only because a property says nothing, and does not count"},
		{func(m *Answer) { m.All = false; m.Vacuous = nil }, Mended, "one: 1 set of 2 changes is enough, and no smaller one is; 6 sets looked at, 2 counterexamples"},
		{func(m *Answer) { m.Sets = nil; m.Vacuous = nil }, NotMended, "one: no set of at most 2 changes is enough; 6 sets looked at, 2 counterexamples"},
		{func(m *Answer) { m.Undecided = []Set{open}; m.Incomplete = "1 set undecided"; m.Vacuous = nil }, results.Inconclusive, "one: 1 set of 2 changes is enough; 6 sets looked at, 2 counterexamples; INCOMPLETE: 1 set undecided"},
		{func(m *Answer) {
			m.Undecided = []Set{open, failed}
			m.Incomplete = "2 sets undecided"
			m.Vacuous = nil
		}, matrix.Failed, "one: 1 set of 2 changes is enough; 6 sets looked at, 2 counterexamples; INCOMPLETE: 2 sets undecided"},
		{func(m *Answer) { m.Own[1] = m.Own[0] }, NothingToMend, "one: it holds as it is, in 2 sizes; there is nothing to mend"},
		{func(m *Answer) { m.Own[1] = open.Checks[0].Outcome }, results.Inconclusive, "one: whether it holds as it is stayed open, in 2 sizes; there is nothing to mend"},
		{func(m *Answer) { m.Own[1].Verdict = matrix.Vacuous }, matrix.Vacuous, "one: whether it holds as it is stayed open, in 2 sizes; there is nothing to mend"},
	} {
		m := testMend()
		test.change(m)
		if m.Verdict() != test.verdict || m.What() != test.what {
			t.Errorf("got %s, %s; want %s, %s", m.Verdict(), m.What(), test.verdict, test.what)
		}
	}
}

// TestMendPage holds the page to what it promises: every set, nothing from elsewhere, and
// no text that is taken for markup.
func TestMendPage(t *testing.T) {
	var page bytes.Buffer
	if err := testMend().WriteHTML(&page); err != nil {
		t.Fatal(err)
	}
	text := page.String()
	for _, want := range []string{
		"default-src 'none'", "--bad-bg", "<h2>fetch=new&lt;b&gt;, gap=new&lt;b&gt;</h2>", "all of it, one ops=2", "without gap=new&lt;b&gt;", "Alive after 2 steps in one",
		"vsrcheck check one --fetch=new", "Sets that do not count", "vacuous: Met is never met", "Under its own rules: <b>Safe</b> after 2 steps", "<summary>3 sets</summary>",
		`<span class="tag good">mended</span>`, "Sizes, rules and properties",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	for _, bad := range []string{"new<b>", "http://", "https://", "<script", "ZgotmplZ"} {
		if strings.Contains(text, bad) {
			t.Errorf("the page has %s", bad)
		}
	}
}

// TestReadMend reads back what was written, and refuses what does not agree with itself.
func TestReadMend(t *testing.T) {
	data, err := testMend().Write()
	if err != nil {
		t.Fatal(err)
	}
	if err := resultstest.Schema(t, "mend").Validate(resultstest.Instance(t, data)); err != nil {
		t.Error(err)
	}
	within, outside := testMend(), uint64(3)
	within.Bases[0].Constraints, within.Own[0].Outside = []string{"First"}, &outside
	if text := within.Text() + within.What(); !strings.Contains(text, "one within CONSTRAINT First: 1 set") || !strings.Contains(text, "; 3 states outside were not expanded") {
		t.Errorf("got %s, want it to name the constraint and what it cut off", text)
	}
	if data, err := within.Write(); err != nil || resultstest.Schema(t, "mend").Validate(resultstest.Instance(t, data)) != nil {
		t.Errorf("the schema refuses %s (%v)", data, err)
	}
	for _, damage := range [][2]string{{`"companion"`, `"companions"`}, {`"why": "nothing happens"`, `"why": ""`}, {`"idle_rules": [`, `"idle_rules": [3,`}, {`"idle_rules"`, `"idle"`}} {
		bad := bytes.ReplaceAll(data, []byte(damage[0]), []byte(damage[1]))
		if bytes.Equal(bad, data) || resultstest.Schema(t, "mend").Validate(resultstest.Instance(t, bad)) == nil {
			t.Errorf("%s in place of %s is valid, or not there", damage[1], damage[0])
		}
	}
	if again, err := Parse(data); err != nil || !reflect.DeepEqual(again, testMend()) {
		t.Errorf("the JSON gives %+v, %v", again, err)
	}
	for _, test := range []struct {
		damage func(*Answer)
		want   string
	}{
		{func(m *Answer) { m.Schema++ }, "got schema 2"},
		{func(m *Answer) { m.Own = m.Own[:1] }, "2 bases and 1 outcomes"},
		{func(m *Answer) { m.Levels[0].Sets++ }, "levels[0]: got {Changes:1 Sets:4"},
		{func(m *Answer) { m.Levels[1].Changes++ }, "levels[1]: "},
		{func(m *Answer) { m.Counterexamples[0].Base = 2 }, "counterexamples[0]: got base 2"},
		{func(m *Answer) { m.Counterexamples[0].Refutes = nil }, "counterexamples[0]: got base 1 and 0 sets"},
		{func(m *Answer) { m.Counterexamples[1].Refutes[1] = "0 3" }, `counterexamples[1]: got the set "0 3", want indices of 3 changes`},
		{func(m *Answer) { m.Counterexamples[1].Refutes[1] = "2" }, "got arm=new<b>, which is among the refuted sets, too"},
		{func(m *Answer) { m.Counterexamples[1].Refutes[1] = "0 1" }, "sets: got fetch=new<b>, gap=new<b>, which is among the refuted sets, too"},
		{func(m *Answer) { m.Counterexamples[1].Refutes = m.Counterexamples[1].Refutes[:2] }, "got 6 sets, want 7"},
		{func(m *Answer) { m.Counterexamples[1].Refutes[0] = "0 1 2" }, "sets[0]: want it to be the smallest, but fetch=new<b> is not refuted"},
		{func(m *Answer) { m.Sets[0].Checks[0].Verdict = results.Inconclusive }, `sets[0].checks[0]: got verdict "inconclusive"`},
		{func(m *Answer) { m.Sets[0].Checks = m.Sets[0].Checks[:1] }, "sets[0]: got 1 checks of 2 sizes"},
	} {
		m := testMend()
		test.damage(m)
		data, err := m.Write()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Parse(data); !errors.Is(err, ErrAnswer) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("got error %v, want %s", err, test.want)
		}
	}
	if _, err := Read(filepath.Join(t.TempDir(), "none.json")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got error %v of a file that is not there", err)
	}
}

// TestMendTable has a row for each answer.
func TestMendTable(t *testing.T) {
	table := Table([]Published{{"one.json", testMend()}})
	want := "| [one](runs/mend/one.json)<br>ops=2 | holds, but Quiet says nothing<br>Safe, 2 steps | fetch=new<b>, gap=new<b> | 6 | 3 | 2 | 2s |\n"
	if table.Rows != 1 || !strings.HasSuffix(table.Text, want) {
		t.Errorf("got\n%s\nwant a row\n%s", table.Text, want)
	}
}

// TestPublishedMends: every answer that is published is one in full, and fits its schema.
func TestPublishedMends(t *testing.T) {
	mends, err := ReadAll("../runs/mend")
	if err != nil || len(mends) == 0 {
		t.Fatalf("got %d answers, %v", len(mends), err)
	}
	for _, m := range mends {
		if m.Incomplete != "" || m.Verdict() == matrix.Failed || m.Verdict() == results.Inconclusive {
			t.Errorf("%s: got %s", m.File, m.What())
		}
		data, err := os.ReadFile(filepath.Join("../runs/mend", m.File))
		if err != nil {
			t.Fatal(err)
		}
		if err := resultstest.Schema(t, "mend").Validate(resultstest.Instance(t, data)); err != nil {
			t.Errorf("%s: %v", m.File, err)
		}
	}
}

// FuzzParseMend reads any file: it is refused, or its text and its page can be made.
func FuzzParseMend(f *testing.F) {
	data, err := json.Marshal(testMend())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(`{"schema":1,"bases":[{}],"own":[{"verdict":"violated"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Parse(data)
		if err != nil {
			return
		}
		var page bytes.Buffer
		if err := m.WriteHTML(&page); err != nil || m.Text() == "" || m.What() == "" {
			t.Errorf("got %v", err)
		}
	})
}
