package explore

import (
	"context"
	"fmt"
	"slices"
	"testing"
)

// graphEdge is a step of a graph.
type graphEdge struct {
	to     int
	action Action
}

// graph is a system given by its edges. A state is the number of a node; width is
// that of the encoding, in words. Actions up to 63 are fair if their bit is set.
type graph struct {
	init  []int
	edges [][]graphEdge
	fair  uint64
	width int
}

type node struct{ n int }

func (g *graph) Init(yield func(*node)) {
	for _, n := range g.init {
		yield(&node{n})
	}
}

func (g *graph) Next(s, t *node, yield func(Action)) {
	for _, e := range g.edges[s.n] {
		t.n = e.to
		yield(e.action)
	}
}

func (g *graph) Words() int { return max(1, g.width) }

// Encode puts the number last, so that the order of the encodings is that of the
// nodes, and fills the other words with something that depends on it too.
func (g *graph) Encode(s *node, dst []uint64) {
	for i := range dst {
		dst[i] = uint64(s.n) * uint64(i)
	}
	dst[0] = uint64(s.n)
}

func (g *graph) Decode(src []uint64, s *node) { s.n = int(src[0]) }
func (g *graph) Kinds() []string              { return []string{"even", "odd"} }
func (g *graph) Kind(a Action) int            { return int(a) & 1 }
func (g *graph) Fair(a Action) bool           { return g.fair>>a&1 != 0 }

// measuredGraph is a graph whose nodes are numbered along the edges.
type measuredGraph struct{ graph }

func (g *measuredGraph) MeasureWords() int             { return 1 }
func (g *measuredGraph) Measure(s *node, dst []uint64) { dst[0] = uint64(s.n) }
func at(name string, bad ...int) Invariant[node]       { return Invariant[node]{name, notIn(bad)} }
func notIn(bad []int) func(*node) bool {
	return func(s *node) bool { return !slices.Contains(bad, s.n) }
}
func outstandingAt(name string, set ...int) Recurrent[node] {
	return Recurrent[node]{name, func(s *node) uint64 {
		if slices.Contains(set, s.n) {
			return 1
		}
		return 0
	}}
}

// grid is two lattice up to size, with a jump back when cyclic. Small states, many
// of them, and many shortest paths: food for determinism tests.
type grid struct {
	size, width int
	cyclic      bool
	panicAt     int // x+y from which Next panics; 0: never
}

type cell struct{ x, y int }

func (g *grid) Init(yield func(*cell)) { yield(&cell{}) }
func (g *grid) Next(s, t *cell, yield func(Action)) {
	if g.panicAt != 0 && s.x+s.y == g.panicAt && s.x > 2 {
		panic(fmt.Errorf("cell %d,%d", s.x, s.y))
	}
	if s.x < g.size {
		*t = cell{s.x + 1, s.y}
		yield(0)
	}
	if s.y < g.size {
		*t = cell{s.x, s.y + 1}
		yield(1)
	}
	if g.cyclic && s.x == g.size && s.y == g.size {
		*t = cell{}
		yield(2)
	}
	*t = *s
	yield(3)
}
func (g *grid) Words() int { return max(1, g.width) }
func (g *grid) Encode(s *cell, dst []uint64) {
	clear(dst)
	// The mixing makes the order of encodings unlike that of the cells.
	dst[0] = uint64(s.x*7919+3)%1009<<32 | uint64(s.x)<<16 | uint64(s.y)
}
func (g *grid) Decode(src []uint64, s *cell) {
	*s = cell{int(src[0] >> 16 & 0xffff), int(src[0] & 0xffff)}
}
func (g *grid) Kinds() []string             { return []string{"right", "up", "reset", "stay"} }
func (g *grid) Kind(a Action) int           { return int(a) }
func (g *grid) Fair(a Action) bool          { return a != 3 }
func (g *grid) MeasureWords() int           { return 1 }
func (g *grid) Measure(s *cell, d []uint64) { d[0] = uint64(s.x + s.y) }

// lattice is n counters up to top, spread over width words. There are many states of few
// levels, and their words are similar.
type lattice struct{ n, top, width int }

type tuple [8]int

func (c *lattice) Init(yield func(*tuple)) { yield(new(tuple)) }
func (c *lattice) Next(s, t *tuple, yield func(Action)) {
	for i := range c.n {
		if s[i] < c.top {
			*t = *s
			t[i]++
			yield(Action(i))
		}
	}
}
func (c *lattice) Words() int { return c.width }
func (c *lattice) Encode(s *tuple, dst []uint64) {
	clear(dst)
	for i := range c.n {
		dst[i%c.width] = dst[i%c.width]<<8 | uint64(s[i])
	}
}
func (c *lattice) Decode(src []uint64, s *tuple) {
	*s = tuple{}
	for i := range c.n {
		above := (c.n - 1 - i) / c.width // lattice of the same word that follow
		s[i] = int(src[i%c.width] >> (8 * above) & 0xff)
	}
}
func (c *lattice) Kinds() []string              { return []string{"up"} }
func (c *lattice) Kind(Action) int              { return 0 }
func (c *lattice) Fair(a Action) bool           { return a > 0 }
func (c *lattice) MeasureWords() int            { return 1 }
func (c *lattice) Measure(s *tuple, d []uint64) { d[0] = uint64(sum(s)) }
func sum(s *tuple) (n int) {
	for _, x := range s {
		n += x
	}
	return n
}

func mustCheck[S any](t *testing.T, sys System[S], p Properties[S], o Options) *Result[S] {
	t.Helper()
	r, err := Check(context.Background(), sys, p, o)
	if err != nil {
		t.Fatalf("Check: %v", err)
	}
	return r
}

// path is the nodes of a trace.
func path(tr []Step[node]) []int {
	var out []int
	for _, s := range tr {
		out = append(out, s.State.n)
	}
	return out
}
