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

	"vsrcheck/explore"
	"vsrcheck/results"
	"vsrcheck/results/matrix"
)

// run runs the cells that are not finished: the small ones side by side, then the others
// one after the other. It ends early, without an error, when it is interrupted.
func (m *grid) run(ctx context.Context) error {
	progress := &cellMeter{meter: newMeter(m.call.stderr, 0), quiet: m.noProgress}
	defer progress.meter.clear()
	if err := m.reuse(progress); err != nil {
		return err
	}
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(m.workerCount())
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
		progress.meter.clear()
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
	return stop == explore.StopConstraint || stop == explore.StopStore || stop == explore.StopEmpty || stop == stopUnasked
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
func outcomeOf(out *outcome, err error, began time.Time) (*matrix.Outcome, error) {
	var panicked *explore.PanicError
	var broken *explore.ContractError
	if errors.As(err, &panicked) || errors.As(err, &broken) {
		return &matrix.Outcome{
			Verdict: matrix.Failed, Reason: strings.ReplaceAll(failure(panicked, broken).Error(), "\n", "; "), ExitCode: exitInternal, Seconds: time.Since(began).Seconds(),
		}, nil
	}
	if err != nil {
		return nil, err
	}
	r := out.record(nil)
	o := &matrix.Outcome{
		Verdict: r.Verdict, ExitCode: r.ExitCode, Violations: r.Violations, Vacuous: r.Vacuous,
		Distinct: r.Distinct, Generated: r.Generated, Depth: r.Depth, Seconds: r.Seconds,
	}
	if len(out.Constraints) > 0 {
		o.Outside = &r.Outside
	}
	o.Idle = out.idleAll()
	switch {
	case out.vacuous():
		o.Verdict, o.Reason = matrix.Vacuous, r.Reason
	case r.Verdict == results.Inconclusive:
		o.Reason = r.Reason
	}
	return o, nil
}

// finish keeps the outcome of a cell.
func (m *grid) finish(cell *matrixCell, got *matrix.Outcome, progress *cellMeter) error {
	m.take(cell, *got)
	progress.update(m.progress())
	return m.keep(cell.job, m.name(cell), got)
}

// take gives a cell its outcome.
func (m *grid) take(cell *matrixCell, got matrix.Outcome) {
	cell.outcome = onlyChanged(got, cell.changed)
	m.done++
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
func (m *grid) progress() string { return fmt.Sprintf("%d of %d cells", m.done, len(m.cells)) }

// name is a cell for people.
func (m *grid) name(cell *matrixCell) string {
	c := matrix.Cell{Changed: cell.changed}
	return m.bases[cell.base].Name() + ": " + c.Name()
}

// reuse takes what is in the file of finished cells.
func (m *grid) reuse(progress *cellMeter) error {
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
		printf(m.call.stderr, "vsrcheck: matrix: %d of %d cells are in %s\n", m.done, len(m.cells), m.resume)
	}
	progress.update(m.progress())
	return nil
}
