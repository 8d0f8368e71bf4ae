package tell

import (
	"fmt"
	"slices"
	"strings"

	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/invariants"
	"vsrcheck/model"
	"vsrcheck/results"
	"vsrcheck/results/trace"
	"vsrcheck/specs"
)

// Explain prints what there is to say of a name.
func Explain(p *Page, entries []Explanation, name string) error {
	var names []string
	found := false
	for _, e := range entries {
		names = append(names, e.Name)
		// As an option a rule has dashes, and a report may have its word in capitals;
		// nobody should have to remember which.
		if !e.Called(name) {
			continue
		}
		if found {
			p.Printf("\n")
		}
		found = true
		p.Printf("%s: %s\n", p.Paint(StyleBold, e.Name), e.Kind)
		e.print(p)
	}
	if !found {
		return job.Wrongf("explain: got unknown name %q%s; vsrcheck list has the specifications, properties and rules, explain glossary the words", name, job.DidYouMean(name, names, ""))
	}
	return nil
}

// Explanation is what explain says of one name.
type Explanation struct {
	Name, Kind string
	print      func(p *Page)
	forms      []string // in which a text has the name, too
}

// Called reports whether a name means this one.
func (e Explanation) Called(name string) bool {
	return slices.ContainsFunc(append([]string{e.Name}, e.forms...), func(own string) bool {
		return own != "" && strings.EqualFold(job.OptionName(own), job.OptionName(name))
	})
}

// Explanations lists everything that can be explained. The exit codes are the command's.
func Explanations(exitCodes func(p *Page)) ([]Explanation, error) {
	var out []Explanation
	for _, name := range specs.Names() {
		spec, err := specs.Load(name)
		if err != nil {
			return nil, err
		}
		out = append(out, Explanation{Name: name, Kind: "a specification", print: func(p *Page) { ExplainSpec(p, spec, name) }})
	}
	for _, pr := range invariants.Catalogue() {
		out = append(out, Explanation{Name: pr.Name, Kind: propertyKind(pr.Kind), print: func(p *Page) { explainProperty(p, pr) }})
	}
	for _, r := range model.Catalogue() {
		kind := "a switchable rule"
		if r.Defect {
			kind = "a known defect, to be switched on; the report's version does not have it"
		}
		out = append(out, Explanation{Name: r.Name, Kind: kind, print: func(p *Page) { explainRule(p, r) }})
		for _, a := range r.Alternatives {
			out = append(out, Explanation{Name: r.Name + "=" + a.Name, Kind: "an alternative of the rule " + r.Name, print: func(p *Page) {
				p.Item("does", r.Summary+": "+a.Summary)
				p.Item("is", soundness(a))
				p.Item("option", "--"+job.OptionName(r.Name)+" "+a.Name)
			}})
		}
	}
	for _, c := range specs.Constants() {
		out = append(out, Explanation{Name: c.Name, Kind: "a constant", print: func(p *Page) {
			p.Item("is", c.Summary)
			p.Item("value", string(c.Kind))
			p.Item("option", "--"+job.OptionName(c.Name))
		}})
	}
	m, err := model.New(model.DefaultConfig(), model.Rules{})
	if err != nil {
		return nil, err
	}
	for k, name := range model.AllKinds() {
		out = append(out, Explanation{Name: name, Kind: "a kind of action", print: func(p *Page) {
			p.Item("is", m.KindDoc(k))
			explainGuards(p, name)
		}})
	}
	for _, f := range trace.Formats() {
		out = append(out, Explanation{Name: f.Name, Kind: "a format of traces", print: func(p *Page) {
			p.Item("is", f.Summary)
			p.Item("option", "--trace "+f.Name+"=FILE")
			p.Item("described", "results/formats.md")
		}})
	}
	out = append(out, Explanation{Name: "exit-codes", Kind: "what the program's exit code says", print: exitCodes})
	out = append(out, Explanation{Name: "glossary", Kind: "every word of reports, tables and traces that is not a name of the lists", print: printGlossary})
	for _, g := range Glossary() {
		out = append(out, Explanation{g.Word, g.kind(), func(p *Page) { p.Item("means", g.meaning) }, strings.Split(g.Forms, " ")})
	}
	return out, nil
}

// ExplainSpec explains a specification, which arg means on the command line.
func ExplainSpec(p *Page, spec specs.Spec, arg string) {
	p.Item("summary", spec.Summary)
	for paragraph := range strings.SplitSeq(spec.Text, "\n\n") {
		p.Item("", paragraph)
	}
	settings := job.Override{Spec: spec}
	p.Item("size", spec.Size)
	p.settings("config", settings.ConfigSettings())
	p.rules(&settings)
	p.Item("invariants", strings.Join(spec.Invariants, ", "))
	p.Item("properties", strings.Join(spec.Properties, ", "))
	explainConstraints(p, spec.Constraints)
	if manifest, err := specs.LoadManifest(); err == nil {
		if e, ok := manifest.Entry(spec.Name); ok && e.Result != specs.ResultUnknown {
			p.Item("expected", EntryText(e))
		}
	}
	p.Item("file", spec.Path)
	p.Item("run", "vsrcheck check "+Quoted(arg))
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

func explainProperty(p *Page, pr invariants.Property) {
	p.Item("summary", pr.Summary)
	p.Item("formula", pr.Formula)
	p.Item("limits", pr.Limits)
	if pr.Companion != "" {
		p.Item("companion", pr.Companion+", which has to be met: else this says nothing")
	}
	if pr.Unasked {
		p.Item("asked", "by every check of liveness; with --property only by its name, else it is counted")
	}
	if pr.NotInTLA != "" {
		p.Item("TLA+", "has no such formula, and crosscheck leaves it out: "+pr.NotInTLA)
	}
	if pr.Excused != nil {
		p.Item("excuse", pr.Excuse+"; the run counts each "+pr.Excusable+" that would violate it otherwise")
	}
	switch pr.Kind {
	case invariants.State:
		p.Item("option", "--invariant "+pr.Name)
	case invariants.Step, invariants.Liveness:
		p.Item("option", "--property "+pr.Name)
	}
}

// explainGuards says for which reasons the message of an action is refused.
func explainGuards(p *Page, action string) {
	label := "refuses"
	for _, g := range model.AllGuards() {
		if g.Action != action {
			continue
		}
		text := g.Reason
		if g.Under != "" {
			text += " (under " + g.Under + ")"
		}
		p.Item(label, text)
		label = ""
	}
}

func explainRule(p *Page, r model.Rule) {
	p.Item("decides", r.Summary)
	p.Item("source", r.Source)
	width := 0
	for _, a := range r.Alternatives {
		width = max(width, len(a.Name))
	}
	for i, a := range r.Alternatives {
		label := ""
		if i == 0 {
			label = "choices"
		}
		p.Item(label, fmt.Sprintf("%-*s  %-6s  %s", width, a.Name, soundness(a), a.Summary))
	}
	p.Item("option", "--"+job.OptionName(r.Name)+" "+strings.Join(r.AlternativeNames(), "|"))
	var users []string
	for _, name := range specs.Names() {
		if strings.HasPrefix(name, job.OptionName(r.Name)) {
			users = append(users, name)
		}
	}
	if len(users) > 0 {
		p.Item("specs", strings.Join(users, ", "))
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

// EntryText is an entry in one line.
func EntryText(e specs.Entry) string {
	if e.Path == "" {
		return "no entry"
	}
	out := e.Result
	if e.Violated != "" {
		out += fmt.Sprintf(" of %s after %d steps", e.Violated, e.TraceLength)
	}
	return fmt.Sprintf("%s, %s distinct, %s generated, depth %d", out, results.Count(e.DistinctStates), results.Count(e.TotalStates), e.StateDepth)
}
