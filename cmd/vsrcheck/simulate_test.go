package main

import (
	"bytes"
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"

	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/cmd/vsrcheck/internal/tell"
	"vsrcheck/explore"
	"vsrcheck/model"
	"vsrcheck/results/trace"
	"vsrcheck/specs"
)

// changedJob is a shipped specification with other sizes, budgets or rules.
func changedJob(t testing.TB, name string, change func(c *model.Config)) *job.Job {
	t.Helper()
	spec, err := specs.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	change(&spec.Config)
	j, err := job.New(&job.Override{Spec: spec}, false, job.ReduceEager)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// beyondExhaustion is a group that no search gets to the end of. Its quorum is 3 of 5,
// so a wedge takes one restart and two stops.
func beyondExhaustion(c *model.Config) {
	c.Replicas, c.Ops, c.Pipeline, c.Stops = 5, 8, 8, 2
	c.MayCrash, c.MayStop = model.AllReplicas(5), model.AllReplicas(5)
}

func twoReplicas(c *model.Config) {
	c.Replicas, c.Stops = 2, 0
	c.MayCrash, c.MayStop = model.AllReplicas(2), model.AllReplicas(2)
}

func simulateJob(t testing.TB, j *job.Job, o explore.SimulateOptions) *explore.Simulation[model.State] {
	t.Helper()
	r, err := explore.Simulate(context.Background(), explore.System[model.State](j.Model), j.Bound.Properties, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestSimulateFindsTheWedge walks with the rule as it was: the wedge is found in the
// first few thousand walks, whatever the size, and the shrunk trace is a behaviour of
// the model, step by step, that ends in a quiescent state with an acked op uncommitted.
func TestSimulateFindsTheWedge(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(c *model.Config)
		most   int // steps; the shortest ones have 13 and 14, or are not known
	}{
		{"2 replicas", twoReplicas, 13},
		{"3 replicas", func(*model.Config) {}, 15},
		{"5 replicas 8 ops", beyondExhaustion, 25},
	} {
		t.Run(c.name, func(t *testing.T) {
			if testing.Short() && c.name != "2 replicas" {
				t.Skip("long walks")
			}
			j := changedJob(t, "fetch-to-op-old", c.change)
			r := simulateJob(t, j, explore.SimulateOptions{Seed: 1, Walks: 4096})
			if r.Verdict != explore.Violated || r.Violations[0].Property != "QuorumAckedCommits" {
				t.Fatalf("got %s, %s, want QuorumAckedCommits violated", r.Verdict, r.Reason)
			}
			v := r.Violations[0]
			t.Logf("walk %d: %d steps shrunk to %d", v.Walk, v.Walked, v.Depth)
			if v.Depth > c.most || v.Depth > v.Walked {
				t.Errorf("got %d steps shrunk to %d, want at most %d", v.Walked, v.Depth, c.most)
			}
			s := newStepper(j, nil, "")
			for _, step := range v.Trace[1:] {
				if err := s.takeText(j.Model.ActionString(step.Action)); err != nil {
					t.Fatal(err)
				}
			}
			if f := s.findings(); *s.here() != v.Trace[v.Depth].State || !f.quiescent || f.stuck[0] != "QuorumAckedCommits" {
				t.Errorf("the trace ends in another state, or it is not stuck: %+v", f)
			}
		})
	}
}

// TestSimulateFindsNothingFixed walks with the rule as it is.
func TestSimulateFindsNothingFixed(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of long walks")
	}
	for _, change := range []func(*model.Config){twoReplicas, func(*model.Config) {}, beyondExhaustion} {
		j := changedJob(t, "fetch-to-op-fixed", change)
		r := simulateJob(t, j, explore.SimulateOptions{Seed: 1, Walks: 1024})
		if r.Verdict != explore.Inconclusive || r.Walks != 1024 || len(r.Violations) > 0 {
			t.Errorf("%d replicas: got %s, %d violations after %d walks", j.Config.Replicas, r.Verdict, len(r.Violations), r.Walks)
		}
		// Walks that come to no rest decide no liveness, and those without faults nothing.
		if r.Quiescent < r.Walks || r.Cut > 0 || !slices.Equal(unmet(j, r), []string{"SomeViewStarts"}) { // there is one view
			t.Errorf("%d replicas: %d quiescent states, %d walks cut, met %v", j.Config.Replicas, r.Quiescent, r.Cut, r.ReachableMet)
		}
	}
}

// unmet are the companions that no walk met.
func unmet(j *job.Job, r *explore.Simulation[model.State]) (names []string) {
	for _, p := range j.Bound.Reachable {
		if _, met := r.ReachableMet[p.Name]; !met {
			names = append(names, p.Name)
		}
	}
	return names
}

// TestSimulateSameForAllWorkers compares whole results on the model.
func TestSimulateSameForAllWorkers(t *testing.T) {
	j := changedJob(t, "tiny-fetch-to-op-old", func(*model.Config) {})
	run := func(workers int) *explore.Simulation[model.State] {
		r := simulateJob(t, j, explore.SimulateOptions{Seed: 5, Walks: 2000, Workers: workers})
		r.Elapsed, r.Workers = 0, 0
		return r
	}
	want := run(1)
	if len(want.Violations) != 2 {
		t.Fatalf("got %d violations, want the wedge and the deferred one", len(want.Violations))
	}
	numbers := []int{2, 3}
	if testing.Short() {
		numbers = numbers[1:]
	}
	for _, workers := range numbers {
		if got := run(workers); !reflect.DeepEqual(got, want) {
			t.Errorf("%d workers: got %+v, want %+v", workers, got, want)
		}
	}
}

// TestSimulateInterrupted ends in good order, with what was walked until then.
func TestSimulateInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	code, stdout, stderr := runHere(ctx, "simulate", "fetch-to-op-fixed")
	if code != exitInterrupted || stderr != "" || !strings.HasSuffix(stdout, "\nINCONCLUSIVE fetch-to-op-fixed: interrupted; nothing violated in 0 walks\n") {
		t.Errorf("got exit code %d, %q and\n%s", code, stderr, stdout)
	}
}

// TestSimulatePanic: a walk on which the model fails is shown, as that of a search is.
func TestSimulatePanic(t *testing.T) {
	j := changedJob(t, "tiny-fetch-to-op-fixed", func(*model.Config) {})
	j.Bound.Invariants = []explore.Invariant[model.State]{{Name: "Fails", Holds: func(s *model.State) bool {
		if s.Crashes > 0 {
			panic("no such state")
		}
		return true
	}}}
	o := &simulateOptions{}
	o.noProgress = true
	out, err := o.simulate(context.Background(), nil, j, explore.SimulateOptions{Seed: 1, Walks: 300})
	if err == nil || codeOfError(err) != exitInternal || !strings.Contains(err.Error(), "no such state") {
		t.Fatalf("got error %v", err)
	}
	var text bytes.Buffer
	if err := panicTrace((&tell.Page{Writer: &text}), out.Outcome, trace.StatesNone, &traceFiles{}); err != nil || !strings.Contains(text.String(), "CrashRestart(replica ") ||
		strings.Contains(text.String(), "written to") {
		t.Errorf("got %v and\n%s", err, &text)
	}
}
