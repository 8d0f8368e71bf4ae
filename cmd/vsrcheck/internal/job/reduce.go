package job

import (
	"cmp"
	"slices"
	"strings"

	"vsrcheck/invariants"
	"vsrcheck/model"
	"vsrcheck/specs"
)

// The reductions of the number of states, as options, records and echoes name them. The
// files model/eager.go, model/faults.go and model/prompt.go say why they change no verdict.
const (
	ReduceAll    = "all"    // each that is sound for what is checked
	ReduceNone   = "none"   // every step is taken
	ReduceRaw    = "raw"    // every step is taken, and nothing is removed afterwards
	ReduceEager  = "eager"  // eager sends
	ReduceFaults = "faults" // faults last
	ReducePrompt = "prompt" // prompt answers
)

// WholeReductions are the choices that stand alone.
var WholeReductions = []string{ReduceAll, ReduceNone, ReduceRaw}

// ReductionNames are the names of single reductions.
var ReductionNames = []string{ReduceEager, ReduceFaults, ReducePrompt}

// ListedReductions are those that a list names.
func ListedReductions(text string) (r model.Reductions, err error) {
	for _, name := range strings.Split(text, ",") {
		switch name {
		case ReduceEager:
			r.EagerSends = true
		case ReduceFaults:
			r.FaultsLast = true
		case ReducePrompt:
			r.PromptAnswers = true
		default:
			return r, Wrongf("got %q, want %s, or a list of %s%s", text, strings.Join(WholeReductions, ", "), strings.Join(ReductionNames, ", "),
				DidYouMean(name, slices.Concat(WholeReductions, ReductionNames), ""))
		}
	}
	return r, nil
}

// SendsOf is the reduction under which a recorded trace is shown: as it was found, but
// with every fault and every answer, as under other rules it may need others.
func SendsOf(recorded string) (string, error) {
	switch recorded {
	case "":
		return ReduceEager, nil
	case ReduceNone, ReduceRaw:
		return recorded, nil
	}
	r, err := ListedReductions(recorded)
	if !r.EagerSends {
		return ReduceNone, err
	}
	return ReduceEager, err
}

// Reduced is a model under the reductions that an option asks for, where it checks a
// specification. One that was named and would not be sound is refused.
func Reduced(m *model.Model, text string, spec specs.Spec) (*model.Model, error) {
	if text == ReduceRaw {
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
		return nil, Wrongf("--reduce %s: %s; want %s", ReduceRaw, why, ReduceNone)
	}
	return m.Raw(), nil
}

// Sending is a model under a choice of eager sends, none or the raw model.
func Sending(m *model.Model, text string) (*model.Model, error) {
	if text == ReduceRaw {
		return raw(m)
	}
	return m.With(model.Reductions{EagerSends: text == ReduceEager}), nil
}

// reductionsOf are the reductions that an option asks for. Those that walk have eager sends
// by default, and do without where these are not sound. In a list each is named, and refused
// where it is not sound.
func reductionsOf(text string, m *model.Model, spec specs.Spec) (model.Reductions, error) {
	if m.Config().Network != model.NetworkSet {
		if text != ReduceAll && text != ReduceNone && text != ReduceEager {
			return model.Reductions{}, Wrongf("--reduce %s: %s; want %s", text, m.Unargued(model.AllReductions), ReduceNone)
		}
		return model.Reductions{}, nil
	}
	asked, named := model.AllReductions, false
	switch text {
	case ReduceNone:
		return model.Reductions{}, nil
	case ReduceAll:
	case ReduceEager:
		asked = model.Reductions{EagerSends: true}
	default:
		var err error
		if asked, err = ListedReductions(text); err != nil {
			return asked, err
		}
		if why := m.Unargued(asked); why != "" {
			return asked, Wrongf("--reduce %s: %s; want %s, %s or %s", text, why, ReduceAll, ReduceEager, ReduceNone)
		}
		named = true
	}
	fit, why := Fitting(asked, spec)
	if named && why != "" {
		return fit, Wrongf("--reduce %s: %s; want %s or %s", text, why, ReduceAll, ReduceNone)
	}
	fit = m.Argued(fit)
	if why := eagerRevives(m.With(fit), spec); why != "" {
		if named {
			return fit, Wrongf("--reduce %s: got %s; want %s or %s", text, why, ReduceAll, ReduceNone)
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

// Fitting are those of the reductions asked for that are argued for what a specification
// asks, and why the others are not. What a check asks for unasked (see bind) costs none of them.
func Fitting(asked model.Reductions, spec specs.Spec) (model.Reductions, string) {
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

// ReductionOf names the reductions that a model runs under.
func ReductionOf(m *model.Model) string {
	var names []string
	if m.Reductions().EagerSends {
		names = append(names, ReduceEager)
	}
	if m.Reductions().FaultsLast {
		names = append(names, ReduceFaults)
	}
	if m.Reductions().PromptAnswers {
		names = append(names, ReducePrompt)
	}
	switch {
	case m.IsRaw():
		return ReduceRaw
	case len(names) == 0:
		return ReduceNone
	}
	return strings.Join(names, ",")
}
