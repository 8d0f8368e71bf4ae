package explore

import "math/rand/v2"

// An execution takes the actions of a list one after the other, drops those that are not
// enabled, and ends at the first violation of the property. With replace, an action that
// is not enabled is not dropped at once: the nearest one of its kind stands in, if there
// is one. This lets a walk with fewer requests, say, go on with the messages of other
// numbers that it has instead. When the list is at its end, an execution for a liveness
// property goes on with the first fair step of the model until the state is quiescent:
// what has to happen anyway needs no list.

// execution is what an execution looks for among the steps of one state.
type execution struct {
	rest    []Action // what is left of the list
	replace bool

	next    int    // index into rest of the first action that can be taken; len(rest): none
	rank    uint32 // how far the step found for it is from what was wanted
	wanted  proposal
	onward  proposal // the first fair step of the model
	forward bool     // there is one

	// rng, when not nil, has one step in 16 taken at random.
	rng    *rand.ChaCha8
	random pick
}

// proposal is a step that may be taken next.
type proposal struct {
	action Action
	target []uint64
}

func (p *proposal) take(a Action, target []uint64) {
	p.action = a
	copy(p.target, target)
}

func newExecution(words int) (e execution) {
	e.wanted.target, e.onward.target, e.random.target = make([]uint64, words), make([]uint64, words), make([]uint64, words)
	return e
}

// execute is the first k steps of the walk and then the actions of rest as far as that
// is possible. It fails when the property is not violated, and gives up when that would
// take more steps than the walk.
func (sh *shrinker[S]) execute(k int, rest []Action, replace bool) (*walked, bool) {
	w := sh.best.prefix(k)
	sh.offer, sh.rest, sh.replace = sh.seek, rest, replace
	sh.set(w.states[k])
	for sh.work > 0 {
		sh.work--
		sh.next, sh.forward, sh.random.total = len(sh.rest), false, 0
		sh.expand()
		if sh.slot >= sh.slots.deadlock && sh.violated(sh.slot) {
			return w, true
		}
		if len(w.actions) >= len(sh.best.actions) {
			return nil, false
		}
		step, ok := sh.following()
		if !ok {
			return nil, false
		}
		w.add(step.action, step.target)
		sh.take(step.action, step.target)
		if sh.slot < sh.slots.deadlock && sh.violated(sh.slot) {
			return w, true
		}
	}
	return nil, false
}

// following is the step that is taken next.
func (sh *shrinker[S]) following() (proposal, bool) {
	switch {
	case sh.rng != nil && sh.random.total > 0 && below(sh.rng, 16) == 0:
		return proposal{sh.random.action, sh.random.target}, true
	case sh.next < len(sh.rest):
		sh.rest = sh.rest[sh.next+1:]
		return sh.wanted, true
	}
	sh.rest = nil
	return sh.onward, sh.forward && sh.slot >= sh.slots.recurrent
}

// seek is offered the steps of a state and keeps those that may be taken.
func (sh *shrinker[S]) seek(a Action, fair bool) {
	if sh.rng != nil {
		sh.random.offer(sh.rng, 1, a, sh.enc)
	}
	if fair && !sh.forward {
		sh.forward = true
		sh.onward.take(a, sh.enc)
	}
	for i := 0; i <= sh.next && i < len(sh.rest); i++ {
		rank, ok := sh.fits(a, sh.rest[i])
		if !ok {
			continue
		}
		if i < sh.next || rank < sh.rank {
			sh.next, sh.rank = i, rank
			sh.wanted.take(a, sh.enc)
		}
		return
	}
}

// fits reports whether a can be taken where the list says want, and how far it is from
// that. An action can have several successors: one that the walk has met is nearer.
func (sh *shrinker[S]) fits(a, want Action) (rank uint32, ok bool) {
	if !sh.replace && a != want || sh.about.Kind(a) != sh.about.Kind(want) {
		return 0, false
	}
	if a == want && sh.states[key(sh.enc)] {
		return 0, true
	}
	// A system packs the parameters of an action into its number.
	return 1 + max(a, want) - min(a, want), true
}
