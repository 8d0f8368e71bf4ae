package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"vsrcheck/model"
	"vsrcheck/results"
	"vsrcheck/results/matrix"
	"vsrcheck/results/mend"
	"vsrcheck/specs"
)

// mender looks for the smallest sets of changes that are enough.
//
// The sets of one number of changes come one after the other, in the order of the
// catalogue, and what is said of them is what a search of one set at a time would say: a
// set is tried on the counterexamples of all sets before it, and searched if none refutes
// it. Several are searched at once only in advance: if a counterexample of one of them
// refutes a later one, the result of that is not used. So the answer is the same for every
// number of workers.
type mender struct {
	cellRunner
	spec       specs.Spec
	bases      []*job // one for each size, under the specification's own rules
	shown      []matrix.Base
	choices    []change
	maxChanges int
	all        bool

	own    []matrix.Outcome // of the bases
	pool   []*refuter       // in the order in which they were found
	enough [][]int
	got    mend.Answer // levels and sets
	meter  cellMeter
	done   func() // is called after each check, if not nil; for tests
}

// attempt is a set under search.
type attempt struct {
	mend.Set
	set     []int // indices of choices, ascending
	changes []change
	jobs    []*job // one for each size; nil until it is asked for
	tried   int    // counterexamples that were tried on it, from the first
	by      *refuter
}

// run looks until the sets are found, or it is interrupted.
func (m *mender) run(ctx context.Context) error {
	m.meter = cellMeter{meter: newMeter(m.call.stderr, 0), quiet: m.noProgress}
	defer m.meter.meter.clear()
	base, err := m.attempt(nil)
	if err != nil {
		return err
	}
	if err := m.check(ctx, base, true); err != nil || len(base.Checks) < len(m.bases) {
		return err
	}
	for i := range base.Checks {
		m.own = append(m.own, base.Checks[i].Outcome)
	}
	if base.verdict() != results.Violated {
		return nil
	}
	m.refute(base)
	for n := 1; n <= min(m.maxChanges, len(m.choices)); n++ {
		if err := m.level(ctx, n); err != nil || ctx.Err() != nil {
			return err
		}
		if len(m.enough) > 0 && !m.all {
			break
		}
	}
	return nil
}

// level looks at the sets of n changes.
func (m *mender) level(ctx context.Context, n int) error {
	sets := m.sets(n)
	m.got.Levels = append(m.got.Levels, mend.Level{Changes: n, Sets: len(sets), Left: len(sets)})
	l := &m.got.Levels[n-1]
	for len(sets) > 0 && ctx.Err() == nil {
		var batch, open []*attempt
		for len(open) < m.workerCount() && len(sets) > 0 {
			a, err := m.attempt(sets[0])
			if err != nil {
				return err
			}
			if sets = sets[1:]; !m.replayed(a) {
				open = append(open, a)
			}
			batch = append(batch, a)
		}
		if err := m.ahead(ctx, open); err != nil {
			return err
		}
		for _, a := range batch {
			if err := m.decide(ctx, a, l); err != nil || ctx.Err() != nil {
				return err
			}
		}
		m.meter.update(fmt.Sprintf("%s: %d of %d sets, %d of them searched", results.Plural(n, "change"), l.Sets-l.Left, l.Sets, l.Sets-l.Left-l.Replayed))
	}
	return nil
}

// sets are those of n changes that have no set which is enough among their parts.
func (m *mender) sets(n int) (out [][]int) {
	var grow func(set []int, from int)
	grow = func(set []int, from int) {
		if len(set) == n {
			if !m.covered(set) {
				out = append(out, append([]int(nil), set...))
			}
			return
		}
		for i := from; i < len(m.choices); i++ {
			if len(set) == 0 || m.choices[set[len(set)-1]].rule.Name != m.choices[i].rule.Name {
				grow(append(set, i), i+1)
			}
		}
	}
	grow(nil, 0)
	return out
}

// covered reports whether a set that is enough is part of a set.
func (m *mender) covered(set []int) bool {
	for _, e := range m.enough {
		if isPart(e, set) {
			return true
		}
	}
	return false
}

// isPart reports whether all of part is in whole; both ascend.
func isPart(part, whole []int) bool {
	for _, w := range whole {
		if len(part) > 0 && part[0] == w {
			part = part[1:]
		}
	}
	return len(part) == 0
}

// attempt begins to look at a set.
func (m *mender) attempt(set []int) (*attempt, error) {
	a := &attempt{set: set, jobs: make([]*job, len(m.bases))}
	for _, i := range set {
		a.changes = append(a.changes, m.choices[i])
	}
	var err error
	a.jobs[0], a.Changed, err = m.changed(m.bases[0].Spec, a.changes...)
	return a, err
}

// job is the set in one size.
func (m *mender) job(a *attempt, base int) (*job, error) {
	var err error
	if a.jobs[base] == nil {
		a.jobs[base], _, err = m.changed(m.bases[base].Spec, a.changes...)
	}
	return a.jobs[base], err
}

// replayed reports whether a counterexample of another set refutes a set.
func (m *mender) replayed(a *attempt) bool {
	for ; a.by == nil && a.tried < len(m.pool); a.tried++ {
		c := m.pool[a.tried]
		if j, err := m.job(a, c.Base); err == nil && c.violates(j) { // an error comes again with the check
			a.by = c
		}
	}
	return a.by != nil
}

// ahead runs the small checks of some sets side by side.
func (m *mender) ahead(ctx context.Context, batch []*attempt) error {
	group, groupCtx := errgroup.WithContext(ctx)
	for _, a := range batch {
		group.Go(func() error {
			for len(a.Checks) < len(m.bases) && groupCtx.Err() == nil && a.verdict() != results.Violated {
				got, err := m.one(groupCtx, a, m.small)
				if err != nil || got == nil {
					return err
				}
			}
			return nil
		})
	}
	return group.Wait()
}

// check runs the checks of a set that are left, until one refutes it; every one, if all.
func (m *mender) check(ctx context.Context, a *attempt, all bool) error {
	for len(a.Checks) < len(m.bases) && (all || a.verdict() != results.Violated) {
		m.meter.meter.clear()
		got, err := m.one(ctx, a, m.alone)
		if err != nil || got == nil {
			return err
		}
	}
	return nil
}

// one runs the next check of a set, if it is not in the file of those that are finished.
func (m *mender) one(ctx context.Context, a *attempt, run func(context.Context, *job) (*matrix.Outcome, error)) (*matrix.Outcome, error) {
	base := len(a.Checks)
	j, err := m.job(a, base)
	if err != nil {
		return nil, err
	}
	got, err := m.find(j)
	if err != nil {
		return nil, err
	}
	if got == nil {
		if got, err = run(ctx, j); err != nil || got == nil {
			return nil, err
		}
		if err := m.keep(j, m.shown[base].Name()+": "+a.Name(), got); err != nil {
			return nil, err
		}
	}
	if m.done != nil {
		m.done()
	}
	got = proof(&j.Config, onlyChanged(*got, a.Changed))
	a.Checks = append(a.Checks, mend.Check{Base: base, Command: m.checkCommand(base, a.set), Outcome: *got})
	return got, nil
}

// proof is an outcome as far as it is a proof: a check that holds proves nothing if one of its
// properties says nothing, as under rules that keep a group from doing anything at all. What
// no rule can change does not count: without a second view none starts.
func proof(c *model.Config, got *matrix.Outcome) *matrix.Outcome {
	if got.Verdict != results.Holds {
		return got
	}
	var bounds []string
	if c.ViewMax == 0 {
		bounds = append(bounds, "SomeViewStarts", "SomeQuorumOfVotes", "SomeLeaderless")
	}
	for _, v := range got.Vacuous {
		if !slices.Contains(bounds, v.Companion) {
			out := *got
			out.Verdict, out.Reason, out.ExitCode = matrix.Vacuous, v.Property+" says nothing: "+v.Why, exitAssumption
			return &out
		}
	}
	return got
}

// verdict is that of all its checks together.
func (a *attempt) verdict() string { return a.Set.Worst() }

// decide says what becomes of the next set: the counterexamples of those before it are
// known by now.
func (m *mender) decide(ctx context.Context, a *attempt, l *mend.Level) error {
	if m.replayed(a) {
		a.by.Refutes = append(a.by.Refutes, mend.Key(a.set))
		l.Replayed++
		l.Left--
		return nil
	}
	if err := m.check(ctx, a, false); err != nil || ctx.Err() != nil {
		return err
	}
	l.Left--
	for i := range a.Checks {
		if c := &a.Checks[i]; c.Verdict != results.Holds {
			a.Why = strings.TrimSpace(m.shown[c.Base].Name() + ": " + c.What())
		}
	}
	switch a.verdict() {
	case results.Holds:
		l.Enough++
		m.enough = append(m.enough, a.set)
		m.got.Sets = append(m.got.Sets, a.Set)
	case results.Violated:
		l.Searched++
		m.refute(a)
	case matrix.Vacuous:
		l.Vacuous++
		m.got.Vacuous = append(m.got.Vacuous, a.Set)
	default:
		l.Undecided++
		m.got.Undecided = append(m.got.Undecided, a.Set)
	}
	return nil
}

// refute keeps the counterexamples of a set; the first refutes it.
func (m *mender) refute(a *attempt) {
	name, first := a.Name(), true
	for i := range a.Checks {
		for _, c := range refuters(i, name, a.Checks[i].Command, &a.Checks[i].Outcome) {
			if first {
				c.Refutes = []string{mend.Key(a.set)}
				first = false
			}
			m.pool = append(m.pool, c)
		}
	}
}
