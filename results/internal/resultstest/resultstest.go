// Package resultstest has what the tests of several packages of results share.
package resultstest

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"vsrcheck/results"
)

// Bounded is a record of a run with constraints, of which one cut nothing off.
func Bounded(outside uint64) *results.Record {
	r := Sample()
	r.Verdict, r.ExitCode, r.Violated, r.Violations, r.TraceLength = results.Holds, 0, "", nil, 0
	r.Constraints, r.Outside = []results.Constraint{{Name: "First", Outside: outside}, {Name: "Last"}}, outside
	return r
}

// Schema is the schema of that name in results/schema. Tests run in the folder of their package:
// in results or one below.
func Schema(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	path := filepath.Join("schema", name+".schema.json")
	if _, err := os.Stat(path); err != nil {
		path = filepath.Join("..", path)
	}
	schema, err := jsonschema.NewCompiler().Compile(path)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// Instance is JSON as a schema validates it.
func Instance(t *testing.T, data []byte) any {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Update reports whether tests write anew what they compare: VSRCHECK_UPDATE=1 go test
// ./results/... As everywhere, it is for the tests named by -run, or for all.
func Update() bool { return os.Getenv("VSRCHECK_UPDATE") != "" }

// Sample is a small valid record.
func Sample() *results.Record {
	return &results.Record{
		Schema: results.Schema, Spec: "toy", Path: "specs/toy.cfg",
		Config:     []results.Setting{{Name: "replicas", Value: "3"}, {Name: "ops", Value: "2", Instead: "4"}},
		Rules:      []results.Setting{{Name: "fetch_to_op", Value: "old"}},
		Properties: []results.Property{{Name: "P", Kind: "liveness"}},
		Network:    "set",
		Verdict:    results.Violated, ExitCode: 13, Violated: "P", TraceLength: 2,
		Violations: []results.Violation{{Property: "P", Kind: "liveness", Depth: 2, LoopStart: -1, Actions: []string{"a", "b"}}},
		Distinct:   1234567, Generated: 2000000, Depth: 3, Levels: []uint64{1, 2, 1234564},
		Coverage: []results.Action{{Name: "Request", Generated: 3, Effective: 2}},
		Workers:  2, Store: "exact", Seconds: 1.5, StatesPerSecond: 823044.7, PeakMemory: 1 << 20,
		StoreBytes: 12345670, StateBytes: 48, BytesPerState: 10,
		CommandLine: []string{"vsrcheck", "check", "toy"}, Started: time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC),
		Build: results.Build{Version: "v1", Go: "go1", OS: "linux", Arch: "amd64"}, CPUs: 2,
	}
}

// Simulated is a small valid record of a simulation.
func Simulated() *results.Record {
	r := Sample()
	r.Distinct, r.Generated, r.Depth, r.Levels, r.Store, r.StatesPerSecond, r.StoreBytes, r.BytesPerState = 0, 0, 0, nil, "", 0, 0, 0
	r.Coverage[0].Taken = 1
	r.CommandLine = []string{"vsrcheck", "simulate", "toy", "--ops", "2", "--json=a.json", "--trace", "json=b|c", "--no-progress", "--num=9"}
	r.Simulation = &results.Simulation{
		Seed: 1, Depth: 1000, Walks: 256, Steps: 4567, Longest: 30, Distinct: 1999, DistinctError: 0.008,
		Met: map[string]uint64{"SomeCommit": 3}, Shrunk: []results.Shrunk{{Walk: 10, From: 9, To: 2}},
	}
	return r
}

func RoundTrip(t *testing.T, r *results.Record) {
	data, err := r.Write()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "r.json")
	if err := results.WriteFile(path, data); err != nil {
		t.Fatal(err)
	}
	got, err := results.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, r) {
		t.Errorf("got %+v, want %+v", got, r)
	}
	if _, err := results.Read(path + "x"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a record that is not there: %v", err)
	}
}
