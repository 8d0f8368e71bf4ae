package main

import (
	"context"
	"io"
	"strings"

	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/cmd/vsrcheck/internal/tell"
)

func listCommand() command {
	return command{
		name: "list", usage: "[specs|properties|rules|formats]",
		summary:    "list the specifications, the properties, the rules with their alternatives, and the formats of traces",
		examples:   []string{"vsrcheck list", "vsrcheck list rules"},
		completes:  func() []string { return []string{"specs", "properties", "rules", "formats"} },
		printsOnly: true,
		run:        runList,
	}
}

func runList(_ context.Context, c *call) (int, error) {
	lists := []struct {
		name  string
		print func(io.Writer) error
	}{{"specs", tell.ListSpecs}, {"properties", tell.ListProperties}, {"rules", tell.ListRules}, {"formats", tell.ListFormats}}
	if len(c.args) > 1 {
		return 0, job.Wrongf("list: got %d arguments, want at most one of specs, properties, rules, formats", len(c.args))
	}
	found := false
	for _, l := range lists {
		if len(c.args) == 1 && c.args[0] != l.name {
			continue
		}
		if found {
			tell.Printf(c.stdout, "\n")
		}
		if len(c.args) == 0 {
			tell.Printf(c.stdout, "%s\n", strings.ToUpper(l.name))
		}
		found = true
		if err := l.print(c.stdout); err != nil {
			return 0, err
		}
	}
	if !found {
		names := []string{"specs", "properties", "rules", "formats"}
		return 0, job.Wrongf("list: got %q, want specs, properties, rules or formats%s", c.args[0], job.DidYouMean(c.args[0], names, ""))
	}
	return exitHolds, nil
}
