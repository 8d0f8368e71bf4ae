package explore

import (
	"context"
	"slices"
	"unsafe"
)

// Shrinking a walk: of a violating walk of a hundred steps most have nothing to do with
// the violation. The walk is changed, the changed list of actions is executed again, and
// when the same property is violated again by something simpler, that replaces the walk.
// Simpler means fewer steps, and of as many, fewer that are not fair.
//
// An execution takes the actions one after the other, drops those that are not enabled,
// and ends at the first violation. For a liveness property it is completed by fair steps,
// in the order of the model, until the state is quiescent: what has to happen anyway
// needs no list.
//
// The changes are tried in a fixed order until none helps: parts of the list are left
// out, from halves down to single steps, the last ones first (Zeller and Hildebrandt,
// "Simplifying and Isolating Failure-Inducing Input", TSE 2002); single steps are moved;
// and a breadth-first search looks for a shorter way, from ever earlier states of the
// walk among all steps, and from its initial state among those whose actions occur in
// it. So the result is a function of the walk, and nothing less than a behaviour of the
// system. It is not proven to be as short as possible.

const (
	// shrinkSteps bounds the work of the executions, in steps.
	shrinkSteps = 300_000
	// shrinkStates bounds each search, in states expanded.
	shrinkStates = 10_000
)

// shrinker shrinks one walk.
type shrinker[S any] struct {
	*stepper[S]
	slot int
	best *walked
	work int // steps of executions that are still affordable

	// What an execution looks for among the steps from a state.
	rest   []Action
	next   int // index into rest of the first that is enabled, or len(rest)
	target []uint64
	hinted bool   // target is a state of the walk
	onward Action // the first fair step of the model
	ahead  []uint64
	way    bool // there is one

	states map[string]bool // of best
}

func newShrinker[S any](sys System[S], props *Properties[S], slot int, w *walked) *shrinker[S] {
	sh := &shrinker[S]{
		stepper: newStepper(sys, props), slot: slot, work: shrinkSteps,
		target: make([]uint64, sys.Words()), ahead: make([]uint64, sys.Words()),
	}
	sh.adopt(w)
	return sh
}

func (sh *shrinker[S]) adopt(w *walked) {
	sh.best = w
	sh.states = map[string]bool{}
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
	}
}

// leaveOut executes the list without parts of it.
func (sh *shrinker[S]) leaveOut(ctx context.Context) (better bool) {
	for size := max(1, len(sh.best.actions)/2); size > 0; size /= 2 {
		for to := len(sh.best.actions); to > 0 && ctx.Err() == nil; to = min(to-size, len(sh.best.actions)) {
			from := max(0, to-size)
			better = sh.try(from, sh.best.actions[to:]) || better
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

// try executes the first k actions of the walk and then others, and adopts the
// outcome if it is simpler.
func (sh *shrinker[S]) try(k int, rest []Action) bool {
	w, ok := sh.execute(k, rest)
	if !ok || !sh.simpler(w) {
		return false
	}
	sh.adopt(w)
	return true
}

func (sh *shrinker[S]) simpler(w *walked) bool {
	if len(w.actions) != len(sh.best.actions) {
		return len(w.actions) < len(sh.best.actions)
	}
	return sh.unfair(w) < sh.unfair(sh.best)
}

func (sh *shrinker[S]) unfair(w *walked) (n int) {
	for _, a := range w.actions {
		if !sh.sys.Fair(a) {
			n++
		}
	}
	return n
}

// execute is the first k steps of the walk and then the actions of rest as far as they
// are enabled. It gives up when that takes more steps than the walk.
func (sh *shrinker[S]) execute(k int, rest []Action) (*walked, bool) {
	w := &walked{states: slices.Clone(sh.best.states[:k+1]), actions: slices.Clone(sh.best.actions[:k])}
	sh.offer = sh.seek
	sh.rest = rest
	sh.set(w.states[k])
	for sh.work > 0 {
		sh.work--
		sh.next, sh.hinted, sh.way = len(sh.rest), false, false
		sh.expand()
		if sh.slot >= sh.slots.deadlock && sh.violated(sh.slot) {
			return w, true
		}
		if len(w.actions) == len(sh.best.actions) {
			return nil, false
		}
		a, target := sh.onward, sh.ahead
		switch {
		case sh.next < len(sh.rest):
			a, target = sh.rest[sh.next], sh.target
			sh.rest = sh.rest[sh.next+1:]
		case sh.slot < sh.slots.recurrent || !sh.way:
			return nil, false
		default:
			sh.rest = nil
		}
		w.add(a, target)
		sh.take(a, target)
		if sh.slot < sh.slots.deadlock && sh.violated(sh.slot) {
			return w, true
		}
	}
	return nil, false
}

// seek keeps the step that execute wants next. Of several successors of the same action
// that is the first that the walk has met too, or else the first.
func (sh *shrinker[S]) seek(a Action, fair bool) {
	if fair && !sh.way {
		sh.way, sh.onward = true, a
		copy(sh.ahead, sh.enc)
	}
	for i := 0; i <= sh.next && i < len(sh.rest); i++ {
		if sh.rest[i] != a {
			continue
		}
		met := sh.states[key(sh.enc)]
		if i < sh.next || met && !sh.hinted {
			sh.next, sh.hinted = i, met
			copy(sh.target, sh.enc)
		}
		return
	}
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
		if !exhausted {
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
// which it adopts, and whether it did not have to give up.
func (sh *shrinker[S]) search(ctx context.Context, k int, allowed map[Action]bool) (found, exhausted bool) {
	most := len(sh.best.actions) - k - 1
	nodes := []spot{{state: sh.best.states[k]}}
	met := map[string]bool{key(nodes[0].state): true}
	at, goal := 0, -1
	sh.offer = func(a Action, _ bool) {
		if goal >= 0 || nodes[at].depth == most || allowed != nil && !allowed[a] {
			return
		}
		bad := false
		switch p := sh.props; {
		case sh.slot < sh.slots.actions:
			bad = !p.Invariants[sh.slot].Holds(sh.t)
		case sh.slot < sh.slots.deadlock:
			bad = !p.Actions[sh.slot-sh.slots.actions].Holds(sh.s, a, sh.t)
		}
		if met[key(sh.enc)] && !bad {
			return
		}
		n := spot{slices.Clone(sh.enc), at, a, nodes[at].depth + 1}
		met[key(n.state)] = true
		nodes = append(nodes, n)
		if bad {
			goal = len(nodes) - 1
		}
	}
	for ; at < len(nodes) && goal < 0; at++ {
		if at == shrinkStates || ctx.Err() != nil {
			return false, false
		}
		sh.set(nodes[at].state)
		sh.expand()
		if sh.slot >= sh.slots.deadlock && sh.violated(sh.slot) {
			goal = at
		}
	}
	if goal < 0 {
		return false, true
	}
	w := &walked{states: slices.Clone(sh.best.states[:k+1]), actions: slices.Clone(sh.best.actions[:k])}
	var way []int
	for ; goal > 0; goal = nodes[goal].from {
		way = append(way, goal)
	}
	for _, n := range slices.Backward(way) {
		w.add(nodes[n].action, nodes[n].state)
	}
	sh.adopt(w)
	return true, true
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
