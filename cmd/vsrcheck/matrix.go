package main

import (
	"context"
	"slices"
	"strings"

	"vsrcheck/model"
	"vsrcheck/results"
	"vsrcheck/specs"
)

// matrixOptions is what the command line of matrix can say.
type matrixOptions struct {
	*cellOptions
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
		groups: newMatrixOptions,
		run:    runMatrix,
	}
}

func newMatrixOptions() (any, []optionGroup) {
	cells, shared := newCellOptions()
	o := &matrixOptions{cellOptions: cells}
	var groups optionGroups
	f := groups.add("Cells")
	f.StringSliceVar(&o.rules, "rules", nil, "the `NAME`s of the rules to change (default: all)")
	f.BoolVar(&o.pairs, "pairs", false, "change two rules at a time, too")
	f.StringArrayVar(&o.sizes, "sizes", nil, "sizes for every specification instead of its own: "+sizesUsage)
	o.declare(&groups, shared, "cell", "the matrix")
	// What every cell has instead of the specification's: sizes, rules and properties.
	return o, append(groups, specGroups(shared)...)
}

func (o *matrixOptions) validate() error {
	if err := readRules("--rules", o.rules); err != nil {
		return err
	}
	return o.cellOptions.validate()
}

// readRules checks a list of rules, which may be written as options are.
func readRules(where string, names []string) error {
	var known []string
	for _, r := range model.Catalogue() {
		known = append(known, r.Name)
	}
	for i, name := range names {
		names[i] = strings.ReplaceAll(name, "-", "_")
		if !slices.Contains(known, names[i]) {
			return usagef("%s: got unknown rule %q%s", where, name, didYouMean(name, known, ""))
		}
	}
	return nil
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
	files, done, err := m.openFiles()
	if err != nil {
		return 0, err
	}
	defer done()
	if err := m.run(ctx); err != nil {
		return 0, err
	}
	p := o.page(c)
	defer p.later()()
	table := m.table()
	p.printf("%s", table.Text())
	if ctx.Err() != nil {
		p.printf("%s %d of %d cells are finished; %s\n", p.paint(styleOpen, "INTERRUPTED"), m.done, len(m.cells), m.keptText())
		return exitInterrupted, nil
	}
	if err := files.write(table); err != nil {
		return 0, err
	}
	code, word, style := exitHolds, "DECIDED", styleGood
	switch {
	case table.Count(results.Failed) > 0:
		code, word, style = exitInternal, "FAILED", styleBad
	case table.Count(results.Inconclusive)+table.Count(results.Vacuous) > 0:
		code, word, style = exitInconclusive, "INCONCLUSIVE", styleOpen
	}
	p.printf("%s %s: %s\n", p.paint(style, word), results.Plural(len(table.Cells), "cell"), table.Totals())
	return code, nil
}

// matrix is what is to be run.
type matrix struct {
	cellRunner
	pairs bool
	bases []results.Base
	cells []*matrixCell
	done  int
}

// matrixCell is one cell.
type matrixCell struct {
	job     *job
	base    int
	changed []results.Setting
	outcome *results.Outcome // nil while it is not finished
}

// newMatrix lists the cells that the command line asks for.
func (o *matrixOptions) newMatrix(c *call) (*matrix, error) {
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
	sizes, err := readSizes(o.sizes)
	if err != nil {
		return nil, err
	}
	m := &matrix{cellRunner: cellRunner{cellOptions: o.cellOptions, call: c}, pairs: o.pairs}
	seen := map[string]bool{}
	for _, name := range names {
		changed := o.rules
		if at := strings.LastIndexByte(name, ':'); at >= 0 {
			changed = strings.Split(name[at+1:], ",")
			name = name[:at]
			if err := readRules(name, changed); err != nil {
				return nil, err
			}
		}
		if seen[name] {
			return nil, usagef("matrix: got %s twice, want it once", name)
		}
		seen[name] = true
		spec, err := c.findSpec(name)
		if err != nil {
			return nil, err
		}
		for _, s := range sizes {
			if err := m.add(spec, s, changed); err != nil {
				return nil, err
			}
		}
	}
	return m, nil
}

// add adds the cells of a specification in one size, with the given rules changed; nil is
// all of them.
func (m *matrix) add(spec specs.Spec, s size, rules []string) error {
	own, base, err := m.base(spec, s)
	if err != nil {
		return err
	}
	m.bases = append(m.bases, base)
	m.cells = append(m.cells, &matrixCell{job: own, base: len(m.bases) - 1, changed: []results.Setting{}})
	singles := changes(own.Rules, rules)
	for _, a := range singles {
		if err := m.cell(own.Spec, a); err != nil {
			return err
		}
	}
	if !m.pairs {
		return nil
	}
	for i, a := range singles {
		for _, b := range singles[i+1:] {
			if a.rule.Name == b.rule.Name {
				continue
			}
			if err := m.cell(own.Spec, a, b); err != nil {
				return err
			}
		}
	}
	return nil
}

// changes are the alternatives that the own rules do not have, of those that are named or
// of all, in the catalogue's order.
func changes(own model.Rules, names []string) (out []change) {
	for _, r := range model.Catalogue() {
		if len(names) > 0 && !slices.Contains(names, r.Name) {
			continue
		}
		for _, a := range r.AlternativeNames() {
			if a != r.Get(own) {
				out = append(out, change{r, a})
			}
		}
	}
	return out
}

// cell adds a cell with changes to the last base.
func (m *matrix) cell(own specs.Spec, changes ...change) error {
	j, changed, err := m.changed(own, changes...)
	if err != nil {
		return err
	}
	m.cells = append(m.cells, &matrixCell{job: j, base: len(m.bases) - 1, changed: changed})
	return nil
}

// table is the matrix. What is not finished was interrupted.
func (m *matrix) table() *results.Matrix {
	out := &results.Matrix{Schema: results.MatrixSchema, Bases: m.bases, Build: results.ReadBuild()}
	for _, c := range m.cells {
		got := results.Outcome{Verdict: results.Inconclusive, Reason: "interrupted", ExitCode: exitInterrupted}
		if c.outcome != nil {
			got = *c.outcome
		}
		out.Cells = append(out.Cells, results.MatrixCell{Base: c.base, Changed: c.changed, Outcome: got})
	}
	return out
}
