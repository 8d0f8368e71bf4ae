package picture

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"vsrcheck/results"
)

// WriteMermaid writes the diagram as a sequence diagram in Mermaid's language, which
// many renderers of Markdown draw. Mermaid has no time between sending and arriving:
// an arrow stands where the message arrives.
func (t *SpaceTime) WriteMermaid(out io.Writer) error {
	w := &lineWriter{Writer: bufio.NewWriter(out)}
	w.line("%%%% %s", oneLine(t.title()))
	w.line("sequenceDiagram")
	for i, lane := range t.Lanes {
		w.line("    participant r%d as %s", i, mermaidText(lane))
	}
	for i := 1; i < len(t.Moments); i++ {
		t.mermaidStep(w, i)
	}
	last := len(t.Lanes) - 1
	across := fmt.Sprintf("r0,r%d", last)
	if last == 0 {
		across = "r0"
	}
	switch {
	case t.LoopStart >= 0:
		w.line("    Note over %s: and so back to the state after step %d", across, t.LoopStart)
	case t.Forever:
		w.line("    Note over %s: and so it stays for ever", across)
	}
	for _, msg := range t.Messages {
		if msg.Fate == Rejected {
			w.line("    r%d--xr%d: in flight: %s", msg.From, msg.To, mermaidText(msg.Label))
			w.line("    Note over r%d: refused: %s", msg.To, mermaidText(msg.Reason))
		}
	}
	return w.end("mermaid")
}

// mermaidStep writes one step: an arrow for a message, a note for anything else.
func (t *SpaceTime) mermaidStep(w *lineWriter, i int) {
	m := &t.Moments[i]
	var notes []string
	if m.Message >= 0 {
		msg := &t.Messages[m.Message]
		arrow := "->>"
		if m.Lost {
			arrow = "--x"
		}
		w.line("    r%d%sr%d: %d. %s", msg.From, arrow, msg.To, i, mermaidText(m.Label))
		if m.Lost {
			notes = append(notes, "lost")
		}
	} else {
		notes = append(notes, fmt.Sprintf("%d. %s", i, m.Label))
	}
	if m.Refused != "" {
		notes = append(notes, "refused: "+m.Refused)
	}
	notes = append(notes, t.markTexts(i)...)
	if len(notes) > 0 {
		for k := range notes {
			notes[k] = mermaidText(notes[k])
		}
		w.line("    Note over r%d: %s", m.Lane, strings.Join(notes, "<br/>"))
	}
}

// mermaidText escapes what Mermaid reads as more than text.
func mermaidText(s string) string {
	return strings.NewReplacer("#", "#35;", ";", "#59;", "<", "#lt;", ">", "#gt;", "%", "#37;", "\n", " ").Replace(s)
}

// title is the diagram in one line.
func (t *SpaceTime) title() string {
	title := t.Spec
	if t.Property != "" {
		title += " violates " + t.Property
	}
	return title + ", " + results.Plural(len(t.Moments)-1, "step")
}

// oneLine keeps a text from ending a comment.
func oneLine(s string) string { return strings.NewReplacer("\n", " ", "\r", " ").Replace(s) }

// lineWriter writes lines; its buffer keeps the first error.
type lineWriter struct{ *bufio.Writer }

func (w *lineWriter) line(format string, args ...any) { _, _ = fmt.Fprintf(w, format+"\n", args...) }

// end flushes, and says what could not be written.
func (w *lineWriter) end(what string) error {
	if err := w.Flush(); err != nil {
		return fmt.Errorf("write %s: %w", what, err)
	}
	return nil
}
