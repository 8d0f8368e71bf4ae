package results

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Trace is a violating behaviour in the words of its model, ready to be printed.
type Trace struct {
	Property string
	Kind     string
	Summary  string // what the property says, in one line

	// Steps begins with the initial state, which no action led to.
	Steps []TraceStep
	// LoopStart is the index of the step to whose state the last step returns, or -1.
	LoopStart int
	// Forever says that the last state never changes again although the property
	// still waits for something.
	Forever bool
	// Final is the last state as a table.
	Final string
	// Explanation says why nothing can happen any more; "" when that is not the point.
	Explanation string
}

// TraceStep is one step of a trace.
type TraceStep struct {
	Action  string
	Changes []string // only what the step changed
	State   string   // the state after the step as a table
}

// States says how much of each state a trace shows.
type States string

// The amounts.
const (
	StatesDiff States = "diff" // what each step changed, and the last state
	StatesFull States = "full" // every state
	StatesNone States = "none" // actions only, and the last state
)

// TextOptions are the choices of WriteText.
type TextOptions struct {
	States States // "" means StatesDiff
	Width  int    // longer lines are broken; 0 means never
	Color  bool
}

// WriteText prints a trace for people: one block for each step, with its number, the
// action and what it changed.
func (t *Trace) WriteText(out io.Writer, opt TextOptions) error {
	w := &textWriter{Writer: bufio.NewWriter(out), opt: opt}
	steps := len(t.Steps) - 1
	w.line("", w.paint(bold, fmt.Sprintf("trace of %s (%s), %s", t.Property, t.Kind, plural(steps, "step"))))
	if t.Summary != "" {
		w.wrapped("  ", "  ", t.Summary)
	}
	w.line("", "")
	digits := len(fmt.Sprint(steps))
	for i, s := range t.Steps {
		label := fmt.Sprintf("%*d  ", digits+1, i)
		indent := strings.Repeat(" ", len(label))
		if i == 0 {
			w.line("", w.paint(bold, label+"the initial state"))
		} else {
			w.emphasised(label, indent, s.Action)
		}
		if opt.States != StatesFull && opt.States != StatesNone {
			for _, c := range s.Changes {
				w.wrapped(indent+"  ", indent+"      ", c)
			}
		}
		if opt.States == StatesFull && i < steps {
			w.block(indent, s.State)
		}
		if i == t.LoopStart && i < steps {
			w.line(indent, w.paint(bold, "from here the rest repeats for ever"))
		}
	}
	switch {
	case t.LoopStart >= 0:
		w.line("", fmt.Sprintf("and so back to the state after step %d", t.LoopStart))
	case t.Forever:
		w.line("", "and so it stays for ever: no step that has to happen can change anything")
	}
	if t.Final != "" {
		w.line("", "")
		w.line("", w.paint(bold, fmt.Sprintf("the state after step %d", steps)))
		w.block("  ", t.Final)
	}
	if t.Explanation != "" {
		w.line("", "")
		w.line("", w.paint(bold, "why nothing helps any more"))
		w.block("  ", t.Explanation)
	}
	if w.err != nil {
		return fmt.Errorf("write trace: %w", w.err)
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("write trace: %w", err)
	}
	return nil
}

const bold = "1"

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

// block writes lines that must not be broken: a table.
func (w *textWriter) block(indent, text string) {
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		w.line(indent, strings.TrimRight(line, " "))
	}
}

func (w *textWriter) wrapped(first, rest, text string) {
	for _, line := range Wrap(first, rest, text, w.opt.Width) {
		w.line("", line)
	}
}

func (w *textWriter) emphasised(first, rest, text string) {
	for _, line := range Wrap(first, rest, text, w.opt.Width) {
		w.line("", w.paint(bold, line))
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

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}
