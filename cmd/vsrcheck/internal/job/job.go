package job

import (
	"context"
	"fmt"
	"slices"
	"time"

	"vsrcheck/explore"
	"vsrcheck/model"
)

// Job is one check with everything that decides its verdict.
type Job struct {
	*Override
	Model       *model.Model // that is searched
	Told        *model.Model // in which a trace is told: with every fault and every answer
	Bound       *Bound
	continueAll bool
	Bounded     bool // the verdict is about the channels as they are bounded, as TLC's is
	Counting    bool // the run is there to count states, so that it need not ask anything of them
}

// New builds the model of a specification and binds its properties.
func New(spec *Override, continueAll bool, reduce string) (*Job, error) {
	m, err := model.New(spec.Config, spec.Rules)
	if err != nil {
		return nil, err
	}
	if m, err = Reduced(m, reduce, spec.Spec); err != nil {
		return nil, err
	}
	b, err := bind(m, spec.Spec, continueAll)
	if err != nil {
		return nil, err
	}
	if !spec.Chosen {
		if err := b.askRest(m); err != nil {
			return nil, err
		}
	}
	told := m
	if !m.IsRaw() {
		told = m.With(model.Reductions{EagerSends: m.Reductions().EagerSends})
	}
	return &Job{Override: spec, Model: m, Told: told, Bound: b, continueAll: continueAll}, nil
}

// Start is the behaviour that has only the initial state; the model has one.
func (j *Job) Start() (behaviour []explore.Step[model.State]) {
	j.Model.Init(func(s *model.State) { behaviour = append(behaviour, explore.Step[model.State]{State: *s}) })
	return behaviour
}

// Outcome is a job that has been run.
type Outcome struct {
	*Job
	*explore.Result[model.State]
	End Ending
	Why string // why it is inconclusive, in words
	// timedOut says that the time limit interrupted it.
	TimedOut bool
	Guarded
	Decided []string // the rules that decided something, see decides
	Started time.Time
}

// Run explores the job's state space. When the model fails, the outcome that comes
// with the error has the trace to the state in which it did.
func (j *Job) Run(ctx context.Context, opt explore.Options) (*Outcome, error) {
	out := &Outcome{Job: j, Started: time.Now()}
	var err error
	watched := j.Model.Watched()
	out.Result, err = explore.Check(ctx, explore.System[model.State](watched), j.Bound.Properties, opt)
	out.Decided = watched.Decided()
	if err != nil {
		return out, fmt.Errorf("check %s: %w", j.Name, err)
	}
	if len(j.Bound.Temporal) > 0 && out.Liveness == explore.MethodQuiescent {
		out.Liveness = explore.MethodComponents // of which the formulas took all, whatever the others did with
	}
	out.Violations = j.Bound.whole(out.Violations)
	out.Decide(ctx)
	out.retell()
	return out, nil
}

// retell tells the traces in the model that leaves out no messages: its states have the
// answers that a reduction dropped, which stand in nobody's way. If they do, which no
// argument rules out where nobody leads a quorum, all is told as it was searched.
func (o *Outcome) retell() {
	traces := make([][]explore.Step[model.State], len(o.Violations))
	for i := range o.Violations {
		v := &o.Violations[i]
		traces[i] = v.Trace
		if len(v.Trace) == 0 || v.LoopStart >= 0 {
			continue // no trace, or one with a cycle: no reduction drops messages then
		}
		told, ok := retold(o.Told, v.Trace)
		if !ok || v.Kind == explore.KindLiveness && !o.Told.Quiescent(&told[len(told)-1].State) {
			plain := *o.Job
			plain.Told = o.Model
			o.Job = &plain
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

// Steps is the length of a violation's trace.
func Steps(v *explore.Violation[model.State]) int { return max(0, len(v.Trace)-1) }

// StatesPerSecond is the number of distinct states found in a second.
func (o *Outcome) StatesPerSecond() float64 {
	if s := o.Elapsed.Seconds(); s > 0 {
		return float64(o.Distinct) / s
	}
	return 0
}

// BytesPerState is what the store took for one state.
func (o *Outcome) BytesPerState() float64 {
	if o.Distinct == 0 {
		return 0
	}
	return float64(o.StoreBytes) / float64(o.Distinct)
}

// ChecksLiveness reports whether the verdict says anything about liveness.
func (j *Job) ChecksLiveness() bool { return j.Bound.checksLiveness() }
