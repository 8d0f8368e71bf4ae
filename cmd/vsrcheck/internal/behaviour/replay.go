package behaviour

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/explore"
	"vsrcheck/invariants"
	"vsrcheck/model"
	"vsrcheck/results/trace"
	"vsrcheck/specs"
)

// Replay is one trace that is taken again.
type Replay struct {
	Sends string // the choice of --reduce under which the trace was recorded
	*job.Job
	file     string
	Recorded *trace.Trace
	Property invariants.Property
	// changed says that the model is not that of the trace, so that other states are to
	// be expected; resized, that its states are of other sizes.
	Changed, resized bool

	Behaviour []explore.Step[model.State] // as far as it got
	Differs   int                         // the first step to another state than the recorded one, or -1
	How       string                      // in which way it is another
	Stopped   int                         // the first step that is not possible, or -1
	Action    string                      // that step
	Why       string                      // the guard that refuses it; of a complete replay, why the property is or is not violated
	Confirmed bool                        // the replay is complete, and the property is violated at its end
}

// KeepHistory gives a replayed trace what a replay does not know by itself: what the run
// that found it checked, and which settings it had overridden.
func (r *Replay) KeepHistory(t *trace.Trace) {
	t.Properties = r.Recorded.Properties
	was := map[string]string{}
	for _, s := range r.Recorded.Config {
		was[s.Name] = s.Instead
	}
	for _, s := range r.Recorded.Rules {
		was[s.Name] = s.Instead
	}
	for i := range t.Config {
		if s := &t.Config[i]; s.Instead == "" {
			s.Instead = was[s.Name]
		}
	}
	for i := range t.Rules {
		if s := &t.Rules[i]; s.Instead == "" {
			s.Instead = was[s.Name]
		}
	}
}

// Again is how a trace is to be taken again, where not as it was recorded.
type Again struct {
	job.Settings
	Spec     *specs.Spec // whose configuration and rules to take; nil: the trace's
	Property string      // to check at the end; "": the trace's
	Reduce   string      // "": as the trace was recorded, with faults at any time
}

// Prepare builds the model under which a trace is taken again. Its path is for errors.
func (o *Again) Prepare(path string, t *trace.Trace) (*Replay, error) {
	// A wrong trace is a wrong trace, whatever is wrong with what it holds.
	wrong := func(err error) error { return fmt.Errorf("%s: %w: %w", path, trace.ErrTrace, err) }
	spec := specs.Spec{Name: t.Spec, Path: t.Path, Constraints: t.Constraints}
	if spec.Name == "" {
		spec.Name = path
	}
	recorded := spec
	complete := true
	if err := o.fromTrace(t, &recorded); err != nil {
		if complete = false; o.Spec == nil {
			return nil, wrong(err)
		}
	}
	spec.Config, spec.Rules = recorded.Config, recorded.Rules
	if o.Spec != nil {
		spec.Config, spec.Rules = o.Spec.Config, o.Spec.Rules
	}
	effective, err := o.Apply(spec)
	if err != nil {
		return nil, err
	}
	if complete && o.Spec != nil {
		effective = job.NewOverride(recorded, effective.Spec)
	}
	sends, err := job.SendsOf(t.Reduction)
	if err != nil {
		return nil, wrong(fmt.Errorf("reduction: %w", err))
	}
	if len(effective.Instead) > 0 && sends == job.ReduceEager && nothingFused(recorded) {
		sends = job.ReduceNone // every send is a step of the trace, and so it is under other rules
	}
	reduce := cmp.Or(o.Reduce, sends)
	m, err := model.New(effective.Config, effective.Rules)
	if err != nil {
		if len(effective.Instead) == 0 && o.Spec == nil {
			return nil, wrong(err)
		}
		return nil, err
	}
	if m, err = job.Sending(m, reduce); err != nil {
		return nil, err
	}
	r := &Replay{Job: &job.Job{Override: effective, Model: m, Told: m}, file: path, Recorded: t, Sends: sends, Differs: -1, Stopped: -1}
	was := recorded.Config
	r.Changed = len(effective.Instead) > 0 || reduce != sends || !complete
	r.resized = was.Replicas != effective.Config.Replicas || was.Ops != effective.Config.Ops || was.ViewMax != effective.Config.ViewMax
	var usage *job.WrongError
	switch r.Property, err = o.decide(t); {
	case errors.As(err, &usage):
		return nil, err
	case err != nil:
		return nil, wrong(err)
	}
	return r, nil
}

// fromTrace reads the configuration and the rules of a trace. What the command line
// sets may be missing, and so may rules that are newer than the trace, see CompleteRules.
func (o *Again) fromTrace(t *trace.Trace, spec *specs.Spec) error {
	given := map[string]bool{}
	for _, c := range o.Constants {
		given[c.Name] = c.Given
	}
	for _, r := range o.Rules {
		given[r.Rule.Name] = r.Text != ""
	}
	values := map[string]string{}
	for _, s := range t.Config {
		values[s.Name] = s.Value
	}
	for _, r := range Rules(t) {
		values[r.Name] = r.Value
	}
	var known, missing []string
	find := func(name string) (string, bool) {
		known = append(known, name)
		value, ok := values[name]
		if !ok && !given[name] {
			missing = append(missing, name)
		}
		return value, ok
	}
	for _, c := range specs.Constants() {
		if _, ok := values[c.Name]; !ok && c.Default != nil {
			values[c.Name] = c.Default.String()
		}
		value, ok := find(c.Name)
		if !ok {
			continue
		}
		v, err := c.Parse(spec.Config, value)
		if err == nil {
			err = c.Set(&spec.Config, v)
		}
		if err != nil {
			return fmt.Errorf("config.%s: %w", c.Name, err)
		}
	}
	for _, r := range model.Catalogue() {
		if value, ok := find(r.Name); ok {
			if err := r.Set(&spec.Rules, value); err != nil {
				return fmt.Errorf("rules.%s: %w", r.Name, err)
			}
		}
	}
	for _, s := range t.Config {
		if err := unknownSetting("config", s.Name, known); err != nil {
			return err
		}
	}
	for _, r := range t.Rules {
		if err := unknownSetting("rules", r.Name, known); err != nil {
			return err
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("got no value for %s, want all of them, or the options for them, or --spec", strings.Join(missing, ", "))
	}
	return nil
}

func unknownSetting(where, name string, known []string) error {
	if slices.Contains(known, name) {
		return nil
	}
	return fmt.Errorf("%s: got unknown name %q%s", where, name, job.DidYouMean(name, known, ""))
}

// decide is the property to check at the end.
func (o *Again) decide(t *trace.Trace) (invariants.Property, error) {
	name := t.Property
	if o.Property != "" {
		name = o.Property
	}
	if name == job.Deadlock.Name {
		return job.Deadlock, nil
	}
	var names []string
	for _, p := range invariants.Catalogue() {
		switch p.Kind {
		case invariants.State, invariants.Step, invariants.Liveness, invariants.Bound:
		default:
			continue
		}
		if p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	switch {
	case o.Property != "":
		return job.Deadlock, job.Wrongf("--property: got %q, want a property of states, steps or fair behaviours%s", name, job.DidYouMean(name, names, ""))
	case t.Kind == string(KindPanic):
		return job.Deadlock, errors.New("got a trace to a failure of the model, which violates no property, want one with the option --property")
	case name == "":
		return job.Deadlock, errors.New("got no name of a property, want one, or the option --property")
	}
	return job.Deadlock, fmt.Errorf("property: got unknown name %q%s", name, job.DidYouMean(name, names, ""))
}

// nothingFused reports whether the rules of a trace leave eager sends nothing to do. They are
// not those of the model in which it is taken again.
func nothingFused(spec specs.Spec) bool {
	m, err := model.New(spec.Config, spec.Rules)
	return err == nil && len(m.Fused()) == 0
}
