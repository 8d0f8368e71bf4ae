package behaviour

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/explore"
	"vsrcheck/model"
	"vsrcheck/results"
	"vsrcheck/results/picture"
)

// ErrGraphLimit is wrapped by the error about a graph that is too large.
var ErrGraphLimit = errors.New("too many states")

// grapher collects a state graph breadth first.
type grapher struct {
	*job.Job
	g      *picture.Graph
	number map[string]int // of each encoded state
	states []model.State
	key    []uint64
}

// Graph is the whole state graph, or an error when it has more than limit states. The
// engine keeps no edges, and a graph that is to be looked at is small: so this is a
// search of its own.
func Graph(j *job.Job, ctx context.Context, limit int) (*picture.Graph, error) {
	b := &grapher{
		Job: j, number: map[string]int{}, key: make([]uint64, j.Model.Words()),
		g: &picture.Graph{Spec: j.Name, Config: j.ConfigSettings(), Rules: j.RuleSettings(), Constraints: j.Constraints},
	}
	b.add(&j.Start()[0].State, 0)
	b.g.States[0].Initial = true
	for n := 0; n < len(b.states); n++ {
		if len(b.states) > limit {
			return nil, fmt.Errorf("graph: %w: %s has more than %s, want at most that many; make its sizes smaller or raise --max-states",
				ErrGraphLimit, j.Name, results.Count(uint64(limit)))
		}
		if err := context.Cause(ctx); err != nil {
			return nil, fmt.Errorf("graph: %w", err)
		}
		b.expand(n)
	}
	return b.g, nil
}

// add numbers a state, and reports whether it is new.
func (b *grapher) add(s *model.State, depth int) (n int, fresh bool) {
	b.Model.Encode(s, b.key)
	bytes := make([]byte, 0, 8*len(b.key))
	for _, w := range b.key {
		bytes = binary.LittleEndian.AppendUint64(bytes, w)
	}
	if n, ok := b.number[string(bytes)]; ok {
		return n, false
	}
	n = len(b.states)
	b.number[string(bytes)] = n
	b.states = append(b.states, *s)
	b.g.States = append(b.g.States, b.describe(s, depth))
	return n, true
}

// describe is a state with what it violates.
func (b *grapher) describe(s *model.State, depth int) picture.GraphState {
	out := picture.GraphState{Depth: depth, Quiescent: b.Model.Quiescent(s)}
	for i := range b.Config.Replicas {
		out.Replicas = append(out.Replicas, laneState(b.Model.View(s, i)))
	}
	for _, msg := range b.Model.InFlight(s) {
		out.Messages = append(out.Messages, fmt.Sprintf("%s to replica %d", msg.Text, msg.To))
	}
	out.Violates = b.Bound.FalseIn(s)
	if out.Quiescent {
		out.Violates = append(out.Violates, b.Bound.OutstandingIn(s)...)
	}
	out.Cut = b.Bound.Outside(s)
	return out
}

// expand adds the steps from a state.
func (b *grapher) expand(n int) {
	if b.g.States[n].Cut {
		return
	}
	s := b.states[n]
	var next model.State
	stuck := true
	b.Model.Next(&s, &next, func(a explore.Action) {
		stuck = false
		if next == s {
			return
		}
		to, _ := b.add(&next, b.g.States[n].Depth+1)
		step := picture.GraphStep{
			From: n, To: to, Action: b.Model.ActionString(a), Label: b.Model.ActionLabel(a), Lane: b.Model.Actor(a), Fair: b.Model.Fair(a),
			Violates: b.Bound.FalseFor(&s, a, &next),
		}
		b.g.Steps = append(b.g.Steps, step)
	})
	if stuck && b.CheckDeadlock {
		b.g.States[n].Violates = append(b.g.States[n].Violates, job.Deadlock.Name)
	}
}
