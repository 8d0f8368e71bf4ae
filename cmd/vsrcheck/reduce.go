package main

import (
	"cmp"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"vsrcheck/invariants"
	"vsrcheck/model"
	"vsrcheck/specs"
)

// The reductions of the number of states, as options, records and echoes name them. The
// files model/eager.go, model/faults.go and model/prompt.go say why they change no verdict.
const (
	reduceAll    = "all"    // each that is sound for what is checked
	reduceNone   = "none"   // every step is taken
	reduceRaw    = "raw"    // every step is taken, and nothing is removed afterwards
	reduceEager  = "eager"  // eager sends
	reduceFaults = "faults" // faults last
	reducePrompt = "prompt" // prompt answers
)

// wholeReductions are the choices that stand alone.
var wholeReductions = []string{reduceAll, reduceNone, reduceRaw}

// reductionNames are the names of single reductions.
var reductionNames = []string{reduceEager, reduceFaults, reducePrompt}

const reduceUsage = "eager: heartbeats, probes and their answers are in flight as early as they can be; " +
	"faults: a stop or a loss is taken where it leaves nothing to do; prompt: an answer to a probe is in flight while it is true; " +
	"all: each that is sound for what is checked; none; raw: none, and dead messages and variables stay, to compare with"

// reduceOption is a list of reductions.
type reduceOption struct{ value *string }

func (o reduceOption) String() string { return *o.value }
func (o reduceOption) Type() string   { return "LIST" }
func (o reduceOption) Set(text string) error {
	if !slices.Contains(wholeReductions, text) {
		if _, err := listedReductions(text); err != nil {
			return err
		}
	}
	*o.value = text
	return nil
}

// listedReductions are those that a list names.
func listedReductions(text string) (r model.Reductions, err error) {
	for _, name := range strings.Split(text, ",") {
		switch name {
		case reduceEager:
			r.EagerSends = true
		case reduceFaults:
			r.FaultsLast = true
		case reducePrompt:
			r.PromptAnswers = true
		default:
			return r, usagef("got %q, want %s, or a list of %s%s", text, strings.Join(wholeReductions, ", "), strings.Join(reductionNames, ", "),
				didYouMean(name, slices.Concat(wholeReductions, reductionNames), ""))
		}
	}
	return r, nil
}

// declareSends declares --reduce for commands that take every step of a fault: those
// that walk, and those that compare with a system which knows nothing of faults last.
func declareSends(f *pflag.FlagSet, value *string) {
	*value = reduceEager
	f.Var(&choice{value, []string{reduceEager, reduceNone, reduceRaw}}, "reduce",
		"eager: heartbeats, probes and their answers are in flight as early as they can be; none: each is a step of its own; "+
			"raw: so is it, and dead messages and variables stay")
}

// sendsOf is the reduction under which a recorded trace is shown: as it was found, but
// with every fault and every answer, as under other rules it may need others.
func sendsOf(recorded string) (string, error) {
	switch recorded {
	case "":
		return reduceEager, nil
	case reduceNone, reduceRaw:
		return recorded, nil
	}
	r, err := listedReductions(recorded)
	if !r.EagerSends {
		return reduceNone, err
	}
	return reduceEager, err
}

// reduced is a model under the reductions that an option asks for, where it checks a
// specification. One that was named and would not be sound is refused.
func reduced(m *model.Model, text string, spec specs.Spec) (*model.Model, error) {
	if text == reduceRaw {
		return raw(m)
	}
	r, err := reductionsOf(text, m, spec)
	if err != nil {
		return nil, err
	}
	return m.With(r), nil
}

// raw is the raw model, unless it would not be what it says it is.
func raw(m *model.Model) (*model.Model, error) {
	if why := m.RawRefused(); why != "" {
		return nil, usagef("--reduce %s: %s; want %s", reduceRaw, why, reduceNone)
	}
	return m.Raw(), nil
}

// sending is a model under the choice of declareSends.
func sending(m *model.Model, text string) (*model.Model, error) {
	if text == reduceRaw {
		return raw(m)
	}
	return m.With(model.Reductions{EagerSends: text == reduceEager}), nil
}

// reductionsOf are the reductions that an option asks for. Those that walk have eager sends
// by default, and do without where these are not sound. In a list each is named, and refused
// where it is not sound.
func reductionsOf(text string, m *model.Model, spec specs.Spec) (model.Reductions, error) {
	if m.Config().Network != model.NetworkSet {
		if text != reduceAll && text != reduceNone && text != reduceEager {
			return model.Reductions{}, usagef("--reduce %s: %s; want %s", text, m.Unargued(model.AllReductions), reduceNone)
		}
		return model.Reductions{}, nil
	}
	asked, named := model.AllReductions, false
	switch text {
	case reduceNone:
		return model.Reductions{}, nil
	case reduceAll:
	case reduceEager:
		asked = model.Reductions{EagerSends: true}
	default:
		var err error
		if asked, err = listedReductions(text); err != nil {
			return asked, err
		}
		if why := m.Unargued(asked); why != "" {
			return asked, usagef("--reduce %s: %s; want %s, %s or %s", text, why, reduceAll, reduceEager, reduceNone)
		}
		named = true
	}
	fit, why := fitting(asked, spec)
	if named && why != "" {
		return fit, usagef("--reduce %s: %s; want %s or %s", text, why, reduceAll, reduceNone)
	}
	fit = m.Argued(fit)
	if why := eagerRevives(m.With(fit), spec); why != "" {
		if named {
			return fit, usagef("--reduce %s: got %s; want %s or %s", text, why, reduceAll, reduceNone)
		}
		fit.EagerSends = false
	}
	return m.Argued(fit), nil
}

// eagerRevives says for which of the properties that a specification names the eager sends of
// a model are not argued, and under which setting; "" is none.
func eagerRevives(m *model.Model, spec specs.Spec) string {
	for _, name := range slices.Concat(spec.Invariants, spec.Properties) {
		if p, ok := invariants.Named(name); ok && p.EagerUnless != nil {
			if setting := p.EagerUnless(m, len(spec.Constraints) > 0); setting != "" {
				return name + ", for which eager sends are not argued with " + setting
			}
		}
	}
	return ""
}

// fitting are those of the reductions asked for that are argued for what a specification
// asks, and why the others are not. What a check asks for unasked (see bind) costs none of them.
func fitting(asked model.Reductions, spec specs.Spec) (model.Reductions, string) {
	fit := asked
	var reasons []string
	drop := func(lost model.Reductions, why string) {
		if asked.And(lost) != (model.Reductions{}) {
			fit = fit.Without(lost)
			reasons = append(reasons, "got "+why)
		}
	}
	for _, name := range slices.Concat(spec.Invariants, spec.Properties) {
		p, _ := invariants.Named(name)
		drop(model.AllReductions.Without(p.KeptBy), name+", "+cmp.Or(p.NotKept, "for which that is not argued"))
	}
	if spec.CheckDeadlock {
		drop(model.Reductions{FaultsLast: true, PromptAnswers: true}, "CHECK_DEADLOCK TRUE, which asks for every step")
	}
	if len(spec.Constraints) > 0 {
		drop(model.Reductions{PromptAnswers: true}, "the CONSTRAINT "+strings.Join(spec.Constraints, ", ")+
			", and an answer is given later than it could be, in states that a constraint may cut off")
	}
	if name := spec.CutsFairSteps(); name != "" {
		drop(model.Reductions{FaultsLast: true}, "the CONSTRAINT "+name+", and a fault is taken later than it could be, in states that it may cut off")
	}
	return fit, strings.Join(reasons, "; ")
}

// reductionOf names the reductions that a model runs under.
func reductionOf(m *model.Model) string {
	var names []string
	if m.Reductions().EagerSends {
		names = append(names, reduceEager)
	}
	if m.Reductions().FaultsLast {
		names = append(names, reduceFaults)
	}
	if m.Reductions().PromptAnswers {
		names = append(names, reducePrompt)
	}
	switch {
	case m.IsRaw():
		return reduceRaw
	case len(names) == 0:
		return reduceNone
	}
	return strings.Join(names, ",")
}
