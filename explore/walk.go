package explore

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/axiomhq/hyperloglog"

	"vsrcheck/explore/internal/store"
)

// The weights of a walk.
//
// A uniform choice among the enabled steps makes poor walks: there are many messages
// and few faults, everything that was sent arrives soon, and as long as the budgets
// last nothing comes to rest. So every walk draws a character of its own, and the
// walks of a simulation differ in it:
//
//   - A walk alternates between storm and calm. In a storm, of a length drawn anew each
//     time, steps that are not fair (in a model of a protocol: faults, timeouts that
//     change the view, requests) are chosen with a probability that is drawn once for
//     the walk, from 1/8 to 1/2. In a calm only fair steps are, until none changes the
//     state. That is where liveness is decided; then the next storm begins. Where no
//     step of the wanted sort is enabled, the other sort is taken.
//   - Each kind of action has a weight from 1 to 8 in the walk. A kind that is not fair
//     has weight 0 in one walk out of four: what a kind hides is seen in the walks
//     without it (Groce et al., "Swarm Testing", ISSTA 2012).
//   - Each single action has a speed from 1/64 to 1 in the walk, a weight by which that
//     of its kind is multiplied. A slow action is a message that is late, or a replica's
//     timer that is: it is overtaken by everything else for as long as it takes (compare
//     the priorities of Burckhardt et al., "A Randomized Scheduler with Probabilistic
//     Guarantees of Finding Bugs", ASPLOS 2010).
//
// Steps that do not change the state, or lead outside the constraint, are never chosen.

// walker walks. All its memory is allocated once.
type walker[S any] struct {
	*stepper[S]
	sim *simulation[S]
	rng *rand.ChaCha8

	// The character of the walk.
	salt   uint64
	unfair uint64   // eighths
	weight []uint64 // per kind

	storm        uint64 // steps of it that are left; 0 in a calm
	stormy, calm pick   // the steps that are offered, those that are not fair and those that are

	verify  *verifier[S]
	offered uint64   // steps of the state
	initial func(*S) // offers an initial state

	rec    *walked // when not nil, takes down the walk
	target int     // when it does: the property that is looked for
	hit    bool    // and found

	// About the round; merged at its end.
	found    []uint64
	panicked *walkPanic

	// About the run.
	walks, cut, taken, quiescent uint64
	longest                      int
	observed                     []uint64
	coverage                     []WalkCoverage
	met                          []uint64 // per Reachable: the first walk that met it, plus 1
	seen                         *hyperloglog.Sketch
}

// walkPanic is a failure of the system in a walk.
type walkPanic struct {
	failure
	walk uint64
}

// pick draws one of the steps that are offered to it one after the other, with a
// probability proportional to the weight.
type pick struct {
	total  uint64
	action Action
	target []uint64
}

func (p *pick) offer(rng *rand.ChaCha8, weight uint64, a Action, target []uint64) {
	if weight == 0 {
		return
	}
	p.total += weight
	if weight == p.total || below(rng, p.total) < weight {
		p.action = a
		copy(p.target, target)
	}
}

// below is a random number less than n. Its bias is n/1<<64.
func below(rng *rand.ChaCha8, n uint64) uint64 {
	hi, _ := bits.Mul64(rng.Uint64(), n)
	return hi
}

func newWalker[S any](s *simulation[S]) *walker[S] {
	kinds := len(aboutActions(s.sys).Kinds())
	w := &walker[S]{
		stepper:  newStepper(s.sys, &s.props),
		sim:      s,
		rng:      rand.NewChaCha8([32]byte{}),
		weight:   make([]uint64, kinds),
		found:    make([]uint64, s.slots.n),
		observed: make([]uint64, len(s.props.Observed)),
		coverage: make([]WalkCoverage, kinds),
		met:      make([]uint64, len(s.props.Reachable)),
		seen:     hyperloglog.NewNoSparse(),
		verify:   newVerifier(s.sys, &s.props),
	}
	w.verify.below = s.verification.sample()
	w.stormy.target, w.calm.target = make([]uint64, s.sys.Words()), make([]uint64, s.sys.Words())
	w.generated, w.offer = w.count, w.consider
	w.initial = func(s *S) {
		w.sys.Encode(s, w.enc)
		w.calm.offer(w.rng, 1, 0, w.enc)
	}
	return w
}

// walk does walk number i.
func (w *walker[S]) walk(i uint64) {
	length := 0
	defer func() {
		if v := recover(); v != nil && w.panicked == nil {
			e := failureOf(v, "walk")
			e.locate(length, w.cur)
			w.panicked = &walkPanic{e, i}
		}
	}()
	w.sim.begun.Add(1)
	w.begin(i)
	ended := w.arrive(i, false)
	verified := uint64(0) // steps generated
	for !ended {
		whole := i < roundWalks && verified < w.sim.verification.First/roundWalks
		if w.verify.on = whole || w.verify.selects(w.cur); w.verify.on {
			w.verify.begin(w.s, w.cur)
		}
		if !w.inside(w.s) {
			break
		}
		w.stormy.total, w.calm.total, w.offered = 0, 0, 0
		w.expand()
		if w.verify.on {
			w.verify.again()
		}
		verified += w.offered
		if ended = w.rest(i); ended {
			break
		}
		p := w.choose()
		if p == nil {
			break
		}
		if length == w.sim.opt.Depth {
			w.cut++
			break
		}
		w.take(p.action, p.target)
		length++
		w.coverage[w.about.Kind(p.action)].Taken++
		if w.rec != nil {
			w.rec.add(p.action, p.target)
		}
		ended = w.arrive(i, true)
	}
	w.walks++
	w.taken += uint64(length)
	w.longest = max(w.longest, length)
}

// begin draws the character and the initial state of a walk.
func (w *walker[S]) begin(i uint64) {
	var seed [32]byte
	binary.LittleEndian.PutUint64(seed[:], w.sim.opt.Seed)
	binary.LittleEndian.PutUint64(seed[8:], i)
	w.rng.Seed(seed)
	w.salt = w.rng.Uint64()
	w.unfair = 1 + below(w.rng, 4)
	for k := range w.weight {
		w.weight[k] = 1 << below(w.rng, 4)
		if below(w.rng, 4) == 0 {
			w.weight[k] |= omitted
		}
	}
	w.storm = 1 + below(w.rng, 64)
	w.calm.total = 0
	w.sys.Init(w.initial)
	w.set(w.calm.target)
	if w.rec != nil {
		w.rec.states = append(w.rec.states, slices.Clone(w.cur))
	}
}

// again does a walk once more and takes it down, up to the violation of a property, or
// with target -1 to its end. It reports whether it came to the violation.
func (w *walker[S]) again(i uint64, target int) (*walked, bool) {
	w.rec, w.target, w.hit = &walked{}, target, false
	w.walk(i)
	rec := w.rec
	w.rec = nil
	return rec, w.hit
}

// omitted marks the weight of a kind that is left out of a walk unless it is fair.
const omitted = 1 << 63

// count counts a generated step.
func (w *walker[S]) count(a Action, fair, effective bool) {
	kind := w.about.kindOf(a, len(w.coverage))
	w.offered++
	if w.verify.on {
		w.verify.note(a, kind, fair, w.enc)
	}
	c := &w.coverage[kind]
	c.Generated++
	if fair {
		c.Fair = true
	}
	if effective {
		c.Effective++
	}
}

// consider offers a step for the choice.
func (w *walker[S]) consider(a Action, fair bool) {
	const mostHalvings = 7
	speed := uint64(64) >> (store.Fold(w.salt^uint64(a), mixB) % mostHalvings)
	weight := w.weight[w.about.Kind(a)]
	switch {
	case fair:
		w.calm.offer(w.rng, weight&^omitted*speed, a, w.enc)
	case weight&omitted == 0:
		w.stormy.offer(w.rng, weight*speed, a, w.enc)
	}
}

// choose is the next step, or nil at the end of the walk.
func (w *walker[S]) choose() *pick {
	if !w.moving {
		// Also when a fair step leads outside the constraint: then this is no rest, and
		// the walk waits for the storm or ends.
		w.storm = 1 + below(w.rng, 64)
	}
	first, second := &w.calm, &w.stormy
	if w.storm > 0 {
		w.storm--
		if below(w.rng, 8) < w.unfair {
			first, second = second, first
		}
	}
	switch {
	case first.total > 0:
		return first
	case second.total > 0:
		return second
	}
	return nil
}

// arrive looks at the state that a walk has come to, if moved by a step. It reports
// whether the walk ends there.
func (w *walker[S]) arrive(i uint64, moved bool) (ended bool) {
	w.seen.InsertHash(store.Hash(w.cur))
	for slot := range w.slots.deadlock {
		if w.looksFor(slot) && (slot < w.slots.actions || moved) && w.violated(slot) {
			ended = w.violation(slot, i) || ended
		}
	}
	for k := range w.props.Reachable {
		if w.met[k] == 0 && w.props.Reachable[k].Is(w.s) {
			w.met[k] = i + 1
		}
	}
	return ended
}

// rest looks at what the steps of a state say of it.
func (w *walker[S]) rest(i uint64) (ended bool) {
	if !w.moving {
		w.quiescent++
		for k := range w.props.Observed {
			if w.props.Observed[k].Is(w.s) {
				w.observed[k]++
			}
		}
	}
	for slot := w.slots.deadlock; slot < w.slots.reachable; slot++ {
		if w.looksFor(slot) && w.violated(slot) {
			ended = w.violation(slot, i) || ended
		}
	}
	return ended
}

// looksFor reports whether a violation of the property would say anything new. One
// that ends walks always does: where a walk ends must not depend on other walks.
func (w *walker[S]) looksFor(slot int) bool {
	if w.rec != nil {
		return slot == w.target
	}
	return w.sim.open[slot] && (w.sim.ends[slot] || w.found[slot] == 0)
}

// violation notes one, and reports whether it ends the walk.
func (w *walker[S]) violation(slot int, i uint64) bool {
	if w.rec != nil {
		w.hit = true
		return true
	}
	if w.found[slot] == 0 {
		w.found[slot] = i + 1
	}
	return w.sim.ends[slot]
}
