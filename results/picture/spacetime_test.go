package picture

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vsrcheck/results/internal/resultstest"
)

// small is a hand-made diagram with a message of every fate.
func small() *SpaceTime {
	state := func(head, commit int, hole bool) LaneState {
		s := LaneState{Role: "Backup", Head: head, CommitMax: commit, CommitMin: commit, Log: make([]Cell, 2)}
		for i := range head {
			s.Log[i].Body = strconv.Itoa(i+1) + "@v0"
		}
		if hole {
			s.Log[0] = Cell{Hole: true}
		}
		return s
	}
	primary := func(head, commit int) LaneState {
		s := state(head, commit, false)
		s.Role = "Primary"
		return s
	}
	t := &SpaceTime{
		Spec: "small", Property: "Some\"thing", LoopStart: -1, Forever: true, Lanes: []string{"replica 0", "replica 1"},
		Moments: []Moment{
			{Lane: -1, Message: -1, Replicas: []LaneState{primary(0, 0), state(0, 0, false)}},
			{Lane: 0, Message: -1, Kind: "Request", Action: "Request(replica 0)", Label: "Request", Replicas: []LaneState{primary(1, 0), state(0, 0, false)}},
			{Lane: 1, Message: 0, Kind: "ReceivePrepare", Action: "a; b", Label: "Prepare 1@v0", Replicas: []LaneState{primary(1, 0), state(1, 0, false)}},
			{Lane: 0, Message: 2, Kind: "Drop", Action: "Drop(x)", Label: "PrepareOk 1@v0", Lost: true, Replicas: []LaneState{primary(1, 0), state(1, 0, false)}},
			{Lane: 1, Message: -1, Kind: "CrashRestart", Action: "CrashRestart(replica 1)", Label: "CrashRestart", Replicas: []LaneState{primary(1, 0), state(1, 0, true)}},
			{Lane: 1, Message: 4, Kind: "ReceiveCommit", Action: "ReceiveCommit", Label: "Commit 1", Refused: "a <guard>; \"says\" #1", Replicas: []LaneState{primary(1, 1), state(1, 0, true)},
				InFlight: []InFlight{{Message: 1, Would: Refused, Reason: "not head + 1"}, {Message: 5, Would: Taken}}},
		},
		Messages: []Message{
			{Kind: "Prepare", Label: "Prepare 1@v0", From: 0, To: 1, Sent: 1, Deliveries: []Delivery{{Moment: 2, Verdict: Taken}}},
			{Kind: "Prepare", Label: "Prepare 1@v0", From: 0, To: 1, Sent: 1},
			{Kind: "PrepareOk", Label: "PrepareOk 1@v0", From: 1, To: 0, Sent: 2, Gone: 3},
			{Kind: "PrepareOk", Label: "PrepareOk 1@v0", From: 1, To: 0, Sent: 2, Gone: 4},
			{Kind: "Commit", Label: "Commit 1", From: 0, To: 1, Sent: 4, Deliveries: []Delivery{{Moment: 5, Verdict: TakenPartly}}},
			{Kind: "Commit", Label: "Commit 2", From: 0, To: 1, Sent: 5},
		},
	}
	t.Finish()
	return t
}

// TestFinish derives the fates and the marks.
func TestFinish(t *testing.T) {
	d := small()
	want := []Fate{Delivered, Rejected, Lost, Obsolete, Delivered, Flying}
	for i, m := range d.Messages {
		if m.Fate != want[i] {
			t.Errorf("message %d: got fate %q, want %q", i, m.Fate, want[i])
		}
	}
	if got := d.Messages[1].Reason; got != "not head + 1" {
		t.Errorf("reason: got %q, want the guard's words", got)
	}
	marks := map[MarkKind]string{}
	for _, m := range d.Moments {
		for _, mark := range m.Marks {
			marks[mark.Kind] = mark.Text
		}
	}
	for kind, text := range map[MarkKind]string{
		MarkCrash: "crashes and restarts", MarkHole: "claims op 1 without the body", MarkCommit: "commits op 1",
	} {
		if marks[kind] != text {
			t.Errorf("mark %s: got %q, want %q", kind, marks[kind], text)
		}
	}
}

// TestPictures compares the pictures of the small diagram with the recorded ones.
func TestPictures(t *testing.T) {
	d := small()
	for name, write := range map[string]func(io.Writer) error{
		"small.mmd": d.WriteMermaid, "small.dot": d.WriteDot, "small.log": d.WriteShiViz,
	} {
		var got bytes.Buffer
		if err := write(&got); err != nil {
			t.Fatal(err)
		}
		path := "testdata/" + name
		if resultstest.Update() {
			if err := os.WriteFile(path, got.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got.String() != string(want) {
			t.Errorf("%s: got\n%s\nwant\n%s\nVSRCHECK_UPDATE=1 go test ./results/picture -run TestPictures rewrites it", name, &got, want)
		}
	}
}

// TestShiVizClocks reads a log back and holds its clocks to the rules of vector clocks.
func TestShiVizClocks(t *testing.T) {
	d := small()
	var log bytes.Buffer
	if err := d.WriteShiViz(&log); err != nil {
		t.Fatal(err)
	}
	pattern, rest, _ := strings.Cut(log.String(), "\n")
	if !strings.HasPrefix(rest, "\n") {
		t.Errorf("the second line is not empty: %q", rest)
	}
	re := regexp.MustCompile(pattern)
	events := re.FindAllStringSubmatch(rest, -1)
	if want := strings.Count(rest, "\n") - 1; len(events) != want {
		t.Fatalf("the pattern finds %d events, want %d", len(events), want)
	}
	last := map[string]map[string]int{}
	for _, e := range events {
		host, clock := e[re.SubexpIndex("host")], map[string]int{}
		if err := json.Unmarshal([]byte(e[re.SubexpIndex("clock")]), &clock); err != nil {
			t.Fatal(err)
		}
		if got, want := clock[host], last[host][host]+1; got != want {
			t.Errorf("%s: own component %d, want %d", e[0], got, want)
		}
		for other, n := range last[host] {
			if clock[other] < n {
				t.Errorf("%s: %s goes back from %d", e[0], other, n)
			}
		}
		for other, n := range clock {
			if n > last[other][other] && other != host {
				t.Errorf("%s: knows event %d of %s, which has had %d", e[0], n, other, last[other][other])
			}
		}
		last[host] = clock
	}
}

// TestPicturesQuote feeds texts that would end a statement or a string.
func TestPicturesQuote(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		if m := mermaidText(text); strings.ContainsAny(m, "\n<>%") || strings.Count(m, ";") != strings.Count(m, "#") {
			t.Errorf("mermaid: %q became %q", text, m)
		}
		d := dotText(text)
		body := strings.NewReplacer(`\\`, "", `\"`, "").Replace(d[1 : len(d)-1])
		if strings.ContainsAny(body, "\"\n") || strings.HasSuffix(body, `\`) {
			t.Errorf("dot: %q became %s", text, d)
		}
	})
}

// TestHTMLHoldsItsData reads the data back from a page whose texts try to get out.
func TestHTMLHoldsItsData(t *testing.T) {
	d := small()
	d.Spec = "</script><script>{{script}}<!--"
	var page bytes.Buffer
	if err := d.WriteHTML(&page); err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(page.String(), `id="diagram">`)
	data, _, _ := strings.Cut(rest, "</script>")
	var back SpaceTime
	if err := json.Unmarshal([]byte(data), &back); err != nil {
		t.Fatal(err)
	}
	if back.Spec != d.Spec || len(back.Moments) != len(d.Moments) {
		t.Errorf("got %q with %d moments back, want %q with %d", back.Spec, len(back.Moments), d.Spec, len(d.Moments))
	}
	if got := strings.Count(page.String(), "<script"); got != 2 {
		t.Errorf("the page has %d script elements, want 2", got)
	}
}
