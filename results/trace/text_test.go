package trace

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestWriteText(t *testing.T) {
	trace := &Trace{
		Property: "P", Kind: "liveness", Summary: "ops commit", LoopStart: -1, Forever: true,
		Steps: []Step{
			{State: "s0"},
			{Action: "Request(0): prepares op 1", Notes: []string{"it is decisive"}, Changes: []string{"replica 0 head: 0 -> 1"}, State: "s1"},
			{Action: "Stop(2)", Changes: []string{"replica 2 status: normal -> stopped, and so on and so on"}, State: "s2"},
		},
		Final: "a  b  \n1  2\n", Explanation: "Because.", Decisive: []string{"Because"},
	}
	text := func(opt TextOptions) string {
		var out strings.Builder
		if err := trace.WriteText(&out, opt); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	want := `trace of P (liveness), 2 steps
  ops commit

 0  the initial state
 1  Request(0): prepares op 1
      it is decisive
      replica 0 head: 0 -> 1
 2  Stop(2)
      replica 2 status: normal -> stopped, and
          so on and so on
and so it stays for ever: no step that has to
  happen can change anything

the state after step 2
  a  b
  1  2

why nothing helps any more
  Because.
`
	if got := text(TextOptions{Width: 46}); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := text(TextOptions{States: StatesNone}); strings.Contains(got, "head: 0") || !strings.Contains(got, "  a  b\n") {
		t.Errorf("without states:\n%s", got)
	}
	if got := text(TextOptions{States: StatesFull}); !strings.Contains(got, "\n    s0\n 1  Request") || strings.Contains(got, "head: 0") ||
		!strings.Contains(got, "\n      it is decisive\n    s1\n") {
		t.Errorf("with full states:\n%s", got)
	}
	if got := text(TextOptions{Color: true}); !strings.Contains(got, "\x1b[1m 2  Stop(2)\x1b[0m\n") ||
		!strings.Contains(got, "\x1b[1;33m      it is decisive\x1b[0m\n") || !strings.Contains(got, "  \x1b[1;33mBecause\x1b[0m.") {
		t.Errorf("with colour:\n%q", got)
	}
	narrow := *trace
	narrow.Final = "replica 0: a line that is longer than forty characters"
	var out strings.Builder
	if err := narrow.WriteText(&out, TextOptions{Width: 40}); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); !strings.Contains(got, "\n  replica 0: a line that is longer than\n    forty characters\n") {
		t.Errorf("in 40 columns:\n%s", got)
	}
	trace.LoopStart, trace.Forever = 1, false
	if got := text(TextOptions{}); !strings.Contains(got, "0 -> 1\nfrom here the rest repeats for ever") &&
		!strings.Contains(got, "    from here the rest repeats for ever\n 2  Stop(2)") || !strings.Contains(got, "back to the state after step 1\n") {
		t.Errorf("a lasso:\n%s", got)
	}
	if err := trace.WriteText(failingWriter{}, TextOptions{}); err == nil {
		t.Error("an error of the writer was lost")
	}
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errors.New("full") }

// TestTableNowAndThen: a long trace shows where its steps have led, unless the end is near.
func TestTableNowAndThen(t *testing.T) {
	trace := &Trace{LoopStart: -1}
	for i := range 25 {
		trace.Steps = append(trace.Steps, Step{Action: "step", State: fmt.Sprintf("table %d\nlegend\n\nmessages\n", i)})
	}
	for states, want := range map[States]string{StatesDiff: "[10]", StatesNone: "[]"} {
		var out strings.Builder
		if err := trace.WriteText(&out, TextOptions{States: states, Width: 80}); err != nil {
			t.Fatal(err)
		}
		var at []int
		for line := range strings.Lines(out.String()) {
			var n int
			if _, err := fmt.Sscanf(line, " table %d", &n); err == nil {
				at = append(at, n)
			}
		}
		if got := fmt.Sprint(at); got != want || strings.Contains(out.String(), "messages") {
			t.Errorf("%s: tables after %s, want %s:\n%s", states, got, want, out.String())
		}
	}
}
