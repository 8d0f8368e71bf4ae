package main

import (
	"context"
	"runtime"
	"strconv"
	"testing"

	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/explore"
	"vsrcheck/model"
	"vsrcheck/specs"
)

// BenchmarkCheck explores a small specification completely. It reports distinct states
// per second, what the store takes for one, and how often a state costs an allocation:
// next to never, as states live in the store's chunks and in each worker's scratch.
func BenchmarkCheck(b *testing.B) {
	spec, err := specs.Load("fetch-to-op-fixed-small")
	if err != nil {
		b.Fatal(err)
	}
	for _, workers := range []int{1, 2} {
		b.Run("workers="+strconv.Itoa(workers), func(b *testing.B) {
			j, err := job.New(&job.Override{Spec: spec}, false, job.ReduceAll)
			if err != nil {
				b.Fatal(err)
			}
			var before, after runtime.MemStats
			var distinct, bytes uint64
			runtime.ReadMemStats(&before)
			for b.Loop() {
				r, err := explore.Check(context.Background(), explore.System[model.State](j.Model), j.Bound.Properties, explore.Options{Workers: workers})
				if err != nil || r.Verdict != explore.Holds {
					b.Fatalf("got %v, %v", r, err)
				}
				distinct += r.Distinct
				bytes += r.StoreBytes
			}
			runtime.ReadMemStats(&after)
			b.ReportMetric(float64(distinct)/b.Elapsed().Seconds(), "states/s")
			b.ReportMetric(float64(bytes)/float64(distinct), "B/state")
			b.ReportMetric(float64(after.Mallocs-before.Mallocs)/float64(distinct), "allocs/state")
		})
	}
}

// BenchmarkSimulate walks through the model, small and beyond exhaustion, and reports
// walks and steps per second. A walk allocates its initial state, and a step nothing.
func BenchmarkSimulate(b *testing.B) {
	for _, size := range []struct {
		name   string
		change func(c *model.Config)
	}{
		{"3 replicas 4 ops", func(*model.Config) {}},
		{"5 replicas 8 ops", beyondExhaustion},
	} {
		for _, workers := range []int{1, 2} {
			b.Run(size.name+"/workers="+strconv.Itoa(workers), func(b *testing.B) {
				j := changedJob(b, "fetch-to-op-fixed", size.change)
				var before, after runtime.MemStats
				var walks, steps uint64
				runtime.ReadMemStats(&before)
				for b.Loop() {
					r, err := explore.Simulate(context.Background(), explore.System[model.State](j.Model), j.Bound.Properties,
						explore.SimulateOptions{Seed: 1, Walks: 1024, Workers: workers})
					if err != nil || r.Verdict != explore.Inconclusive {
						b.Fatalf("got %v, %v", r, err)
					}
					walks, steps = walks+r.Walks, steps+r.Steps
				}
				runtime.ReadMemStats(&after)
				b.ReportMetric(float64(walks)/b.Elapsed().Seconds(), "walks/s")
				b.ReportMetric(float64(steps)/b.Elapsed().Seconds(), "steps/s")
				b.ReportMetric(float64(after.Mallocs-before.Mallocs)/float64(steps), "allocs/step")
			})
		}
	}
}
