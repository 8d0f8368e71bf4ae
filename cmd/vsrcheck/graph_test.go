package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"vsrcheck/cmd/vsrcheck/internal/behaviour"
	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/cmd/vsrcheck/internal/jobtest"
	"vsrcheck/explore"
	"vsrcheck/results/picture"
)

// TestGraphAgreesWithCheck holds the graph to what the engine counts in the same space.
func TestGraphAgreesWithCheck(t *testing.T) {
	for _, name := range []string{"tiny-fetch-to-op-fixed", "tiny-fetch-to-op-old"} {
		j := jobtest.Shipped(t, name, true, job.ReduceEager)
		g, err := behaviour.Graph(j, context.Background(), defaultGraphStates)
		if err != nil {
			t.Fatal(err)
		}
		out, err := j.Run(context.Background(), explore.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if uint64(len(g.States)) != out.Distinct {
			t.Errorf("%s: %d states, the engine finds %d", name, len(g.States), out.Distinct)
		}
		levels := make([]uint64, out.Depth)
		quiescent := uint64(0)
		for _, s := range g.States {
			levels[s.Depth]++
			if s.Quiescent {
				quiescent++
			}
		}
		if !slices.Equal(levels, out.Levels) {
			t.Errorf("%s: levels %v, the engine finds %v", name, levels, out.Levels)
		}
		if quiescent != out.Quiescent {
			t.Errorf("%s: %d quiescent states, the engine finds %d", name, quiescent, out.Quiescent)
		}
		var effective uint64
		for _, c := range out.Coverage {
			effective += c.Effective
		}
		if uint64(len(g.Steps)) != effective {
			t.Errorf("%s: %d steps, the engine counts %d", name, len(g.Steps), effective)
		}
		checkViolations(t, name, g, out)
	}
}

// checkViolations compares the shallowest violating state of each property with the
// engine's trace.
func checkViolations(t *testing.T, name string, g *picture.Graph, out *job.Outcome) {
	t.Helper()
	first := map[string]int{}
	for _, s := range g.States {
		for _, p := range s.Violates {
			if _, ok := first[p]; !ok {
				first[p] = s.Depth
			}
		}
	}
	if len(first) != len(out.Violations) {
		t.Errorf("%s: violated are %v, the engine finds %d properties", name, first, len(out.Violations))
	}
	for i := range out.Violations {
		v := &out.Violations[i]
		if depth, ok := first[v.Property]; !ok || depth != job.Steps(v) {
			t.Errorf("%s: %s is violated at depth %d (%v), the engine's trace has %d steps", name, v.Property, depth, ok, job.Steps(v))
		}
	}
}

// TestGraphIsDeterministic writes the same graph twice, and reads one back.
func TestGraphIsDeterministic(t *testing.T) {
	var texts [2]bytes.Buffer
	for i := range texts {
		j := jobtest.Shipped(t, "tiny-fetch-to-op-old", false, job.ReduceEager)
		g, err := behaviour.Graph(j, context.Background(), defaultGraphStates)
		if err != nil {
			t.Fatal(err)
		}
		if err := g.WriteJSON(&texts[i]); err != nil {
			t.Fatal(err)
		}
		if _, err := behaviour.Graph(j, context.Background(), len(g.States)-1); !errors.Is(err, behaviour.ErrGraphLimit) {
			t.Errorf("with a limit below its %d states: got %v, want %v", len(g.States), err, behaviour.ErrGraphLimit)
		}
	}
	if !bytes.Equal(texts[0].Bytes(), texts[1].Bytes()) {
		t.Error("two graphs of one specification differ")
	}
	var back picture.Graph
	if err := json.Unmarshal(texts[0].Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	for _, e := range back.Steps {
		if e.From >= len(back.States) || e.To >= len(back.States) || back.States[e.To].Depth > back.States[e.From].Depth+1 {
			t.Fatalf("step %+v does not fit", e)
		}
	}
}
