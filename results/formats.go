package results

import (
	"bytes"
	"fmt"
	"io"
)

// Format is one way to write a trace. formats.md describes each.
type Format struct {
	Name    string
	Summary string
	// Write writes the whole trace. It must not depend on anything but its arguments, so
	// that a trace gives the same file on every run.
	Write func(out io.Writer, t *Trace, opt WriteOptions) error
}

// WriteOptions are the choices of a writer. Most formats need none of them.
type WriteOptions struct {
	TextOptions
	// File is the name of the file that is written, for formats that repeat it inside.
	File string
}

// Formats lists the formats in which a trace can be written, in the order of the help.
// A new format is one more entry here.
func Formats() []Format {
	return []Format{
		{"text", "as on the terminal: each step, what was decisive about it and what changed", writeText},
		{"json", "everything, in a schema of its own; vsrcheck replay reads it", writeJSON},
		{"itf", "Apalache's Informal Trace Format (.itf.json), for its tools and libraries; vsrcheck replay reads it", writeITF},
		{"tla", "a TLA+ module whose only behaviour is the trace, for TLC", writeTLA},
		{"tlc", "what TLC prints on its terminal", writeTLC},
		{"tlc-tool", "what TLC prints for other tools (.out): the TLA+ extension of VS Code shows it", writeTLCTool},
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

func writeText(out io.Writer, t *Trace, opt WriteOptions) error {
	opt.Color = false // a file is no terminal
	return t.WriteText(out, opt.TextOptions)
}
