package explore

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"vsrcheck/explore/internal/store"
)

// tester is a *testing.T or a *rapid.T.
type tester interface {
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// explored is a graph that has been searched, and not partitioned yet.
func explored[S any](t tester, sys System[S], workers int) *components[S] {
	s, err := newSearch(sys, Properties[S]{}, Options{Workers: workers, alwaysShare: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.close() // it has no files
	if _, err := s.run(); err != nil {
		t.Fatal(err)
	}
	exact := s.store.(*store.Exact)
	return newComponents(s, exact, exact.IDs(), workers)
}

// nodesOf are the nodes with some ids, in order.
func nodesOf(c *components[node], ids []uint32) (out []int) {
	for _, id := range ids {
		out = append(out, int(c.graph.words(id)[0]))
	}
	slices.Sort(out)
	return out
}

// listed lists components by their nodes, in order.
func listed(c *components[node], parts [][]uint32) (out [][]int) {
	for _, p := range parts {
		out = append(out, nodesOf(c, p))
	}
	slices.SortFunc(out, slices.Compare)
	return out
}

// partitions are the components of the whole graph and those of the nodes for which keep
// holds, together with the number of effective steps of each node, as far as a partition
// of the whole graph has seen them.
func partitions(t tester, sys System[node], workers int, keep func(n int) bool) (whole, parts [][]int, steps map[int]int) {
	c := explored(t, sys, workers)
	var all [][]uint32
	steps = map[int]int{}
	l := &look[node]{
		steps: func(_ *stepGraph[node], steps []step) uint32 { return uint32(len(steps)) },
		note: func(id, note uint32) {
			n := nodesOf(c, []uint32{id})[0]
			if _, twice := steps[n]; twice {
				t.Fatalf("node %d is noted twice", n)
			}
			steps[n] = int(note)
		},
	}
	c.whole(l, func(members []uint32) { all = append(all, slices.Clone(members)) })
	var set []uint32
	for _, l := range c.search.levels {
		l.(*store.ExactLevel).Each(func(id uint32) {
			if keep(int(c.graph.words(id)[0])) {
				set = append(set, id)
			}
		})
	}
	part := c.parts(set)
	for i, m := range c.inner {
		if m != markOutside {
			t.Fatalf("%d workers: state %d is inside between two partitions", workers, i)
		}
	}
	return listed(c, all), listed(c, part), steps
}

// samePartition compares the partition by several workers with that by one.
func samePartition(t tester, sys System[node], workers []int, keep func(n int) bool) (components int) {
	whole, parts, steps := partitions(t, sys, 1, keep)
	for _, n := range workers {
		w, p, s := partitions(t, sys, n, keep)
		if !slices.EqualFunc(w, whole, slices.Equal) || !slices.EqualFunc(p, parts, slices.Equal) {
			t.Fatalf("%d workers: got components\n%v\n%v, want\n%v\n%v", n, w, p, whole, parts)
		}
		if len(s) != len(steps) {
			t.Fatalf("%d workers: %d states were noted, want %d", n, len(s), len(steps))
		}
		for state, count := range steps {
			if s[state] != count {
				t.Fatalf("%d workers: node %d was noted with %d steps, want %d", n, state, s[state], count)
			}
		}
	}
	return len(whole)
}

// TestPartition compares the components that several workers find with those that one
// does, on random graphs and random subsets of their nodes.
func TestPartition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t, 40)
		set := rapid.Uint64().Draw(t, "set")
		samePartition(t, g, []int{2, 8}, func(n int) bool { return set>>n&1 != 0 })
	})
}

// clusters is a graph of so many clusters of nodes; within one there are random edges, and others lead to the
// next clusters, which makes many components of many sizes.
func clusters(count, size int, density float64, seed uint64) *graph {
	rng := rand.New(rand.NewPCG(seed, 0))
	g := &graph{init: []int{0}, edges: make([][]graphEdge, count*size)}
	for n := range g.edges {
		at := n / size * size
		for range int(density*float64(size)) + 1 {
			if rng.Float64() < density {
				g.edges[n] = append(g.edges[n], graphEdge{at + rng.IntN(size), Action(rng.IntN(4))})
			}
		}
		g.edges[n] = append(g.edges[n], graphEdge{min(n+1, len(g.edges)-1), 0})
		g.edges[n] = append(g.edges[n], graphEdge{n + rng.IntN(min(4*size, len(g.edges)-n)), 1})
	}
	return g
}

// TestPartitionContention has workers that get into each other's way: graphs from one
// long cycle to nearly none.
func TestPartitionContention(t *testing.T) {
	size := 20000
	if testing.Short() || raceDetector {
		size = 4000
	}
	cycle := &graph{init: []int{0}, edges: make([][]graphEdge, size)}
	for n := range cycle.edges {
		cycle.edges[n] = []graphEdge{{(n + 1) % size, 0}, {n / 2, 1}}
	}
	for name, g := range map[string]*graph{
		"one cycle":      cycle,
		"small clusters": clusters(size/5, 5, 0.5, 1),
		"large clusters": clusters(8, size/8, 0.002, 2),
		"sparse":         clusters(size/50, 50, 0.05, 3),
	} {
		t.Run(name, func(t *testing.T) {
			components := samePartition(t, g, []int{2, 3, 8, 40}, func(n int) bool { return n%7 != 0 })
			t.Logf("%d components", components)
			if components == 0 {
				t.Error("there is no component")
			}
		})
	}
}

// tides is a lattice in which some counters may go down again.
type tides struct {
	lattice
	down func(s *tuple, i int) bool
}

func (c *tides) Next(s, t *tuple, yield func(Action)) {
	c.lattice.Next(s, t, yield)
	for i := range c.n {
		if s[i] > 0 && c.down(s, i) {
			*t = *s
			t[i]--
			yield(Action(c.n + i))
		}
	}
}

// BenchmarkPartition measures the partition of a graph that has been searched, by one and
// by two workers: a graph without cycles, one in components of two states, and one that
// is a single component.
func BenchmarkPartition(b *testing.B) {
	for _, c := range []struct {
		name string
		down func(s *tuple, i int) bool
	}{
		{"acyclic", func(*tuple, int) bool { return false }},
		{"pairs", func(s *tuple, i int) bool { return i == 0 && s[0]%2 == 1 }},
		{"one", func(*tuple, int) bool { return true }},
	} {
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/%d", c.name, workers), func(b *testing.B) {
				benchmarkPartition(b, &tides{lattice{n: 6, top: 7, width: 3}, c.down}, workers)
			})
		}
	}
}

func benchmarkPartition[S any](b *testing.B, sys System[S], workers int) {
	c := explored(b, sys, workers)
	states, edges := c.graph.exact.Count(), uint64(0)
	for _, l := range c.search.levels {
		l.(*store.ExactLevel).Each(func(id uint32) { edges += uint64(len(c.graph.expand(id))) })
	}
	b.ReportAllocs()
	for b.Loop() {
		newComponents(c.search, c.graph.exact, c.graph.exact.IDs(), workers).whole(nil, func([]uint32) {})
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(edges), "ns/edge")
	b.ReportMetric(float64(edges)/float64(states), "edges/state")
}

// TestPartitionMemory: several workers take part where the limit leaves room for three
// marks of a state, one where it does for two.
func TestPartitionMemory(t *testing.T) {
	searched := func(limit func(used, states uint64) uint64) (s *search[cell]) {
		s, err := newSearch(&grid{size: 60, cyclic: true}, Properties[cell]{}, Options{Workers: 2, alwaysShare: true})
		if err != nil {
			t.Fatal(err)
		}
		defer s.close()
		if _, err := s.run(); err != nil {
			t.Fatal(err)
		}
		exact := s.store.(*store.Exact)
		s.opt.MemoryLimit = limit(exact.Bytes(), exact.IDs())
		return s
	}
	for _, test := range []struct {
		what  string
		limit func(used, states uint64) uint64
		crew  int // -1: there is no room
	}{
		{"no limit", func(used, states uint64) uint64 { return 0 }, 2},
		{"room for three", func(used, states uint64) uint64 { return used + 12*states }, 2},
		{"room for two", func(used, states uint64) uint64 { return used + 12*states - 1 }, 0},
		{"just room for two", func(used, states uint64) uint64 { return used + 8*states }, 0},
		{"room for less", func(used, states uint64) uint64 { return used + 8*states - 1 }, -1},
	} {
		s, res, crew := searched(test.limit), &Result[cell]{}, -1
		err := s.onComponents(res, func(c *components[cell]) {
			crew = len(c.crew)
			found := 0
			c.whole(nil, func([]uint32) { found++ })
			if found != 1 {
				t.Errorf("%s: found %d components, want 1", test.what, found)
			}
		})
		if err != nil || crew != test.crew || (res.Stop == StopMemory) != (crew < 0) {
			t.Errorf("%s: %d workers share, %v, stop %q, want %d", test.what, crew, err, res.Stop, test.crew)
		}
	}
}

// TestPartitionPanics: a panic of one of several workers ends them all, and is reported as
// that of a single one.
func TestPartitionPanics(t *testing.T) {
	for _, workers := range []int{1, 2, 8} {
		p := Properties[cell]{Temporal: []Temporal[cell]{{Name: "T", Kind: AlwaysEventually, P: func(s *cell) bool {
			if s.x == 7 {
				panic("seven")
			}
			return false
		}}}}
		_, err := Check(t.Context(), &grid{size: 20, cyclic: true}, p, Options{Workers: workers, alwaysShare: true})
		e, ok := err.(*PanicError)
		if !ok || e.Value != "seven" || e.Where != "components" {
			t.Errorf("%d workers: got %v", workers, err)
		}
	}
}

// A property that panics where a single state is noted leaves no worker waiting.
func TestPartitionPanicsInNote(t *testing.T) {
	g := &graph{init: []int{0}, edges: make([][]graphEdge, 40)}
	for i := range 39 {
		g.edges[i] = []graphEdge{{to: i + 1}}
	}
	p := Properties[node]{Temporal: []Temporal[node]{{Name: "T", Kind: AlwaysEventually, P: func(s *node) bool {
		if s.n == 7 {
			panic("seven")
		}
		return false
	}}}}
	_, err := Check(t.Context(), g, p, Options{Workers: 8, alwaysShare: true})
	if e, ok := err.(*PanicError); !ok || e.Value != "seven" || e.Where != "components" {
		t.Errorf("got %v", err)
	}
}
