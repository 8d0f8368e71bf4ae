package main

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"

	"vsrcheck/explore"
	"vsrcheck/invariants"
	"vsrcheck/model"
	"vsrcheck/results"
)

// page is where a report goes: its width and whether it may use colours.
type page struct {
	io.Writer
	width int
	color bool
}

// later keeps what is printed until the function that it returns is called: files come first,
// as whoever reads what is printed may take long.
func (p *page) later() (print func()) {
	var text bytes.Buffer
	out := p.Writer
	p.Writer = &text
	return func() {
		p.Writer = out
		_, _ = out.Write(text.Bytes()) // run tells of an output that is lost
	}
}

// printf prints as printf does, but keeps the styles of paint.
func (p *page) printf(format string, args ...any) {
	if !p.color {
		printf(p.Writer, format, args...)
		return
	}
	var out strings.Builder
	text := fmt.Sprintf(format, args...)
	for text != "" {
		at := stylePattern.FindStringIndex(text)
		if at == nil {
			at = []int{len(text), len(text)}
		}
		out.WriteString(printable(text[:at[0]]) + text[at[0]:at[1]])
		text = text[at[1]:]
	}
	_, _ = io.WriteString(p.Writer, out.String())
}

// stylePattern is what paint writes.
var stylePattern = regexp.MustCompile(`\x1b\[[0-9;]*m`)

// paint sets a text in an ANSI style.
func (p *page) paint(code, text string) string {
	if !p.color {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// The ANSI styles.
const (
	styleBold = "1"
	styleGood = "1;32"
	styleBad  = "1;31"
	styleOpen = "1;33"
)

// pageIndent is how far a page indents the tables of the model at most.
const pageIndent = 6

const labelWidth = 12

// item prints a labelled text, broken to the width.
func (p *page) item(label, text string) {
	label = fmt.Sprintf("%-*s", labelWidth, label)
	for _, line := range results.Wrap(label, strings.Repeat(" ", labelWidth), text, p.width) {
		p.printf("%s\n", line)
	}
}

// wrapped prints a text, broken to the width; rest begins its further lines.
func (p *page) wrapped(rest, text string) {
	for _, line := range results.Wrap("", rest, text, p.width) {
		p.printf("%s\n", line)
	}
}

// show prints a trace.
func (p *page) show(t *results.Trace, states results.States) error {
	return t.WriteText(p, results.TextOptions{States: states, Width: p.width, Color: p.color})
}

// verdict prints the last line of a report. Only a narrow terminal breaks it: a script
// finds it in one piece.
func (p *page) verdict(style, word, text string) {
	line := p.paint(style, word) + " " + text
	p.printf("\n")
	if p.width >= defaultWidth {
		p.printf("%s\n", line)
		return
	}
	p.wrapped("  ", line)
}

// echo prints what is about to be checked, and how the run is done, before anything
// is.
func (j *job) echo(p *page, run string) {
	p.item("vsrcheck", results.ReadBuild().String())
	from := ""
	if j.Name != j.Path && !strings.HasPrefix(j.Path, "specs/") {
		from = " (" + j.Path + ")"
	}
	p.item("spec", p.paint(styleBold, j.Name)+from+": "+j.Summary)
	p.settings("config", j.configSettings())
	p.rules(j.override)
	p.item("network", networkText(j.Config))
	if j.checksLiveness() && j.Config.Drops == 0 && j.Config.Network == model.NetworkSet {
		p.item("", "as drops = 0, the liveness verdict claims nothing about one-shot messages that are lost")
	}
	byKind := map[string][]string{}
	for _, l := range j.bound.listed {
		name := l.Name
		if l.Deferred {
			name += "*"
		}
		byKind[l.Kind] = append(byKind[l.Kind], name)
	}
	label := "checking"
	for _, k := range []struct {
		kind  invariants.Kind
		words string
	}{
		{invariants.State, "every state: "}, {invariants.Step, "every step: "},
		{invariants.Liveness, "every fair behaviour: "}, {invariants.Reachable, "some state: "},
		{invariants.Bound, "the bounds: "},
	} {
		if names := byKind[string(k.kind)]; len(names) > 0 {
			p.item(label, k.words+strings.Join(names, ", "))
			label = ""
		}
	}
	if j.CheckDeadlock {
		p.item(label, "every state has a step (CHECK_DEADLOCK)")
		label = ""
	}
	if j.asksNothing() {
		p.item("", "nothing was asked: this run counts states, and decides nothing")
	}
	if len(j.bound.Deferred) > 0 {
		p.item("", "* a violation is reported and does not end the search")
	}
	j.echoConstraints(p)
	p.item("run", run)
	p.printf("\n")
}

// rules prints the rules in force. A known defect that the report's version does not
// have is named only when it is switched on, or was by the specification.
func (p *page) rules(s *override) {
	var shown, on []results.Setting
	defects, off := 0, model.Rules{}
	settings := s.ruleSettings()
	for i, r := range model.Catalogue() {
		setting := settings[i]
		switch {
		case !r.Defect:
			shown = append(shown, setting)
			continue
		case setting.Instead != "" || setting.Value != r.Get(off):
			on = append(on, setting)
		}
		defects++
	}
	p.settings("rules", shown)
	if len(on) > 0 {
		p.settings("defects", on)
	} else if defects > 0 {
		p.item("defects", fmt.Sprintf("none of the %d known ones is switched on (vsrcheck list rules)", defects))
	}
}

// settings prints one line for all settings with the specification's value, and one
// more for each that was overridden.
func (p *page) settings(label string, all []results.Setting) {
	var parts []string
	for _, s := range all {
		part := s.Name + "=" + strings.ReplaceAll(s.Value, " ", "")
		if s.Instead != "" {
			part = p.paint(styleBold, part) + " (the spec says " + s.Instead + ")"
		}
		parts = append(parts, part)
	}
	p.item(label, strings.Join(parts, ", "))
}

// runText says how the run is done.
func (o *checkOptions) runText(j *job, opt explore.Options) string {
	parts := []string{fmt.Sprintf("workers=%d", opt.Workers), "store=" + string(opt.Store), "reduce=" + reductionOf(j.model)}
	if opt.MaxStates != 0 {
		parts = append(parts, "at most "+results.Count(opt.MaxStates)+" states")
	}
	if opt.MaxDepth != 0 {
		parts = append(parts, fmt.Sprintf("at most %d steps", opt.MaxDepth))
	}
	if o.timeout != 0 {
		parts = append(parts, "at most "+o.timeout.String())
	}
	return strings.Join(append(parts, "memory limit "+o.memoryLimit.describe()), ", ")
}

// networkText says what may happen to a message.
func networkText(c model.Config) string {
	switch c.Network {
	case model.NetworkConsume:
		return fmt.Sprintf("each sent message is delivered once, effective or refused, at any time, late and out of order; what is sent while the same is in flight merges with it; again only by the budget duplicates=%d, lost only by drops=%d",
			c.Duplicates, c.Drops)
	case model.NetworkFIFO:
		return fmt.Sprintf("a channel from each replica to each other delivers each message once, in the order in which they were sent; at most %s at a time, and a step whose sends do not fit waits; lost with the crash of the receiver, or by the budget resets=%d of connections",
			results.Plural(c.Channel, "message"), c.Resets)
	}
	return fmt.Sprintf("set of sent messages: any of them may be delivered at any time, late, out of order and again; lost only by the budget drops=%d", c.Drops)
}

// checksLiveness reports whether the verdict says anything about liveness.
func (j *job) checksLiveness() bool { return j.bound.checksLiveness() }
