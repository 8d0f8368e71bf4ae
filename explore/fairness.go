package explore

import "sync"

// Fairness is a condition on the behaviours that [Properties.Temporal] is about: that
// a set of actions, taken together as one, is weakly or strongly fair. In TLA+'s words,
// with A for the disjunction of the actions of the set:
//
//	WF_vars(A)   a behaviour along which <<A>>_vars is enabled from some state on has
//	             infinitely many <<A>>_vars steps
//	SF_vars(A)   the same already if <<A>>_vars is enabled again and again
//
// <<A>>_vars is enabled in a state that one of the actions changes, and taken by such a
// step: a step that stutters does not count. A step that leads outside the constraint
// still enables its action.
//
// Several conditions are one conjunction, and so are the classes that By makes of one.
type Fairness struct {
	Strong bool // SF_vars instead of WF_vars
	// Of says which actions are in the set; nil: all.
	Of func(a Action) bool
	// By, when not nil, cuts the set into classes of the same value, each of which is
	// fair by itself: \A p : WF_vars(A(p)), for instance, when it is the parameter p.
	// See also EachAction.
	By func(a Action) uint32
}

// EachAction is a Fairness.By for fairness of every action, with all its parameters, by
// itself.
func EachAction(a Action) uint32 { return a }

// fairSets numbers the sets of actions that are fair by themselves, as it meets them.
// Several workers may ask at once.
type fairSets struct {
	conditions []Fairness
	byAction   sync.Map // from Action to []int

	mu      sync.Mutex // of the rest
	strong  []bool     // per set
	numbers map[fairSet]int
}

// fairSet is a class of one of the conditions.
type fairSet struct {
	condition int
	class     uint32
}

// fairSetsOf has the conditions of a list and what the system says of weak fairness.
func fairSetsOf[S any](sys System[S], conditions []Fairness) *fairSets {
	return &fairSets{
		conditions: append([]Fairness{{Of: aboutActions(sys).Fair, By: EachAction}}, conditions...),
		numbers:    map[fairSet]int{},
	}
}

// of lists the sets that an action belongs to.
func (f *fairSets) of(a Action) []int {
	if known, ok := f.byAction.Load(a); ok {
		return known.([]int)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	var sets []int
	for i, c := range f.conditions {
		if c.Of != nil && !c.Of(a) {
			continue
		}
		set := fairSet{condition: i}
		if c.By != nil {
			set.class = c.By(a)
		}
		n, known := f.numbers[set]
		if !known {
			n = len(f.strong)
			f.numbers[set] = n
			f.strong = append(f.strong, c.Strong)
		}
		sets = append(sets, n)
	}
	f.byAction.Store(a, sets)
	return sets
}

// tally counts, for each fair set, the states of a component or a cycle that enable it,
// and knows whether it is taken.
type tally struct {
	sets    *fairSets
	states  int    // looked at
	enabled []int  // states that enable the set
	last    []int  // the last of them, by its place among those looked at
	taken   []bool // a step inside takes the set
	met     []int  // sets with a figure that is not zero
	unfair  []int  // scratch of starved
}

func (t *tally) reset() {
	for _, n := range t.met {
		t.enabled[n], t.last[n], t.taken[n] = 0, 0, false
	}
	t.met, t.states = t.met[:0], 0
}

// at makes room for a set and remembers it.
func (t *tally) at(n int) {
	for n >= len(t.enabled) {
		t.enabled, t.last, t.taken = append(t.enabled, 0), append(t.last, 0), append(t.taken, false)
	}
	if t.enabled[n] == 0 && !t.taken[n] {
		t.met = append(t.met, n)
	}
}

// state looks at one more state, with its steps.
func (t *tally) state(steps []step) {
	t.states++
	for _, st := range steps {
		for _, n := range t.sets.of(st.action) {
			if t.at(n); t.last[n] != t.states {
				t.last[n] = t.states
				t.enabled[n]++
			}
		}
	}
}

// step takes a step.
func (t *tally) step(a Action) {
	for _, n := range t.sets.of(a) {
		t.at(n)
		t.taken[n] = true
	}
}

// add looks at the states that another tally has looked at, and at its steps.
func (t *tally) add(o *tally) {
	for _, n := range o.met {
		t.at(n)
		t.enabled[n] += o.enabled[n]
		t.taken[n] = t.taken[n] || o.taken[n]
	}
	t.states += o.states
}

// starved lists the weakly fair sets that are enabled in all states, and the strongly
// fair ones that are enabled in some, but are not taken. The lists are valid until the
// next call.
func (t *tally) starved() (weak, strong []int) {
	t.unfair = t.unfair[:0]
	for _, n := range t.met {
		if !t.sets.strong[n] && !t.taken[n] && t.enabled[n] == t.states {
			t.unfair = append(t.unfair, n)
		}
	}
	k := len(t.unfair)
	for _, n := range t.met {
		if t.sets.strong[n] && !t.taken[n] {
			t.unfair = append(t.unfair, n)
		}
	}
	return t.unfair[:k:k], t.unfair[k:]
}
