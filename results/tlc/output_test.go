package tlc

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"vsrcheck/results"
)

// TestParseTLC reads outputs of TLC on a toy: a counter modulo 3.
func TestParseTLC(t *testing.T) {
	counted := func(run Run) Run {
		run.Distinct, run.Generated, run.Depth, run.Complete = 3, 4, 3, true
		return run
	}
	ends := func(run Run) Run {
		run = counted(run)
		run.Generated = 3
		return run
	}
	for name, want := range map[string]Run{
		"holds":     counted(Run{Verdict: results.Holds}),
		"invariant": ends(Run{Verdict: results.Violated, Violated: []string{"Small"}, Kind: "invariant", TraceLength: 2}),
		"initial":   {Verdict: results.Violated, Violated: []string{"Never"}, Kind: "invariant"},
		"action":    counted(Run{Verdict: results.Violated, Violated: []string{"Grows"}, Kind: "action", TraceLength: 3}),
		"temporal":  counted(Run{Verdict: results.Violated, Violated: []string{"Stays"}, Kind: "liveness", TraceLength: 2}),
		"temporals": counted(Run{Verdict: results.Violated, Violated: []string{"Stays", "Comes"}, Kind: "liveness", TraceLength: 2}),
		"stutter":   counted(Run{Verdict: results.Violated, Violated: []string{"Comes"}, Kind: "liveness"}),
		"deadlock":  ends(Run{Verdict: results.Violated, Violated: []string{"Deadlock"}, Kind: "deadlock", TraceLength: 2}),
		"broken":    {Verdict: results.Inconclusive, Message: "Parsing or semantic analysis failed."},
		"evaluation": {Verdict: results.Inconclusive, Message: "TLC threw an unexpected exception.",
			Distinct: 2, Generated: 2, Depth: 2, Complete: true},
	} {
		got, err := Read(filepath.Join("testdata", name+".txt"))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !reflect.DeepEqual(*got, want) {
			t.Errorf("%s: got %+v, want %+v", name, *got, want)
		}
	}
	if _, err := Read(filepath.Join("testdata", "none.txt")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an output that is not there: %v", err)
	}
	// Older versions name no temporal property.
	got, err := Parse(Title + "2.15\nError: Temporal properties were violated.\n")
	if err != nil || got.Kind != "liveness" || len(got.Violated) != 0 {
		t.Errorf("got %+v, %v", got, err)
	}
	// A run that was ended while it went on.
	got, err = Parse(Title + "2.15\n9 states generated, 5 distinct states found, 2 states left on queue.\n")
	if err != nil || got.Verdict != results.Inconclusive || got.Complete || got.Distinct != 5 {
		t.Errorf("got %+v, %v", got, err)
	}
	for _, bad := range []string{
		"", "java: command not found", "TLC",
		Title + "2.15\nModel checking completed. No error has been found.\n",
		Title + "2.15\n99999999999999999999 states generated, 5 distinct states found, 2 states left on queue.\n",
		Title + "2.15\nThe depth of the complete state graph search is 99999999999999999999.\n",
	} {
		if got, err := Parse(bad); !errors.Is(err, ErrOutput) {
			t.Errorf("%q gives %+v, %v, want ErrOutput", bad, got, err)
		}
	}
}

func TestStripTLC(t *testing.T) {
	const raw = Title + `2.20 of Day Month Year
Running breadth-first search Model-Checking with fp 3 and seed 7 with 1 worker on 2 cores with 9MB heap (Linux, host).
Parsing file /some/where/VSR.tla
Semantic processing of module VSR
Starting... (2024-01-02 03:04:05)
Computing initial states...
Finished computing initial states: 1 distinct state generated at 2024-01-02 03:04:05.
Progress(3) at 2024-01-02 03:04:05: 4 states generated, 3 distinct states found, 0 states left on queue.
Model checking completed. No error has been found.

4 states generated, 3 distinct states found, 0 states left on queue.
The depth of the complete state graph search is 3.
Finished in 00s at (2024-01-02 03:04:05)
`
	const want = `TLC2 Version (what names the machine or the time is left out)
Model checking completed. No error has been found.
4 states generated, 3 distinct states found, 0 states left on queue.
The depth of the complete state graph search is 3.
`
	got := Strip(raw)
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if again := Strip(got); again != got {
		t.Errorf("a second time it gives\n%s", again)
	}
	before, err := Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	after, err := Parse(got)
	if err != nil || !reflect.DeepEqual(before, after) {
		t.Errorf("it reads as %+v, %v, before as %+v", after, err, before)
	}
}

func FuzzParseTLC(f *testing.F) {
	paths, err := filepath.Glob(filepath.Join("testdata", "*.txt"))
	if err != nil || len(paths) == 0 {
		f.Fatal("no outputs to begin with", err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data))
	}
	f.Fuzz(func(t *testing.T, text string) {
		run, err := Parse(text)
		if err != nil {
			if !errors.Is(err, ErrOutput) {
				t.Fatal(err)
			}
			return
		}
		again, err := Parse(Strip(text))
		if err != nil || !reflect.DeepEqual(run, again) {
			t.Fatalf("got %+v, stripped %+v, %v", run, again, err)
		}
	})
}

func TestCanonicalTLA(t *testing.T) {
	for text, want := range map[string]string{
		`3`:     `3`,
		`-1`:    `-1`,
		` TRUE`: `TRUE`,
		`"a b"`: `"a b"`,
		`{ }`:   `{}`,
		`{3, 1,
  2, 1}`: `{1,2,3}`,
		`1..3`:                               `{1,2,3}`,
		`<<0, <<>>>>`:                        `<<0,<<>>>>`,
		`[b |-> {2, 1}, a |-> TRUE]`:         `[a|->TRUE,b|->{1,2}]`,
		`(1 :> "x" @@ 0 :> "y")`:             `(0:>"y"@@1:>"x")`,
		`(1 :> "x" @@ 2 :> "y")`:             `<<"x","y">>`,
		`{[to |-> 1], [to |-> 0]}`:           `{[to|->0],[to|->1]}`,
		`(2 :> 5 @@ 1 :> 6)`:                 `<<6,5>>`,
		`(0 :> <<-1>> @@ 1 :> {0})`:          `(0:><<-1>>@@1:>{0})`,
		`[says |-> "nack", id |-> -1]`:       `[id|->-1,says|->"nack"]`,
		"{ [type |-> \"A\"],\n  [b |-> 1] }": `{[b|->1],[type|->"A"]}`,
	} {
		got, err := CanonicalTLA(text)
		if err != nil || got != want {
			t.Errorf("%s gives %s, %v, want %s", text, got, err, want)
		}
	}
	for _, bad := range []string{
		"", "{", "{1", "{1 2}", "<<1>", "[a |-> ]", "[|-> 1]", "[a = 1]", "(0 :> 1", "(0 -> 1)", "(0 :> 1 @@ 0 :> 2)", "(:> 1)", `"a`, "1..", "1..99999", "x", "1 2",
		strings.Repeat("{", 1000),
	} {
		if got, err := CanonicalTLA(bad); !errors.Is(err, ErrOutput) {
			t.Errorf("%.20s gives %s, %v, want ErrOutput", bad, got, err)
		}
	}
}

func TestCanonicalState(t *testing.T) {
	got, err := CanonicalState("/\\ y = {2,\n  1}\n/\\ x = (1 :> 0)\n")
	if want := "x = <<0>>\ny = {1,2}\n"; err != nil || got != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	for _, bad := range []string{"", "x = 1", `/\ x`, `/\ = 1`, `/\ x = `, `/\ x = 1 y = 2`} {
		if got, err := CanonicalState(bad); !errors.Is(err, ErrOutput) {
			t.Errorf("%q gives %q, %v, want ErrOutput", bad, got, err)
		}
	}
}

func FuzzCanonicalTLA(f *testing.F) {
	for _, text := range []string{`{1, 2}`, `[a |-> <<1, "x">>, b |-> -1]`, `(0 :> 1..3 @@ 1 :> {})`, `TRUE`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		canonical, err := CanonicalTLA(text)
		if err != nil {
			if !errors.Is(err, ErrOutput) {
				t.Fatal(err)
			}
			return
		}
		if again, err := CanonicalTLA(canonical); err != nil || again != canonical {
			t.Fatalf("%q gives %q, and that %q, %v", text, canonical, again, err)
		}
	})
}
