package explore

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/axiomhq/hyperloglog"
	"golang.org/x/sync/errgroup"
)

// SimulateOptions of one simulation.
type SimulateOptions struct {
	Seed    uint64 // walk i is a function of the system, the seed and i alone
	Walks   uint64 // end after so many walks; 0: when the context is cancelled
	Depth   int    // a walk ends after so many steps; 0 means DefaultDepth
	Workers int    // number of workers; 0 means one per processor

	Interval time.Duration // between calls of Progress; 0 means one second
	Progress func(SimulateProgress)
	Verify   *Verification // in how many states to verify the contract of the system; nil means DefaultVerification

	noShrink bool // tests look at walks as they were
}

// DefaultDepth is the number of steps after which a walk ends, unless
// SimulateOptions.Depth says otherwise.
const DefaultDepth = 1000

// SimulateProgress is a snapshot of a simulation under way.
type SimulateProgress struct {
	Phase   string // "simulate" or "shrink"
	Walks   uint64 // begun
	Elapsed time.Duration
}

// StopWalks is the reason that ends a simulation without a decisive violation: all
// its walks are done.
const StopWalks Stop = "walks"

// Simulation is the result of Simulate. Everything but the time is the same for every
// number of workers and every run, unless the context was cancelled.
type Simulation[S any] struct {
	// Verdict is Violated or Inconclusive: walks prove nothing.
	Verdict    Verdict
	Stop       Stop
	Reason     string
	Violations []Found[S] // the decisive one first

	Walks     uint64   // done
	Cut       uint64   // of these, ended by SimulateOptions.Depth
	Steps     uint64   // taken
	Longest   int      // steps of the longest walk
	Outside   uint64   // steps that were possible, and not taken as they lead outside the constraint
	OutsideOf []uint64 // per Properties.ConstraintParts: of these steps, those where it is false
	Quiescent uint64   // visits to states that no fair action changes
	Observed  []uint64
	Coverage  []WalkCoverage
	// ReachableMet has the number of the walk in which each Reachable was first met.
	ReachableMet map[string]uint64
	// Distinct estimates the number of distinct states visited; its standard error is
	// DistinctError, as a share of the number.
	Distinct uint64
	// PanicTrace leads to the state of the *PanicError or *ContractError that Simulate
	// returned.
	PanicTrace []Step[S]

	Seed    uint64
	Depth   int
	Workers int
	Elapsed time.Duration // of the walks, without shrinking
}

// DistinctError is the standard error of Simulation.Distinct, as a share of it: 1.04
// divided by the square root of the number of registers of the HyperLogLog sketch,
// 1<<14.
const DistinctError = 1.04 / 128

// Found is a violation that a simulation has met and shrunk. Its trace violates the
// property, and is not proven to be a shortest one.
type Found[S any] struct {
	Violation[S]
	Walk   uint64 // number of the walk
	Walked int    // steps of that walk up to the violation
}

// WalkCoverage counts what one kind of action did in walks. Generated and Effective
// count the steps among which the walks chose.
type WalkCoverage struct {
	Coverage
	Taken uint64
}

// Simulate walks through the state graph of sys at random and checks the properties in
// the states and the steps that it comes by. The weights of a walk's choices are in
// walk.go. Its errors are those of Check.
//
// Walks are done in rounds, and a round is always completed before a violation is
// looked at, so that the result does not depend on which worker was faster. Of the
// walks that violate a property the first by number is reported.
func Simulate[S any](ctx context.Context, sys System[S], props Properties[S], opt SimulateOptions) (*Simulation[S], error) {
	s, err := newSimulation(sys, props, opt)
	if err != nil {
		return nil, err
	}
	stopReport := s.report()
	defer stopReport()
	if err := s.verifyInit(); err != nil {
		res := s.result(ctx)
		res.Stop, res.Reason = stopOf(err.(failure)), err.Error()
		return res, err
	}
	panicked := s.run(ctx)
	res := s.result(ctx)
	if panicked != nil {
		res.Stop, res.Reason = stopOf(panicked.failure), panicked.Error()
		w := s.walkers[0]
		rec, _ := w.again(panicked.walk, -1)
		res.PanicTrace = decodeTrace(sys, rec)
		return res, panicked.failure
	}
	if err := s.violations(ctx, res); err != nil {
		return nil, err
	}
	if len(res.Violations) > 0 {
		res.Verdict = Violated
	}
	return res, nil
}

// roundWalks is the number of walks of a round: enough for the last worker of a round
// to be waited for not long in comparison.
const roundWalks = 256

// simulation is one run of Simulate.
type simulation[S any] struct {
	sys          System[S]
	props        Properties[S]
	opt          SimulateOptions
	slots        slots
	open         []bool // per slot: the first violation is still looked for
	ends         []bool // per slot: a violation ends its walk, and the simulation after the round
	walkers      []*walker[S]
	verification Verification
	started      time.Time
	elapsed      time.Duration
	found        []uint64 // per slot: the walk that violates it, plus 1
	begins       beginnings
	phase        atomic.Value // string
	round        uint64       // first walk of the round
	_            cacheLine
	cursor       atomic.Uint64 // walks of the round that are taken
	begun        atomic.Uint64
	_            cacheLine
}

func newSimulation[S any](sys System[S], props Properties[S], opt SimulateOptions) (*simulation[S], error) {
	if reducedOf(sys) != nil {
		return nil, errors.New("simulate: the system leaves out steps, want one that does not")
	}
	if opt.Workers <= 0 {
		opt.Workers = runtime.GOMAXPROCS(0)
	}
	if opt.Depth <= 0 {
		opt.Depth = DefaultDepth
	}
	s := &simulation[S]{sys: sys, props: props, opt: opt, slots: slotsOf(&props), verification: opt.Verify.orDefault(), started: time.Now()}
	if n := sys.Words(); n < 1 {
		return nil, fmt.Errorf("encoding is %d words wide, want at least 1", n)
	}
	s.found = make([]uint64, s.slots.n)
	s.open = make([]bool, s.slots.n)
	s.ends = make([]bool, s.slots.n)
	for i := range s.slots.reachable {
		name, _ := propertyAt(&s.props, i)
		s.open[i] = i != s.slots.deadlock || props.CheckDeadlock
		s.ends[i] = s.open[i] && !props.Deferred[name]
	}
	for range opt.Workers {
		s.walkers = append(s.walkers, newWalker(s))
	}
	s.enter("simulate")
	return s, nil
}

func (s *simulation[S]) enter(phase string) { s.phase.Store(phase) }

// run does the rounds. It returns the panic of the first walk that had one.
func (s *simulation[S]) run(ctx context.Context) *walkPanic {
	defer func() { s.elapsed = time.Since(s.started) }()
	if s.begins = s.lookAtInit(); s.begins.within == 0 {
		if s.begins.all == 0 {
			return nil
		}
		// There is no more to see than what walks begin with.
		if s.opt.Walks = min(s.opt.Walks, roundWalks); s.opt.Walks == 0 {
			s.opt.Walks = roundWalks
		}
	}
	for s.round = 0; s.opt.Walks == 0 || s.round < s.opt.Walks; s.round += roundWalks {
		n := uint64(roundWalks)
		if s.opt.Walks != 0 {
			n = min(n, s.opt.Walks-s.round)
		}
		s.cursor.Store(0)
		var g errgroup.Group
		for _, w := range s.walkers {
			g.Go(func() error {
				for ctx.Err() == nil {
					i := s.cursor.Add(1) - 1
					if i >= n {
						break
					}
					w.walk(s.round + i)
				}
				return nil
			})
		}
		_ = g.Wait()
		if panicked, more := s.endRound(); panicked != nil || !more || ctx.Err() != nil {
			return panicked
		}
	}
	return nil
}

// verifyInit verifies the initial states.
func (s *simulation[S]) verifyInit() error {
	if s.verification == (Verification{}) {
		return nil
	}
	return guard("init", func() error {
		var encs []uint64
		n := uint64(0)
		enc := make([]uint64, s.sys.Words())
		s.sys.Init(func(st *S) {
			if n++; n <= max(1, s.verification.First) {
				s.sys.Encode(st, enc)
				encs = append(encs, enc...)
			}
		})
		s.walkers[0].verify.initials(encs, n)
		return nil
	})
}

// endRound merges what the workers have found, and reports whether there is to be
// another round.
func (s *simulation[S]) endRound() (panicked *walkPanic, more bool) {
	more = true
	for _, w := range s.walkers {
		if w.panicked != nil && (panicked == nil || w.panicked.walk < panicked.walk) {
			panicked = w.panicked
		}
		for slot, walk := range w.found {
			if walk != 0 && (s.found[slot] == 0 || walk < s.found[slot]) {
				s.found[slot] = walk
			}
			w.found[slot] = 0
		}
	}
	for slot, walk := range s.found {
		if walk != 0 {
			s.open[slot] = false
			more = more && !s.ends[slot]
		}
	}
	return panicked, more
}

// result has the figures of the walks.
func (s *simulation[S]) result(ctx context.Context) *Simulation[S] {
	res := &Simulation[S]{
		Verdict: Inconclusive, Elapsed: s.elapsed,
		Seed: s.opt.Seed, Depth: s.opt.Depth, Workers: s.opt.Workers,
		Observed: make([]uint64, len(s.props.Observed)), OutsideOf: make([]uint64, len(s.props.ConstraintParts)), ReachableMet: map[string]uint64{},
	}
	for _, name := range aboutActions(s.sys).Kinds() {
		res.Coverage = append(res.Coverage, WalkCoverage{Coverage: Coverage{Kind: name}})
	}
	seen := hyperloglog.NewNoSparse()
	for _, w := range s.walkers {
		res.Walks += w.walks
		res.Cut += w.cut
		res.Steps += w.taken
		res.Longest = max(res.Longest, w.longest)
		res.Outside += w.outside
		for i, n := range w.outsideOf {
			res.OutsideOf[i] += n
		}
		res.Quiescent += w.quiescent
		for i, n := range w.observed {
			res.Observed[i] += n
		}
		for i := range w.coverage {
			c, mine := &res.Coverage[i], &w.coverage[i]
			c.Fair = c.Fair || mine.Fair
			c.Generated += mine.Generated
			c.Effective += mine.Effective
			c.Taken += mine.Taken
		}
		for i, walk := range w.met {
			name := s.props.Reachable[i].Name
			if first, ok := res.ReachableMet[name]; walk != 0 && (!ok || walk-1 < first) {
				res.ReachableMet[name] = walk - 1
			}
		}
		_ = seen.Merge(w.seen) // fails when the numbers of registers differ
	}
	res.Distinct = seen.Estimate()
	res.Stop, res.Reason = StopWalks, fmt.Sprintf("nothing violated in %d walks", res.Walks)
	if ctx.Err() != nil {
		res.Stop, res.Reason = StopInterrupted, fmt.Sprintf("interrupted; nothing violated in %d walks", res.Walks)
	}
	if s.begins.within == 0 && ctx.Err() == nil {
		res.Stop, res.Reason = StopEmpty, noBeginning(s.begins.all)
	}
	for slot, walk := range s.found {
		if walk != 0 && s.ends[slot] {
			res.Stop, res.Reason = StopNone, ""
		}
	}
	return res
}

// violations walks the violating walks once more, this time keeping what they did, and
// shrinks them.
func (s *simulation[S]) violations(ctx context.Context, res *Simulation[S]) error {
	s.enter("shrink")
	if ctx.Err() != nil {
		ctx = context.WithoutCancel(ctx) // that was meant for the walks; a few seconds more show what they met
	}
	order := make([]int, 0, len(s.found))
	for slot, walk := range s.found {
		if walk != 0 {
			order = append(order, slot)
		}
	}
	// As in Check, the decisive ones first.
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case s.ends[a] == s.ends[b]:
			return 0
		case s.ends[a]:
			return -1
		}
		return 1
	})
	w := s.walkers[0]
	for _, slot := range order {
		walked, ok := w.again(s.found[slot]-1, slot)
		if !ok {
			return errors.New("a walk did not go the same way again: the model is not a function of the state")
		}
		err := guard("shrink", func() error {
			sh := newShrinker(s.sys, &s.props, slot, walked)
			if !s.opt.noShrink {
				sh.shrink(ctx)
			}
			res.Violations = append(res.Violations, Found[S]{Violation: sh.violation(), Walk: s.found[slot] - 1, Walked: len(walked.actions)})
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// report calls Progress from time to time until the returned function is called.
func (s *simulation[S]) report() (stop func()) {
	if s.opt.Progress == nil {
		return func() {}
	}
	interval := s.opt.Interval
	if interval <= 0 {
		interval = time.Second
	}
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(interval)
		defer tick.Stop()
		for {
			select {
			case <-quit:
				return
			case <-tick.C:
				s.opt.Progress(SimulateProgress{Phase: s.phase.Load().(string), Walks: s.begun.Load(), Elapsed: time.Since(s.started)})
			}
		}
	}()
	return func() { close(quit); <-done }
}
