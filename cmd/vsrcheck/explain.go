package main

import (
	"context"
	"strings"

	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/cmd/vsrcheck/internal/tell"
)

func explainCommand() command {
	return command{
		name: "explain", usage: "NAME",
		summary: "explain a specification (also PATH.cfg), a property, a rule, an alternative (RULE=ALTERNATIVE), a constant, an action, a format of traces, a word of reports and traces, glossary for all of those, or exit-codes",
		examples: []string{
			"vsrcheck explain QuorumAckedCommits",
			"vsrcheck explain fetch_to_op=old",
			"vsrcheck explain quiescent",
			"vsrcheck explain log_view",
			"vsrcheck explain glossary",
		},
		completes:  explained,
		printsOnly: true,
		run:        runExplain,
	}
}

func runExplain(_ context.Context, c *call) (int, error) {
	if len(c.args) == 0 {
		return 0, job.Wrongf("explain: got no name, want one; vsrcheck list has most of them, and explain glossary the other words")
	}
	name := strings.Join(c.args, " ") // some names are several words
	p := tell.NewPage(c.stdout, "auto")
	if isPath(name) || name == stdio {
		spec, err := c.findSpec(name)
		if err != nil {
			return 0, err
		}
		tell.ExplainSpec(p, spec, name)
		return exitHolds, nil
	}
	entries, err := tell.Explanations(func(p *tell.Page) { writeExitCodes(p) })
	if err != nil {
		return 0, err
	}
	return exitHolds, tell.Explain(p, entries, name)
}
