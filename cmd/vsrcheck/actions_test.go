package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestParseActions takes actions out of what may stand around them.
func TestParseActions(t *testing.T) {
	const printed = `spec        x
trace of P (liveness), 2 steps

  0  the initial state
  1  Request(replica 0)
       replica 0: head 0 -> 1
     replica role
     0       Primary 0
  2  ReceiveAnswer(replica 2, StartView{view 0, op 2,
     commit 1} without suffix)
       Noise(not an action)
and so it stays for ever

the state after step 2
  3  Request(replica 0)

trace of Q (liveness), 1 step
  1  Stop(replica 1)
`
	for _, c := range []struct{ name, text, want string }{
		{"printed", printed, "5 Request(replica 0)|9 ReceiveAnswer(replica 2, StartView{view 0, op 2, commit 1} without suffix)"},
		{"by hand", "# why\n\n 1  Request(replica 0)\nStop(replica  1)\n", "3 Request(replica 0)|4 Stop(replica 1)"},
		{"empty", "", ""},
		{"no steps", "trace of P (invariant), 0 steps\n  0  the initial state\n", ""},
	} {
		got, err := parseActions(strings.NewReader(c.text), c.name)
		var words []string
		for _, a := range got {
			words = append(words, fmt.Sprint(a.line, " ", a.text))
		}
		if joined := strings.Join(words, "|"); err != nil || joined != c.want {
			t.Errorf("%s: got %s, %v, want %s", c.name, joined, err, c.want)
		}
	}
	for _, c := range []struct{ text, want string }{
		{"Request(replica 0)\nrequest", `f:2: got "request", want an action such as Request(replica 0)`},
		{"Request(replica 0", `f:1: got "Request(replica 0", want an action such as Request(replica 0)`},
		{"trace of P\n 1  Request(replica\n", `f:2: got "Request(replica", which does not end, want the whole action`},
	} {
		if _, err := parseActions(strings.NewReader(c.text), "f"); err == nil || err.Error() != c.want {
			t.Errorf("%q: got %v, want %s", c.text, err, c.want)
		}
	}
}

// FuzzParseActions: what was read can be written as a list and read again.
func FuzzParseActions(f *testing.F) {
	for _, seed := range []string{"", "Request(replica 0)", "trace of x\n  0  the initial state\n  1  A(b,\n c)\n", "1 A(", "# x\nB()"} {
		f.Add(seed)
	}
	texts := func(list []actionLine) (out []string) {
		for _, a := range list {
			out = append(out, a.text)
		}
		return out
	}
	f.Fuzz(func(t *testing.T, text string) {
		list, err := parseActions(strings.NewReader(text), "f")
		if err != nil {
			return
		}
		again, err := parseActions(strings.NewReader(strings.Join(texts(list), "\n")), "f")
		if err != nil || !slices.Equal(texts(again), texts(list)) {
			t.Fatalf("%q: got %q and then %q, %v", text, texts(list), texts(again), err)
		}
	})
}
