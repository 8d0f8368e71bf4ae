package tell

import (
	"fmt"

	"vsrcheck/cmd/vsrcheck/internal/behaviour"
	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/explore"
	"vsrcheck/results"
	"vsrcheck/results/trace"
)

// Replay prints what was replayed, and what came of it last.
func (p *Page) Replay(r *behaviour.Replay, states trace.States, files string) error {
	p.Item("vsrcheck", results.ReadBuild().String())
	p.Item("trace", fmt.Sprintf("%s (%s) of %s, %d steps", r.Recorded.Property, r.Recorded.Kind, r.Name, len(r.Recorded.Steps)-1))
	p.settings("config", r.ConfigSettings())
	p.rules(r.Override)
	p.Item("reduce", job.ReductionOf(r.Model))
	p.Printf("\n")
	loop := -1
	if r.Confirmed {
		loop = r.Recorded.LoopStart
	}
	t := behaviour.Trace(behaviour.WithWidth(r.Job, p.Width), r.Property.Name, explore.Kind(r.Property.Kind), r.Behaviour, loop)
	t.Title = fmt.Sprintf("replay of %s (%s), %d of %d steps", r.Property.Name, r.Property.Kind, len(r.Behaviour)-1, len(r.Recorded.Steps)-1)
	if !r.Confirmed {
		t.Forever, t.Explanation = false, ""
	}
	if err := p.Show(t, states); err != nil {
		return err
	}
	if r.Differs >= 0 && (r.Stopped >= 0 || r.Complete()) {
		p.Printf("\n")
		p.Item("differs", differenceText(r))
	}
	if files != "" {
		p.Printf("\n")
		p.Item("trace", files)
	}
	p.replayVerdict(r)
	return nil
}

func differenceText(r *behaviour.Replay) string {
	if r.Differs == 0 {
		return "the initial state is not the recorded one: " + r.How
	}
	return fmt.Sprintf("step %d is the first that leads to another state than the recorded one: %s", r.Differs, r.How)
}

// replayVerdict prints the result in one line, the last one.
func (p *Page) replayVerdict(r *behaviour.Replay) {
	steps := len(r.Recorded.Steps) - 1
	name := fmt.Sprintf("%s (%s)", r.Property.Name, r.Property.Kind)
	word, style, what := "REPRODUCED", StyleBad, fmt.Sprintf("all %d steps are possible, and %s is violated: %s", steps, name, r.Why)
	switch {
	case r.Stopped >= 0:
		action := r.Action
		if action == "" {
			action = "which no action names"
		}
		word, style, what = "STOPPED", StyleOpen, fmt.Sprintf("step %d, %s, is not possible: %s", r.Stopped, action, r.Why)
	case !r.Complete():
		word, style, what = "DIFFERS", StyleOpen, differenceText(r)
	case !r.Confirmed:
		word, style, what = "NOT VIOLATED", StyleGood, fmt.Sprintf("all %d steps are possible, but %s is not violated: %s", steps, name, r.Why)
	}
	if r.Confirmed {
		switch r.Rank() {
		case job.RankFull:
			what += "; that says nothing against the protocol: " + r.MoreRoom()
		case job.RankBounded:
			what += "; perhaps only because a channel was full: " + r.MoreRoom()
		}
	}
	with := job.OverriddenText(r.Override)
	if reduce := job.ReductionOf(r.Model); r.Recorded.Reduction != "" && reduce != r.Sends {
		if with == "" {
			with = " with reduce=" + reduce
		} else {
			with += ", reduce=" + reduce
		}
	}
	p.Verdict(style, word, fmt.Sprintf("%s%s: %s", r.Name, with, what))
}
