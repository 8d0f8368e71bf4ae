package model

import (
	"fmt"
	"strings"
)

// This file answers what other parts of the model ask about its rules, from the catalogue.

// A setting is a rule at one of its alternatives; the zero value is none.
type setting struct {
	rule        ruleIndex
	alternative uint8
	some        bool
}

// at is a rule at one of its alternatives.
func at[A ~uint8](rule ruleIndex, alternative A) setting {
	return setting{rule, uint8(alternative), true}
}

// String is the setting as options have it: incarnation=checked.
func (s setting) String() string { return s.text("=") }

// words is the setting as specifications and texts have it: incarnation = checked.
func (s setting) words() string { return s.text(" = ") }

func (s setting) text(is string) string {
	if !s.some {
		return ""
	}
	r := Catalogue()[s.rule]
	return r.Name + is + r.Alternatives[s.alternative].Name
}

// setting is a rule at the alternative that the model has.
func (m *Model) setting(k ruleIndex) setting {
	return at(k, *Catalogue()[k].field(&m.rules))
}

// ruleIs says what the chosen alternative of a rule means, and names it.
func (m *Model) ruleIs(k ruleIndex) string {
	does, _, _ := strings.Cut(Catalogue()[k].chosen(m.rules).Summary, "; ")
	return fmt.Sprintf("%s (%s)", does, m.setting(k).words())
}

// ruleFacts are what the catalogue says of the rules of a model; searches ask for them in
// every state.
type ruleFacts struct {
	against arguments // that do not hold
	cyclic  string    // see CyclicRule
}

func newRuleFacts(m *Model) (f ruleFacts) {
	where := acyclic
	for k, r := range Catalogue() {
		a := r.chosen(m.rules)
		f.against |= a.against
		if a.Cycles == cyclesWithViews && m.cfg.ViewMax == 0 {
			continue
		}
		// What makes cycles anywhere is named first.
		if a.Cycles != acyclic && (where == acyclic || a.Cycles < where) {
			where, f.cyclic = a.Cycles, m.setting(ruleIndex(k)).String()
		}
	}
	if m.cfg.Network != NetworkSet {
		f.cyclic = "network=" + m.cfg.Network.String()
	}
	return f
}

// holds reports whether steps of an argument hold under all rules.
func (m *Model) holds(steps arguments) bool { return m.facts.against&steps == 0 }

// contrary is the first rule under which a step of an argument does not hold, at its
// alternative, or none.
func (m *Model) contrary(step arguments) setting {
	for k, r := range Catalogue() {
		if r.chosen(m.rules).against&step != 0 {
			return m.setting(ruleIndex(k))
		}
	}
	return setting{}
}
