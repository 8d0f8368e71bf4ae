package main

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vsrcheck/cmd/vsrcheck/internal/job"
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
		for _, c := range minimised() {
			for _, cfg := range lower(c, spec.Config) {
				if violates(cfg) {
					t.Errorf("%v: %s violates, too", args, differences(c, spec.Config, cfg))
				}
			}
		}
	}
}

// TestLower holds the candidates to configurations that are possible and smaller.
func TestLower(t *testing.T) {
	all := model.AllReplicas(3)
	from := model.Config{Replicas: 3, Ops: 3, Pipeline: 2, ViewMax: 1, Crashes: 1, Stops: 1, MayCrash: all, MayStop: 1 << 2}
	var got []string
	for _, c := range minimised() {
		for _, cfg := range lower(c, from) {
			if err := cfg.Validate(); err != nil {
				t.Errorf("%s: %v", differences(c, from, cfg), err)
			}
			got = append(got, differences(c, from, cfg))
		}
	}
	want := "replicas=2 stops=0|view_max=0|stops=0|crashes=0|ops=1|ops=2|pipeline=1|" +
		"may_crash={0}|may_crash={1}|may_crash={2}|may_crash={0,1}|may_crash={0,2}|may_crash={1,2}"
	if strings.Join(got, "|") != want {
		t.Errorf("got the candidates\n%s, want\n%s", strings.Join(got, "|"), want)
	}
	for _, name := range minimisedOrder {
		if !slices.Contains(minimisedNames(), name) {
			t.Errorf("%s is no size or budget", name)
		}
	}
}
