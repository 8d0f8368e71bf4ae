package explore

import (
	"errors"
	"fmt"
	"slices"
)

// TemporalKind is the form of a Temporal property.
type TemporalKind string

// The forms of Temporal properties.
const (
	Eventually       TemporalKind = "eventually"        // <>P
	EventuallyAlways TemporalKind = "eventually always" // <>[]P
	AlwaysEventually TemporalKind = "always eventually" // []<>P
	LeadsTo          TemporalKind = "leads to"          // P ~> Q
)

// Temporal is a liveness property of all fair behaviours, under the conjunction of
// [System].Fair (weak fairness of each such action) and [Properties].Fairness. As in
// TLA+, a behaviour may also stay in a state for ever, if no fair action changes that
// state. P and Q are state predicates: pure, like all functions of a property.
//
// [Recurrent] is the cheaper form of []<>P under System.Fair alone: it takes 64 of them at
// once, and no components where the graph is verified to be acyclic.
type Temporal[S any] struct {
	Name string
	Kind TemporalKind
	P    func(s *S) bool
	Q    func(s *S) bool // of LeadsTo only; nil otherwise
}

// within reports whether a violation may be in s when it stays in a set of states for
// ever.
func (p *Temporal[S]) within(s *S) bool {
	switch p.Kind {
	case Eventually, AlwaysEventually:
		return !p.P(s)
	case LeadsTo:
		return !p.Q(s)
	}
	return true
}

// visits reports whether s is one of the states that a violation has to visit again and
// again.
func (p *Temporal[S]) visits(s *S) bool { return p.Kind != EventuallyAlways || !p.P(s) }

// hasStart reports whether a violation cannot be reached along any way: all of it from a
// certain state on has to be within.
func (p *Temporal[S]) hasStart() bool { return p.Kind == Eventually || p.Kind == LeadsTo }

// starts reports whether s, of the given depth and within, can be that state.
func (p *Temporal[S]) starts(s *S, depth int) bool {
	if p.Kind == Eventually {
		return depth == 0
	}
	return p.P(s)
}

// verify says what is wrong with a property.
func (p *Temporal[S]) verify() error {
	switch p.Kind {
	case Eventually, EventuallyAlways, AlwaysEventually, LeadsTo:
	default:
		return fmt.Errorf("kind %q, want %q, %q, %q or %q", p.Kind, Eventually, EventuallyAlways, AlwaysEventually, LeadsTo)
	}
	if p.P == nil {
		return errors.New("no P")
	}
	if (p.Kind == LeadsTo) != (p.Q != nil) {
		return fmt.Errorf("a Q is wanted exactly for the kind %q, got the kind %q", LeadsTo, p.Kind)
	}
	return nil
}

func verifyTemporal[S any](props []Temporal[S]) error {
	for i := range props {
		if err := props[i].verify(); err != nil {
			return fmt.Errorf("temporal property %q: %w", props[i].Name, err)
		}
	}
	return nil
}

// decideTemporal decides the Temporal properties when the search is complete. It looks
// for a set of states that a fair behaviour can visit infinitely often, with nothing
// else: one that is strongly connected, or a single state, and in which every fair set
// of actions gets its due. See the package documentation.
func (s *search[S]) decideTemporal(res *Result[S]) error {
	if len(s.props.Temporal) == 0 || s.ended() {
		return nil
	}
	if res.Stop != StopNone && res.Stop != StopConstraint {
		return nil // what kept Recurrent properties from being decided
	}
	return s.onComponents(res, func(c *components[S]) { newTemporal(c).run(res) })
}

// temporal looks for violations of the Temporal properties.
type temporal[S any] struct {
	search     *search[S]
	graph      *stepGraph[S]
	components *components[S]
	sets       *fairSets
	tally      tally
	u          *S
	stays      [][]stay // per property, those to choose from
	cut        uint64   // fair steps that lead outside the constraint
}

// stay is where a violation stays for ever: in a single state, or in a component.
type stay struct {
	root    uint32   // the shallowest, then the smallest, state of it
	members []uint32 // nil: the root alone, stuttering
}

func newTemporal[S any](c *components[S]) *temporal[S] {
	sets := fairSetsOf(c.search.sys, c.search.props.Fairness)
	return &temporal[S]{
		search:     c.search,
		graph:      c.graph,
		components: c,
		sets:       sets,
		tally:      tally{sets: sets},
		u:          new(S),
		stays:      make([][]stay, len(c.search.props.Temporal)),
	}
}

func (t *temporal[S]) run(res *Result[S]) {
	t.components.whole(&look[S]{t.lookAt, t.note}, func(members []uint32) {
		t.components.found++
		for i := range t.search.props.Temporal {
			t.inspect(i, members)
		}
	})
	if t.search.halted() {
		return
	}
	res.Components = t.components.found
	if res.Liveness == MethodNone {
		res.Liveness = MethodComponents
	}
	decided := true
	for i := range t.search.props.Temporal {
		w, ok := t.witness(i)
		if t.search.halted() {
			return
		}
		if !ok {
			decided = false
			continue
		}
		w.slot = t.search.slots.temporal + i
		t.search.open[w.slot] = false
		t.search.witnesses = append(t.search.witnesses, w)
	}
	// As for Recurrent properties: what cuts off unfair steps only is a bound on faults.
	if cut := t.search.cutOff(t.cut); cut != "" && !decided && res.Stop == StopNone {
		res.Stop, res.Reason = StopConstraint, cut+": temporal properties were not decided"
	}
}

// load decodes a state into t.u.
func (t *temporal[S]) load(id uint32) *S {
	t.search.sys.Decode(t.graph.words(id), t.u)
	return t.u
}

func (t *temporal[S]) outside(id uint32) bool {
	return t.search.props.Constraint != nil && !t.search.props.Constraint(t.load(id))
}

// lookAt notes of the steps of a state how many fair ones lead outside the constraint,
// twice, plus 1 if none is fair.
func (t *temporal[S]) lookAt(g *stepGraph[S], steps []step) (note uint32) {
	quiet := uint32(1)
	for _, st := range steps {
		if len(t.sets.of(st.action)) == 0 {
			continue
		}
		quiet = 0
		if t.search.props.Constraint != nil && !t.search.props.Constraint(g.decode(st.to)) {
			note += 2
		}
	}
	return note | quiet
}

// note takes the note of a state. If none of its steps is fair, a behaviour may stay there
// for ever.
func (t *temporal[S]) note(id, note uint32) {
	t.cut += uint64(note / 2)
	if note&1 == 0 || t.outside(id) {
		return
	}
	s := t.load(id)
	for i := range t.search.props.Temporal {
		if p := &t.search.props.Temporal[i]; p.within(s) && p.visits(s) {
			t.keep(i, stay{root: id})
		}
	}
}

// keep notes where property i may be violated: the one with the first root, or all when
// it is not known yet which of them can be reached.
func (t *temporal[S]) keep(i int, s stay) {
	switch kept := t.stays[i]; {
	case t.search.props.Temporal[i].hasStart() || len(kept) == 0:
		t.stays[i] = append(kept, s)
	case t.graph.before(s.root, kept[0].root):
		kept[0] = s
	}
}

// inspect looks for violations of property i within a component of the whole graph.
func (t *temporal[S]) inspect(i int, members []uint32) {
	p := &t.search.props.Temporal[i]
	todo := [][]uint32{members}
	if p.Kind != EventuallyAlways {
		rest := t.components.those(members, func(g *stepGraph[S], id uint32) bool { return p.within(g.decode(id)) })
		if len(rest) < len(members) {
			todo = t.components.parts(rest)
		}
	}
	for len(todo) > 0 && !t.search.halted() {
		part := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		todo = append(todo, t.judge(i, part)...)
	}
}

// judge keeps a component, of the states in which a violation of property i may be, if
// there is a fair behaviour that goes round in it. If there can only be one in a part of
// it, it returns the components to look at instead.
func (t *temporal[S]) judge(i int, members []uint32) (parts [][]uint32) {
	p := &t.search.props.Temporal[i]
	if !slices.ContainsFunc(members, func(id uint32) bool { return p.visits(t.load(id)) }) {
		return nil
	}
	root := t.first(members)
	if !p.hasStart() && len(t.stays[i]) > 0 && !t.graph.before(root, t.stays[i][0].root) {
		return nil
	}
	weak, strong := t.weigh(members)
	switch {
	case len(weak) > 0:
		// Enabled in every subset of the members too, and not taken there either.
		return nil
	case len(strong) == 0:
		t.keep(i, stay{root, slices.Clone(members)})
		return nil
	}
	// A fair behaviour inside cannot take these, so it must not enable them again and
	// again either: it stays where they are not enabled.
	avoid := slices.Clone(strong)
	return t.components.parts(t.components.those(members, func(g *stepGraph[S], id uint32) bool {
		return !slices.ContainsFunc(g.expand(id), func(st step) bool {
			return slices.ContainsFunc(t.sets.of(st.action), func(n int) bool { return slices.Contains(avoid, n) })
		})
	}))
}

// weigh lists the fair sets that are starved when a behaviour visits all states and
// takes all steps of a component.
func (t *temporal[S]) weigh(members []uint32) (weak, strong []int) {
	t.components.enclose(members)
	defer t.components.release(members)
	t.tally.reset()
	if !t.components.shared(uint64(len(members))) {
		t.count(t.graph, &t.tally, members)
		return t.tally.starved()
	}
	for _, part := range share(t.components, members, func(g *stepGraph[S], part []uint32) *tally {
		own := &tally{sets: t.sets}
		t.count(g, own, part)
		return own
	}) {
		t.tally.add(part)
	}
	return t.tally.starved()
}

// count looks at a part of the states of the enclosed component, and takes its steps.
func (t *temporal[S]) count(g *stepGraph[S], to *tally, part []uint32) {
	for _, id := range part {
		steps := g.expand(id)
		to.state(steps)
		for _, st := range steps {
			if t.components.inside(st.to) {
				to.step(st.action)
			}
		}
	}
}

// first is the shallowest, then the smallest, state of a component.
func (t *temporal[S]) first(members []uint32) uint32 {
	root := members[0]
	for _, id := range members[1:] {
		if t.graph.before(id, root) {
			root = id
		}
	}
	return root
}
