package main

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
	"vsrcheck/cmd/vsrcheck/internal/tell"
	"vsrcheck/explore"
	"vsrcheck/results"
)

// run runs the cells that are not finished: the small ones side by side, then the others
// one after the other. It ends early, without an error, when it is interrupted.
func (m *matrix) run(ctx context.Context) error {
	progress := &tell.CellMeter{Meter: tell.NewMeter(m.call.stderr, 0), Quiet: m.noProgress}
	defer progress.Meter.Clear()
	if err := m.reuse(progress); err != nil {
		return err
	}
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(m.WorkerCount())
	var lock sync.Mutex // over what finish changes
	for _, cell := range m.cells {
		if cell.outcome != nil {
			continue
		}
		group.Go(func() error {
			if groupCtx.Err() != nil {
				return nil
			}
			got, err := m.small(groupCtx, cell.job)
			if err != nil || got == nil {
				return err
			}
			lock.Lock()
			defer lock.Unlock()
			return m.finish(cell, got, progress)
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for _, cell := range m.cells {
		if cell.outcome != nil {
			continue
		}
		if ctx.Err() != nil {
			return nil
		}
		progress.Meter.Clear()
		got, err := m.alone(ctx, cell.job)
		if err == nil && got == nil {
			return nil
		}
		if err == nil {
			err = m.finish(cell, got, progress)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// undecidable reports whether a search ended for a reason that no larger limit changes.
func undecidable(stop explore.Stop) bool {
	return stop == explore.StopConstraint || stop == explore.StopStore || stop == explore.StopEmpty || stop == job.StopUnasked
}

// failure is the error of the model.
func failure(panicked *explore.PanicError, broken *explore.ContractError) error {
	if broken != nil {
		return broken
	}
	return panicked
}

// outcomeOf is what a run says of its cell. An error of the model is an outcome too: it
// ends the cell, not the matrix.
func outcomeOf(out *job.Outcome, err error, began time.Time) (*results.Outcome, error) {
	var panicked *explore.PanicError
	var broken *explore.ContractError
	if errors.As(err, &panicked) || errors.As(err, &broken) {
		return &results.Outcome{
			Verdict: results.Failed, Reason: strings.ReplaceAll(failure(panicked, broken).Error(), "\n", "; "), ExitCode: exitInternal, Seconds: time.Since(began).Seconds(),
		}, nil
	}
	if err != nil {
		return nil, err
	}
	r := out.Record(nil, codeOf(out.End))
	o := &results.Outcome{
		Verdict: r.Verdict, ExitCode: r.ExitCode, Violations: r.Violations, Vacuous: r.Vacuous,
		Distinct: r.Distinct, Generated: r.Generated, Depth: r.Depth, Seconds: r.Seconds,
	}
	if len(out.Constraints) > 0 {
		o.Outside = &r.Outside
	}
	o.Idle = out.IdleAll()
	switch {
	case out.Vacuous():
		o.Verdict, o.Reason = results.Vacuous, r.Reason
	case r.Verdict == results.Inconclusive:
		o.Reason = r.Reason
	}
	return o, nil
}

// finish keeps the outcome of a cell.
func (m *matrix) finish(cell *matrixCell, got *results.Outcome, progress *tell.CellMeter) error {
	m.take(cell, *got)
	progress.Update(m.progress())
	return m.keep(cell.job, m.name(cell), got)
}

// take gives a cell its outcome.
func (m *matrix) take(cell *matrixCell, got results.Outcome) {
	cell.outcome = onlyChanged(got, cell.changed)
	m.done++
}

// onlyChanged is an outcome of whose rules that decided nothing only the changed ones are
// left, if some are changed: of the others the check without any change says so. The file of
// finished cells has all, as there the same check may be one of another base, with other rules
// changed.
func onlyChanged(o results.Outcome, changed []results.Setting) *results.Outcome {
	if len(changed) > 0 {
		o.Idle = slices.DeleteFunc(slices.Clone(o.Idle), func(name string) bool {
			return !slices.ContainsFunc(changed, func(s results.Setting) bool { return s.Name == name })
		})
	}
	return &o
}

// progress says how many cells are finished.
func (m *matrix) progress() string { return fmt.Sprintf("%d of %d cells", m.done, len(m.cells)) }

// name is a cell for people.
func (m *matrix) name(cell *matrixCell) string {
	c := results.MatrixCell{Changed: cell.changed}
	return m.bases[cell.base].Name() + ": " + c.Name()
}

// reuse takes what is in the file of finished cells.
func (m *matrix) reuse(progress *tell.CellMeter) error {
	if m.finished == nil {
		return nil
	}
	for _, cell := range m.cells {
		got, err := m.find(cell.job)
		if err != nil {
			return err
		}
		if got != nil {
			m.take(cell, *got)
		}
	}
	if m.finished.Len() > 0 {
		tell.Printf(m.call.stderr, "vsrcheck: matrix: %d of %d cells are in %s\n", m.done, len(m.cells), m.resume)
	}
	progress.Update(m.progress())
	return nil
}
