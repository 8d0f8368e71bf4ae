package explore

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The oracle for Temporal properties: brute force over all sets of states that a
// behaviour can visit infinitely often. Sets of nodes and of actions are bits.

// oracleSet is a set of actions that is fair.
type oracleSet struct {
	strong  bool
	actions uint64
}

// fairness is a list of conditions for the engine, and what it means for the oracle.
type fairness struct {
	conditions []Fairness
	sets       []oracleSet
}

// add adds a condition on the actions of a set, below 4: of all together, of each, or of
// each half.
func (f *fairness) add(strong bool, actions uint64, by string) {
	c := Fairness{Strong: strong, Of: func(a Action) bool { return actions>>a&1 != 0 }}
	var classes []uint64
	switch by {
	case "all":
		classes = []uint64{15}
	case "each":
		c.By, classes = EachAction, []uint64{1, 2, 4, 8}
	case "half":
		c.By, classes = func(a Action) uint32 { return a / 2 }, []uint64{3, 12}
	}
	f.conditions = append(f.conditions, c)
	for _, class := range classes {
		f.sets = append(f.sets, oracleSet{strong, actions & class})
	}
}

// all is the fair sets, with those of the graph.
func (f *fairness) all(g *graph) []oracleSet {
	sets := slices.Clone(f.sets)
	for a := range 4 {
		if g.fair>>a&1 != 0 {
			sets = append(sets, oracleSet{false, 1 << a})
		}
	}
	return sets
}

// enabled is the actions that change node n.
func (g *graph) enabled(n int) (set uint64) {
	for _, e := range g.effective(n) {
		set |= 1 << e.action
	}
	return set
}

// far is the distance of what cannot be reached.
const far = 1 << 20

// spread is the distances of all nodes by steps within a set, where those with a
// distance in from, unless it is far, start with that.
func (g *graph) spread(from []int, within uint) []int {
	dist := make([]int, len(from))
	for n := range dist {
		if dist[n] = far; within>>n&1 != 0 {
			dist[n] = from[n]
		}
	}
	for changed := true; changed; {
		changed = false
		for n, edges := range g.edges {
			for _, e := range edges {
				if within>>e.to&1 != 0 && dist[n]+1 < dist[e.to] {
					dist[e.to], changed = dist[n]+1, true
				}
			}
		}
	}
	return dist
}

// only is the distances to spread from the nodes for which keep has one.
func (g *graph) only(keep func(n int) (int, bool)) []int {
	dist := make([]int, len(g.edges))
	for n := range dist {
		if d, ok := keep(n); ok {
			dist[n] = d
		} else {
			dist[n] = far
		}
	}
	return dist
}

// fairBehaviour reports whether the actions that each of some states enables, and those
// that are taken between them again and again, are a fair behaviour's.
func fairBehaviour(sets []oracleSet, enabled []uint64, taken uint64) bool {
	for _, f := range sets {
		everywhere, somewhere := true, false
		for _, e := range enabled {
			everywhere = everywhere && e&f.actions != 0
			somewhere = somewhere || e&f.actions != 0
		}
		if taken&f.actions == 0 && (everywhere || f.strong && somewhere) {
			return false
		}
	}
	return true
}

// fairSets lists all sets of nodes out of some that a fair behaviour can visit infinitely
// often, and nothing else.
func (g *graph) fairSets(sets []oracleSet, all uint) (out []uint) {
	for set := all; set != 0; set = (set - 1) & all {
		var enabled []uint64
		taken, connected := uint64(0), true
		for n := range g.edges {
			if set>>n&1 == 0 {
				continue
			}
			enabled = append(enabled, g.enabled(n))
			for _, e := range g.effective(n) {
				if set>>e.to&1 != 0 {
					taken |= 1 << e.action
				}
			}
			for to, d := range g.spread(g.only(func(m int) (int, bool) { return 0, m == n }), set) {
				connected = connected && (d < far || set>>to&1 == 0)
			}
		}
		if connected && fairBehaviour(sets, enabled, taken) {
			out = append(out, set)
		}
	}
	return out
}

// oracleProperty is a Temporal property by the nodes in which P and Q hold.
type oracleProperty struct {
	kind TemporalKind
	p, q uint
}

func (o oracleProperty) temporal(name string) Temporal[node] {
	holds := func(set uint) func(*node) bool { return func(s *node) bool { return set>>s.n&1 != 0 } }
	t := Temporal[node]{Name: name, Kind: o.kind, P: holds(o.p)}
	if o.kind == LeadsTo {
		t.Q = holds(o.q)
	}
	return t
}

// violated reports whether a fair behaviour among some nodes violates the property, and the least number
// of steps to a state that such a behaviour visits infinitely often.
func (o oracleProperty) violated(g *graph, fairSets []uint, all uint) (least int, violated bool) {
	init := g.only(func(n int) (int, bool) { return 0, slices.Contains(g.init, n) })
	depth := g.spread(init, all)
	var within uint
	visit, dist := all, depth
	switch o.kind {
	case EventuallyAlways:
		within, visit = all, all&^o.p
	case AlwaysEventually:
		within = all &^ o.p
	case Eventually:
		within = all &^ o.p
		dist = g.spread(init, within)
	case LeadsTo:
		within = all &^ o.q
		dist = g.spread(g.only(func(n int) (int, bool) { return depth[n], o.p>>n&1 != 0 }), within)
	}
	for _, set := range fairSets {
		if set&^within != 0 || set&visit == 0 {
			continue
		}
		for n, d := range dist {
			if d < far && set>>n&1 != 0 && (!violated || d < least) {
				least, violated = d, true
			}
		}
	}
	return least, violated
}

// verify is what is wrong with a counterexample.
func (o oracleProperty) verify(g *graph, sets []oracleSet, v *Violation[node]) error {
	p := path(v.Trace)
	if !slices.Contains(g.init, p[0]) {
		return fmt.Errorf("does not start with an initial state")
	}
	for i := 1; i < len(p); i++ {
		if p[i] == p[i-1] || !slices.Contains(g.edges[p[i-1]], graphEdge{p[i], v.Trace[i].Action}) {
			return fmt.Errorf("no step by %d to %d that changes the state", v.Trace[i].Action, i)
		}
	}
	last := len(p) - 1
	cycle := p[last:]
	var taken uint64
	if v.LoopStart >= 0 {
		if v.LoopStart != v.Depth || v.LoopStart >= last || p[v.LoopStart] != p[last] {
			return fmt.Errorf("does not close at %d, depth %d", v.LoopStart, v.Depth)
		}
		cycle = p[v.LoopStart+1:]
		for _, s := range v.Trace[v.LoopStart+1:] {
			taken |= 1 << s.Action
		}
	} else if v.Depth != last {
		return fmt.Errorf("depth %d, want %d", v.Depth, last)
	}
	var enabled []uint64
	var set uint
	for _, n := range cycle {
		enabled = append(enabled, g.enabled(n))
		set |= 1 << n
	}
	if !fairBehaviour(sets, enabled, taken) {
		return fmt.Errorf("cycle %v is not fair", cycle)
	}
	violates := false
	switch o.kind {
	case EventuallyAlways:
		violates = set&^o.p != 0
	case AlwaysEventually:
		violates = set&o.p == 0
	case Eventually:
		violates = !slices.ContainsFunc(p, func(n int) bool { return o.p>>n&1 != 0 })
	case LeadsTo:
		for i := len(p) - 1; i >= 0 && o.q>>p[i]&1 == 0; i-- {
			violates = violates || o.p>>p[i]&1 != 0
		}
	}
	if !violates {
		return fmt.Errorf("does not violate the property")
	}
	return nil
}

// compareTemporal checks one graph against the oracle, with a constraint that cuts off
// some nodes.
func (g *graph) compareTemporal(f *fairness, props []oracleProperty, cut uint, opt Options) error {
	p := Properties[node]{Fairness: f.conditions, Deferred: map[string]bool{}}
	if cut != 0 {
		p.Constraint = func(s *node) bool { return cut>>s.n&1 == 0 }
	}
	for i, o := range props {
		name := fmt.Sprint("T", i)
		p.Temporal = append(p.Temporal, o.temporal(name))
		p.Deferred[name] = true
	}
	r, err := Check(context.Background(), g, p, opt)
	if err != nil {
		return err
	}
	bounded := &graph{init: g.init, edges: slices.Clone(g.edges), fair: g.fair}
	for n := range g.edges {
		if cut>>n&1 != 0 {
			bounded.edges[n] = nil
		}
	}
	g = bounded
	all := g.reachable() &^ cut
	stop := StopNone
	outside := func(n int) bool { return cut>>n&1 != 0 }
	switch {
	case !slices.ContainsFunc(g.init, func(n int) bool { return !outside(n) }):
		stop = StopEmpty
	case len(r.Violations) < len(props) && (g.cutsFair(f.all(g), all, cut) || slices.ContainsFunc(g.init, outside)):
		stop = StopConstraint
	}
	if r.Stop != stop {
		return fmt.Errorf("stop %q (%s), want %q", r.Stop, r.Reason, stop)
	}
	got := map[string]*Violation[node]{}
	for i := range r.Violations {
		got[r.Violations[i].Property] = &r.Violations[i]
	}
	sets := f.all(g)
	fairSets := g.fairSets(sets, all)
	for i, o := range props {
		least, want := o.violated(g, fairSets, all)
		v := got[fmt.Sprint("T", i)]
		if (v != nil) != want {
			return fmt.Errorf("%q of %b, %b: violated is %v, want %v", o.kind, o.p, o.q, v != nil, want)
		}
		if v == nil {
			continue
		}
		if err := o.verify(g, sets, v); err != nil {
			return fmt.Errorf("%q of %b, %b: trace %v, loop at %d: %w", o.kind, o.p, o.q, path(v.Trace), v.LoopStart, err)
		}
		if v.Depth != least {
			return fmt.Errorf("%q of %b, %b: trace %v, loop at %d: depth %d, want %d", o.kind, o.p, o.q, path(v.Trace), v.LoopStart, v.Depth, least)
		}
	}
	return nil
}

// cutsFair reports whether a fair step leads from a set of nodes to another.
func (g *graph) cutsFair(sets []oracleSet, from, to uint) bool {
	for n, edges := range g.edges {
		for _, e := range edges {
			for _, f := range sets {
				if from>>n&1 != 0 && to>>e.to&1 != 0 && f.actions>>e.action&1 != 0 {
					return true
				}
			}
		}
	}
	return false
}

// allProperties lists those of a graph of so many nodes. That P leads to Q if each state
// with P does so by itself is left to the random tests.
func allProperties(nodes int) (out []oracleProperty) {
	for set := range uint(1) << nodes {
		for _, kind := range []TemporalKind{Eventually, EventuallyAlways, AlwaysEventually} {
			out = append(out, oracleProperty{kind: kind, p: set})
		}
		for n := range nodes {
			out = append(out, oracleProperty{LeadsTo, 1 << n, set})
		}
	}
	return out
}

// allFairness lists the ways to be fair to the actions 0 and 1, but for their names.
func allFairness() (out []fairness) {
	for a := range 3 {
		for b := range a + 1 {
			var f fairness
			for action, how := range []int{a, b} {
				if how > 0 {
					f.add(how == 2, 1<<action, "each")
				}
			}
			out = append(out, f)
		}
	}
	for _, strong := range []bool{false, true} {
		var f fairness
		f.add(strong, 3, "all")
		out = append(out, f)
	}
	return out
}

// edgeSet is the graph with some of all possible edges of two actions.
func edgeSet(nodes int, stuttering bool, edges uint64) *graph {
	g := &graph{init: []int{0}, edges: make([][]graphEdge, nodes)}
	for from := range nodes {
		for to := range nodes {
			if from == to && !stuttering {
				continue
			}
			for a := range 2 {
				if edges&1 != 0 {
					g.edges[from] = append(g.edges[from], graphEdge{to, Action(a)})
				}
				edges >>= 1
			}
		}
	}
	return g
}

// TestTemporalExhaustive compares all graphs of two actions and up to three nodes, those
// of up to two also with stuttering, and a sample of those of four, for every fairness and
// every property; one in several of them also by several workers. Of three nodes a short run
// takes a sample, too.
func TestTemporalExhaustive(t *testing.T) {
	const several = 11
	checked := 0
	rng := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		nodes      int
		stuttering bool
		sample     int // 0: all
	}{{1, true, 0}, {2, true, 0}, {3, false, 0}, {4, false, 800}} {
		pairs := c.nodes * (c.nodes - 1)
		if c.stuttering {
			pairs = c.nodes * c.nodes
		}
		count, props := uint64(1)<<(2*pairs), allProperties(c.nodes)
		if c.nodes == 3 && !long() {
			c.sample = 600
			if testing.Short() || raceDetector {
				c.sample = 100
			}
		}
		if c.sample > 0 {
			count = uint64(c.sample)
		}
		for e := range count {
			if c.sample > 0 {
				// Every second bit twice: sparse graphs have more to tell.
				e = rng.Uint64()
				if e>>63 == 0 {
					e &= rng.Uint64()
				}
			}
			for i, f := range allFairness() {
				if c.sample > 0 && rng.IntN(4) != 0 {
					continue
				}
				g := edgeSet(c.nodes, c.stuttering, e)
				workers := []int{1}
				if checked++; checked%several == 0 {
					workers = []int{1, 2, 8} // a single one takes least
				}
				for _, n := range workers {
					if err := g.compareTemporal(&f, props, 0, Options{Workers: n, alwaysShare: true}); err != nil {
						t.Fatalf("graph %v, fairness %d %+v, %d workers: %v", g.edges, i, f.sets, n, err)
					}
				}
			}
		}
	}
}

func TestTemporalRandom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t, 7)
		var f fairness
		for range rapid.IntRange(0, 3).Draw(t, "conditions") {
			f.add(rapid.Bool().Draw(t, "strong"), rapid.Uint64Range(0, 15).Draw(t, "of"), rapid.SampledFrom([]string{"all", "each", "half"}).Draw(t, "by"))
		}
		var props []oracleProperty
		for _, kind := range []TemporalKind{Eventually, EventuallyAlways, AlwaysEventually, LeadsTo, LeadsTo} {
			set := rapid.UintRange(0, 1<<len(g.edges)-1)
			props = append(props, oracleProperty{kind, set.Draw(t, "P"), set.Draw(t, "Q")})
		}
		var cut uint
		if rapid.Bool().Draw(t, "constraint") {
			cut = rapid.UintRange(0, 1<<len(g.edges)-1).Draw(t, "one") & rapid.UintRange(0, 1<<len(g.edges)-1).Draw(t, "other")
		}
		if err := g.compareTemporal(&f, props, cut, Options{Workers: rapid.SampledFrom([]int{1, 2, 8}).Draw(t, "workers"), alwaysShare: true}); err != nil {
			t.Fatal(err)
		}
	})
}

// TestTemporalWorkers has results that must be the same for every number of workers, down
// to the traces.
func TestTemporalWorkers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t, 60)
		p := Properties[node]{Deferred: map[string]bool{}}
		var f fairness
		f.add(rapid.Bool().Draw(t, "strong"), rapid.Uint64Range(0, 15).Draw(t, "of"), "each")
		p.Fairness = f.conditions
		for i, kind := range []TemporalKind{Eventually, EventuallyAlways, AlwaysEventually, LeadsTo} {
			set := rapid.UintRange(0, 1<<len(g.edges)-1)
			o := oracleProperty{kind, set.Draw(t, "P"), set.Draw(t, "Q") & set.Draw(t, "less")}
			p.Temporal = append(p.Temporal, o.temporal(fmt.Sprint(i)))
			p.Deferred[fmt.Sprint(i)] = true
		}
		var want *Result[node]
		for _, workers := range []int{1, 2, 8} {
			r, err := Check(context.Background(), g, p, Options{Workers: workers, alwaysShare: true})
			if err != nil {
				t.Fatal(err)
			}
			r.Elapsed, r.StoreBytes, r.Workers = 0, 0, 0
			if want == nil {
				want = r
			}
			if !reflect.DeepEqual(r, want) {
				t.Fatalf("%d workers: got\n%+v, want\n%+v", workers, r, want)
			}
		}
	})
}
