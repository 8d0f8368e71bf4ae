package main

import (
	"bytes"
	"context"
	"path/filepath"
	"testing"

	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/cmd/vsrcheck/internal/search"
	"vsrcheck/explore"
	"vsrcheck/model"
	"vsrcheck/specs"
)

// TestMinimised holds minimise to its definition: the result violates, and no candidate
// with less of one constant does.
func TestMinimised(t *testing.T) {
	for _, args := range [][]string{
		{"tiny-fetch-to-op-old"},
		{"finding-readoption"},
	} {
		file := filepath.Join(t.TempDir(), "small.cfg")
		var stdout, stderr bytes.Buffer
		if code := run(context.Background(), append([]string{"minimise", "--output", file}, args...), &stdout, &stderr); code != exitLiveness {
			t.Fatalf("%v: got exit code %d\n%s%s", args, code, &stdout, &stderr)
		}
		spec, err := specs.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		violates := func(cfg model.Config) bool {
			changed := spec
			changed.Config = cfg
			j, err := job.New(job.NewOverride(spec, changed), false, job.ReduceEager)
			if err != nil {
				t.Fatal(err)
			}
			out, err := j.Run(context.Background(), explore.Options{Workers: 1})
			if err != nil {
				t.Fatal(err)
			}
			v := out.Decisive()
			return v != nil && v.Property == spec.Properties[0]
		}
		if !violates(spec.Config) {
			t.Errorf("%v: the result does not violate %v", args, spec.Properties)
		}
		for _, c := range search.Minimised() {
			for _, cfg := range search.Lower(c, spec.Config) {
				if violates(cfg) {
					t.Errorf("%v: %s violates, too", args, search.Differences(c, spec.Config, cfg))
				}
			}
		}
	}
}
