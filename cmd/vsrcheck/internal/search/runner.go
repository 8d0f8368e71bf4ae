package search

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"time"

	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/explore"
	"vsrcheck/explore/lock"
	"vsrcheck/model"
	"vsrcheck/results"
	"vsrcheck/results/matrix"
	"vsrcheck/specs"
)

// change is one rule at another alternative than a base's.
type change struct {
	rule        model.Rule
	alternative string
}

// Base is a specification in one size, under its own rules.
func (r *Runner) Base(spec specs.Spec, s job.Size) (*job.Job, matrix.Base, error) {
	own, err := r.Request.Apply(spec)
	if err != nil {
		return nil, matrix.Base{}, err
	}
	if own, err = s.Settings.Apply(own.Spec); err != nil {
		return nil, matrix.Base{}, fmt.Errorf("%s %s: %w", spec.Name, s.Name, err)
	}
	own = job.NewOverride(spec, own.Spec)
	own.Chosen = r.Request.Properties != nil
	j, err := job.New(own, r.Request.ContinueAll, r.Request.Reduce)
	if err != nil {
		return nil, matrix.Base{}, fmt.Errorf("%s: %w", strings.TrimSpace(spec.Name+" "+s.Name), err)
	}
	return j, matrix.Base{
		Spec: j.Name, Path: j.Path, Size: s.Name, Summary: j.Summary, Config: j.ConfigSettings(), Rules: j.RuleSettings(),
		Properties: j.Bound.Listed, Constraints: j.Constraints, Reduction: job.ReductionOf(j.Model),
	}, nil
}

// changed is a base with some of its rules changed.
func (r *Runner) changed(own specs.Spec, changes ...change) (*job.Job, []results.Setting, error) {
	spec, settings := own, []results.Setting{}
	for _, c := range changes {
		settings = append(settings, results.Setting{Name: c.rule.Name, Value: c.alternative, Instead: c.rule.Get(own.Rules)})
		if err := c.rule.Set(&spec.Rules, c.alternative); err != nil {
			return nil, nil, err
		}
	}
	effective := job.NewOverride(own, spec)
	effective.Chosen = r.Request.Properties != nil
	j, err := job.New(effective, r.Request.ContinueAll, r.Request.Reduce)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", own.Name, err)
	}
	return j, settings, nil
}

// Runner runs checks for a command that needs many for one answer, and keeps in a file those
// that are finished.
type Runner struct {
	Request *job.Request // what every check has instead of its specification's
	Limits  *job.Limits  // of each check
	KeepIn  string       // the file for checks that are finished; "" is none
	Small   uint64       // the distinct states of a check that runs beside others, at most

	// explore runs a check by itself, and may show how it gets on; nil is Limits.Explore.
	Explore  func(context.Context, *job.Job, explore.Options) (*job.Outcome, error)
	ExitCode func(job.Ending) int             // that a check by itself would have
	Warn     func(format string, args ...any) // says what is worth knowing
	Show     func(text string)                // shows how far the answer is
	Clear    func()                           // takes back what was shown

	finished *matrix.FinishedCells // nil: they are not kept
	held     *lock.Lock            // of their file
	lock     sync.Mutex            // over what keep writes
}

// Open opens the file of --resume.
func (r *Runner) Open() (err error) {
	if r.KeepIn != "" {
		if r.held, err = LockCells(r.KeepIn); err != nil {
			return err
		}
		if r.finished, err = matrix.OpenCells(r.KeepIn); err != nil {
			r.held.Release()
			return err
		}
		if r.finished.Torn() {
			r.Warn("the last line of %s was not complete and is gone; its cell is run again", r.KeepIn)
		}
	}
	return nil
}

// Close closes it.
func (r *Runner) Close() {
	if r.finished != nil {
		_ = r.finished.Close() // each check is written already
		r.held.Release()
	}
}

// LockCells keeps another run from the same file of finished cells.
func LockCells(path string) (*lock.Lock, error) {
	held, err := lock.Take(path + ".lock")
	var at *fs.PathError
	switch {
	case errors.Is(err, lock.ErrHeld):
		return nil, fmt.Errorf("%w: %s: %w", matrix.ErrCells, path, err)
	case errors.As(err, &at):
		return nil, fmt.Errorf("%w %s: %w", results.ErrOutput, path, at.Err)
	case err != nil:
		return nil, fmt.Errorf("%w %s: %w", results.ErrOutput, path, err)
	}
	return held, nil
}

// KeptText says whether an interrupted search can go on.
func (r *Runner) KeptText() string {
	if r.finished != nil {
		return "the same command goes on"
	}
	return "--resume FILE would have kept them"
}

// find is the outcome of a check that is in the file, or nil.
func (r *Runner) find(j *job.Job) (*matrix.Outcome, error) {
	if r.finished == nil {
		return nil, nil
	}
	key, err := r.key(j)
	if err != nil {
		return nil, err
	}
	if got, ok := r.finished.Find(key, r.limitText()); ok {
		return &got, nil
	}
	return nil, nil
}

// keep writes the outcome of a check to the file. Several goroutines may.
func (r *Runner) keep(j *job.Job, name string, got *matrix.Outcome) error {
	if r.finished == nil || got.Verdict == matrix.Failed {
		return nil
	}
	key, err := r.key(j)
	if err != nil {
		return err
	}
	r.lock.Lock()
	defer r.lock.Unlock()
	return r.finished.Add(matrix.FinishedCell{Key: key, Name: name, Limits: r.limitText(), Outcome: *got})
}

// cellVerified is the number of steps in which a small cell verifies the contract of its model.
const cellVerified = 2000

// aside runs a check with one worker as far as small ones go. Its outcome is nil if that
// decided nothing.
func (r *Runner) aside(ctx context.Context, j *job.Job) (*matrix.Outcome, error) {
	limited, cancel := r.Limits.WithTimeout(ctx)
	defer cancel()
	opt := r.Limits.Options()
	opt.MemoryLimit /= uint64(r.Limits.WorkerCount())
	opt.Workers, opt.MaxStates = 1, r.Small
	// Hundreds of small runs of one model: each verifies a beginning of its own and a sample.
	opt.Verify = &explore.Verification{First: min(cellVerified, explore.DefaultVerification.First), OneIn: explore.DefaultVerification.OneIn}
	asked := r.Limits.MaxStates != 0 && r.Limits.MaxStates <= r.Small
	if asked {
		opt.MaxStates = r.Limits.MaxStates
	}
	began := time.Now()
	out, err := j.Run(limited, opt)
	if err == nil && out.Stop != explore.StopNone && !(asked && out.Stop == explore.StopStates) && !Undecidable(out.Stop) {
		return nil, nil
	}
	return r.OutcomeOf(out, err, began)
}

// alone runs a check by itself, with all workers. Its outcome is nil if it was interrupted.
func (r *Runner) alone(ctx context.Context, j *job.Job) (*matrix.Outcome, error) {
	began := time.Now()
	out, err := r.Explore(ctx, j, r.Limits.Options())
	if err == nil && ctx.Err() != nil {
		return nil, nil
	}
	return r.OutcomeOf(out, err, began)
}

// thisProgram identifies the program; finding that out may read all of it.
var thisProgram = sync.OnceValue(func() string {
	build := results.ReadBuild()
	return build.Version + " " + build.Revision + " " + job.ProgramSum(build)
})

// key stands for everything on which the outcome of a check depends.
func (r *Runner) key(j *job.Job) (string, error) {
	spec := j.Spec
	spec.Summary, spec.Text, spec.Size = "", "", ""
	data, err := json.Marshal([]string{thisProgram(), j.Model.Layout(), specs.Write(spec), r.Request.Reduce, fmt.Sprint(r.Request.ContinueAll), fmt.Sprint(j.Chosen)})
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16]), nil
}

// limitText has what an inconclusive check depends on besides.
func (r *Runner) limitText() string {
	return fmt.Sprintf("max-states=%d time-limit=%s memory-limit=%d disk-limit=%d", r.Limits.MaxStates, r.Limits.Timeout, r.Limits.MemoryLimit.Limit(), r.Limits.DiskLimit.Limit())
}
