package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"vsrcheck/cmd/vsrcheck/internal/behaviour"
	"vsrcheck/cmd/vsrcheck/internal/cross"
	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/cmd/vsrcheck/internal/search"
	"vsrcheck/cmd/vsrcheck/internal/tell"
	"vsrcheck/explore"
	"vsrcheck/model"
	"vsrcheck/results"
	"vsrcheck/results/trace"
	"vsrcheck/specs"
)

// nowhereJob is a specification whose constraint no initial state satisfies. A file that says
// so is refused, so the commands are tried from within.
func nowhereJob(t testing.TB) *job.Job {
	t.Helper()
	spec, err := specs.Load("tiny-fetch-to-op-fixed")
	if err != nil {
		t.Fatal(err)
	}
	spec.Constraints = []string{"RestartFirst", "SomeCommit"}
	j, err := job.New(&job.Override{Spec: spec}, false, job.ReduceEager)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

const nowhereText = "no initial state is within the constraint (1 outside): nothing was searched"

func runNowhere(t testing.TB) *job.Outcome {
	t.Helper()
	out, err := nowhereJob(t).Run(context.Background(), explore.Options{})
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
	p := &tell.Page{Writer: &text, Width: tell.DefaultWidth}
	if err := p.Report(out, trace.StatesDiff, "", tell.Advice{}); err != nil {
		t.Fatal(err)
	}
	want := "INCONCLUSIVE tiny-fetch-to-op-fixed within CONSTRAINT RestartFirst and SomeCommit: " + nowhereText
	if out.End != job.EndNothing || !strings.HasSuffix(text.String(), want+"\n") || strings.Contains(text.String(), "HOLDS") {
		t.Errorf("got exit code %d and\n%s", out.End, &text)
	}
	r := out.Record([]string{"vsrcheck", "check"}, codeOf(out.End))
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
	cell, err := (&search.Runner{ExitCode: codeOf}).OutcomeOf(out, nil, time.Now())
	if err != nil || cell.Verdict != results.Inconclusive || cell.What() != "inconclusive: "+nowhereText || cell.ExitCode != exitAssumption || !search.Undecidable(out.Stop) {
		t.Errorf("matrix: got %+v, %v", cell, err)
	}
	var text bytes.Buffer
	m := &minimising{Minimiser: search.NewMinimiser(specs.Spec{}, job.ReduceEager), minimiseOptions: &minimiseOptions{}, page: &tell.Page{Writer: &text, Width: tell.DefaultWidth}, call: &call{stderr: &text}}
	m.noProgress = true
	given, err := m.run(context.Background(), nowhereJob(t), "as given")
	if err != nil || given.Decisive() != nil || !strings.Contains(text.String(), "inconclusive: "+nowhereText) {
		t.Errorf("minimise: got %v, %s", err, &text)
	}
	m.page.Nothing(given)
	if !strings.Contains(text.String(), "INCONCLUSIVE ") || strings.Contains(text.String(), "HOLDS") || given.End != job.EndNothing {
		t.Errorf("minimise: got %d, %s", given.End, &text)
	}

	walks := &job.Walked{Outcome: &job.Outcome{Job: nowhereJob(t)}}
	if walks.Sim, err = explore.Simulate(context.Background(), explore.System[model.State](walks.Model), walks.Bound.Properties, explore.SimulateOptions{}); err != nil {
		t.Fatal(err)
	}
	walks.AsResult(context.Background())
	if walks.End != job.EndNothing || walks.Why != nowhereText || walks.Stop != explore.StopEmpty {
		t.Errorf("simulate: got %d, %s, %s", walks.End, walks.Stop, walks.Why)
	}
	if _, err := walks.Record([]string{"vsrcheck"}, codeOf(walks.End)).Write(); err != nil {
		t.Errorf("simulate: %v", err)
	}

	g, err := behaviour.Graph(nowhereJob(t), context.Background(), 10)
	if err != nil || len(g.States) != 1 || g.Cut() != 1 || !nowhereJob(t).StartsOutside() {
		t.Errorf("graph: got %+v, %v", g, err)
	}
	cross := &cross.Run{Comparison: &cross.Comparison{Request: &job.Request{}}, Override: nowhereJob(t).Override}
	cross.Request.Reduce = job.ReduceNone
	if outside, err := cross.StartsOutside(); err != nil || !outside {
		t.Errorf("crosscheck: got %v, %v", outside, err)
	}

	e := startExplorer(t, "tiny-fetch-to-op-fixed")
	e.Job = nowhereJob(t)
	status, body := post(t, e, "check", "{}", nil)
	var answer struct{ Verdict, Reason, Within, Cut string }
	if err := json.Unmarshal([]byte(body), &answer); err != nil || status != http.StatusOK || answer.Verdict != "inconclusive" || answer.Reason != nowhereText ||
		answer.Within != " within CONSTRAINT RestartFirst and SomeCommit" || answer.Cut != "1 state outside was not expanded" {
		t.Errorf("explore: got %d %s", status, body)
	}
}
