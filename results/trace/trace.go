// Package trace holds the trace of a violation and its formats.
//
// A [Trace] is one value for all its [Formats]: the words of the model for people, and the states
// as named variables with values for tools. [Read] reads the two formats that can be replayed,
// and [ReadActionsFile] the bare actions of those and of printed text. formats.md describes the
// formats, schema/ has the JSON schemas, and runs/traces/ recorded traces that a test replays.
package trace

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"vsrcheck/results"
)

// Trace is a violating behaviour with everything that a reader needs to understand or
// to repeat it: what was checked, each step in the words of its model, and each state
// as values. Every format is written from it, and [Read] gives it back.
type Trace struct {
	// What was checked, and with what.
	Spec        string // name of the specification
	Path        string // of its file
	Program     results.Build
	Config      []results.Setting
	Rules       []Rule
	Reduction   string // what was left out of the space, such as "eager,faults"; "none" if nothing was
	Properties  []results.Property
	Constraints []string

	// What was violated.
	Property string
	Kind     string
	Summary  string // what the property says, in one line

	// Title is the first line of the text, or "" for what was violated and after how
	// many steps.
	Title string

	// Variables are the names and the types of what makes up a state.
	Variables []Variable
	// Steps begins with the initial state, which no action led to.
	Steps []Step
	// LoopStart is the index of the step to whose state the last step returns, or -1.
	LoopStart int
	// Forever says that the last state never changes again although the property
	// still waits for something.
	Forever bool
	// Final is the last state as a table.
	Final string
	// Conclusion says in one sentence what is wrong in the end; "" when nobody can tell.
	Conclusion string
	// Explanation says why nothing can happen any more; "" when that is not the point.
	Explanation string
	// Decisive are the words of Final, Explanation and the steps' states that show what
	// is wrong. Text with colours makes them stand out.
	Decisive []string
}

// Rule is the setting of a rule, with all that could be chosen.
type Rule struct {
	results.Setting
	Alternatives []string `json:"alternatives"`
}

// Step is one step of a trace.
type Step struct {
	Action  string   // in the protocol's words, in a form that can be read back
	Kind    string   // of the action
	Fair    bool     // the action may not stay possible for ever without being taken
	Actor   int      // the replica that takes it
	Message Rec      // what it delivers or loses: its name, sender, receiver and numbers; nil for a local step
	Notes   []string // what was decisive about it
	Changes []string // only what the step changed
	State   string   // the state after the step as a table
	Values  []Value  // the state after the step, in the order of Trace.Variables; nil when it is not recorded
}

// States says how much of each state a trace shows.
type States string

// The amounts.
const (
	StatesDiff States = "diff" // what each step changed, and the last state
	StatesFull States = "full" // every state
	StatesNone States = "none" // actions only, and the last state
)

// tableEvery is after how many steps a text that shows changes shows where they have led:
// the first paragraph of the state, when the end is not near.
const tableEvery = 10

// TextOptions are the choices of WriteText.
type TextOptions struct {
	States States // "" means StatesDiff
	Width  int    // longer lines are broken; 0 means never
	Color  bool
	// Above is a trace that the reader has just seen, or nil. The steps that both begin with
	// are not printed again.
	Above *Trace
}

// shared is how many steps after the initial state two traces begin with, 0 if that is not
// worth a word.
func (t *Trace) shared(above *Trace) int {
	if above == nil {
		return 0
	}
	n := 0
	for n < min(len(t.Steps), len(above.Steps)) && t.Steps[n].Action == above.Steps[n].Action && t.Steps[n].State == above.Steps[n].State {
		n++
	}
	if n < 4 {
		return 0
	}
	return n - 1
}

// WriteText prints a trace for people: one block for each step, with its number, the
// action and what it changed.
func (t *Trace) WriteText(out io.Writer, opt TextOptions) error {
	w := &textWriter{Writer: bufio.NewWriter(out), opt: opt}
	steps := len(t.Steps) - 1
	title := t.Title
	if title == "" {
		title = fmt.Sprintf("trace of %s (%s), %s", t.Property, t.Kind, results.Plural(steps, "step"))
	}
	w.styled(bold, "", "  ", title)
	if t.Summary != "" {
		w.wrapped("  ", "  ", t.Summary)
	}
	if t.Conclusion != "" {
		w.styled(decisive, "  ", "  ", t.Conclusion)
	}
	w.line("", "")
	digits := len(fmt.Sprint(steps))
	shared := t.shared(opt.Above)
	if shared > 0 {
		w.wrapped("  ", "  ", fmt.Sprintf("steps 1 to %d are those of the trace of %s above", shared, opt.Above.Property))
	}
	for i, s := range t.Steps {
		if shared > 0 && i <= shared && i != t.LoopStart {
			continue
		}
		label := fmt.Sprintf("%*d  ", digits+1, i)
		indent := strings.Repeat(" ", len(label))
		if i == 0 {
			w.line("", w.paint(bold, label+"the initial state"))
		} else {
			w.styled(bold, label, indent, s.Action)
		}
		if opt.States != StatesNone {
			for _, n := range s.Notes {
				w.styled(decisive, indent+"  ", indent+"      ", n)
			}
		}
		if opt.States != StatesFull && opt.States != StatesNone {
			for _, c := range s.Changes {
				w.wrapped(indent+"  ", indent+"      ", c)
			}
		}
		if opt.States == StatesFull && i < steps {
			w.block(indent, s.State, t.Decisive)
		}
		if opt.States != StatesFull && opt.States != StatesNone && i > 0 && i%tableEvery == 0 && steps-i >= tableEvery/2 {
			table, _, _ := strings.Cut(s.State, "\n\n")
			w.block(indent+"  ", strings.TrimSuffix(table, "\n"), t.Decisive)
		}
		if i == t.LoopStart && i < steps {
			w.styled(bold, indent, indent, "from here the rest repeats for ever")
		}
	}
	switch {
	case t.LoopStart >= 0:
		w.wrapped("", "  ", fmt.Sprintf("and so back to the state after step %d", t.LoopStart))
	case t.Forever:
		w.wrapped("", "  ", "and so it stays for ever: no step that has to happen can change anything")
	}
	if t.Final != "" {
		w.line("", "")
		w.line("", w.paint(bold, fmt.Sprintf("the state after step %d", steps)))
		w.block("  ", t.Final, t.Decisive)
	}
	if t.Explanation != "" {
		w.line("", "")
		w.line("", w.paint(bold, "why nothing helps any more"))
		w.block("  ", t.Explanation, t.Decisive)
	}
	if w.err != nil {
		return fmt.Errorf("write trace: %w", w.err)
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("write trace: %w", err)
	}
	return nil
}

// The ANSI styles of a trace.
const (
	bold     = "1"
	decisive = "1;33" // what explains the violation
)

// textWriter writes lines and keeps the first error.
type textWriter struct {
	*bufio.Writer
	opt TextOptions
	err error
}

func (w *textWriter) paint(code, text string) string {
	if !w.opt.Color || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (w *textWriter) line(indent, text string) {
	if text == "" {
		indent = ""
	}
	if _, err := w.WriteString(indent + text + "\n"); err != nil && w.err == nil {
		w.err = err
	}
}

// block writes the lines of a table or an explanation, and makes the decisive words
// stand out. A line that is too long all the same is broken below its own indentation.
func (w *textWriter) block(indent, text string, words []string) {
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		line = strings.TrimRight(line, " ")
		lines := []string{line}
		if w.opt.Width > 0 && visible(indent+line) > w.opt.Width {
			own := line[:len(line)-len(strings.TrimLeft(line, " "))]
			lines = Wrap(own, own+"  ", strings.TrimLeft(line, " "), w.opt.Width-len(indent))
		}
		for _, l := range lines {
			for _, word := range words {
				l = strings.ReplaceAll(l, word, w.paint(decisive, word))
			}
			w.line(indent, l)
		}
	}
}

func (w *textWriter) wrapped(first, rest, text string) {
	for _, line := range Wrap(first, rest, text, w.opt.Width) {
		w.line("", line)
	}
}

// styled is wrapped in an ANSI style.
func (w *textWriter) styled(style, first, rest, text string) {
	for _, line := range Wrap(first, rest, text, w.opt.Width) {
		w.line("", w.paint(style, line))
	}
}

// Wrap breaks a text at spaces so that its lines fit the width where they can. A
// width too small for a sensible line counts as none.
func Wrap(first, rest, text string, width int) []string {
	if width <= len(rest)+20 || visible(first+text) <= width && !strings.Contains(text, "\n") {
		return []string{first + text}
	}
	var lines []string
	line, begun := first, false
	for word := range strings.FieldsSeq(text) {
		if begun && visible(line)+1+visible(word) > width {
			lines = append(lines, line)
			line, begun = rest, false
		}
		if begun {
			line += " "
		}
		line += word
		begun = true
	}
	return append(lines, line)
}

// visible is the number of characters that a terminal shows of a text: those outside
// of ANSI styles.
func visible(text string) int {
	n := utf8.RuneCountInString(text)
	for {
		start := strings.Index(text, "\x1b[")
		if start < 0 {
			return n
		}
		text = text[start:]
		end := strings.IndexByte(text, 'm')
		if end < 0 {
			return n
		}
		n -= end + 1
		text = text[end+1:]
	}
}
