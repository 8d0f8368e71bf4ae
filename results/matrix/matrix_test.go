package matrix

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
)

// testMatrix has one cell of each verdict, and a pair.
func testMatrix() *Matrix {
	rules := []results.Setting{{Name: "fetch", Value: "old"}, {Name: "gap", Value: "head"}}
	change := func(names ...string) []results.Setting {
		out := []results.Setting{}
		for _, n := range names {
			out = append(out, results.Setting{Name: n, Value: "new<b>", Instead: "old"})
		}
		return out
	}
	violation := results.Violation{Property: "Safe", Kind: "invariant", Depth: 2, LoopStart: -1, Actions: []string{"A", "B"}}
	never := results.Violation{Property: "Met", Kind: "reachable", LoopStart: -1, Actions: []string{}}
	return &Matrix{
		Schema: Schema, Build: results.Build{Version: "v1", Go: "go1"},
		Bases: []Base{{Spec: "one", Path: "one.cfg", Rules: rules}, {Spec: "two", Path: "two.cfg", Size: "ops=2", Rules: rules}},
		Cells: []Cell{
			{Base: 0, Changed: change(), Outcome: Outcome{Verdict: results.Holds, Distinct: 1234, Generated: 5000, Depth: 3, Seconds: 0.25}},
			{Base: 0, Changed: change("gap"), Outcome: Outcome{Verdict: results.Violated, ExitCode: 12, Violations: []results.Violation{never, violation}, Distinct: 7, Generated: 9}},
			{Base: 1, Changed: change(), Outcome: Outcome{Verdict: Vacuous, ExitCode: 10, Violations: []results.Violation{never}}},
			{Base: 1, Changed: change("fetch"), Outcome: Outcome{Verdict: results.Inconclusive, ExitCode: 20, Reason: "limit"}},
			{Base: 1, Changed: change("gap"), Outcome: Outcome{Verdict: Failed, ExitCode: 70, Reason: "panic"}},
			{Base: 1, Changed: change("fetch", "gap"), Outcome: Outcome{Verdict: results.Holds}},
		},
	}
}

func TestMatrixText(t *testing.T) {
	want := `one
    rules                     steps  distinct states        generated    time  verdict
    its own rules                              1,234            5,000   250ms  holds
  * gap=new<b>                    2                7                9      0s  Safe

two ops=2
    rules                     steps  distinct states        generated    time  verdict
    its own rules                                  0                0      0s  vacuous: Met is never met
  * fetch=new<b>                                   0                0      0s  inconclusive: limit
  * gap=new<b>                                     0                0      0s  failed: panic
  * fetch=new<b>, gap=new<b>                       0                0      0s  holds

`
	if got := testMatrix().Text(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got, want := testMatrix().Totals(), "2 holds, 1 violated, 1 vacuous, 1 inconclusive, 1 failed"; got != want {
		t.Errorf("got totals %s, want %s", got, want)
	}
}

// TestMatrixPage holds the page to what it promises: every cell, nothing from elsewhere,
// and no text that is taken for markup.
func TestMatrixPage(t *testing.T) {
	var page bytes.Buffer
	if err := testMatrix().WriteHTML(&page); err != nil {
		t.Fatal(err)
	}
	text := page.String()
	for _, want := range []string{
		`<td class="bad other" title="gap=new&lt;b&gt;: Safe after 2 steps, 7 states, 0s&#10;vsrcheck check `, `--gap=new&lt;b&gt;&#39;">`,
		"default-src 'none'", "--bad-bg", "two ops=2", "One rule changed", "Two rules changed: two ops=2", "vacuous: Met is never met", "another verdict",
		"One rule each", `<th scope="row">one</th><th scope="row">gap=new&lt;b&gt;</th>`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	for _, bad := range []string{"new<b>", "http://", "https://", "<script", "Two rules changed: one", "ZgotmplZ"} {
		if strings.Contains(text, bad) {
			t.Errorf("the page has %s", bad)
		}
	}
	if fetch, gap := strings.Index(text, `scope="row">fetch=`), strings.Index(text, `scope="row">gap=`); fetch < 0 || gap < fetch {
		t.Errorf("the rules of the overview are at %d and %d, want them in the order of the rules", fetch, gap)
	}
	data, err := testMatrix().Write()
	if err != nil {
		t.Fatal(err)
	}
	var again Matrix
	if err := json.Unmarshal(data, &again); err != nil || !reflect.DeepEqual(&again, testMatrix()) {
		t.Errorf("the JSON gives %+v, %v", again, err)
	}
}

// finishedCells are some lines of a file.
func finishedCells() (out []FinishedCell) {
	for i, c := range testMatrix().Cells {
		if c.Verdict != Failed {
			out = append(out, FinishedCell{Key: string(rune('a' + i)), Name: c.Name(), Limits: "few", Outcome: c.Outcome})
		}
	}
	return out
}

// TestFinishedCells cuts a file of finished cells at every byte, as a killed writer may
// leave it, and goes on with it: what was complete is there, and nothing else is lost.
func TestFinishedCells(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cells.jsonl")
	cells := finishedCells()
	f, err := OpenCells(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cells {
		if err := f.Add(c); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for n := range len(whole) + 1 {
		if err := os.WriteFile(path, whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := OpenCells(path)
		if err != nil {
			t.Fatalf("cut at %d: %v", n, err)
		}
		lines := bytes.Count(whole[:n], []byte("\n"))
		if want := max(0, lines-1); f.Len() != want {
			t.Errorf("cut at %d: %d cells, want %d", n, f.Len(), want)
		}
		if torn := n > 0 && whole[n-1] != '\n'; f.Torn() != torn {
			t.Errorf("cut at %d: torn is %v", n, f.Torn())
		}
		for i, c := range cells {
			got, ok := f.Find(c.Key, "few")
			if ok != (i < lines-1) || ok && !reflect.DeepEqual(got, c.Outcome) {
				t.Errorf("cut at %d: cell %s is %+v, %v", n, c.Key, got, ok)
			}
			if !ok {
				if err := f.Add(c); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if again, err := os.ReadFile(path); err != nil || !bytes.Equal(again, whole) {
			t.Errorf("cut at %d and gone on with: got\n%s%v\nwant\n%s", n, again, err, whole)
		}
	}
}

// TestFinishedCellsLimits finds an inconclusive cell under the same limits only.
func TestFinishedCellsLimits(t *testing.T) {
	f := &FinishedCells{done: map[string]FinishedCell{}}
	for _, c := range finishedCells() {
		f.done[c.Key] = c
	}
	for _, c := range finishedCells() {
		if _, ok := f.Find(c.Key, "few"); !ok {
			t.Errorf("%s (%s) is not found", c.Key, c.Verdict)
		}
		if _, ok := f.Find(c.Key, "more"); ok != (c.Verdict != results.Inconclusive) {
			t.Errorf("%s (%s) under other limits: found %v", c.Key, c.Verdict, ok)
		}
	}
}

func TestFinishedCellsRefuse(t *testing.T) {
	head := `{"vsrcheck_matrix":1}` + "\n"
	for _, test := range []struct{ text, want string }{
		{"notes\n", `cells.jsonl:1: want the line {"vsrcheck_matrix":1}`},
		{`{"vsrcheck_matrix":2}` + "\n", "cells.jsonl:1: "},
		{head + "{}\n", "cells.jsonl:2: got no key"},
		{head + "\nx\n", "cells.jsonl:3: "},
		{head + `{"key":"a","outcome":{"verdict":"fine"}}` + "\n", `cells.jsonl:2: got the verdict "fine"`},
		{head + `{"key":"a","outcome":{"verdict":"violated"}}` + "\n", "cells.jsonl:2: got 0 violations of a cell that is violated"},
		{head + `{"key":"a","outcome":{"verdict":"holds"},"more":1}` + "\n", "cells.jsonl:2: "},
		{head + `{"key":"a","name":"","limits":"","outcome":{"verdict":"holds"}}` + "\n", "cells.jsonl:2: got no checksum"},
		{head + `{"key":"a","name":"","limits":"","outcome":{"verdict":"holds"},"sum":"00000000"}` + "\n", "cells.jsonl:2: the line is damaged: its checksum is 00000000"},
	} {
		path := filepath.Join(t.TempDir(), "cells.jsonl")
		if err := os.WriteFile(path, []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenCells(path); !errors.Is(err, ErrCells) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: got error %v, want %s", test.text, err, test.want)
		}
		if after, err := os.ReadFile(path); err != nil || string(after) != test.text {
			t.Errorf("%q: the file has %q afterwards, %v", test.text, after, err)
		}
	}
	if _, err := OpenCells(t.TempDir()); err == nil {
		t.Error("a folder is taken")
	}
}

// TestFinishedCellsFlipped flips each bit of a line: the file is refused with the line's number.
func TestFinishedCellsFlipped(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cells.jsonl")
	f, err := OpenCells(path)
	if err == nil {
		err = errors.Join(f.Add(finishedCells()[0]), f.Add(finishedCells()[1]), f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head := bytes.IndexByte(whole, '\n') + 1
	first := head + bytes.IndexByte(whole[head:], '\n')
	for at := head; at < first; at++ {
		for bit := range 8 {
			flipped := bytes.Clone(whole)
			flipped[at] ^= 1 << bit
			if flipped[at] == '\n' {
				continue // of which two lines come
			}
			if err := os.WriteFile(path, flipped, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := OpenCells(path); !errors.Is(err, ErrCells) || !strings.Contains(err.Error(), "cells.jsonl:2: ") {
				t.Fatalf("bit %d of byte %d: got %v", bit, at, err)
			}
		}
	}
}

// TestConsistentOutcome says which verdicts go with which violations.
func TestConsistentOutcome(t *testing.T) {
	never, full, real := results.Violation{Kind: results.KindReachable}, results.Violation{Kind: "liveness", Bounded: true}, results.Violation{Kind: "liveness"}
	for _, test := range []struct {
		verdict    string
		violations []results.Violation
		want       bool
	}{
		{results.Holds, nil, true},
		{results.Holds, []results.Violation{full}, false},
		{Failed, []results.Violation{real}, false},
		{results.Violated, nil, false},
		{results.Violated, []results.Violation{real, full}, true},
		{Vacuous, nil, false},
		{Vacuous, []results.Violation{never}, true},
		{results.Inconclusive, nil, true},
		{results.Inconclusive, []results.Violation{full, never}, true},
		{results.Inconclusive, []results.Violation{full, real}, false},
	} {
		o := Outcome{Verdict: test.verdict, Violations: test.violations}
		if o.consistent() != test.want {
			t.Errorf("%s with %+v: got %v, want %v", test.verdict, test.violations, !test.want, test.want)
		}
	}
}

// FuzzFinishedCells opens any file: it is refused and untouched, or taken, and then what
// is added is found by the next one to open it.
func FuzzFinishedCells(f *testing.F) {
	head := `{"vsrcheck_matrix":1}` + "\n"
	cell, err := json.Marshal(finishedCells()[1])
	if err != nil {
		f.Fatal(err)
	}
	for _, text := range []string{"", head[:5], head, head + string(cell), head + string(cell) + "\n", head + "{}\n", "x\n"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "cells.jsonl")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		cells, err := OpenCells(path)
		if err != nil {
			if after, again := os.ReadFile(path); again != nil || !bytes.Equal(after, data) {
				t.Errorf("refused with %v, and the file has %q afterwards", err, after)
			}
			return
		}
		added := finishedCells()[0]
		added.Key = "added"
		if err := errors.Join(cells.Add(added), cells.Close()); err != nil {
			t.Fatal(err)
		}
		again, err := OpenCells(path)
		if err != nil {
			t.Fatalf("what was taken and added to is refused: %v", err)
		}
		defer again.Close()
		if got, ok := again.Find("added", ""); !ok || !reflect.DeepEqual(got, added.Outcome) {
			t.Errorf("the added cell is %+v, %v", got, ok)
		}
	})
}

// TestBoundedMatrix: the text and the page name the constraints of a base, and what they
// cut off in each cell.
func TestBoundedMatrix(t *testing.T) {
	cut, none := uint64(7), uint64(0)
	m := &Matrix{Schema: Schema, Build: results.Build{Version: "v1"},
		Bases: []Base{{Spec: "toy", Path: "toy.cfg", Constraints: []string{"First"}, Rules: []results.Setting{{Name: "r", Value: "a"}}}},
		Cells: []Cell{
			{Outcome: Outcome{Verdict: results.Holds, Distinct: 5, Outside: &cut}},
			{Changed: []results.Setting{{Name: "r", Value: "b"}}, Outcome: Outcome{Verdict: results.Holds, Distinct: 5, Outside: &none}},
			{Changed: []results.Setting{{Name: "r", Value: "c"}}, Outcome: Outcome{Verdict: results.Inconclusive, Reason: "nothing was searched", ExitCode: 10, Outside: &cut}},
		}}
	var page bytes.Buffer
	if err := m.WriteHTML(&page); err != nil {
		t.Fatal(err)
	}
	for _, out := range []string{m.Text(), page.String()} {
		for _, want := range []string{"toy within CONSTRAINT First", "holds; 7 states outside were not expanded", "holds; the constraint cut nothing off", "inconclusive: nothing was searched; 7 states"} {
			if !strings.Contains(out, want) {
				t.Errorf("no %q in\n%s", want, out)
			}
		}
	}
	data, err := m.Write()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := Parse(data); err != nil || !reflect.DeepEqual(got.Cells[1].Outside, &none) {
		t.Errorf("got %+v, %v", got, err)
	}
}
