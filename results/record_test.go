package results_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"vsrcheck/results"
	"vsrcheck/results/internal/resultstest"
	"vsrcheck/results/table"
)

func TestRecordRoundTrip(t *testing.T) {
	for _, r := range []*results.Record{resultstest.Sample(), resultstest.Simulated()} {
		resultstest.RoundTrip(t, r)
	}
}

func TestRecordRefuses(t *testing.T) {
	for name, damage := range map[string]func(*results.Record){
		"schema":      func(r *results.Record) { r.Schema++ },
		"spec":        func(r *results.Record) { r.Spec = "" },
		"config":      func(r *results.Record) { r.Config = nil },
		"verdict":     func(r *results.Record) { r.Verdict = "fine" },
		"violated":    func(r *results.Record) { r.Violated = "" },
		"violations":  func(r *results.Record) { r.Violations = nil },
		"first":       func(r *results.Record) { r.Violations[0].Property = "Q" },
		"length":      func(r *results.Record) { r.TraceLength = 7 },
		"reason":      func(r *results.Record) { r.Verdict, r.Violated, r.Violations = results.Inconclusive, "", nil },
		"exit code":   func(r *results.Record) { r.ExitCode = 0 },
		"depth":       func(r *results.Record) { r.Depth = 4 },
		"levels":      func(r *results.Record) { r.Levels[1]++ },
		"generated":   func(r *results.Record) { r.Generated = 3 },
		"workers":     func(r *results.Record) { r.Workers = 0 },
		"probability": func(r *results.Record) { r.CollisionProbability = 1.5 },
		"seconds":     func(r *results.Record) { r.Seconds = -1 },
		"build":       func(r *results.Record) { r.Build.Version = "" },
		"guard":       func(r *results.Record) { r.Guards = []results.Guard{{Action: "A", Reason: "r", Refused: true}} },
		"vacuous": func(r *results.Record) {
			r.Verdict, r.Violated, r.Reason, r.TraceLength = results.Inconclusive, "", "r", 0
		},
	} {
		r := resultstest.Sample()
		damage(r)
		if _, err := r.Write(); !errors.Is(err, results.ErrRecord) {
			t.Errorf("%s: got %v, want ErrRecord", name, err)
		}
	}
	for name, damage := range map[string]func(*results.Record){
		"holds": func(r *results.Record) {
			r.Verdict, r.Violated, r.Violations, r.TraceLength, r.ExitCode = results.Holds, "", nil, 0, 0
		},
		"distinct": func(r *results.Record) { r.Distinct, r.Generated, r.Depth, r.Levels = 1, 1, 1, []uint64{1} },
		"store":    func(r *results.Record) { r.Store = "exact" },
		"cut":      func(r *results.Record) { r.Simulation.Cut = 257 },
		"longest":  func(r *results.Record) { r.Simulation.Longest = 5000 },
		"depth":    func(r *results.Record) { r.Simulation.Depth = 0 },
		"error":    func(r *results.Record) { r.Simulation.DistinctError = 2 },
		"shrunk":   func(r *results.Record) { r.Simulation.Shrunk = nil },
		"to":       func(r *results.Record) { r.Simulation.Shrunk[0].To = 3 },
		"from":     func(r *results.Record) { r.Simulation.Shrunk[0].From = 1 },
	} {
		r := resultstest.Simulated()
		damage(r)
		if _, err := r.Write(); !errors.Is(err, results.ErrRecord) {
			t.Errorf("simulated, %s: got %v, want ErrRecord", name, err)
		}
	}
	data, err := resultstest.Sample().Write()
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"", "{}", "[]", string(data) + "{}", strings.Replace(string(data), `"spec"`, `"sepc"`, 1)} {
		if _, err := results.Parse([]byte(bad)); !errors.Is(err, results.ErrRecord) {
			t.Errorf("Parse(%.20q...) = %v, want ErrRecord", bad, err)
		}
	}
}

// TestVacuousRecord: a companion that was never met leaves a run without a verdict, and
// stands among the violations all the same.
func TestVacuousRecord(t *testing.T) {
	r := resultstest.Sample()
	r.Verdict, r.Violated, r.Reason, r.TraceLength, r.ExitCode = results.Inconclusive, "", "Some is never met", 0, 10
	r.Violations = []results.Violation{{Property: "Some", Kind: results.KindReachable, LoopStart: -1, Actions: []string{}}}
	data, err := r.Write()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := results.Parse(data); err != nil || !reflect.DeepEqual(got, r) {
		t.Errorf("got %+v, %v", got, err)
	}
}

// TestBoundedRecord: what a full channel may be the cause of leaves a run without a verdict,
// and nothing else does.
func TestBoundedRecord(t *testing.T) {
	r := resultstest.Sample()
	r.Verdict, r.Violated, r.Reason, r.TraceLength, r.ExitCode = results.Inconclusive, "", "a channel was full", 0, 20
	for i := range r.Violations {
		r.Violations[i].Bounded = true
	}
	data, err := r.Write()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := results.Parse(data); err != nil || !reflect.DeepEqual(got, r) {
		t.Errorf("got %+v, %v", got, err)
	}
	if err := resultstest.Schema(t, "record").Validate(resultstest.Instance(t, data)); err != nil {
		t.Error(err)
	}
	r.Violations[0].Bounded = false
	if _, err := r.Write(); !errors.Is(err, results.ErrRecord) {
		t.Errorf("with a violation in any channel: got %v, want ErrRecord", err)
	}
}

func FuzzParse(f *testing.F) {
	for _, r := range []*results.Record{resultstest.Sample(), resultstest.Simulated()} {
		data, err := r.Write()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(`{"schema":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := results.Parse(data)
		if err != nil {
			return
		}
		out, err := r.Write()
		if err != nil {
			t.Fatalf("a record that was read cannot be written: %v", err)
		}
		if _, err := results.Parse(out); err != nil {
			t.Fatalf("a record that was written cannot be read: %v", err)
		}
		table.Runs([]results.Published{{File: "x.json", Record: r}})
	})
}

// TestRecordSchema validates every published record, and shows that the schema refuses
// something.
func TestRecordSchema(t *testing.T) {
	schema := resultstest.Schema(t, "record")
	var paths []string
	for _, folder := range []string{"", "networks/", "reductions/", "tlc/"} {
		found, err := filepath.Glob(results.RunsFolder + "/" + folder + "*.json")
		if err != nil || len(found) < 5 {
			t.Fatalf("%s: got %d records, %v", folder, len(found), err)
		}
		paths = append(paths, found...)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(resultstest.Instance(t, data)); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	r := resultstest.Sample()
	r.Guards = []results.Guard{{Action: "ReceivePrepare", Reason: "its view is past", Delivered: true}}
	good, err := r.Write()
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(resultstest.Instance(t, good)); err != nil {
		t.Error(err)
	}
	for _, damage := range [][2]string{{`"schema": 1`, `"schema": 2`}, {`"delivered": true`, `"delivered": 1`}, {`"coverage"`, `"covers"`}, {`"verdict": "violated"`, `"verdict": "fine"`},
		{`"coverage"`, `"left_out": ["coverage"], "coverage"`}} {
		bad := bytes.Replace(good, []byte(damage[0]), []byte(damage[1]), 1)
		if bytes.Equal(bad, good) || schema.Validate(resultstest.Instance(t, bad)) == nil {
			t.Errorf("%s in place of %s is valid, or not there", damage[1], damage[0])
		}
	}
	r.LeaveOut("coverage", "guards", "deciding_rules", "properties")
	short, err := r.Write()
	if err != nil || !bytes.Contains(short, []byte(`"left_out": ["coverage", "guards", "properties"]`)) {
		t.Fatalf("%s%v", short, err)
	}
	if err := schema.Validate(resultstest.Instance(t, short)); err != nil {
		t.Error(err)
	}
	if bad := bytes.Replace(short, []byte(`"coverage", "guards", `), nil, 1); schema.Validate(resultstest.Instance(t, bad)) == nil {
		t.Error("coverage is missing, and the record is valid")
	}
	for _, name := range []string{"verdict", "nothing"} {
		if r.LeftOut = []string{name}; r.Validate() == nil {
			t.Errorf("%s is left out", name)
		}
	}
}

func TestReadAll(t *testing.T) {
	dir := t.TempDir()
	data, err := resultstest.Sample().Write()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"b.json", "a.json"} {
		if err := results.WriteFile(filepath.Join(dir, name), data); err != nil {
			t.Fatal(err)
		}
	}
	got, err := results.ReadAll(dir)
	if err != nil || len(got) != 2 || got[0].File != "a.json" {
		t.Errorf("got %v, %v", got, err)
	}
	if err := results.WriteFile(filepath.Join(dir, "c.json"), []byte("{}")); err != nil {
		t.Fatal(err)
	}
	if _, err := results.ReadAll(dir); !errors.Is(err, results.ErrRecord) || !strings.Contains(err.Error(), "c.json") {
		t.Errorf("got %v, want ErrRecord with the file's name", err)
	}
}
