package job

import (
	"context"
	"fmt"

	"vsrcheck/explore"
	"vsrcheck/model"
	"vsrcheck/results"
)

// GuardStates is the number of distinct states up to which every check says which guards
// never refused a message. It takes a second search and the time of about two more, so
// larger ones do it only with --guards, and the search itself is as fast as without. What
// was seen in a part of the states would not do: of a guard that refuses nothing there
// nobody knows whether it ever does.
const GuardStates = 50_000

// Guarded is what a run knows of guards.
type Guarded struct {
	Guards    []model.Guard // nil: nobody looked
	NotLooked string        // nobody did
	Cut       bool          // somebody was about to, and was interrupted
}

// WatchGuards searches the states of a finished run again, for what guards refuse.
// Above GuardStates it does so only if always is set.
func (out *Outcome) WatchGuards(ctx context.Context, opt explore.Options, always bool) error {
	switch {
	case out.Distinct > GuardStates && !always:
		out.NotLooked = fmt.Sprintf("not looked at: more than %s distinct states, see --guards", results.Count(GuardStates))
		return nil
	case cutShort(out.Stop):
		out.NotLooked = "not looked at: the search was cut short"
		return nil
	}
	m := out.Model.WithGuards()
	var log model.GuardLog
	watch := explore.Invariant[model.State]{Name: "guards", Holds: func(s *model.State) bool {
		if !out.Bound.Outside(s) {
			m.Refusals(s, &log)
		}
		return true
	}}
	// The properties are those of the run, so that a violation ends the search where it ended
	// that; a limit was one on its levels.
	props := out.Bound.Properties
	props.Invariants = append([]explore.Invariant[model.State]{watch}, props.Invariants...)
	opt.Checkpoint, opt.MaxStates, opt.MaxDepth = nil, 0, 0
	if out.Stop == explore.StopStates || out.Stop == explore.StopDepth {
		opt.MaxDepth = out.Covered + 1
	}
	again, err := explore.Check(ctx, explore.System[model.State](m), props, opt)
	switch {
	case err != nil:
		return fmt.Errorf("guards of %s: %w", out.Name, err)
	case cutShort(again.Stop):
		out.NotLooked, out.Guarded.Cut = "not looked at: the search for it was cut short", true
		return nil
	}
	out.Guarded.Guards = m.Guards(&log)
	return nil
}

// cutShort reports whether a search ended somewhere within a level.
func cutShort(stop explore.Stop) bool {
	return stop == explore.StopInterrupted || stop == explore.StopMemory || stop == explore.StopDisk
}

// guardRecords are the guards for the record of a run.
func (o *Outcome) guardRecords() (out []results.Guard) {
	for _, g := range o.Guards {
		out = append(out, results.Guard{Action: g.Action, Reason: g.Reason, Delivered: g.Delivered, Refused: g.Refused})
	}
	return out
}
