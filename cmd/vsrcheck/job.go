package main

import (
	"context"
	"fmt"
	"time"

	"vsrcheck/explore"
	"vsrcheck/model"
)

// job is one check with everything that decides its verdict.
type job struct {
	*override
	model       *model.Model
	bound       *bound
	continueAll bool
}

// newJob builds the model of a specification and binds its properties.
func newJob(spec *override, continueAll bool, reduce string) (*job, error) {
	m, err := model.New(spec.Config, spec.Rules)
	if err != nil {
		return nil, err
	}
	r, err := reductionsOf(reduce, m, spec.Spec)
	if err != nil {
		return nil, err
	}
	m = m.With(r)
	b, err := bind(m, spec.Spec, continueAll)
	if err != nil {
		return nil, err
	}
	return &job{override: spec, model: m, bound: b, continueAll: continueAll}, nil
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
	code    int
	reason  string // why it is inconclusive, in words
	started time.Time
}

// run explores the job's state space. When the model fails, the outcome that comes
// with the error has the trace to the state in which it did.
func (j *job) run(ctx context.Context, opt explore.Options) (*outcome, error) {
	out := &outcome{job: j, started: time.Now()}
	var err error
	out.Result, err = explore.Check(ctx, explore.System[model.State](j.model), j.bound.Properties, opt)
	if err != nil {
		return out, fmt.Errorf("check %s: %w", j.Name, err)
	}
	out.code, out.reason = codeOfResult(ctx, out.Result), out.Reason
	return out, nil
}

// decisive is the violation that decides the verdict, or nil.
func (o *outcome) decisive() *explore.Violation[model.State] {
	if o.Verdict != explore.Violated {
		return nil
	}
	return &o.Violations[0]
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
