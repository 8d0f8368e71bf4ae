package search

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/explore"
	"vsrcheck/model"
	"vsrcheck/results"
	"vsrcheck/results/matrix"
	"vsrcheck/specs"
)

// Run runs the cells that are not finished: the small ones side by side, then the others
// one after the other. It ends early, without an error, when it is interrupted.
func (m *Matrix) Run(ctx context.Context) error {
	defer m.Clear()
	if err := m.reuse(); err != nil {
		return err
	}
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(m.Limits.WorkerCount())
	var lock sync.Mutex // over what finish changes
	for _, cell := range m.Cells {
		if cell.outcome != nil {
			continue
		}
		group.Go(func() error {
			if groupCtx.Err() != nil {
				return nil
			}
			got, err := m.aside(groupCtx, cell.job)
			if err != nil || got == nil {
				return err
			}
			lock.Lock()
			defer lock.Unlock()
			return m.finish(cell, got)
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for _, cell := range m.Cells {
		if cell.outcome != nil {
			continue
		}
		if ctx.Err() != nil {
			return nil
		}
		m.Clear()
		got, err := m.alone(ctx, cell.job)
		if err == nil && got == nil {
			return nil
		}
		if err == nil {
			err = m.finish(cell, got)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Undecidable reports whether a search ended for a reason that no larger limit changes.
func Undecidable(stop explore.Stop) bool {
	return stop == explore.StopConstraint || stop == explore.StopStore || stop == explore.StopEmpty || stop == job.StopUnasked
}

// failure is the error of the model.
func failure(panicked *explore.PanicError, broken *explore.ContractError) error {
	if broken != nil {
		return broken
	}
	return panicked
}

// OutcomeOf is what a run says of its cell. An error of the model is an outcome too: it
// ends the cell, not the matrix.
func (r *Runner) OutcomeOf(out *job.Outcome, err error, began time.Time) (*matrix.Outcome, error) {
	var panicked *explore.PanicError
	var broken *explore.ContractError
	if errors.As(err, &panicked) || errors.As(err, &broken) {
		return &matrix.Outcome{
			Verdict: matrix.Failed, Reason: strings.ReplaceAll(failure(panicked, broken).Error(), "\n", "; "), ExitCode: r.ExitCode(job.EndFailed), Seconds: time.Since(began).Seconds(),
		}, nil
	}
	if err != nil {
		return nil, err
	}
	record := out.Record(nil, r.ExitCode(out.End))
	o := &matrix.Outcome{
		Verdict: record.Verdict, ExitCode: record.ExitCode, Violations: record.Violations, Vacuous: record.Vacuous,
		Distinct: record.Distinct, Generated: record.Generated, Depth: record.Depth, Seconds: record.Seconds,
	}
	if len(out.Constraints) > 0 {
		o.Outside = &record.Outside
	}
	o.Idle = out.IdleAll()
	switch {
	case out.Vacuous():
		o.Verdict, o.Reason = matrix.Vacuous, record.Reason
	case record.Verdict == results.Inconclusive:
		o.Reason = record.Reason
	}
	return o, nil
}

// finish keeps the outcome of a cell.
func (m *Matrix) finish(cell *matrixCell, got *matrix.Outcome) error {
	m.take(cell, *got)
	m.Show(m.progress())
	return m.keep(cell.job, m.name(cell), got)
}

// take gives a cell its outcome.
func (m *Matrix) take(cell *matrixCell, got matrix.Outcome) {
	cell.outcome = onlyChanged(got, cell.changed)
	m.Done++
}

// onlyChanged is an outcome of whose rules that decided nothing only the changed ones are
// left, if some are changed: of the others the check without any change says so. The file of
// finished cells has all, as there the same check may be one of another base, with other rules
// changed.
func onlyChanged(o matrix.Outcome, changed []results.Setting) *matrix.Outcome {
	if len(changed) > 0 {
		o.Idle = slices.DeleteFunc(slices.Clone(o.Idle), func(name string) bool {
			return !slices.ContainsFunc(changed, func(s results.Setting) bool { return s.Name == name })
		})
	}
	return &o
}

// progress says how many cells are finished.
func (m *Matrix) progress() string { return fmt.Sprintf("%d of %d cells", m.Done, len(m.Cells)) }

// name is a cell for people.
func (m *Matrix) name(cell *matrixCell) string {
	c := matrix.Cell{Changed: cell.changed}
	return m.bases[cell.base].Name() + ": " + c.Name()
}

// reuse takes what is in the file of finished cells.
func (m *Matrix) reuse() error {
	if m.finished == nil {
		return nil
	}
	for _, cell := range m.Cells {
		got, err := m.find(cell.job)
		if err != nil {
			return err
		}
		if got != nil {
			m.take(cell, *got)
		}
	}
	if m.finished.Len() > 0 {
		m.Warn("%d of %d cells are in %s", m.Done, len(m.Cells), m.KeepIn)
	}
	m.Show(m.progress())
	return nil
}

// ReadRules checks a list of rules, which may be written as options are.
func ReadRules(where string, names []string) error {
	var known []string
	for _, r := range model.Catalogue() {
		known = append(known, r.Name)
	}
	for i, name := range names {
		names[i] = strings.ReplaceAll(name, "-", "_")
		if !slices.Contains(known, names[i]) {
			return job.Wrongf("%s: got unknown rule %q%s", where, name, job.DidYouMean(name, known, ""))
		}
	}
	return nil
}

// Matrix is what is to be run.
type Matrix struct {
	*Runner
	Pairs bool
	bases []matrix.Base
	Cells []*matrixCell
	Done  int
}

// matrixCell is one cell.
type matrixCell struct {
	job     *job.Job
	base    int
	changed []results.Setting
	outcome *matrix.Outcome // nil while it is not finished
}

// Add adds the cells of a specification in one size, with the given rules changed; nil is
// all of them.
func (m *Matrix) Add(spec specs.Spec, s job.Size, rules []string) error {
	own, base, err := m.Base(spec, s)
	if err != nil {
		return err
	}
	m.bases = append(m.bases, base)
	m.Cells = append(m.Cells, &matrixCell{job: own, base: len(m.bases) - 1, changed: []results.Setting{}})
	singles := changes(own.Rules, rules)
	for _, a := range singles {
		if err := m.cell(own.Spec, a); err != nil {
			return err
		}
	}
	if !m.Pairs {
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
func (m *Matrix) cell(own specs.Spec, changes ...change) error {
	j, changed, err := m.changed(own, changes...)
	if err != nil {
		return err
	}
	m.Cells = append(m.Cells, &matrixCell{job: j, base: len(m.bases) - 1, changed: changed})
	return nil
}

// Table is the matrix. What is not finished was interrupted.
func (m *Matrix) Table() *matrix.Matrix {
	out := &matrix.Matrix{Schema: matrix.Schema, Bases: m.bases, Build: results.ReadBuild()}
	for _, c := range m.Cells {
		got := matrix.Outcome{Verdict: results.Inconclusive, Reason: "interrupted", ExitCode: m.ExitCode(job.EndInterrupted)}
		if c.outcome != nil {
			got = *c.outcome
		}
		out.Cells = append(out.Cells, matrix.Cell{Base: c.base, Changed: c.changed, Outcome: got})
	}
	return out
}
