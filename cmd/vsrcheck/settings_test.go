package main

import (
	"context"
	"slices"
	"strings"
	"testing"

	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/model"
	"vsrcheck/specs"
)

// withoutSettings are the commands that take no constants and no rules, and why.
var withoutSettings = map[string]string{
	"resume":     "goes on with a run whose settings are in its checkpoint",
	"manifest":   "runs specifications as they are written, and compares with what they expect",
	"list":       "runs nothing",
	"explain":    "runs nothing",
	"version":    "runs nothing",
	"help":       "runs nothing",
	"completion": "runs nothing",
	"man":        "runs nothing",
	"table":      "prints what records say",
	"mend":       "changes the rules itself",
}

// TestEveryCommandTakesEverySetting asks every command for every constant and for every
// alternative of every rule.
func TestEveryCommandTakesEverySetting(t *testing.T) {
	var settings []string
	for _, c := range specs.Constants() {
		value := "1"
		switch c.Kind {
		case specs.BoolValue:
			value = "true"
		case specs.StringValue:
			value = model.NetworkNames()[0]
		}
		settings = append(settings, "--"+job.OptionName(c.Name)+"="+value)
	}
	for _, r := range model.Catalogue() {
		for _, name := range r.AlternativeNames() {
			settings = append(settings, "--"+job.OptionName(r.Name)+"="+name)
		}
	}
	asked := 0
	for _, cmd := range commands() {
		if cmd.groups == nil {
			if withoutSettings[cmd.name] == "" {
				t.Errorf("%s takes no options, and no reason is given", cmd.name)
			}
			continue
		}
		takes := false
		for _, s := range settings {
			_, groups := cmd.groups()
			name, value, _ := strings.Cut(strings.TrimPrefix(s, "--"), "=")
			at := slices.IndexFunc(groups, func(g optionGroup) bool { return g.flags.Lookup(name) != nil })
			if at < 0 {
				if withoutSettings[cmd.name] == "" {
					t.Errorf("%s refuses %s", cmd.name, s)
				}
				continue
			}
			takes = true
			if err := groups[at].flags.Set(name, value); err != nil {
				t.Errorf("%s: %s: %v", cmd.name, s, err)
			}
		}
		if takes {
			asked++
		}
	}
	if asked < 8 {
		t.Errorf("only %d commands take settings", asked)
	}
}

// TestDefectRuleMatters runs commands with a defect rule, which has to reach the model.
func TestDefectRuleMatters(t *testing.T) {
	for _, c := range []struct {
		want string
		args []string
	}{
		{"nack_quorum", []string{"minimise", "zoo-nack-quorum-sound", "--nack-quorum", "short", "--no-progress", "--workers", "1"}},
		{"VIOLATED", []string{"check", "zoo-nack-quorum-sound", "--nack-quorum", "short", "--no-progress", "--workers", "1"}},
	} {
		code, stdout, stderr := runHere(context.Background(), c.args...)
		if strings.Contains(stderr, "unknown option") || !strings.Contains(stdout+stderr, c.want) {
			t.Errorf("%v: got exit code %d and\n%s%s", c.args, code, stdout, stderr)
		}
	}
}
