package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"vsrcheck/explore"
	"vsrcheck/model"
	"vsrcheck/results"
	"vsrcheck/results/picture"
)

// graphOptions is what the command line of graph can say.
type graphOptions struct {
	settingOptions
	format    string
	maxStates int
	reduce    string
}

// defaultGraphStates is the default limit: Graphviz draws some hundred states in
// seconds, and people look at fewer.
const defaultGraphStates = 2000

// errGraphLimit is wrapped by the error about a graph that is too large.
var errGraphLimit = errors.New("too many states")

func graphCommand() command {
	return command{
		name: "graph", usage: "NAME|PATH.cfg [OPTIONS]",
		summary: "write the whole state graph of a small specification, for Graphviz or as JSON",
		examples: []string{
			"vsrcheck graph tiny-fetch-to-op-old --ops 1 | dot -Tsvg > states.svg",
			"vsrcheck graph tiny-fetch-to-op-old --format json > states.json",
		},
		groups: func() (any, []optionGroup) {
			o := &graphOptions{format: "dot", reduce: reduceAll}
			var groups optionGroups
			o.declare(&groups, "the specification's")
			f := groups.add("Graph")
			f.Var(&choice{&o.format, []string{"dot", "json"}}, "format", "dot: for Graphviz; json: with the states")
			f.IntVar(&o.maxStates, "max-states", defaultGraphStates, "refuse a graph with more than `N` states")
			f.Var(reduceOption{&o.reduce}, "reduce", "as for check")
			return o, groups
		},
		run: runGraph,
	}
}

func runGraph(ctx context.Context, c *call) (int, error) {
	o := c.options.(*graphOptions)
	if o.maxStates < 1 {
		return 0, usagef("--max-states: got %d, want at least 1", o.maxStates)
	}
	j, err := o.reducedJob(c, o.reduce)
	if err != nil {
		return 0, err
	}
	g, err := j.graph(ctx, o.maxStates)
	if err != nil {
		return 0, err
	}
	code := exitHolds
	if j.startsOutside() {
		code = exitAssumption
		printf(c.stderr, "vsrcheck: graph: INCONCLUSIVE %s: the initial state is outside, so this is no graph of its states\n", j.subject())
	}
	if o.format == "json" {
		return code, g.WriteJSON(c.stdout)
	}
	return code, g.WriteDot(c.stdout)
}

// grapher collects a state graph breadth first.
type grapher struct {
	*job
	g      *picture.Graph
	number map[string]int // of each encoded state
	states []model.State
	key    []uint64
}

// graph is the whole state graph, or an error when it has more than limit states. The
// engine keeps no edges, and a graph that is to be looked at is small: so this is a
// search of its own.
func (j *job) graph(ctx context.Context, limit int) (*picture.Graph, error) {
	b := &grapher{
		job: j, number: map[string]int{}, key: make([]uint64, j.model.Words()),
		g: &picture.Graph{Spec: j.Name, Config: j.configSettings(), Rules: j.ruleSettings(), Constraints: j.Constraints},
	}
	b.add(&j.start()[0].State, 0)
	b.g.States[0].Initial = true
	for n := 0; n < len(b.states); n++ {
		if len(b.states) > limit {
			return nil, fmt.Errorf("graph: %w: %s has more than %s, want at most that many; make its sizes smaller or raise --max-states",
				errGraphLimit, j.Name, results.Count(uint64(limit)))
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
	b.model.Encode(s, b.key)
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
	out := picture.GraphState{Depth: depth, Quiescent: b.model.Quiescent(s)}
	for i := range b.Config.Replicas {
		out.Replicas = append(out.Replicas, laneState(b.model.View(s, i)))
	}
	for _, msg := range b.model.InFlight(s) {
		out.Messages = append(out.Messages, fmt.Sprintf("%s to replica %d", msg.Text, msg.To))
	}
	out.Violates = b.bound.falseIn(s)
	if out.Quiescent {
		out.Violates = append(out.Violates, b.bound.outstandingIn(s)...)
	}
	out.Cut = b.bound.outside(s)
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
	b.model.Next(&s, &next, func(a explore.Action) {
		stuck = false
		if next == s {
			return
		}
		to, _ := b.add(&next, b.g.States[n].Depth+1)
		step := picture.GraphStep{
			From: n, To: to, Action: b.model.ActionString(a), Label: b.model.ActionLabel(a), Lane: b.model.Actor(a), Fair: b.model.Fair(a),
			Violates: b.bound.falseFor(&s, a, &next),
		}
		b.g.Steps = append(b.g.Steps, step)
	})
	if stuck && b.CheckDeadlock {
		b.g.States[n].Violates = append(b.g.States[n].Violates, deadlock.Name)
	}
}
