package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/pflag"

	"vsrcheck/results"
)

// tableOptions is what the command line of table can say.
type tableOptions struct{ dir, write string }

func tableCommand() command {
	return command{
		name: "table", usage: "[OPTIONS]",
		summary:  "print the table of published runs, or put it into the README",
		examples: []string{"vsrcheck table", "vsrcheck table --write README.md"},
		groups: func() (any, []optionGroup) {
			o := &tableOptions{}
			f := pflag.NewFlagSet("table", pflag.ContinueOnError)
			f.StringVar(&o.dir, "dir", "results", "the `FOLDER` with the records")
			f.StringVar(&o.write, "write", "", "replace the table between the markers in `FILE`")
			return o, []optionGroup{{"Options", f}}
		},
		run: runTable,
	}
}

func runTable(_ context.Context, c *call) (int, error) {
	o := c.options.(*tableOptions)
	if len(c.args) > 0 {
		return 0, usagef("table: got %d arguments, want none", len(c.args))
	}
	if _, err := os.ReadDir(o.dir); err != nil {
		return 0, usagef("--dir: %s", err)
	}
	records, err := results.ReadAll(o.dir)
	if err != nil {
		return 0, err
	}
	table := results.Table(records)
	if !c.flags.Changed("write") {
		printf(c.stdout, "%s", table)
		return exitHolds, nil
	}
	old, err := os.ReadFile(o.write)
	if err != nil {
		return 0, fmt.Errorf("%w the table: %w", results.ErrOutput, err)
	}
	document, err := results.ReplaceTable(old, table)
	if err != nil {
		return 0, fmt.Errorf("%w the table to %s: %w", results.ErrOutput, o.write, err)
	}
	return exitHolds, results.WriteFile(o.write, document)
}
