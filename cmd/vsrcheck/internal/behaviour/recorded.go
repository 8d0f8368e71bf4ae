package behaviour

import (
	"slices"

	"vsrcheck/model"
	"vsrcheck/results"
	"vsrcheck/results/trace"
)

// CompleteRules are the rules that a record or a trace was made under. One that it does
// not mention was at its first alternative: the record is from before there was the rule,
// and that alternative is what the model did then. So a new rule leaves every record
// valid. A record without any rule says nothing about them, and is left so.
func CompleteRules(recorded []results.Setting) []results.Setting {
	if len(recorded) == 0 {
		return recorded
	}
	out := slices.Clone(recorded)
	for _, r := range model.Catalogue() {
		if !slices.ContainsFunc(recorded, func(s results.Setting) bool { return s.Name == r.Name }) {
			out = append(out, results.Setting{Name: r.Name, Value: r.Get(model.Rules{})})
		}
	}
	return out
}

// Rules are the completed rules of a trace.
func Rules(t *trace.Trace) []results.Setting {
	var recorded []results.Setting
	for _, r := range t.Rules {
		recorded = append(recorded, r.Setting)
	}
	return CompleteRules(recorded)
}
