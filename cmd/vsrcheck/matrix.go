package main

import (
	"context"
	"fmt"
	"strings"

	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/cmd/vsrcheck/internal/search"
	"vsrcheck/cmd/vsrcheck/internal/tell"
	"vsrcheck/results"
	"vsrcheck/results/matrix"
	"vsrcheck/specs"
)

// matrixOptions is what the command line of matrix can say.
type matrixOptions struct {
	cellOptions
	rules []string
	pairs bool
}

func matrixCommand() command {
	return command{
		name: "matrix", usage: "[NAME|PATH.cfg[:RULE,...]...] [OPTIONS]",
		summary: "check specifications under other alternatives of their rules, in one table; without names, the tiny ones",
		about: []string{
			"For each specification there is a cell under its own rules, one for each other alternative of each rule, and with --pairs one for each two of these together. " +
				"Of one that is given as NAME:RULE,RULE only these rules are changed. A cell says which property breaks first, after how many steps, or that all hold; an asterisk marks another verdict than under the specification's own rules, a dash a cell in which a changed rule decided nothing: within its bounds no step would differ under another alternative, so it says nothing about that rule. " +
				"All but the times is the same on every run.",
			"Small cells run side by side, each with one worker; one that turns out to be larger is run again by itself, with all workers. The limits are for each cell.",
			"With --resume FILE each cell is written to FILE when it is finished, one JSON value a line, and one that is there already is not run again " +
				"if specification, sizes, rules, properties, the layout of states and the program are the same. An inconclusive one counts under the same limits only.",
			"The exit code is 0 when every cell has a verdict, whatever it is; 20 when one is inconclusive or vacuous, 70 when the model failed in one. Interrupted, it is 130, and no file is written but that of finished cells.",
		},
		examples: []string{
			"vsrcheck matrix",
			"vsrcheck matrix fetch-to-op-old-small --rules gap_check,repair_arming --html matrix.html",
			"vsrcheck matrix tiny-fetch-to-op-fixed --pairs --resume cells.jsonl --json matrix.json",
			"vsrcheck matrix zoo-nack-quorum-sound:nack_quorum zoo-relics-sound:relics",
			"vsrcheck matrix tiny-fetch-to-op-fixed --sizes 'ops=2; ops=1 view_max=1'",
		},
		groups:    newMatrixOptions,
		completes: specNames,
		run:       runMatrix,
	}
}

func newMatrixOptions() (any, []optionGroup) {
	o := &matrixOptions{cellOptions: newCellOptions()}
	var groups optionGroups
	f := groups.add("Cells")
	f.StringSliceVar(&o.rules, "rules", nil, "the `NAME`s of the rules to change (default: all)")
	f.BoolVar(&o.pairs, "pairs", false, "change two rules at a time, too")
	f.StringArrayVar(&o.sizes, "sizes", nil, "sizes for every specification instead of its own: "+job.SizesUsage)
	o.declare(&groups, "cell", "the matrix")
	return o, groups
}

func (o *matrixOptions) validate() error {
	if err := search.ReadRules("--rules", o.rules); err != nil {
		return err
	}
	return o.cellOptions.validate()
}

func runMatrix(ctx context.Context, c *call) (int, error) {
	o := c.options.(*matrixOptions)
	if err := o.validate(); err != nil {
		return 0, err
	}
	m, err := o.newMatrix(c)
	if err != nil {
		return 0, err
	}
	files, done, err := o.openFiles(c, m.Runner)
	if err != nil {
		return 0, err
	}
	defer done()
	if err := m.Run(ctx); err != nil {
		return 0, err
	}
	p := o.page(c)
	defer p.Later()()
	table := m.Table()
	p.Printf("%s", table.Text())
	if ctx.Err() != nil {
		p.Last(fmt.Sprintf("%s %d of %d cells are finished; %s", p.Paint(tell.StyleOpen, "INTERRUPTED"), m.Done, len(m.Cells), m.KeptText()))
		return exitInterrupted, nil
	}
	if err := files.write(table); err != nil {
		return 0, err
	}
	code, word, style := exitHolds, "DECIDED", tell.StyleGood
	switch {
	case table.Count(matrix.Failed) > 0:
		code, word, style = exitInternal, "FAILED", tell.StyleBad
	case table.Count(results.Inconclusive)+table.Count(matrix.Vacuous) > 0:
		code, word, style = exitInconclusive, "INCONCLUSIVE", tell.StyleOpen
	}
	p.Last(fmt.Sprintf("%s %s: %s", p.Paint(style, word), results.Plural(len(table.Cells), "cell"), table.Totals()))
	return code, nil
}

// newMatrix lists the cells that the command line asks for.
func (o *matrixOptions) newMatrix(c *call) (*search.Matrix, error) {
	names := c.args
	if len(names) == 0 {
		tiny, err := (&manifestOptions{sizes: []string{specs.Tiny}}).specs(nil)
		if err != nil {
			return nil, err
		}
		for _, spec := range tiny {
			names = append(names, spec.Name)
		}
	}
	sizes, err := job.ReadSizes(o.sizes)
	if err != nil {
		return nil, err
	}
	m := &search.Matrix{Runner: o.runner(c), Pairs: o.pairs}
	seen := map[string]bool{}
	for _, name := range names {
		changed := o.rules
		if at := strings.LastIndexByte(name, ':'); at >= 0 {
			changed = strings.Split(name[at+1:], ",")
			name = name[:at]
			if err := search.ReadRules(name, changed); err != nil {
				return nil, err
			}
		}
		if seen[name] {
			return nil, job.Wrongf("matrix: got %s twice, want it once", name)
		}
		seen[name] = true
		spec, err := c.findSpec(name)
		if err != nil {
			return nil, err
		}
		for _, s := range sizes {
			if err := m.Add(spec, s, changed); err != nil {
				return nil, err
			}
		}
	}
	return m, nil
}
