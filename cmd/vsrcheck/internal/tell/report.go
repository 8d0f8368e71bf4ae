package tell

import (
	"fmt"
	"slices"
	"strings"

	"vsrcheck/cmd/vsrcheck/internal/behaviour"
	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/explore"
	"vsrcheck/results"
	"vsrcheck/results/trace"
)

// Report prints what a run found, the verdict last. files says which trace files there
// are; "" is none.
func (p *Page) Report(o *job.Outcome, states trace.States, files string, next Advice) error {
	narrow := behaviour.WithWidth(o.Job, p.Width)
	var above *trace.Trace
	for i := range o.Violations {
		v := &o.Violations[i]
		t := behaviour.OfViolation(narrow, v)
		if err := p.showAfter(above, t, states); err != nil {
			return err
		}
		if above == nil {
			above = t
		}
		if v.Kind == explore.KindLiveness && o.Model.Reductions().FaultsLast && o.Config.Drops > 0 {
			p.Item("length", "not proven to be the shortest: a loss can spare requests for repair that are sent again; --reduce eager takes every loss")
		}
		p.Printf("\n")
	}
	p.coverageOf(o)
	p.guardLines(o)
	p.Printf("\n")
	p.figures(o, next)
	if files != "" {
		p.Item("trace", files)
	}
	p.idleLines(o)
	if next.next != "" && o.Verdict == explore.Inconclusive {
		p.Item("next", next.next) // a violation has it in its line
	}
	p.verdictOf(o, next)
	return nil
}

// coverageRow is what one kind of action did: two counts, the second a part of the first.
type coverageRow struct {
	kind        string
	fair        bool
	whole, part uint64
}

// coverage prints rows under the names of their counts.
//
// It is no text/tabwriter, which cannot have names to the left and numbers to the right, nor
// colours, which it counts as text.
func (p *Page) coverage(whole, part string, rows []coverageRow) {
	width := len("action")
	for _, r := range rows {
		width = max(width, len(r.kind))
	}
	wide := max(len(part), 15)
	heading := fmt.Sprintf("%-*s  %-4s  %15s  %*s", width, "action", "fair", whole, wide, part)
	narrow := p.Width < len(heading)
	if narrow {
		heading = "action: " + whole + ", " + part
	}
	p.Printf("%s\n", p.Paint(StyleBold, heading))
	for _, r := range rows {
		fair := "no"
		if r.fair {
			fair = "yes"
		}
		if narrow {
			p.wrapped("  ", fmt.Sprintf("%s (fair: %s): %s, %s", r.kind, fair, results.Count(r.whole), results.Count(r.part)))
			continue
		}
		p.Printf("%-*s  %-4s  %15s  %*s\n", width, r.kind, fair, results.Count(r.whole), wide, results.Count(r.part))
	}
}

// coverageOf prints what each kind of action did, and points out those that did
// nothing: either the bounds rule them out, or the model is wrong.
func (p *Page) coverageOf(o *job.Outcome) {
	var rows []coverageRow
	var never, idle, fused []string
	withOthers := o.Model.Fused()
	for k, c := range o.Coverage {
		switch {
		case c.Effective == 0 && slices.Contains(withOthers, k):
			fused = append(fused, c.Kind)
			continue
		case c.Generated == 0:
			never = append(never, c.Kind)
			continue
		case c.Effective == 0:
			idle = append(idle, c.Kind)
		}
		rows = append(rows, coverageRow{c.Kind, c.Fair, c.Generated, c.Effective})
	}
	p.coverage("generated", "of these effective", rows)
	if len(fused) > 0 {
		p.Item("with others", strings.Join(fused, ", ")+": what they send was sent with other steps, as early as it could be")
	}
	if len(never) > 0 {
		p.Item("never fired", strings.Join(never, ", "))
	}
	if len(idle) > 0 {
		p.Item("no effect", strings.Join(idle, ", "))
	}
}

// figures prints the size of the space and the cost of exploring it.
func (p *Page) figures(o *job.Outcome, next Advice) {
	p.wrapped("  ", fmt.Sprintf("%s states generated, %s distinct states found, depth %d",
		results.Count(o.Generated), results.Count(o.Distinct), o.Depth))
	p.cutOff(o, "states outside", results.CutOff(o.Outside))
	if o.ChecksLiveness() {
		p.Item("liveness", livenessText(o))
		p.observations(o)
	}
	if text := excuses(o); text != "" {
		p.Item("excused", text)
	}
	if text := job.VacuityText(o.Silent()); text != "" {
		p.Item("vacuous", text)
	}
	p.Item("collisions", collisionText(o.Store, o.CollisionProbability))
	p.Item("time", fmt.Sprintf("%s with %s, %s distinct", results.Duration(o.Elapsed), results.Plural(o.Workers, "worker"), results.Rate(o.StatesPerSecond())))
	memory := fmt.Sprintf("%s reserved for the states, %.1f bytes each", results.Bytes(o.StoreBytes), o.BytesPerState())
	if peak := results.PeakMemory(); peak != 0 {
		memory += "; peak of the process " + results.Bytes(peak)
	}
	p.Item("memory", memory)
	if o.DiskBytes > 0 {
		p.Item("disk", results.Bytes(o.DiskBytes)+" at most")
	}
	if o.Checkpoint != "" {
		p.Item("checkpoint", next.resumeText(o.Checkpoint))
	}
}

// observations prints what is worth knowing of the quiescent states and no verdict.
func (p *Page) observations(o *job.Outcome) {
	for _, n := range o.Bound.NotAsked {
		p.Item("", fmt.Sprintf("%s was not asked: %s. --property %s asks it, with more states", n.Property, n.Why, n.Property))
	}
	for i, seen := range o.Bound.Observed {
		if n := o.Observed[i]; n > 0 {
			p.Item("", fmt.Sprintf("%s, no verdict: %s of the quiescent states seen: %s", seen.Name, results.Count(n), o.Bound.ObservedWords[i]))
		}
	}
}

// verdictOf prints the verdict in one line, the last one.
func (p *Page) verdictOf(o *job.Outcome, next Advice) {
	word, style, what := "INCONCLUSIVE", StyleOpen, o.Why
	switch o.Verdict {
	case explore.Holds:
		word, style, what = "HOLDS", StyleGood, holdsText(o)
	case explore.Violated:
		word, style, what = "VIOLATED", StyleBad, ViolatedText(o, next)
	}
	if o.Vacuous() {
		word = "VACUOUS"
		what += "; the bounds are too small for what is checked, raise ops, pipeline, replicas, views or faults"
	}
	p.Verdict(style, word, fmt.Sprintf("%s: %s", o.Subject(), what))
}
