package explore

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// wf is weak fairness of some actions as one, sf strong fairness.
func wf(actions ...Action) Fairness {
	return Fairness{Of: func(a Action) bool { return slices.Contains(actions, a) }}
}

func sf(actions ...Action) Fairness {
	f := wf(actions...)
	f.Strong = true
	return f
}

// each is fairness of each action by itself.
func each(f Fairness) Fairness {
	f.By = EachAction
	return f
}

// isAt is the predicate of some nodes.
func isAt(nodes ...int) func(*node) bool {
	return func(s *node) bool { return slices.Contains(nodes, s.n) }
}

// TestTemporalModels has small models with known answers.
func TestTemporalModels(t *testing.T) {
	const ab, enter = 0, 1
	// A door that opens and closes, and somebody who may enter while it is open.
	door := [][]graphEdge{{{1, ab}}, {{0, ab}, {2, enter}}, {}}
	// Two ways that join, then the end.
	join := [][]graphEdge{{{1, 0}, {2, 1}}, {{3, 2}}, {{3, 3}}, {}}
	ring := [][]graphEdge{{{1, 0}}, {{2, 0}}, {{0, 0}}}
	// Process 1 goes round; process 2 could take its only step at any time.
	processes := [][]graphEdge{{{1, 1}, {2, 2}}, {{0, 1}, {2, 2}}, {}}
	// The way out is open at 1 only, and a behaviour may go round by 2 instead.
	bypass := [][]graphEdge{{{1, 0}, {2, 0}}, {{0, 0}, {3, 1}}, {{0, 0}}, {}}
	// The start is left for one of two rings; 5 has to follow 1.
	rings := [][]graphEdge{{{1, 0}, {3, 1}}, {{2, 0}}, {{4, 0}, {5, 1}}, {{0, 0}}, {{2, 0}}, {{5, 0}}}

	for _, c := range []struct {
		name  string
		edges [][]graphEdge
		fair  []Fairness
		prop  Temporal[node]
		want  []int // the trace; nil: holds
		loop  int   // -1: stutters
	}{
		{"weak fairness: the door may be closed each time", door, []Fairness{each(wf(ab, enter))},
			Temporal[node]{Kind: Eventually, P: isAt(2)}, []int{0, 1, 0}, 0},
		{"strong fairness: somebody enters", door, []Fairness{wf(ab), sf(enter)},
			Temporal[node]{Kind: Eventually, P: isAt(2)}, nil, 0},
		{"strong fairness alone: the door may stay closed", door, []Fairness{sf(enter)},
			Temporal[node]{Kind: Eventually, P: isAt(2)}, []int{0}, -1},
		{"strong fairness implies weak", door, []Fairness{sf(ab), sf(enter)},
			Temporal[node]{Kind: EventuallyAlways, P: isAt(2)}, nil, 0},

		{"join: no fairness", join, nil, Temporal[node]{Kind: Eventually, P: isAt(3)}, []int{0}, -1},
		{"join: one way is fair", join, []Fairness{wf(0, 1, 2)}, Temporal[node]{Kind: Eventually, P: isAt(3)}, []int{0, 2}, -1},
		{"join: the steps together", join, []Fairness{wf(0, 1, 2, 3)}, Temporal[node]{Kind: LeadsTo, P: isAt(0), Q: isAt(3)}, nil, 0},
		{"join: one of the ways", join, []Fairness{wf(0, 1, 2, 3)}, Temporal[node]{Kind: Eventually, P: isAt(1)}, []int{0, 2, 3}, -1},
		{"join: the end is for ever", join, []Fairness{wf(0, 1, 2, 3)}, Temporal[node]{Kind: EventuallyAlways, P: isAt(3)}, nil, 0},

		{"ring: comes back", ring, []Fairness{{}}, Temporal[node]{Kind: AlwaysEventually, P: isAt(0)}, nil, 0},
		{"ring: does not stay", ring, []Fairness{{}}, Temporal[node]{Kind: EventuallyAlways, P: isAt(0, 2)}, []int{0, 1, 2, 0}, 0},
		{"ring: may stop at once", ring, nil, Temporal[node]{Kind: LeadsTo, P: isAt(0), Q: isAt()}, []int{0}, -1},
		{"ring: may stop", ring, nil, Temporal[node]{Kind: AlwaysEventually, P: isAt(0)}, []int{0, 1}, -1},

		{"processes: fair as one", processes, []Fairness{{}}, Temporal[node]{Kind: Eventually, P: isAt(2)}, []int{0, 1, 0}, 0},
		{"processes: each fair", processes, []Fairness{{By: EachAction}}, Temporal[node]{Kind: Eventually, P: isAt(2)}, nil, 0},
		{"processes: the other one fair", processes, []Fairness{wf(1)}, Temporal[node]{Kind: Eventually, P: isAt(2)}, []int{0, 1, 0}, 0},

		{"bypass: the states with the way out are left", bypass, []Fairness{wf(0), sf(1)},
			Temporal[node]{Kind: Eventually, P: isAt(3)}, []int{0, 2, 0}, 0},
		{"bypass: 1 again and again", bypass, []Fairness{wf(0), sf(1)},
			Temporal[node]{Kind: EventuallyAlways, P: isAt(0, 2, 3)}, nil, 0},

		{"rings: from 1", rings, []Fairness{{}}, Temporal[node]{Kind: LeadsTo, P: isAt(1), Q: isAt(5)}, []int{0, 1, 2, 4, 2}, 2},
		{"rings: strong", rings, []Fairness{{}, sf(1)}, Temporal[node]{Kind: LeadsTo, P: isAt(1), Q: isAt(5)}, nil, 0},
		{"rings: from 3", rings, []Fairness{{}, sf(1)}, Temporal[node]{Kind: LeadsTo, P: isAt(3), Q: isAt(5)}, []int{0, 3, 0, 3}, 1},
		{"rings: by way of Q", rings, []Fairness{{}}, Temporal[node]{Kind: LeadsTo, P: isAt(1), Q: isAt(2, 5)}, nil, 0},
	} {
		g := &graph{init: []int{0}, edges: c.edges}
		c.prop.Name = "T"
		r := mustCheck(t, g, Properties[node]{Temporal: []Temporal[node]{c.prop}, Fairness: c.fair}, Options{})
		if c.want == nil {
			if r.Verdict != Holds || r.Stop != StopNone {
				t.Errorf("%s: got %s, %+v, want holds", c.name, r.Verdict, r.Violations)
			}
			continue
		}
		if r.Verdict != Violated || len(r.Violations) != 1 {
			t.Errorf("%s: got %s, %+v, want one violation", c.name, r.Verdict, r.Violations)
			continue
		}
		v := r.Violations[0]
		if v.Property != "T" || v.Kind != KindTemporal || v.LoopStart != c.loop || !slices.Equal(path(v.Trace), c.want) {
			t.Errorf("%s: got %s, trace %v, loop at %d, want %v, %d", c.name, v.Property, path(v.Trace), v.LoopStart, c.want, c.loop)
		}
	}
}

// Steps that stutter do not enable an action, nor take it, and what the system calls fair
// is fair.
func TestTemporalStuttering(t *testing.T) {
	g := &graph{init: []int{0}, edges: [][]graphEdge{{{0, 0}, {1, 1}}, {{1, 0}, {1, 1}}}, fair: 1 << 0}
	p := Properties[node]{Temporal: []Temporal[node]{{Name: "leaves 0", Kind: Eventually, P: isAt(1)}}}
	r := mustCheck(t, g, p, Options{})
	if len(r.Violations) != 1 || !slices.Equal(path(r.Violations[0].Trace), []int{0}) || r.Violations[0].LoopStart != -1 || r.Violations[0].Depth != 0 {
		t.Errorf("only the stuttering action fair: got %+v", r)
	}
	g.fair = 1 << 1
	if r = mustCheck(t, g, p, Options{}); r.Verdict != Holds {
		t.Errorf("got %+v", r)
	}
}

// TestTemporalSmallest has many counterexamples that are equally short: the one with the
// smallest states is promised, whatever their ids and the order of the steps.
func TestTemporalSmallest(t *testing.T) {
	const wide, shift = 300, 11
	g := &graph{init: []int{0}, edges: make([][]graphEdge, 2*wide+1)}
	smallest := 0 // of the nodes that lead to wide+1
	for i := wide; i > 0; i-- {
		g.edges[0] = append(g.edges[0], graphEdge{i, 9}, graphEdge{i, Action(i % 3)}, graphEdge{i, 8})
		for k := range 5 {
			end := wide + 1 + (i*7+k+shift)%wide
			g.edges[i] = append(g.edges[i], graphEdge{end, Action(5 - k)})
			if end == wide+1 {
				smallest = i
			}
		}
	}
	p := Properties[node]{
		Fairness: []Fairness{{}},
		Temporal: []Temporal[node]{
			{Name: "leads nowhere", Kind: LeadsTo, P: isAt(0), Q: isAt()},
			{Name: "ends nowhere", Kind: AlwaysEventually, P: isAt()},
		},
		Deferred: map[string]bool{"leads nowhere": true, "ends nowhere": true},
	}
	for _, workers := range []int{1, 2, 7} {
		r := mustCheck(t, g, p, Options{Workers: workers, alwaysShare: true})
		if len(r.Violations) != 2 {
			t.Fatalf("%d workers: got %v", workers, r.Violations)
		}
		for _, v := range r.Violations {
			if !slices.Equal(path(v.Trace), []int{0, smallest, wide + 1}) || v.Trace[1].Action != Action(smallest%3) {
				t.Errorf("%d workers, %s: got %v, want 0, %d by %d, %d", workers, v.Property, v.Trace, smallest, smallest%3, wide+1)
			}
		}
	}
}

// TestTemporalLarge has one component of many states, and runs with every number of
// workers.
func TestTemporalLarge(t *testing.T) {
	inside := func(s *cell) bool { return s.x+s.y != 0 }
	home := func(s *cell) bool { return s.x+s.y == 0 }
	p := Properties[cell]{
		Temporal: []Temporal[cell]{
			{Name: "comes home", Kind: AlwaysEventually, P: home},
			{Name: "leaves and comes back", Kind: LeadsTo, P: inside, Q: home},
			{Name: "settles", Kind: EventuallyAlways, P: inside},
			{Name: "meets the corner", Kind: LeadsTo, P: func(s *cell) bool { return s.x == 30 && s.y == 30 }, Q: func(s *cell) bool { return s.x == 60 && s.y == 0 }},
		},
		Deferred: map[string]bool{"settles": true, "meets the corner": true},
	}
	var want *Result[cell]
	for _, workers := range []int{1, 2, 8} {
		r := mustCheck(t, &grid{size: 60, cyclic: true}, p, Options{Workers: workers, alwaysShare: true})
		r.Elapsed, r.StoreBytes, r.Workers = 0, 0, 0
		if want == nil {
			want = r
		}
		if !reflect.DeepEqual(r, want) {
			t.Errorf("%d workers: got\n%+v, want\n%+v", workers, r, want)
		}
	}
	if len(want.Violations) != 2 || want.Components != 1 {
		t.Fatalf("got %+v", want)
	}
	if v := want.Violations[0]; v.Property != "settles" || v.LoopStart != 0 || len(v.Trace) != 122 {
		t.Errorf("got %s, loop at %d, %d states, want settles, 0, 122", v.Property, v.LoopStart, len(v.Trace))
	}
	if v := want.Violations[1]; v.Property != "meets the corner" || v.LoopStart != 60 || len(v.Trace) != 182 {
		t.Errorf("got %s, loop at %d, %d states, want meets the corner, 60, 182", v.Property, v.LoopStart, len(v.Trace))
	}
}

// A constraint that only cuts off unfair steps leaves the properties decidable. One that
// cuts off a fair step does not, but what is violated within it is violated.
func TestTemporalConstraint(t *testing.T) {
	g := &graph{init: []int{0}, edges: [][]graphEdge{{{1, 0}, {2, 1}}, {{0, 0}}, {}}}
	p := Properties[node]{
		Constraint: func(s *node) bool { return s.n != 2 },
		Temporal:   []Temporal[node]{{Name: "comes to 1", Kind: AlwaysEventually, P: isAt(1)}},
	}
	for _, c := range []struct {
		fair []Fairness
		want Verdict
		stop Stop
	}{
		{[]Fairness{wf(0)}, Holds, StopNone},
		{[]Fairness{wf(0), sf(1)}, Inconclusive, StopConstraint},
		{[]Fairness{wf(0, 1)}, Inconclusive, StopConstraint},
		{[]Fairness{wf(1)}, Inconclusive, StopConstraint}, // may not stay in 0
		{nil, Violated, StopNone},
	} {
		p.Fairness = c.fair
		r := mustCheck(t, g, p, Options{})
		if r.Verdict != c.want || r.Stop != c.stop || (r.Reason == "") != (c.stop == StopNone) {
			t.Errorf("%d conditions: got %s (%s: %s), want %s (%s)", len(c.fair), r.Verdict, r.Stop, r.Reason, c.want, c.stop)
		}
	}
	p.Fairness = []Fairness{sf(1)}
	p.Temporal[0] = Temporal[node]{Name: "stays in 0", Kind: EventuallyAlways, P: isAt(0)}
	if r := mustCheck(t, g, p, Options{}); r.Verdict != Violated || !slices.Equal(path(r.Violations[0].Trace), []int{0, 1}) {
		t.Errorf("got %+v", r)
	}
	p.Constraint = func(s *node) bool { return false }
	if r := mustCheck(t, g, p, Options{}); r.Verdict != Inconclusive || r.Stop != StopEmpty || r.Distinct != 0 {
		t.Errorf("no state within the constraint: got %+v", r)
	}
}

// TestTemporalLimits has runs that cannot decide the properties.
func TestTemporalLimits(t *testing.T) {
	g := &grid{size: 60, cyclic: true}
	p := Properties[cell]{Temporal: []Temporal[cell]{{Name: "comes home", Kind: AlwaysEventually, P: func(s *cell) bool { return s.x+s.y == 0 }}}}
	whole := mustCheck(t, g, p, Options{})
	if whole.Verdict != Holds {
		t.Fatalf("got %+v", whole)
	}
	for _, c := range []struct {
		opt  Options
		stop Stop
		says string
	}{
		{Options{Store: StoreHash64}, StopStore, "exact"},
		{Options{MaxDepth: 100}, StopDepth, "depth"},
		{Options{MemoryLimit: whole.StoreBytes + 100}, StopMemory, "no room"},
		{Options{MemoryLimit: whole.StoreBytes * 2 / 3, SpillDir: t.TempDir()}, StopMemory, "disk"},
	} {
		r := mustCheck(t, g, p, c.opt)
		if r.Verdict != Inconclusive || r.Stop != c.stop || !strings.Contains(r.Reason, c.says) {
			t.Errorf("%+v: got %s (%s: %s), want %s with %q", c.opt, r.Verdict, r.Stop, r.Reason, c.stop, c.says)
		}
	}
}

// A run that is interrupted while it looks for components says so, and can go on.
func TestTemporalInterrupted(t *testing.T) {
	g := &grid{size: 60, cyclic: true}
	home := func(s *cell) bool { return s.x+s.y == 0 }
	of := func(p func(*cell) bool) Properties[cell] {
		return Properties[cell]{
			Recurrent: []Recurrent[cell]{{"R", func(s *cell) uint64 { return boolBit(!home(s)) }}},
			Temporal:  []Temporal[cell]{{Name: "T", Kind: EventuallyAlways, P: p}},
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	interrupt := func(s *cell) bool {
		cancel()
		time.Sleep(time.Millisecond) // until the run has noticed
		return home(s)
	}
	check := Checkpointing{Dir: t.TempDir(), Every: time.Hour}
	r, err := Check(ctx, g, of(interrupt), Options{Checkpoint: &check})
	if err != nil || r.Verdict != Inconclusive || r.Stop != StopInterrupted || r.Liveness != MethodComponents || r.Checkpoint == "" {
		t.Fatalf("got %+v, %v", r, err)
	}
	check.Resume = true
	got, want := mustCheck(t, g, of(home), Options{Checkpoint: &check}), mustCheck(t, g, of(home), Options{})
	if !reflect.DeepEqual(withoutFigures(got), withoutFigures(want)) || want.Verdict != Violated || want.Violations[0].Property != "T" {
		t.Errorf("got %s, want %s", gist(got), gist(want))
	}
}

// A panic of a predicate or of a fairness condition is returned, like others.
func TestTemporalPanic(t *testing.T) {
	g := &graph{init: []int{0}, edges: [][]graphEdge{{{1, 0}}, {}}}
	boom := errors.New("boom")
	for _, p := range []Properties[node]{
		{Temporal: []Temporal[node]{{Name: "T", Kind: Eventually, P: func(*node) bool { panic(boom) }}}},
		{Temporal: []Temporal[node]{{Name: "T", Kind: Eventually, P: isAt(1)}}, Fairness: []Fairness{{Of: func(Action) bool { panic(boom) }}}},
	} {
		_, err := Check(context.Background(), g, p, Options{})
		if p := new(PanicError); !errors.As(err, &p) || p.Where != "components" || !errors.Is(err, boom) {
			t.Errorf("got %v", err)
		}
	}
}

func TestTemporalMalformed(t *testing.T) {
	g := &graph{init: []int{0}, edges: [][]graphEdge{{}}}
	for _, c := range []struct {
		prop Temporal[node]
		says string
	}{
		{Temporal[node]{Name: "T", P: isAt(0)}, `kind ""`},
		{Temporal[node]{Name: "T", Kind: Eventually}, "no P"},
		{Temporal[node]{Name: "T", Kind: LeadsTo, P: isAt(0)}, "Q"},
		{Temporal[node]{Name: "T", Kind: AlwaysEventually, P: isAt(0), Q: isAt(0)}, "Q"},
	} {
		_, err := Check(context.Background(), g, Properties[node]{Temporal: []Temporal[node]{c.prop}}, Options{})
		if err == nil || !strings.Contains(err.Error(), `"T"`) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("got %v, want an error with %s", err, c.says)
		}
	}
}
