package main

import (
	"encoding/json"
	"errors"
	"os"
	"slices"
	"testing"

	"vsrcheck/model"
)

// TestTraceSchemaHasEveryReduction asks that a trace of every run that there can be fits the
// schema of traces.
func TestTraceSchemaHasEveryReduction(t *testing.T) {
	data, err := os.ReadFile("../../results/schema/trace.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Properties struct {
			Reduction struct {
				Enum []string `json:"enum"`
			} `json:"reduction"`
		} `json:"properties"`
	}
	if err := json.Unmarshal(data, &schema); err != nil {
		t.Fatal(err)
	}
	want := []string{reduceNone, reduceRaw}
	for bits := 1; bits < 1<<len(reductionNames); bits++ {
		list := ""
		for i, name := range reductionNames {
			if bits>>i&1 == 1 {
				if list != "" {
					list += ","
				}
				list += name
			}
		}
		want = append(want, list)
	}
	got := schema.Properties.Reduction.Enum
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestRawIsRefusedEverywhere asks the checks and the walks and replays, of which the latter
// may be given other rules than those that a trace was recorded under.
func TestRawIsRefusedEverywhere(t *testing.T) {
	for _, name := range []string{"fetch-to-op-fixed-fifo", "zoo-view-durability"} {
		spec, err := findSpec(name)
		if err != nil {
			t.Fatal(err)
		}
		m, err := model.New(spec.Config, spec.Rules)
		if err != nil {
			t.Fatal(err)
		}
		var usage *usageError
		if _, err := sending(m, reduceRaw); !errors.As(err, &usage) {
			t.Errorf("%s: a walk: got %v, want a usage error", name, err)
		}
		if _, err := reduced(m, reduceRaw, spec); !errors.As(err, &usage) {
			t.Errorf("%s: a check: got %v, want a usage error", name, err)
		}
	}
	spec, err := findSpec("sound-tiny")
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.New(spec.Config, spec.Rules)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := sending(m, reduceRaw); err != nil || !r.IsRaw() {
		t.Errorf("sound-tiny: got %v, want the raw model", err)
	}
}
