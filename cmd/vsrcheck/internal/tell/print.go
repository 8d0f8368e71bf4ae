package tell

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"vsrcheck/specs"
)

// Printf prints what cannot fail in a way that matters here: run looks at the first
// error of standard output itself.
//
// A terminal would obey the control characters that a name may have: they are written out.
func Printf(w io.Writer, format string, args ...any) {
	_, _ = io.WriteString(w, printable(fmt.Sprintf(format, args...)))
}

// printable is a text of several lines without control characters.
func printable(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && (r == utf8.RuneError || !unicode.IsGraphic(r)) }) {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = specs.Printable(line)
	}
	return strings.Join(lines, "\n")
}
