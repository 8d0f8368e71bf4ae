package job

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"vsrcheck/explore"
	"vsrcheck/invariants"
	"vsrcheck/model"
)

// Ending is how a run came to its end, in as many ways as somebody may want to act on.
type Ending int

const (
	EndHolds        Ending = iota // everything that was asked for holds
	EndNothing                    // nothing was asked, no state was visited, or no property says anything
	EndDeadlock                   // a state has no step
	EndSafety                     // an invariant or a step property is violated
	EndLiveness                   // a liveness property is violated
	EndInconclusive               // a limit was reached, or something stayed undecided
	EndMemory                     // the memory limit was reached by what cannot go to disk
	EndDisk                       // the disk is full, or the limit on it was reached
	EndInterrupted                // somebody ended it
	EndFailed                     // the model failed
)

// endOf is how a search came to its end, whatever it found.
func endOf(ctx context.Context, r *explore.Result[model.State]) Ending {
	switch {
	case r.Verdict == explore.Holds:
		return EndHolds
	case r.Stop == explore.StopEmpty:
		return EndNothing
	case r.Stop == explore.StopMemory:
		return EndMemory
	case r.Stop == explore.StopDisk:
		return EndDisk
	case r.Stop == explore.StopInterrupted && !errors.Is(context.Cause(ctx), errTimeout):
		return EndInterrupted
	}
	return EndInconclusive
}

// End is how a run ends that a violation decides.
func (r Rank) End() Ending {
	switch r {
	case rankSafety:
		return EndSafety
	case rankDeadlock:
		return EndDeadlock
	case rankLiveness:
		return EndLiveness
	}
	return EndInconclusive
}

// Rank is the weight of a violation in a verdict: the least decides it.
type Rank int

const (
	// The protocol violates something, in any room: a behaviour with bounded channels is
	// one with unbounded ones.
	rankSafety Rank = iota
	rankDeadlock
	rankLiveness

	// A channel was full, and what may be violated only because of that.
	RankFull
	RankBounded
)

// bounded reports whether a bound on the search may be all that is wrong.
func (r Rank) bounded() bool { return r == RankFull || r == RankBounded }

// RankOf ranks a violation. A behaviour that stays where a step waits for room would
// perhaps go on with more of it. One that stays elsewhere is fair in any room.
func (j *Job) RankOf(v *explore.Violation[model.State]) Rank {
	switch v.Kind {
	case explore.KindLiveness, explore.KindDeadlock:
		switch {
		case !j.Bounded && j.staysFull(v.Trace, v.LoopStart):
			return RankBounded
		case v.Kind == explore.KindDeadlock:
			return rankDeadlock
		}
		return rankLiveness
	}
	if p, ok := invariants.Named(v.Property); ok && p.Kind == invariants.Bound {
		return RankFull
	}
	return rankSafety
}

// staysFull reports whether a step waits for room in a channel where a behaviour stays for
// ever: in its last state, or anywhere in its loop.
func (j *Job) staysFull(behaviour []explore.Step[model.State], loopStart int) bool {
	from := len(behaviour) - 1
	if loopStart >= 0 {
		from = loopStart
	}
	return from >= 0 && slices.ContainsFunc(behaviour[from:], func(s explore.Step[model.State]) bool { return j.Model.Waits(&s.State) })
}

// Decide makes what was found the verdict, with its end and its reason: all of them
// follow the heaviest violation, which comes first.
func (o *Outcome) Decide(ctx context.Context) {
	slices.SortStableFunc(o.Violations, func(a, b explore.Violation[model.State]) int { return int(o.RankOf(&a) - o.RankOf(&b)) })
	o.Why = o.Reason
	if o.Verdict != explore.Violated {
		o.End = endOf(ctx, o.Result)
		o.askedNothing()
		if o.Verdict == explore.Holds && o.saysNothing() {
			o.Why = VacuityText(o.Silent()) // while they still hold
			o.Verdict, o.End = explore.Inconclusive, EndNothing
		}
		return
	}
	first := o.RankOf(&o.Violations[0])
	o.End = first.End()
	if first < RankFull {
		return
	}
	// Nothing is wrong with the system, and nothing is right about the verdict.
	o.Verdict, o.Why = explore.Inconclusive, o.FoundText()
	if o.Stop != explore.StopNone {
		o.Why += "; " + o.Reason
		o.End = endOf(ctx, o.Result)
	}
}

// Decisive is the violation that decides the verdict, or nil.
func (o *Outcome) Decisive() *explore.Violation[model.State] {
	if o.Verdict != explore.Violated {
		return nil
	}
	return &o.Violations[0]
}

// Traced is the violation that the trace files are of: the first that has a trace, or
// nil. It is the one that decides the verdict, unless that is about what was never met.
func (o *Outcome) Traced() *explore.Violation[model.State] {
	for i := range o.Violations {
		if len(o.Violations[i].Trace) > 0 {
			return &o.Violations[i]
		}
	}
	return nil
}

// FoundText lists the violations, those together that a full channel may be the cause of.
func (o *Outcome) FoundText() string {
	var parts, bounded []string
	full := -1
	for i := range o.Violations {
		v := &o.Violations[i]
		text := fmt.Sprintf("%s (%s) after %d steps", v.Property, v.Kind, Steps(v))
		r := o.RankOf(v)
		if r.bounded() && full < 0 {
			full = len(parts)
			parts = append(parts, "a channel was full")
		}
		switch r {
		case RankFull:
			parts[full] += fmt.Sprintf(" (%s is false after %d steps)", v.Property, Steps(v))
		case RankBounded:
			bounded = append(bounded, text)
		default:
			parts = append(parts, text)
		}
	}
	if full >= 0 {
		parts[full] += ": " + o.MoreRoom()
		if len(bounded) > 0 {
			parts[full] += "; " + strings.Join(bounded, ", ") + " may be violated only because of that"
		}
	}
	return strings.Join(parts, "; ")
}

// MoreRoom says what to do about a full channel.
func (j *Job) MoreRoom() string {
	if j.Config.Channel < model.MaxChannel {
		return "raise --channel or lower --ops"
	}
	return fmt.Sprintf("lower --ops or a budget, as --channel is at most %d", model.MaxChannel)
}
