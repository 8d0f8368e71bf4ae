package tell

import (
	"fmt"
	"slices"
	"strings"

	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/explore"
	"vsrcheck/invariants"
	"vsrcheck/model"
	"vsrcheck/results"
)

// ViolatedText lists what is violated, and what a bound or a limit left undecided.
func ViolatedText(o *job.Outcome, next Advice) string {
	if o.Stop != explore.StopNone {
		return o.FoundText() + "; " + cutText(o, next)
	}
	return o.FoundText()
}

// excuses says how often a property was not violated only because of its excuse; "" is
// never.
func excuses(o *job.Outcome) string {
	var parts []string
	for i, e := range o.Bound.Excuses {
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

// livenessText says how liveness was decided.
func livenessText(o *job.Outcome) string {
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
	if v := o.Decisive(); v != nil && v.Kind == explore.KindLiveness {
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

// holdsText says what holds, and how surely.
func holdsText(o *job.Outcome) string {
	// What the search came across is not what was promised of it.
	var names []string
	for _, l := range o.Bound.Listed {
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
	if text := job.VacuityText(o.Silent()); text != "" {
		what += "; " + text
	}
	if text := excuses(o); text != "" {
		what += "; " + text
	}
	if n := o.ObservedOf("DeadGroup"); n > 0 { // and GroupRecovers was not asked for
		what += fmt.Sprintf("; but in %s quiescent states the group is dead, which GroupRecovers was not asked about", results.Count(n))
	}
	return what
}

// cutText says that a limit ended the search, and what it left undecided.
func cutText(o *job.Outcome, next Advice) string {
	var open []string
	for _, l := range o.Bound.Listed {
		found := slices.ContainsFunc(o.Violations, func(v explore.Violation[model.State]) bool { return v.Property == l.Name })
		if l.Kind == string(invariants.Liveness) && !found {
			open = append(open, l.Name)
		}
	}
	why := string(o.Stop)
	if o.Reason != "" {
		why = o.Reason
	}
	if (o.Stop == explore.StopInterrupted || o.Stop == explore.StopMemory) && o.Why != "" {
		why = o.Why // which may be the time limit, and has the limit of the command line
	}
	cut := "the search was cut (" + why + ")"
	if len(open) > 0 {
		cut += fmt.Sprintf(" before %s %s decided", strings.Join(open, ", "), wereOf(len(open)))
	}
	if next.next != "" {
		cut += "; next: " + next.next
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

// idleLines say next to the verdict which of the overridden rules decided nothing.
func (p *Page) idleLines(o *job.Outcome) {
	idle := o.Idle()
	if len(idle) == 0 {
		return
	}
	where := "within these bounds"
	if o.Verdict == explore.Violated || o.Stop != explore.StopNone {
		where = "of those that were searched"
	}
	p.Printf("\n")
	label := "rules"
	for _, r := range model.Catalogue() {
		if !slices.Contains(idle, r.Name) {
			continue
		}
		others := slices.DeleteFunc(r.AlternativeNames(), func(a string) bool { return a == r.Get(o.Rules) })
		p.Item(label, fmt.Sprintf("%s = %s decided nothing: no step %s would differ under %s, so this run says nothing about it",
			r.Name, r.Get(o.Rules), where, strings.Join(others, " or ")))
		label = ""
	}
}

// Nothing says that there is no violation to minimise.
func (p *Page) Nothing(o *job.Outcome) {
	word, style, what, none := "HOLDS", StyleGood, holdsText(o), "there is no violation to minimise"
	switch {
	case o.Vacuous():
		word, style, what = "VACUOUS", StyleOpen, o.Why
	case o.Verdict == explore.Inconclusive:
		word, style, what, none = "INCONCLUSIVE", StyleOpen, o.Why, "no violation was found that could be minimised"
	}
	p.Verdict(style, word, fmt.Sprintf("%s: %s; %s", o.Subject(), what, none))
}
