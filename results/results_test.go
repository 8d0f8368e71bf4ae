package results

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "rewrite the README's table of results and the expected traces")

// sample is a small valid record.
func sample() *Record {
	return &Record{
		Schema: Schema, Spec: "toy", Path: "specs/toy.cfg",
		Config:     []Setting{{Name: "replicas", Value: "3"}, {Name: "ops", Value: "2", Instead: "4"}},
		Rules:      []Setting{{Name: "fetch_to_op", Value: "old"}},
		Properties: []Property{{Name: "P", Kind: "liveness"}},
		Network:    "set",
		Verdict:    Violated, ExitCode: 13, Violated: "P", TraceLength: 2,
		Violations: []Violation{{Property: "P", Kind: "liveness", Depth: 2, LoopStart: -1, Actions: []string{"a", "b"}}},
		Distinct:   1234567, Generated: 2000000, Depth: 3, Levels: []uint64{1, 2, 1234564},
		Coverage: []Action{{Name: "Request", Generated: 3, Effective: 2}},
		Workers:  2, Store: "exact", Seconds: 1.5, StatesPerSecond: 823044.7, PeakMemory: 1 << 20,
		StoreBytes: 12345670, StateBytes: 48, BytesPerState: 10,
		CommandLine: []string{"vsrcheck", "check", "toy"}, Started: time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC),
		Build: Build{Version: "v1", Go: "go1", OS: "linux", Arch: "amd64"}, CPUs: 2,
	}
}

// simulated is a small valid record of a simulation.
func simulated() *Record {
	r := sample()
	r.Distinct, r.Generated, r.Depth, r.Levels, r.Store, r.StatesPerSecond, r.StoreBytes, r.BytesPerState = 0, 0, 0, nil, "", 0, 0, 0
	r.Coverage[0].Taken = 1
	r.CommandLine = []string{"vsrcheck", "simulate", "toy", "--ops", "2", "--json=a.json", "--trace", "json=b|c", "--no-progress", "--num=9"}
	r.Simulation = &Simulation{
		Seed: 1, Depth: 1000, Walks: 256, Steps: 4567, Longest: 30, Distinct: 1999, DistinctError: 0.008,
		Met: map[string]uint64{"SomeCommit": 3}, Shrunk: []Shrunk{{Walk: 10, From: 9, To: 2}},
	}
	return r
}

func TestRecordRoundTrip(t *testing.T) {
	for _, r := range []*Record{sample(), simulated()} {
		testRoundTrip(t, r)
	}
}

func testRoundTrip(t *testing.T, r *Record) {
	data, err := r.Write()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "r.json")
	if err := WriteFile(path, data); err != nil {
		t.Fatal(err)
	}
	got, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, r) {
		t.Errorf("got %+v, want %+v", got, r)
	}
	if _, err := Read(path + "x"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a record that is not there: %v", err)
	}
}

func TestRecordRefuses(t *testing.T) {
	for name, damage := range map[string]func(*Record){
		"schema":      func(r *Record) { r.Schema++ },
		"spec":        func(r *Record) { r.Spec = "" },
		"config":      func(r *Record) { r.Config = nil },
		"verdict":     func(r *Record) { r.Verdict = "fine" },
		"violated":    func(r *Record) { r.Violated = "" },
		"violations":  func(r *Record) { r.Violations = nil },
		"first":       func(r *Record) { r.Violations[0].Property = "Q" },
		"length":      func(r *Record) { r.TraceLength = 7 },
		"reason":      func(r *Record) { r.Verdict, r.Violated, r.Violations = Inconclusive, "", nil },
		"exit code":   func(r *Record) { r.ExitCode = 0 },
		"depth":       func(r *Record) { r.Depth = 4 },
		"levels":      func(r *Record) { r.Levels[1]++ },
		"generated":   func(r *Record) { r.Generated = 3 },
		"workers":     func(r *Record) { r.Workers = 0 },
		"probability": func(r *Record) { r.CollisionProbability = 1.5 },
		"seconds":     func(r *Record) { r.Seconds = -1 },
		"build":       func(r *Record) { r.Build.Version = "" },
		"guard":       func(r *Record) { r.Guards = []Guard{{Action: "A", Reason: "r", Refused: true}} },
		"vacuous":     func(r *Record) { r.Verdict, r.Violated, r.Reason, r.TraceLength = Inconclusive, "", "r", 0 },
	} {
		r := sample()
		damage(r)
		if _, err := r.Write(); !errors.Is(err, ErrRecord) {
			t.Errorf("%s: got %v, want ErrRecord", name, err)
		}
	}
	for name, damage := range map[string]func(*Record){
		"holds":    func(r *Record) { r.Verdict, r.Violated, r.Violations, r.TraceLength, r.ExitCode = Holds, "", nil, 0, 0 },
		"distinct": func(r *Record) { r.Distinct, r.Generated, r.Depth, r.Levels = 1, 1, 1, []uint64{1} },
		"store":    func(r *Record) { r.Store = "exact" },
		"cut":      func(r *Record) { r.Simulation.Cut = 257 },
		"longest":  func(r *Record) { r.Simulation.Longest = 5000 },
		"depth":    func(r *Record) { r.Simulation.Depth = 0 },
		"error":    func(r *Record) { r.Simulation.DistinctError = 2 },
		"shrunk":   func(r *Record) { r.Simulation.Shrunk = nil },
		"to":       func(r *Record) { r.Simulation.Shrunk[0].To = 3 },
		"from":     func(r *Record) { r.Simulation.Shrunk[0].From = 1 },
	} {
		r := simulated()
		damage(r)
		if _, err := r.Write(); !errors.Is(err, ErrRecord) {
			t.Errorf("simulated, %s: got %v, want ErrRecord", name, err)
		}
	}
	data, err := sample().Write()
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"", "{}", "[]", string(data) + "{}", strings.Replace(string(data), `"spec"`, `"sepc"`, 1)} {
		if _, err := Parse([]byte(bad)); !errors.Is(err, ErrRecord) {
			t.Errorf("Parse(%.20q...) = %v, want ErrRecord", bad, err)
		}
	}
}

// TestVacuousRecord: a companion that was never met leaves a run without a verdict, and
// stands among the violations all the same.
func TestVacuousRecord(t *testing.T) {
	r := sample()
	r.Verdict, r.Violated, r.Reason, r.TraceLength, r.ExitCode = Inconclusive, "", "Some is never met", 0, 10
	r.Violations = []Violation{{Property: "Some", Kind: kindReachable, LoopStart: -1, Actions: []string{}}}
	data, err := r.Write()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := Parse(data); err != nil || !reflect.DeepEqual(got, r) {
		t.Errorf("got %+v, %v", got, err)
	}
}

// TestBoundedRecord: what a full channel may be the cause of leaves a run without a verdict,
// and nothing else does.
func TestBoundedRecord(t *testing.T) {
	r := sample()
	r.Verdict, r.Violated, r.Reason, r.TraceLength, r.ExitCode = Inconclusive, "", "a channel was full", 0, 20
	for i := range r.Violations {
		r.Violations[i].Bounded = true
	}
	data, err := r.Write()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := Parse(data); err != nil || !reflect.DeepEqual(got, r) {
		t.Errorf("got %+v, %v", got, err)
	}
	if err := compiled(t, "record").Validate(instance(t, data)); err != nil {
		t.Error(err)
	}
	r.Violations[0].Bounded = false
	if _, err := r.Write(); !errors.Is(err, ErrRecord) {
		t.Errorf("with a violation in any channel: got %v, want ErrRecord", err)
	}
}

func FuzzParse(f *testing.F) {
	for _, r := range []*Record{sample(), simulated()} {
		data, err := r.Write()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(`{"schema":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := Parse(data)
		if err != nil {
			return
		}
		out, err := r.Write()
		if err != nil {
			t.Fatalf("a record that was read cannot be written: %v", err)
		}
		if _, err := Parse(out); err != nil {
			t.Fatalf("a record that was written cannot be read: %v", err)
		}
		Tables([]Published{{File: "x.json", Record: r}})
	})
}

func TestFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out.json")
	if err := WriteFile(path, []byte("old")); err != nil {
		t.Fatal(err)
	}
	f, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if data, _ := os.ReadFile(path); string(data) != "old" {
		t.Errorf("before Commit the file has %q", data)
	}
	f.Abort()
	f.Abort()
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("Abort left %v", entries)
	}
	if f, err = Create(path); err != nil {
		t.Fatal(err)
	}
	if err := f.Commit([]byte("new")); err != nil {
		t.Fatal(err)
	}
	f.Abort()
	if data, _ := os.ReadFile(path); string(data) != "new" {
		t.Errorf("after Commit the file has %q", data)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("Commit left %v", entries)
	}
	for _, bad := range []string{"", dir, filepath.Join(dir, "none", "x"), filepath.Join(path, "x")} {
		if _, err := Create(bad); !errors.Is(err, ErrOutput) {
			t.Errorf("Create(%q) = %v, want ErrOutput", bad, err)
		}
	}
	var none *File
	none.Abort()
}

func TestTables(t *testing.T) {
	held := sample()
	held.Verdict, held.Violated, held.TraceLength, held.ExitCode = Holds, "", 0, 0
	held.Violations, held.Config = nil, []Setting{{Name: "ops", Value: "4"}}
	open := sample()
	open.Verdict, open.Reason = Inconclusive, "a|b"
	walked := simulated()
	walked.Verdict, walked.Violated, walked.Violations, walked.TraceLength, walked.ExitCode = Inconclusive, "", nil, 0, 20
	walked.Reason, walked.Simulation.Shrunk = "nothing violated in 256 walks", nil
	tables := Tables([]Published{{"a.json", sample()}, {"s.json", simulated()}, {"b.json", held}, {"c.json", open}, {"w.json", walked}})
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
	replaced, err := ReplaceTables(fmt.Appendf(nil, place, "stale\n", "stale\n"), tables)
	if err != nil || string(replaced) != fmt.Sprintf(place, searches, simulations) {
		t.Errorf("got %q, %v", replaced, err)
	}
	one := []Table{{"x", 1, "t\n"}}
	for _, bad := range []string{"", "<!-- x:begin -->", "<!-- x:end --><!-- x:begin -->"} {
		if _, err := ReplaceTables([]byte(bad), one); !errors.Is(err, ErrMarkers) {
			t.Errorf("ReplaceTables(%q) = %v, want ErrMarkers", bad, err)
		}
	}
	one[0].Rows = 0
	if got, err := ReplaceTables([]byte("text"), one); err != nil || string(got) != "text" {
		t.Errorf("no rows and no place: got %q, %v", got, err)
	}
}

func TestReductionTable(t *testing.T) {
	run := func(reduction string, distinct uint64, change func(r *Record)) Published {
		r := sample()
		r.Reduction, r.Distinct = reduction, distinct
		if change != nil {
			change(r)
		}
		return Published{File: reduction + ".json", Record: r}
	}
	cut := func(r *Record) {
		r.Verdict, r.Violated, r.TraceLength, r.Reason, r.Seconds = Inconclusive, "", 0, "a limit", 2
	}
	short := func(r *Record) { r.Seconds = 0.5 }
	table, err := ReductionTable([]Published{
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
		runs []Published
	}{
		{"reduction", []Published{run("half", 1, nil)}},
		{"a second run", []Published{run("none", 1, nil), run("none", 1, nil)}},
		{"before that violated: P", []Published{run("none", 1, nil), run("faults", 1, func(r *Record) { r.Verdict = Holds })}},
		{"a trace of 3 steps", []Published{run("none", 1, nil), run("faults", 1, func(r *Record) { r.TraceLength = 3 })}},
	} {
		if _, err := ReductionTable(bad.runs); err == nil || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("got %v, want an error with %q", err, bad.want)
		}
	}
}

// TestReductions holds the table of reductions to its records.
func TestReductions(t *testing.T) {
	records, err := ReadAll("reductions")
	if err != nil {
		t.Fatal(err)
	}
	table, err := ReductionTable(records)
	if err != nil {
		t.Fatal(err)
	}
	const readme = "reductions/README.md"
	got, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	want, err := ReplaceTables(got, []Table{table})
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not that of the records; run go run ./cmd/vsrcheck table --reductions --dir results/reductions --write results/%s", readme, readme)
	}
}

// TestReadme holds the tables of README.md to the published records. With -update it
// rewrites them.
func TestReadme(t *testing.T) {
	tables, err := ReadTables(".")
	if err != nil {
		t.Fatal(err)
	}
	const readme = "README.md"
	got, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	want, err := ReplaceTables(got, tables)
	if err != nil {
		t.Fatalf("%s: %v", readme, err)
	}
	if bytes.Equal(got, want) {
		return
	}
	if !*update {
		t.Fatalf("a table in %s is not that of the records; run go run ./cmd/vsrcheck table --write results/README.md", readme)
	}
	if err := WriteFile(readme, want); err != nil {
		t.Fatal(err)
	}
}

func TestReadAll(t *testing.T) {
	dir := t.TempDir()
	data, err := sample().Write()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"b.json", "a.json"} {
		if err := WriteFile(filepath.Join(dir, name), data); err != nil {
			t.Fatal(err)
		}
	}
	got, err := ReadAll(dir)
	if err != nil || len(got) != 2 || got[0].File != "a.json" {
		t.Errorf("got %v, %v", got, err)
	}
	if err := WriteFile(filepath.Join(dir, "c.json"), []byte("{}")); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadAll(dir); !errors.Is(err, ErrRecord) || !strings.Contains(err.Error(), "c.json") {
		t.Errorf("got %v, want ErrRecord with the file's name", err)
	}
}

func TestWriteText(t *testing.T) {
	trace := &Trace{
		Property: "P", Kind: "liveness", Summary: "ops commit", LoopStart: -1, Forever: true,
		Steps: []TraceStep{
			{State: "s0"},
			{Action: "Request(0): prepares op 1", Notes: []string{"it is decisive"}, Changes: []string{"replica 0 head: 0 -> 1"}, State: "s1"},
			{Action: "Stop(2)", Changes: []string{"replica 2 status: normal -> stopped, and so on and so on"}, State: "s2"},
		},
		Final: "a  b  \n1  2\n", Explanation: "Because.", Decisive: []string{"Because"},
	}
	text := func(opt TextOptions) string {
		var out strings.Builder
		if err := trace.WriteText(&out, opt); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	want := `trace of P (liveness), 2 steps
  ops commit

 0  the initial state
 1  Request(0): prepares op 1
      it is decisive
      replica 0 head: 0 -> 1
 2  Stop(2)
      replica 2 status: normal -> stopped, and
          so on and so on
and so it stays for ever: no step that has to
  happen can change anything

the state after step 2
  a  b
  1  2

why nothing helps any more
  Because.
`
	if got := text(TextOptions{Width: 46}); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := text(TextOptions{States: StatesNone}); strings.Contains(got, "head: 0") || !strings.Contains(got, "  a  b\n") {
		t.Errorf("without states:\n%s", got)
	}
	if got := text(TextOptions{States: StatesFull}); !strings.Contains(got, "\n    s0\n 1  Request") || strings.Contains(got, "head: 0") ||
		!strings.Contains(got, "\n      it is decisive\n    s1\n") {
		t.Errorf("with full states:\n%s", got)
	}
	if got := text(TextOptions{Color: true}); !strings.Contains(got, "\x1b[1m 2  Stop(2)\x1b[0m\n") ||
		!strings.Contains(got, "\x1b[1;33m      it is decisive\x1b[0m\n") || !strings.Contains(got, "  \x1b[1;33mBecause\x1b[0m.") {
		t.Errorf("with colour:\n%q", got)
	}
	narrow := *trace
	narrow.Final = "replica 0: a line that is longer than forty characters"
	var out strings.Builder
	if err := narrow.WriteText(&out, TextOptions{Width: 40}); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); !strings.Contains(got, "\n  replica 0: a line that is longer than\n    forty characters\n") {
		t.Errorf("in 40 columns:\n%s", got)
	}
	trace.LoopStart, trace.Forever = 1, false
	if got := text(TextOptions{}); !strings.Contains(got, "0 -> 1\nfrom here the rest repeats for ever") &&
		!strings.Contains(got, "    from here the rest repeats for ever\n 2  Stop(2)") || !strings.Contains(got, "back to the state after step 1\n") {
		t.Errorf("a lasso:\n%s", got)
	}
	if err := trace.WriteText(failingWriter{}, TextOptions{}); err == nil {
		t.Error("an error of the writer was lost")
	}
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errors.New("full") }

// TestTableNowAndThen: a long trace shows where its steps have led, unless the end is near.
func TestTableNowAndThen(t *testing.T) {
	trace := &Trace{LoopStart: -1}
	for i := range 25 {
		trace.Steps = append(trace.Steps, TraceStep{Action: "step", State: fmt.Sprintf("table %d\nlegend\n\nmessages\n", i)})
	}
	for states, want := range map[States]string{StatesDiff: "[10]", StatesNone: "[]"} {
		var out strings.Builder
		if err := trace.WriteText(&out, TextOptions{States: states, Width: 80}); err != nil {
			t.Fatal(err)
		}
		var at []int
		for line := range strings.Lines(out.String()) {
			var n int
			if _, err := fmt.Sscanf(line, " table %d", &n); err == nil {
				at = append(at, n)
			}
		}
		if got := fmt.Sprint(at); got != want || strings.Contains(out.String(), "messages") {
			t.Errorf("%s: tables after %s, want %s:\n%s", states, got, want, out.String())
		}
	}
}

func TestFormats(t *testing.T) {
	for _, test := range []struct{ got, want string }{
		{Count(0), "0"}, {Count(999), "999"}, {Count(1000), "1,000"}, {Count(1234567), "1,234,567"},
		{Bytes(0), "0 B"}, {Bytes(1023), "1023 B"}, {Bytes(1536), "1.50 KiB"}, {Bytes(123 << 20), "123 MiB"}, {Bytes(1<<64 - 1), "16.0 EiB"},
		{Rate(0), "0/s"}, {Rate(12345), "12.3 k/s"}, {Rate(2.5e6), "2.50 M/s"},
		{Duration(12345 * time.Microsecond), "12ms"}, {Duration(1234 * time.Millisecond), "1.2s"}, {Duration(90*time.Second + 400*time.Millisecond), "1m30s"},
	} {
		if test.got != test.want {
			t.Errorf("got %s, want %s", test.got, test.want)
		}
	}
}

func TestBuild(t *testing.T) {
	b := ReadBuild()
	if b.Version == "" || b.Go != runtime.Version() {
		t.Errorf("got %+v", b)
	}
	b = Build{Version: "v1", Revision: "0123456789abcdef", Modified: true, Go: "go1", OS: "linux", Arch: "amd64"}
	if got, want := b.String(), "v1 (0123456789ab, with changes), go1, linux/amd64"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
