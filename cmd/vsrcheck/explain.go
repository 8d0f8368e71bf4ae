package main

import (
	"context"
	"fmt"
	"strings"

	"vsrcheck/invariants"
	"vsrcheck/model"
	"vsrcheck/results"
	"vsrcheck/specs"
)

func explainCommand() command {
	return command{
		name: "explain", usage: "NAME",
		summary: "explain a specification (also PATH.cfg), a property, a rule, an alternative (RULE=ALTERNATIVE), a constant, an action, a format of traces, a word of the glossary, or exit-codes",
		examples: []string{
			"vsrcheck explain QuorumAckedCommits",
			"vsrcheck explain fetch_to_op=old",
			"vsrcheck explain quiescent",
		},
		run: runExplain,
	}
}

func runExplain(_ context.Context, c *call) (int, error) {
	if len(c.args) != 1 {
		return 0, usagef("explain: got %d arguments, want one name; vsrcheck list has most of them", len(c.args))
	}
	name := c.args[0]
	p := newPage(c, "auto")
	if isPath(name) || name == stdio {
		spec, err := c.findSpec(name)
		if err != nil {
			return 0, err
		}
		explainSpec(p, spec, name)
		return exitHolds, nil
	}
	entries, err := explanations()
	if err != nil {
		return 0, err
	}
	return explain(p, entries, name)
}

// explain prints what there is to say of a name.
func explain(p *page, entries []explanation, name string) (int, error) {
	var names []string
	found := false
	for _, e := range entries {
		names = append(names, e.name)
		// As an option a rule has dashes, and a report may have its word in capitals;
		// nobody should have to remember which.
		if !strings.EqualFold(e.name, name) && !strings.EqualFold(optionName(e.name), name) {
			continue
		}
		if found {
			p.printf("\n")
		}
		found = true
		p.printf("%s: %s\n", p.paint(styleBold, e.name), e.kind)
		e.print(p)
	}
	if !found {
		return 0, usagef("explain: got unknown name %q%s; vsrcheck list has the specifications, properties and rules", name, didYouMean(name, names, ""))
	}
	return exitHolds, nil
}

// explanation is what explain says of one name.
type explanation struct {
	name, kind string
	print      func(p *page)
}

// explanations lists everything that can be explained.
func explanations() ([]explanation, error) {
	var out []explanation
	for _, name := range specs.Names() {
		spec, err := specs.Load(name)
		if err != nil {
			return nil, err
		}
		out = append(out, explanation{name, "a specification", func(p *page) { explainSpec(p, spec, name) }})
	}
	for _, pr := range invariants.Catalogue() {
		out = append(out, explanation{pr.Name, propertyKind(pr.Kind), func(p *page) { explainProperty(p, pr) }})
	}
	for _, r := range model.Catalogue() {
		kind := "a switchable rule"
		if r.Defect {
			kind = "a known defect, to be switched on; the report's version does not have it"
		}
		out = append(out, explanation{r.Name, kind, func(p *page) { explainRule(p, r) }})
		for _, a := range r.Alternatives {
			out = append(out, explanation{r.Name + "=" + a.Name, "an alternative of the rule " + r.Name, func(p *page) {
				p.item("does", r.Summary+": "+a.Summary)
				p.item("is", soundness(a))
				p.item("option", "--"+optionName(r.Name)+" "+a.Name)
			}})
		}
	}
	for _, c := range specs.Constants() {
		out = append(out, explanation{c.Name, "a constant", func(p *page) {
			p.item("is", c.Summary)
			p.item("value", string(c.Kind))
			p.item("option", "--"+optionName(c.Name))
		}})
	}
	m, err := model.New(model.DefaultConfig(), model.Rules{})
	if err != nil {
		return nil, err
	}
	for k, name := range model.AllKinds() {
		out = append(out, explanation{name, "a kind of action", func(p *page) {
			p.item("is", m.KindDoc(k))
			explainGuards(p, name)
		}})
	}
	for _, f := range results.Formats() {
		out = append(out, explanation{f.Name, "a format of traces", func(p *page) {
			p.item("is", f.Summary)
			p.item("option", "--trace "+f.Name+"=FILE")
			p.item("described", "results/formats.md")
		}})
	}
	out = append(out, explanation{"exit-codes", "what the program's exit code says", func(p *page) { writeExitCodes(p) }})
	for _, g := range glossary() {
		out = append(out, explanation{g.word, "a word of this checker", func(p *page) { p.item("means", g.meaning) }})
	}
	return out, nil
}

// explainSpec explains a specification, which arg means on the command line.
func explainSpec(p *page, spec specs.Spec, arg string) {
	p.item("summary", spec.Summary)
	for paragraph := range strings.SplitSeq(spec.Text, "\n\n") {
		p.item("", paragraph)
	}
	settings := override{Spec: spec}
	p.item("size", spec.Size)
	p.settings("config", settings.configSettings())
	p.rules(&settings)
	p.item("invariants", strings.Join(spec.Invariants, ", "))
	p.item("properties", strings.Join(spec.Properties, ", "))
	explainConstraints(p, spec.Constraints)
	if manifest, err := specs.LoadManifest(); err == nil {
		if e, ok := manifest.Entry(spec.Name); ok && e.Result != specs.ResultUnknown {
			p.item("expected", entryText(e))
		}
	}
	p.item("file", spec.Path)
	p.item("run", "vsrcheck check "+arg)
}

func propertyKind(k invariants.Kind) string {
	switch k {
	case invariants.State:
		return "an invariant, a property of every state"
	case invariants.Step:
		return "a step property, one of every step"
	case invariants.Liveness:
		return "a liveness property, one of every fair behaviour"
	case invariants.Report:
		return "no verdict: the run counts the quiescent states in which it is so"
	case invariants.Bound:
		return "checked unasked, of every state: that a bound on the search cuts nothing off"
	case invariants.Constraint:
		return "a constraint, a bound on the search for CONSTRAINT in a specification"
	default:
		return "a reachability, a property of some state"
	}
}

func explainProperty(p *page, pr invariants.Property) {
	p.item("summary", pr.Summary)
	p.item("formula", pr.Formula)
	p.item("limits", pr.Limits)
	if pr.Companion != "" {
		p.item("companion", pr.Companion+", which has to be met: else this says nothing")
	}
	if pr.Unasked {
		p.item("asked", "by every check of liveness; with --property only by its name, else it is counted")
	}
	if pr.NotInTLA != "" {
		p.item("TLA+", "has no such formula, and crosscheck leaves it out: "+pr.NotInTLA)
	}
	if pr.Excused != nil {
		p.item("excuse", pr.Excuse+"; the run counts each "+pr.Excusable+" that would violate it otherwise")
	}
	switch pr.Kind {
	case invariants.State:
		p.item("option", "--invariant "+pr.Name)
	case invariants.Step, invariants.Liveness:
		p.item("option", "--property "+pr.Name)
	}
}

// explainGuards says for which reasons the message of an action is refused.
func explainGuards(p *page, action string) {
	label := "refuses"
	for _, g := range model.AllGuards() {
		if g.Action != action {
			continue
		}
		text := g.Reason
		if g.Under != "" {
			text += " (under " + g.Under + ")"
		}
		p.item(label, text)
		label = ""
	}
}

func explainRule(p *page, r model.Rule) {
	p.item("decides", r.Summary)
	p.item("source", r.Source)
	width := 0
	for _, a := range r.Alternatives {
		width = max(width, len(a.Name))
	}
	for i, a := range r.Alternatives {
		label := ""
		if i == 0 {
			label = "choices"
		}
		p.item(label, fmt.Sprintf("%-*s  %-6s  %s", width, a.Name, soundness(a), a.Summary))
	}
	p.item("option", "--"+optionName(r.Name)+" "+strings.Join(r.AlternativeNames(), "|"))
	var users []string
	for _, name := range specs.Names() {
		if strings.HasPrefix(name, optionName(r.Name)) {
			users = append(users, name)
		}
	}
	if len(users) > 0 {
		p.item("specs", strings.Join(users, ", "))
	}
}

// glossary is the vocabulary of reports and traces, apart from the protocol's own,
// which package model documents.
func glossary() []struct{ word, meaning string } {
	return []struct{ word, meaning string }{
		{"head", "the highest op number that a replica claims, held or not (its sequencer)"},
		{"hole", "an op at or below a replica's head whose body its journal lacks"},
		{"identity", "which body an op number stands for: the view in which it was first prepared"},
		{"quorum", "so many replicas that two quorums always meet: of acks to commit, of votes to start a view, of nacks to discard an op"},
		{"quiescent", "a state in which no step that has to happen changes anything: there a fair behaviour may stay for ever, so a liveness property that still waits is violated"},
		{"fair", "a step that cannot stay possible for ever without being taken: deliveries, retransmissions, probes, repair and local steps are fair; faults, timeouts that change the view, and requests are not"},
		{"constraint", "a predicate that a specification names under CONSTRAINT, to bound the search: of a state in which it is false no step is taken, so that what holds, holds within; every verdict names it"},
		{"outside", "a state in which a constraint is false: it was reached and checked, and not expanded, and each run says how many there are"},
		{"guard", "a reason for which a message is refused where it arrives, such as the gap check; a check says which never refused one: about these it says nothing"},
		{"deferred", "a property whose violation is reported but does not end the search"},
		{"companion", "a state that has to be reachable, so that a property does not hold merely because nothing happens that it is about"},
		{"distinct", "states that differ from each other"},
		{"generated", "states counted each time a step leads to them, and the initial state, as TLC counts"},
		{"depth", "number of levels of the breadth-first search, as TLC counts: the initial state alone has depth 1"},
		{"commit_max", "the highest op number that a replica knows to be committed"},
		{"commit_min", "the highest op number that a replica has applied: all up to it are, in order"},
		{"inconclusive", "a run that decides nothing: something cut it short, or it visited no state, or nothing was asked; the verdict line says why, and the exit code is never 0"},
		{"vacuous", "a property that holds because what it speaks of never happens: its companion was not met. The run says so of each; where it goes for all that were asked for, the run is inconclusive"},
		{"dead", "a group of which a quorum is up, and to which no steps without a fault, timeouts included, bring a primary with a quorum again: GroupRecovers is violated"},
		{"excused", "a step that would violate a property but for what excuses it, as more than f losses excuse Durability: the run counts them"},
		{"set", "the network in which a message in flight stays there when it is delivered, so that it may arrive again, late and out of order (--network)"},
		{"consume", "the network in which a message in flight is delivered once, out of order (--network)"},
		{"fifo", "the network in which a message is delivered once, and in the order of its channel, as TCP does (--network)"},
		{"reduce", "to leave out states without which every verdict and the length of every trace is the same (--reduce); each run says which reductions were in force, and --reduce none takes every step"},
		{reduceEager, "a reduction: heartbeats, probes and their answers are in flight as early as they can be, instead of being sent in steps of their own (model/eager.go)"},
		{reduceFaults, "a reduction: a stop or a loss is a step only where it leaves nothing to do, as only there can it change a verdict (model/faults.go)"},
		{reducePrompt, "a reduction: an answer to a probe is in flight only while it tells how its sender stands (model/prompt.go)"},
		{reduceRaw, rawText()},
		{"one-shot", "a message that is sent once and never again by itself; in this network only a drop loses it"},
	}
}

// rawText says what --reduce raw is, and what it removes all the same.
func rawText() string {
	text := "no reduction, and dead messages and variables stay (--reduce raw): the system that all reductions are compared with. It is slow, and has many more states. Still removed are"
	for i, r := range model.Removed() {
		text += fmt.Sprintf(" (%d) %s: %s;", i+1, r.What, r.Reason)
	}
	return strings.TrimSuffix(text, ";")
}
