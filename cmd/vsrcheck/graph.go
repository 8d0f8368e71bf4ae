package main

import (
	"context"

	"vsrcheck/cmd/vsrcheck/internal/behaviour"
	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/cmd/vsrcheck/internal/tell"
)

// graphOptions is what the command line of graph can say.
type graphOptions struct {
	job.Settings
	format    string
	maxStates int
	reduce    string
}

// defaultGraphStates is the default limit: Graphviz draws some hundred states in
// seconds, and people look at fewer.
const defaultGraphStates = 2000

func graphCommand() command {
	return command{
		name: "graph", usage: "NAME|PATH.cfg [OPTIONS]",
		summary: "write the whole state graph of a small specification, for Graphviz or as JSON",
		examples: []string{
			"vsrcheck graph tiny-fetch-to-op-old --ops 1 | dot -Tsvg > states.svg",
			"vsrcheck graph tiny-fetch-to-op-old --format json > states.json",
		},
		groups: func() (any, []optionGroup) {
			o := &graphOptions{Settings: job.NewSettings(), format: "dot", reduce: job.ReduceAll}
			var groups optionGroups
			groups.settings(&o.Settings, "the specification's")
			f := groups.add("Graph")
			f.Var(&choice{&o.format, []string{"dot", "json"}}, "format", "dot: for Graphviz; json: with the states")
			f.IntVar(&o.maxStates, "max-states", defaultGraphStates, "refuse a graph with more than `N` states")
			f.Var(reduceOption{&o.reduce}, "reduce", "as for check")
			return o, groups
		},
		completes: specNames,
		run:       runGraph,
	}
}

func runGraph(ctx context.Context, c *call) (int, error) {
	o := c.options.(*graphOptions)
	if o.maxStates < 1 {
		return 0, job.Wrongf("--max-states: got %d, want at least 1", o.maxStates)
	}
	j, err := c.reducedJob(o.Settings, o.reduce)
	if err != nil {
		return 0, err
	}
	g, err := behaviour.Graph(j, ctx, o.maxStates)
	if err != nil {
		return 0, err
	}
	code := exitHolds
	if j.StartsOutside() {
		code = exitAssumption
		tell.Printf(c.stderr, "vsrcheck: graph: INCONCLUSIVE %s: the initial state is outside, so this is no graph of its states\n", j.Subject())
	}
	if o.format == "json" {
		return code, g.WriteJSON(c.stdout)
	}
	return code, g.WriteDot(c.stdout)
}
