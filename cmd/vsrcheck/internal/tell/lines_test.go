package tell

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"
)

// TestLineEditor presses keys as a person at a terminal does: arrows bring earlier lines back,
// Ctrl-C interrupts and Ctrl-D ends, and between lines the terminal is as it was.
func TestLineEditor(t *testing.T) {
	for _, test := range []struct {
		keys string
		want []string
		end  error
	}{
		{"enabled\r\x1b[A\r\x1b[A\x1b[A\r\x04", []string{"enabled", "enabled", "enabled"}, io.EOF},
		{"1\rback\r\x1b[A\x1b[A\r\x1b[A\x1b[A\x1b[B\r\x03", []string{"1", "back", "1", "1"}, ErrCtrlC},
		{"tracf\x7fe\r\x1b[D", []string{"trace"}, io.EOF},
	} {
		var out bytes.Buffer
		raw := 0
		l := newLineEditor(strings.NewReader(test.keys), &out, func() func() { raw++; return func() { raw-- } })
		var got []string
		var err error
		for err == nil {
			var line string
			if line, err = l.Next(); err == nil {
				got = append(got, line)
			}
			if raw != 0 {
				t.Errorf("%q: the terminal is not as it was", test.keys)
			}
		}
		if !slices.Equal(got, test.want) || err != test.end {
			t.Errorf("%q: got %q, %v, want %q, %v", test.keys, got, err, test.want, test.end)
		}
		if !strings.Contains(out.String(), "> ") {
			t.Errorf("%q: there is no prompt: %q", test.keys, out.String())
		}
	}
}
