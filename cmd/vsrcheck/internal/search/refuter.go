package search

import (
	"vsrcheck/cmd/vsrcheck/internal/behaviour"
	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/explore"
	"vsrcheck/invariants"
	"vsrcheck/results/matrix"
	"vsrcheck/results/mend"
	"vsrcheck/results/trace"
)

// A refuter is a counterexample: a behaviour that was found under one set of rules. It refutes another
// set if its steps are possible there, too, one after the other from the initial state, and
// violate the same property at their end: that is a behaviour of the other system, so that
// a search for one has nothing to add. Whether it was found in a smaller system, by a
// reduction or in another run makes no difference: every step is taken again, and the end
// is judged again, as replay does it.
type refuter struct {
	mend.Counterexample
	property invariants.Property
	trace    *trace.Trace
}

// refuters are the counterexamples that an outcome has. What a bound may be all that is wrong with,
// and what was never met, has no behaviour that refutes anything.
func refuters(base int, set, command string, got *matrix.Outcome) (out []*refuter) {
	for _, v := range got.Violations {
		p, known := invariants.Named(v.Property)
		if v.Property == job.Deadlock.Name {
			p, known = job.Deadlock, true
		}
		if v.Bounded || v.Kind == string(explore.KindReachable) || !known {
			continue
		}
		t := &trace.Trace{LoopStart: v.LoopStart, Steps: make([]trace.Step, 1+len(v.Actions))}
		for i, a := range v.Actions {
			t.Steps[i+1].Action = a
		}
		out = append(out, &refuter{
			Counterexample: mend.Counterexample{Base: base, Set: set, Command: command, Violation: v}, property: p, trace: t,
		})
	}
	return out
}

// violates reports whether the steps are possible under the rules of a job and violate the
// property there.
func (c *refuter) violates(j *job.Job) (yes bool) {
	defer func() {
		if recover() != nil {
			yes = false // a model that fails does so in its search, too, which reports it
		}
	}()
	told := *j
	told.Model = j.Told // in which traces are told
	r := &behaviour.Replay{Job: &told, Recorded: c.trace, Property: c.property, Changed: true, Differs: -1, Stopped: -1}
	if err := r.Run(); err != nil || !r.Confirmed || r.Rank() >= job.RankFull {
		return false
	}
	for i := range r.Behaviour[:len(r.Behaviour)-1] {
		if j.Bound.Outside(&r.Behaviour[i].State) {
			return false // a search does not go on from there
		}
	}
	return true
}
