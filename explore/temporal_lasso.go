package explore

import (
	"slices"

	"vsrcheck/explore/internal/store"
)

// witness makes the counterexample to property i, if there is one: a way from an initial
// state to where a violation stays, and the cycle that it repeats there, if any.
func (t *temporal[S]) witness(i int) (w witness, ok bool) {
	p := &t.search.props.Temporal[i]
	if len(t.stays[i]) == 0 {
		return w, false
	}
	st, start, end := t.stays[i][0], t.stays[i][0].root, t.stays[i][0].root
	if p.hasStart() {
		if st, start, end, w.stem, ok = t.nearest(p, t.stays[i]); !ok {
			return w, false
		}
	}
	if st.members != nil {
		w.lasso = t.cycle(p, st.members, end)
	}
	w.depth = t.graph.depthOf(start) + len(w.stem)
	w.finding = finding{found: true, state: slices.Clone(t.graph.words(start))}
	return w, true
}

// cycle is a cycle from a state of a component back to it that is a violation of the
// property when it is repeated for ever. It goes from one requirement to the next by a
// shortest way.
func (t *temporal[S]) cycle(p *Temporal[S], members []uint32, root uint32) (cycle []edge) {
	t.components.enclose(members)
	defer t.components.release(members)
	t.tally.reset()
	t.tally.state(t.graph.expand(root))
	visited := p.visits(t.load(root))
	for at := root; ; {
		// On the way back, states may enable strongly fair actions that are starved then.
		weak, strong := t.tally.starved()
		var way []arc
		switch {
		case len(weak)+len(strong) > 0 || !visited:
			has := func(a Action, list []int) bool {
				return slices.ContainsFunc(t.sets.of(a), func(n int) bool { return slices.Contains(list, n) })
			}
			way = t.components.seek(at, func(a arc) bool {
				return has(a.action, weak) || has(a.action, strong)
			}, func(id uint32, steps []step) bool {
				return !visited && p.visits(t.load(id)) || slices.ContainsFunc(weak, func(n int) bool {
					return !slices.ContainsFunc(steps, func(st step) bool { return has(st.action, []int{n}) })
				})
			})
		case at != root || len(cycle) == 0:
			way = t.components.seek(at, func(a arc) bool { return a.to == root }, nil)
		default:
			return cycle
		}
		for _, a := range way {
			t.tally.step(a.action)
			t.tally.state(t.graph.expand(a.to))
			visited = visited || p.visits(t.load(a.to))
			cycle = append(cycle, edge{a.action, slices.Clone(t.graph.words(a.to))})
			at = a.to
		}
	}
}

// nearest is the stay that a violation can reach in the fewest steps, of a property that
// says where it starts: from an initial state to the start, and on within, by the stem,
// to the end. It searches from all starts at once, each of which joins at its depth.
func (t *temporal[S]) nearest(p *Temporal[S], stays []stay) (st stay, start, end uint32, stem []edge, ok bool) {
	clear(t.components.marks)
	defer clear(t.components.inner)
	for k, st := range stays {
		// A single state comes first: its violation ends there.
		if st.members == nil {
			t.components.inner[st.root] = uint32(k + 1)
		}
		for _, id := range st.members {
			if t.components.inner[id] == 0 {
				t.components.inner[id] = uint32(k + 1)
			}
		}
	}
	var fronts [][]uint32
	for !ok && (len(fronts) < len(t.search.levels) || len(fronts[len(fronts)-1]) > 0) && !t.search.halted() {
		front := t.front(p, fronts)
		for _, id := range front {
			if t.components.inner[id] != 0 && (!ok || store.Less(t.graph.words(id), t.graph.words(end))) {
				end, ok = id, true
			}
		}
		fronts = append(fronts, front)
	}
	if !ok || t.search.halted() {
		return st, 0, 0, nil, false
	}
	st = stays[t.components.inner[end]-1]
	start = end
	for d := len(fronts) - 1; t.graph.depthOf(start) != d || !p.starts(t.load(start), d); d-- {
		from, a := t.predecessor(fronts[d-1], start)
		stem = append(stem, edge{a, slices.Clone(t.graph.words(start))})
		start = from
	}
	slices.Reverse(stem)
	return st, start, end, stem, true
}

// front is the states that a violation can be in after len(fronts) steps and not before,
// once it has started. It marks them, and those that are not within.
func (t *temporal[S]) front(p *Temporal[S], fronts [][]uint32) (front []uint32) {
	const unseen, seen = 0, 1
	d := len(fronts)
	visit := func(id uint32, start bool) {
		if t.components.marks[id] != unseen {
			return
		}
		switch s := t.load(id); {
		case !p.within(s):
			t.components.marks[id] = seen
		case !start || p.starts(s, d):
			t.components.marks[id] = seen
			front = append(front, id)
		}
	}
	if d < len(t.search.levels) {
		t.search.levels[d].(*store.ExactLevel).Each(func(id uint32) { visit(id, true) })
	}
	if d > 0 {
		for _, id := range fronts[d-1] {
			for _, st := range t.graph.expand(id) {
				visit(st.to, false)
			}
		}
	}
	return front
}

// predecessor is the smallest state of a front that leads to the given one, and for it
// the smallest action.
func (t *temporal[S]) predecessor(front []uint32, to uint32) (from uint32, a Action) {
	found := false
	for _, id := range front {
		for _, st := range t.graph.expand(id) {
			switch {
			case st.to != to:
			case !found || from != id && store.Less(t.graph.words(id), t.graph.words(from)):
				from, a, found = id, st.action, true
			case from == id:
				a = min(a, st.action)
			}
		}
	}
	if !found {
		panic("explore: a state has no predecessor: the model is not a function of the state")
	}
	return from, a
}
