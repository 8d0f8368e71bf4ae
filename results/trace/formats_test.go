package trace

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"vsrcheck/results"
	"vsrcheck/results/internal/resultstest"
)

// sampleTrace has every form of value, an awkward string and, with loop, a lasso.
func sampleTrace(t testing.TB, loop bool) *Trace {
	state := func(n int64) []Value {
		return []Value{
			Func{
				{Int(0), Rec{{"status", Str("Normal")}, {"log", Seq{Int(n), Int(10)}}, {"up", Bool(true)}}},
				{Int(1), Rec{{"status", Str(`"a\b"`)}, {"log", Seq{Int(2), Int(10)}}, {"up", Bool(false)}}},
			},
			Set{Rec{{"to", Int(1)}, {"op", Int(n)}}, Rec{{"to", Int(0)}, {"op", Int(7)}}},
			Func{{Str("x"), Set{Int(n)}}},
		}
	}
	trace := &Trace{
		Spec: "toy", Path: "specs/toy.cfg", Program: results.Build{Version: "v1", Go: "go1", OS: "linux", Arch: "amd64"},
		Config:    []results.Setting{{Name: "ops", Value: "2", Instead: "3"}, {Name: "who", Value: "{0, 1}"}},
		Rules:     []Rule{{results.Setting{Name: "rule", Value: "old"}, []string{"old", "new"}}},
		Reduction: "eager", Properties: []results.Property{{Name: "P", Kind: "liveness"}}, Constraints: []string{"C"},
		Property: "P", Kind: "liveness", Summary: "ops -> commit & <so on>", LoopStart: -1, Forever: true,
		Explanation: "Because.\n",
		Steps: []Step{
			{Values: state(0)},
			{Action: "Request(replica 0)", Kind: "Request", Notes: []string{"a note"}, Changes: []string{"0 -> 1"}, Values: state(1)},
			{
				Action: "Receive(replica 1, M{op 1})", Kind: "Receive", Fair: true, Actor: 1,
				Message: Rec{{"name", Str("M")}, {"op", Int(1)}, {"to", Int(1)}}, Changes: []string{"1 -> 0"}, Values: state(0),
			},
		},
	}
	if loop {
		trace.LoopStart, trace.Forever = 0, false
	}
	for i, name := range []string{"replica", "net", "by_name"} {
		ty, err := TypeOf(trace.Steps[0].Values[i])
		if err != nil {
			t.Fatal(err)
		}
		trace.Variables = append(trace.Variables, Variable{name, ty})
	}
	return trace
}

func written(t testing.TB, format string, trace *Trace) []byte {
	t.Helper()
	f, ok := FindFormat(format)
	if !ok {
		t.Fatalf("no format %s", format)
	}
	data, err := f.Bytes(trace, WriteOptions{File: "out/toy-trace.tla", TextOptions: TextOptions{Width: 100, Color: true}})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestFormatsGolden compares every format with a file, for a lasso and for a behaviour
// that ends. With VSRCHECK_UPDATE=1 it rewrites the files.
func TestFormatsGolden(t *testing.T) {
	for name, trace := range map[string]*Trace{"end": sampleTrace(t, false), "lasso": sampleTrace(t, true)} {
		for _, f := range Formats() {
			if f.Drawn {
				continue // TestPictures
			}
			path := filepath.Join("testdata", name+"."+f.Name)
			got := written(t, f.Name, trace)
			if resultstest.Update() {
				if err := results.WriteFile(path, got); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s differs; VSRCHECK_UPDATE=1 go test ./results/trace -run Formats rewrites it. Got:\n%s", path, got)
			}
			if f.Summary == "" {
				t.Errorf("%s has no summary", f.Name)
			}
		}
	}
}

// TestReadTrace: what was written as json is read back whole, and as itf all that the
// format keeps.
func TestReadTrace(t *testing.T) {
	for _, loop := range []bool{false, true} {
		want := sampleTrace(t, loop)
		got, err := Read(written(t, "json", want), want.Variables)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("json: got\n%+v\nwant\n%+v", got, want)
		}
		got, err = Read(written(t, "itf", want), want.Variables)
		if err != nil {
			t.Fatal(err)
		}
		if got.Spec != want.Spec || got.Property != want.Property || got.Kind != want.Kind || got.LoopStart != want.LoopStart ||
			got.Forever != want.Forever || got.Reduction != want.Reduction || len(got.Config) != 2 || len(got.Rules) != 1 {
			t.Errorf("itf: got %+v", got)
		}
		for i := range want.Steps {
			if got.Steps[i].Action != want.Steps[i].Action || !reflect.DeepEqual(got.Steps[i].Values, want.Steps[i].Values) {
				t.Errorf("itf: step %d: got %+v, want %+v", i, got.Steps[i], want.Steps[i])
			}
		}
	}
}

// TestReadRecord: a record has the actions of its first violation.
func TestReadRecord(t *testing.T) {
	data, err := resultstest.Sample().Write()
	if err != nil {
		t.Fatal(err)
	}
	got, err := Read(data, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Steps) != 3 || got.Steps[2].Action != "b" || got.Property != "P" || got.Spec != "toy" || got.LoopStart != -1 || !got.Forever ||
		len(got.Config) != 2 || len(got.Rules) != 1 {
		t.Errorf("got %+v", got)
	}
	for _, test := range []struct {
		damage func(*results.Record)
		want   string
	}{
		{func(r *results.Record) { r.Violations[0].Actions[1] = "" }, "violations[0].actions[1]: got nothing"},
		{func(r *results.Record) { r.Violations[0].LoopStart = 3 }, "violations[0].loop_start: got 3, want -1 or"},
		{func(r *results.Record) {
			r.Verdict, r.Violated, r.TraceLength, r.ExitCode, r.Violations = results.Holds, "", 0, 0, nil
		}, "violations: got none"},
	} {
		r := resultstest.Sample()
		test.damage(r)
		if data, err = r.Write(); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(data, nil); !errors.Is(err, ErrTrace) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("got %v, want ErrTrace with %q", err, test.want)
		}
	}
}

// TestReadITFForms: other tools write small integers plainly, sequences as tuples and
// sets as lists, and nothing about where the trace is from.
func TestReadITFForms(t *testing.T) {
	variables := []Variable{
		{"x", Type{Form: SeqForm, Elem: &Type{Form: IntForm}}},
		{"y", Type{Form: SetForm, Elem: &Type{Form: StrForm}}},
	}
	got, err := Read([]byte(`{"vars":["x","y"],"states":[{"x":{"#tup":[1,{"#bigint":"2"}]},"y":["a"]}]}`), variables)
	if err != nil {
		t.Fatal(err)
	}
	want := []Value{Seq{Int(1), Int(2)}, Set{Str("a")}}
	if !reflect.DeepEqual(got.Steps[0].Values, want) || got.Property != "" || got.LoopStart != -1 {
		t.Errorf("got %+v, want %v", got, want)
	}
}

// TestReadTraceRefuses: an error says where, what was got and what was wanted.
func TestReadTraceRefuses(t *testing.T) {
	trace := sampleTrace(t, false)
	good, itf := string(written(t, "json", trace)), string(written(t, "itf", trace))
	for _, test := range []struct{ text, want string }{
		{"", "line 1, column 1: the file ends in the middle of a value"},
		{"{\n  \"a\": tru }", "line 2, column 11: "},
		{"[1]", "got [1], want a JSON object"},
		{"{}", `without "format", "states" or "verdict"`},
		{good + "{}", "got more after the first value"},
		{good[:len(good)/2], "the file ends in the middle of a value"},
		{strings.Replace(good, "vsrcheck-trace", "other", 1), `format: got "other", want "vsrcheck-trace"`},
		{strings.Replace(good, `"version": 1,`, `"version": 2,`, 1), "version: got 2, want 1"},
		{strings.Replace(good, `"spec"`, `"sepc"`, 1), `got an unknown member "sepc"`},
		{strings.Replace(good, `"rule"`, `7`, 1), "rules[0].name: got 7, want a string"},
		{strings.Replace(good, `"index": 1`, `"index": 3`, 1), "steps[1].index: got 3, want 1"},
		{strings.Replace(good, `"log": [1, 10]`, `"log": [1, "x"]`, 1), `steps[1].state.replica.0.log[1]: got "x", want a whole number`},
		{strings.Replace(good, `"log": [1, 10]`, `"log": [1.5, 10]`, 1), `steps[1].state.replica.0.log[0]: got 1.5, want a whole number`},
		{strings.Replace(good, `"up": true`, `"up": 1`, 1), `steps[0].state.replica.0.up: got 1, want true or false`},
		{strings.Replace(good, `"up": true`, `"down": true`, 1), `steps[0].state.replica.0: got no "up", want one`},
		{strings.Replace(good, `"loop_start": null`, `"loop_start": 3`, 1), "violation.loop_start: got 3, want the index of one of the 3 states"},
		{strings.Replace(itf, `"#bigint": "10"`, `"#bigint": "ten"`, 1), `#bigint: got ten, want a whole number`},
		{strings.Replace(itf, `"#map"`, `"#mop"`, 1), `states[0].replica: got an unknown member "#mop"`},
		{`{"vars":[],"states":[]}`, "states: got no state"},
		{`{"vars":[]}`, `got no "states", want one`},
	} {
		_, err := Read([]byte(test.text), trace.Variables)
		if !errors.Is(err, ErrTrace) || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("got %v, want ErrTrace with %q", err, test.want)
		}
	}
	dir := t.TempDir()
	for _, path := range []string{dir, filepath.Join(dir, "none")} {
		if _, err := ReadFile(path, trace.Variables); !errors.Is(err, ErrTrace) {
			t.Errorf("%s: got %v, want ErrTrace", path, err)
		}
	}
}

// FuzzReadTrace: what is read can be written and read again, and is the same.
func FuzzReadTrace(f *testing.F) {
	variables := sampleTrace(f, false).Variables
	for _, loop := range []bool{false, true} {
		f.Add(written(f, "json", sampleTrace(f, loop)))
		f.Add(written(f, "itf", sampleTrace(f, loop)))
	}
	f.Add([]byte(`{"vars":[],"states":[{}]}`))
	record, err := resultstest.Sample().Write()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(record)
	f.Fuzz(func(t *testing.T, data []byte) {
		trace, err := Read(data, variables)
		if err != nil {
			if !errors.Is(err, ErrTrace) {
				t.Fatalf("got %v, want ErrTrace", err)
			}
			return
		}
		if trace.Steps[0].Values == nil {
			return // a record: there are no states to write
		}
		format := "itf"
		if bytes.Contains(data, []byte(traceFormat)) && trace.Program.Go != "" {
			format = "json"
		}
		again, err := Read(written(t, format, trace), variables)
		if err != nil {
			t.Fatalf("what was read cannot be read again as %s: %v", format, err)
		}
		for i := range trace.Steps {
			if !reflect.DeepEqual(again.Steps[i].Values, trace.Steps[i].Values) || again.Steps[i].Action != trace.Steps[i].Action {
				t.Fatalf("step %d: got %+v, want %+v", i, again.Steps[i], trace.Steps[i])
			}
		}
		for _, f := range Formats() {
			if !f.Drawn {
				written(t, f.Name, trace)
			}
		}
	})
}

// TestSchemas validates what is written, and shows that the schemas refuse something.
func TestSchemas(t *testing.T) {
	for _, format := range []string{"json", "itf"} {
		schema := resultstest.Schema(t, map[string]string{"json": "trace", "itf": "itf"}[format])
		for _, loop := range []bool{false, true} {
			text := written(t, format, sampleTrace(t, loop))
			if err := schema.Validate(resultstest.Instance(t, text)); err != nil {
				t.Errorf("%s: %v", format, err)
			}
			for _, damage := range [][2]string{{`"steps":`, `"stops":`}, {`"states":`, `"status":`}, {`"#bigint": "10"`, `"#bigint": 10`}, {`"index": 1`, `"index": "1"`}} {
				bad := bytes.Replace(text, []byte(damage[0]), []byte(damage[1]), 1)
				if !bytes.Equal(bad, text) && schema.Validate(resultstest.Instance(t, bad)) == nil {
					t.Errorf("%s: %s in place of %s is valid", format, damage[1], damage[0])
				}
			}
		}
	}
	traces, err := filepath.Glob("../runs/traces/*.json")
	if err != nil || len(traces) < 5 {
		t.Fatalf("got %d recorded traces, %v", len(traces), err)
	}
	schema := resultstest.Schema(t, "trace")
	for _, path := range traces {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(resultstest.Instance(t, data)); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestTLCLines: the lines by which TLC's readers find their way, with the patterns of
// the TLA+ extension of VS Code.
func TestTLCLines(t *testing.T) {
	plain, tool := string(written(t, "tlc", sampleTrace(t, true))), string(written(t, "tlc-tool", sampleTrace(t, true)))
	for _, want := range []string{
		"Error: Temporal properties were violated.\n", "Error: The following behavior constitutes a counter-example:\n",
		"State 1: <Initial predicate>\n/\\ replica = ", "State 2: <Request(\"replica 0\") line 1, col 1 to line 1, col 1 of module VSR>\n",
		"Back to state 1: <Receive(",
	} {
		if !strings.Contains(plain, want) {
			t.Errorf("tlc lacks %q:\n%s", want, plain)
		}
	}
	for _, want := range []string{
		`(?m)^@!@!@STARTMSG 2217:4 @!@!@\n1: <?([\w\s]+)>?$`,
		`(?m)^2: <([\w!]+(\(.*\)){0,1}) line (\d+), col (\d+) to line (\d+), col (\d+) of module (\w+)>$`,
		`(?m)^1: Back to state: <(\w+(\(.*\)){0,1}) line (\d+), col (\d+) to line (\d+), col (\d+) of module (\w+)>?`,
		`(?m)^/\\ (\w+) = (.+)$`,
	} {
		if !regexp.MustCompile(want).MatchString(tool) {
			t.Errorf("tlc-tool lacks %s:\n%s", want, tool)
		}
	}
	for kind, want := range map[string]string{
		"invariant": "Error: Invariant P is violated.\nError: The behavior up to this point is:\nState 1: ",
		"action":    "Error: Action property P is violated.\n",
		"deadlock":  "Error: Deadlock reached.\n",
	} {
		trace := sampleTrace(t, false)
		trace.Kind, trace.Forever = kind, false
		if got := string(written(t, "tlc", trace)); !strings.HasPrefix(got, want) || strings.Contains(got, "Stuttering") {
			t.Errorf("%s: got\n%s", kind, got)
		}
	}
}

func TestDifferences(t *testing.T) {
	recorded, got := sampleTrace(t, false).Steps[0].Values, sampleTrace(t, false).Steps[1].Values
	var all []string
	for i := range recorded {
		if d := Differences("v", recorded[i], recorded[i], false); len(d) != 0 {
			t.Errorf("a value differs from itself: %v", d)
		}
		for _, d := range Differences("v", recorded[i], got[i], false) {
			all = append(all, d.String())
		}
	}
	want := []string{
		"v[0].log[1]: recorded 0, now 1",
		"v: recorded with [to |-> 1, op |-> 0], now without", "v: recorded without [to |-> 1, op |-> 1], now with",
		`v["x"]: recorded with 0, now without`, `v["x"]: recorded without 1, now with`,
	}
	if !reflect.DeepEqual(all, want) {
		t.Errorf("got %q, want %q", all, want)
	}
	if d := Differences("v", Seq{Int(1)}, Seq{Int(1), Int(2)}, true); len(d) != 0 {
		t.Errorf("of what is common nothing differs, got %v", d)
	}
	if d := Differences("v", Seq{Int(1)}, Seq{Int(1), Int(2)}, false); len(d) != 1 {
		t.Errorf("got %v, want one difference of length", d)
	}
	if d := Differences("v", Set{Int(1), Int(2)}, Set{Int(2), Int(1)}, false); len(d) != 0 {
		t.Errorf("sets have no order, got %v", d)
	}
	if d := Differences("v", Str("1"), Int(1), false); len(d) != 1 {
		t.Errorf("got %v, want one difference of form", d)
	}
}

func TestTypeOf(t *testing.T) {
	for _, test := range []struct {
		v    Value
		want string
	}{
		{Set{}, "Set(a)"}, {Seq{Set{}, Set{Int(1)}}, "Seq(Set(Int))"}, {Func{{Int(0), Bool(true)}}, "Int -> Bool"},
		{Rec{{"a", Str("")}, {"b", Seq{}}}, "{ a: Str, b: Seq(a) }"},
	} {
		if got, err := TypeOf(test.v); err != nil || got.String() != test.want {
			t.Errorf("%s: got %s, %v, want %s", Text(test.v), got, err, test.want)
		}
	}
	for _, bad := range []Value{Seq{Int(1), Str("")}, Set{Rec{{"a", Int(1)}}, Rec{{"b", Int(1)}}}, Func{{Int(0), Int(0)}, {Str("x"), Int(0)}}, nil} {
		if got, err := TypeOf(bad); err == nil {
			t.Errorf("%v: got %s, want an error", bad, got)
		}
	}
}

// TestConstraintsOfTraces: they are read back from every file that replay takes.
func TestConstraintsOfTraces(t *testing.T) {
	want := sampleTrace(t, false)
	for _, format := range []string{"json", "itf"} {
		got, err := Read(written(t, format, want), want.Variables)
		if err != nil || !reflect.DeepEqual(got.Constraints, want.Constraints) || len(got.Constraints) == 0 {
			t.Errorf("%s: got %v, %v, want %v", format, got.Constraints, err, want.Constraints)
		}
	}
	r := resultstest.Sample()
	r.Constraints = []results.Constraint{{Name: "First"}}
	data, err := r.Write()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := Read(data, want.Variables); err != nil || !reflect.DeepEqual(got.Constraints, []string{"First"}) {
		t.Errorf("record: got %+v, %v", got, err)
	}
}
