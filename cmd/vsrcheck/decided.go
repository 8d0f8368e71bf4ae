package main

import (
	"fmt"
	"slices"
	"strings"

	"vsrcheck/explore"
	"vsrcheck/model"
)

// A rule that decided nothing in a run is one of which the run proves nothing: under each of
// its alternatives the system within these bounds is the same. See model.Watched.

// decides reports whether a rule decided something in the run, as far as it went: some step
// would have led elsewhere under another of its alternatives.
func (o *outcome) decides(rule string) bool { return slices.Contains(o.decided, rule) }

// idle are the rules that were overridden and decided nothing.
func (o *outcome) idle() (names []string) {
	for _, s := range o.ruleSettings() {
		if s.Instead != "" && !o.decides(s.Name) {
			names = append(names, s.Name)
		}
	}
	return names
}

// idleAll are all rules that decided nothing.
func (o *outcome) idleAll() (names []string) {
	for _, r := range model.Catalogue() {
		if !o.decides(r.Name) {
			names = append(names, r.Name)
		}
	}
	return names
}

// idleLines say next to the verdict which of the overridden rules decided nothing.
func (o *outcome) idleLines(p *page) {
	idle := o.idle()
	if len(idle) == 0 {
		return
	}
	where := "within these bounds"
	if o.Verdict == explore.Violated || o.Stop != explore.StopNone {
		where = "of those that were searched"
	}
	p.printf("\n")
	label := "rules"
	for _, r := range model.Catalogue() {
		if !slices.Contains(idle, r.Name) {
			continue
		}
		others := slices.DeleteFunc(r.AlternativeNames(), func(a string) bool { return a == r.Get(o.Rules) })
		p.item(label, fmt.Sprintf("%s = %s decided nothing: no step %s would differ under %s, so this run says nothing about it",
			r.Name, r.Get(o.Rules), where, strings.Join(others, " or ")))
		label = ""
	}
}
