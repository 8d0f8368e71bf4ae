package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"vsrcheck/cmd/vsrcheck/internal/search"
	"vsrcheck/explore"
	"vsrcheck/results"
	"vsrcheck/results/mend"
)

// mendTest runs mend, and returns what it prints without the times, and its answer.
func mendTest(t *testing.T, ctx context.Context, small uint64, want int, args ...string) (string, *mend.Answer) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "mend.json")
	_, text, _ := strings.Cut(cellTest(t, ctx, mendCommand(), small, want, append(args, "--json", file)), "\nchanges ")
	text = regexp.MustCompile(`(depth \d+), [0-9.msh]+`).ReplaceAllString(text, "$1")
	if want == exitInterrupted {
		return text, nil
	}
	answer, err := mend.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	validate(t, "mend", data)
	return text, answer
}

// newMenderTest is what runMend runs.
func newMenderTest(t *testing.T, args []string) *search.Mender {
	t.Helper()
	c := cellCall(t, mendCommand(), defaultSmallCell, args)
	m, err := c.options.(*mendOptions).newMender(c)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestMendSaysWhatSaysNothing: an answer names the properties that say nothing and the rules
// that decided nothing, in the check of the specification itself and in that of a set, and is
// still of its schema. Of a set it names only rules that the set changes.
func TestMendSaysWhatSaysNothing(t *testing.T) {
	_, answer := mendTest(t, context.Background(), defaultSmallCell, exitLiveness,
		"as-reported-tiny", "--ops", "1", "--all", "--max-changes", "2", "--rules", "readoption=never,fetch_to_op,coverage")
	own := answer.Own[0]
	if len(own.Vacuous) == 0 || len(own.Idle) == 0 {
		t.Errorf("its own rules: got %+v, want a property that says nothing and a rule that decided nothing", own)
	}
	vacuous, idle := 0, 0
	for _, set := range answer.Vacuous {
		for _, c := range set.Checks {
			vacuous += len(c.Vacuous)
			idle += len(c.Idle)
			for _, name := range c.Idle {
				if !slices.ContainsFunc(set.Changed, func(s results.Setting) bool { return s.Name == name }) {
					t.Errorf("%s: %s decided nothing, and is not changed", set.Name(), name)
				}
			}
		}
	}
	if vacuous == 0 || idle == 0 {
		t.Errorf("the sets have %d properties that say nothing and %d rules that decided nothing, want some of each: %+v", vacuous, idle, answer.Vacuous)
	}
}

// mendOracle checks every set by itself, to the end and in every size. It returns the names
// of those that hold, and of these the ones of which no part holds.
func mendOracle(t *testing.T, most int, args []string) (holding []mend.Set, smallest []string) {
	t.Helper()
	m := newMenderTest(t, args)
	var least [][]int
	for n := range most + 1 {
		for _, set := range m.Sets(n) { // of all, as none is known to be enough
			a, err := m.Attempt(set)
			if err != nil {
				t.Fatal(err)
			}
			holds := true
			for base := range a.Jobs {
				j, err := m.Job(a, base)
				if err != nil {
					t.Fatal(err)
				}
				out, err := j.Run(context.Background(), explore.Options{Workers: 1})
				if err != nil {
					t.Fatal(err)
				}
				holds = holds && out.Verdict == explore.Holds
			}
			if !holds {
				continue
			}
			holding = append(holding, a.Set)
			if !slices.ContainsFunc(least, func(e []int) bool { return search.IsPart(e, set) }) {
				least = append(least, set)
				smallest = append(smallest, a.Name())
			}
		}
	}
	return holding, smallest
}

// TestMendAgreesWithExhaustion holds the answer to what an exhaustive check of every set by
// itself gives: the same sets are the smallest, and none that holds is refuted.
func TestMendAgreesWithExhaustion(t *testing.T) {
	for _, test := range []struct {
		code, most int
		args       []string
	}{
		{exitHolds, 3, []string{"tiny-fetch-to-op-old", "--rules", "fetch_to_op,gap_check,repair_arming,session_end"}},
		{exitHolds, 1, []string{"tiny-fetch-to-op-old", "--rules", "all"}},
		{exitHolds, 2, []string{"tiny-fetch-to-op-old", "--reduce", "none", "--rules", "fetch_to_op,serve_ceiling,prepare_frontier"}},
		{exitHolds, 3, []string{"as-reported-tiny", "--ops", "2", "--rules", "fetch_to_op,gap_check=journal,readoption,session_end=tick,applied_prepare,repair_session"}},
		{exitLiveness, 2, []string{"as-reported-tiny", "--ops", "1", "--view-max", "1", "--rules", "readoption=ahead,adopted_nacks,applied_prepare,probe_adoption"}},
		{exitHolds, 2, []string{"zoo-nack-quorum", "--rules", "nack_quorum,silent_sender,merge_log"}},
		{exitHolds, 2, []string{"tiny-leads-to-old", "--rules", "fetch_to_op,gap_check,session_end"}},
		{exitHolds, 2, []string{"tiny-fetch-to-op-old", "--sizes", "ops=2; ops=3", "--rules", "fetch_to_op,reconcile,applied_prepare,readoption"}},
	} {
		most := fmt.Sprint(test.most)
		_, answer := mendTest(t, context.Background(), defaultSmallCell, test.code, append(test.args, "--all", "--max-changes", most)...)
		holding, smallest := mendOracle(t, test.most, test.args)
		var got []string
		for i := range answer.Sets {
			got = append(got, answer.Sets[i].Name())
		}
		if !slices.Equal(got, smallest) {
			t.Errorf("%v: got the sets\n%s, want\n%s", test.args, strings.Join(got, "\n"), strings.Join(smallest, "\n"))
		}
		for _, set := range holding {
			if c := answer.Refutation(set.Changed); c != nil {
				t.Errorf("%v: %s holds, and is refuted by what %s gives", test.args, set.Name(), c.Command)
			}
		}
		t.Logf("%v: %s", test.args, answer.What())
	}
}

// TestMendIsDeterministic holds the answer to be the same however its checks are run.
func TestMendIsDeterministic(t *testing.T) {
	args := []string{"as-reported-tiny", "--ops", "2", "--all", "--max-changes", "3"}
	want := ""
	for _, small := range []uint64{1, 500, defaultSmallCell} {
		for _, workers := range []string{"1", "5"} {
			got, answer := mendTest(t, context.Background(), small, exitHolds, append(args, "--workers", workers)...)
			for _, c := range answer.Counterexamples {
				got += fmt.Sprintf("%+v\n", c)
			}
			if want == "" {
				want = got
			}
			if got != want {
				t.Errorf("with checks of %d states side by side and %s workers: got\n%s\nwant\n%s", small, workers, got, want)
			}
		}
	}
}

// TestMendCommands runs the commands that an answer prints: they give what it says.
func TestMendCommands(t *testing.T) {
	_, answer := mendTest(t, context.Background(), defaultSmallCell, exitHolds,
		"as-reported-tiny", "--sizes", "ops=2; ops=2 may_crash=0 recovering_elects=TRUE", "--gap-check", "journal", "--property", "EveryPreparedCommits,BackupsCatchUp")
	checked := 0
	check := func(command string, want int, what string) {
		var stdout, stderr bytes.Buffer
		if code := run(context.Background(), strings.Fields(command)[1:], &stdout, &stderr); code != want || !strings.Contains(stdout.String(), what) {
			t.Errorf("%s: got exit code %d, want %d and %s\n%s%s", command, code, want, what, &stdout, &stderr)
		}
		checked++
	}
	for _, c := range answer.Counterexamples {
		want := exitLiveness
		check(c.Command, want, fmt.Sprintf("%s (%s) after %d steps", c.Violation.Property, c.Violation.Kind, c.Steps()))
	}
	for i := range answer.Sets {
		for _, c := range answer.Sets[i].Checks {
			check(c.Command, exitHolds, fmt.Sprintf("(%s distinct states)", results.Count(c.Distinct)))
		}
	}
	if checked < 4 {
		t.Errorf("got %d commands, want some: %+v", checked, answer)
	}
}

// TestMendInterrupted ends a search early, at several of its checks, and goes on with it:
// the answer is that of a search which was left alone.
func TestMendInterrupted(t *testing.T) {
	args := []string{"tiny-fetch-to-op-old", "--rules", "fetch_to_op,gap_check,session_end", "--all"}
	want, _ := mendTest(t, context.Background(), defaultSmallCell, exitHolds, args...)
	args = append(args, "--resume", filepath.Join(t.TempDir(), "cells.jsonl"))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if got, _ := mendTest(t, ctx, defaultSmallCell, exitInterrupted, args...); !strings.Contains(got, "INTERRUPTED tiny-fetch-to-op-old: the same command goes on") {
		t.Errorf("got %s", got)
	}
	for n := range 4 {
		ctx, cancel := context.WithCancel(context.Background())
		m := newMenderTest(t, args)
		if err := m.Open(); err != nil {
			t.Fatal(err)
		}
		var finished atomic.Int64
		m.Done = func() {
			if finished.Add(1) > int64(n) {
				cancel()
			}
		}
		if err := m.Run(ctx); err != nil {
			t.Fatal(err)
		}
		if answer := m.Answer(ctx); answer.Incomplete == "" {
			t.Errorf("interrupted after %d checks: got %s", n, answer.What())
		}
		m.Close()
		cancel()
	}
	if got, _ := mendTest(t, context.Background(), defaultSmallCell, exitHolds, args...); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
