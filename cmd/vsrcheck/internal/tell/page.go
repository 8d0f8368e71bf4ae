package tell

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/explore"
	"vsrcheck/invariants"
	"vsrcheck/model"
	"vsrcheck/results"
	"vsrcheck/results/trace"
)

// Page is where a report goes: its width and whether it may use colours.
type Page struct {
	io.Writer
	Verdicts io.Writer // where the last line goes instead; nil: no other
	Width    int
	Color    bool
}

// Later keeps what is printed until the function that it returns is called: files come first,
// as whoever reads what is printed may take long.
func (p *Page) Later() (print func()) {
	outs := []*io.Writer{&p.Writer}
	if p.Verdicts != nil {
		outs = append(outs, &p.Verdicts)
	}
	var prints []func()
	for _, o := range outs {
		text, out := new(bytes.Buffer), *o
		*o = text
		prints = append(prints, func() {
			*o = out
			_, _ = out.Write(text.Bytes()) // whoever runs the command tells of an output that is lost
		})
	}
	return func() {
		for _, p := range prints {
			p()
		}
	}
}

// Printf prints as the function does, but keeps the styles of Paint.
func (p *Page) Printf(format string, args ...any) {
	if !p.Color {
		Printf(p.Writer, format, args...)
		return
	}
	var out strings.Builder
	text := fmt.Sprintf(format, args...)
	for text != "" {
		at := StylePattern.FindStringIndex(text)
		if at == nil {
			at = []int{len(text), len(text)}
		}
		out.WriteString(printable(text[:at[0]]) + text[at[0]:at[1]])
		text = text[at[1]:]
	}
	_, _ = io.WriteString(p.Writer, out.String())
}

// StylePattern is what Paint writes.
var StylePattern = regexp.MustCompile(`\x1b\[[0-9;]*m`)

// Paint sets a text in an ANSI style.
func (p *Page) Paint(code, text string) string {
	if !p.Color {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// The ANSI styles.
const (
	StyleBold = "1"
	StyleGood = "1;32"
	StyleBad  = "1;31"
	StyleOpen = "1;33"
)

// LabelWidth is the width of the labels of items, with the space behind.
const LabelWidth = 12

// Item prints a labelled text, broken to the width.
func (p *Page) Item(label, text string) {
	label = fmt.Sprintf("%-*s", LabelWidth, label)
	for _, line := range trace.Wrap(label, strings.Repeat(" ", LabelWidth), text, p.Width) {
		p.Printf("%s\n", line)
	}
}

// wrapped prints a text, broken to the width; rest begins its further lines.
func (p *Page) wrapped(rest, text string) {
	for _, line := range trace.Wrap("", rest, text, p.Width) {
		p.Printf("%s\n", line)
	}
}

// Show prints a trace.
func (p *Page) Show(t *trace.Trace, states trace.States) error {
	return p.showAfter(nil, t, states)
}

// showAfter prints a trace below another one, which may be nil.
func (p *Page) showAfter(above, t *trace.Trace, states trace.States) error {
	return t.WriteText(p, trace.TextOptions{States: states, Width: p.Width, Color: p.Color, Above: above})
}

// Verdict prints the last line of a report.
func (p *Page) Verdict(style, word, text string) {
	p.Printf("\n")
	p.Last(p.Paint(style, word) + " " + text)
}

// Last prints the last line. Only a narrow terminal breaks it: a script finds it in one
// piece.
func (p *Page) Last(line string) {
	if p.Verdicts != nil {
		p = &Page{Writer: p.Verdicts, Width: p.Width, Color: p.Color}
	}
	if p.Width >= DefaultWidth {
		p.Printf("%s\n", line)
		return
	}
	p.wrapped("  ", line)
}

// Echo prints what is about to be checked, and how the run is done, before anything
// is.
func (p *Page) Echo(j *job.Job, run string) {
	p.Item("vsrcheck", results.ReadBuild().String())
	from := ""
	if j.Name != j.Path && !strings.HasPrefix(j.Path, "specs/") {
		from = " (" + j.Path + ")"
	}
	p.Item("spec", p.Paint(StyleBold, j.Name)+from+": "+j.Summary)
	p.settings("config", j.ConfigSettings())
	p.rules(j.Override)
	p.Item("network", job.NetworkText(j.Config))
	if j.ChecksLiveness() && j.Config.Drops == 0 && j.Config.Network == model.NetworkSet {
		p.Item("", "as drops = 0, the liveness verdict claims nothing about one-shot messages that are lost")
	}
	byKind := map[string][]string{}
	for _, l := range j.Bound.Listed {
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
			p.Item(label, k.words+strings.Join(names, ", "))
			label = ""
		}
	}
	if j.CheckDeadlock {
		p.Item(label, "every state has a step (CHECK_DEADLOCK)")
		label = ""
	}
	if j.AsksNothing() {
		p.Item("", "nothing was asked: this run counts states, and decides nothing")
	}
	if len(j.Bound.Deferred) > 0 {
		p.Item("", "* a violation is reported and does not end the search")
	}
	p.echoConstraints(j)
	p.Item("run", run)
	p.Printf("\n")
}

// rules prints the rules in force. A known defect that the report's version does not
// have is named only when it is switched on, or was by the specification.
func (p *Page) rules(s *job.Override) {
	var shown, on []results.Setting
	defects, off := 0, model.Rules{}
	settings := s.RuleSettings()
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
		p.Item("defects", fmt.Sprintf("none of the %d known ones is switched on (vsrcheck list rules)", defects))
	}
}

// settings prints one line for all settings with the specification's value, and one
// more for each that was overridden.
func (p *Page) settings(label string, all []results.Setting) {
	var parts []string
	for _, s := range all {
		part := s.Name + "=" + strings.ReplaceAll(s.Value, " ", "")
		if s.Instead != "" {
			part = p.Paint(StyleBold, part) + " (the spec says " + s.Instead + ")"
		}
		parts = append(parts, part)
	}
	p.Item(label, strings.Join(parts, ", "))
}

// RunText says how the run is done.
func RunText(o *job.Limits, j *job.Job, opt explore.Options) string {
	parts := []string{fmt.Sprintf("workers=%d", opt.Workers), "store=" + string(opt.Store), "reduce=" + job.ReductionOf(j.Model)}
	if opt.MaxStates != 0 {
		parts = append(parts, "at most "+results.Count(opt.MaxStates)+" states")
	}
	if opt.MaxDepth != 0 {
		parts = append(parts, fmt.Sprintf("at most %d steps", opt.MaxDepth))
	}
	if o.Timeout != 0 {
		parts = append(parts, "at most "+o.Timeout.String())
	}
	return strings.Join(append(parts, "memory limit "+o.MemoryLimit.Describe()), ", ")
}

// NewPage is an output in colour or not: always, never, or auto for a terminal's.
func NewPage(out io.Writer, color string) *Page {
	p := &Page{Writer: out, Width: DefaultWidth}
	width, terminal := terminalWidth(out)
	if terminal {
		p.Width = width
	}
	switch color {
	case "always":
		p.Color = true
	case "auto":
		p.Color = terminal && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	}
	return p
}

// OnlyVerdict is an output as NewPage has it, of which but the last line is dropped.
func OnlyVerdict(out io.Writer, color string) *Page {
	p := NewPage(out, color)
	p.Writer, p.Verdicts = io.Discard, p.Writer
	return p
}

// DefaultWidth is the width of lines that do not go to a terminal.
const DefaultWidth = 100
