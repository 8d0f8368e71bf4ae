package main

import (
	"fmt"

	"vsrcheck/explore"
	"vsrcheck/invariants"
	"vsrcheck/model"
	"vsrcheck/results"
	"vsrcheck/results/trace"
)

// run takes the steps of the trace, as far as they go, and judges the end.
func (r *replay) run() error {
	r.behaviour = r.start()
	r.compare(0)
	for i := 1; i < len(r.recorded.Steps) && (r.changed || r.differs < 0); i++ {
		step, why, err := r.step(i)
		if err != nil {
			return err
		}
		if why != "" {
			r.stopped, r.why = i, why
			return nil
		}
		r.behaviour = append(r.behaviour, step)
		r.compare(i)
	}
	if r.complete() {
		r.confirmed, r.why = r.violated()
	}
	return nil
}

// complete reports whether every step was taken.
func (r *replay) complete() bool {
	return r.stopped < 0 && len(r.behaviour) == len(r.recorded.Steps) && (r.changed || r.differs < 0)
}

// compare notes the first state that is not the recorded one.
func (r *replay) compare(i int) {
	if r.differs >= 0 {
		return
	}
	if d := r.differences(i, &r.behaviour[i].State); len(d) > 0 {
		r.differs, r.how = i, d[0].String()
	}
}

// differences lists where a state is not that after step i of the trace; nothing, if
// that is not recorded.
func (r *replay) differences(i int, s *model.State) []trace.Difference {
	recorded := r.recorded.Steps[i].Values
	if recorded == nil {
		return nil
	}
	var out []trace.Difference
	for k, v := range stateValues(r.model, s) {
		out = append(out, trace.Differences(r.recorded.Variables[k].Name, recorded[k], v, r.resized)...)
	}
	return out
}

// step takes step i of the trace; why is not "" when that is not possible.
func (r *replay) step(i int) (step explore.Step[model.State], why string, err error) {
	r.action = r.recorded.Steps[i].Action
	before := &r.behaviour[i-1].State
	if r.action == "" {
		step, why = r.search(i, before)
		return step, why, nil
	}
	a, err := parseAction(r.model, r.action)
	switch {
	case err != nil && r.changed:
		return step, err.Error(), nil // of the larger system that was recorded, perhaps
	case err != nil:
		return step, "", fmt.Errorf("%s: %w: step %d: %w", r.file, trace.ErrTrace, i, err)
	}
	t, why := r.model.Try(before, a)
	return explore.Step[model.State]{Action: a, State: r.model.Kept(&t)}, why, nil
}

// search finds the action that leads to the state after step i, for a trace that does
// not name it. When there is none, the one that comes nearest is told.
func (r *replay) search(i int, before *model.State) (step explore.Step[model.State], why string) {
	var nearest []trace.Difference
	var near uint32
	found, tried := false, false
	var t model.State
	r.model.Next(before, &t, func(a uint32) {
		after := r.model.Kept(&t)
		d := r.differences(i, &after)
		switch {
		case found:
		case len(d) == 0:
			step, found = explore.Step[model.State]{Action: a, State: after}, true
		case !tried || len(d) < len(nearest):
			nearest, near, tried = d, a, true
		}
	})
	switch {
	case found:
		return step, ""
	case !tried:
		return step, "the state before has no successors"
	}
	return step, fmt.Sprintf("no step leads to the recorded state; %s comes nearest, with %s", r.model.ActionString(near), nearest[0])
}

// violated says whether the property is violated by the replayed behaviour, and why.
func (r *replay) violated() (bool, string) {
	n := len(r.behaviour)
	last := &r.behaviour[n-1].State
	switch p := r.property; p.Kind {
	case invariants.State, invariants.Bound:
		if p.Holds(r.model, last) {
			return false, "it holds in the last state"
		}
		return true, "it is false in the last state"
	case invariants.Step:
		if n < 2 || p.HoldsStep(r.model, &r.behaviour[n-2].State, r.behaviour[n-1].Action, last) {
			return false, "it holds for the last step"
		}
		return true, "it is false for the last step"
	case invariants.Liveness:
		return r.waits()
	default:
		var t model.State
		steps := 0
		r.model.Next(last, &t, func(uint32) { steps++ })
		return steps == 0, fmt.Sprintf("%d steps are possible in the last state", steps)
	}
}

// waits says whether the behaviour can go on for ever as a fair one on which the
// property waits for something: by staying in the last state, or round the loop.
func (r *replay) waits() (bool, string) {
	last := &r.behaviour[len(r.behaviour)-1].State
	loop := r.recorded.LoopStart
	waiting := uint64(0)
	for i := range r.behaviour {
		waiting = r.property.Waits(r.model, &r.behaviour[i].State, waiting)
	}
	if loop < 0 || loop == len(r.behaviour)-1 {
		switch {
		case waiting == 0:
			return false, "nothing is outstanding in the last state"
		case !r.model.Quiescent(last):
			return false, "the last state is not quiescent: steps that have to happen still change it"
		}
		return true, "the last state is quiescent, and something is outstanding"
	}
	if r.behaviour[loop].State != *last {
		return false, fmt.Sprintf("the last state is not that after step %d, so there is no loop", loop)
	}
	taken := map[uint32]bool{}
	for _, s := range r.behaviour[loop+1:] {
		// Whatever it waits for at the end, it waits for from now on, unless that is had here.
		waiting &= r.property.Waits(r.model, &s.State, waiting)
		taken[s.Action] = true
	}
	if waiting == 0 {
		return false, "nothing is outstanding all the way round the loop"
	}
	if a, unfair := r.neglected(loop, taken); unfair {
		return false, "the loop is not fair: " + r.model.ActionString(a) + " is possible all the way round and never taken"
	}
	return true, "something is outstanding all the way round the loop, which is fair"
}

// neglected is a fair action that would change every state of the loop and is never
// taken in it.
func (r *replay) neglected(loop int, taken map[uint32]bool) (uint32, bool) {
	var always []uint32
	for i, s := range r.behaviour[loop+1:] {
		var enabled []uint32
		var t model.State
		r.model.Next(&s.State, &t, func(a uint32) {
			if r.model.Fair(a) && r.model.Kept(&t) != s.State && !taken[a] {
				enabled = append(enabled, a)
			}
		})
		if i == 0 {
			always = enabled
			continue
		}
		always = both(always, enabled)
	}
	if len(always) == 0 {
		return 0, false
	}
	return always[0], true
}

// both lists what is in both lists.
func both(a, b []uint32) (out []uint32) {
	in := map[uint32]bool{}
	for _, x := range b {
		in[x] = true
	}
	for _, x := range a {
		if in[x] {
			out = append(out, x)
		}
	}
	return out
}

// code is the exit code: that of the violation when it is confirmed.
func (r *replay) code() int {
	switch {
	case !r.complete():
		return exitDiverged
	case !r.confirmed:
		return exitHolds
	}
	return r.rank().code()
}

// rank is the weight of the violation when it is confirmed.
func (r *replay) rank() rank {
	return r.rankOf(&explore.Violation[model.State]{
		Property: r.property.Name, Kind: explore.Kind(r.property.Kind), Trace: r.behaviour, LoopStart: r.recorded.LoopStart,
	})
}

// report prints what was replayed, and what came of it last.
func (r *replay) report(p *page, states trace.States, files string) error {
	p.item("vsrcheck", results.ReadBuild().String())
	p.item("trace", fmt.Sprintf("%s (%s) of %s, %d steps", r.recorded.Property, r.recorded.Kind, r.Name, len(r.recorded.Steps)-1))
	p.settings("config", r.configSettings())
	p.rules(r.override)
	p.item("reduce", reductionOf(r.model))
	p.printf("\n")
	loop := -1
	if r.confirmed {
		loop = r.recorded.LoopStart
	}
	t := r.withWidth(p.width).traceOf(r.property.Name, explore.Kind(r.property.Kind), r.behaviour, loop)
	t.Title = fmt.Sprintf("replay of %s (%s), %d of %d steps", r.property.Name, r.property.Kind, len(r.behaviour)-1, len(r.recorded.Steps)-1)
	if !r.confirmed {
		t.Forever, t.Explanation = false, ""
	}
	if err := p.show(t, states); err != nil {
		return err
	}
	if r.differs >= 0 && (r.stopped >= 0 || r.complete()) {
		p.printf("\n")
		p.item("differs", r.differenceText())
	}
	if files != "" {
		p.printf("\n")
		p.item("trace", files)
	}
	r.verdict(p)
	return nil
}

func (r *replay) differenceText() string {
	if r.differs == 0 {
		return "the initial state is not the recorded one: " + r.how
	}
	return fmt.Sprintf("step %d is the first that leads to another state than the recorded one: %s", r.differs, r.how)
}

// verdict prints the result in one line, the last one.
func (r *replay) verdict(p *page) {
	steps := len(r.recorded.Steps) - 1
	name := fmt.Sprintf("%s (%s)", r.property.Name, r.property.Kind)
	word, style, what := "REPRODUCED", styleBad, fmt.Sprintf("all %d steps are possible, and %s is violated: %s", steps, name, r.why)
	switch {
	case r.stopped >= 0:
		action := r.action
		if action == "" {
			action = "which no action names"
		}
		word, style, what = "STOPPED", styleOpen, fmt.Sprintf("step %d, %s, is not possible: %s", r.stopped, action, r.why)
	case !r.complete():
		word, style, what = "DIFFERS", styleOpen, r.differenceText()
	case !r.confirmed:
		word, style, what = "NOT VIOLATED", styleGood, fmt.Sprintf("all %d steps are possible, but %s is not violated: %s", steps, name, r.why)
	}
	if r.confirmed {
		switch r.rank() {
		case rankFull:
			what += "; that says nothing against the protocol: " + r.moreRoom()
		case rankBounded:
			what += "; perhaps only because a channel was full: " + r.moreRoom()
		}
	}
	with := overriddenText(r.override)
	if reduce := reductionOf(r.model); r.recorded.Reduction != "" && reduce != r.sends {
		if with == "" {
			with = " with reduce=" + reduce
		} else {
			with += ", reduce=" + reduce
		}
	}
	p.verdict(style, word, fmt.Sprintf("%s%s: %s", r.Name, with, what))
}
