package main

import (
	"path/filepath"
	"slices"
	"testing"

	"vsrcheck/results"
	"vsrcheck/specs"
)

// TestRecordsNameTheirConstraints: no published record of a bounded run passes for one of
// the whole space.
func TestRecordsNameTheirConstraints(t *testing.T) {
	bounded := 0
	for _, folder := range []string{"runs", "runs/networks", "runs/reductions", "runs/tlc"} {
		records, err := results.ReadAll(filepath.Join("..", "..", "results", folder))
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range records {
			spec, err := specs.Load(r.Spec)
			if err != nil {
				continue // a file of somebody's
			}
			var got []string
			for _, c := range r.Constraints {
				got = append(got, c.Name)
			}
			if len(spec.Constraints)+len(got) > 0 {
				bounded++
			}
			file := filepath.ToSlash(filepath.Join(folder, r.File))
			if !slices.Equal(got, spec.Constraints) {
				t.Errorf("%s: got the constraints %v, want those of %s, %v", file, got, r.Spec, spec.Constraints)
			}
		}
	}
	if bounded < 4 {
		t.Errorf("got %d records of bounded runs, want those of the report's scenario at least", bounded)
	}
}
