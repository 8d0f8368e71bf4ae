// Package modeltest has what tests of several packages make models with. The tests inside package
// model cannot import it and have some of it once more, in normalise_test.go.
package modeltest

import (
	"fmt"
	"strings"

	"vsrcheck/model"
)

// Sized is a configuration of the given sizes in which every replica may fail.
func Sized(replicas, ops, viewMax, crashes, stops, drops int) model.Config {
	c := model.DefaultConfig()
	c.Replicas, c.Ops, c.ViewMax = replicas, ops, viewMax
	c.Crashes, c.Stops, c.Drops = crashes, stops, drops
	c.MayCrash, c.MayStop = model.AllReplicas(replicas), model.AllReplicas(replicas)
	return c
}

// With is rs with some rules switched: "name=alternative". It panics when there is none of that
// name.
func With(rs model.Rules, settings ...string) model.Rules {
	for _, setting := range settings {
		name, alternative, _ := strings.Cut(setting, "=")
		found := false
		for _, r := range model.Catalogue() {
			if r.Name == name {
				found = true
				if err := r.Set(&rs, alternative); err != nil {
					panic(err)
				}
			}
		}
		if !found {
			panic("no rule " + name)
		}
	}
	return rs
}

// SoundRules is every rule at its first alternative that is not known to break a
// property.
func SoundRules() model.Rules {
	var rs model.Rules
	for _, r := range model.Catalogue() {
		for _, a := range r.Alternatives {
			if a.Sound {
				rs = With(rs, r.Name+"="+a.Name)
				break
			}
		}
	}
	return rs
}

// RuleSet is a named set of rules.
type RuleSet struct {
	Name  string
	Rules model.Rules
}

// RuleSets are the report's rules, the sound ones, these with readoption = never, under
// which most is sent eagerly, and each that differs from one of these in one rule.
func RuleSets() []RuleSet {
	out := []RuleSet{{"report", model.Rules{}}, {"sound", SoundRules()}, {"never", With(SoundRules(), "readoption=never")}}
	seen := map[model.Rules]bool{}
	for _, base := range out {
		seen[base.Rules] = true
	}
	for _, base := range out[:3] {
		for _, r := range model.Catalogue() {
			for _, a := range r.AlternativeNames() {
				rs := With(base.Rules, r.Name+"="+a)
				if !seen[rs] {
					seen[rs] = true
					out = append(out, RuleSet{base.Name + "+" + r.Name + "=" + a, rs})
				}
			}
		}
	}
	return out
}

// Name is a configuration as the name of a test.
func Name(c model.Config) string {
	return fmt.Sprintf("n%d-ops%d-view%d-crash%d-stop%d-drop%d", c.Replicas, c.Ops, c.ViewMax, c.Crashes, c.Stops, c.Drops)
}
