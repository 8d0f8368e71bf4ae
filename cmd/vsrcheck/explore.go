package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/cmd/vsrcheck/internal/tell"
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
			groups.declare(&o.Settings, "the specification's")
			f := groups.add("Page")
			f.IntVar(&o.port, "port", 0, "serve on port `N` of 127.0.0.1 (default: a free one)")
			declareSends(f, &o.reduce)
			f.Uint64Var(&o.maxStates, "max-states", defaultExploreStates, "end a search for a counterexample beyond `N` distinct states")
			return o, groups
		},
		run: runExplore,
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
	e := newExplorer(j, listener.Addr().String(), o.maxStates)
	tell.Printf(c.stdout, "explore     %s\n            %s; Ctrl-C ends it\n", e.address(), j.Name+": "+j.Summary)
	return exitHolds, e.serve(ctx, listener)
}

// serve answers until the context is cancelled.
func (e *explorer) serve(ctx context.Context, listener net.Listener) error {
	server := &http.Server{
		Handler: e, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, MaxHeaderBytes: 64 << 10,
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serve the page: %w", err)
	case <-ctx.Done():
	}
	// A search under way ends with the context; the rest is quick.
	patience, cancel := context.WithTimeout(context.WithoutCancel(ctx), 3*time.Second)
	defer cancel()
	if err := server.Shutdown(patience); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("end the page: %w", err)
	}
	return server.Close()
}
