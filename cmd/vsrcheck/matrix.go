package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"vsrcheck/model"
	"vsrcheck/results"
	"vsrcheck/specs"
)

// matrixOptions is what the command line of matrix can say.
type matrixOptions struct {
	*checkOptions
	rules  []string
	pairs  bool
	sizes  []string
	html   string
	resume string

	smallCell uint64 // the distinct states of a cell that runs beside others, at most
}

func matrixCommand() command {
	return command{
		name: "matrix", usage: "[NAME|PATH.cfg[:RULE,...]...] [OPTIONS]",
		summary: "check specifications under other alternatives of their rules, in one table; without names, the tiny ones",
		about: []string{
			"For each specification there is a cell under its own rules, one for each other alternative of each rule, and with --pairs one for each two of these together. " +
				"Of one that is given as NAME:RULE,RULE only these rules are changed. A cell says which property breaks first, after how many steps, or that all hold; an asterisk marks another verdict than under the specification's own rules. " +
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
	check, shared := newCheckOptions()
	o := &matrixOptions{checkOptions: check, smallCell: defaultSmallCell}
	var groups optionGroups
	f := groups.add("Cells")
	f.StringSliceVar(&o.rules, "rules", nil, "the `NAME`s of the rules to change (default: all)")
	f.BoolVar(&o.pairs, "pairs", false, "change two rules at a time, too")
	f.StringArrayVar(&o.sizes, "sizes", nil, "sizes for every specification instead of its own: `LIST` such as 'ops=2; ops=1 view_max=1', or a file with one on each line; may be given again")
	f = groups.add("Run (the limits are for each cell)")
	f.DurationVar(&o.timeout, "time-limit", 0, "end a cell as inconclusive after `TIME`, such as 90s")
	shared.share(f, "max-states", "workers", "reduce", "memory-limit", "spill-dir", "disk-limit")
	f.StringVar(&o.resume, "resume", "", "keep finished cells in `FILE`, and do not run those again that are there")
	f = groups.add("Output")
	f.StringVar(&o.json, "json", "", "write the matrix to `FILE`")
	f.StringVar(&o.html, "html", "", "write the matrix as a page that needs no other file to `FILE`")
	shared.share(f, "no-progress", "color")
	f.Lookup("no-progress").Usage = "no line of progress on standard error" // there is no --progress here
	// What every cell has instead of the specification's: sizes, rules and properties.
	return o, append(groups, specGroups(shared)...)
}

func (o *matrixOptions) validate() error {
	if o.timeout < 0 { // which has another name here
		return usagef("--time-limit: got %s, want a time that is not negative", o.timeout)
	}
	if err := readRules("--rules", o.rules); err != nil {
		return err
	}
	files := map[string]string{}
	for _, f := range []struct{ option, path string }{{"json", o.json}, {"html", o.html}, {"resume", o.resume}} {
		if other, twice := files[f.path]; twice && f.path != "" {
			return usagef("--%s: got %s, to which --%s writes", f.option, f.path, other)
		}
		files[f.path] = f.option
	}
	return o.checkOptions.validate()
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
	pages := map[string]*results.File{}
	for option, path := range map[string]string{"json": o.json, "html": o.html} {
		if c.flags.Changed(option) {
			if pages[option], err = results.Create(path); err != nil {
				return 0, err
			}
			defer pages[option].Abort()
		}
	}
	if c.flags.Changed("resume") {
		if m.finished, err = results.OpenCells(o.resume); err != nil {
			return 0, err
		}
		defer func() { _ = m.finished.Close() }() // each cell is written already
	}
	if err := m.run(ctx); err != nil {
		return 0, err
	}
	p := o.page(c)
	table := m.table()
	p.printf("%s", table.Text())
	if ctx.Err() != nil {
		kept := "--resume FILE would have kept them"
		if m.finished != nil {
			kept = "the same command goes on"
		}
		p.printf("%s %d of %d cells are finished; %s\n", p.paint(styleOpen, "INTERRUPTED"), m.done, len(m.cells), kept)
		return exitInterrupted, nil
	}
	if err := writeMatrix(table, pages); err != nil {
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

// writeMatrix writes the files that were made for it.
func writeMatrix(table *results.Matrix, files map[string]*results.File) error {
	if f := files["json"]; f != nil {
		data, err := table.Write()
		if err == nil {
			err = f.Commit(data)
		}
		if err != nil {
			return err
		}
	}
	if f := files["html"]; f != nil {
		var page bytes.Buffer
		if err := table.WriteHTML(&page); err != nil {
			return err
		}
		return f.Commit(page.Bytes())
	}
	return nil
}

// size is a list of settings that the cells of a matrix have instead of a specification's.
type size struct {
	name     string
	settings settingOptions
}

// readSizes reads --sizes: lists with ; or a new line between them.
func (o *matrixOptions) readSizes() ([]size, error) {
	var out []size
	for _, text := range o.sizes {
		where := "--sizes"
		if !strings.Contains(text, "=") {
			data, err := os.ReadFile(text)
			if err != nil {
				return nil, usagef("--sizes: got no list such as ops=2 view_max=1, and no file: %s", err)
			}
			where, text = text, string(data)
		}
		for i, line := range strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
			line, _, _ = strings.Cut(line, "#")
			for one := range strings.SplitSeq(line, ";") {
				if strings.TrimSpace(one) == "" {
					continue
				}
				s, err := newSize(one)
				if err != nil {
					if where != "--sizes" {
						where = fmt.Sprintf("%s:%d", where, i+1)
					}
					return nil, usagef("%s: %s", where, err)
				}
				if slices.ContainsFunc(out, func(other size) bool { return other.name == s.name }) {
					return nil, usagef("%s: got %s twice, want it once", where, s.name)
				}
				out = append(out, s)
			}
		}
	}
	if o.sizes == nil {
		return []size{{}}, nil
	}
	if len(out) == 0 {
		return nil, usagef("--sizes: got none, want some, such as ops=2 view_max=1")
	}
	return out, nil
}

// newSize reads one size: name=value, with white space between them.
func newSize(text string) (size, error) {
	var s size
	var groups optionGroups
	s.settings.declare(&groups, "")
	var names []string
	for _, c := range s.settings.constants {
		names = append(names, c.Name)
	}
	given := map[string]string{}
	for _, field := range strings.Fields(text) {
		name, value, found := strings.Cut(field, "=")
		i := slices.Index(names, strings.ReplaceAll(name, "-", "_"))
		switch {
		case !found:
			return s, fmt.Errorf("got %q, want name=value", field)
		case i < 0:
			return s, fmt.Errorf("got unknown constant %q%s", name, didYouMean(name, names, ""))
		case s.settings.constants[i].given:
			return s, fmt.Errorf("got %s twice, want it once", names[i])
		}
		if err := s.settings.constants[i].Set(value); err != nil {
			return s, fmt.Errorf("%s: %w", names[i], err)
		}
		given[names[i]] = names[i] + "=" + value
	}
	for _, name := range names { // in one order, so that the same size has one name
		if given[name] != "" {
			s.name = strings.TrimSpace(s.name + " " + given[name])
		}
	}
	return s, nil
}

// matrix is what is to be run.
type matrix struct {
	*matrixOptions
	call     *call
	bases    []results.Base
	cells    []*matrixCell
	finished *results.FinishedCells // nil: they are not kept
	done     int
}

// matrixCell is one cell.
type matrixCell struct {
	job     *job
	base    int
	changed []results.Setting
	outcome *results.Outcome // nil while it is not finished
}

// change is one rule at another alternative than a base's.
type change struct {
	rule        model.Rule
	alternative string
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
	sizes, err := o.readSizes()
	if err != nil {
		return nil, err
	}
	m := &matrix{matrixOptions: o, call: c}
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
		spec, err := findSpec(name)
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
	own, err := m.apply(spec)
	if err != nil {
		return err
	}
	if own, err = s.settings.apply(own.Spec); err != nil {
		return fmt.Errorf("%s %s: %w", spec.Name, s.name, err)
	}
	own = newOverride(spec, own.Spec)
	own.chosen = m.properties != nil
	j, err := newJob(own, m.continueAll, m.reduce)
	if err != nil {
		return fmt.Errorf("%s: %w", strings.TrimSpace(spec.Name+" "+s.name), err)
	}
	m.bases = append(m.bases, results.Base{
		Spec: j.Name, Path: j.Path, Size: s.name, Summary: j.Summary, Config: j.configSettings(), Rules: j.ruleSettings(),
		Properties: j.bound.listed, Constraints: j.Constraints, Reduction: reductionOf(j.model),
	})
	m.cells = append(m.cells, &matrixCell{job: j, base: len(m.bases) - 1, changed: []results.Setting{}})
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
	spec := own
	cell := &matrixCell{base: len(m.bases) - 1}
	for _, c := range changes {
		cell.changed = append(cell.changed, results.Setting{Name: c.rule.Name, Value: c.alternative, Instead: c.rule.Get(own.Rules)})
		if err := c.rule.Set(&spec.Rules, c.alternative); err != nil {
			return err
		}
	}
	changed := newOverride(own, spec)
	changed.chosen = m.properties != nil
	var err error
	if cell.job, err = newJob(changed, m.continueAll, m.reduce); err != nil {
		return fmt.Errorf("%s: %w", own.Name, err)
	}
	m.cells = append(m.cells, cell)
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
