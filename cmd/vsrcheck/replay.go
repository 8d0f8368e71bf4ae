package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"vsrcheck/explore"
	"vsrcheck/invariants"
	"vsrcheck/model"
	"vsrcheck/results"
	"vsrcheck/specs"
)

// replayOptions is what the command line of replay can say.
type replayOptions struct {
	settingOptions

	spec, property string
	find           func(arg string) (specs.Spec, error) // the specification of spec
	reduce         string
	traces         traceOption
	printOptions
}

func replayCommand() command {
	return command{
		name: "replay", usage: "TRACE [OPTIONS]",
		summary: "take the steps of a recorded trace again, and say whether they are possible and still violate the property",
		about: []string{
			"TRACE is a file in the format json or itf, as check --trace and simulate --trace write it, or the record of a run (--json), of which the first violation is taken; - is standard input.",
		},
		examples: []string{
			"vsrcheck replay wedge.json",
			"vsrcheck replay wedge.json --fetch-to-op fixed",
			"vsrcheck replay wedge.itf.json --trace tla=wedge_trace.tla",
			"vsrcheck replay results/runs/fetch-to-op-old.json --trace json=wedge.json",
		},
		groups: func() (any, []optionGroup) {
			o, groups := newReplayOptions()
			return o, groups
		},
		run: runReplay,
	}
}

func newReplayOptions() (*replayOptions, []optionGroup) {
	o := &replayOptions{find: findSpec}
	var groups optionGroups
	o.declare(&groups, "the trace's")
	f := groups.add("Replay")
	f.StringVar(&o.spec, "spec", "", "take the configuration and the rules of the specification `NAME` or PATH.cfg instead of the trace's")
	f.StringVar(&o.property, "property", "", "the property `NAME` to check at the end instead of the trace's")
	f.Var(&choice{&o.reduce, []string{reduceEager, reduceNone, reduceRaw}}, "reduce", "as for check (default: the trace's, with faults at any time)")
	f = groups.add("Output")
	f.Var(&o.traces, "trace", "write the replayed trace, when it is complete and the violation confirmed, to a file; may be given again; the formats are "+
		strings.Join(results.FormatNames(), ", "))
	o.printOptions.add(f)
	return o, groups
}

func runReplay(_ context.Context, c *call) (int, error) {
	o := c.options.(*replayOptions)
	if len(c.args) != 1 {
		return 0, usagef("replay: got %d arguments, want the file of one trace, in the format json or itf, or of a record", len(c.args))
	}
	variables, err := traceVariables()
	if err != nil {
		return 0, err
	}
	recorded, err := c.readTrace(c.args[0], variables)
	if err != nil {
		return 0, err
	}
	o.find = c.findSpec
	name := c.args[0]
	if name == stdio {
		name = stdinName
	}
	r, err := o.prepare(name, recorded)
	if err != nil {
		return 0, err
	}
	files, err := o.traces.create(c, "")
	if err != nil {
		return 0, err
	}
	defer files.abort()
	if err := r.run(); err != nil {
		return 0, err
	}
	p := o.page(c)
	defer p.later()()
	failed := r.report(p, o.states(), files.line(r.confirmed))
	if r.confirmed {
		t := r.traceOf(r.property.Name, explore.Kind(r.property.Kind), r.behaviour, recorded.LoopStart)
		r.keepHistory(t)
		failed = join(failed, files.write(t, o.states()))
	}
	return r.code(), failed
}

// replay is one trace that is taken again.
type replay struct {
	sends string // the choice of declareSends under which the trace was recorded
	*job
	file     string
	recorded *results.Trace
	property invariants.Property
	// changed says that the model is not that of the trace, so that other states are to
	// be expected; resized, that its states are of other sizes.
	changed, resized bool

	behaviour []explore.Step[model.State] // as far as it got
	differs   int                         // the first step to another state than the recorded one, or -1
	how       string                      // in which way it is another
	stopped   int                         // the first step that is not possible, or -1
	action    string                      // that step
	why       string                      // the guard that refuses it; of a complete replay, why the property is or is not violated
	confirmed bool                        // the replay is complete, and the property is violated at its end
}

// keepHistory gives a replayed trace what a replay does not know by itself: what the run
// that found it checked, and which settings it had overridden.
func (r *replay) keepHistory(t *results.Trace) {
	t.Properties = r.recorded.Properties
	was := map[string]string{}
	for _, s := range r.recorded.Config {
		was[s.Name] = s.Instead
	}
	for _, s := range r.recorded.Rules {
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

// prepare builds the model under which the trace is taken again.
func (o *replayOptions) prepare(path string, t *results.Trace) (*replay, error) {
	// A wrong trace is a wrong trace, whatever is wrong with what it holds.
	wrong := func(err error) error { return fmt.Errorf("%s: %w: %w", path, results.ErrTrace, err) }
	spec := specs.Spec{Name: t.Spec, Path: t.Path, Constraints: t.Constraints}
	if spec.Name == "" {
		spec.Name = path
	}
	recorded := spec
	complete := true
	if err := o.fromTrace(t, &recorded); err != nil {
		if complete = false; o.spec == "" {
			return nil, wrong(err)
		}
	}
	spec.Config, spec.Rules = recorded.Config, recorded.Rules
	if o.spec != "" {
		other, err := o.find(o.spec)
		if err != nil {
			return nil, err
		}
		spec.Config, spec.Rules = other.Config, other.Rules
	}
	effective, err := o.apply(spec)
	if err != nil {
		return nil, err
	}
	if complete && o.spec != "" {
		effective = newOverride(recorded, effective.Spec)
	}
	sends, err := sendsOf(t.Reduction)
	if err != nil {
		return nil, wrong(fmt.Errorf("reduction: %w", err))
	}
	if len(effective.instead) > 0 && sends == reduceEager && nothingFused(recorded) {
		sends = reduceNone // every send is a step of the trace, and so it is under other rules
	}
	reduce := cmp.Or(o.reduce, sends)
	m, err := model.New(effective.Config, effective.Rules)
	if err != nil {
		if len(effective.instead) == 0 && o.spec == "" {
			return nil, wrong(err)
		}
		return nil, err
	}
	if m, err = sending(m, reduce); err != nil {
		return nil, err
	}
	r := &replay{job: &job{override: effective, model: m, told: m}, file: path, recorded: t, sends: sends, differs: -1, stopped: -1}
	was := recorded.Config
	r.changed = len(effective.instead) > 0 || reduce != sends || !complete
	r.resized = was.Replicas != effective.Config.Replicas || was.Ops != effective.Config.Ops || was.ViewMax != effective.Config.ViewMax
	var usage *usageError
	switch r.property, err = o.decide(t); {
	case errors.As(err, &usage):
		return nil, err
	case err != nil:
		return nil, wrong(err)
	}
	return r, nil
}

// fromTrace reads the configuration and the rules of a trace. What the command line
// sets may be missing, and so may rules that are newer than the trace, see completeRules.
func (o *replayOptions) fromTrace(t *results.Trace, spec *specs.Spec) error {
	given := map[string]bool{}
	for _, c := range o.constants {
		given[c.Name] = c.given
	}
	for _, r := range o.rules {
		given[r.rule.Name] = r.text != ""
	}
	values := map[string]string{}
	for _, s := range t.Config {
		values[s.Name] = s.Value
	}
	for _, r := range traceRules(t) {
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
	return fmt.Errorf("%s: got unknown name %q%s", where, name, didYouMean(name, known, ""))
}

// deadlock is the property that a state without any step violates; it is no entry of
// the catalogue.
var deadlock = invariants.Property{Name: "Deadlock", Kind: invariants.Kind(explore.KindDeadlock)}

// decide is the property to check at the end.
func (o *replayOptions) decide(t *results.Trace) (invariants.Property, error) {
	name := t.Property
	if o.property != "" {
		name = o.property
	}
	if name == deadlock.Name {
		return deadlock, nil
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
	case o.property != "":
		return deadlock, usagef("--property: got %q, want a property of states, steps or fair behaviours%s", name, didYouMean(name, names, ""))
	case t.Kind == string(kindPanic):
		return deadlock, errors.New("got a trace to a failure of the model, which violates no property, want one with the option --property")
	case name == "":
		return deadlock, errors.New("got no name of a property, want one, or the option --property")
	}
	return deadlock, fmt.Errorf("property: got unknown name %q%s", name, didYouMean(name, names, ""))
}

// nothingFused reports whether the rules of a trace leave eager sends nothing to do. They are
// not those of the model in which it is taken again.
func nothingFused(spec specs.Spec) bool {
	m, err := model.New(spec.Config, spec.Rules)
	return err == nil && len(m.Fused()) == 0
}
