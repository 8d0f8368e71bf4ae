package job

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"vsrcheck/explore"
)

// Limits are how a search is run, and how far: what changes no verdict but whether there is one.
type Limits struct {
	Workers     int // 0: one per processor
	Store       string
	MaxStates   uint64 // 0: no limit
	MaxDepth    int    // 0: no limit
	MemoryLimit Memory
	SpillDir    string
	DiskLimit   Memory
	Timeout     time.Duration // 0: no limit
	TimeoutName string        // of its option
}

// NewLimits are those of a run for which none are given: on the memory alone.
func NewLimits() Limits {
	return Limits{Store: string(explore.StoreExact), MemoryLimit: DefaultMemory(), DiskLimit: Memory{Text: "none"}}
}

// errTimeout is the cause of a context that a time limit has cancelled.
var errTimeout = errors.New("time limit reached")

// WorkerCount is the number of workers, one per processor by default.
func (l *Limits) WorkerCount() int {
	if l.Workers == 0 {
		return runtime.GOMAXPROCS(0)
	}
	return l.Workers
}

// Options are the engine's options for the limits, apart from the time.
func (l *Limits) Options() explore.Options {
	return explore.Options{
		Workers: l.WorkerCount(), Store: explore.StoreKind(l.Store),
		MaxStates: l.MaxStates, MaxDepth: l.MaxDepth, MemoryLimit: forStates(l.MemoryLimit.Limit()),
		SpillDir: l.SpillDir, DiskLimit: l.DiskLimit.Limit(),
	}
}

// forStates is the share of a memory limit that the engine may use: the rest is for the
// program itself and for garbage.
func forStates(limit uint64) uint64 { return limit - limit/10 - min(limit/3, 16<<20) }

// WithTimeout is the context of a run that the time limit may end.
func (l *Limits) WithTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	if l.Timeout == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, l.Timeout, errTimeout)
}

// Within puts what is done until the function is called under the limits on time and memory.
func (l *Limits) Within(ctx context.Context) (context.Context, func()) {
	ctx, cancel := l.WithTimeout(ctx)
	limit := l.MemoryLimit.Limit()
	before := debug.SetMemoryLimit(-1)
	if limit != 0 && limit < 1<<62 {
		// Garbage should not push a process over a limit that its data keeps.
		debug.SetMemoryLimit(int64(limit))
	}
	return ctx, func() {
		debug.SetMemoryLimit(before)
		cancel()
	}
}

// ReasonOf names the time limit as what interrupted a run, when it did.
func (l *Limits) ReasonOf(ctx context.Context, reason string) string {
	if !errors.Is(context.Cause(ctx), errTimeout) {
		return reason
	}
	return strings.Replace(reason, "interrupted", fmt.Sprintf("time limit of %s reached", l.Timeout), 1)
}

// Explore runs a job under the limits. The options are those of the limits, with what else
// is wanted of the run.
func (l *Limits) Explore(ctx context.Context, j *Job, opt explore.Options) (*Outcome, error) {
	ctx, done := l.Within(ctx)
	defer done()
	out, err := j.Run(ctx, opt)
	if err != nil {
		return out, err
	}
	switch out.Stop {
	case explore.StopInterrupted:
		out.TimedOut = errors.Is(context.Cause(ctx), errTimeout)
		out.Why = l.ReasonOf(ctx, out.Why)
	case explore.StopMemory: // of which the engine knows only its share
		out.Why = strings.Replace(out.Why, fmt.Sprintf("limit of %d bytes", opt.MemoryLimit), fmt.Sprintf("limit of %d bytes", l.MemoryLimit.Limit()), 1)
	}
	return out, nil
}
