package main

import (
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/invariants"
	"vsrcheck/model"
	"vsrcheck/specs"
)

// TestTraceSchemaHasEveryReduction asks that a trace of every run that there can be fits the
// schema of traces.
func TestTraceSchemaHasEveryReduction(t *testing.T) {
	data, err := os.ReadFile("../../results/schema/trace.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Properties struct {
			Reduction struct {
				Enum []string `json:"enum"`
			} `json:"reduction"`
		} `json:"properties"`
	}
	if err := json.Unmarshal(data, &schema); err != nil {
		t.Fatal(err)
	}
	want := []string{job.ReduceNone, job.ReduceRaw}
	for bits := 1; bits < 1<<len(job.ReductionNames); bits++ {
		list := ""
		for i, name := range job.ReductionNames {
			if bits>>i&1 == 1 {
				if list != "" {
					list += ","
				}
				list += name
			}
		}
		want = append(want, list)
	}
	got := schema.Properties.Reduction.Enum
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestRawIsRefusedEverywhere asks the checks and the walks and replays, of which the latter
// may be given other rules than those that a trace was recorded under.
func TestRawIsRefusedEverywhere(t *testing.T) {
	for _, name := range []string{"fetch-to-op-fixed-fifo", "zoo-view-durability"} {
		spec, err := findSpec(name)
		if err != nil {
			t.Fatal(err)
		}
		m, err := model.New(spec.Config, spec.Rules)
		if err != nil {
			t.Fatal(err)
		}
		var usage *job.WrongError
		if _, err := job.Sending(m, job.ReduceRaw); !errors.As(err, &usage) {
			t.Errorf("%s: a walk: got %v, want a usage error", name, err)
		}
		if _, err := job.Reduced(m, job.ReduceRaw, spec); !errors.As(err, &usage) {
			t.Errorf("%s: a check: got %v, want a usage error", name, err)
		}
	}
	spec, err := findSpec("sound-tiny")
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.New(spec.Config, spec.Rules)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := job.Sending(m, job.ReduceRaw); err != nil || !r.IsRaw() {
		t.Errorf("sound-tiny: got %v, want the raw model", err)
	}
}

// reducedCheck is the job of a check with options.
func reducedCheck(t *testing.T, spec specs.Spec, args ...string) (*job.Job, error) {
	t.Helper()
	o, groups := newCheckOptions()
	flags := pflag.NewFlagSet("check", pflag.ContinueOnError)
	for _, g := range groups {
		flags.AddFlagSet(g.flags)
	}
	if err := flags.Parse(args); err != nil {
		t.Fatal(err)
	}
	return o.Job(spec)
}

// TestReductionsAsDeclared: a check takes the reductions that its property declares, and a
// list with another one is refused in the name of the property. Alone, eager means where that
// is sound, as it does for walks.
func TestReductionsAsDeclared(t *testing.T) {
	spec, err := findSpec("tiny-fetch-to-op-fixed")
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	for _, p := range invariants.Catalogue() {
		option, other := "--property", "--invariant"
		switch p.Kind {
		case invariants.State:
			option, other = other, option
		case invariants.Step, invariants.Liveness:
		default:
			continue
		}
		for bits := range 1 << len(job.ReductionNames) {
			var names []string
			for i, name := range job.ReductionNames {
				if bits>>i&1 == 1 {
					names = append(names, name)
				}
			}
			text := strings.Join(names, ",")
			if bits == 0 {
				text = job.ReduceAll
			}
			asked := model.AllReductions
			if bits != 0 {
				if asked, err = job.ListedReductions(text); err != nil {
					t.Fatal(err)
				}
			}
			j, err := reducedCheck(t, spec, option, p.Name, other, "none", "--reduce", text)
			if text == job.ReduceAll || text == job.ReduceEager || asked.Without(p.KeptBy) == (model.Reductions{}) {
				if err != nil {
					t.Errorf("%s with --reduce %s: got %v, want none", p.Name, text, err)
				} else if got, want := j.Model.Reductions(), asked.And(p.KeptBy); got != want {
					t.Errorf("%s with --reduce %s: got %+v, want %+v", p.Name, text, got, want)
				}
				continue
			}
			refused++
			want := "--reduce " + text + ": got " + p.Name + ", " + p.NotKept + "; want all or none"
			var usage *job.WrongError
			if !errors.As(err, &usage) || err.Error() != want {
				t.Errorf("%s with --reduce %s: got %v, want %s", p.Name, text, err, want)
			}
		}
	}
	if refused == 0 {
		t.Error("nothing was refused")
	}
}

// TestReductionsUndeclared: a property that declares nothing is refused, and every reason is
// about a reduction that was asked for.
func TestReductionsUndeclared(t *testing.T) {
	const (
		faults = "FaultsLast"
		prompt = "PromptAnswers"
	)
	single := map[string]model.Reductions{"EagerSends": {EagerSends: true}, faults: {FaultsLast: true}, prompt: {PromptAnswers: true}}
	for _, test := range []struct {
		spec specs.Spec
		want map[string]string
	}{
		{specs.Spec{Invariants: []string{"New"}}, map[string]string{
			"EagerSends": "got New, for which that is not argued", faults: "got New, for which that is not argued", prompt: "got New, for which that is not argued"}},
		{specs.Spec{Invariants: []string{"CommittedIsHeld"}, Constraints: []string{"StopLast"}}, map[string]string{
			faults: "got CommittedIsHeld, which a stop alone may break, and then a later stop is not the same",
			prompt: "got the CONSTRAINT StopLast, and an answer is given later than it could be, in states that a constraint may cut off"}},
		{specs.Spec{Constraints: []string{"TypeOK"}}, map[string]string{
			faults: "got the CONSTRAINT TypeOK, and a fault is taken later than it could be, in states that it may cut off",
			prompt: "got the CONSTRAINT TypeOK, and an answer is given later than it could be, in states that a constraint may cut off"}},
		{specs.Spec{CheckDeadlock: true}, map[string]string{
			faults: "got CHECK_DEADLOCK TRUE, which asks for every step", prompt: "got CHECK_DEADLOCK TRUE, which asks for every step"}},
	} {
		for name, asked := range single {
			want := asked
			if test.want[name] != "" {
				want = model.Reductions{}
			}
			if fit, why := job.Fitting(asked, test.spec); fit != want || why != test.want[name] {
				t.Errorf("%+v with %s: got %+v, %q, want %+v, %q", test.spec, name, fit, why, want, test.want[name])
			}
		}
	}
}
