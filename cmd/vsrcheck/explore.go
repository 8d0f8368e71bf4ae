package main

import (
	"context"
	"fmt"
	"net"

	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/cmd/vsrcheck/internal/tell"
	"vsrcheck/cmd/vsrcheck/internal/web"
	"vsrcheck/results"
)

// exploreOptions is what the command line of explore can say.
type exploreOptions struct {
	job.Settings
	port      int
	reduce    string
	maxStates uint64
}

// defaultExploreStates bounds the search that a person starts from the page and waits for.
const defaultExploreStates = 5_000_000

func exploreCommand() command {
	return command{
		name: "explore", usage: "NAME|PATH.cfg [OPTIONS]",
		summary: "walk the model in a browser, on a page that only this machine can open; Ctrl-C ends it, with exit code 0",
		examples: []string{
			"vsrcheck explore fetch-to-op-old-small",
			"vsrcheck explore report-scenario --fetch-to-op fixed --port 8080",
		},
		groups: func() (any, []optionGroup) {
			o := &exploreOptions{Settings: job.NewSettings(), reduce: job.ReduceEager}
			var groups optionGroups
			groups.settings(&o.Settings, "the specification's")
			f := groups.add("Page")
			f.IntVar(&o.port, "port", 0, "serve on port `N` of 127.0.0.1 (default: a free one)")
			declareSends(f, &o.reduce)
			f.Uint64Var(&o.maxStates, "max-states", defaultExploreStates, "end a search for a counterexample beyond `N` distinct states")
			return o, groups
		},
		completes: specNames,
		run:       runExplore,
	}
}

func runExplore(ctx context.Context, c *call) (int, error) {
	o := c.options.(*exploreOptions)
	if o.port < 0 || o.port > 65535 {
		return 0, job.Wrongf("--port: got %d, want 0..65535", o.port)
	}
	j, err := c.reducedJob(o.Settings, o.reduce)
	if err != nil {
		return 0, err
	}
	listener, err := net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", o.port))
	if err != nil {
		return 0, fmt.Errorf("%w the page: --port %d: %w", results.ErrOutput, o.port, err)
	}
	e := web.New(j, listener.Addr().String(), o.maxStates)
	tell.Printf(c.stdout, "explore     %s\n            %s; Ctrl-C ends it\n", e.Address(), j.Name+": "+j.Summary)
	return exitHolds, e.Serve(ctx, listener)
}
