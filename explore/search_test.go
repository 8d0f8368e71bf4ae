package explore

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// diamond has a join (3), a stuttering step (at 1) and two initial states.
func diamond() *graph {
	return &graph{
		init:  []int{0, 5, 0},
		edges: [][]graphEdge{{{2, 1}, {1, 2}}, {{3, 1}, {1, 0}}, {{3, 4}, {3, 2}}, {{4, 0}}, {}, {{4, 1}}},
		fair:  ^uint64(0),
	}
}

func TestCounts(t *testing.T) {
	r := mustCheck(t, diamond(), Properties[node]{}, Options{})
	if r.Verdict != Holds || r.Distinct != 6 || r.Generated != 11 || r.Depth != 3 {
		t.Errorf("got %s, %d distinct, %d generated, depth %d, want holds, 6, 11, 3", r.Verdict, r.Distinct, r.Generated, r.Depth)
	}
	if want := []uint64{2, 3, 1}; !slices.Equal(r.Levels, want) {
		t.Errorf("levels %v, want %v", r.Levels, want)
	}
	want := []Coverage{{"even", true, 5, 4}, {"odd", true, 3, 3}}
	if !slices.Equal(r.Coverage, want) {
		t.Errorf("coverage %v, want %v", r.Coverage, want)
	}
	if r.Quiescent != 1 || r.Covered != 2 || r.Stop != StopNone || r.Reason != "" {
		t.Errorf("got quiescent %d, covered %d, stop %q, reason %q", r.Quiescent, r.Covered, r.Stop, r.Reason)
	}
}

func TestViolationsAreShortestAndSmallest(t *testing.T) {
	p := Properties[node]{Invariants: []Invariant[node]{at("later", 4), at("either", 2, 1)}}
	r := mustCheck(t, diamond(), p, Options{})
	if r.Verdict != Violated || len(r.Violations) != 2 {
		t.Fatalf("got %s with %d violations, want violated with 2", r.Verdict, len(r.Violations))
	}
	for i, want := range [][]int{{5, 4}, {0, 1}} {
		if got := path(r.Violations[i].Trace); !slices.Equal(got, want) || r.Violations[i].Depth != 1 {
			t.Errorf("%s: trace %v at depth %d, want %v at 1", r.Violations[i].Property, got, r.Violations[i].Depth, want)
		}
	}

	// The smallest predecessor, and for it the smallest action.
	p = Properties[node]{Invariants: []Invariant[node]{at("three", 3)}}
	r = mustCheck(t, diamond(), p, Options{})
	v := r.Violations[0]
	if got := path(v.Trace); !slices.Equal(got, []int{0, 1, 3}) {
		t.Errorf("trace %v, want 0 1 3", got)
	}
	if v.Trace[0].Action != 0 || v.Trace[1].Action != 2 || v.Trace[2].Action != 1 {
		t.Errorf("actions of %v, want 0 2 1", v.Trace)
	}
	two := &graph{init: []int{0}, edges: [][]graphEdge{{{1, 5}, {1, 2}, {1, 3}}, {}}}
	r = mustCheck(t, two, Properties[node]{Invariants: []Invariant[node]{at("one", 1)}}, Options{})
	if a := r.Violations[0].Trace[1].Action; a != 2 {
		t.Errorf("action %d, want the smallest, 2", a)
	}
	if v.Kind != KindInvariant || v.LoopStart != -1 {
		t.Errorf("kind %s, loop %d", v.Kind, v.LoopStart)
	}
}

func TestInitialStateViolates(t *testing.T) {
	r := mustCheck(t, diamond(), Properties[node]{Invariants: []Invariant[node]{at("no 5", 5, 0)}}, Options{})
	v := r.Violations[0]
	if r.Verdict != Violated || v.Depth != 0 || !slices.Equal(path(v.Trace), []int{0}) || r.Distinct != 2 || r.Covered != -1 {
		t.Errorf("got %+v", r)
	}
}

func TestActionProperty(t *testing.T) {
	p := Properties[node]{Actions: []ActionProperty[node]{{"never into 3 but from 1 by 1", func(s *node, a Action, t *node) bool {
		if s.n == t.n {
			panic("stuttering step shown to an action property")
		}
		return t.n != 3 || s.n == 1 && a == 1
	}}}}
	r := mustCheck(t, diamond(), p, Options{})
	v := r.Violations[0]
	if v.Kind != KindAction || v.Depth != 2 || !slices.Equal(path(v.Trace), []int{0, 2, 3}) || v.Trace[2].Action != 2 {
		t.Errorf("got %+v", v)
	}
}

func TestDeadlock(t *testing.T) {
	p := Properties[node]{CheckDeadlock: true}
	r := mustCheck(t, diamond(), p, Options{})
	v := r.Violations[0]
	if v.Property != "Deadlock" || v.Kind != KindDeadlock || v.Depth != 1 || !slices.Equal(path(v.Trace), []int{5, 4}) {
		t.Errorf("got %+v", v)
	}
	g := diamond()
	g.edges[4] = []graphEdge{{4, 0}} // a stuttering step is a step
	if r := mustCheck(t, g, p, Options{}); r.Verdict != Holds || r.Quiescent != 1 {
		t.Errorf("got %s, %d quiescent", r.Verdict, r.Quiescent)
	}
}

func TestDeferred(t *testing.T) {
	p := Properties[node]{
		Invariants: []Invariant[node]{at("one", 1, 3), at("four", 3)},
		Deferred:   map[string]bool{"one": true},
		Reachable:  []Reachable[node]{{"nine", func(s *node) bool { return s.n == 9 }}},
	}
	r := mustCheck(t, diamond(), p, Options{})
	if len(r.Violations) != 2 || r.Violations[0].Property != "four" || r.Violations[1].Property != "one" || r.Violations[1].Depth != 1 {
		t.Errorf("got %+v", r.Violations)
	}
	p.Deferred["four"] = true
	r = mustCheck(t, diamond(), p, Options{})
	if len(r.Violations) != 3 || r.Violations[0].Property != "nine" || r.Violations[1].Property != "one" || r.Distinct != 6 {
		t.Errorf("got %+v", r.Violations)
	}
}

func TestReachable(t *testing.T) {
	is := func(n int) Reachable[node] {
		return Reachable[node]{fmt.Sprint("at ", n), func(s *node) bool { return s.n == n }}
	}
	p := Properties[node]{Reachable: []Reachable[node]{is(0), is(4), is(3)}}
	r := mustCheck(t, diamond(), p, Options{})
	if want := map[string]int{"at 0": 0, "at 4": 1, "at 3": 2}; r.Verdict != Holds || !reflect.DeepEqual(r.ReachableMet, want) {
		t.Errorf("got %s, %v, want holds, %v", r.Verdict, r.ReachableMet, want)
	}
	p.Reachable = append(p.Reachable, is(9))
	r = mustCheck(t, diamond(), p, Options{})
	if r.Verdict != Violated || r.Violations[0].Property != "at 9" || r.Violations[0].Kind != KindReachable || len(r.Violations[0].Trace) != 0 {
		t.Errorf("got %+v", r)
	}
	// Cut short: unknown.
	if r = mustCheck(t, diamond(), p, Options{MaxDepth: 1}); r.Verdict != Inconclusive || r.Stop != StopDepth {
		t.Errorf("got %+v", r)
	}
	p.Constraint = func(s *node) bool { return s.n != 3 }
	if r = mustCheck(t, diamond(), p, Options{}); r.Verdict != Inconclusive || r.Stop != StopConstraint {
		t.Errorf("got %+v", r)
	}
	// A violation before the end: nothing is said of what was not met.
	p.Invariants = []Invariant[node]{at("no 4", 4)}
	if r = mustCheck(t, diamond(), p, Options{}); len(r.Violations) != 1 || r.Violations[0].Property != "no 4" {
		t.Errorf("got %+v", r)
	}
}

func TestConstraint(t *testing.T) {
	p := Properties[node]{
		Constraint:    func(s *node) bool { return s.n != 0 },
		CheckDeadlock: true,
		Deferred:      map[string]bool{"Deadlock": true},
		Invariants:    []Invariant[node]{at("none")},
	}
	r := mustCheck(t, diamond(), p, Options{})
	// Of the initial states, 5 is inside and leads to 4, and 0 is outside.
	if r.Distinct != 2 || r.Outside != 1 || r.Depth != 2 || r.Generated != 4 || r.Quiescent != 1 || len(r.Violations) != 1 || r.Violations[0].Depth != 1 {
		t.Errorf("got %+v", r)
	}
}

func TestLimits(t *testing.T) {
	g := &grid{size: 100}
	r := mustCheck(t, g, Properties[cell]{}, Options{MaxStates: 50})
	// 45 states up to depth 8, 55 up to depth 9.
	if r.Verdict != Inconclusive || r.Stop != StopStates || r.Distinct != 55 || r.Covered != 8 || !strings.Contains(r.Reason, "50 distinct") || !strings.Contains(r.Reason, "depth 8") {
		t.Errorf("got %+v", r)
	}
	r = mustCheck(t, g, Properties[cell]{}, Options{MaxDepth: 7})
	if r.Verdict != Inconclusive || r.Stop != StopDepth || r.Depth != 8 || r.Covered != 6 {
		t.Errorf("got %+v", r)
	}
	// The limits do not count when nothing is left to do.
	if r = mustCheck(t, g, Properties[cell]{}, Options{MaxDepth: 201, MaxStates: 101 * 101}); r.Verdict != Holds {
		t.Errorf("got %+v", r)
	}
	r = mustCheck(t, &grid{size: 400}, Properties[cell]{}, Options{MemoryLimit: 1 << 20, DiskLimit: 1 << 19})
	if r.Verdict != Inconclusive || r.Stop != StopDisk || r.Covered < 5 || r.StoreBytes > 1<<20+64<<10 {
		t.Errorf("got %s, stop %s, covered %d, %d bytes", r.Verdict, r.Stop, r.Covered, r.StoreBytes)
	}
	for _, st := range []StoreKind{StoreHash64, StoreHash128} {
		r = mustCheck(t, &grid{size: 400}, Properties[cell]{}, Options{MemoryLimit: 2 << 20, Store: st})
		if r.Verdict != Inconclusive || r.Stop != StopMemory || r.Covered < 5 || r.StoreBytes > 2<<20+64<<10 {
			t.Errorf("%s: got %s, stop %s, covered %d, %d bytes", st, r.Verdict, r.Stop, r.Covered, r.StoreBytes)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if r, err := Check(ctx, g, Properties[cell]{}, Options{}); err != nil || r.Verdict != Inconclusive || r.Stop != StopInterrupted || r.Covered != -1 {
		t.Errorf("got %+v, %v", r, err)
	}
}

func TestProgressAndInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	calls := 0
	r, err := Check(ctx, &grid{size: 5000}, Properties[cell]{}, Options{Interval: time.Millisecond, Progress: func(p Progress) {
		if calls++; calls == 5 {
			cancel()
		}
		if p.Phase != "search" || p.Bytes == 0 && p.Distinct != 0 || p.Expanded > p.Frontier {
			t.Errorf("progress %+v", p)
		}
	}})
	if err != nil || r.Stop != StopInterrupted || calls < 5 {
		t.Errorf("got %+v, %v after %d calls", r, err, calls)
	}
}

func TestPanic(t *testing.T) {
	for _, workers := range []int{1, 2, 8} {
		r, err := Check(context.Background(), &grid{size: 60, panicAt: 50}, Properties[cell]{}, Options{Workers: workers})
		var p *PanicError
		if !errors.As(err, &p) {
			t.Fatalf("got %v, want a *PanicError", err)
		}
		// The smallest encoding has the smallest x*7919+3 mod 1009.
		if p.Where != "next" || p.Depth != 50 || p.Error() != "model panicked in next, in a state at depth 50: cell 46,4" {
			t.Errorf("got %v", p)
		}
		if n := len(r.PanicTrace); n != 51 || r.PanicTrace[50].State != (cell{46, 4}) || r.Stop != StopPanic || len(p.Stack) == 0 {
			t.Errorf("got a trace of %d states, stop %q", n, r.Stop)
		}
		if errors.Unwrap(err) == nil {
			t.Error("the panic's own error is not wrapped")
		}

		inv := Invariant[cell]{"I", func(s *cell) bool {
			if s.x+s.y == 20 {
				panic("invariant")
			}
			return true
		}}
		r, err = Check(context.Background(), &grid{size: 60}, Properties[cell]{Invariants: []Invariant[cell]{inv}}, Options{Workers: workers})
		if !errors.As(err, &p) || p.Where != "properties" || p.Depth != 20 || len(r.PanicTrace) != 21 || r.PanicTrace[20].State != (cell{0, 20}) {
			t.Errorf("got %v", err)
		}
	}
	_, err := Check(context.Background(), &graph{init: []int{0}, edges: [][]graphEdge{{{7, 0}}}}, Properties[node]{}, Options{})
	if err == nil || !strings.Contains(err.Error(), "index out of range") {
		t.Errorf("got %v", err)
	}
}

func TestQuiescentLiveness(t *testing.T) {
	g := &measuredGraph{graph{
		init:  []int{0},
		edges: [][]graphEdge{{{2, 1}, {1, 2}}, {{4, 1}, {1, 0}}, {{3, 4}, {3, 2}}, {{4, 0}}, {}},
		fair:  ^uint64(0),
	}}
	p := Properties[node]{Recurrent: []Recurrent[node]{outstandingAt("done", 0, 1, 2, 3)}}
	r := mustCheck(t, g, p, Options{})
	if r.Verdict != Holds || r.Liveness != MethodQuiescent || r.Quiescent != 1 {
		t.Errorf("got %+v", r)
	}
	p.Recurrent = append(p.Recurrent, outstandingAt("four", 4))
	r = mustCheck(t, g, p, Options{})
	v := r.Violations[0]
	if r.Verdict != Violated || v.Property != "four" || v.Bits != 1 || v.LoopStart != -1 || v.Kind != KindLiveness || v.Depth != 2 || !slices.Equal(path(v.Trace), []int{0, 1, 4}) {
		t.Errorf("got %+v", r)
	}
	// Without fairness of action 0, state 3 may last for ever too.
	g.fair &^= 1
	p.Recurrent[1] = outstandingAt("three", 3)
	r = mustCheck(t, g, p, Options{})
	if len(r.Violations) != 2 || r.Violations[0].Property != "done" || r.Violations[0].Depth != 2 || !slices.Equal(path(r.Violations[1].Trace), []int{0, 2, 3}) {
		t.Errorf("got %+v", r)
	}
	// A constraint leaves it open.
	g.fair |= 1
	p.Constraint = func(s *node) bool { return s.n != 3 }
	r = mustCheck(t, g, p, Options{})
	if r.Verdict != Inconclusive || r.Stop != StopConstraint {
		t.Errorf("got %+v", r)
	}
}

func TestDeterminism(t *testing.T) {
	p := Properties[cell]{
		Invariants: []Invariant[cell]{
			{"I1", func(s *cell) bool { return s.x+s.y < 61 || s.x%3 != 1 }},
			{"I2", func(s *cell) bool { return s.x*s.y < 500 }},
		},
		Actions:   []ActionProperty[cell]{{"A", func(s *cell, a Action, t *cell) bool { return s.x+s.y != 60 || a == 0 || s.y%5 != 2 }}},
		Recurrent: []Recurrent[cell]{{"R", func(s *cell) uint64 { return 1 }}},
		Reachable: []Reachable[cell]{{"far", func(s *cell) bool { return s.x == 31 && s.y == 7 }}},
		Deferred:  map[string]bool{"I2": true},
	}
	var want *Result[cell]
	for _, st := range []StoreKind{StoreExact, StoreHash64, StoreHash128} {
		for _, workers := range []int{1, 2, 3, 8} {
			for range 5 {
				r := mustCheck(t, &grid{size: 200, width: 2}, p, Options{Workers: workers, Store: st})
				r.Elapsed, r.StoreBytes, r.DiskBytes, r.Workers, r.Store, r.CollisionProbability = 0, 0, 0, 0, "", 0
				if want == nil {
					want = r
				}
				if !reflect.DeepEqual(r, want) {
					t.Fatalf("%s, %d workers: got\n%+v\nwant\n%+v", st, workers, r, want)
				}
			}
		}
	}
	if len(want.Violations) != 3 {
		t.Errorf("got %+v", want.Violations)
	}
}
