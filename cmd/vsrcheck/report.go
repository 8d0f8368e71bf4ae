package main

import (
	"fmt"
	"slices"
	"strings"

	"vsrcheck/explore"
	"vsrcheck/invariants"
	"vsrcheck/model"
	"vsrcheck/results"
	"vsrcheck/results/picture"
	"vsrcheck/results/trace"
)

// report prints what a run found, the verdict last. files says which trace files there
// are; "" is none.
func (o *outcome) report(p *page, states trace.States, files string) error {
	narrow := o.withWidth(p.width)
	for i := range o.Violations {
		v := &o.Violations[i]
		if err := p.show(narrow.trace(v), states); err != nil {
			return err
		}
		if v.Kind == explore.KindLiveness && o.model.Reductions().FaultsLast && o.Config.Drops > 0 {
			p.item("length", "not proven to be the shortest: a loss can spare requests for repair that are sent again; --reduce eager takes every loss")
		}
		p.printf("\n")
	}
	o.coverage(p)
	o.guardLines(p)
	p.printf("\n")
	o.figures(p)
	if files != "" {
		p.item("trace", files)
	}
	o.idleLines(p)
	if o.advice.next != "" && o.Verdict == explore.Inconclusive {
		p.item("next", o.advice.next) // a violation has it in its line
	}
	o.verdict(p)
	return nil
}

func summaryOf(property string) string {
	for _, p := range invariants.Catalogue() {
		if p.Name == property {
			return p.Summary
		}
	}
	return ""
}

// traced is the violation that the trace files are of: the first that has a trace, or
// nil. It is the one that decides the verdict, unless that is about what was never met.
func (o *outcome) traced() *explore.Violation[model.State] {
	for i := range o.Violations {
		if len(o.Violations[i].Trace) > 0 {
			return &o.Violations[i]
		}
	}
	return nil
}

// withWidth is the job with descriptions for a page of a width. Files get those of the
// job itself, whatever the terminal.
func (j *job) withWidth(page int) *job {
	narrow := *j
	narrow.told = j.told.WithWidth(page - pageIndent)
	return &narrow
}

// trace is a violation in the model's words.
func (j *job) trace(v *explore.Violation[model.State]) *trace.Trace {
	return j.traceOf(v.Property, v.Kind, v.Trace, v.LoopStart)
}

// traceOf is a behaviour that violates a property, with everything that a trace file
// keeps. The types of the variables are added when a file is written.
func (j *job) traceOf(property string, kind explore.Kind, behaviour []explore.Step[model.State], loopStart int) *trace.Trace {
	t := &trace.Trace{
		Spec: j.Name, Path: j.Path, Program: results.ReadBuild(), Config: j.configSettings(), Reduction: reductionOf(j.model),
		Constraints: j.Constraints,
		Property:    property, Kind: string(kind), Summary: summaryOf(property), LoopStart: loopStart,
		Forever:  kind == explore.KindLiveness && loopStart < 0,
		Decisive: model.Decisive(),
	}
	if j.bound != nil {
		t.Properties = j.bound.listed
	}
	rules := model.Catalogue()
	for i, s := range j.ruleSettings() {
		t.Rules = append(t.Rules, trace.Rule{Setting: s, Alternatives: rules[i].AlternativeNames()})
	}
	j.fill(t, behaviour)
	if n := len(behaviour); n > 0 {
		last := &behaviour[n-1].State
		if j.rankOf(&explore.Violation[model.State]{Property: property, Kind: kind, Trace: behaviour, LoopStart: loopStart}) == rankBounded {
			t.Summary += "; here perhaps violated only because a channel was full"
			t.Explanation = "A step waits for room in a channel, and with more room it would be possible: " + j.moreRoom() + "."
		} else if kind == explore.KindLiveness {
			t.Explanation = j.told.Explain(last)
		} else if wrong := j.told.Contradictions(last); wrong != "" {
			t.Final += "\n" + wrong
		}
	}
	t.Diagram = func() *picture.SpaceTime { return j.violationDiagram(t, behaviour) }
	return t
}

// fill puts a behaviour into a trace.
func (j *job) fill(t *trace.Trace, behaviour []explore.Step[model.State]) {
	for i := range behaviour {
		step := trace.Step{State: j.told.Table(&behaviour[i].State), Values: stateValues(j.told, &behaviour[i].State)}
		if i > 0 {
			a, before := behaviour[i].Action, &behaviour[i-1].State
			step.Action, step.Kind = j.told.ActionString(a), j.told.Kinds()[j.told.Kind(a)]
			step.Fair, step.Actor = j.told.Fair(a), j.told.Actor(a)
			if msg, ok := j.told.Message(a); ok {
				step.Message = messageRecord(msg, trace.Rec{{Name: "name", Value: trace.Str(msg.Name)}})
			}
			step.Notes, step.Changes = j.told.Notes(before, a), j.told.Changes(before, &behaviour[i].State)
		}
		t.Steps = append(t.Steps, step)
		t.Final = step.State
	}
}

// kindPanic is the kind of a trace to a state in which the model failed.
const kindPanic explore.Kind = "panic"

// panicTrace prints how to get to the state in which the model failed, when that is
// known, and writes it to the trace files.
func (o *outcome) panicTrace(p *page, states trace.States, files *traceFiles) (err error) {
	if o.Result == nil || len(o.PanicTrace) == 0 {
		return nil
	}
	defer func() {
		// A model that fails in a state may fail in printing it, too.
		if v := recover(); v != nil {
			err = fmt.Errorf("print the state in which it failed: %v", v)
		}
	}()
	const property = "the failure of the model"
	t := o.withWidth(p.width).traceOf(property, kindPanic, o.PanicTrace, -1)
	if err := p.show(t, states); err != nil {
		return err
	}
	if line := files.line(true); line != "" {
		p.printf("\n")
		p.item("trace", line)
	}
	return files.write(o.traceOf(property, kindPanic, o.PanicTrace, -1), states)
}

// coverageRow is what one kind of action did: two counts, the second a part of the first.
type coverageRow struct {
	kind        string
	fair        bool
	whole, part uint64
}

// coverage prints rows under the names of their counts.
func (p *page) coverage(whole, part string, rows []coverageRow) {
	width := len("action")
	for _, r := range rows {
		width = max(width, len(r.kind))
	}
	wide := max(len(part), 15)
	heading := fmt.Sprintf("%-*s  %-4s  %15s  %*s", width, "action", "fair", whole, wide, part)
	narrow := p.width < len(heading)
	if narrow {
		heading = "action: " + whole + ", " + part
	}
	p.printf("%s\n", p.paint(styleBold, heading))
	for _, r := range rows {
		fair := "no"
		if r.fair {
			fair = "yes"
		}
		if narrow {
			p.wrapped("  ", fmt.Sprintf("%s (fair: %s): %s, %s", r.kind, fair, results.Count(r.whole), results.Count(r.part)))
			continue
		}
		p.printf("%-*s  %-4s  %15s  %*s\n", width, r.kind, fair, results.Count(r.whole), wide, results.Count(r.part))
	}
}

// coverage prints what each kind of action did, and points out those that did
// nothing: either the bounds rule them out, or the model is wrong.
func (o *outcome) coverage(p *page) {
	var rows []coverageRow
	var never, idle, fused []string
	withOthers := o.model.Fused()
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
		p.item("with others", strings.Join(fused, ", ")+": what they send was sent with other steps, as early as it could be")
	}
	if len(never) > 0 {
		p.item("never fired", strings.Join(never, ", "))
	}
	if len(idle) > 0 {
		p.item("no effect", strings.Join(idle, ", "))
	}
}

// figures prints the size of the space and the cost of exploring it.
func (o *outcome) figures(p *page) {
	p.wrapped("  ", fmt.Sprintf("%s states generated, %s distinct states found, depth %d",
		results.Count(o.Generated), results.Count(o.Distinct), o.Depth))
	o.cutOff(p, "states outside", results.CutOff(o.Outside))
	if o.checksLiveness() {
		p.item("liveness", o.livenessText())
		o.observations(p)
	}
	if text := o.excuses(); text != "" {
		p.item("excused", text)
	}
	if text := vacuityText(o.silent()); text != "" {
		p.item("vacuous", text)
	}
	p.item("collisions", collisionText(o.Store, o.CollisionProbability))
	p.item("time", fmt.Sprintf("%s with %s, %s distinct", results.Duration(o.Elapsed), results.Plural(o.Workers, "worker"), results.Rate(o.statesPerSecond())))
	memory := fmt.Sprintf("%s reserved for the states, %.1f bytes each", results.Bytes(o.StoreBytes), o.bytesPerState())
	if peak := results.PeakMemory(); peak != 0 {
		memory += "; peak of the process " + results.Bytes(peak)
	}
	p.item("memory", memory)
	if o.DiskBytes > 0 {
		p.item("disk", results.Bytes(o.DiskBytes)+" at most")
	}
	if o.Checkpoint != "" {
		p.item("checkpoint", o.advice.resumeText(o.Checkpoint))
	}
}

// observations prints what is worth knowing of the quiescent states and no verdict.
func (o *outcome) observations(p *page) {
	for _, n := range o.bound.notAsked {
		p.item("", fmt.Sprintf("%s was not asked: %s. --property %s asks it, with more states", n.Property, n.Why, n.Property))
	}
	for i, seen := range o.bound.Observed {
		if n := o.Observed[i]; n > 0 {
			p.item("", fmt.Sprintf("%s, no verdict: %s of the quiescent states seen: %s", seen.Name, results.Count(n), o.bound.observed[i]))
		}
	}
}

// excuses says how often a property was not violated only because of its excuse; "" is
// never.
func (o *outcome) excuses() string {
	var parts []string
	for i, e := range o.bound.excuses {
		if len(o.ObservedSteps) > i && o.ObservedSteps[i] > 0 { // walks count none
			parts = append(parts, fmt.Sprintf("%s excused %s %s: %s", e.Name, results.Count(o.ObservedSteps[i]), plural(o.ObservedSteps[i], e.Excusable), e.Excuse))
		}
	}
	return strings.Join(parts, "; ")
}

// plural is a noun for n things.
func plural(n uint64, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}

// observedOf is the count of what is reported and no verdict; 0 when it was not counted.
func (o *outcome) observedOf(name string) uint64 {
	for i, seen := range o.bound.Observed {
		if seen.Name == name {
			return o.Observed[i]
		}
	}
	return 0
}

// livenessText says how liveness was decided.
func (o *outcome) livenessText() string {
	quiescent := results.Count(o.Quiescent) + " quiescent states"
	switch o.Liveness {
	case explore.MethodQuiescent:
		return "the graph has no cycle, verified at every step of this run; all " + quiescent + " were inspected"
	case explore.MethodComponents:
		if o.Components == 0 {
			return "the strongly connected components show that the graph has no cycle; all " + quiescent + " were inspected"
		}
		return fmt.Sprintf("the graph has cycles: all %s strongly connected components with a cycle were inspected under weak fairness, and all %s",
			results.Count(o.Components), quiescent)
	}
	if v := o.decisive(); v != nil && v.Kind == explore.KindLiveness {
		return "violated in a quiescent state: no step that has to happen changes it"
	}
	return "not decided: the search ended before"
}

func collisionText(store explore.StoreKind, probability float64) string {
	switch {
	case store == explore.StoreExact:
		return "none possible: the store is exact"
	case probability > 0.01:
		return fmt.Sprintf("a state may have been missed with probability %.2g, WHICH IS HIGH; use --store hash128 or exact", probability)
	}
	return fmt.Sprintf("a state may have been missed with probability %.2g", probability)
}

// verdict prints the verdict in one line, the last one.
func (o *outcome) verdict(p *page) {
	word, style, what := "INCONCLUSIVE", styleOpen, o.reason
	switch o.Verdict {
	case explore.Holds:
		word, style, what = "HOLDS", styleGood, o.holdsText()
	case explore.Violated:
		word, style, what = "VIOLATED", styleBad, o.violatedText()
	}
	if o.vacuous() {
		word = "VACUOUS"
		what += "; the bounds are too small for what is checked, raise ops, pipeline, replicas, views or faults"
	}
	p.verdict(style, word, fmt.Sprintf("%s: %s", o.subject(), what))
}

// holdsText says what holds, and how surely.
func (o *outcome) holdsText() string {
	// What the search came across is not what was promised of it.
	var names []string
	for _, l := range o.bound.listed {
		if l.Kind != string(invariants.Reachable) {
			names = append(names, l.Name)
		}
	}
	what := fmt.Sprintf("all %d properties hold", len(names))
	if len(names) == 1 {
		what = names[0] + " holds"
	}
	if o.CheckDeadlock {
		what += ", and every state has a step"
	}
	what += fmt.Sprintf(" (%s distinct states", results.Count(o.Distinct))
	if o.CollisionProbability > 0 {
		what += fmt.Sprintf(", one missed with probability %.2g", o.CollisionProbability)
	}
	if len(o.Constraints) > 0 {
		what += "; " + results.CutOff(o.Outside)
	}
	what += ")"
	if text := vacuityText(o.silent()); text != "" {
		what += "; " + text
	}
	if text := o.excuses(); text != "" {
		what += "; " + text
	}
	if n := o.observedOf("DeadGroup"); n > 0 { // and GroupRecovers was not asked for
		what += fmt.Sprintf("; but in %s quiescent states the group is dead, which GroupRecovers was not asked about", results.Count(n))
	}
	return what
}

// cutText says that a limit ended the search, and what it left undecided.
func (o *outcome) cutText() string {
	var open []string
	for _, l := range o.bound.listed {
		found := slices.ContainsFunc(o.Violations, func(v explore.Violation[model.State]) bool { return v.Property == l.Name })
		if l.Kind == string(invariants.Liveness) && !found {
			open = append(open, l.Name)
		}
	}
	why := string(o.Stop)
	if o.Reason != "" {
		why = o.Reason
	}
	if o.Stop == explore.StopInterrupted && o.reason != "" {
		why = o.reason // which may be the time limit
	}
	cut := "the search was cut (" + why + ")"
	if len(open) > 0 {
		cut += fmt.Sprintf(" before %s %s decided", strings.Join(open, ", "), wereOf(len(open)))
	}
	if o.advice.next != "" {
		cut += "; next: " + o.advice.next
	}
	return cut
}

// wereOf is the verb for so many things.
func wereOf(n int) string {
	if n == 1 {
		return "was"
	}
	return "were"
}

// overriddenText lists the settings that are not the specification's.
func overriddenText(o *override) string {
	var parts []string
	for _, s := range append(o.configSettings(), o.ruleSettings()...) {
		if s.Instead != "" {
			parts = append(parts, s.Name+"="+strings.ReplaceAll(s.Value, " ", ""))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " with " + strings.Join(parts, ", ")
}
