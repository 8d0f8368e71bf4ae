package explore

import (
	"context"
	"slices"
	"strings"
	"testing"
)

// kinds has one property of each kind, that holds or is met wherever anything is searched.
func kinds() map[Kind]Properties[node] {
	always := func(*node) bool { return true }
	return map[Kind]Properties[node]{
		"":            {},
		KindInvariant: {Invariants: []Invariant[node]{{"always", always}}},
		KindAction:    {Actions: []ActionProperty[node]{{"always", func(*node, Action, *node) bool { return true }}}},
		KindReachable: {Reachable: []Reachable[node]{{"anything", always}}},
		KindLiveness:  {Recurrent: []Recurrent[node]{outstandingAt("nowhere")}},
		KindTemporal: {Temporal: []Temporal[node]{
			{Name: "<>always", Kind: Eventually, P: always}, {Name: "[]<>always", Kind: AlwaysEventually, P: always},
			{Name: "<>[]always", Kind: EventuallyAlways, P: always}, {Name: "always ~> always", Kind: LeadsTo, P: always, Q: always},
		}},
		KindDeadlock: {CheckDeadlock: true},
		"observed":   {Observed: []Observed[node]{{"anything", always}}},
	}
}

// emptySystems have nothing to search, and what their runs say of it.
func emptySystems() map[string]*graph {
	edges := [][]graphEdge{{{1, 0}}, {{2, 0}}, {{1, 0}}}
	return map[string]*graph{
		"there is no initial state":                             {edges: edges, fair: 1},
		"no initial state is within the constraint (2 outside)": {init: []int{0, 2}, edges: edges, fair: 1},
	}
}

// inside keeps to node 1, which is no initial state of an empty system.
func inside(s *node) bool { return s.n == 1 }

// TestNothingVisited: a run that visits no state decides nothing, whatever is asked.
func TestNothingVisited(t *testing.T) {
	for why, g := range emptySystems() {
		for kind, p := range kinds() {
			p.Constraint = inside
			for _, opt := range []Options{{}, {Workers: 3}, {Store: StoreHash64}, {Store: StoreHash128}, {MaxDepth: 1, MaxStates: 1}} {
				r := mustCheck(t, g, p, opt)
				if r.Verdict != Inconclusive || r.Stop != StopEmpty || r.Reason != why+": nothing was searched" || len(r.Violations) != 0 {
					t.Errorf("%s, %q, %+v: got %s, %q: %s", why, kind, opt, r.Verdict, r.Stop, r.Reason)
				}
				if n := uint64(len(g.init)); r.Distinct != 0 || r.Depth != 0 || r.Outside != n || r.InitialOutside != n || r.Covered != -1 {
					t.Errorf("%s, %q: got %+v", why, kind, r)
				}
			}
		}
	}
}

// TestNothingVisitedViolates: what an initial state outside violates is violated.
func TestNothingVisitedViolates(t *testing.T) {
	g := &graph{init: []int{0, 2}, edges: [][]graphEdge{{{1, 0}}, {}, {}}, fair: 1}
	p := Properties[node]{Constraint: inside, Invariants: []Invariant[node]{at("not in 2", 2)}}
	if r := mustCheck(t, g, p, Options{}); r.Verdict != Violated || r.Stop != StopNone || !slices.Equal(path(r.Violations[0].Trace), []int{2}) {
		t.Errorf("got %+v", r)
	}
	p.Deferred = map[string]bool{"not in 2": true}
	if r := mustCheck(t, g, p, Options{}); r.Verdict != Violated || r.Stop != StopEmpty {
		t.Errorf("deferred: got %+v", r)
	}
	if r := mustSimulate(t, g, p, SimulateOptions{}); r.Verdict != Violated || r.Violations[0].Depth != 0 {
		t.Errorf("walks: got %+v", r)
	}
}

// TestCheckpointOfNothing: there is nothing to go on with.
func TestCheckpointOfNothing(t *testing.T) {
	for why, g := range emptySystems() {
		r := mustCheck(t, g, Properties[node]{Constraint: inside}, Options{Checkpoint: &Checkpointing{Dir: t.TempDir()}})
		if r.Stop != StopEmpty || r.Checkpoint != "" {
			t.Errorf("%s: got %q with the checkpoint %q", why, r.Stop, r.Checkpoint)
		}
	}
}

// TestWalksFromNowhere: walks without a state to begin with end, also when they have no
// number, and do not look at one that is none.
func TestWalksFromNowhere(t *testing.T) {
	for why, g := range emptySystems() {
		for kind, p := range kinds() {
			if kind == KindTemporal {
				continue // passed over
			}
			p.Constraint = inside
			p.Actions = append(p.Actions, ActionProperty[node]{"no step", func(*node, Action, *node) bool { return false }})
			for _, walks := range []uint64{0, 10, 10_000} {
				r := mustSimulate(t, g, p, SimulateOptions{Walks: walks})
				if r.Verdict != Inconclusive || r.Stop != StopEmpty || r.Reason != why+": nothing was searched" || r.Steps != 0 {
					t.Errorf("%s, %q: got %s, %q: %s, %d steps", why, kind, r.Verdict, r.Stop, r.Reason, r.Steps)
				}
				if len(g.init) == 0 && (r.Walks != 0 || len(r.ReachableMet) != 0 || r.Distinct != 0) {
					t.Errorf("%s, %q: got %d walks, met %v, %d states of a system that has none", why, kind, r.Walks, r.ReachableMet, r.Distinct)
				}
			}
		}
	}
}

// TestWalksCountOutside: steps that lead outside are counted, and not taken.
func TestWalksCountOutside(t *testing.T) {
	g := &graph{init: []int{0}, edges: [][]graphEdge{{{1, 0}, {2, 1}}, {}, {}}, fair: 1}
	not := func(n int) func(*node) bool { return func(s *node) bool { return s.n != n } }
	p := Properties[node]{Constraint: not(2), ConstraintParts: []Invariant[node]{{"not 2", not(2)}, {"not 1", not(1)}}}
	r := mustSimulate(t, g, p, SimulateOptions{Walks: 7})
	if r.Outside != 7 || !slices.Equal(r.OutsideOf, []uint64{7, 0}) || r.Steps != 7 || r.Stop != StopWalks {
		t.Errorf("got %d steps outside, %d taken, %s, want 7, 7, %s", r.Outside, r.Steps, r.Stop, StopWalks)
	}
	if r := mustSimulate(t, g, Properties[node]{}, SimulateOptions{Walks: 7}); r.Outside != 0 {
		t.Errorf("without a constraint: got %d steps outside", r.Outside)
	}
}

// TestConstraintAndKinds is the table of constraint.go: each kind of property under a
// constraint that cuts off nothing, what an unfair step leads to, what a fair one does, and
// an initial state.
func TestConstraintAndKinds(t *testing.T) {
	// Nodes 0 and 1 take turns. From 1, action 1 leads to 2, which is outside or not there.
	turns := func(init ...int) *graph {
		return &graph{init: init, edges: [][]graphEdge{{{1, 0}}, {{0, 0}, {2, 1}}, {{2, 1}}}}
	}
	type cut struct {
		name string
		g    *graph
		fair uint64
	}
	nothing := cut{"nothing", &graph{init: []int{0}, edges: [][]graphEdge{{{1, 0}}, {{0, 0}}, {}}}, 1}
	unfair, fair, initial := cut{"an unfair step", turns(0), 1}, cut{"a fair step", turns(0), 3}, cut{"an initial state", turns(0, 2), 1}
	properties := kinds()
	properties["unmet"] = Properties[node]{Reachable: []Reachable[node]{{"7", func(s *node) bool { return s.n == 7 }}}}
	properties["met outside"] = Properties[node]{Reachable: []Reachable[node]{{"2", func(s *node) bool { return s.n == 2 }}}}
	properties["violated"] = Properties[node]{Recurrent: []Recurrent[node]{outstandingAt("0 or 1", 0, 1)}}
	properties["temporal violated"] = Properties[node]{Temporal: []Temporal[node]{{Name: "7", Kind: Eventually, P: isAt(7)}}}
	want := map[Kind][4]Stop{ // StopNone: decided
		"": {}, KindInvariant: {}, KindAction: {}, KindReachable: {}, KindDeadlock: {}, "observed": {}, "violated": {}, "temporal violated": {},
		KindLiveness:  {"", "", StopConstraint, StopConstraint},
		KindTemporal:  {"", "", StopConstraint, StopConstraint},
		"unmet":       {"", StopConstraint, StopConstraint, StopConstraint},
		"met outside": {},
	}
	violated := []Kind{"violated", "temporal violated"}
	for kind, p := range properties {
		p.Constraint = func(s *node) bool { return s.n != 2 }
		for i, c := range []cut{nothing, unfair, fair, initial} {
			c.g.fair = c.fair
			r := mustCheck(t, c.g, p, Options{})
			stop, ok := want[kind]
			verdict := Holds
			switch {
			case stop[i] != StopNone:
				verdict = Inconclusive
			case slices.Contains(violated, kind), i == 0 && (kind == "unmet" || kind == "met outside"):
				verdict = Violated
			}
			if !ok || r.Verdict != verdict || r.Stop != stop[i] || (r.Reason == "") != (stop[i] == StopNone) {
				t.Errorf("%q, the constraint cuts off %s: got %s, %q (%s), want %s, %q", kind, c.name, r.Verdict, r.Stop, r.Reason, verdict, stop[i])
			}
			if outside := boolBit(i > 0); r.Outside != outside || r.InitialOutside != boolBit(i == 3) {
				t.Errorf("%q, %s: got %d outside, of these %d initial", kind, c.name, r.Outside, r.InitialOutside)
			}
			if i == 3 && r.Stop == StopConstraint && kind != "unmet" && !strings.Contains(r.Reason, "1 initial state is outside the constraint") {
				t.Errorf("%q: the reason is %q", kind, r.Reason)
			}
		}
	}
}

// TestObservedWithin: quiescent states are counted within the constraint, and one that a
// fair step takes outside is none.
func TestObservedWithin(t *testing.T) {
	g := &graph{init: []int{0, 3}, edges: [][]graphEdge{{{1, 0}, {2, 0}}, {{3, 0}}, {}, {}}, fair: 1}
	p := Properties[node]{
		Constraint: func(s *node) bool { return s.n != 3 },
		Observed:   []Observed[node]{{"any", func(*node) bool { return true }}},
	}
	if r := mustCheck(t, g, p, Options{}); r.Quiescent != 1 || r.Observed[0] != 1 || r.Outside != 1 {
		t.Errorf("got %d quiescent, observed %v, %d outside, want only node 2, and node 3 outside", r.Quiescent, r.Observed, r.Outside)
	}
}

// TestOutsideOf counts the states outside for each part of a constraint, in every store and
// for every number of workers.
func TestOutsideOf(t *testing.T) {
	x, y := func(s *cell) bool { return s.x < 5 }, func(s *cell) bool { return s.y < 3 }
	p := Properties[cell]{
		Constraint:      func(s *cell) bool { return x(s) && y(s) },
		ConstraintParts: []Invariant[cell]{{"x", x}, {"y", y}, {"idle", func(*cell) bool { return true }}},
	}
	for _, store := range []StoreKind{StoreExact, StoreHash64, StoreHash128} {
		for _, workers := range []int{1, 4} {
			r := mustCheck(t, &grid{size: 9}, p, Options{Store: store, Workers: workers})
			if r.Verdict != Holds || r.Distinct != 15 || r.Outside != 8 || !slices.Equal(r.OutsideOf, []uint64{3, 5, 0}) {
				t.Errorf("%s, %d workers: got %s, %d distinct, %d outside, %v, want holds, 15, 8, [3 5 0]", store, workers, r.Verdict, r.Distinct, r.Outside, r.OutsideOf)
			}
		}
	}
}

// TestEmptyCounter is a system with as many initial states as it is told, as a user writes
// one, and a formula that nothing can make true.
func TestEmptyCounter(t *testing.T) {
	never := Temporal[node]{Name: "<>FALSE", Kind: Eventually, P: func(*node) bool { return false }}
	for inits, want := range []Stop{StopEmpty, StopEmpty, StopNone} {
		g := &graph{edges: [][]graphEdge{{{1, 0}}, {{2, 0}}, {}}, fair: 1}
		for n := range inits {
			g.init = append(g.init, n)
		}
		r, err := Check(context.Background(), g, Properties[node]{Temporal: []Temporal[node]{never}, Constraint: func(s *node) bool { return s.n > 0 }}, Options{})
		if err != nil || r.Stop != want || (want == StopNone) != (r.Verdict == Violated) || r.Verdict == Holds {
			t.Errorf("%d initial states: got %s, %q (%s), %v, want the stop %q", inits, r.Verdict, r.Stop, r.Reason, err, want)
		}
	}
}
