package main

import (
	"context"
	"fmt"
	"strings"

	"vsrcheck/explore"
	"vsrcheck/model"
	"vsrcheck/results"
)

// guardStates is the number of distinct states up to which every check says which guards
// never refused a message. It takes a second search and the time of about two more, so
// larger ones do it only with --guards, and the search itself is as fast as without. What
// was seen in a part of the states would not do: of a guard that refuses nothing there
// nobody knows whether it ever does.
const guardStates = 50_000

// guarded is what a run knows of guards.
type guarded struct {
	guards []model.Guard // nil: nobody looked
	why    string        // nobody did
	cut    bool          // somebody was about to, and was interrupted
}

// watchGuards searches the states of a finished run again, for what guards refuse.
func (o *checkOptions) watchGuards(ctx context.Context, c *call, out *outcome, opt explore.Options) error {
	switch {
	case out.Distinct > guardStates && !o.guards:
		out.why = fmt.Sprintf("not looked at: more than %s distinct states, see --guards", results.Count(guardStates))
		return nil
	case cutShort(out.Stop):
		out.why = "not looked at: the search was cut short"
		return nil
	}
	m := out.model.WithGuards()
	var log model.GuardLog
	watch := explore.Invariant[model.State]{Name: "guards", Holds: func(s *model.State) bool {
		if !out.bound.outside(s) {
			m.Refusals(s, &log)
		}
		return true
	}}
	// The properties are those of the run, so that a violation ends the search where it ended
	// that; a limit was one on its levels.
	props := out.bound.Properties
	props.Invariants = append([]explore.Invariant[model.State]{watch}, props.Invariants...)
	opt.Checkpoint, opt.MaxStates, opt.MaxDepth = nil, 0, 0
	if out.Stop == explore.StopStates || out.Stop == explore.StopDepth {
		opt.MaxDepth = out.Covered + 1
	}
	ctx, opt, done := o.limited(ctx, c, opt)
	defer done()
	again, err := explore.Check(ctx, explore.System[model.State](m), props, opt)
	switch {
	case err != nil:
		return fmt.Errorf("guards of %s: %w", out.Name, err)
	case cutShort(again.Stop):
		out.why, out.guarded.cut = "not looked at: the search for it was cut short", true
		return nil
	}
	out.guarded.guards = m.Guards(&log)
	return nil
}

// cutShort reports whether a search ended somewhere within a level.
func cutShort(stop explore.Stop) bool {
	return stop == explore.StopInterrupted || stop == explore.StopMemory || stop == explore.StopDisk
}

// guardLines prints which guards never refused a message, although there were messages
// that it could have refused: the bounds are too small for what it is there for, or the
// model is wrong.
func (o *outcome) guardLines(p *page) {
	if o.guards == nil {
		if o.why != "" {
			p.item("guards", o.why)
		}
		return
	}
	refused, absent := 0, 0
	var actions []string
	never := map[string][]string{}
	for _, g := range o.guards {
		switch {
		case g.Refused:
			refused++
		case !g.Delivered:
			absent++
		default:
			if never[g.Action] == nil {
				actions = append(actions, g.Action)
			}
			never[g.Action] = append(never[g.Action], g.Reason)
		}
	}
	text := fmt.Sprintf("%d of %d refused a message", refused, len(o.guards))
	if absent > 0 {
		text += fmt.Sprintf("; for %d there was none", absent)
	}
	p.item("guards", text)
	for i, action := range actions {
		label := ""
		if i == 0 {
			label = "no refusal"
		}
		p.item(label, action+": "+strings.Join(never[action], "; "))
	}
}

// guardRecords are the guards for the record of a run.
func (o *outcome) guardRecords() (out []results.Guard) {
	for _, g := range o.guards {
		out = append(out, results.Guard{Action: g.Action, Reason: g.Reason, Delivered: g.Delivered, Refused: g.Refused})
	}
	return out
}
