package explore

import (
	"cmp"
	"slices"
)

// arc is a step of a walk through a component.
type arc struct {
	from uint32
	step
}

// lasso is a cycle from root back to it, inside the enclosed component, on which
// every fair action is disabled in some state or taken: repeated for ever, it is
// a fair behaviour. From one requirement to the next it takes a shortest way. It
// also returns the bits that are set in all states of the cycle.
func (c *components[S]) lasso(root uint32, outstanding func(*S) uint64) (cycle []edge, bits uint64) {
	bits = ^uint64(0)
	var walk []arc
	at := root
	// What is disabled in root is settled by root itself.
	pending := c.graph.fairActions(c.graph.expand(root))
	for len(pending) > 0 {
		way := c.seek(at, func(a arc) bool { return slices.Contains(pending, a.action) }, func(id uint32, steps []step) bool {
			enabled := c.graph.fairActions(steps)
			return slices.ContainsFunc(pending, func(p Action) bool { return !slices.Contains(enabled, p) })
		})
		for _, a := range way {
			enabled := c.graph.fairActions(c.graph.expand(a.to))
			pending = slices.DeleteFunc(pending, func(p Action) bool { return p == a.action || !slices.Contains(enabled, p) })
			at = a.to
		}
		walk = append(walk, way...)
	}
	if at != root || len(walk) == 0 {
		walk = append(walk, c.seek(at, func(a arc) bool { return a.to == root }, nil)...)
	}
	for _, a := range walk {
		cycle = append(cycle, edge{a.action, slices.Clone(c.graph.words(a.to))})
		c.search.sys.Decode(c.graph.words(a.to), c.graph.s)
		bits &= outstanding(c.graph.s)
	}
	return cycle, bits
}

// seek is a shortest way inside the enclosed component, from a state to the first
// step, or the first state, that is a goal; there must be one. Ties are broken by
// encodings: states are expanded by depth and then in their order.
func (c *components[S]) seek(from uint32, goalStep func(arc) bool, goalState func(uint32, []step) bool) []arc {
	came := map[uint32]arc{}
	way := func(id uint32) []arc {
		var out []arc
		for id != from {
			out = append(out, came[id])
			id = came[id].from
		}
		slices.Reverse(out)
		return out
	}
	for level := []uint32{from}; len(level) > 0; {
		var next []uint32
		var goal *arc
		for _, id := range level {
			steps := c.graph.expand(id)
			if id != from && goalState != nil && goalState(id, steps) {
				return way(id)
			}
			if goal != nil {
				continue // a goal state of this level would be nearer than that step
			}
			steps = slices.DeleteFunc(steps, func(st step) bool { return !c.inside(st.to) })
			slices.SortFunc(steps, func(a, b step) int {
				return cmp.Or(cmp.Compare(a.action, b.action), slices.Compare(c.graph.words(a.to), c.graph.words(b.to)))
			})
			for _, st := range steps {
				a := arc{id, st}
				if goalStep(a) {
					goal = &a
					break
				}
				if _, seen := came[st.to]; !seen && st.to != from {
					came[st.to] = a
					next = append(next, st.to)
				}
			}
		}
		if goal != nil {
			return append(way(goal.from), *goal)
		}
		slices.SortFunc(next, func(a, b uint32) int { return slices.Compare(c.graph.words(a), c.graph.words(b)) })
		level = next
	}
	panic("explore: a fair component has no fair cycle")
}
