package job

import (
	"fmt"
	"slices"

	"vsrcheck/explore"
	"vsrcheck/invariants"
	"vsrcheck/model"
	"vsrcheck/results"
	"vsrcheck/specs"
)

// Bound is what a run checks: for the engine and, in the same order, for its reader.
type Bound struct {
	explore.Properties[model.State]
	Listed        []results.Property
	Parts         map[string]string // from the name of each of Temporal to that of the property
	ObservedWords []string          // for each of Observed, what it is, in words

	catalogue   []invariants.Property
	continueAll bool
	asked       []invariants.Property // those that the specification names
	NotAsked    []results.NotAsked    // what askRest has left out
	Excuses     []invariants.Property // for each of ObservedSteps, the property whose excuse it counts
}

// NoAssertion is checked in every run.
const NoAssertion = "NoAssertion"

// bind gives a specification's properties to the engine.
//
// The first liveness property of the specification is decisive. A violation of a
// later one is recorded and does not end the search, so that a stronger property,
// which breaks earlier, does not hide the one that the specification is about. With
// continueAll no violation ends the search.
//
// A property brings its Reachable companion along: where that is never met, the property
// says nothing, see vacuous.go.
func bind(m *model.Model, spec specs.Spec, continueAll bool) (*Bound, error) {
	b := &Bound{Parts: map[string]string{}, catalogue: invariants.Catalogue(), continueAll: continueAll}
	catalogue := map[string]invariants.Property{}
	for _, p := range b.catalogue {
		catalogue[p.Name] = p
	}
	b.CheckDeadlock = spec.CheckDeadlock
	b.Deferred, b.Optional = map[string]bool{}, map[string]bool{}
	decided := false
	names := append(append([]string{}, spec.Invariants...), spec.Properties...)
	for _, name := range names {
		b.asked = append(b.asked, catalogue[name])
	}
	if !slices.Contains(names, NoAssertion) {
		// A failed assertion ends the system there: no verdict may pass over it.
		names = append([]string{NoAssertion}, names...)
	}
	for _, name := range names {
		p, ok := catalogue[name]
		if !ok {
			return nil, fmt.Errorf("%w: got unknown property %s", specs.ErrMeaning, name)
		}
		deferred := continueAll
		if p.Kind == invariants.Liveness {
			deferred = deferred || decided
			decided = true
		}
		b.add(m, p, deferred)
	}
	for _, p := range b.asked {
		if err := b.addCompanion(m, p, catalogue); err != nil {
			return nil, err
		}
	}
	if spec.CheckDeadlock && continueAll {
		b.Deferred["Deadlock"] = true
	}
	b.constrain(m, spec, catalogue)
	if b.checksLiveness() {
		b.report(m)
	}
	if b.checksLiveness() || b.CheckDeadlock {
		b.bounds(m, catalogue)
	}
	return b, nil
}

// checksLiveness reports whether the verdict says anything about liveness.
func (b *Bound) checksLiveness() bool { return len(b.Recurrent)+len(b.Temporal) > 0 }

// FalseIn names the state properties that do not hold in a state.
func (b *Bound) FalseIn(s *model.State) (names []string) {
	for _, p := range b.Invariants {
		if !p.Holds(s) {
			names = append(names, p.Name)
		}
	}
	return names
}

// FalseFor names the step properties that do not hold for a step.
func (b *Bound) FalseFor(s *model.State, a explore.Action, t *model.State) (names []string) {
	for _, p := range b.Actions {
		if !p.Holds(s, a, t) {
			names = append(names, p.Name)
		}
	}
	return names
}

// OutstandingIn names the liveness properties that wait for something in a state. They
// are violated when the state is quiescent. Those whose goal is not just that their premise
// is over are left out: what they wait for does not show in a state.
func (b *Bound) OutstandingIn(s *model.State) (names []string) {
	for _, p := range b.Recurrent {
		if p.Outstanding(s) != 0 {
			names = append(names, p.Name)
		}
	}
	return names
}

// Outside reports whether a state is not within the constraint, so that a check does not
// go on from it.
func (b *Bound) Outside(s *model.State) bool { return b.Constraint != nil && !b.Constraint(s) }

// report has the run count what is worth knowing and no verdict.
func (b *Bound) report(m *model.Model) {
	for _, p := range b.catalogue {
		if p.Kind == invariants.Report {
			b.ObservedWords = append(b.ObservedWords, p.Summary)
			b.Observed = append(b.Observed, explore.Observed[model.State]{
				Name: p.Name, Is: func(s *model.State) bool { return p.Holds(m, s) },
			})
		}
	}
}

// bounds has a run over channels that decides what may fail because nothing happens say
// whether a step ever waited for room in one: then liveness is not what it would be with
// more room.
func (b *Bound) bounds(m *model.Model, catalogue map[string]invariants.Property) {
	if m.Config().Network == model.NetworkFIFO {
		b.add(m, catalogue["SendsFit"], true)
	}
}

// DropBounds leaves out what bounds added, where it says nothing: TLC has no notion of it,
// and walks that end somewhere prove no liveness. (What a walk finds where a step waits does
// not count, see RankOf.)
func (b *Bound) DropBounds() {
	is := func(name string) bool {
		p, ok := invariants.Named(name)
		return ok && p.Kind == invariants.Bound
	}
	b.Listed = slices.DeleteFunc(b.Listed, func(p results.Property) bool { return is(p.Name) })
	b.Invariants = slices.DeleteFunc(b.Invariants, func(p explore.Invariant[model.State]) bool { return is(p.Name) })
}

func (b *Bound) has(name string) bool {
	for _, p := range b.Listed {
		if p.Name == name {
			return true
		}
	}
	return false
}

// addCompanion gives the companion of a property to the engine.
func (b *Bound) addCompanion(m *model.Model, p invariants.Property, catalogue map[string]invariants.Property) error {
	if p.Companion == "" || b.has(p.Companion) {
		return nil
	}
	companion, ok := catalogue[p.Companion]
	if !ok {
		return fmt.Errorf("%w: %s has the unknown companion %s", specs.ErrMeaning, p.Name, p.Companion)
	}
	b.add(m, companion, b.continueAll)
	return nil
}

// askRest asks for what a check of liveness asks unasked: what its own properties excuse,
// nobody would look at else.
//
// What would cost a reduction is left out, and said.
func (b *Bound) askRest(m *model.Model) error {
	if !b.checksLiveness() {
		return nil
	}
	all := map[string]invariants.Property{}
	for _, p := range b.catalogue {
		all[p.Name] = p
	}
	for _, p := range b.catalogue {
		if !p.Unasked || b.has(p.Name) {
			continue
		}
		if p.EagerUnless != nil {
			if setting := p.EagerUnless(m, b.Constraint != nil); setting != "" {
				b.NotAsked = append(b.NotAsked, results.NotAsked{Property: p.Name, Why: "eager sends are not argued for it with " + setting})
				continue
			}
		}
		b.add(m, p, true)
		if err := b.addCompanion(m, p, all); err != nil {
			return err
		}
	}
	return nil
}

// DropUnasked takes back what askRest asked.
func (b *Bound) DropUnasked() {
	asked := func(name string) bool {
		return slices.ContainsFunc(b.asked, func(p invariants.Property) bool { return p.Name == name })
	}
	is := func(name string) bool {
		p, ok := invariants.Named(name)
		return ok && p.Unasked && !asked(name)
	}
	b.Listed = slices.DeleteFunc(b.Listed, func(p results.Property) bool { return is(p.Name) })
	b.Recurrent = slices.DeleteFunc(b.Recurrent, func(p explore.Recurrent[model.State]) bool { return is(p.Name) })
}

// add gives one property to the engine.
func (b *Bound) add(m *model.Model, p invariants.Property, deferred bool) {
	if deferred {
		b.Deferred[p.Name] = true
	}
	b.Listed = append(b.Listed, results.Property{Name: p.Name, Kind: string(p.Kind), Deferred: deferred})
	switch p.Kind {
	case invariants.State, invariants.Bound:
		b.Invariants = append(b.Invariants, explore.Invariant[model.State]{
			Name: p.Name, Holds: func(s *model.State) bool { return p.Holds(m, s) },
		})
	case invariants.Step:
		b.Actions = append(b.Actions, explore.ActionProperty[model.State]{
			Name: p.Name, Holds: func(s *model.State, a explore.Action, t *model.State) bool { return p.HoldsStep(m, s, a, t) },
		})
		if p.Excused != nil {
			b.Excuses = append(b.Excuses, p)
			b.ObservedSteps = append(b.ObservedSteps, explore.ObservedStep[model.State]{
				Name: p.Name, Is: func(s *model.State, _ explore.Action, t *model.State) bool { return p.Excused(m, s, t) },
			})
		}
	case invariants.Reachable:
		b.Optional[p.Name] = true
		b.Reachable = append(b.Reachable, explore.Reachable[model.State]{
			Name: p.Name, Is: func(s *model.State) bool { return p.Holds(m, s) },
		})
	case invariants.Liveness:
		if p.Until != nil {
			b.addTemporal(m, p, deferred)
			return
		}
		b.Recurrent = append(b.Recurrent, explore.Recurrent[model.State]{
			Name: p.Name, Outstanding: func(s *model.State) uint64 { return p.Outstanding(m, s) },
		})
	}
}

// addTemporal gives a property P ~> Q to the engine, as one for each bit.
func (b *Bound) addTemporal(m *model.Model, p invariants.Property, deferred bool) {
	bits := m.Config().Ops
	if p.PerReplica {
		bits = m.Config().Replicas
	}
	for i := range bits {
		part := fmt.Sprintf("%s %d", p.Name, i)
		b.Parts[part] = p.Name
		if deferred {
			b.Deferred[part] = true
		}
		b.Temporal = append(b.Temporal, explore.Temporal[model.State]{
			Name: part, Kind: explore.LeadsTo,
			P: func(s *model.State) bool { return p.Outstanding(m, s)>>i&1 != 0 },
			Q: func(s *model.State) bool { return p.Until(m, s)>>i&1 != 0 },
		})
	}
}

// whole makes violations of a part of a property those of the property, and keeps the
// first of each.
func (b *Bound) whole(found []explore.Violation[model.State]) (out []explore.Violation[model.State]) {
	for _, v := range found {
		if name, part := b.Parts[v.Property]; part {
			v.Property, v.Kind = name, explore.KindLiveness
			if slices.ContainsFunc(out, func(o explore.Violation[model.State]) bool { return o.Property == name }) {
				continue
			}
		}
		out = append(out, v)
	}
	return out
}

// constrain sets the conjunction of the specification's constraints.
func (b *Bound) constrain(m *model.Model, spec specs.Spec, catalogue map[string]invariants.Property) {
	if len(spec.Constraints) == 0 {
		return
	}
	var all []func(*model.Model, *model.State) bool
	for _, name := range spec.Constraints {
		holds := catalogue[name].Holds
		all = append(all, holds)
		b.ConstraintParts = append(b.ConstraintParts, explore.Invariant[model.State]{
			Name: name, Holds: func(s *model.State) bool { return holds(m, s) },
		})
	}
	b.Constraint = func(s *model.State) bool {
		for _, holds := range all {
			if !holds(m, s) {
				return false
			}
		}
		return true
	}
}
