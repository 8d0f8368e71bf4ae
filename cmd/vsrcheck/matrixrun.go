package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"vsrcheck/explore"
	"vsrcheck/results"
	"vsrcheck/specs"
)

// defaultSmallCell is the number of distinct states up to which cells run side by side,
// with one worker each. What a larger cell costs is lost once, at most a second or two.
const defaultSmallCell = 100_000

// run runs the cells that are not finished: the small ones side by side, then the others
// one after the other. It ends early, without an error, when it is interrupted.
func (m *matrix) run(ctx context.Context) error {
	progress := &cellMeter{meter: newMeter(m.call.stderr, 0), all: len(m.cells), quiet: m.noProgress}
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
			got, err := m.small(groupCtx, cell)
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
		began := time.Now()
		progress.meter.clear()
		out, err := m.explore(ctx, m.call, cell.job, m.engineOptions())
		if err == nil && ctx.Err() != nil {
			return nil
		}
		got, err := outcomeOf(out, err, began)
		if err == nil {
			err = m.finish(cell, got, progress)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// small runs a cell with one worker as far as small cells go. Its outcome is nil if that
// decided nothing.
func (m *matrix) small(ctx context.Context, cell *matrixCell) (*results.Outcome, error) {
	limited, cancel := m.withTimeout(ctx)
	defer cancel()
	opt := m.engineOptions()
	opt.MemoryLimit /= uint64(m.workerCount())
	opt.Workers, opt.MaxStates = 1, m.smallCell
	asked := m.maxStates != 0 && m.maxStates <= m.smallCell
	if asked {
		opt.MaxStates = m.maxStates
	}
	began := time.Now()
	out, err := cell.job.run(limited, opt)
	if err == nil && out.Stop != explore.StopNone && !(asked && out.Stop == explore.StopStates) && !undecidable(out.Stop) {
		return nil, nil
	}
	return outcomeOf(out, err, began)
}

// undecidable reports whether a search ended for a reason that no larger limit changes.
func undecidable(stop explore.Stop) bool {
	return stop == explore.StopConstraint || stop == explore.StopStore || stop == explore.StopEmpty || stop == stopUnasked
}

// outcomeOf is what a run says of its cell. An error of the model is an outcome too: it
// ends the cell, not the matrix.
func outcomeOf(out *outcome, err error, began time.Time) (*results.Outcome, error) {
	var failed *explore.PanicError
	if errors.As(err, &failed) {
		return &results.Outcome{
			Verdict: results.Failed, Reason: strings.ReplaceAll(failed.Error(), "\n", "; "), ExitCode: exitInternal, Seconds: time.Since(began).Seconds(),
		}, nil
	}
	if err != nil {
		return nil, err
	}
	r := out.record(nil)
	o := &results.Outcome{
		Verdict: r.Verdict, ExitCode: r.ExitCode, Violations: r.Violations, Vacuous: r.Vacuous,
		Distinct: r.Distinct, Generated: r.Generated, Depth: r.Depth, Seconds: r.Seconds,
	}
	if len(out.Constraints) > 0 {
		o.Outside = &r.Outside
	}
	switch {
	case out.vacuous():
		o.Verdict, o.Reason = results.Vacuous, r.Reason
	case r.Verdict == results.Inconclusive:
		o.Reason = r.Reason
	}
	return o, nil
}

// finish keeps the outcome of a cell.
func (m *matrix) finish(cell *matrixCell, got *results.Outcome, progress *cellMeter) error {
	cell.outcome = got
	m.done++
	progress.update(m.done)
	if m.finished == nil || got.Verdict == results.Failed {
		return nil
	}
	key, err := m.key(cell)
	if err != nil {
		return err
	}
	return m.finished.Add(results.FinishedCell{Key: key, Name: m.name(cell), Limits: m.limits(), Outcome: *got})
}

// name is a cell for people.
func (m *matrix) name(cell *matrixCell) string {
	c := results.MatrixCell{Changed: cell.changed}
	return m.bases[cell.base].Name() + ": " + c.Name()
}

// reuse takes what is in the file of finished cells.
func (m *matrix) reuse(progress *cellMeter) error {
	if m.finished == nil {
		return nil
	}
	if m.finished.Torn() {
		printf(m.call.stderr, "vsrcheck: matrix: the last line of %s was not complete and is gone; its cell is run again\n", m.resume)
	}
	for _, cell := range m.cells {
		key, err := m.key(cell)
		if err != nil {
			return err
		}
		if got, ok := m.finished.Find(key, m.limits()); ok {
			cell.outcome = &got
			m.done++
		}
	}
	if m.finished.Len() > 0 {
		printf(m.call.stderr, "vsrcheck: matrix: %d of %d cells are in %s\n", m.done, len(m.cells), m.resume)
	}
	progress.update(m.done)
	return nil
}

// thisProgram identifies the program; finding that out may read all of it.
var thisProgram = sync.OnceValue(func() string {
	build := results.ReadBuild()
	return build.Version + " " + build.Revision + " " + programSum(build)
})

// key stands for everything on which the outcome of a cell depends.
func (m *matrix) key(cell *matrixCell) (string, error) {
	spec := cell.job.Spec
	spec.Summary, spec.Text, spec.Size = "", "", ""
	data, err := json.Marshal([]string{thisProgram(), cell.job.model.Layout(), specs.Write(spec), m.reduce, fmt.Sprint(m.continueAll), fmt.Sprint(cell.job.chosen)})
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16]), nil
}

// limits are what an inconclusive cell depends on besides.
func (m *matrix) limits() string {
	return fmt.Sprintf("max-states=%d time-limit=%s memory-limit=%d disk-limit=%d", m.maxStates, m.timeout, m.memoryLimit.limit(), m.diskLimit.limit())
}

// cellMeter shows how many cells are finished.
type cellMeter struct {
	meter *meter
	all   int
	quiet bool
	last  time.Time
}

func (c *cellMeter) update(done int) {
	if c.last.IsZero() {
		c.last = time.Now()
	}
	if c.quiet || !c.meter.terminal && time.Since(c.last) < c.meter.interval() {
		return
	}
	c.last = time.Now()
	c.meter.show(fmt.Sprintf("%d of %d cells", done, c.all))
}
