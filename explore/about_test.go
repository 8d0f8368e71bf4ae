package explore

import (
	"context"
	"testing"
)

// bare is a system that says nothing of its actions: a counter up to three.
type bare struct{}

func (bare) Init(yield func(*node)) { yield(&node{}) }
func (bare) Next(s, t *node, yield func(Action)) {
	if s.n < 3 {
		t.n = s.n + 1
		yield(Action(s.n))
	}
}
func (bare) Words() int                    { return 1 }
func (bare) Encode(s *node, dst []uint64)  { dst[0] = uint64(s.n) }
func (bare) Decode(src []uint64, s *node)  { s.n = int(src[0]) }
func (bare) MeasureWords() int             { return 1 }
func (bare) Measure(s *node, dst []uint64) { dst[0] = uint64(s.n) }

func onTheWay(s *node) uint64 {
	if s.n < 3 {
		return 1
	}
	return 0
}

// willing is a bare system all of whose actions are fair.
type willing struct{ bare }

func (willing) Fair(Action) bool { return true }

// TestNothingSaidOfActions: all actions are of one kind, and none is fair, so that the
// system may stop anywhere.
func TestNothingSaidOfActions(t *testing.T) {
	props := Properties[node]{Recurrent: []Recurrent[node]{{"arrives", onTheWay}}}
	r := mustCheck[node](t, bare{}, props, Options{})
	if r.Verdict != Violated || r.Violations[0].Depth != 0 {
		t.Errorf("got %s %+v, want that it may stay where it is", r.Verdict, r.Violations)
	}
	if r := mustCheck[node](t, willing{}, props, Options{}); r.Verdict != Holds {
		t.Errorf("got %s, want that it goes on when its actions are fair", r.Verdict)
	}
	leads := Properties[node]{Temporal: []Temporal[node]{{Name: "arrives", Kind: Eventually, P: func(s *node) bool { return s.n == 3 }}}}
	if r := mustCheck[node](t, bare{}, leads, Options{}); r.Verdict != Violated {
		t.Errorf("got %s without fairness, want violated", r.Verdict)
	}
	leads.Fairness = []Fairness{{}}
	r = mustCheck[node](t, bare{}, leads, Options{})
	if r.Verdict != Holds {
		t.Errorf("got %s with the fairness of the properties, want holds", r.Verdict)
	}
	if len(r.Coverage) != 1 || r.Coverage[0] != (Coverage{Kind: "step", Generated: 3, Effective: 3}) {
		t.Errorf("got coverage %+v, want one kind, step, of three steps", r.Coverage)
	}
	walks, err := Simulate(context.Background(), bare{}, Properties[node]{Invariants: []Invariant[node]{at("two", 2)}}, SimulateOptions{Walks: 1})
	if err != nil || walks.Verdict != Violated || len(walks.Violations[0].Trace) != 3 {
		t.Errorf("got %+v, %v, want a walk to 2", walks, err)
	}
}
