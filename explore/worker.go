package explore

import (
	"fmt"
	"path/filepath"

	"vsrcheck/explore/internal/store"
)

// worker expands states. All its memory is allocated once per run.
type worker[S any] struct {
	*search[S]
	index int
	in    store.Inserter
	batch *store.Batch

	s, t, u *S // being expanded, its successor, a new state being inspected
	yield   func(Action)
	verify  *verifier[S]

	// Where the worker is, for going on after a panic.
	chunk      store.Piece // states taken
	pos        int         // of the next one
	cur        []uint64    // encoding of s
	freshPos   int
	freshDepth int

	// About the state being expanded.
	steps    bool // it has a step, maybe a stuttering one
	moving   bool // a fair action changes it
	measures bool // the measure of s is in ms
	ms, mt   []uint64

	// About the level; merged at its end.
	findings  []finding
	met       []bool
	panicked  failure
	generated uint64
	quiescent uint64
	observed  []uint64 // per Properties.Observed
	noted     []uint64 // per Properties.ObservedSteps
	outside   uint64
	outsideOf []uint64 // per Properties.ConstraintParts
	fairOut   uint64   // fair steps that lead outside the constraint

	// About the run.
	coverage []Coverage
}

func newWorker[S any](s *search[S]) *worker[S] {
	w := &worker[S]{
		search:   s,
		index:    len(s.workers),
		in:       s.store.Inserter(),
		batch:    store.NewBatch(s.width),
		s:        new(S),
		t:        new(S),
		u:        new(S),
		findings: make([]finding, s.slots.n),
		met:      make([]bool, len(s.props.Reachable)),
		coverage: make([]Coverage, len(s.kinds)),
		observed: make([]uint64, len(s.props.Observed)),
		noted:    make([]uint64, len(s.props.ObservedSteps)),

		outsideOf: make([]uint64, len(s.props.ConstraintParts)),
		verify:    newVerifier(s.sys, &s.props),
	}
	w.yield = w.step
	if s.measured != nil {
		n := s.measured.MeasureWords()
		w.ms, w.mt = make([]uint64, n), make([]uint64, n)
	}
	return w
}

// expandLevel takes chunks of a level until there are no more, or it is to pause. It takes one
// before it pauses, so that something is done between two checkpoints.
func (w *worker[S]) expandLevel(l store.Level) error {
	for first := true; !w.halted() && (first || !w.pause.Load()); first = false {
		if more, err := w.nextChunk(l); err != nil {
			return err
		} else if !more {
			break
		}
		before := w.generated
		for w.pos = 0; w.pos < w.chunk.N; {
			w.expandChunk()
		}
		w.progress.expanded.Add(uint64(w.chunk.N))
		w.progress.generated.Add(w.generated - before)
		w.checkStore()
	}
	w.flush()
	w.checkStore()
	return nil
}

// nextChunk takes a chunk of a level, if there is one left.
func (w *worker[S]) nextChunk(l store.Level) (more bool, err error) {
	i := int(w.cursor.Add(1)) - 1
	if i >= l.Chunks() {
		return false, nil
	}
	return true, w.load(l, i)
}

// load loads a chunk. What a checkpoint has, somebody else may have made up.
func (w *worker[S]) load(l store.Level, i int) (err error) {
	if c := w.opt.Checkpoint; c != nil && c.Resume {
		defer func() {
			if v := recover(); v != nil {
				err = fmt.Errorf("%w: %s contradicts itself: %v", ErrCheckpoint, filepath.Join(c.Dir, listName), v)
			}
		}()
	}
	return l.Load(i, &w.chunk)
}

// expandChunk expands the rest of the chunk, or up to a state that panics. One
// recover per chunk, not per state, keeps its cost out of the inner loop.
func (w *worker[S]) expandChunk() {
	defer func() {
		if v := recover(); v != nil {
			w.recordPanic(v, "next", w.depth, w.cur)
		}
	}()
	for w.pos < w.chunk.N {
		w.cur = w.chunk.Words[w.pos*w.width : (w.pos+1)*w.width]
		w.in.Follow(&w.chunk, w.pos)
		w.pos++
		w.expand()
	}
}

func (w *worker[S]) recordPanic(value any, where string, depth int, encoded []uint64) {
	e := failureOf(value, where)
	e.locate(depth, encoded)
	if sooner(e, w.panicked) {
		w.panicked = e
	}
}

// expand generates the successors of w.cur.
func (w *worker[S]) expand() {
	w.sys.Decode(w.cur, w.s)
	if w.verify.on = w.verify.selects(w.cur); w.verify.on {
		w.verify.begin(w.s, w.cur)
	}
	if w.props.Constraint != nil && !w.props.Constraint(w.s) {
		return
	}
	w.steps, w.moving, w.measures = false, false, false
	w.sys.Next(w.s, w.t, w.yield)
	if w.verify.on {
		w.verify.again()
	}
	if !w.moving && (w.reduced == nil || !w.reduced.Pending(w.s)) {
		w.quiescent++
		w.checkQuiescent()
	}
	if !w.steps && w.props.CheckDeadlock && w.open[w.slots.deadlock] {
		w.findings[w.slots.deadlock].offerState(w.cur)
	}
}

// step is called by the model for every step from w.s; the successor is in w.t.
func (w *worker[S]) step(a Action) {
	w.generated++
	w.steps = true
	kind := w.about.kindOf(a, len(w.coverage))
	c := &w.coverage[kind]
	c.Generated++
	fair := w.about.Fair(a)
	if fair {
		c.Fair = true
	}
	enc := w.batch.At(w.batch.N)
	w.encodeStep(w.s, w.cur, w.t, enc)
	if w.verify.on {
		w.verify.note(a, kind, fair, enc)
	}
	if store.Equal(enc, w.cur) {
		return
	}
	c.Effective++
	if fair {
		w.moving = true
	}
	if w.measured != nil {
		w.checkMeasure()
	}
	if w.props.Constraint != nil && fair && !w.props.Constraint(w.t) {
		w.fairOut++
	}
	for i := range w.props.ObservedSteps {
		if w.props.ObservedSteps[i].Is(w.s, a, w.t) {
			w.noted[i]++
		}
	}
	for i := range w.props.Actions {
		slot := w.slots.actions + i
		if w.open[slot] && !w.props.Actions[i].Holds(w.s, a, w.t) {
			w.findings[slot].offerStep(w.cur, a, enc)
		}
	}
	w.push()
}

// push keeps the state that was encoded at the end of the batch.
func (w *worker[S]) push() {
	w.in.Take(w.batch)
	if w.batch.N == store.BatchStates {
		w.flush()
	}
}

// flush inserts the batch and inspects the states that were new.
func (w *worker[S]) flush() {
	if w.batch.N == 0 {
		return
	}
	w.in.Insert(w.batch)
	w.batch.N = 0
	if !w.inspects {
		return
	}
	for w.freshPos = 0; w.freshPos < len(w.batch.Fresh); {
		w.inspectFresh()
	}
}

// inspectFresh checks the properties of new states, up to one that panics. It has
// its own recover because it runs in the middle of an expansion, which must go on:
// how much of it was done would otherwise depend on where batches end.
func (w *worker[S]) inspectFresh() {
	var enc []uint64
	defer func() {
		if v := recover(); v != nil {
			w.recordPanic(v, "properties", w.freshDepth, enc)
		}
	}()
	for w.freshPos < len(w.batch.Fresh) {
		enc = w.batch.At(int(w.batch.Fresh[w.freshPos]))
		w.freshPos++
		w.sys.Decode(enc, w.u)
		if w.props.Constraint != nil && !w.props.Constraint(w.u) {
			w.countOutside()
		}
		for i := range w.props.Invariants {
			if w.open[i] && !w.props.Invariants[i].Holds(w.u) {
				w.findings[i].offerState(enc)
			}
		}
		for i := range w.props.Reachable {
			if w.open[w.slots.reachable+i] && !w.met[i] && w.props.Reachable[i].Is(w.u) {
				w.met[i] = true
			}
		}
	}
}

// inspectLevel inspects the worker's share of a level.
func (w *worker[S]) inspectLevel(l store.Level) error {
	b := w.batch
	for {
		if more, err := w.nextChunk(l); err != nil || !more {
			return err
		}
		copy(b.Words, w.chunk.Words)
		b.Fresh = b.Fresh[:0]
		for k := range w.chunk.N {
			b.Fresh = append(b.Fresh, int32(k))
		}
		for w.freshPos = 0; w.freshPos < len(b.Fresh); {
			w.inspectFresh()
		}
	}
}

// checkQuiescent looks at a state that a fair run may never leave: whatever is
// outstanding in it stays so for ever.
func (w *worker[S]) checkQuiescent() {
	for i := range w.props.Observed {
		if w.props.Observed[i].Is(w.s) {
			w.observed[i]++
		}
	}
	for i := range w.props.Recurrent {
		slot := w.slots.recurrent + i
		if w.open[slot] && w.props.Recurrent[i].Outstanding(w.s) != 0 {
			w.findings[slot].offerState(w.cur)
		}
	}
}

// checkMeasure verifies that a step from w.s to w.t increases the measure. After
// the first failure, anywhere, there is nothing left to verify.
func (w *worker[S]) checkMeasure() {
	if w.cyclic.Load() {
		return
	}
	if !w.measures {
		w.measures = true
		w.measured.Measure(w.s, w.ms)
	}
	w.measured.Measure(w.t, w.mt)
	if !store.Less(w.ms, w.mt) {
		w.cyclic.Store(true)
	}
}

// initial puts the initial states into the store.
func (w *worker[S]) initial() {
	defer func() {
		if v := recover(); v != nil {
			w.panicked = failureOf(v, "init")
		}
	}()
	keep := w.verification.First
	if keep == 0 && w.verification.OneIn > 0 {
		keep = 1
	}
	var encs []uint64
	w.sys.Init(func(s *S) {
		w.generated++
		enc := w.batch.At(w.batch.N)
		w.sys.Encode(s, enc)
		if w.generated <= keep {
			encs = append(encs, enc...)
		}
		w.push()
	})
	w.flush()
	if keep > 0 {
		w.verify.initials(encs, w.generated)
	}
}
