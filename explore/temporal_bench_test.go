package explore

import (
	"context"
	"testing"
)

// BenchmarkTemporal measures what each kind of property adds to a search of the same
// graph: one component of a million edges. The case without any is a run for safety alone.
func BenchmarkTemporal(b *testing.B) {
	const size = 700
	edges := float64(2*size*(size+1) + 1)
	home := func(s *cell) bool { return s.x+s.y == 0 }
	always := Temporal[cell]{Name: "T", Kind: AlwaysEventually, P: home}
	leads := Temporal[cell]{Name: "T", Kind: LeadsTo, P: func(s *cell) bool { return s.x == size }, Q: home}
	never := Temporal[cell]{Name: "T", Kind: LeadsTo, P: func(s *cell) bool { return s.x == size }, Q: func(*cell) bool { return false }}
	for _, c := range []struct {
		name  string
		props Properties[cell]
	}{
		{"safety", Properties[cell]{}},
		{"recurrent", Properties[cell]{Recurrent: []Recurrent[cell]{{"R", func(s *cell) uint64 { return boolBit(!home(s)) }}}}},
		{"always-eventually", Properties[cell]{Temporal: []Temporal[cell]{always}}},
		{"leads-to", Properties[cell]{Temporal: []Temporal[cell]{leads}}},
		{"strong", Properties[cell]{Temporal: []Temporal[cell]{leads}, Fairness: []Fairness{{Strong: true, By: EachAction}}}},
		{"violated", Properties[cell]{Temporal: []Temporal[cell]{never}}},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r, err := Check(context.Background(), &grid{size: size, cyclic: true}, c.props, Options{Workers: 1})
				if err != nil || (r.Verdict == Violated) != (c.name == "violated") {
					b.Fatal(r.Verdict, err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/edges, "ns/edge")
		})
	}
}
