package explore

import (
	"context"
	"fmt"
	"math/bits"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The oracle for liveness: brute force over all sets of states.

// effective lists the edges that change the state.
func (g *graph) effective(n int) []graphEdge {
	var out []graphEdge
	for _, e := range g.edges[n] {
		if e.to != n {
			out = append(out, e)
		}
	}
	return out
}

// reachable is the set of reachable nodes.
func (g *graph) reachable() uint {
	var set uint
	todo := slices.Clone(g.init)
	for len(todo) > 0 {
		n := todo[0]
		todo = todo[1:]
		if set>>n&1 != 0 {
			continue
		}
		set |= 1 << n
		for _, e := range g.edges[n] {
			todo = append(todo, e.to)
		}
	}
	return set
}

// fairActions lists the fair actions with an edge that changes node n.
func (g *graph) fairActions(n int) uint64 {
	var set uint64
	for _, e := range g.effective(n) {
		set |= 1 << e.action & g.fair
	}
	return set
}

// fairSet reports whether a fair behaviour can visit exactly the nodes of a set
// infinitely often.
func (g *graph) fairSet(set uint) bool {
	everywhere, taken := ^uint64(0), uint64(0)
	for n := range g.edges {
		if set>>n&1 == 0 {
			continue
		}
		everywhere &= g.fairActions(n)
		seen := uint(0) // reachable from n inside, by one step or more
		for todo := []int{n}; len(todo) > 0; todo = todo[1:] {
			for _, e := range g.effective(todo[0]) {
				if set>>e.to&1 == 0 {
					continue
				}
				taken |= 1 << e.action
				if seen>>e.to&1 == 0 {
					seen |= 1 << e.to
					todo = append(todo, e.to)
				}
			}
		}
		if bits.OnesCount(set) > 1 && seen != set {
			return false
		}
	}
	return everywhere&^taken == 0
}

// violates reports whether a fair behaviour stays within the nodes of bad for
// ever.
func (g *graph) violates(bad uint) bool {
	bad &= g.reachable()
	for set := bad; set != 0; set = (set - 1) & bad {
		if g.fairSet(set) {
			return true
		}
	}
	return false
}

// checkLasso verifies that a violation is a fair behaviour of g with the bits set
// for ever.
func (g *graph) checkLasso(v *Violation[node], outstanding func(*node) uint64) error {
	p := path(v.Trace)
	if !slices.Contains(g.init, p[0]) {
		return fmt.Errorf("trace %v does not start with an initial state", p)
	}
	for i := 1; i < len(p); i++ {
		if !slices.Contains(g.edges[p[i-1]], graphEdge{p[i], v.Trace[i].Action}) {
			return fmt.Errorf("trace %v has no step by %d to %d", p, v.Trace[i].Action, i)
		}
	}
	cycle := p[len(p)-1:]
	var taken uint64
	if v.LoopStart >= 0 {
		if v.LoopStart != v.Depth || v.LoopStart >= len(p)-1 || p[v.LoopStart] != p[len(p)-1] {
			return fmt.Errorf("trace %v does not close at %d, depth %d", p, v.LoopStart, v.Depth)
		}
		cycle = p[v.LoopStart+1:]
		for _, s := range v.Trace[v.LoopStart+1:] {
			taken |= 1 << s.Action
		}
	} else if v.Depth != len(p)-1 {
		return fmt.Errorf("trace %v, want depth %d", p, v.Depth)
	}
	everywhere, set := ^uint64(0), ^uint64(0)
	for _, n := range cycle {
		everywhere &= g.fairActions(n)
		set &= outstanding(&node{n})
	}
	if unfair := everywhere & g.fair &^ taken; unfair != 0 {
		return fmt.Errorf("cycle %v of %v starves the actions %b", cycle, p, unfair)
	}
	if set == 0 || set != v.Bits {
		return fmt.Errorf("bits %b stay set, want %b", set, v.Bits)
	}
	return nil
}

// compare checks one graph against the oracle, with a Recurrent property for each
// set of bits in masks; masks[i][n] are the bits of property i in node n.
func (g *graph) compare(masks [][]uint64, workers int) error {
	p := Properties[node]{Deferred: map[string]bool{}}
	for i, m := range masks {
		p.Recurrent = append(p.Recurrent, Recurrent[node]{fmt.Sprint("R", i), func(s *node) uint64 { return m[s.n] }})
		p.Deferred[fmt.Sprint("R", i)] = true
	}
	r, err := Check(context.Background(), g, p, Options{Workers: workers, alwaysShare: true})
	if err != nil {
		return err
	}
	if r.Verdict == Inconclusive {
		return fmt.Errorf("inconclusive: %s", r.Reason)
	}
	got := map[string]*Violation[node]{}
	for i := range r.Violations {
		got[r.Violations[i].Property] = &r.Violations[i]
	}
	for i, m := range masks {
		want := false
		for bit := range 64 {
			var bad uint
			for n := range g.edges {
				bad |= uint(m[n]>>bit&1) << n
			}
			want = want || g.violates(bad)
		}
		v := got[fmt.Sprint("R", i)]
		if (v != nil) != want {
			return fmt.Errorf("property with bits %b: violated is %v, want %v", m, v != nil, want)
		}
		if v != nil {
			if err := g.checkLasso(v, p.Recurrent[i].Outstanding); err != nil {
				return fmt.Errorf("property with bits %b: %w", m, err)
			}
		}
	}
	return nil
}

// TestLivenessExhaustive compares all graphs with two actions and three nodes,
// without stuttering, and all with stuttering and two nodes, for every fairness
// and every property of one bit.
func TestLivenessExhaustive(t *testing.T) {
	for _, c := range []struct {
		nodes      int
		stuttering bool
	}{{1, true}, {2, true}, {3, false}} {
		var all []struct{ from, to int }
		var masks [][]uint64
		for from := range c.nodes {
			for to := range c.nodes {
				if from != to || c.stuttering {
					all = append(all, struct{ from, to int }{from, to})
				}
			}
		}
		for set := range 1 << c.nodes {
			m := make([]uint64, c.nodes)
			for n := range m {
				m[n] = uint64(set >> n & 1)
			}
			masks = append(masks, m)
		}
		stride := 1
		if c.nodes == 3 && (testing.Short() || raceDetector) {
			stride = 37
		}
		for e := 0; e < 1<<(2*len(all)); e += stride {
			g := &graph{init: []int{0}, edges: make([][]graphEdge, c.nodes)}
			for i, ft := range all {
				for a := range 2 {
					if e>>(2*i+a)&1 != 0 {
						g.edges[ft.from] = append(g.edges[ft.from], graphEdge{ft.to, Action(a)})
					}
				}
			}
			for _, fair := range []uint64{0, 1, 3} {
				g.fair = fair
				if err := g.compare(masks, 1); err != nil {
					t.Fatalf("graph %v, fair %b: %v", g.edges, fair, err)
				}
			}
		}
	}
}

func drawGraph(t *rapid.T, maxNodes int) *graph {
	n := rapid.IntRange(1, maxNodes).Draw(t, "nodes")
	g := &graph{edges: make([][]graphEdge, n), fair: rapid.Uint64Range(0, 15).Draw(t, "fair"), width: rapid.IntRange(1, 3).Draw(t, "width")}
	g.init = rapid.SliceOfN(rapid.IntRange(0, n-1), 1, 2).Draw(t, "init")
	for range rapid.IntRange(0, 3*n).Draw(t, "count") {
		from := rapid.IntRange(0, n-1).Draw(t, "from")
		e := graphEdge{rapid.IntRange(0, n-1).Draw(t, "to"), Action(rapid.IntRange(0, 3).Draw(t, "action"))}
		g.edges[from] = append(g.edges[from], e)
	}
	return g
}

func TestLivenessRandom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t, 6)
		var masks [][]uint64
		for range 6 {
			masks = append(masks, rapid.SliceOfN(rapid.Uint64Range(0, 7), len(g.edges), len(g.edges)).Draw(t, "bits"))
		}
		if err := g.compare(masks, rapid.SampledFrom([]int{1, 2, 8}).Draw(t, "workers")); err != nil {
			t.Fatal(err)
		}
	})
}

// TestStarvation has a cycle that a fair action leads out of, and a smaller one
// inside it where that action is disabled.
func TestStarvation(t *testing.T) {
	g := &graph{
		init: []int{3},
		edges: [][]graphEdge{
			{{1, 0}, {4, 2}},
			{{0, 0}, {2, 0}, {4, 2}},
			{{1, 0}},
			{{0, 0}},
			{},
		},
		fair: 1<<0 | 1<<2,
	}
	p := Properties[node]{Recurrent: []Recurrent[node]{outstandingAt("0 and 1", 0, 1)}}
	r := mustCheck(t, g, p, Options{})
	if r.Verdict != Holds || r.Liveness != MethodComponents || r.Components != 1 {
		t.Errorf("got %+v", r)
	}
	p.Recurrent = append(p.Recurrent, outstandingAt("all", 0, 1, 2, 3))
	r = mustCheck(t, g, p, Options{})
	if len(r.Violations) != 1 || r.Violations[0].Property != "all" || !slices.Equal(path(r.Violations[0].Trace), []int{3, 0, 1, 2, 1, 0}) || r.Violations[0].LoopStart != 1 {
		t.Errorf("got %+v", r)
	}
}

// TestComponentsLarge has one component of many states, and runs with every
// number of workers.
func TestComponentsLarge(t *testing.T) {
	p := Properties[cell]{Recurrent: []Recurrent[cell]{
		{"comes home", func(s *cell) uint64 { return boolBit(s.x+s.y != 0) }},
		{"moves", func(s *cell) uint64 { return 1 << 5 }},
	}}
	var want *Result[cell]
	for _, workers := range []int{1, 2, 8} {
		r := mustCheck(t, &grid{size: 60, cyclic: true}, p, Options{Workers: workers, alwaysShare: true})
		r.Elapsed, r.StoreBytes, r.DiskBytes, r.Workers = 0, 0, 0, 0
		if want == nil {
			want = r
		}
		if !reflect.DeepEqual(r, want) {
			t.Errorf("%d workers: got\n%+v, want\n%+v", workers, r, want)
		}
	}
	if v := want.Violations[0]; want.Components != 1 || v.Property != "moves" || v.Bits != 1<<5 || len(v.Trace) != 122 || v.LoopStart != 0 {
		t.Errorf("got %+v", want)
	}
}

func boolBit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// TestComponentsLimits has runs that need components and cannot have them.
func TestComponentsLimits(t *testing.T) {
	p := Properties[cell]{Recurrent: []Recurrent[cell]{{"comes home", func(s *cell) uint64 { return boolBit(s.x+s.y != 0) }}}}
	g := &grid{size: 60, cyclic: true}
	if r := mustCheck(t, g, p, Options{}); r.Verdict != Holds || r.Liveness != MethodComponents || r.Components != 1 {
		t.Errorf("got %+v", r)
	}
	if r := mustCheck(t, g, p, Options{MaxDepth: 100}); r.Verdict != Inconclusive || r.Stop != StopDepth {
		t.Errorf("got %+v", r)
	}
	p.Constraint = func(s *cell) bool { return s.x < 30 }
	if r := mustCheck(t, g, p, Options{}); r.Verdict != Inconclusive || r.Stop != StopConstraint {
		t.Errorf("got %+v", r)
	}
	// A cycle within the constraint is a violation all the same.
	g2 := &graph{init: []int{0}, edges: [][]graphEdge{{{1, 0}}, {{0, 0}, {2, 0}}, {}}, fair: 1}
	q := Properties[node]{Constraint: func(s *node) bool { return s.n != 2 }, Recurrent: []Recurrent[node]{outstandingAt("0 or 1", 0, 1)}}
	if r := mustCheck(t, g2, q, Options{}); r.Verdict != Violated || !slices.Equal(path(r.Violations[0].Trace), []int{0, 1, 0}) {
		t.Errorf("got %+v", r)
	}
}

// A constraint that only cuts off unfair steps leaves liveness decidable: it bounds
// what may go wrong. One that cuts off a fair step does not.
func TestConstraintOnUnfairSteps(t *testing.T) {
	g := &measuredGraph{graph{init: []int{0}, edges: [][]graphEdge{{{1, 0}, {2, 1}}, {}, {}}, fair: 1}}
	p := Properties[node]{
		Recurrent:  []Recurrent[node]{{Name: "leaves 0", Outstanding: func(s *node) uint64 { return uint64(1 - min(s.n, 1)) }}},
		Constraint: func(s *node) bool { return s.n != 2 },
	}
	if r := mustCheck(t, g, p, Options{}); r.Verdict != Holds || r.Outside != 1 || r.Liveness != MethodQuiescent {
		t.Errorf("unfair step cut off: got %s (%s), %d outside, method %q", r.Verdict, r.Reason, r.Outside, r.Liveness)
	}
	g.fair = 3
	if r := mustCheck(t, g, p, Options{}); r.Verdict != Inconclusive || r.Stop != StopConstraint {
		t.Errorf("fair step cut off: got %s (%s), want inconclusive", r.Verdict, r.Reason)
	}
}

// Observed counts quiescent states and decides nothing.
func TestObserved(t *testing.T) {
	g := &measuredGraph{graph{init: []int{0}, edges: [][]graphEdge{{{1, 0}, {2, 0}}, {}, {{3, 0}}, {}}, fair: 1}}
	p := Properties[node]{Observed: []Observed[node]{
		{Name: "odd", Is: func(s *node) bool { return s.n&1 == 1 }},
		{Name: "never quiescent", Is: func(s *node) bool { return s.n == 2 }},
	}}
	for _, workers := range []int{1, 3} {
		r := mustCheck(t, g, p, Options{Workers: workers, alwaysShare: true})
		if r.Verdict != Holds || r.Quiescent != 2 || r.Observed[0] != 2 || r.Observed[1] != 0 {
			t.Errorf("%d workers: got %s, %d quiescent, observed %v; want holds, 2, [2 0]", workers, r.Verdict, r.Quiescent, r.Observed)
		}
	}
}
