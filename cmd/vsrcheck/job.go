package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"vsrcheck/explore"
	"vsrcheck/model"
)

// job is one check with everything that decides its verdict.
type job struct {
	*override
	model       *model.Model // that is searched
	told        *model.Model // in which a trace is told: with every fault and every answer
	bound       *bound
	continueAll bool
	bounded     bool // the verdict is about the channels as they are bounded, as TLC's is
	counting    bool // the run is there to count states, so that it need not ask anything of them
}

// newJob builds the model of a specification and binds its properties.
func newJob(spec *override, continueAll bool, reduce string) (*job, error) {
	m, err := model.New(spec.Config, spec.Rules)
	if err != nil {
		return nil, err
	}
	if m, err = reduced(m, reduce, spec.Spec); err != nil {
		return nil, err
	}
	b, err := bind(m, spec.Spec, continueAll)
	if err != nil {
		return nil, err
	}
	if !spec.chosen {
		if err := b.askRest(m); err != nil {
			return nil, err
		}
	}
	told := m
	if !m.IsRaw() {
		told = m.With(model.Reductions{EagerSends: m.Reductions().EagerSends})
	}
	return &job{override: spec, model: m, told: told, bound: b, continueAll: continueAll}, nil
}

// start is the behaviour that has only the initial state; the model has one.
func (j *job) start() (behaviour []explore.Step[model.State]) {
	j.model.Init(func(s *model.State) { behaviour = append(behaviour, explore.Step[model.State]{State: *s}) })
	return behaviour
}

// outcome is a job that has been run.
type outcome struct {
	*job
	*explore.Result[model.State]
	code   int
	reason string // why it is inconclusive, in words
	advice advice // what to do next
	guarded
	decided []string // the rules that decided something, see decides
	started time.Time
}

// run explores the job's state space. When the model fails, the outcome that comes
// with the error has the trace to the state in which it did.
func (j *job) run(ctx context.Context, opt explore.Options) (*outcome, error) {
	out := &outcome{job: j, started: time.Now()}
	var err error
	watched := j.model.Watched()
	out.Result, err = explore.Check(ctx, explore.System[model.State](watched), j.bound.Properties, opt)
	out.decided = watched.Decided()
	if err != nil {
		return out, fmt.Errorf("check %s: %w", j.Name, err)
	}
	if len(j.bound.Temporal) > 0 && out.Liveness == explore.MethodQuiescent {
		out.Liveness = explore.MethodComponents // of which the formulas took all, whatever the others did with
	}
	out.Violations = j.bound.whole(out.Violations)
	out.decide(ctx)
	out.retell()
	return out, nil
}

// retell tells the traces in the model that leaves out no messages: its states have the
// answers that a reduction dropped, which stand in nobody's way. If they do, which no
// argument rules out where nobody leads a quorum, all is told as it was searched.
func (o *outcome) retell() {
	traces := make([][]explore.Step[model.State], len(o.Violations))
	for i := range o.Violations {
		v := &o.Violations[i]
		traces[i] = v.Trace
		if len(v.Trace) == 0 || v.LoopStart >= 0 {
			continue // no trace, or one with a cycle: no reduction drops messages then
		}
		told, ok := retold(o.told, v.Trace)
		if !ok || v.Kind == explore.KindLiveness && !o.told.Quiescent(&told[len(told)-1].State) {
			plain := *o.job
			plain.told = o.model
			o.job = &plain
			return
		}
		traces[i] = told
	}
	for i := range o.Violations {
		o.Violations[i].Trace = traces[i]
	}
}

// retold is a behaviour with the same actions in another model, if they are possible there.
func retold(m *model.Model, behaviour []explore.Step[model.State]) ([]explore.Step[model.State], bool) {
	told := slices.Clone(behaviour)
	for i := 1; i < len(told); i++ {
		t, why := m.Try(&told[i-1].State, told[i].Action)
		if why != "" {
			return nil, false
		}
		told[i].State = m.Kept(&t)
	}
	return told, true
}

// steps is the length of a violation's trace.
func steps(v *explore.Violation[model.State]) int { return max(0, len(v.Trace)-1) }

// statesPerSecond is the number of distinct states found in a second.
func (o *outcome) statesPerSecond() float64 {
	if s := o.Elapsed.Seconds(); s > 0 {
		return float64(o.Distinct) / s
	}
	return 0
}

// bytesPerState is what the store took for one state.
func (o *outcome) bytesPerState() float64 {
	if o.Distinct == 0 {
		return 0
	}
	return float64(o.StoreBytes) / float64(o.Distinct)
}
