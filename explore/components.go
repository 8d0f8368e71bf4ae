package explore

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"sync/atomic"

	"vsrcheck/explore/internal/store"
)

// Liveness on a graph with cycles. A fair behaviour that keeps a bit set for ever
// ends up going round in a set of states that is strongly connected, has the bit
// set throughout, and is fair: every fair action is disabled somewhere in it, or
// taken inside it. Such a set lies within a strongly connected component of the
// states with the bit set, and that component is fair too, as it has all the
// states and steps of the set. So it suffices to look at these components, and
// not at their countless subsets.

// stepGraph walks the explored graph again: it stores no steps, only generates
// them anew and looks the successors up.
type stepGraph[S any] struct {
	search *search[S]
	exact  *store.Exact
	in     *store.Finder
	batch  *store.Batch
	s, t   *S
	yield  func(Action)

	// The last state expanded: its steps, without stuttering.
	cur   []uint64
	steps []step
	ids   []uint32

	// States loaded: the one expanded, and two others.
	own    store.Piece
	others [2]store.Piece
}

// step is a step by the id of its target.
type step struct {
	action Action
	to     uint32
}

// decideComponents looks for fair cycles in the strongly connected components.
func (s *search[S]) decideComponents(res *Result[S]) error {
	return s.onComponents(res, func(c *components[S]) {
		c.run(res)
		if !c.search.halted() {
			res.Liveness = MethodComponents
		}
	})
}

// onComponents calls decide with what it takes to look at components, or says in the
// result why that cannot be.
func (s *search[S]) onComponents(res *Result[S], decide func(c *components[S])) error {
	exact, ok := s.store.(*store.Exact)
	if !ok {
		res.Stop = StopStore
		res.Reason = fmt.Sprintf("the graph may have cycles, and only the %s store can find them: liveness was not decided (store %s)", StoreExact, s.opt.Store)
		return nil
	}
	if exact.Unseen() {
		res.Stop = StopMemory
		res.Reason = "the graph may have cycles, and states on disk are too slow to look for them: liveness was not decided"
		return nil
	}
	n := exact.IDs()
	if n > math.MaxUint32-markFirst {
		res.Stop = StopStore
		res.Reason = fmt.Sprintf("liveness was not decided: components of %d states wanted, at most %d possible", n, uint64(math.MaxUint32-markFirst))
		return nil
	}
	if s.opt.MemoryLimit != 0 && exact.Bytes()+8*n > s.opt.MemoryLimit {
		res.Stop = StopMemory
		res.Reason = fmt.Sprintf("memory limit of %d bytes leaves no room for components: liveness was not decided", s.opt.MemoryLimit)
		return nil
	}
	workers := s.opt.Workers
	if s.opt.MemoryLimit != 0 && exact.Bytes()+12*n > s.opt.MemoryLimit {
		workers = 1 // several have one more mark for a state
	}
	s.progress.begin("components", 0, exact.Count())
	err := guard("components", func() error {
		decide(newComponents(s, exact, n, workers))
		return nil
	})
	if err != nil {
		return err
	}
	if s.halted() {
		res.Stop, res.Reason = *s.stop.Load(), "interrupted while components were computed: liveness was not decided"
	}
	return nil
}

func newStepGraph[S any](s *search[S], exact *store.Exact) *stepGraph[S] {
	g := &stepGraph[S]{
		search: s,
		exact:  exact,
		in:     exact.Finder(),
		batch:  store.NewBatch(s.width),
		s:      new(S),
		t:      new(S),
		ids:    make([]uint32, store.BatchStates),
	}
	g.yield = g.step
	return g
}

// depthOf is the depth of a state.
func (g *stepGraph[S]) depthOf(id uint32) int {
	return sort.Search(len(g.search.levels), func(d int) bool {
		return g.search.levels[d].(*store.ExactLevel).Reaches(id)
	})
}

// words is the encoding of a state, valid until the next call but one.
func (g *stepGraph[S]) words(id uint32) []uint64 {
	g.others[0], g.others[1] = g.others[1], g.others[0]
	g.exact.Load([]uint32{id}, &g.others[0])
	return g.others[0].Words
}

// decode is a state, valid until the next call or that of expand.
func (g *stepGraph[S]) decode(id uint32) *S {
	g.search.sys.Decode(g.words(id), g.s)
	return g.s
}

// before orders states by depth, then by encoding.
func (g *stepGraph[S]) before(a, b uint32) bool {
	if da, db := g.depthOf(a), g.depthOf(b); da != db {
		return da < db
	}
	return store.Less(g.words(a), g.words(b))
}

// expand fills g.steps with the steps from a state that change it.
func (g *stepGraph[S]) expand(id uint32) []step {
	g.steps = g.steps[:0]
	g.exact.Load([]uint32{id}, &g.own)
	g.in.Follow(&g.own, 0)
	g.cur = g.own.Words
	g.search.sys.Decode(g.cur, g.s)
	if g.search.props.Constraint != nil && !g.search.props.Constraint(g.s) {
		return nil
	}
	g.search.sys.Next(g.s, g.t, g.yield)
	g.resolve()
	return g.steps
}

func (g *stepGraph[S]) step(a Action) {
	enc := g.batch.At(g.batch.N)
	g.search.encodeStep(g.s, g.cur, g.t, enc)
	if store.Equal(enc, g.cur) {
		return
	}
	g.steps = append(g.steps, step{action: a})
	if g.in.Take(g.batch); g.batch.N == store.BatchStates {
		g.resolve()
	}
}

// resolve looks up the targets of the last steps.
func (g *stepGraph[S]) resolve() {
	n := g.batch.N
	if n == 0 {
		return
	}
	if !g.in.Lookup(g.batch, g.ids) {
		panic("explore: a successor is not in the store: the model is not a function of the state")
	}
	for i, st := range g.steps[len(g.steps)-n:] {
		st.to = g.ids[i]
		g.steps[len(g.steps)-n+i] = st
	}
	g.batch.N = 0
}

// components finds fair strongly connected components.
type components[S any] struct {
	search *search[S]
	graph  *stepGraph[S]
	crew   []*stepGraph[S] // one per worker
	marks  []uint32        // of the whole graph
	inner  []uint32        // of a subgraph within a component; all outside between uses
	next   []uint32        // of a forest, which has marks and inner too; nil while there was none
	best   []candidate
	found  uint64 // components with a cycle
}

// candidate is the best component found to violate a Recurrent property: the one
// with the shallowest, then the smallest, representative.
type candidate struct {
	members []uint32
	root    uint32
}

func newComponents[S any](s *search[S], exact *store.Exact, n uint64, workers int) *components[S] {
	c := &components[S]{
		search: s,
		graph:  newStepGraph(s, exact),
		marks:  make([]uint32, n),
		inner:  make([]uint32, n),
		best:   make([]candidate, len(s.props.Recurrent)),
	}
	// Beside its own: what a worker notes while it searches, it looks at there.
	if workers > 1 && (exact.Count() >= worthSharing || s.opt.alwaysShare) {
		for range workers {
			c.crew = append(c.crew, newStepGraph(s, exact))
		}
	}
	return c
}

func (c *components[S]) run(res *Result[S]) {
	c.whole(nil, func(members []uint32) {
		c.found++
		c.inspect(members)
	})
	if c.search.halted() {
		return
	}
	res.Components = c.found
	for i := range c.best {
		b := &c.best[i]
		if b.members == nil {
			continue
		}
		slot := c.search.slots.recurrent + i
		c.search.open[slot] = false
		c.enclose(b.members)
		lasso, bits := c.lasso(b.root, c.search.props.Recurrent[i].Outstanding)
		c.release(b.members)
		c.search.witnesses = append(c.search.witnesses, witness{
			slot:    slot,
			depth:   c.graph.depthOf(b.root),
			finding: finding{found: true, state: slices.Clone(c.graph.words(b.root))},
			bits:    bits,
			lasso:   lasso,
		})
	}
}

// inspect looks for violations within a component of the whole graph.
func (c *components[S]) inspect(members []uint32) {
	for i := range c.search.props.Recurrent {
		if !c.search.open[c.search.slots.recurrent+i] {
			continue
		}
		any, all := c.bits(i, members)
		if all != 0 {
			c.consider(i, members)
		}
		for rest := any &^ all; rest != 0; rest &= rest - 1 {
			c.inspectBit(i, members, rest&-rest)
		}
	}
}

// bits are the bits of property i that are set in any and in all states of a component.
func (c *components[S]) bits(i int, members []uint32) (any, all uint64) {
	outstanding := c.search.props.Recurrent[i].Outstanding
	all = ^uint64(0)
	type seen struct{ any, all uint64 }
	for _, part := range share(c, members, func(g *stepGraph[S], part []uint32) (s seen) {
		s.all = ^uint64(0)
		for _, id := range part {
			set := outstanding(g.decode(id))
			s.any |= set
			s.all &= set
		}
		return s
	}) {
		any |= part.any
		all &= part.all
	}
	return any, all
}

// inspectBit looks at the components of those states of a component that have a
// bit set.
func (c *components[S]) inspectBit(i int, members []uint32, bit uint64) {
	set := c.those(members, func(g *stepGraph[S], id uint32) bool {
		return c.search.props.Recurrent[i].Outstanding(g.decode(id))&bit != 0
	})
	// Judged after the partition, which needs the same marks.
	for _, p := range c.parts(set) {
		c.consider(i, p)
	}
}

// enclose marks the states of a subgraph, release takes that back.
func (c *components[S]) enclose(members []uint32) {
	for _, id := range members {
		c.inner[id] = markWaiting
	}
}

func (c *components[S]) release(members []uint32) {
	for _, id := range members {
		c.inner[id] = markOutside
	}
}

func (c *components[S]) inside(id uint32) bool { return c.inner[id] != markOutside }

// consider keeps a component in which property i has a bit set throughout, if it
// is fair and comes before the best one so far.
func (c *components[S]) consider(i int, members []uint32) {
	root := members[0]
	for _, id := range members[1:] {
		if c.graph.before(id, root) {
			root = id
		}
	}
	b := &c.best[i]
	// Components with the same root, of different bits, differ in their members; the
	// bits are tried in a fixed order, and the first one is kept.
	if b.members != nil && !c.graph.before(root, b.root) {
		return
	}
	c.enclose(members)
	fair := c.fair(members)
	c.release(members)
	if fair {
		*b = candidate{slices.Clone(members), root}
	}
}

// fair reports whether a weakly fair behaviour can go round in a component for
// ever: no fair action is enabled in all of its states and taken in none.
func (c *components[S]) fair(members []uint32) bool {
	var fair atomic.Bool // what several workers look at has not to be looked at to its end
	var starved []Action
	for k, part := range share(c, members, func(g *stepGraph[S], part []uint32) []Action {
		starved := c.starved(g, part, &fair)
		if len(starved) == 0 {
			fair.Store(true)
		}
		return starved
	}) {
		if k == 0 {
			starved = part
		} else {
			starved = slices.DeleteFunc(starved, func(a Action) bool { return !slices.Contains(part, a) })
		}
	}
	return len(starved) == 0
}

// starved lists the fair actions that are enabled in all states of a part of a component
// and not taken from there to a state of the component. It may end early once all is known
// to be fair.
func (c *components[S]) starved(g *stepGraph[S], part []uint32, fair *atomic.Bool) (starved []Action) {
	for k, id := range part {
		enabled := g.fairActions(g.expand(id))
		if k == 0 {
			starved = enabled
		} else {
			starved = slices.DeleteFunc(starved, func(a Action) bool { return !slices.Contains(enabled, a) })
		}
		for _, st := range g.steps {
			if c.inside(st.to) {
				starved = slices.DeleteFunc(starved, func(a Action) bool { return a == st.action })
			}
		}
		if len(starved) == 0 || fair.Load() {
			return nil
		}
	}
	return starved
}

// fairActions lists the fair actions among steps, once each.
func (g *stepGraph[S]) fairActions(steps []step) []Action {
	var out []Action
	for _, st := range steps {
		if g.search.about.Fair(st.action) && !slices.Contains(out, st.action) {
			out = append(out, st.action)
		}
	}
	return out
}
