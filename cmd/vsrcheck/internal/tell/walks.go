package tell

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"vsrcheck/cmd/vsrcheck/internal/behaviour"
	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/explore"
	"vsrcheck/model"
	"vsrcheck/results"
	"vsrcheck/results/trace"
)

// WalksText says how the run is done.
func WalksText(o *job.Limits, j *job.Job, opt explore.SimulateOptions) string {
	parts := []string{"random walks", fmt.Sprintf("seed=%d", opt.Seed)}
	if opt.Walks != 0 {
		parts = append(parts, "at most "+results.Count(opt.Walks)+" walks")
	}
	parts = append(parts, fmt.Sprintf("at most %d steps each", opt.Depth), fmt.Sprintf("workers=%d", opt.Workers), "reduce="+job.ReductionOf(j.Model))
	if o.Timeout != 0 {
		parts = append(parts, "at most "+o.Timeout.String())
	}
	return strings.Join(parts, ", ")
}

// SimulateProgressLine says how far walks are.
func SimulateProgressLine(s explore.SimulateProgress) string {
	return fmt.Sprintf("%s: %s, %s walks", s.Phase, results.Duration(s.Elapsed.Round(time.Second)), results.Count(s.Walks))
}

// Walks prints what the walks came by, the verdict last. files says which trace files
// there are; "" is none.
func (p *Page) Walks(s *job.Walked, states trace.States, files string) error {
	narrow := behaviour.WithWidth(s.Outcome.Job, p.Width)
	for i := range s.Sim.Violations {
		v := &s.Sim.Violations[i]
		p.Item("simulated", foundText(v, s.Sim.Seed))
		p.Printf("\n")
		if err := p.Show(behaviour.OfViolation(narrow, &v.Violation), states); err != nil {
			return err
		}
		p.Printf("\n")
	}
	p.walksCoverage(s)
	p.walksFigures(s)
	if files != "" {
		p.Item("trace", files)
	}
	p.verdictOf(s.Outcome, Advice{})
	return nil
}

// foundText says where a trace comes from, and what it is not.
func foundText(v *explore.Found[model.State], seed uint64) string {
	n := job.Steps(&v.Violation)
	shrunk := fmt.Sprintf("%d steps shrunk to %d", v.Walked, n)
	if n == v.Walked {
		shrunk = fmt.Sprintf("%d steps, which shrinking does not lower", n)
	}
	return fmt.Sprintf("%s is violated in walk %s of seed %d: %s; the trace was found by simulation and is not proven to be a shortest one",
		v.Property, results.Count(v.Walk), seed, shrunk)
}

// walksCoverage prints what each kind of action did, and points out those that were never
// taken.
func (p *Page) walksCoverage(s *job.Walked) {
	var rows []coverageRow
	var never []string
	withOthers := s.Model.Fused()
	for k, c := range s.Sim.Coverage {
		if c.Taken == 0 {
			if !slices.Contains(withOthers, k) {
				never = append(never, c.Kind)
			}
			continue
		}
		rows = append(rows, coverageRow{c.Kind, c.Fair, c.Effective, c.Taken})
	}
	p.coverage("enabled", "of these taken", rows)
	if len(never) > 0 {
		p.Item("never taken", strings.Join(never, ", "))
	}
	p.Printf("\n")
}

// walksFigures prints how much was walked, and at what cost.
func (p *Page) walksFigures(s *job.Walked) {
	walks := float64(s.Sim.Walks)
	seconds := max(s.Sim.Elapsed.Seconds(), 1e-9)
	p.wrapped("  ", fmt.Sprintf("%s walks, %s steps, about %s distinct states (standard error %.1f%%)",
		results.Count(s.Sim.Walks), results.Count(s.Sim.Steps), results.Count(s.Sim.Distinct), 100*explore.DistinctError))
	p.Item("walks", fmt.Sprintf("%.1f steps on average, %d at most; %s cut at %d steps", float64(s.Sim.Steps)/max(walks, 1), s.Sim.Longest, results.Count(s.Sim.Cut), s.Sim.Depth))
	p.cutOff(s.Outcome, "steps outside", results.StepsOutside(s.Sim.Outside))
	for _, name := range slices.Compact(slices.Sorted(maps.Values(s.Bound.Parts))) {
		p.Item("not seen", name+" is a temporal formula, at which walks do not look")
	}
	if len(s.Bound.Recurrent) > 0 {
		p.Item("liveness", fmt.Sprintf("inspected in the %s quiescent states that the walks came by, %.1f a walk", results.Count(s.Sim.Quiescent), float64(s.Sim.Quiescent)/max(walks, 1)))
		p.observations(s.Outcome)
	}
	var unmet []string
	for _, r := range s.Bound.Reachable {
		if _, met := s.Sim.ReachableMet[r.Name]; !met {
			unmet = append(unmet, r.Name)
		}
	}
	if len(unmet) > 0 {
		p.Item("never met", strings.Join(unmet, ", ")+": raise the bounds or walk more")
	}
	p.Item("time", fmt.Sprintf("%s with %s, %.0f walks/s, %s steps", results.Duration(s.Sim.Elapsed), results.Plural(s.Sim.Workers, "worker"), walks/seconds, results.Rate(float64(s.Sim.Steps)/seconds)))
}
