package job

import (
	"context"
	"slices"
	"time"

	"vsrcheck/explore"
	"vsrcheck/model"
	"vsrcheck/results"
)

// Walked is a job that has been simulated. Its outcome stands for what a search
// would have found, so that the same code prints it.
type Walked struct {
	*Outcome
	Sim *explore.Simulation[model.State]
}

// AsResult fills in the outcome.
func (s *Walked) AsResult(ctx context.Context) {
	// What was found is listed twice, in the same order: as it decides.
	slices.SortStableFunc(s.Sim.Violations, func(a, b explore.Found[model.State]) int {
		return int(s.RankOf(&a.Violation) - s.RankOf(&b.Violation))
	})
	r := &explore.Result[model.State]{
		Verdict: s.Sim.Verdict, Stop: s.Sim.Stop, Reason: s.Sim.Reason, PanicTrace: s.Sim.PanicTrace,
		Observed: s.Sim.Observed, Quiescent: s.Sim.Quiescent, Outside: s.Sim.Outside, OutsideOf: s.Sim.OutsideOf, Workers: s.Sim.Workers, Elapsed: s.Sim.Elapsed,
	}
	for i := range s.Sim.Violations {
		r.Violations = append(r.Violations, s.Sim.Violations[i].Violation)
	}
	if r.Verdict == explore.Violated {
		r.Stop = explore.StopNone // walks decide nothing else, whether they go on or not
	}
	for _, c := range s.Sim.Coverage {
		r.Coverage = append(r.Coverage, c.Coverage)
	}
	s.Result = r
	s.Decide(ctx)
}

// Record is everything about the run for its JSON file.
func (s *Walked) Record(commandLine []string, exitCode int) *results.Record {
	r := s.Outcome.Record(commandLine, exitCode)
	r.Simulation = &results.Simulation{
		Seed: s.Sim.Seed, Depth: s.Sim.Depth, Walks: s.Sim.Walks, Steps: s.Sim.Steps, Longest: s.Sim.Longest, Cut: s.Sim.Cut,
		Distinct: s.Sim.Distinct, DistinctError: explore.DistinctError, Met: s.Sim.ReachableMet,
	}
	for i := range s.Sim.Violations {
		v := &s.Sim.Violations[i]
		r.Simulation.Shrunk = append(r.Simulation.Shrunk, results.Shrunk{Walk: v.Walk, From: v.Walked, To: Steps(&v.Violation)})
	}
	for i := range r.Coverage {
		r.Coverage[i].Taken = s.Sim.Coverage[i].Taken
	}
	return r
}

// Simulate walks under the limits. When the model fails, what comes with the error has the
// trace to the state in which it did.
func Simulate(ctx context.Context, l *Limits, j *Job, opt explore.SimulateOptions) (*Walked, error) {
	ctx, cancel := l.WithTimeout(ctx)
	defer cancel()
	out := &Walked{Outcome: &Outcome{Job: j, Started: time.Now()}}
	var err error
	out.Sim, err = explore.Simulate(ctx, explore.System[model.State](j.Model), j.Bound.Properties, opt)
	if out.Sim != nil {
		out.AsResult(ctx)
		out.Why = l.ReasonOf(ctx, out.Why)
	}
	return out, err
}
