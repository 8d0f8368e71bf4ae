package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vsrcheck/cmd/vsrcheck/internal/behaviour"
	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/model"
	"vsrcheck/results"
	"vsrcheck/results/trace"
	"vsrcheck/specs"
)

// recordDiffers says, one line each, where the settings of a record are not those of its
// specification with what the run had overridden.
func recordDiffers(spec specs.Spec, config, rules []results.Setting) []string {
	want := (&job.Override{Spec: spec}).ConfigSettings()
	got := config
	if rules = behaviour.CompleteRules(rules); len(rules) > 0 {
		want = append(want, (&job.Override{Spec: spec}).RuleSettings()...)
		got = slices.Concat(config, rules)
	}
	for _, c := range specs.Constants() {
		// What only the network of the run has is at its default in the specification.
		recorded := slices.ContainsFunc(config, func(s results.Setting) bool { return s.Name == c.Name })
		if recorded && !c.Shown(spec.Config) {
			want = append(want, results.Setting{Name: c.Name, Value: c.Get(spec.Config).String()})
		}
	}
	var out []string
	for _, w := range want {
		i := slices.IndexFunc(got, func(s results.Setting) bool { return s.Name == w.Name })
		if i < 0 {
			out = append(out, w.Name+" is not recorded")
			continue
		}
		was := got[i].Value
		if got[i].Instead != "" {
			was = got[i].Instead
		}
		if was != w.Value {
			out = append(out, fmt.Sprintf("%s: recorded %s, the specification has %s", w.Name, was, w.Value))
		}
	}
	for _, s := range got {
		if !slices.ContainsFunc(want, func(w results.Setting) bool { return w.Name == s.Name }) {
			out = append(out, "there is no "+s.Name)
		}
	}
	return out
}

// TestRecordsAgreeWithSpecs: every published record, the cross-checks with TLC and the
// traces among them, is of the specification of its name as that is now.
func TestRecordsAgreeWithSpecs(t *testing.T) {
	check := func(file, name string, config, rules []results.Setting) {
		spec, err := specs.Load(name)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			return
		}
		for _, d := range recordDiffers(spec, config, rules) {
			t.Errorf("%s: %s", file, d)
		}
	}
	for _, dir := range []string{runsDir, filepath.Join(runsDir, "tlc"), filepath.Join(runsDir, "networks")} {
		records, err := results.ReadAll(dir)
		if err != nil || len(records) < 10 {
			t.Fatalf("%s: %d records, %v", dir, len(records), err)
		}
		for _, r := range records {
			check(r.File, r.Spec, r.Config, r.Rules)
		}
	}
	variables, err := behaviour.Variables()
	if err != nil {
		t.Fatal(err)
	}
	for name := range recordedTraces(t) {
		theTrace, err := trace.ReadFile(filepath.Join(tracesDir, name+".json"), variables)
		if err != nil {
			t.Fatal(err)
		}
		check(name, theTrace.Spec, theTrace.Config, behaviour.Rules(theTrace))
	}
}

// TestRecordBeforeRule takes a rule out of a record, as if that were from before there was
// the rule: it is still the specification's when that has the first alternative, and only
// then.
func TestRecordBeforeRule(t *testing.T) {
	spec, err := specs.Load("tiny-fetch-to-op-old")
	if err != nil {
		t.Fatal(err)
	}
	config, rules := (&job.Override{Spec: spec}).ConfigSettings(), (&job.Override{Spec: spec}).RuleSettings()
	first, other := 0, 0
	for _, rule := range model.Catalogue() {
		without := slices.DeleteFunc(slices.Clone(rules), func(s results.Setting) bool { return s.Name == rule.Name })
		got := strings.Join(recordDiffers(spec, config, without), "; ")
		want := ""
		if zero, is := rule.Get(model.Rules{}), rule.Get(spec.Rules); is == zero {
			first++
		} else {
			want = fmt.Sprintf("%s: recorded %s, the specification has %s", rule.Name, zero, is)
			other++
		}
		if got != want {
			t.Errorf("without %s: got %q, want %q", rule.Name, got, want)
		}
	}
	if first == 0 || other == 0 {
		t.Errorf("%d rules of %s are at their first alternative and %d at another, want some of each", first, spec.Name, other)
	}
	if got := behaviour.CompleteRules(nil); len(got) != 0 {
		t.Errorf("from no rules at all: got %v", got)
	}
	config[0].Value = "7"
	extra := append(rules, results.Setting{Name: "no_rule", Value: "x"})
	if got := strings.Join(recordDiffers(spec, config[:len(config)-1], extra), "; "); !strings.Contains(got, "replicas: recorded 7, ") ||
		!strings.Contains(got, " is not recorded; ") || !strings.HasSuffix(got, "there is no no_rule") {
		t.Errorf("another size, a size missing and an unknown rule: got %q", got)
	}
}

// TestReplayBeforeRule replays a trace that lacks a rule: under the first alternative of
// that, which makes another system of it when the trace was recorded under another.
func TestReplayBeforeRule(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.json")
	if code, stdout, stderr := program("check", "tiny-fetch-to-op-old", "--no-progress", "--trace", "json="+path); code != exitLiveness || stderr != "" {
		t.Fatalf("got exit code %d: %s%s", code, last(stdout), stderr)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		rule, result string
		code         int
		args         []string
	}{
		{"fetch_to_op", "REPRODUCED tiny-fetch-to-op-old: ", exitLiveness, nil},
		{"fetch_to_op", "REPRODUCED tiny-fetch-to-op-old: ", exitLiveness, []string{"--spec", "tiny-fetch-to-op-old"}},
		{"fetch_to_op", "STOPPED tiny-fetch-to-op-old with fetch_to_op=fixed: ", exitDiverged, []string{"--spec", "tiny-fetch-to-op-fixed"}},
		{"readoption", "REPRODUCED tiny-fetch-to-op-old with readoption=ahead: ", exitLiveness, []string{"--readoption", "ahead"}},
		{"readoption", "DIFFERS tiny-fetch-to-op-old: ", exitDiverged, nil},
	} {
		less := regexp.MustCompile(`\n    \{"name": "`+test.rule+`".*`).ReplaceAll(data, nil)
		if len(less) >= len(data) {
			t.Fatalf("the trace has no rule %s", test.rule)
		}
		if err := os.WriteFile(path, less, 0o600); err != nil {
			t.Fatal(err)
		}
		code, stdout, stderr := program(append([]string{"replay", path, "--trace-states", "none"}, test.args...)...)
		if code != test.code || stderr != "" || !strings.HasPrefix(last(stdout), test.result) {
			t.Errorf("without %s, %v: got exit code %d, want %d: %s%s", test.rule, test.args, code, test.code, last(stdout), stderr)
		}
	}
}
