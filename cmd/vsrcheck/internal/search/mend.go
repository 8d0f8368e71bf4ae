package search

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/model"
	"vsrcheck/results"
	"vsrcheck/results/matrix"
	"vsrcheck/results/mend"
	"vsrcheck/specs"
)

// Mender looks for the smallest sets of changes that are enough.
//
// The sets of one number of changes come one after the other, in the order of the
// catalogue, and what is said of them is what a search of one set at a time would say: a
// set is tried on the counterexamples of all sets before it, and searched if none refutes
// it. Several are searched at once only in advance: if a counterexample of one of them
// refutes a later one, the result of that is not used. So the answer is the same for every
// number of workers.
type Mender struct {
	*Runner
	Spec       specs.Spec
	Bases      []*job.Job // one for each size, under the specification's own rules
	Shown      []matrix.Base
	Choices    []change
	MaxChanges int
	All        bool
	Arg        string   // the specification on a command line
	Asked      []string // the words of a command line for what each check has instead

	Own    []matrix.Outcome // of the bases
	pool   []*refuter       // in the order in which they were found
	enough [][]int
	got    mend.Answer // levels and sets
	Done   func()      // is called after each check, if not nil; for tests
}

// attempt is a set under search.
type attempt struct {
	mend.Set
	set     []int // indices of choices, ascending
	changes []change
	Jobs    []*job.Job // one for each size; nil until it is asked for
	tried   int        // counterexamples that were tried on it, from the first
	by      *refuter
}

// Run looks until the sets are found, or it is interrupted.
func (m *Mender) Run(ctx context.Context) error {
	defer m.Clear()
	base, err := m.Attempt(nil)
	if err != nil {
		return err
	}
	if err := m.check(ctx, base, true); err != nil || len(base.Checks) < len(m.Bases) {
		return err
	}
	for i := range base.Checks {
		m.Own = append(m.Own, base.Checks[i].Outcome)
	}
	if base.verdict() != results.Violated {
		return nil
	}
	m.refute(base)
	for n := 1; n <= min(m.MaxChanges, len(m.Choices)); n++ {
		if err := m.level(ctx, n); err != nil || ctx.Err() != nil {
			return err
		}
		if len(m.enough) > 0 && !m.All {
			break
		}
	}
	return nil
}

// level looks at the sets of n changes.
func (m *Mender) level(ctx context.Context, n int) error {
	sets := m.Sets(n)
	m.got.Levels = append(m.got.Levels, mend.Level{Changes: n, Sets: len(sets), Left: len(sets)})
	l := &m.got.Levels[n-1]
	for len(sets) > 0 && ctx.Err() == nil {
		var batch, open []*attempt
		for len(open) < m.Limits.WorkerCount() && len(sets) > 0 {
			a, err := m.Attempt(sets[0])
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
		m.Show(fmt.Sprintf("%s: %d of %d sets, %d of them searched", results.Plural(n, "change"), l.Sets-l.Left, l.Sets, l.Sets-l.Left-l.Replayed))
	}
	return nil
}

// Sets are those of n changes that have no set which is enough among their parts.
func (m *Mender) Sets(n int) (out [][]int) {
	var grow func(set []int, from int)
	grow = func(set []int, from int) {
		if len(set) == n {
			if !m.covered(set) {
				out = append(out, append([]int(nil), set...))
			}
			return
		}
		for i := from; i < len(m.Choices); i++ {
			if len(set) == 0 || m.Choices[set[len(set)-1]].rule.Name != m.Choices[i].rule.Name {
				grow(append(set, i), i+1)
			}
		}
	}
	grow(nil, 0)
	return out
}

// covered reports whether a set that is enough is part of a set.
func (m *Mender) covered(set []int) bool {
	for _, e := range m.enough {
		if IsPart(e, set) {
			return true
		}
	}
	return false
}

// IsPart reports whether all of part is in whole; both ascend.
func IsPart(part, whole []int) bool {
	for _, w := range whole {
		if len(part) > 0 && part[0] == w {
			part = part[1:]
		}
	}
	return len(part) == 0
}

// Attempt begins to look at a set.
func (m *Mender) Attempt(set []int) (*attempt, error) {
	a := &attempt{set: set, Jobs: make([]*job.Job, len(m.Bases))}
	for _, i := range set {
		a.changes = append(a.changes, m.Choices[i])
	}
	var err error
	a.Jobs[0], a.Changed, err = m.changed(m.Bases[0].Spec, a.changes...)
	return a, err
}

// Job is the set in one size.
func (m *Mender) Job(a *attempt, base int) (*job.Job, error) {
	var err error
	if a.Jobs[base] == nil {
		a.Jobs[base], _, err = m.changed(m.Bases[base].Spec, a.changes...)
	}
	return a.Jobs[base], err
}

// replayed reports whether a counterexample of another set refutes a set.
func (m *Mender) replayed(a *attempt) bool {
	for ; a.by == nil && a.tried < len(m.pool); a.tried++ {
		c := m.pool[a.tried]
		if j, err := m.Job(a, c.Base); err == nil && c.violates(j) { // an error comes again with the check
			a.by = c
		}
	}
	return a.by != nil
}

// ahead runs the small checks of some sets side by side.
func (m *Mender) ahead(ctx context.Context, batch []*attempt) error {
	group, groupCtx := errgroup.WithContext(ctx)
	for _, a := range batch {
		group.Go(func() error {
			for len(a.Checks) < len(m.Bases) && groupCtx.Err() == nil && a.verdict() != results.Violated {
				got, err := m.one(groupCtx, a, m.aside)
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
func (m *Mender) check(ctx context.Context, a *attempt, all bool) error {
	for len(a.Checks) < len(m.Bases) && (all || a.verdict() != results.Violated) {
		m.Clear()
		got, err := m.one(ctx, a, m.alone)
		if err != nil || got == nil {
			return err
		}
	}
	return nil
}

// one runs the next check of a set, if it is not in the file of those that are finished.
func (m *Mender) one(ctx context.Context, a *attempt, run func(context.Context, *job.Job) (*matrix.Outcome, error)) (*matrix.Outcome, error) {
	base := len(a.Checks)
	j, err := m.Job(a, base)
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
		if err := m.keep(j, m.Shown[base].Name()+": "+a.Name(), got); err != nil {
			return nil, err
		}
	}
	if m.Done != nil {
		m.Done()
	}
	got = m.proof(&j.Config, onlyChanged(*got, a.Changed))
	a.Checks = append(a.Checks, mend.Check{Base: base, Command: m.checkCommand(base, a.set), Outcome: *got})
	return got, nil
}

// proof is an outcome as far as it is a proof: a check that holds proves nothing if one of its
// properties says nothing, as under rules that keep a group from doing anything at all. What
// no rule can change does not count: without a second view none starts.
func (r *Runner) proof(c *model.Config, got *matrix.Outcome) *matrix.Outcome {
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
			out.Verdict, out.Reason, out.ExitCode = matrix.Vacuous, v.Property+" says nothing: "+v.Why, r.ExitCode(job.EndNothing)
			return &out
		}
	}
	return got
}

// verdict is that of all its checks together.
func (a *attempt) verdict() string { return a.Set.Worst() }

// decide says what becomes of the next set: the counterexamples of those before it are
// known by now.
func (m *Mender) decide(ctx context.Context, a *attempt, l *mend.Level) error {
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
			a.Why = strings.TrimSpace(m.Shown[c.Base].Name() + ": " + c.What())
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
func (m *Mender) refute(a *attempt) {
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

// allRules is what --rules takes for the alternatives of every rule.
const allRules = "all"

// Choices are the changes to choose from, in the catalogue's order: the sound ones if texts
// is nil.
func Choices(own model.Rules, texts []string) ([]change, error) {
	all := changes(own, nil)
	wanted := map[string]bool{} // names of rules, and of changes
	for _, text := range texts {
		name, alternative, one := strings.Cut(text, "=")
		if text == allRules {
			for _, c := range all {
				wanted[c.rule.Name] = true
			}
			continue
		}
		names := []string{name}
		if err := ReadRules("--rules", names); err != nil {
			return nil, err
		}
		if !one {
			wanted[names[0]] = true
			continue
		}
		c := change{alternative: alternative}
		for _, r := range model.Catalogue() {
			if r.Name == names[0] {
				c.rule = r
			}
		}
		other := own
		if err := c.rule.Set(&other, alternative); err != nil {
			return nil, job.Wrongf("--rules: %s", err)
		}
		if alternative == c.rule.Get(own) {
			return nil, job.Wrongf("--rules: got %s, which the specification has, want another alternative", text)
		}
		wanted[c.String()] = true
	}
	var out []change
	for _, c := range all {
		if texts == nil && c.sound() || wanted[c.rule.Name] || wanted[c.String()] {
			out = append(out, c)
		}
	}
	return out, nil
}

func (c change) String() string { return c.rule.Name + "=" + c.alternative }

// sound reports whether no property is known to break because of the alternative.
func (c change) sound() bool {
	for _, a := range c.rule.Alternatives {
		if a.Name == c.alternative {
			return a.Sound
		}
	}
	return false
}

// checkCommand is the command that repeats the check of a set in one size.
func (m *Mender) checkCommand(base int, set []int) string {
	words := []string{"vsrcheck", "check", m.Arg}
	for _, c := range specs.Constants() {
		if m.Bases[base].Instead[c.Name] == "" {
			continue
		}
		value := c.Get(m.Bases[base].Config).String()
		if c.Kind == specs.SetValue {
			value = cmp.Or(strings.NewReplacer("{", "", "}", "", " ", "").Replace(value), "none")
		}
		words = append(words, "--"+job.OptionName(c.Name)+"="+value)
	}
	rules := m.Bases[base].Rules
	for _, i := range set {
		_ = m.Choices[i].rule.Set(&rules, m.Choices[i].alternative) // it is one of the rule's
	}
	for _, r := range model.Catalogue() {
		if got := r.Get(rules); got != r.Get(m.Spec.Rules) {
			words = append(words, "--"+job.OptionName(r.Name)+"="+got)
		}
	}
	return strings.Join(append(words, m.Asked...), " ")
}

// Answer is what was found.
func (m *Mender) Answer(ctx context.Context) *mend.Answer {
	out := m.got
	out.Schema, out.Bases, out.Own, out.MaxChanges, out.All, out.Build = mend.Schema, m.Shown, m.Own, m.MaxChanges, m.All, results.ReadBuild()
	for _, c := range m.Choices {
		out.Changes = append(out.Changes, results.Setting{Name: c.rule.Name, Value: c.alternative, Instead: c.rule.Get(m.Bases[0].Rules)})
	}
	out.Levels, out.Sets = append([]mend.Level{}, out.Levels...), append([]mend.Set{}, out.Sets...)
	out.Counterexamples = []mend.Counterexample{}
	for _, c := range m.pool {
		if len(c.Refutes) > 0 {
			out.Counterexamples = append(out.Counterexamples, c.Counterexample)
		}
	}
	switch n := len(out.Undecided); {
	case ctx.Err() != nil:
		out.Incomplete = "interrupted"
	case n > 0:
		out.Incomplete = fmt.Sprintf("%s undecided, so that a smaller one may be enough, or another", results.Plural(n, "set"))
	}
	return &out
}
