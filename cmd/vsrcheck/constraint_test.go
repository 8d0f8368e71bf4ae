package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"vsrcheck/explore"
	"vsrcheck/model"
	"vsrcheck/results"
	"vsrcheck/results/trace"
	"vsrcheck/specs"
)

// nowhereJob is a specification whose constraint no initial state satisfies. A file that says
// so is refused, so the commands are tried from within.
func nowhereJob(t testing.TB) *job {
	t.Helper()
	spec, err := specs.Load("tiny-fetch-to-op-fixed")
	if err != nil {
		t.Fatal(err)
	}
	spec.Constraints = []string{"RestartFirst", "SomeCommit"}
	j, err := newJob(&override{Spec: spec}, false, reduceEager)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

const nowhereText = "no initial state is within the constraint (1 outside): nothing was searched"

func runNowhere(t testing.TB) *outcome {
	t.Helper()
	out, err := nowhereJob(t).run(context.Background(), explore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestNothingVisited: a check that visits no state says so, in its verdict and its record,
// and exits with 10.
func TestNothingVisited(t *testing.T) {
	out := runNowhere(t)
	var text bytes.Buffer
	p := &page{Writer: &text, width: defaultWidth}
	if err := out.report(p, trace.StatesDiff, ""); err != nil {
		t.Fatal(err)
	}
	want := "INCONCLUSIVE tiny-fetch-to-op-fixed within CONSTRAINT RestartFirst and SomeCommit: " + nowhereText
	if out.code != exitAssumption || !strings.HasSuffix(text.String(), want+"\n") || strings.Contains(text.String(), "HOLDS") {
		t.Errorf("got exit code %d and\n%s", out.code, &text)
	}
	r := out.record([]string{"vsrcheck", "check"})
	if r.Verdict != results.Inconclusive || r.Stop != "empty" || r.ExitCode != exitAssumption || r.Outside != 1 ||
		len(r.Constraints) != 2 || r.Constraints[0].Outside != 0 || r.Constraints[1].Outside != 1 {
		t.Errorf("got %+v", r)
	}
	data, err := r.Write()
	if err == nil {
		_, err = results.Parse(data)
	}
	if err != nil {
		t.Error(err)
	}
}

// TestNothingVisitedElsewhere asks every other command that searches or walks.
func TestNothingVisitedElsewhere(t *testing.T) {
	out := runNowhere(t)
	cell, err := outcomeOf(out, nil, time.Now())
	if err != nil || cell.Verdict != results.Inconclusive || cell.What() != "inconclusive: "+nowhereText || cell.ExitCode != exitAssumption || !undecidable(out.Stop) {
		t.Errorf("matrix: got %+v, %v", cell, err)
	}
	var text bytes.Buffer
	m := &minimiser{minimiseOptions: &minimiseOptions{checkOptions: &checkOptions{}}, page: &page{Writer: &text, width: defaultWidth}, call: &call{stderr: &text}}
	m.noProgress = true
	given, err := m.run(context.Background(), nowhereJob(t), "as given")
	if err != nil || given.decisive() != nil || !strings.Contains(text.String(), "inconclusive: "+nowhereText) {
		t.Errorf("minimise: got %v, %s", err, &text)
	}
	given.nothing(m.page)
	if !strings.Contains(text.String(), "INCONCLUSIVE ") || strings.Contains(text.String(), "HOLDS") || given.code != exitAssumption {
		t.Errorf("minimise: got %d, %s", given.code, &text)
	}

	walks := &simulated{outcome: &outcome{job: nowhereJob(t)}}
	if walks.sim, err = explore.Simulate(context.Background(), explore.System[model.State](walks.model), walks.bound.Properties, explore.SimulateOptions{}); err != nil {
		t.Fatal(err)
	}
	walks.asResult(context.Background())
	if walks.code != exitAssumption || walks.reason != nowhereText || walks.Stop != explore.StopEmpty {
		t.Errorf("simulate: got %d, %s, %s", walks.code, walks.Stop, walks.reason)
	}
	if _, err := walks.record([]string{"vsrcheck"}).Write(); err != nil {
		t.Errorf("simulate: %v", err)
	}

	g, err := nowhereJob(t).graph(context.Background(), 10)
	if err != nil || len(g.States) != 1 || g.Cut() != 1 || !nowhereJob(t).startsOutside() {
		t.Errorf("graph: got %+v, %v", g, err)
	}
	cross := &crossRun{crosscheckOptions: &crosscheckOptions{checkOptions: &checkOptions{}}, override: nowhereJob(t).override}
	cross.reduce = reduceNone
	if outside, err := cross.startsOutside(); err != nil || !outside {
		t.Errorf("crosscheck: got %v, %v", outside, err)
	}

	e := startExplorer(t, "tiny-fetch-to-op-fixed")
	e.job = nowhereJob(t)
	status, body := post(t, e, "check", "{}", nil)
	var answer struct{ Verdict, Reason, Within, Cut string }
	if err := json.Unmarshal([]byte(body), &answer); err != nil || status != http.StatusOK || answer.Verdict != "inconclusive" || answer.Reason != nowhereText ||
		answer.Within != " within CONSTRAINT RestartFirst and SomeCommit" || answer.Cut != "1 state outside was not expanded" {
		t.Errorf("explore: got %d %s", status, body)
	}
}
