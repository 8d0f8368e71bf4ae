package explore

import (
	"context"
	"math/rand/v2"
	"slices"
	"unsafe"
)

// Shrinking a walk: of a violating walk most steps have nothing to do with the
// violation. The list of its actions is changed and executed again (execute.go), and
// when the same property is violated again by something simpler, that replaces the
// walk. Simpler means fewer steps, and of as many, fewer that are not fair. The changes,
// in a fixed order until none helps:
//
//   - parts of the list are left out, from halves down to single steps, the last ones
//     first (delta debugging: Zeller and Hildebrandt, "Simplifying and Isolating
//     Failure-Inducing Input", TSE 2002);
//   - single steps are moved to other places;
//   - a breadth-first search looks for a shorter way to the violation, from the initial
//     state among the actions that occur in the walk, and among all actions from ever
//     earlier states of it, as long as that is cheap;
//   - several steps at once are left out or moved at random (the seed is fixed), with a
//     random step in between now and then. Here also what is no less simple is adopted,
//     which gets away from walks that no single change makes simpler.
//
// So the outcome is a function of the walk, and a behaviour of the system. It is not
// proven to be a shortest one.

// Bounds of the work, so that shrinking takes seconds. They are no times: the outcome
// must not depend on the machine.
const (
	shrinkSteps  = 600_000 // executed
	shrinkTries  = 2_000   // random changes in a row
	shrinkStates = 10_000  // expanded by one search
)

// shrinker shrinks one walk.
type shrinker[S any] struct {
	*stepper[S]
	slot int // of the property
	best *walked
	// states are those of best.
	states map[string]bool
	work   int // steps of executions that are still affordable
	execution
}

// walked is what a walk did: its states, encoded, and the actions between them.
type walked struct {
	states  [][]uint64
	actions []Action
}

func (w *walked) add(a Action, target []uint64) {
	w.actions = append(w.actions, a)
	w.states = append(w.states, slices.Clone(target))
}

// prefix is the first k steps.
func (w *walked) prefix(k int) *walked {
	return &walked{states: slices.Clone(w.states[:k+1]), actions: slices.Clone(w.actions[:k])}
}

func newShrinker[S any](sys System[S], props *Properties[S], slot int, w *walked) *shrinker[S] {
	sh := &shrinker[S]{stepper: newStepper(sys, props), slot: slot, work: shrinkSteps, execution: newExecution(sys.Words())}
	sh.adopt(w)
	return sh
}

func (sh *shrinker[S]) adopt(w *walked) {
	sh.best = w
	sh.states = make(map[string]bool, len(w.states))
	for _, st := range w.states {
		sh.states[key(st)] = true
	}
}

// key is an encoded state as the key of a map. It shares the memory.
func key(words []uint64) string {
	return unsafe.String((*byte)(unsafe.Pointer(unsafe.SliceData(words))), 8*len(words))
}

// shrink tries all changes until none helps.
func (sh *shrinker[S]) shrink(ctx context.Context) {
	for better := true; better && ctx.Err() == nil; {
		better = sh.leaveOut(ctx)
		better = sh.move(ctx) || better
		better = sh.detour(ctx) || better
		better = sh.wander(ctx) || better
	}
}

// leaveOut executes the list without parts of it.
func (sh *shrinker[S]) leaveOut(ctx context.Context) (better bool) {
	for size := max(1, len(sh.best.actions)/2); size > 0; size /= 2 {
		for to := len(sh.best.actions); to > 0 && ctx.Err() == nil; to = min(to-size, len(sh.best.actions)) {
			better = sh.try(max(0, to-size), sh.best.actions[to:]) || better
		}
	}
	return better
}

// move executes the list with single steps at other places, earlier and later ones.
func (sh *shrinker[S]) move(ctx context.Context) (better bool) {
	for i := 0; i < len(sh.best.actions); i++ {
		for j := 0; j < len(sh.best.actions) && i < len(sh.best.actions) && ctx.Err() == nil; j++ {
			if j == i {
				continue
			}
			list := slices.Clone(sh.best.actions)
			a := list[i]
			list = slices.Insert(slices.Delete(list, i, i+1), j, a)
			k := min(i, j)
			better = sh.try(k, list[k:]) || better
		}
	}
	return better
}

// try executes the first k actions of the walk and then others, and adopts the outcome
// if it is simpler.
func (sh *shrinker[S]) try(k int, rest []Action) bool {
	for _, replace := range []bool{false, true} {
		if w, ok := sh.execute(k, rest, replace); ok && sh.simpler(w, sh.best) {
			sh.adopt(w)
			return true
		}
	}
	return false
}

// simpler reports whether w is a simpler walk than v.
func (sh *shrinker[S]) simpler(w, v *walked) bool {
	if len(w.actions) != len(v.actions) {
		return len(w.actions) < len(v.actions)
	}
	return sh.unfair(w) < sh.unfair(v)
}

func (sh *shrinker[S]) unfair(w *walked) (n int) {
	for _, a := range w.actions {
		if !sh.about.Fair(a) {
			n++
		}
	}
	return n
}

// wander makes random changes.
func (sh *shrinker[S]) wander(ctx context.Context) (better bool) {
	sh.rng = rand.NewChaCha8([32]byte{})
	defer func() { sh.rng = nil }()
	for n := 0; n < shrinkTries && ctx.Err() == nil; n++ {
		list, k := sh.changed()
		w, ok := sh.execute(k, list[k:], below(sh.rng, 2) == 0)
		if ok && !sh.simpler(sh.best, w) {
			better = better || sh.simpler(w, sh.best)
			sh.adopt(w)
		}
	}
	return better
}

// changed is the list of the walk with one to four random changes. Its first k actions
// are those of the walk.
func (sh *shrinker[S]) changed() (list []Action, k int) {
	list = slices.Clone(sh.best.actions)
	k = len(list)
	for n := 1 + below(sh.rng, 4); n > 0 && len(list) > 0; n-- {
		i := int(below(sh.rng, uint64(len(list))))
		a := list[i]
		list = slices.Delete(list, i, i+1)
		k = min(k, i)
		if below(sh.rng, 2) == 0 {
			j := int(below(sh.rng, uint64(len(list)+1)))
			list = slices.Insert(list, j, a)
			k = min(k, j)
		}
	}
	return list, k
}

// detour looks for a shorter way by breadth-first search.
func (sh *shrinker[S]) detour(ctx context.Context) (better bool) {
	occurs := map[Action]bool{}
	for _, a := range sh.best.actions {
		occurs[a] = true
	}
	better, _ = sh.search(ctx, 0, occurs)
	for k := len(sh.best.actions) - 2; k >= 0; k-- {
		found, exhausted := sh.search(ctx, k, nil)
		better = better || found
		if found {
			k = len(sh.best.actions) - 1
		} else if !exhausted {
			break
		}
	}
	return better
}

// spot is a state that a search has met.
type spot struct {
	state  []uint64
	from   int // index of its predecessor
	action Action
	depth  int
}

// search looks for a shorter way from the k-th state of the walk to a violation, among
// the steps with the allowed actions; nil allows all. It reports whether it found one,
// which it adopts, and, if not, whether there is none.
func (sh *shrinker[S]) search(ctx context.Context, k int, allowed map[Action]bool) (found, exhausted bool) {
	most := len(sh.best.actions) - k - 1
	spots := []spot{{state: sh.best.states[k]}}
	met := map[string]bool{key(spots[0].state): true}
	at, goal := 0, -1
	sh.offer = func(a Action, _ bool) {
		if goal >= 0 || spots[at].depth >= most || allowed != nil && !allowed[a] {
			return
		}
		bad := sh.breaks(a)
		if !bad && met[key(sh.enc)] {
			return
		}
		next := spot{slices.Clone(sh.enc), at, a, spots[at].depth + 1}
		met[key(next.state)] = true
		spots = append(spots, next)
		if bad {
			goal = len(spots) - 1
		}
	}
	for ; at < len(spots) && goal < 0; at++ {
		if at == shrinkStates || ctx.Err() != nil {
			return false, false
		}
		sh.set(spots[at].state)
		sh.expand()
		if goal < 0 && spots[at].depth <= most && sh.slot >= sh.slots.deadlock && sh.violated(sh.slot) {
			goal = at
		}
	}
	if goal < 0 {
		return false, true
	}
	var way []int
	for ; goal > 0; goal = spots[goal].from {
		way = append(way, goal)
	}
	w := sh.best.prefix(k)
	for _, n := range slices.Backward(way) {
		w.add(spots[n].action, spots[n].state)
	}
	sh.adopt(w)
	return true, true
}

// breaks reports whether the step that is being offered, or the state that it leads to,
// violates the property.
func (sh *shrinker[S]) breaks(a Action) bool {
	switch {
	case sh.slot < sh.slots.actions:
		return !sh.props.Invariants[sh.slot].Holds(sh.t)
	case sh.slot < sh.slots.deadlock:
		return !sh.props.Actions[sh.slot-sh.slots.actions].Holds(sh.s, a, sh.t)
	}
	return false
}

// violation is the walk as it is now.
func (sh *shrinker[S]) violation() Violation[S] {
	v := Violation[S]{Depth: len(sh.best.actions), Trace: decodeTrace(sh.sys, sh.best), LoopStart: -1}
	v.Property, v.Kind = propertyAt(sh.props, sh.slot)
	if v.Kind == KindLiveness {
		v.Bits = sh.props.Recurrent[sh.slot-sh.slots.recurrent].Outstanding(&v.Trace[len(v.Trace)-1].State)
	}
	return v
}

// decodeTrace is a walk as a trace.
func decodeTrace[S any](sys System[S], w *walked) []Step[S] {
	out := make([]Step[S], len(w.states))
	for i, words := range w.states {
		sys.Decode(words, &out[i].State)
		if i > 0 {
			out[i].Action = w.actions[i-1]
		}
	}
	return out
}
