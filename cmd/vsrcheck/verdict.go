package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"vsrcheck/explore"
	"vsrcheck/invariants"
	"vsrcheck/model"
)

// rank is the weight of a violation in a verdict: the least decides it.
type rank int

const (
	// The protocol violates something, in any room: a behaviour with bounded channels is
	// one with unbounded ones.
	rankSafety rank = iota
	rankDeadlock
	rankLiveness

	// A channel was full, and what may be violated only because of that.
	rankFull
	rankBounded
)

// bounded reports whether a bound on the search may be all that is wrong.
func (r rank) bounded() bool { return r == rankFull || r == rankBounded }

// rankOf ranks a violation. A behaviour that stays where a step waits for room would
// perhaps go on with more of it. One that stays elsewhere is fair in any room.
func (j *job) rankOf(v *explore.Violation[model.State]) rank {
	switch v.Kind {
	case explore.KindLiveness, explore.KindDeadlock:
		switch {
		case !j.bounded && j.staysFull(v.Trace, v.LoopStart):
			return rankBounded
		case v.Kind == explore.KindDeadlock:
			return rankDeadlock
		}
		return rankLiveness
	}
	if p, ok := invariants.Named(v.Property); ok && p.Kind == invariants.Bound {
		return rankFull
	}
	return rankSafety
}

// staysFull reports whether a step waits for room in a channel where a behaviour stays for
// ever: in its last state, or anywhere in its loop.
func (j *job) staysFull(behaviour []explore.Step[model.State], loopStart int) bool {
	from := len(behaviour) - 1
	if loopStart >= 0 {
		from = loopStart
	}
	return from >= 0 && slices.ContainsFunc(behaviour[from:], func(s explore.Step[model.State]) bool { return j.model.Waits(&s.State) })
}

// decide makes what was found the verdict, with its exit code and its reason: all of them
// follow the heaviest violation, which comes first.
func (o *outcome) decide(ctx context.Context) {
	slices.SortStableFunc(o.Violations, func(a, b explore.Violation[model.State]) int { return int(o.rankOf(&a) - o.rankOf(&b)) })
	o.reason = o.Reason
	if o.Verdict != explore.Violated {
		o.code = codeOfEnd(ctx, o.Result)
		o.askedNothing()
		if o.Verdict == explore.Holds && o.saysNothing() {
			o.reason = vacuityText(o.silent()) // while they still hold
			o.Verdict, o.code = explore.Inconclusive, exitAssumption
		}
		return
	}
	first := o.rankOf(&o.Violations[0])
	o.code = first.code()
	if first < rankFull {
		return
	}
	// Nothing is wrong with the system, and nothing is right about the verdict.
	o.Verdict, o.reason = explore.Inconclusive, o.foundText()
	if o.Stop != explore.StopNone {
		o.reason += "; " + o.Reason
		o.code = codeOfEnd(ctx, o.Result)
	}
}

// decisive is the violation that decides the verdict, or nil.
func (o *outcome) decisive() *explore.Violation[model.State] {
	if o.Verdict != explore.Violated {
		return nil
	}
	return &o.Violations[0]
}

// violatedText lists what is violated, and what a bound or a limit left undecided.
func (o *outcome) violatedText() string {
	if o.Stop != explore.StopNone {
		return o.foundText() + "; " + o.cutText()
	}
	return o.foundText()
}

// foundText lists the violations, those together that a full channel may be the cause of.
func (o *outcome) foundText() string {
	var parts, bounded []string
	full := -1
	for i := range o.Violations {
		v := &o.Violations[i]
		text := fmt.Sprintf("%s (%s) after %d steps", v.Property, v.Kind, steps(v))
		r := o.rankOf(v)
		if r.bounded() && full < 0 {
			full = len(parts)
			parts = append(parts, "a channel was full")
		}
		switch r {
		case rankFull:
			parts[full] += fmt.Sprintf(" (%s is false after %d steps)", v.Property, steps(v))
		case rankBounded:
			bounded = append(bounded, text)
		default:
			parts = append(parts, text)
		}
	}
	if full >= 0 {
		parts[full] += ": " + o.moreRoom()
		if len(bounded) > 0 {
			parts[full] += "; " + strings.Join(bounded, ", ") + " may be violated only because of that"
		}
	}
	return strings.Join(parts, "; ")
}

// moreRoom says what to do about a full channel.
func (j *job) moreRoom() string {
	if j.Config.Channel < model.MaxChannel {
		return "raise --channel or lower --ops"
	}
	return fmt.Sprintf("lower --ops or a budget, as --channel is at most %d", model.MaxChannel)
}
