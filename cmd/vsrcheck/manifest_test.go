package main

import (
	"context"
	"slices"
	"testing"
	"time"

	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/explore"
	"vsrcheck/specs"
)

// TestManifest holds the manifest to what the checks give: of the tiny and small
// specifications (only the tiny ones with -short) those that have at most 50,000 states by
// the manifest, and in a long run all. `.ci/run` has the command compare all. After a
// change that is meant to change the numbers:
//
//	go run ./cmd/vsrcheck manifest --update
func TestManifest(t *testing.T) {
	manifest, err := specs.LoadManifest()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range specs.Names() {
		spec, err := specs.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		if spec.Size == specs.Full || spec.Size == specs.Small && testing.Short() {
			continue
		}
		t.Run(name, func(t *testing.T) {
			want, ok := manifest.Entry(name)
			if !ok {
				t.Fatal("no entry")
			}
			if want.DistinctStates > 50_000 && !long() {
				t.Skip("too many states for a short run")
			}
			// A specification that is larger than its size says ends here, inconclusive.
			ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
			defer cancel()
			got, err := measure(ctx, spec, 0)
			if err != nil {
				t.Fatal(err)
			}
			if got != want {
				t.Errorf("got\n%+v\nwant\n%+v", got, want)
			}
		})
	}
}

// TestWorkersAgree holds whole runs to the promise that the number of workers
// changes nothing, as the manifest sees it.
func TestWorkersAgree(t *testing.T) {
	for _, name := range []string{"tiny-fetch-to-op-old", "tiny-fetch-to-op-fixed"} {
		spec, err := specs.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		want, err := measure(context.Background(), spec, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, workers := range []int{2, 3, 8} {
			if got, err := measure(context.Background(), spec, workers); err != nil || got != want {
				t.Errorf("%s with %d workers: got %+v, %v, want %+v", name, workers, got, err, want)
			}
		}
	}
}

// TestWorkersAgreeOnRules holds them to it in which rules decided something, also where a
// limit ends the search or a violation does.
func TestWorkersAgreeOnRules(t *testing.T) {
	for _, test := range []struct {
		name  string
		depth int
	}{{"tiny-fetch-to-op-old", 0}, {"tiny-fetch-to-op-fixed", 0}, {"tiny-fetch-to-op-fixed", 4}, {"zoo-nack-quorum", 0}, {"zoo-nack-quorum-sound", 9}} {
		spec, err := specs.Load(test.name)
		if err != nil {
			t.Fatal(err)
		}
		j, err := job.New(&job.Override{Spec: spec}, false, job.ReduceAll)
		if err != nil {
			t.Fatal(err)
		}
		var want *job.Outcome
		for _, workers := range []int{1, 2, 3, 8} {
			got, err := j.Run(context.Background(), explore.Options{Workers: workers, MaxDepth: test.depth})
			if err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = got
				if len(got.Decided) == 0 || len(got.IdleAll()) == 0 {
					t.Errorf("%s to depth %d: %v decided something and %v nothing, want some of both", test.name, test.depth, got.Decided, got.IdleAll())
				}
			}
			if !slices.Equal(got.Decided, want.Decided) {
				t.Errorf("%s to depth %d with %d workers: got %v, want %v", test.name, test.depth, workers, got.Decided, want.Decided)
			}
		}
	}
}
