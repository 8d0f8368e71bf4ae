package job

import (
	"context"
	"slices"
	"testing"

	"vsrcheck/explore"
	"vsrcheck/model"
	"vsrcheck/specs"
)

// TestGuardsAreOfTheStates: what is said of guards depends on the states alone, not on
// how they were searched, and a run that a violation or a limit ends is watched as far as
// it went.
func TestGuardsAreOfTheStates(t *testing.T) {
	for name, limit := range map[string]uint64{"tiny-fetch-to-op-old": 0, "zoo-nack-quorum": 0, "zoo-nack-quorum-sound": 1000} {
		if testing.Short() && name != "tiny-fetch-to-op-old" {
			continue
		}
		spec, err := specs.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		var want []model.Guard
		for _, opt := range []explore.Options{{Workers: 1}, {Workers: 2}, {Workers: 2, Store: explore.StoreHash64}} {
			opt.MaxStates = limit
			j, err := New(&Override{Spec: spec}, false, ReduceAll)
			if err != nil {
				t.Fatal(err)
			}
			out, err := j.Run(context.Background(), opt)
			if err != nil {
				t.Fatal(err)
			}
			if err := out.WatchGuards(context.Background(), opt, false); err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = out.Guards
			}
			if len(want) == 0 || !slices.Equal(out.Guards, want) {
				t.Errorf("%s, %+v: got %v, want %v", name, opt, out.Guards, want)
			}
		}
	}
}

// TestGuardsCutShort: a search for guards that is cut short says so, and no more.
func TestGuardsCutShort(t *testing.T) {
	spec, err := specs.Load("tiny-fetch-to-op-old")
	if err != nil {
		t.Fatal(err)
	}
	j, err := New(&Override{Spec: spec}, false, ReduceAll)
	if err != nil {
		t.Fatal(err)
	}
	out, err := j.Run(context.Background(), explore.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := out.WatchGuards(ctx, explore.Options{Workers: 1}, false); err != nil {
		t.Fatal(err)
	}
	if out.Guards != nil || out.NotLooked == "" || out.Verdict != explore.Violated || len(out.guardRecords()) != 0 {
		t.Errorf("got %v (%q), want no guards, a reason, and the verdict as it was", out.Guards, out.NotLooked)
	}
}
