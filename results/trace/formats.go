package trace

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"vsrcheck/results/picture"
)

// Format is one way to write a trace. formats.md describes each.
type Format struct {
	Name    string
	Summary string
	// Write writes the whole trace. It must not depend on anything but its arguments, so
	// that a trace gives the same file on every run.
	Write func(out io.Writer, t *Trace, opt WriteOptions) error
	// Drawn says that it is a picture: it needs [WriteOptions.Diagram].
	Drawn bool
}

// WriteOptions are the choices of a writer. Most formats need none of them.
type WriteOptions struct {
	TextOptions
	// File is the name of the file that is written, for formats that repeat it inside.
	File string
	// Diagram is the trace as a space-time diagram, which only the model can make; nil where
	// the format is not drawn.
	Diagram *picture.SpaceTime
}

// Formats lists the formats in which a trace can be written, in the order of the help.
// A new format is one more entry here.
func Formats() []Format {
	return []Format{
		{"text", "as on the terminal: each step, what was decisive about it and what changed", writeText, false},
		{"json", "everything, in a schema of its own; vsrcheck replay reads it", writeJSON, false},
		{"itf", "Apalache's Informal Trace Format (.itf.json), for its tools and libraries; vsrcheck replay reads it", writeITF, false},
		{"tla", "a TLA+ module whose only behaviour is the trace, for TLC", writeTLA, false},
		{"tlc", "what TLC prints on its terminal", writeTLC, false},
		{"tlc-tool", "what TLC prints for other tools (.out): the TLA+ extension of VS Code shows it", writeTLCTool, false},
		{"html", "a page with the space-time diagram to step through, in one file that needs no network", drawing((*picture.SpaceTime).WriteHTML), true},
		{"mermaid", "a sequence diagram in Mermaid's language (.mmd), which renderers of Markdown draw", drawing((*picture.SpaceTime).WriteMermaid), true},
		{"dot", "the space-time diagram for Graphviz", drawing((*picture.SpaceTime).WriteDot), true},
		{"shiviz", "a log with vector clocks for ShiViz; its first line is the expression that parses it", drawing((*picture.SpaceTime).WriteShiViz), true},
	}
}

// FormatNames are the names of the formats, in order.
func FormatNames() []string {
	var names []string
	for _, f := range Formats() {
		names = append(names, f.Name)
	}
	return names
}

// FindFormat is the format of a name.
func FindFormat(name string) (Format, bool) {
	for _, f := range Formats() {
		if f.Name == name {
			return f, true
		}
	}
	return Format{}, false
}

// Bytes is the trace in the format.
func (f Format) Bytes(t *Trace, opt WriteOptions) ([]byte, error) {
	var out bytes.Buffer
	if err := f.Write(&out, t, opt); err != nil {
		return nil, fmt.Errorf("write trace as %s: %w", f.Name, err)
	}
	return out.Bytes(), nil
}

// drawing is the writer of a format that is drawn from the space-time diagram.
func drawing(write func(*picture.SpaceTime, io.Writer) error) func(io.Writer, *Trace, WriteOptions) error {
	return func(out io.Writer, _ *Trace, opt WriteOptions) error {
		if opt.Diagram == nil {
			return errors.New("the trace has no diagram: only the model can draw one")
		}
		return write(opt.Diagram, out)
	}
}

func writeText(out io.Writer, t *Trace, opt WriteOptions) error {
	opt.Color = false // a file is no terminal
	return t.WriteText(out, opt.TextOptions)
}
