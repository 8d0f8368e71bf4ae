package model

// Ways out: whether a group gets somewhere again without a fault. What has to happen may
// not be enough; a timeout that changes the view need not happen and still helps. So every
// step counts but the faults, and the requests of clients, on which nobody can count.

// Way says whether steps that are no faults lead to a goal.
type Way uint8

// The answers. WayCut is neither yes nor no: such steps lead there perhaps, but for a bound
// on the search, as a timeout that would begin a view above view_max, or a step that waits
// for room in a channel.
const (
	WayNone  Way = iota // no sequence of such steps leads there
	WayCut              // none was found within the bounds, and one of them stood in the way of some step
	WayFound            // one does
)

// Survey is what a search for a way saw.
type Survey struct {
	Way    Way
	States int // that were reached without a fault, the first included; all unless a way was found
}

// noFault marks the kinds of steps that a way may consist of.
func noFault(k kind) bool { return kindTable[k].cause == fair || kindTable[k].cause == timeout }

// FindWay looks for a way from s to a state in which goal is true. It takes s as it is: in a
// state that a reduction has thinned out it takes the steps that the reduction leaves out, as
// far as messages allow.
//
// Most states have a way that the fair steps find by themselves, after a timeout or two: so
// that is tried first. Only where it fails all states are visited that can be reached.
func (m *Model) FindWay(s *State, goal func(s *State) bool) Survey {
	if goal(s) {
		return Survey{WayFound, 1}
	}
	if s.Failed != AssertNone {
		return Survey{WayNone, 1} // the system has aborted
	}
	plain := *m
	plain.reductions.FaultsLast, plain.reductions.PromptAnswers = false, false
	w := &wayfinder{m: &plain, goal: goal}
	if w.hurry(s, 2) {
		return Survey{WayFound, 0}
	}
	return w.everywhere(s)
}

// wayfinder is one search for a way.
type wayfinder struct {
	m    *Model
	goal func(s *State) bool
	cut  bool // a bound stood in the way of a step
	key  []byte
}

// wayStates bounds the states that are searched for a way once a bound was seen to stand in
// the way of a step: then the answer is WayCut at the least.
const wayStates = 1000

// hurried bounds the rounds of hurry: a view change takes half as many.
const hurried = 12

// hurry takes fair steps in turn until nothing changes, and then each timeout, one after
// the other. It reports whether that met the goal, and says nothing if it did not.
func (w *wayfinder) hurry(s *State, timeouts int) bool {
	u := *s
	for round := 1; ; round++ {
		before := u
		met := false
		w.m.eachStep(&before, func(a uint32) {
			if met || !fairKinds[kindOf(a)] || delivers(kindOf(a)) && !w.m.carries(&u, a) {
				return
			}
			if w.m.take(&u, a)&changed != 0 {
				met = w.goal(&u)
			}
		})
		if met {
			return true
		}
		if u == before || round == hurried {
			break
		}
	}
	if timeouts == 0 {
		return false
	}
	met := false
	w.m.eachStep(&u, func(a uint32) {
		if k := kindOf(a); met || fairKinds[k] || !noFault(k) {
			return
		}
		if t := u; w.m.take(&t, a)&changed != 0 {
			met = w.goal(&t) || w.hurry(&t, timeouts-1)
		}
	})
	return met
}

// everywhere visits every state that can be reached from s.
func (w *wayfinder) everywhere(s *State) Survey {
	seen := map[string]bool{w.code(s): true}
	queue := []State{*s}
	met := false
	for len(queue) > 0 && !met && !(w.cut && len(seen) > wayStates) {
		from := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		w.cut = w.cut || w.m.Waits(&from)
		if from.Failed != AssertNone {
			continue
		}
		t := from
		w.m.eachStep(&from, func(a uint32) {
			if met || !noFault(kindOf(a)) {
				return
			}
			out := w.m.take(&t, a)
			w.cut = w.cut || out&^changed == RefusedBound
			if out&changed == 0 {
				return
			}
			if code := w.code(&t); !seen[code] {
				seen[code] = true
				met = w.goal(&t)
				queue = append(queue, t)
			}
			t = from
		})
	}
	switch {
	case met:
		return Survey{WayFound, len(seen)}
	case w.cut:
		return Survey{WayCut, len(seen)}
	}
	return Survey{WayNone, len(seen)}
}

// code is the encoding of a state as a key of a map.
func (w *wayfinder) code(s *State) string {
	words := make([]uint64, w.m.Words())
	w.m.Encode(s, words)
	w.key = w.key[:0]
	for _, x := range words {
		w.key = append(w.key, byte(x), byte(x>>8), byte(x>>16), byte(x>>24), byte(x>>32), byte(x>>40), byte(x>>48), byte(x>>56))
	}
	return string(w.key)
}
