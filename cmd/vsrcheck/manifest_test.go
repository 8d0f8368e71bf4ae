package main

import (
	"context"
	"testing"
	"time"

	"vsrcheck/specs"
)

// TestManifest holds the manifest to what the checks give: the tiny specifications
// always, the small ones unless -short. After a change that is meant to change the
// numbers:
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
