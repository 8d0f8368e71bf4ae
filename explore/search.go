package explore

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"vsrcheck/explore/internal/store"
	"vsrcheck/explore/lock"
)

// search is one run.
type search[S any] struct {
	sys          System[S]
	props        Properties[S]
	opt          Options
	about        about
	width        int
	kinds        []string
	slots        slots
	measured     Measured[S] // nil when there is no measure to verify
	reduced      Reduced[S]  // nil when Next leaves out nothing
	encodeStep   func(s *S, encoded []uint64, t *S, dst []uint64)
	verification Verification
	inspects     bool // new states have to be decoded and inspected

	lock    *lock.Lock // of the directory of checkpoints
	disk    *store.Disk
	store   store.Store
	levels  []store.Level // of increasing depth; the last one is the frontier
	counts  []uint64      // of the levels' states within the constraint
	workers []*worker[S]
	started time.Time

	// Shared by the workers, fixed while a level is expanded.
	depth       int                   // of the level being expanded
	open        []bool                // per slot: the property may still be decided
	stop        atomic.Pointer[Stop]  // set to leave a level before its end
	pause       atomic.Bool           // set to leave it for a checkpoint
	diskTrouble atomic.Pointer[error] // why, when that is StopDisk
	cyclic      atomic.Bool           // a step did not increase the measure

	// Shared and changing all the time, so kept away from what is only read.
	_        cacheLine
	cursor   atomic.Int64
	progress progress
	_        cacheLine

	perState  time.Duration // what a worker took for a state of the last level
	covered   int           // deepest level expanded completely
	distinct  uint64
	generated uint64
	quiescent uint64
	observed  []uint64
	noted     []uint64
	outside   uint64 // distinct states outside the constraint
	outsideOf []uint64
	initOut   uint64 // initial states among them
	fairOut   uint64 // fair steps that lead there
	witnesses []witness
	met       map[string]int

	border      *border // the last one, if checkpoints are made
	savedBorder *border // of the last checkpoint
	resumed     *saved  // the checkpoint that is to be brought back, until it is
	savedAt     time.Time

	rest        store.Level // of the level after the border of the checkpoint, until it is expanded
	expanded    uint64      // states of that level that are not in rest
	uninspected bool        // the store does not say which of the level under construction are new
}

func check[S any](ctx context.Context, sys System[S], props Properties[S], opt Options) (*Result[S], error) {
	s, err := newSearch(sys, props, opt)
	if err != nil {
		return nil, err
	}
	defer s.close()
	defer context.AfterFunc(ctx, func() { s.halt(StopInterrupted) })()
	if ctx.Err() != nil {
		s.halt(StopInterrupted) // AfterFunc would do so too, but later
	}
	stopReport := s.report()
	defer stopReport()
	if s.resumed != nil {
		if err := s.restore(); err != nil {
			return nil, err
		}
	}
	res, err := s.run()
	err = s.afterwards(res, err)
	if res != nil {
		res.Elapsed = time.Since(s.started)
		res.StoreBytes = s.store.Bytes()
		res.DiskBytes = s.disk.Most()
	}
	return res, err
}

func newSearch[S any](sys System[S], props Properties[S], opt Options) (*search[S], error) {
	if opt.Workers <= 0 {
		opt.Workers = runtime.GOMAXPROCS(0)
	}
	if opt.Store == "" {
		opt.Store = StoreExact
	}
	s := &search[S]{
		sys: sys, props: props, opt: opt,
		about:        aboutActions(sys),
		width:        sys.Words(),
		kinds:        aboutActions(sys).Kinds(),
		slots:        slotsOf(&props),
		reduced:      reducedOf(sys),
		encodeStep:   stepEncoder(sys),
		verification: opt.Verify.orDefault(),
		inspects:     len(props.Invariants)+len(props.Reachable) > 0 || props.Constraint != nil,
		started:      time.Now(),
		covered:      -1,
		met:          map[string]int{},
		observed:     make([]uint64, len(props.Observed)),
		noted:        make([]uint64, len(props.ObservedSteps)),
		outsideOf:    make([]uint64, len(props.ConstraintParts)),
	}
	if s.width < 1 {
		return nil, fmt.Errorf("encoding is %d words wide, want at least 1", s.width)
	}
	if err := verifyTemporal(props.Temporal); err != nil {
		return nil, err
	}
	if err := verifyReduced(sys, &props); err != nil {
		return nil, err
	}
	if len(props.Recurrent) > 0 {
		s.measured, _ = sys.(Measured[S])
	}
	s.savedAt = s.started
	s.open = make([]bool, s.slots.n)
	for i := range s.open {
		s.open[i] = true
	}
	if err := s.setUp(); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// setUp makes the store and the workers, and reads what is to be resumed. What it has made
// when it fails, close gives up.
func (s *search[S]) setUp() (err error) {
	c, dir := s.opt.Checkpoint, s.opt.SpillDir
	if c != nil {
		if s.lock, err = c.prepare(); err != nil {
			return err
		}
		dir = c.Dir
	}
	if s.disk, err = store.NewDisk(dir, s.opt.DiskLimit, c != nil); err != nil {
		return err
	}
	if s.store, err = store.New(s.opt.forStore(s.width), s.disk); err != nil {
		return err
	}
	for range s.opt.Workers {
		s.workers = append(s.workers, newWorker(s))
	}
	s.progress.begin("search", 0, 0)
	switch {
	case c == nil:
		return nil
	case c.Resume:
		return s.resume()
	}
	if err := s.disk.ForgetOthers(); err != nil {
		return fmt.Errorf("%w: %w", ErrCheckpoint, err)
	}
	return nil
}

func (s *search[S]) close() {
	if s.disk != nil {
		s.disk.Close()
	}
	if c := s.opt.Checkpoint; c != nil && c.Keep && s.lock != nil {
		c.lock, s.lock = s.lock, nil
	}
	s.lock.Release()
}

// halt makes the workers leave the level. The first reason counts.
func (s *search[S]) halt(why Stop) { s.stop.CompareAndSwap(nil, &why) }

func (s *search[S]) halted() bool { return s.stop.Load() != nil }

// checkStore halts the run when the store cannot grow any more.
func (s *search[S]) checkStore() {
	switch err := s.store.Trouble(); {
	case err == nil:
	case errors.Is(err, store.ErrMemory), errors.Is(err, store.ErrNumbers):
		s.halt(StopMemory)
	default:
		s.outOfDisk(err)
	}
}

// outOfDisk halts the run because files cannot be written.
func (s *search[S]) outOfDisk(err error) {
	s.diskTrouble.CompareAndSwap(nil, &err)
	s.halt(StopDisk)
}

// run is the search loop: expand a level, merge what the workers saw, decide.
func (s *search[S]) run() (*Result[S], error) {
	more, err := true, error(nil)
	if s.border == nil {
		s.workers[0].initial()
		more, err = s.endLevel()
	}
	for more && err == nil {
		l := s.levels[s.depth]
		if s.opt.Checkpoint != nil && s.rest == nil {
			s.atBorder()
			if err := s.checkpoint(false); err != nil {
				s.outOfDisk(err)
				break
			}
		}
		s.beginLevel(l)
		if s.rest != nil {
			s.progress.expanded.Store(s.expanded)
			l, s.rest = s.rest, nil
		}
		for _, w := range s.workers {
			w.freshDepth = s.depth + 1
		}
		if err = s.expandLevel(l); err != nil {
			break
		}
		if !s.halted() {
			s.covered = s.depth
		}
		s.depth++
		more, err = s.endLevel()
	}
	if err != nil {
		return s.failed(err)
	}
	return s.conclude()
}

// afterwards keeps what is needed to go on with a run that was cut short, and nothing of
// one that was not.
func (s *search[S]) afterwards(res *Result[S], err error) error {
	if s.opt.Checkpoint == nil {
		return err
	}
	// With more memory, what there was none for may be decided.
	if err != nil || s.halted() || res.Stop == StopMemory {
		e := s.checkpoint(true)
		if e == nil && s.savedBorder != nil && !s.opt.Checkpoint.Kept() {
			e = fmt.Errorf("%w: somebody has removed what was in %s", ErrCheckpoint, s.opt.Checkpoint.Dir)
		}
		switch {
		case e == nil || err != nil:
		case errors.Is(e, store.ErrDiskFull):
			res.Reason += "; there is no room for a new checkpoint"
		default:
			res.CheckpointErr = e // the figures are worth no less
		}
		switch {
		case s.savedBorder == nil || !s.opt.Checkpoint.Kept():
			s.disk.Discard() // no list says what is in them
		case res != nil:
			res.Checkpoint = s.opt.Checkpoint.Dir
		}
		return err
	}
	if s.opt.Checkpoint.Keep {
		// What the caller is still to do may take as long as the search. If there is no room
		// for this one, there may be the one before.
		if s.checkpoint(true) != nil && s.savedBorder == nil {
			s.disk.Discard()
		}
		return nil
	}
	if s.opt.Checkpoint.discard() != nil {
		// A verdict is worth more than a tidy directory. The result says what is left.
		res.Checkpoint = s.opt.Checkpoint.Dir
		return nil
	}
	s.disk.Discard()
	return nil
}

// beginLevel announces the expansion of a level.
func (s *search[S]) beginLevel(l store.Level) {
	if s.depth > 0 {
		s.progress.before.Store(s.levels[s.depth-1].States())
	}
	done := s.distinct + s.outside - l.States()
	s.progress.done.Store(done)
	below := s.verification.levelShare(l.States(), done, s.generated)
	for _, w := range s.workers {
		w.verify.below = below
	}
	s.progress.begin("search", s.depth, l.States())
}

// expandLevel expands a level with as many workers as are worth waking up, judged
// by the last level.
func (s *search[S]) expandLevel(l store.Level) error {
	const worthwhile = 100 * time.Microsecond
	n := len(s.workers)
	if s.perState > 0 && l.States() < uint64(n)*uint64(worthwhile/s.perState) {
		n = int(l.States() / uint64(worthwhile/s.perState))
	}
	n = max(1, n)
	s.cursor.Store(0)
	took, err := time.Duration(0), error(nil)
	for more := true; more && err == nil; {
		start := time.Now()
		stop := s.pauseWhenDue()
		err = s.together(n, func(w *worker[S]) error { return w.expandLevel(l) })
		stop()
		took += time.Since(start)
		more = err == nil && s.checkpointPart(l)
	}
	s.perState = took * time.Duration(n) / time.Duration(max(1, l.States()))
	return err
}

// parallel runs f for n workers and resets the cursor first.
func (s *search[S]) parallel(n int, f func(w *worker[S]) error) error {
	s.cursor.Store(0)
	return s.together(n, f)
}

// together runs f for n workers.
func (s *search[S]) together(n int, f func(w *worker[S]) error) error {
	if n == 1 {
		return f(s.workers[0])
	}
	var g errgroup.Group
	for _, w := range s.workers[:n] {
		g.Go(func() error { return f(w) })
	}
	return g.Wait()
}

// endLevel closes level s.depth, which has just been generated, and reports
// whether it is to be expanded.
func (s *search[S]) endLevel() (more bool, err error) {
	l, err := s.store.EndLevel()
	if err != nil {
		return false, err
	}
	unseen := s.store.Unseen() || s.uninspected
	s.uninspected = false
	if s.inspects && unseen {
		if err := s.inspectLevel(l); err != nil {
			return false, err
		}
	}
	before := s.outside
	panicked := s.merge()
	inside := l.States() - (s.outside - before)
	if s.depth == 0 {
		s.initOut = s.outside
	}
	if inside > 0 {
		s.levels = append(s.levels, l)
		s.counts = append(s.counts, inside)
		s.distinct += inside
	}
	if panicked != nil {
		return false, panicked
	}
	// First, as the store may have turned states of this level away.
	s.checkStore()
	if s.ended() || inside == 0 || s.halted() {
		return false, nil
	}
	switch {
	case s.opt.MaxStates != 0 && s.distinct > s.opt.MaxStates:
		s.halt(StopStates)
	case s.opt.MaxDepth != 0 && s.depth >= s.opt.MaxDepth:
		s.halt(StopDepth)
	}
	return !s.halted(), nil
}

// inspectLevel inspects a level all of whose states are new.
func (s *search[S]) inspectLevel(l store.Level) error {
	for _, w := range s.workers {
		w.forgetOutside() // some of the states may have been counted when they were met
	}
	return s.parallel(len(s.workers), func(w *worker[S]) error { return w.inspectLevel(l) })
}

// merge collects what the workers saw while level s.depth was generated, that is
// while the level above it was expanded.
func (s *search[S]) merge() failure {
	var panicked failure
	var found []finding
	for _, w := range s.workers {
		s.generated += w.generated
		s.quiescent += w.quiescent
		for i, n := range w.observed {
			s.observed[i] += n
			w.observed[i] = 0
		}
		for i, n := range w.noted {
			s.noted[i] += n
			w.noted[i] = 0
		}
		s.outside += w.outside
		for i, n := range w.outsideOf {
			s.outsideOf[i] += n
		}
		s.fairOut += w.fairOut
		w.generated, w.quiescent, w.fairOut = 0, 0, 0
		w.forgetOutside()
		if w.panicked != nil && sooner(w.panicked, panicked) {
			panicked = w.panicked
		}
		if found == nil {
			found = make([]finding, s.slots.n)
		}
		for i := range w.findings {
			found[i].offer(&w.findings[i])
			w.findings[i].found = false
		}
		for i, m := range w.met {
			if m && s.open[s.slots.reachable+i] {
				s.open[s.slots.reachable+i] = false
				s.met[s.props.Reachable[i].Name] = s.depth
			}
		}
	}
	if panicked != nil {
		return panicked // what was seen in the same level may be incomplete
	}
	for slot := range found {
		if found[slot].found {
			s.witness(slot, found[slot])
		}
	}
	return nil
}

// witness records the first violation of a property, met while level s.depth was
// generated.
func (s *search[S]) witness(slot int, f finding) {
	w := witness{slot: slot, depth: s.depth, finding: f}
	if slot >= s.slots.deadlock {
		w.depth-- // these are about the state that was expanded
	}
	s.open[slot] = false
	s.witnesses = append(s.witnesses, w)
}

func (s *search[S]) deferred(slot int) bool {
	name, _ := propertyAt(&s.props, slot)
	return s.props.Deferred[name]
}

// ended reports whether a violation ends the run.
func (s *search[S]) ended() bool {
	for i := range s.witnesses {
		if !s.deferred(s.witnesses[i].slot) {
			return true
		}
	}
	return false
}

// conclude decides what is left to decide after the search and makes the result.
func (s *search[S]) conclude() (*Result[S], error) {
	res := s.result()
	switch {
	case s.halted():
		s.inconclusive(res, *s.stop.Load()) // also after a violation: its level may not be complete
	case s.ended():
	case s.distinct == 0:
		s.nothingVisited(res)
	default:
		if err := s.decideLiveness(res); err != nil {
			return s.failed(err)
		}
		if err := s.decideTemporal(res); err != nil {
			return s.failed(err)
		}
		s.decideReachable(res)
	}
	if err := s.traces(res); err != nil {
		return s.failed(err)
	}
	switch {
	case len(res.Violations) > 0:
		res.Verdict = Violated
	case res.Stop != StopNone:
		res.Verdict = Inconclusive
	default:
		res.Verdict = Holds
	}
	return res, nil
}

// result is a Result with the figures of the search.
func (s *search[S]) result() *Result[S] {
	res := &Result[S]{
		Verdict:   Inconclusive,
		Distinct:  s.distinct,
		Outside:   s.outside,
		OutsideOf: s.outsideOf,

		InitialOutside: s.initOut,

		Generated:    s.generated,
		Depth:        len(s.counts),
		Levels:       slices.Clone(s.counts),
		Covered:      s.covered,
		Coverage:     s.coverage(),
		Quiescent:    s.quiescent,
		Observed:     s.observed,
		ReachableMet: s.met,

		ObservedSteps: s.noted,

		Workers: s.opt.Workers,
		Store:   s.opt.Store,
	}
	if b := s.store.Fingerprint(); b != 0 {
		n := float64(s.store.Count())
		res.CollisionProbability = min(1, n*(n-1)/2/math.Exp2(float64(b)))
	}
	return res
}

// coverage is that of all workers.
func (s *search[S]) coverage() []Coverage {
	out := make([]Coverage, len(s.kinds))
	for k, name := range s.kinds {
		c := &out[k]
		c.Kind = name
		for _, w := range s.workers {
			c.Fair = c.Fair || w.coverage[k].Fair
			c.Generated += w.coverage[k].Generated
			c.Effective += w.coverage[k].Effective
		}
	}
	return out
}

// inconclusive says why a run was cut short.
func (s *search[S]) inconclusive(res *Result[S], why Stop) {
	res.Stop = why
	var what string
	switch why {
	case StopStates:
		what = fmt.Sprintf("limit of %d distinct states passed", s.opt.MaxStates)
	case StopDepth:
		what = fmt.Sprintf("depth limit of %d steps reached", s.opt.MaxDepth)
	case StopMemory:
		what = fmt.Sprintf("memory limit of %d bytes reached", s.opt.MemoryLimit)
		if errors.Is(s.store.Trouble(), store.ErrNumbers) {
			what = store.ErrNumbers.Error()
		}
	case StopDisk:
		what = (*s.diskTrouble.Load()).Error()
	case StopInterrupted:
		what = "interrupted"
	}
	if s.covered < 0 {
		res.Reason = what + "; no level was expanded completely"
		return
	}
	res.Reason = fmt.Sprintf("%s; every state up to depth %d was expanded", what, s.covered)
}

// failed is the result of a run that ends with an error. A failure of the system comes
// with a result whose PanicTrace leads to it.
func (s *search[S]) failed(err error) (*Result[S], error) {
	f, ok := err.(failure)
	if !ok {
		return nil, err
	}
	res := s.result()
	res.Stop, res.Reason = stopOf(f), f.Error()
	if depth, encoded := f.where(); encoded != nil {
		tr, terr := s.rebuild([]witness{{depth: depth, finding: finding{found: true, state: encoded}}})
		if terr != nil {
			return res, fmt.Errorf("%w (and its trace cannot be rebuilt: %v)", f, terr)
		}
		res.PanicTrace = tr[0]
	}
	return res, f
}
