package trace

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vsrcheck/results/internal/resultstest"
)

// TestListedActions takes actions out of what may stand around them.
func TestListedActions(t *testing.T) {
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
		got, err := listedActions(c.text, "f")
		var words []string
		for _, a := range got {
			words = append(words, strings.TrimPrefix(a.Place, "f:")+" "+a.Text)
		}
		if joined := strings.Join(words, "|"); err != nil || joined != c.want {
			t.Errorf("%s: got %s, %v, want %s", c.name, joined, err, c.want)
		}
	}
	for _, c := range []struct{ text, want string }{
		{"Request(replica 0)\nrequest", `invalid trace: f:2: got "request", want an action such as Request(replica 0)`},
		{"Request(replica 0", `invalid trace: f:1: got "Request(replica 0", want an action such as Request(replica 0)`},
		{"trace of P\n 1  Request(replica\n", `invalid trace: f:2: got "Request(replica", which does not end, want the whole action`},
	} {
		if _, err := listedActions(c.text, "f"); !errors.Is(err, ErrTrace) || err.Error() != c.want {
			t.Errorf("%q: got %v, want %s", c.text, err, c.want)
		}
	}
}

// FuzzReadActions: what was read can be written as a list and read again.
func FuzzReadActions(f *testing.F) {
	for _, seed := range []string{"", "Request(replica 0)", "trace of x\n  0  the initial state\n  1  A(b,\n c)\n", "1 A(", "# x\nB()"} {
		f.Add(seed)
	}
	texts := func(list []ActionText) (out []string) {
		for _, a := range list {
			out = append(out, a.Text)
		}
		return out
	}
	f.Fuzz(func(t *testing.T, text string) {
		list, err := listedActions(text, "f")
		if err != nil {
			return
		}
		again, err := listedActions(strings.Join(texts(list), "\n"), "f")
		if err != nil || !slices.Equal(texts(again), texts(list)) {
			t.Fatalf("%q: got %q and then %q, %v", text, texts(list), texts(again), err)
		}
	})
}

// TestReadActionsFile: a trace has the same actions in every form that can be read.
func TestReadActionsFile(t *testing.T) {
	dir := t.TempDir()
	trace := sampleTrace(t, false)
	put := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	record, err := resultstest.Sample().Write()
	if err != nil {
		t.Fatal(err)
	}
	const actions = "Request(replica 0)|Receive(replica 1, M{op 1})"
	for _, c := range []struct {
		path, want, place string
	}{
		{put("t.json", written(t, "json", trace)), actions, ": step 2"},
		{put("t.itf.json", written(t, "itf", trace)), actions, ": step 2"},
		{put("t.txt", written(t, "text", trace)), actions, ":8"},
		{put("record.json", record), "a|b", ": step 2"},
		{put("list", []byte("Request(replica 0)\r\n\r\nReceive(replica 1,  M{op 1})\r\n")), actions, ":3"},
	} {
		got, err := ReadActionsFile(c.path, trace.Variables)
		if err != nil {
			t.Errorf("%s: %v", c.path, err)
			continue
		}
		var texts []string
		for _, a := range got {
			texts = append(texts, a.Text)
		}
		if joined := strings.Join(texts, "|"); joined != c.want || got[len(got)-1].Place != c.path+c.place {
			t.Errorf("%s: got %s, the last at %s, want %s at %s", c.path, joined, got[len(got)-1].Place, c.want, c.place)
		}
	}
	trace.Steps[1].Action = ""
	for _, c := range []struct{ path, want string }{
		{filepath.Join(dir, "none"), "no such file"},
		{dir, "is a folder"},
		{put("bad.json", []byte("{")), "line 1, column 1: the file ends"},
		{put("nameless.itf.json", written(t, "itf", trace)), "step 1: got no name of an action, want one"},
	} {
		if _, err := ReadActionsFile(c.path, trace.Variables); !errors.Is(err, ErrTrace) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want ErrTrace with %s", c.path, err, c.want)
		}
	}
}
