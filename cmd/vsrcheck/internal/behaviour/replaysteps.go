package behaviour

import (
	"fmt"
	"slices"
	"strings"

	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/explore"
	"vsrcheck/invariants"
	"vsrcheck/model"
	"vsrcheck/results/trace"
)

// Run takes the steps of the trace, as far as they go, and judges the end.
func (r *Replay) Run() error {
	r.Behaviour = r.Start()
	r.compare(0)
	for i := 1; i < len(r.Recorded.Steps) && (r.Changed || r.Differs < 0); i++ {
		step, why, err := r.step(i)
		if err != nil {
			return err
		}
		if why != "" {
			r.Stopped, r.Why = i, why
			return nil
		}
		r.Behaviour = append(r.Behaviour, step)
		r.compare(i)
	}
	if r.Complete() {
		r.Confirmed, r.Why = r.Violated()
	}
	return nil
}

// Complete reports whether every step was taken.
func (r *Replay) Complete() bool {
	return r.Stopped < 0 && len(r.Behaviour) == len(r.Recorded.Steps) && (r.Changed || r.Differs < 0)
}

// compare notes the first state that is not the recorded one.
func (r *Replay) compare(i int) {
	if r.Differs >= 0 {
		return
	}
	if d := r.differences(i, &r.Behaviour[i].State); len(d) > 0 {
		r.Differs, r.How = i, d[0].String()
	}
}

// differences lists where a state is not that after step i of the trace; nothing, if
// that is not recorded.
func (r *Replay) differences(i int, s *model.State) []trace.Difference {
	recorded := r.Recorded.Steps[i].Values
	if recorded == nil {
		return nil
	}
	var out []trace.Difference
	for k, v := range Values(r.Model, s) {
		out = append(out, trace.Differences(r.Recorded.Variables[k].Name, recorded[k], v, r.resized)...)
	}
	return out
}

// step takes step i of the trace; why is not "" when that is not possible.
func (r *Replay) step(i int) (step explore.Step[model.State], why string, err error) {
	r.Action = r.Recorded.Steps[i].Action
	before := &r.Behaviour[i-1].State
	if r.Action == "" {
		step, why = r.search(i, before)
		return step, why, nil
	}
	a, err := ParseAction(r.Model, r.Action)
	switch {
	case err != nil && r.Changed:
		return step, err.Error(), nil // of the larger system that was recorded, perhaps
	case err != nil:
		return step, "", fmt.Errorf("%s: %w: step %d: %w", r.file, trace.ErrTrace, i, err)
	}
	t, why := r.Model.Try(before, a)
	return explore.Step[model.State]{Action: a, State: r.Model.Kept(&t)}, why, nil
}

// search finds the action that leads to the state after step i, for a trace that does
// not name it. When there is none, the one that comes nearest is told.
func (r *Replay) search(i int, before *model.State) (step explore.Step[model.State], why string) {
	var nearest []trace.Difference
	var near uint32
	found, tried := false, false
	var t model.State
	r.Model.Next(before, &t, func(a uint32) {
		after := r.Model.Kept(&t)
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
	return step, fmt.Sprintf("no step leads to the recorded state; %s comes nearest, with %s", r.Model.ActionString(near), nearest[0])
}

// Violated says whether the property is violated by the replayed behaviour, and why.
func (r *Replay) Violated() (bool, string) {
	n := len(r.Behaviour)
	last := &r.Behaviour[n-1].State
	switch p := r.Property; p.Kind {
	case invariants.State, invariants.Bound:
		if p.Holds(r.Model, last) {
			return false, "it holds in the last state"
		}
		return true, "it is false in the last state"
	case invariants.Step:
		if n < 2 || p.HoldsStep(r.Model, &r.Behaviour[n-2].State, r.Behaviour[n-1].Action, last) {
			return false, "it holds for the last step"
		}
		return true, "it is false for the last step"
	case invariants.Liveness:
		return r.Waits()
	default:
		var t model.State
		steps := 0
		r.Model.Next(last, &t, func(uint32) { steps++ })
		return steps == 0, fmt.Sprintf("%d steps are possible in the last state", steps)
	}
}

// Waits says whether the behaviour can go on for ever as a fair one on which the
// property waits for something: by staying in the last state, or round the loop.
func (r *Replay) Waits() (bool, string) {
	last := &r.Behaviour[len(r.Behaviour)-1].State
	loop := r.Recorded.LoopStart
	waiting := uint64(0)
	for i := range r.Behaviour {
		waiting = r.Property.Waits(r.Model, &r.Behaviour[i].State, waiting)
	}
	if loop < 0 || loop == len(r.Behaviour)-1 {
		switch {
		case waiting == 0:
			return false, "nothing is outstanding in the last state"
		case !r.Model.Quiescent(last):
			return false, "the last state is not quiescent: steps that have to happen still change it"
		}
		return true, "the last state is quiescent, and something is outstanding"
	}
	if r.Behaviour[loop].State != *last {
		return false, fmt.Sprintf("the last state is not that after step %d, so there is no loop", loop)
	}
	taken := map[uint32]bool{}
	for _, s := range r.Behaviour[loop+1:] {
		// Whatever it waits for at the end, it waits for from now on, unless that is had here.
		waiting &= r.Property.Waits(r.Model, &s.State, waiting)
		taken[s.Action] = true
	}
	if waiting == 0 {
		return false, "nothing is outstanding all the way round the loop"
	}
	if a, unfair := r.neglected(loop, taken); unfair {
		return false, "the loop is not fair: " + r.Model.ActionString(a) + " is possible all the way round and never taken"
	}
	return true, "something is outstanding all the way round the loop, which is fair"
}

// neglected is a fair action that would change every state of the loop and is never
// taken in it.
func (r *Replay) neglected(loop int, taken map[uint32]bool) (uint32, bool) {
	var always []uint32
	for i, s := range r.Behaviour[loop+1:] {
		var enabled []uint32
		var t model.State
		r.Model.Next(&s.State, &t, func(a uint32) {
			if r.Model.Fair(a) && r.Model.Kept(&t) != s.State && !taken[a] {
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

// Rank is the weight of the violation when it is confirmed.
func (r *Replay) Rank() job.Rank {
	return r.RankOf(&explore.Violation[model.State]{
		Property: r.Property.Name, Kind: explore.Kind(r.Property.Kind), Trace: r.Behaviour, LoopStart: r.Recorded.LoopStart,
	})
}

// ParseAction reads the name of an action, and suggests the nearest kind when it is of
// none.
func ParseAction(m *model.Model, text string) (uint32, error) {
	a, err := m.ParseAction(text)
	if kind, _, _ := strings.Cut(text, "("); err != nil && !slices.Contains(m.Kinds(), kind) {
		err = fmt.Errorf("%w%s", err, job.DidYouMean(kind, m.Kinds(), ""))
	}
	return a, err
}
