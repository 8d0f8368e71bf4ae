package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/cmd/vsrcheck/internal/tell"
	"vsrcheck/results"
	"vsrcheck/results/table"
)

// tableOptions is what the command line of table can say.
type tableOptions struct {
	dir, write string
	reductions bool
}

func tableCommand() command {
	return command{
		name: "table", usage: "[OPTIONS]",
		summary: "print the tables of published runs, searches, simulations, answers of mend and the matrix of rules, or put them into a document",
		examples: []string{"vsrcheck table", "vsrcheck table --write results/README.md",
			"vsrcheck table --reductions --dir results/runs/reductions --write results/runs/reductions/README.md"},
		groups: func() (any, []optionGroup) {
			o := &tableOptions{}
			var groups optionGroups
			f := groups.add("Options")
			f.StringVar(&o.dir, "dir", "results", "the `FOLDER` with the records, the searches and simulations in its folder runs")
			f.BoolVar(&o.reductions, "reductions", false, "the table of what the reductions save instead, of runs that differ in --reduce")
			f.StringVar(&o.write, "write", "", "replace the tables between their markers in `FILE`")
			return o, groups
		},
		printsOnly: true,
		run:        runTable,
	}
}

func runTable(_ context.Context, c *call) (int, error) {
	o := c.options.(*tableOptions)
	if len(c.args) > 0 {
		return 0, job.Wrongf("table: got %d arguments, want none", len(c.args))
	}
	if _, err := os.ReadDir(o.dir); err != nil {
		return 0, fmt.Errorf("--dir: %w", err)
	}
	tables, err := o.tables()
	if err != nil {
		return 0, err
	}
	if !c.flags.Changed("write") {
		for i, t := range tables {
			if i == 0 || t.Rows > 0 {
				tell.Printf(c.stdout, "%s%s", strings.Repeat("\n", min(i, 1)), t.Text)
			}
		}
		return exitHolds, nil
	}
	old, err := os.ReadFile(o.write)
	if err != nil {
		return 0, fmt.Errorf("%w the tables: %w", results.ErrOutput, err)
	}
	document, err := results.ReplaceTables(old, tables)
	if err != nil {
		return 0, fmt.Errorf("%w the tables to %s: %w", results.ErrOutput, o.write, err)
	}
	return exitHolds, results.WriteFile(o.write, document)
}

// tables are those that the command line asks for.
func (o *tableOptions) tables() ([]results.Table, error) {
	if !o.reductions {
		return table.Read(o.dir)
	}
	records, err := results.ReadAll(o.dir)
	if err != nil {
		return nil, err
	}
	t, err := table.Reductions(records)
	return []results.Table{t}, err
}
