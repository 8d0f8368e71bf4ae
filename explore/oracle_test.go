package explore

import (
	"context"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"vsrcheck/explore/internal/store"
)

// naive is a search by maps, to compare with: the depths of the reachable nodes
// and the number of generated states.
func naive(g *graph, constraint func(int) bool) (depth map[int]int, outside map[int]bool, generated int) {
	depth, outside = map[int]int{}, map[int]bool{}
	var level []int
	visit := func(n, d int) {
		if _, seen := depth[n]; seen || outside[n] {
			return
		}
		if !constraint(n) {
			outside[n] = true
			return
		}
		depth[n] = d
		level = append(level, n)
	}
	for _, n := range g.init {
		generated++
		visit(n, 0)
	}
	for d := 1; len(level) > 0; d++ {
		last := level
		level = nil
		for _, n := range last {
			generated += len(g.edges[n])
			for _, e := range g.edges[n] {
				if e.to != n {
					visit(e.to, d)
				}
			}
		}
	}
	return depth, outside, generated
}

// smallestTrace is the trace that the engine promises: backwards, the smallest
// predecessor of the level above, and for it the smallest action.
func smallestTrace(g *graph, depth map[int]int, target, d int) []Step[node] {
	tr := []Step[node]{{State: node{target}}}
	for ; d > 0; d-- {
		to := tr[0].State.n
		best := graphEdge{to: -1}
		for n, nd := range depth {
			for _, e := range g.edges[n] {
				if nd == d-1 && e.to == to && (best.to < 0 || n < best.to || n == best.to && e.action < best.action) {
					best = graphEdge{n, e.action}
				}
			}
		}
		tr[0].Action = best.action
		tr = append([]Step[node]{{State: node{best.to}}}, tr...)
	}
	return tr
}

// TestSearchAgainstNaive compares counts, depths and traces on random graphs, with
// all stores and several numbers of workers.
func TestSearchAgainstNaive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t, 30)
		cut := rapid.IntRange(0, 60).Draw(t, "cut")
		bad := rapid.IntRange(0, len(g.edges)-1).Draw(t, "bad")
		depth, outside, generated := naive(g, func(n int) bool { return n != cut })
		deepest := 0
		for _, d := range depth {
			deepest = max(deepest, d+1)
		}
		if len(depth) == 0 {
			deepest = 0
		}
		p := Properties[node]{
			Invariants: []Invariant[node]{at("bad", bad)},
			Deferred:   map[string]bool{"bad": true},
			Constraint: func(s *node) bool { return s.n != cut },
		}
		var first *Result[node]
		for _, kind := range []StoreKind{StoreExact, StoreHash64, StoreHash128} {
			r, err := Check(context.Background(), g, p, Options{Store: kind, Workers: rapid.IntRange(1, 4).Draw(t, "workers")})
			if err != nil {
				t.Fatal(err)
			}
			if int(r.Distinct) != len(depth) || int(r.Outside) != len(outside) || int(r.Generated) != generated || r.Depth != deepest {
				t.Fatalf("%s: got %d distinct, %d outside, %d generated, depth %d, want %d, %d, %d, %d", kind, r.Distinct, r.Outside, r.Generated, r.Depth, len(depth), len(outside), generated, deepest)
			}
			d, met := depth[bad]
			if bad != cut && met != (len(r.Violations) == 1) {
				t.Fatalf("%s: got violations %+v, want one: %v", kind, r.Violations, met)
			}
			if met {
				if want := smallestTrace(g, depth, bad, d); !reflect.DeepEqual(r.Violations[0].Trace, want) {
					t.Fatalf("%s: got trace %v, want %v", kind, r.Violations[0].Trace, want)
				}
			}
			r.Elapsed, r.StoreBytes, r.DiskBytes, r.Workers, r.Store, r.CollisionProbability = 0, 0, 0, 0, "", 0
			if first == nil {
				first = r
			} else if !reflect.DeepEqual(r, first) {
				t.Fatalf("%s: got\n%+v, want\n%+v", kind, r, first)
			}
		}
	})
}

// wide has more successors per state than a batch, many of them the same.
type wide struct{ graph }

func (w *wide) Next(s, t *node, yield func(Action)) {
	for i := range 3 * store.BatchStates {
		t.n = (s.n*31 + i/2) % 1500
		yield(Action(i % 2))
	}
}

func TestWideStates(t *testing.T) {
	var want []uint64
	for _, workers := range []int{1, 3} {
		r := mustCheck(t, &wide{graph{init: []int{0}}}, Properties[node]{Recurrent: []Recurrent[node]{outstandingAt("x", 1500)}}, Options{Workers: workers})
		if r.Distinct != 1500 || r.Verdict != Holds {
			t.Errorf("got %d distinct, %s, want 1500, holds", r.Distinct, r.Verdict)
		}
		if want == nil {
			want = r.Levels
		}
		if !slices.Equal(r.Levels, want) {
			t.Errorf("got levels %v, want %v", r.Levels, want)
		}
	}
}
