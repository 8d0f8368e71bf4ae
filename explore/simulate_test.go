package explore

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func mustSimulate[S any](t testing.TB, sys System[S], p Properties[S], o SimulateOptions) *Simulation[S] {
	t.Helper()
	r, err := Simulate(context.Background(), sys, p, o)
	if err != nil {
		t.Fatalf("Simulate: %v", err)
	}
	return r
}

// TestSimulateIsReproducible compares everything but the time for several numbers of
// workers and for two runs with the same seed.
func TestSimulateIsReproducible(t *testing.T) {
	props := Properties[cell]{
		Invariants: []Invariant[cell]{{"NotTheCorner", func(s *cell) bool { return s.x+s.y < 59 }}, {"Early", func(s *cell) bool { return s.x < 20 }}},
		Reachable:  []Reachable[cell]{{"Middle", func(s *cell) bool { return s.x == 15 && s.y == 15 }}, {"Beyond", func(s *cell) bool { return s.x > 99 }}},
		Observed:   []Observed[cell]{{"AtTheEnd", func(s *cell) bool { return s.x == 30 }}},
		Deferred:   map[string]bool{"Early": true},
	}
	run := func(seed uint64, workers int) *Simulation[cell] {
		r := mustSimulate(t, &grid{size: 30}, props, SimulateOptions{Seed: seed, Walks: 700, Workers: workers})
		r.Elapsed, r.Workers = 0, 0
		return r
	}
	want := run(7, 1)
	if want.Verdict != Violated || want.Walks != roundWalks || len(want.Violations) != 2 || want.Violations[0].Property != "NotTheCorner" {
		t.Fatalf("got %s after %d walks with %d violations, want NotTheCorner and Early violated in the first round", want.Verdict, want.Walks, len(want.Violations))
	}
	for _, workers := range []int{1, 2, 5} {
		if got := run(7, workers); !reflect.DeepEqual(got, want) {
			t.Errorf("%d workers: got\n%+v, want\n%+v", workers, got, want)
		}
	}
	if other := run(8, 2); reflect.DeepEqual(other.Coverage, want.Coverage) {
		t.Error("another seed, and the same walks")
	}
	if _, ok := want.ReachableMet["Beyond"]; ok || len(want.ReachableMet) != 1 {
		t.Errorf("got Reachable met %v, want Middle only", want.ReachableMet)
	}
	if got := want.Violations[1]; got.Property != "Early" || got.Depth != 20 {
		t.Errorf("got %s after %d steps, want Early after 20", got.Property, got.Depth)
	}
}

// TestSimulateProvesNothing: without a violation the verdict is Inconclusive, whatever
// the reason to stop.
func TestSimulateProvesNothing(t *testing.T) {
	sys := &grid{size: 3}
	r := mustSimulate(t, sys, Properties[cell]{}, SimulateOptions{Walks: 500})
	if r.Verdict != Inconclusive || r.Stop != StopWalks || r.Reason != "nothing violated in 500 walks" || r.Walks != 500 {
		t.Errorf("got %s, %s, %q after %d walks", r.Verdict, r.Stop, r.Reason, r.Walks)
	}
	if r.Distinct != 16 || r.Longest != 6 || r.Cut != 0 || r.Quiescent != 500 || r.Steps != 3000 {
		t.Errorf("got %d distinct, %d longest, %d cut, %d quiescent, %d steps; want 16, 6, 0, 500, 3000", r.Distinct, r.Longest, r.Cut, r.Quiescent, r.Steps)
	}
	if r = mustSimulate(t, sys, Properties[cell]{}, SimulateOptions{Walks: 3, Depth: 2}); r.Cut != 3 || r.Steps != 6 {
		t.Errorf("got %d walks cut after %d steps, want 3 after 6", r.Cut, r.Steps)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r, err := Simulate(ctx, System[cell](sys), Properties[cell]{}, SimulateOptions{})
	if err != nil || r.Verdict != Inconclusive || r.Stop != StopInterrupted {
		t.Errorf("cancelled: got %+v, %v", r, err)
	}
	ctx, cancel = context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	calls := 0
	r, err = Simulate(ctx, System[cell](sys), Properties[cell]{}, SimulateOptions{Interval: time.Millisecond, Progress: func(p SimulateProgress) {
		if p.Phase == "simulate" {
			calls++
		}
	}})
	if err != nil || r.Walks == 0 || r.Stop != StopInterrupted || calls == 0 {
		t.Errorf("interrupted: got %d walks, %s, %v, %d calls of Progress", r.Walks, r.Stop, err, calls)
	}
}

// TestSimulateKeepsToTheConstraint walks a grid of which a part is fenced off.
func TestSimulateKeepsToTheConstraint(t *testing.T) {
	fence := func(s *cell) bool { return s.x <= 4 || s.y <= 2 }
	inside := Properties[cell]{Constraint: fence, Invariants: []Invariant[cell]{{"Inside", fence}}}
	if r := mustSimulate(t, &grid{size: 9}, inside, SimulateOptions{Walks: 300}); r.Verdict != Inconclusive {
		t.Errorf("got %s, %v: a walk left the constraint", r.Verdict, r.Violations)
	}
	// A state whose only fair steps lead outside is not quiescent.
	cut := Properties[cell]{Constraint: func(s *cell) bool { return s.x+s.y < 4 }, Recurrent: []Recurrent[cell]{{"R", func(*cell) uint64 { return 1 }}}}
	if r := mustSimulate(t, &grid{size: 9}, cut, SimulateOptions{Walks: 300}); r.Quiescent != 0 || r.Verdict != Inconclusive || r.Longest != 3 {
		t.Errorf("got %d quiescent states, %s, longest walk %d; want 0, inconclusive, 3", r.Quiescent, r.Verdict, r.Longest)
	}
}

func TestSimulatePanic(t *testing.T) {
	r, err := Simulate(context.Background(), System[cell](&grid{size: 9, panicAt: 11}), Properties[cell]{}, SimulateOptions{Walks: 600, Workers: 2})
	var p *PanicError
	if !errors.As(err, &p) || p.Where != "walk" || p.Depth != 11 || r.Stop != StopPanic {
		t.Fatalf("got %v, %+v", err, r)
	}
	if n := len(r.PanicTrace); n != 12 || r.PanicTrace[11].State.x+r.PanicTrace[11].State.y != 11 {
		t.Errorf("got a trace of %d states, want 12 up to the one that panics", n)
	}
}

// TestSimulateAgainstCheck takes random graphs: what simulation finds is a behaviour
// that violates the property, and shrunk it is as short as the shortest one; and where
// a search finds nothing, there is nothing to find.
func TestSimulateAgainstCheck(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, props := drawCase(t)
		full, err := Check(context.Background(), System[node](g), props, Options{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		shortest := map[string]int{}
		for _, v := range full.Violations {
			if v.LoopStart < 0 {
				shortest[v.Property] = v.Depth
			}
		}
		r, err := Simulate(context.Background(), System[node](g), props, SimulateOptions{Walks: 200, Depth: 40, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range r.Violations {
			want, ok := shortest[v.Property]
			if !ok {
				t.Fatalf("%s: found %v, and a search finds nothing", v.Property, path(v.Trace))
			}
			if v.Depth != want || len(v.Trace) != want+1 || v.Walked < want {
				t.Fatalf("%s: %d steps shrunk to %v, want %d steps", v.Property, v.Walked, path(v.Trace), want)
			}
			if !behaviour(g, v.Trace) {
				t.Fatalf("%s: %v is no behaviour", v.Property, path(v.Trace))
			}
		}
	})
}

// drawCase is a random graph with one initial state, and properties of each kind. No
// violation ends anything, so that all are compared.
func drawCase(t *rapid.T) (*graph, Properties[node]) {
	n := rapid.IntRange(2, 14).Draw(t, "nodes")
	g := &graph{init: []int{0}, edges: make([][]graphEdge, n), fair: rapid.Uint64Range(0, 63).Draw(t, "fair")}
	for i := range g.edges {
		for range rapid.IntRange(0, 3).Draw(t, "out") {
			g.edges[i] = append(g.edges[i], graphEdge{rapid.IntRange(0, n-1).Draw(t, "to"), Action(rapid.IntRange(0, 5).Draw(t, "action"))})
		}
	}
	some := func(label string) []int {
		return rapid.SliceOfN(rapid.IntRange(0, n-1), 1, 2).Draw(t, label)
	}
	from, to := some("from"), some("to")
	props := Properties[node]{
		Invariants: []Invariant[node]{at("I", some("bad")...)},
		Actions: []ActionProperty[node]{{"A", func(s *node, _ Action, t *node) bool {
			return !slices.Contains(from, s.n) || !slices.Contains(to, t.n)
		}}},
		Recurrent:     []Recurrent[node]{outstandingAt("R", some("waiting")...)},
		CheckDeadlock: true,
		Deferred:      map[string]bool{"I": true, "A": true, "R": true, "Deadlock": true},
	}
	return g, props
}

// behaviour reports whether each step of a trace is one of the graph.
func behaviour(g *graph, tr []Step[node]) bool {
	ok := slices.Contains(g.init, tr[0].State.n)
	for i := 1; i < len(tr); i++ {
		ok = ok && slices.Contains(g.edges[tr[i-1].State.n], graphEdge{tr[i].State.n, tr[i].Action})
	}
	return ok
}

// counters is a system with too many states to search: many counters, of which two
// matter, and only in one order.
type counters struct{ n int }

type counts struct{ c [16]uint8 }

func (m *counters) Init(yield func(*counts)) { yield(&counts{}) }
func (m *counters) Next(s, t *counts, yield func(Action)) {
	for i := range m.n {
		if s.c[i] < 40 {
			*t = *s
			t.c[i]++
			// The second one counts only once the first has come to 3.
			if i == 1 && s.c[0] < 3 {
				t.c[1] = 0
			}
			yield(Action(i))
		}
	}
}
func (m *counters) Words() int { return 2 }
func (m *counters) Encode(s *counts, dst []uint64) {
	clear(dst)
	for i, c := range s.c {
		dst[i/8] |= uint64(c) << (i % 8 * 8)
	}
}
func (m *counters) Decode(src []uint64, s *counts) {
	for i := range s.c {
		s.c[i] = uint8(src[i/8] >> (i % 8 * 8))
	}
}
func (m *counters) Kinds() []string  { return []string{"count"} }
func (m *counters) Kind(Action) int  { return 0 }
func (m *counters) Fair(Action) bool { return true }

// TestShrinkLeavesNoise: in a space that no search exhausts a long walk is shrunk to the
// steps that matter. The shortest violation is known: 3 and 4 steps.
func TestShrinkLeavesNoise(t *testing.T) {
	props := Properties[counts]{Invariants: []Invariant[counts]{{"I", func(s *counts) bool { return s.c[1] < 4 }}}}
	for seed := range uint64(5) {
		o := SimulateOptions{Seed: seed, Walks: roundWalks}
		o.noShrink = true
		long := mustSimulate(t, &counters{16}, props, o)
		o.noShrink = false
		r := mustSimulate(t, &counters{16}, props, o)
		if len(r.Violations) != 1 || r.Violations[0].Depth != 7 {
			t.Fatalf("seed %d: got %+v, want a violation shrunk to 7 steps", seed, r.Violations)
		}
		walked := long.Violations[0]
		if walked.Walk != r.Violations[0].Walk || walked.Depth != r.Violations[0].Walked || walked.Depth < 20 {
			t.Errorf("seed %d: got walk %d with %d steps, shrunk walk %d with %d", seed, walked.Walk, walked.Depth, r.Violations[0].Walk, r.Violations[0].Walked)
		}
	}
}

// TestShrinkWithoutSearch shrinks by executions alone, of which each kind is needed.
func TestShrinkWithoutSearch(t *testing.T) {
	props := Properties[counts]{Invariants: []Invariant[counts]{{"I", func(s *counts) bool { return s.c[1] < 4 }}}}
	sys := System[counts](&counters{16})
	o := SimulateOptions{Seed: 3, Walks: roundWalks, noShrink: true}
	v := mustSimulate(t, sys, props, o).Violations[0]
	w := &walked{}
	for i := range v.Trace {
		words := make([]uint64, sys.Words())
		sys.Encode(&v.Trace[i].State, words)
		if w.states = append(w.states, words); i > 0 {
			w.actions = append(w.actions, v.Trace[i].Action)
		}
	}
	sh := newShrinker(sys, &props, 0, w)
	if !sh.leaveOut(context.Background()) || len(sh.best.actions) != 7 {
		t.Errorf("leaving out: got %v, want 7 actions", sh.best.actions)
	}
	if got := fmt.Sprint(sh.best.actions); got != "[0 0 0 1 1 1 1]" {
		t.Errorf("got %s, want three times 0 and then four times 1", got)
	}
	// One that has been executed is the same when it is executed again.
	again, ok := sh.execute(0, sh.best.actions, false)
	if !ok || !reflect.DeepEqual(again, sh.best) {
		t.Errorf("executed again: got %+v, %v, want %+v", again, ok, sh.best)
	}
}

// TestWalksDoNotAllocate: what a walker needs it has from the beginning. Only the system
// makes something, its initial state.
func TestWalksDoNotAllocate(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector allocates")
	}
	props := Properties[cell]{
		Invariants: []Invariant[cell]{{"I", func(s *cell) bool { return s.x >= 0 }}},
		Actions:    []ActionProperty[cell]{{"A", func(s *cell, a Action, t *cell) bool { return t.x >= s.x }}},
		Recurrent:  []Recurrent[cell]{{"R", func(s *cell) uint64 { return 0 }}},
	}
	s, err := newSimulation(System[cell](&grid{size: 50}), props, SimulateOptions{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	w, i := s.walkers[0], uint64(0)
	if n := testing.AllocsPerRun(100, func() { w.walk(i); i++ }); n > 1 {
		t.Errorf("a walk of 100 steps allocates %v times, want 1", n)
	}
	if w.taken != 100*w.walks {
		t.Errorf("got %d steps in %d walks, want 100 each", w.taken, w.walks)
	}
}

// BenchmarkSimulateGrid measures walks through a model that costs next to nothing.
func BenchmarkSimulateGrid(b *testing.B) {
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprint(workers), func(b *testing.B) {
			b.ReportAllocs()
			var walks, steps uint64
			for b.Loop() {
				r := mustSimulate(b, &grid{size: 50}, Properties[cell]{}, SimulateOptions{Walks: 4 * roundWalks, Workers: workers})
				walks, steps = walks+r.Walks, steps+r.Steps
			}
			b.ReportMetric(float64(walks)/b.Elapsed().Seconds(), "walks/s")
			b.ReportMetric(float64(steps)/b.Elapsed().Seconds(), "steps/s")
		})
	}
}
