package main

import (
	"context"

	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/cmd/vsrcheck/internal/tell"
	"vsrcheck/results"
)

func versionCommand() command {
	return command{
		name: "version", summary: "show the version, the commit and the Go release of this program",
		run: func(_ context.Context, c *call) (int, error) {
			if len(c.args) > 0 {
				return 0, job.Wrongf("version: got %d arguments, want none", len(c.args))
			}
			tell.Printf(c.stdout, "vsrcheck %s\n", results.ReadBuild())
			return exitHolds, nil
		},
	}
}
