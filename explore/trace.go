package explore

import (
	"fmt"
	"slices"
	"sort"

	"vsrcheck/explore/internal/store"
)

// A trace is rebuilt backwards, level by level: the states above the target are
// expanded once more, and the smallest one that leads to it is its predecessor. No
// parents are stored, which would cost memory for every state of every run, for
// the sake of the few states of one trace. Choosing the smallest predecessor also
// makes the trace independent of the order in which workers met the states.

// target is a trace under construction.
type target struct {
	rev  []edge // backwards, from the last state
	hash uint64 // of the state looked for, the last of rev
	pred predecessor
}

type predecessor struct {
	found  bool
	state  []uint64
	action Action
}

// offer keeps the smallest predecessor, and for it the smallest action.
func (p *predecessor) offer(state []uint64, a Action) {
	if p.found && !store.Less(state, p.state) {
		if store.Equal(state, p.state) && a < p.action {
			p.action = a
		}
		return
	}
	p.found = true
	p.state = append(p.state[:0], state...)
	p.action = a
}

// traces makes the violations of a result from the witnesses.
func (s *search[S]) traces(res *Result[S]) error {
	sort.SliceStable(s.witnesses, func(i, j int) bool {
		a, b := &s.witnesses[i], &s.witnesses[j]
		if da, db := s.deferred(a.slot), s.deferred(b.slot); da != db {
			return db
		}
		if a.depth != b.depth && !a.empty && !b.empty {
			return a.depth < b.depth
		}
		return a.slot < b.slot
	})
	steps, err := s.rebuild(s.witnesses)
	if err != nil {
		return err
	}
	for i := range s.witnesses {
		w := &s.witnesses[i]
		v := Violation[S]{Depth: w.depth, Bits: w.bits, Trace: steps[i], LoopStart: -1}
		v.Property, v.Kind = propertyAt(&s.props, w.slot)
		if v.Kind == KindLiveness && w.lasso == nil {
			v.Bits = s.props.Recurrent[w.slot-s.slots.recurrent].Outstanding(&v.Trace[len(v.Trace)-1].State)
		}
		if w.lasso != nil {
			v.LoopStart = w.depth
		}
		res.Violations = append(res.Violations, v)
	}
	return nil
}

// rebuild makes the traces of all witnesses in one pass over the levels.
func (s *search[S]) rebuild(witnesses []witness) ([][]Step[S], error) {
	targets := make([]target, len(witnesses))
	deepest := 0
	for i := range witnesses {
		if !witnesses[i].empty {
			deepest = max(deepest, witnesses[i].stateDepth())
		}
	}
	for d := deepest; d >= 0; d-- {
		var active []*target
		for i := range witnesses {
			w, t := &witnesses[i], &targets[i]
			switch {
			case w.empty:
				continue
			case w.stateDepth() == d:
				t.rev = append(t.rev, edge{target: w.finding.state})
			case w.stateDepth() < d:
				continue
			}
			t.hash = store.Hash(t.rev[len(t.rev)-1].target)
			active = append(active, t)
		}
		if d > 0 {
			if err := s.predecessors(active, d-1); err != nil {
				return nil, err
			}
		}
	}
	out := make([][]Step[S], len(witnesses))
	for i := range witnesses {
		out[i] = s.steps(&witnesses[i], &targets[i])
	}
	return out, nil
}

// predecessors extends traces by one step backwards, to a state of level d.
func (s *search[S]) predecessors(active []*target, d int) error {
	l := s.levels[d]
	s.progress.begin("trace", d, l.States())
	found := make([][]predecessor, len(s.workers))
	err := s.parallel(len(s.workers), func(w *worker[S]) error {
		found[w.index] = make([]predecessor, len(active))
		return guard("trace", func() error { return w.seekPredecessors(l, active, found[w.index]) })
	})
	if err != nil {
		return err
	}
	for i, t := range active {
		t.pred.found = false
		for _, mine := range found {
			if mine[i].found {
				t.pred.offer(mine[i].state, mine[i].action)
			}
		}
		if !t.pred.found {
			return fmt.Errorf("no predecessor at depth %d found again: the model is not a function of the state", d)
		}
		t.rev[len(t.rev)-1].action = t.pred.action
		t.rev = append(t.rev, edge{target: slices.Clone(t.pred.state)})
	}
	return nil
}

// seekPredecessors expands the worker's share of a level and compares every
// successor with the targets.
func (w *worker[S]) seekPredecessors(l store.Level, active []*target, found []predecessor) error {
	enc := make([]uint64, w.width)
	var cur []uint64
	yield := func(a Action) {
		w.encodeStep(w.s, cur, w.t, enc)
		h := store.Hash(enc)
		for i, t := range active {
			if h == t.hash && store.Equal(enc, t.rev[len(t.rev)-1].target) {
				found[i].offer(cur, a)
			}
		}
	}
	for {
		if more, err := w.nextChunk(l); err != nil || !more {
			return err
		}
		for k := range w.chunk.N {
			cur = w.chunk.Words[k*w.width : (k+1)*w.width]
			w.sys.Decode(cur, w.s)
			if w.props.Constraint == nil || w.props.Constraint(w.s) {
				w.sys.Next(w.s, w.t, yield)
			}
			w.progress.expanded.Add(1)
		}
	}
}

// steps turns a rebuilt trace round and adds the violating step or the cycle.
func (s *search[S]) steps(w *witness, t *target) []Step[S] {
	edges := slices.Clone(t.rev)
	slices.Reverse(edges)
	if w.finding.target != nil {
		edges = append(edges, edge{w.finding.action, w.finding.target})
	}
	edges = append(edges, w.stem...)
	edges = append(edges, w.lasso...)
	out := make([]Step[S], len(edges))
	for i, e := range edges {
		out[i].Action = e.action
		s.sys.Decode(e.target, &out[i].State)
	}
	return out
}
