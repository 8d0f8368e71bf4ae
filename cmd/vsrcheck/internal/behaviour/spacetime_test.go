package behaviour

import (
	"context"
	"testing"

	"pgregory.net/rapid"

	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/cmd/vsrcheck/internal/jobtest"
	"vsrcheck/explore"
	"vsrcheck/model"
	"vsrcheck/results/picture"
)

// TestDiagramFollowsMessages draws random behaviours and holds every message to what the
// model says of it.
func TestDiagramFollowsMessages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{"report-scenario", "fetch-to-op-old-small", "finding-readoption", "fetch-to-op-fixed-drop"}).Draw(t, "spec")
		reduce := rapid.SampledFrom([]string{job.ReduceEager, job.ReduceNone}).Draw(t, "reduce")
		j := jobtest.Shipped(t, name, false, reduce)
		behaviour := randomBehaviour(t, j.Model)
		d := Diagram(j, behaviour, j.Bound.Listed)
		if len(d.Moments) != len(behaviour) {
			t.Fatalf("got %d moments, want %d", len(d.Moments), len(behaviour))
		}
		for i := range d.Moments {
			checkMessages(t, j.Model, d, behaviour, i)
		}
		for k, msg := range d.Messages {
			if msg.From == msg.To || msg.From < 0 || msg.To < 0 {
				t.Errorf("message %d %s: from %d to %d", k, msg.Text, msg.From, msg.To)
			}
			if msg.Gone != 0 && msg.Gone <= msg.Sent {
				t.Errorf("message %d %s: sent at %d, gone at %d", k, msg.Text, msg.Sent, msg.Gone)
			}
		}
	})
}

func randomBehaviour(t *rapid.T, m *model.Model) []explore.Step[model.State] {
	var s, next model.State
	m.Init(func(first *model.State) { s = *first })
	out := []explore.Step[model.State]{{State: s}}
	for range rapid.IntRange(0, 40).Draw(t, "steps") {
		var choices []explore.Step[model.State]
		m.Next(&s, &next, func(a uint32) { choices = append(choices, explore.Step[model.State]{Action: a, State: next}) })
		if len(choices) == 0 {
			break
		}
		step := choices[rapid.IntRange(0, len(choices)-1).Draw(t, "choice")]
		s = step.State
		out = append(out, step)
	}
	return out
}

// checkMessages compares the messages of moment i with the network in its state.
func checkMessages(t *rapid.T, m *model.Model, d *picture.SpaceTime, behaviour []explore.Step[model.State], i int) {
	want := m.InFlight(&behaviour[i].State)
	moment := &d.Moments[i]
	if len(moment.InFlight) != len(want) {
		t.Fatalf("moment %d: %d messages in flight, want %d", i, len(moment.InFlight), len(want))
	}
	for k, f := range moment.InFlight {
		msg := d.Messages[f.Message]
		if msg.Text != want[k].Text || msg.To != want[k].To {
			t.Errorf("moment %d: in flight is %q to %d, want %q to %d", i, msg.Text, msg.To, want[k].Text, want[k].To)
		}
		if msg.Sent > i || msg.Gone != 0 && msg.Gone <= i {
			t.Errorf("moment %d: %q is in flight, sent at %d and gone at %d", i, msg.Text, msg.Sent, msg.Gone)
		}
	}
	if i == 0 {
		return
	}
	delivery, isMessage := m.Delivers(behaviour[i].Action)
	if isMessage != (moment.Message >= 0) {
		t.Fatalf("moment %d: message %d for %s", i, moment.Message, moment.Action)
	}
	if !isMessage {
		return
	}
	msg := d.Messages[moment.Message]
	if msg.Sent >= i || msg.To != moment.Lane {
		t.Errorf("moment %d: receives %q, sent at %d to %d, on lane %d", i, msg.Text, msg.Sent, msg.To, moment.Lane)
	}
	verdict, _ := m.Fate(&behaviour[i-1].State, delivery)
	if !moment.Lost && (verdict == model.TakesPart) != (moment.Refused != "") && verdict != model.Refuses {
		t.Errorf("moment %d: %s has the verdict %s, and the guard says %q", i, moment.Action, verdict, moment.Refused)
	}
}

// TestDiagramOfLasso: at the end of a lasso the property that it violates is violated,
// although steps that have to happen can still be taken.
func TestDiagramOfLasso(t *testing.T) {
	out, err := jobtest.Shipped(t, "finding-readoption", false, job.ReduceEager).Run(context.Background(), explore.Options{})
	if err != nil || len(out.Violations) == 0 {
		t.Fatalf("got %v, want a violation", err)
	}
	d := DiagramOfViolation(out.Job, &out.Violations[0])
	last := len(d.Moments) - 1
	if d.LoopStart < 0 || d.LoopStart >= last || d.Forever || d.Moments[last].Quiescent {
		t.Fatalf("got loop start %d of %d, forever %v, quiescent %v, want a lasso", d.LoopStart, last, d.Forever, d.Moments[last].Quiescent)
	}
	for i, want := range map[int]string{last: picture.StatusViolated, last - 1: picture.StatusWaits} {
		for _, p := range d.Moments[i].Properties {
			if p.Name == d.Property && p.Status != want {
				t.Errorf("moment %d: %s is %q, want %q", i, p.Name, p.Status, want)
			}
		}
	}
}
