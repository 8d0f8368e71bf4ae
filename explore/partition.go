package explore

import (
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"

	"vsrcheck/explore/internal/store"
)

// worthSharing is how many states a graph has at least that several workers partition
// together, or a component that they look at together. Fewer take one of them less than
// it takes to wake the others.
const worthSharing = 1 << 11

// look is what a partition tells of the states while it has their steps at hand. Steps is
// called by any worker, maybe more than once for a state, and has to give the same note;
// note is called once for a state, by one worker at a time.
type look[S any] struct {
	steps func(g *stepGraph[S], steps []step) (note uint32)
	note  func(id, note uint32)
}

// whole calls yield with every strongly connected component of more than one state, in
// the graph of all states. The members are only valid during the call. Look may be nil.
func (c *components[S]) whole(l *look[S], yield func(members []uint32)) {
	all := func(yield func(id uint32)) {
		for _, l := range c.search.levels {
			l.(*store.ExactLevel).Each(yield)
		}
	}
	var roots []uint32
	c.search.levels[0].(*store.ExactLevel).Each(func(id uint32) { roots = append(roots, id) })
	if c.shared(c.graph.exact.Count()) {
		for _, members := range c.partitionTogether(all, roots, l) {
			yield(members)
		}
		return
	}
	all(func(id uint32) { c.marks[id] = markWaiting })
	c.partition(c.marks, roots, l, yield)
}

// parts are the components, of more than one state, of a set of states.
func (c *components[S]) parts(set []uint32) (parts [][]uint32) {
	switch {
	case len(set) < 2:
		return nil
	case c.shared(uint64(len(set))):
		return c.partitionTogether(func(yield func(id uint32)) {
			for _, id := range set {
				yield(id)
			}
		}, set, nil)
	}
	c.enclose(set)
	c.partition(c.inner, set, nil, func(m []uint32) { parts = append(parts, slices.Clone(m)) })
	c.release(set)
	return parts
}

// shared reports whether several workers are to look at so many states together.
func (c *components[S]) shared(states uint64) bool {
	return len(c.crew) > 1 && (states >= worthSharing || c.search.opt.alwaysShare)
}

// Marks of a state in a partition by one worker under way. Greater numbers are states on
// Tarjan's stack.
const (
	markOutside = iota // not in the subgraph, or its component is complete
	markWaiting        // not visited yet
	markFirst
)

// frame is a state on the path of a depth-first search.
type frame struct {
	id    uint32
	tag   uint32 // Tarjan's index: when it was first visited; when several search, the note of look
	first int    // its successors that are still to be looked at are pending[first:]
}

// partition calls yield with every strongly connected component of more than one
// state, in the subgraph of the states that are marked as waiting, as far as it
// is reachable from the roots. It is Tarjan's algorithm without recursion. The
// marks hold his lowlinks, and nothing else is kept for a state that is not on
// the path. The members are only valid during the call. Look may be nil.
func (c *components[S]) partition(marks []uint32, roots []uint32, look *look[S], yield func(members []uint32)) {
	var (
		path    []frame
		stack   []uint32 // states whose component is not complete
		pending []uint32 // successors, those of the last frame on top
		index   = uint32(markFirst)
	)
	visit := func(id uint32) {
		marks[id] = index
		path = append(path, frame{id, index, len(pending)})
		stack = append(stack, id)
		index++
		steps := c.graph.expand(id)
		if look != nil {
			look.note(id, look.steps(c.graph, steps))
		}
		for _, st := range steps {
			if marks[st.to] != markOutside {
				pending = append(pending, st.to)
			}
		}
		c.search.progress.expanded.Add(1)
	}
	for _, root := range roots {
		if marks[root] == markWaiting {
			visit(root)
		}
		for len(path) > 0 && !c.search.halted() {
			f := &path[len(path)-1]
			if len(pending) > f.first {
				next := pending[len(pending)-1]
				pending = pending[:len(pending)-1]
				switch m := marks[next]; {
				case m == markWaiting:
					visit(next)
				case m != markOutside:
					marks[f.id] = min(marks[f.id], m)
				}
				continue
			}
			id, low := f.id, marks[f.id]
			complete := low == f.tag
			path = path[:len(path)-1]
			if complete {
				k := len(stack) - 1
				for stack[k] != id {
					k--
				}
				members := stack[k:]
				for _, m := range members {
					marks[m] = markOutside
				}
				if len(members) > 1 {
					yield(members)
				}
				stack = stack[:k]
			}
			if len(path) > 0 && !complete {
				p := path[len(path)-1].id
				marks[p] = min(marks[p], low)
			}
		}
	}
}

// partitionTogether is what the partition of a graph by all workers finds. They search it
// depth first, each in an order of its own, and tell each other by a forest which states
// are in one component and which components are complete, so that a state is mostly
// expanded by one of them. What is found is the same as by one worker, in another order.
func (c *components[S]) partitionTogether(all func(yield func(id uint32)), roots []uint32, look *look[S]) [][]uint32 {
	if c.next == nil {
		c.next = make([]uint32, len(c.marks))
	}
	f := &forest{parent: c.marks, next: c.next, state: c.inner}
	all(f.add)
	var noting sync.Mutex
	c.together(min(len(c.crew), mostSearchers), func(k int) {
		s := &searcher[S]{
			graph: c.crew[k], forest: f, bit: 1 << k, look: look, noting: &noting,
			order: rand.New(rand.NewPCG(uint64(k), 0)),
		}
		// Each begins somewhere else; then there is nothing left to do at the others' roots.
		begin := len(roots) * k / len(c.crew)
		for i := range roots {
			s.search(roots[(begin+i)%len(roots)])
		}
	})
	if c.search.halted() {
		return nil
	}
	return f.components(all)
}

// searcher is one of the workers of partitionTogether.
type searcher[S any] struct {
	graph  *stepGraph[S]
	forest *forest
	bit    uint32 // in the forest
	look   *look[S]
	noting *sync.Mutex
	order  *rand.Rand

	path    []frame
	pending []uint32 // successors, those of the last frame on top
	sets    []uint32 // a state of each set on the path that was not complete when it was met
}

// search looks at everything that can be reached from a state.
func (s *searcher[S]) search(root uint32) {
	s.come(root)
	for len(s.path) > 0 && !s.graph.search.halted() {
		f := &s.path[len(s.path)-1]
		if len(s.pending) == f.first {
			s.leave(f)
			continue
		}
		to := s.pending[len(s.pending)-1]
		s.pending = s.pending[:len(s.pending)-1]
		if s.come(to) != claimMet {
			continue
		}
		// The set of the successor is on the path, so all that was met since is on a cycle.
		for !s.forest.same(f.id, to) && !s.forest.sameByNow(f.id, to) {
			last := len(s.sets) - 1
			s.forest.unite(s.sets[last-1], s.sets[last])
			s.sets = s.sets[:last]
		}
	}
}

// come claims a state, and goes on from there if it is new.
func (s *searcher[S]) come(id uint32) claim {
	what := s.forest.claim(id, s.bit)
	if what == claimNew {
		s.sets = append(s.sets, id)
		s.path = append(s.path, frame{first: len(s.pending)})
		s.visit(id)
	}
	return what
}

// visit makes a state the last one of the path, and its successors pending.
func (s *searcher[S]) visit(id uint32) {
	f := &s.path[len(s.path)-1]
	f.id = id
	steps := s.graph.expand(id)
	if s.look != nil {
		f.tag = s.look.steps(s.graph, steps)
	}
	for _, st := range steps {
		if atomic.LoadUint32(&s.forest.state[st.to]) != 0 {
			s.pending = append(s.pending, st.to)
		}
	}
	own := s.pending[f.first:]
	s.order.Shuffle(len(own), func(i, j int) { own[i], own[j] = own[j], own[i] })
}

// note looks at a complete component of one state. It asks the system, which may panic.
func (s *searcher[S]) note(f *frame) {
	s.noting.Lock()
	defer s.noting.Unlock()
	s.look.note(f.id, f.tag)
}

// leave ends the visit to the last state of the path.
func (s *searcher[S]) leave(f *frame) {
	if s.forest.finish(f.id) {
		s.graph.search.progress.expanded.Add(1)
		if s.look != nil {
			s.note(f)
		}
	}
	// Where the path came to the set, nothing of it is left but what others are at. To be
	// done with it, this one looks at that too.
	if last := len(s.path) - 1; last == 0 || !s.forest.same(f.id, s.path[last-1].id) {
		if other, more := s.forest.unfinished(f.id); more {
			s.visit(other)
			return
		}
		for len(s.sets) > 0 && s.forest.complete(s.sets[len(s.sets)-1]) {
			s.sets = s.sets[:len(s.sets)-1]
		}
	}
	s.path = s.path[:len(s.path)-1]
}

// share calls f with parts of some states, one for each of the workers that look at them
// together, and returns what it gives for each. The state that a step graph has decoded and
// the steps that it has are f's until it returns.
func share[S, R any](c *components[S], members []uint32, f func(g *stepGraph[S], part []uint32) R) []R {
	if !c.shared(uint64(len(members))) {
		return []R{f(c.graph, members)}
	}
	n := min(len(c.crew), len(members))
	out := make([]R, n)
	c.together(n, func(k int) {
		out[k] = f(c.crew[k], members[len(members)*k/n:len(members)*(k+1)/n])
	})
	return out
}

// those are the members for which keep holds, in the same order.
func (c *components[S]) those(members []uint32, keep func(g *stepGraph[S], id uint32) bool) (kept []uint32) {
	for _, part := range share(c, members, func(g *stepGraph[S], part []uint32) (kept []uint32) {
		for _, id := range part {
			if keep(g, id) {
				kept = append(kept, id)
			}
		}
		return kept
	}) {
		kept = append(kept, part...)
	}
	return kept
}

// together runs f for so many of the workers, and panics as the first of them that does.
func (c *components[S]) together(workers int, f func(k int)) {
	failed := make([]error, workers)
	var g sync.WaitGroup
	for k := range workers {
		g.Go(func() {
			failed[k] = guard("components", func() error { f(k); return nil })
		})
	}
	g.Wait()
	for _, err := range failed {
		if err != nil {
			panic(err)
		}
	}
}
