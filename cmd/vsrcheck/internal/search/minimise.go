package search

import (
	"context"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/explore"
	"vsrcheck/model"
	"vsrcheck/results"
	"vsrcheck/specs"
)

// minimisedOrder is the order in which constants are lowered: first what shrinks a state
// space most, so that what follows is cheap.
var minimisedOrder = []string{"replicas", "view_max", "drops", "duplicates", "resets", "stops", "crashes", "ops", "pipeline"}

// Minimised are the constants that minimise lowers: all sizes and budgets, then all sets. A
// channel is not made smaller: steps would wait for room in it, which is no simpler.
func Minimised() []specs.Constant {
	var sizes, sets []specs.Constant
	for _, c := range specs.Constants() {
		switch {
		case c.Name == "channel":
		case c.Kind == specs.IntValue:
			sizes = append(sizes, c)
		case c.Kind == specs.SetValue:
			sets = append(sets, c)
		}
	}
	rank := func(c specs.Constant) int {
		if i := slices.Index(minimisedOrder, c.Name); i >= 0 {
			return i
		}
		return len(minimisedOrder) // a new one: after those whose cost is known
	}
	slices.SortStableFunc(sizes, func(a, b specs.Constant) int { return rank(a) - rank(b) })
	return append(sizes, sets...)
}

// MinimisedNames are the names of the constants that minimise lowers, in the order in which it does.
func MinimisedNames() (names []string) {
	for _, c := range Minimised() {
		names = append(names, c.Name)
	}
	return names
}

// Lower are the configurations with less of one constant, the least first. Those that are
// no configuration are left out.
func Lower(c specs.Constant, from model.Config) (out []model.Config) {
	var values []specs.Value
	now := c.Get(from)
	if c.Kind == specs.IntValue {
		for n := range now.Int {
			values = append(values, specs.Value{Kind: specs.IntValue, Int: n})
		}
	} else {
		values = subsets(now.Set)
	}
	for _, v := range values {
		cfg := from
		if err := c.Set(&cfg, v); err != nil {
			continue
		}
		if cfg.Replicas != from.Replicas && cfg.Replicas >= 0 && cfg.Replicas <= model.MaxReplicas {
			// A replica that is gone can do nothing, and there is nothing to spend on it.
			cfg.MayCrash &= model.AllReplicas(cfg.Replicas)
			cfg.MayStop &= model.AllReplicas(cfg.Replicas)
			cfg.Stops = min(cfg.Stops, cfg.MayStop.Len())
			if cfg.MayCrash == 0 {
				cfg.Crashes = 0
			}
		}
		if cfg.Validate() == nil {
			out = append(out, cfg)
		}
	}
	return out
}

// subsets are the sets with less than all of the items, the smallest first.
func subsets(items []specs.Value) []specs.Value {
	var masks []uint
	for mask := range uint(1)<<len(items) - 1 {
		masks = append(masks, mask)
	}
	slices.SortStableFunc(masks, func(a, b uint) int { return bits.OnesCount(a) - bits.OnesCount(b) })
	var out []specs.Value
	for _, mask := range masks {
		set := specs.Value{Kind: specs.SetValue}
		for i, item := range items {
			if mask>>i&1 == 1 {
				set.Set = append(set.Set, item)
			}
		}
		out = append(out, set)
	}
	return out
}

// Minimiser is a descent from a violated specification.
type Minimiser struct {
	Base   specs.Spec // as its file has it
	reduce string
	// check checks a candidate; its name is what it has lower.
	Check func(ctx context.Context, j *job.Job, name string) (*job.Outcome, error)

	Property string
	Best     *job.Outcome // the smallest that violates
	Tried    map[model.Config]bool
	Open     int // candidates that were inconclusive
}

// NewMinimiser is a descent from a specification, under a choice of reductions. Check has to be set.
func NewMinimiser(base specs.Spec, reduce string) *Minimiser {
	return &Minimiser{Base: base, reduce: reduce, Tried: map[model.Config]bool{}}
}

// Descend lowers the constants of a run that is violated until none can be lowered, or until
// it is interrupted.
func (m *Minimiser) Descend(ctx context.Context, from *job.Outcome) error {
	m.Best, m.Property = from, from.Decisive().Property
	for changed := true; changed; {
		changed = false
		for _, c := range Minimised() {
			for _, cfg := range Lower(c, m.Best.Config) {
				smaller, err := m.try(ctx, c, cfg)
				if err != nil || ctx.Err() != nil {
					return err
				}
				if smaller {
					changed = true
					break // the lower ones were tried before
				}
			}
		}
	}
	return nil
}

// try runs a candidate, and makes it the best if it violates.
func (m *Minimiser) try(ctx context.Context, c specs.Constant, cfg model.Config) (bool, error) {
	if m.Tried[cfg] {
		return false, nil
	}
	m.Tried[cfg] = true
	spec := job.CheckingOnly(m.Best.Spec, m.Property)
	spec.Config = cfg
	lowered := job.NewOverride(m.Base, spec)
	lowered.Chosen = true
	j, err := job.New(lowered, false, m.reduce)
	if err != nil {
		return false, err
	}
	out, err := m.Check(ctx, j, Differences(c, m.Best.Config, cfg))
	if err != nil {
		return false, err
	}
	v := out.Decisive()
	if v == nil && !out.Vacuous() && out.Verdict == explore.Inconclusive {
		m.Open++
	}
	if v == nil || v.Property != m.Property {
		return false, nil
	}
	m.Best = out
	return true, nil
}

// Differences is what a candidate has lower, as name=value: the constant, and the budgets
// that go with it.
func Differences(lowered specs.Constant, before, after model.Config) string {
	var parts []string
	for _, c := range Minimised() {
		value := c.Get(after).String()
		if c.Name == lowered.Name || c.Kind == specs.IntValue && value != c.Get(before).String() {
			parts = append(parts, c.Name+"="+strings.ReplaceAll(value, " ", ""))
		}
	}
	return strings.Join(parts, " ")
}

// Smallest is the specification that the descent came to, for a file of its own.
func (m *Minimiser) Smallest(complete bool) specs.Spec {
	spec := job.CheckingOnly(m.Best.Spec, m.Property)
	spec.Size = ""
	name := strings.Join(strings.Fields(m.Base.Name), " ") // a file's name may have anything in it
	spec.Summary = "Smallest sizes at which " + name + " violates " + m.Property
	spec.Text = "Made by vsrcheck minimise. "
	switch {
	case !complete:
		spec.Text += "It was interrupted, so smaller ones may violate, too."
	default:
		spec.Text += "With one constant lower and the others as they are here, there\nis no violation: each such candidate was checked."
		if m.Open > 0 {
			spec.Text += "\n" + m.OpenText()
		}
	}
	return spec
}

// OpenText says of inconclusive candidates how they were counted.
func (m *Minimiser) OpenText() string {
	return fmt.Sprintf("Inconclusive and counted as not violating: %s.", results.Plural(m.Open, "candidate"))
}
