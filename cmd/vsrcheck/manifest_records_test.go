package main

import (
	"path/filepath"
	"testing"

	"vsrcheck/results"
	"vsrcheck/specs"
)

// The manifest's figures of the full-size specifications, which no test runs, are those
// of the records.
func TestManifestAgreesWithRecords(t *testing.T) {
	manifest, err := specs.LoadManifest()
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, e := range manifest.Entries() {
		if e.Size != string(specs.Full) || e.Result == "unknown" {
			continue
		}
		r, err := results.Read(filepath.Join("..", "..", "results", "runs", e.Name()+".json"))
		if err != nil {
			t.Errorf("%s: %v", e.Name(), err)
			continue
		}
		checked++
		spec, err := specs.Load(e.Name())
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range recordDiffers(spec, r.Config, r.Rules) {
			t.Errorf("%s: the record is of another specification: %s", e.Name(), d)
		}
		steps := 0
		if r.Verdict == results.Violated {
			steps = r.TraceLength
		}
		if (e.Result == "success") != (r.Verdict == results.Holds) || e.DistinctStates != r.Distinct ||
			e.TotalStates != r.Generated || e.StateDepth != r.Depth || e.Violated != r.Violated || e.TraceLength != steps {
			t.Errorf("%s: the manifest says %+v, the record %s %s, %d distinct, %d generated, depth %d, %d steps",
				e.Name(), e, r.Verdict, r.Violated, r.Distinct, r.Generated, r.Depth, steps)
		}
	}
	if checked == 0 {
		t.Error("no full-size specification has a record")
	}
}
