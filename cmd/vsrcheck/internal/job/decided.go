package job

import (
	"slices"

	"vsrcheck/model"
)

// A rule that decided nothing in a run is one of which the run proves nothing: under each of
// its alternatives the system within these bounds is the same. See model.Watched.

// decides reports whether a rule decided something in the run, as far as it went: some step
// would have led elsewhere under another of its alternatives.
func (o *Outcome) decides(rule string) bool { return slices.Contains(o.Decided, rule) }

// Idle are the rules that were overridden and decided nothing.
func (o *Outcome) Idle() (names []string) {
	for _, s := range o.RuleSettings() {
		if s.Instead != "" && !o.decides(s.Name) {
			names = append(names, s.Name)
		}
	}
	return names
}

// IdleAll are all rules that decided nothing.
func (o *Outcome) IdleAll() (names []string) {
	for _, r := range model.Catalogue() {
		if !o.decides(r.Name) {
			names = append(names, r.Name)
		}
	}
	return names
}
