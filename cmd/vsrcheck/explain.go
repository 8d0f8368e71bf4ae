package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"vsrcheck/invariants"
	"vsrcheck/model"
	"vsrcheck/results/trace"
	"vsrcheck/specs"
)

func explainCommand() command {
	return command{
		name: "explain", usage: "NAME",
		summary: "explain a specification (also PATH.cfg), a property, a rule, an alternative (RULE=ALTERNATIVE), a constant, an action, a format of traces, a word of reports and traces, glossary for all of those, or exit-codes",
		examples: []string{
			"vsrcheck explain QuorumAckedCommits",
			"vsrcheck explain fetch_to_op=old",
			"vsrcheck explain quiescent",
			"vsrcheck explain log_view",
			"vsrcheck explain glossary",
		},
		run: runExplain,
	}
}

func runExplain(_ context.Context, c *call) (int, error) {
	if len(c.args) == 0 {
		return 0, usagef("explain: got no name, want one; vsrcheck list has most of them, and explain glossary the other words")
	}
	name := strings.Join(c.args, " ") // some names are several words
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
		if !e.called(name) {
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
		return 0, usagef("explain: got unknown name %q%s; vsrcheck list has the specifications, properties and rules, explain glossary the words", name, didYouMean(name, names, ""))
	}
	return exitHolds, nil
}

// explanation is what explain says of one name.
type explanation struct {
	name, kind string
	print      func(p *page)
	forms      []string // in which a text has the name, too
}

// called reports whether a name means this one.
func (e explanation) called(name string) bool {
	return slices.ContainsFunc(append([]string{e.name}, e.forms...), func(own string) bool {
		return own != "" && strings.EqualFold(optionName(own), optionName(name))
	})
}

// explanations lists everything that can be explained.
func explanations() ([]explanation, error) {
	var out []explanation
	for _, name := range specs.Names() {
		spec, err := specs.Load(name)
		if err != nil {
			return nil, err
		}
		out = append(out, explanation{name: name, kind: "a specification", print: func(p *page) { explainSpec(p, spec, name) }})
	}
	for _, pr := range invariants.Catalogue() {
		out = append(out, explanation{name: pr.Name, kind: propertyKind(pr.Kind), print: func(p *page) { explainProperty(p, pr) }})
	}
	for _, r := range model.Catalogue() {
		kind := "a switchable rule"
		if r.Defect {
			kind = "a known defect, to be switched on; the report's version does not have it"
		}
		out = append(out, explanation{name: r.Name, kind: kind, print: func(p *page) { explainRule(p, r) }})
		for _, a := range r.Alternatives {
			out = append(out, explanation{name: r.Name + "=" + a.Name, kind: "an alternative of the rule " + r.Name, print: func(p *page) {
				p.item("does", r.Summary+": "+a.Summary)
				p.item("is", soundness(a))
				p.item("option", "--"+optionName(r.Name)+" "+a.Name)
			}})
		}
	}
	for _, c := range specs.Constants() {
		out = append(out, explanation{name: c.Name, kind: "a constant", print: func(p *page) {
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
		out = append(out, explanation{name: name, kind: "a kind of action", print: func(p *page) {
			p.item("is", m.KindDoc(k))
			explainGuards(p, name)
		}})
	}
	for _, f := range trace.Formats() {
		out = append(out, explanation{name: f.Name, kind: "a format of traces", print: func(p *page) {
			p.item("is", f.Summary)
			p.item("option", "--trace "+f.Name+"=FILE")
			p.item("described", "results/formats.md")
		}})
	}
	out = append(out, explanation{name: "exit-codes", kind: "what the program's exit code says", print: func(p *page) { writeExitCodes(p) }})
	out = append(out, explanation{name: "glossary", kind: "every word of reports, tables and traces that is not a name of the lists", print: printGlossary})
	for _, g := range glossary() {
		out = append(out, explanation{g.word, g.kind(), func(p *page) { p.item("means", g.meaning) }, strings.Split(g.forms, " ")})
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
	p.item("run", "vsrcheck check "+quoted(arg))
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

// rawText says what --reduce raw is, and what it removes all the same.
func rawText() string {
	text := "no reduction, and dead messages and variables stay (--reduce raw): the system that all reductions are compared with. It is slow, and has many more states. Still removed are"
	for i, r := range model.Removed() {
		text += fmt.Sprintf(" (%d) %s: %s;", i+1, r.What, r.Reason)
	}
	return strings.TrimSuffix(text, ";")
}
