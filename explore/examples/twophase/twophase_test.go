package twophase

import (
	"context"
	"testing"

	"vsrcheck/explore"
)

func run(t testing.TB, n int, o explore.Options) *explore.Result[State] {
	sys := &System{N: n}
	p := explore.Properties[State]{
		Invariants: []explore.Invariant[State]{{Name: "Consistent", Holds: sys.Consistent}},
	}
	r, err := explore.Check(context.Background(), sys, p, o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != explore.Holds {
		t.Fatalf("got %s %+v", r.Verdict, r.Violations)
	}
	return r
}

// TestPublishedCounts has the figures of TLC: those of three resource managers
// from the manifest of the TLA+ Examples, the number of states of six from a
// comment in the specification.
func TestPublishedCounts(t *testing.T) {
	for _, store := range []explore.StoreKind{explore.StoreExact, explore.StoreHash64, explore.StoreHash128} {
		r := run(t, 3, explore.Options{Store: store})
		if r.Distinct != 288 || r.Generated != 1146 || r.Depth != 11 {
			t.Errorf("%s: got %d distinct, %d generated, depth %d, want 288, 1146, 11", store, r.Distinct, r.Generated, r.Depth)
		}
		if r = run(t, 6, explore.Options{Store: store}); r.Distinct != 50816 {
			t.Errorf("%s: got %d distinct, want 50816", store, r.Distinct)
		}
	}
}

func BenchmarkCheck(b *testing.B) {
	const n, distinct = 8, 1_745_408
	for _, c := range []struct {
		name string
		explore.Options
	}{
		{"exact/1", explore.Options{Workers: 1}},
		{"exact/2", explore.Options{Workers: 2}},
		{"hash64/1", explore.Options{Workers: 1, Store: explore.StoreHash64}},
		{"hash128/1", explore.Options{Workers: 1, Store: explore.StoreHash128}},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			var r *explore.Result[State]
			for b.Loop() {
				r = run(b, n, c.Options)
			}
			if r.Distinct != distinct {
				b.Fatalf("got %d distinct, want %d", r.Distinct, distinct)
			}
			b.ReportMetric(float64(distinct)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mstates/s")
			b.ReportMetric(float64(r.StoreBytes)/distinct, "bytes/state")
		})
	}
}
