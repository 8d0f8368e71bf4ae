package main

import (
	"strings"

	"github.com/spf13/pflag"

	"vsrcheck/model"
	"vsrcheck/specs"
)

// The reductions of the number of states, as options, records and echoes name them. The
// files model/eager.go, model/faults.go and model/prompt.go say why they change no verdict.
const (
	reduceAll    = "all"    // each that is sound for what is checked
	reduceNone   = "none"   // every step is taken
	reduceEager  = "eager"  // eager sends
	reduceFaults = "faults" // faults last
	reducePrompt = "prompt" // prompt answers
)

// reductionNames are the names of single reductions.
var reductionNames = []string{reduceEager, reduceFaults, reducePrompt}

const reduceUsage = "eager: heartbeats, probes and their answers are in flight as early as they can be; " +
	"faults: a stop or a loss is taken where it leaves nothing to do; prompt: an answer to a probe is in flight while it is true; " +
	"all: each that is sound for what is checked; none"

// reduceOption is a list of reductions.
type reduceOption struct{ value *string }

func (o reduceOption) String() string { return *o.value }
func (o reduceOption) Type() string   { return "LIST" }
func (o reduceOption) Set(text string) error {
	if text != reduceAll && text != reduceNone {
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
			return r, usagef("got %q, want %s, %s, or a list of %s%s", text, reduceAll, reduceNone, strings.Join(reductionNames, ", "),
				didYouMean(name, append([]string{reduceAll, reduceNone}, reductionNames...), ""))
		}
	}
	return r, nil
}

// declareSends declares --reduce for commands that take every step of a fault: those
// that walk, and those that compare with a system which knows nothing of faults last.
func declareSends(f *pflag.FlagSet, value *string) {
	*value = reduceEager
	f.Var(&choice{value, []string{reduceEager, reduceNone}}, "reduce",
		"eager: heartbeats, probes and their answers are in flight as early as they can be; none: each is a step of its own")
}

// sendsOf is the reduction under which a recorded trace is shown: as it was found, but
// with every fault and every answer, as under other rules it may need others.
func sendsOf(recorded string) (string, error) {
	switch recorded {
	case "":
		return reduceEager, nil
	case reduceNone:
		return reduceNone, nil
	}
	r, err := listedReductions(recorded)
	if !r.EagerSends {
		return reduceNone, err
	}
	return reduceEager, err
}

// reductionsOf are the reductions that an option asks for, of a model that checks a
// specification. One that was named and would not be sound is refused.
func reductionsOf(text string, m *model.Model, spec specs.Spec) (model.Reductions, error) {
	if m.Config().Network != model.NetworkSet { // where walks, whose default is eager, do without
		if text != reduceAll && text != reduceNone && text != reduceEager {
			return model.Reductions{}, usagef("--reduce %s: %s; want %s", text, m.Unsound(model.AllReductions), reduceNone)
		}
		return model.Reductions{}, nil
	}
	switch text {
	case reduceNone:
		return model.Reductions{}, nil
	case reduceAll:
		if spec.CheckDeadlock || spec.Temporal() != "" {
			return model.Reductions{EagerSends: true}, nil
		}
		return m.Sound(model.AllReductions), nil
	}
	r, err := listedReductions(text)
	if err != nil {
		return r, err
	}
	why := m.Unsound(r)
	switch {
	case why != "":
		return r, usagef("--reduce %s: %s; want %s, %s or %s", text, why, reduceAll, reduceEager, reduceNone)
	case (r.FaultsLast || r.PromptAnswers) && spec.Temporal() != "":
		return r, usagef("--reduce %s: got %s, a temporal formula, which asks for every state on the way; want %s or %s", text, spec.Temporal(), reduceEager, reduceNone)
	case (r.FaultsLast || r.PromptAnswers) && spec.CheckDeadlock:
		return r, usagef("--reduce %s: got CHECK_DEADLOCK TRUE, which asks for every step; want %s or %s", text, reduceEager, reduceNone)
	}
	return r, nil
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
	if len(names) == 0 {
		return reduceNone
	}
	return strings.Join(names, ",")
}
