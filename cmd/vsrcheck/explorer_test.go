package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/cmd/vsrcheck/internal/jobtest"
	"vsrcheck/cmd/vsrcheck/internal/web"
	"vsrcheck/results/picture"
	"vsrcheck/results/trace"
)

// startExplorer serves a specification as the command does, until the test ends.
func startExplorer(t *testing.T, name string) *web.Explorer {
	t.Helper()
	j := jobtest.Shipped(t, name, false, job.ReduceEager)
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	e := web.New(j, listener.Addr().String(), defaultExploreStates)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- e.Serve(ctx, listener) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	return e
}

// post sends a request to the server; change may spoil it.
func post(t *testing.T, e *web.Explorer, path, body string, change func(r *http.Request)) (int, string) {
	t.Helper()
	r, err := http.NewRequest(http.MethodPost, e.Address()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if change != nil {
		change(r)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(data)
}

// TestExplorerRefuses tries what does not come from the page, and what is no walk.
func TestExplorerRefuses(t *testing.T) {
	e := startExplorer(t, "tiny-fetch-to-op-old")
	for _, c := range []struct {
		name, path, body string
		change           func(r *http.Request)
		status           int
		words            string
	}{
		{"another host", "walk", "{}", func(r *http.Request) { r.Host = "evil.example" }, http.StatusMisdirectedRequest, `got host \"evil.example\"`},
		{"localhost by name", "walk", "{}", func(r *http.Request) { r.Host = strings.Replace(e.Host, "127.0.0.1", "localhost", 1) }, http.StatusMisdirectedRequest, "want 127.0.0.1:"},
		{"another origin", "walk", "{}", func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") }, http.StatusForbidden, "got origin"},
		{"another site", "walk", "{}", func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }, http.StatusForbidden, "another site"},
		{"no token", "walk", "{}", func(r *http.Request) { r.URL.Path = "/walk" }, http.StatusForbidden, "token"},
		{"a wrong token", "walk", "{}", func(r *http.Request) { r.URL.Path = "/" + strings.Repeat("a", len(e.Token)) + "/walk" }, http.StatusForbidden, "token"},
		{"a form", "walk", "{}", func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }, http.StatusUnsupportedMediaType, "application/json"},
		{"a GET of what is posted", "walk", "{}", func(r *http.Request) { r.Method = http.MethodGet }, http.StatusMethodNotAllowed, "want POST"},
		{"no such thing", "wolk", "{}", nil, http.StatusNotFound, "wolk"},
		{"no JSON", "walk", "{", nil, http.StatusBadRequest, "got no walk"},
		{"an unknown field", "walk", `{"steps":[]}`, nil, http.StatusBadRequest, "steps"},
		{"no action", "walk", `{"actions":["Nonsense"]}`, nil, http.StatusUnprocessableEntity, "step 1"},
		{"an impossible step", "walk", `{"actions":["Request(replica 1)"]}`, nil, http.StatusUnprocessableEntity, "step 1, Request(replica 1), is not possible"},
		{"too long", "walk", `{"actions":[` + strings.Repeat(`"Request(replica 0)",`, web.MaxWalkSteps) + `"Stop(replica 0)"]}`, nil, http.StatusBadRequest, "want at most 2000"},
		{"an unknown format", "export", `{"actions":[],"format":"jpeg"}`, nil, http.StatusBadRequest, "jpeg"},
		{"no trace", "load", `{"a":1}`, nil, http.StatusUnprocessableEntity, "invalid trace"},
	} {
		status, body := post(t, e, c.path, c.body, c.change)
		if status != c.status || !strings.Contains(body, c.words) || !strings.Contains(body, `"error"`) {
			t.Errorf("%s: got %d %s, want %d and %q", c.name, status, body, c.status, c.words)
		}
	}
	if status, body := post(t, e, "walk", `{"actions":[]}`, nil); status != http.StatusOK {
		t.Errorf("a good request: got %d %s", status, body)
	}
	answer, err := http.Get(e.Address())
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	if got := answer.Header.Get("X-Frame-Options"); answer.StatusCode != http.StatusOK || got != "DENY" {
		t.Errorf("the page: got status %d and X-Frame-Options %q, want 200 and DENY", answer.StatusCode, got)
	}
}

// goneReader is a page that has gone: what is written to it is lost.
type goneReader struct {
	header  http.Header
	answers int
}

func (g *goneReader) Header() http.Header { return g.header }
func (g *goneReader) WriteHeader(int)     { g.answers++ }
func (g *goneReader) Write([]byte) (int, error) {
	g.answers = max(1, g.answers)
	return 0, io.ErrClosedPipe
}

// TestExplorerReaderGone: who has gone is not answered a second time.
func TestExplorerReaderGone(t *testing.T) {
	e := startExplorer(t, "tiny-fetch-to-op-old")
	for _, asked := range []struct{ method, path, body string }{
		{http.MethodGet, "", ""},
		{http.MethodPost, "walk", `{"actions":[]}`},
		{http.MethodPost, "export", `{"actions":[],"format":"json"}`},
	} {
		r, err := http.NewRequest(asked.method, e.Address()+asked.path, strings.NewReader(asked.body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		gone := &goneReader{header: http.Header{}}
		if e.ServeHTTP(gone, r); gone.answers != 1 {
			t.Errorf("%s %q: got %d answers, want 1", asked.method, asked.path, gone.answers)
		}
	}
}

// TestExplorerWalks walks a counterexample through the server, exports it and loads it.
func TestExplorerWalks(t *testing.T) {
	e := startExplorer(t, "tiny-fetch-to-op-old")
	status, body := post(t, e, "check", "{}", nil)
	var found struct {
		Verdict    string
		Violations []struct {
			Property string
			Actions  []string
		}
	}
	if err := json.Unmarshal([]byte(body), &found); err != nil || status != http.StatusOK || len(found.Violations) == 0 {
		t.Fatalf("check: got %d %s (%v), want violations", status, body, err)
	}
	actions, err := json.Marshal(found.Violations[0].Actions)
	if err != nil {
		t.Fatal(err)
	}
	_, body = post(t, e, "walk", fmt.Sprintf(`{"actions":%s}`, actions), nil)
	var walk struct {
		Diagram picture.SpaceTime
		Choices []web.ExploreChoice
	}
	if err := json.Unmarshal([]byte(body), &walk); err != nil {
		t.Fatal(err)
	}
	if walk.Diagram.Property != found.Violations[0].Property || !walk.Diagram.Forever || walk.Diagram.Explanation == "" {
		t.Errorf("walk: got property %q, forever %v, explanation %q", walk.Diagram.Property, walk.Diagram.Forever, walk.Diagram.Explanation)
	}
	if got, want := len(walk.Diagram.Moments), len(found.Violations[0].Actions)+1; got != want {
		t.Errorf("walk: got %d moments, want %d", got, want)
	}
	for _, format := range trace.FormatNames() {
		status, file := post(t, e, "export", fmt.Sprintf(`{"actions":%s,"format":%q}`, actions, format), nil)
		if status != http.StatusOK || len(file) == 0 {
			t.Errorf("export as %s: got %d %s", format, status, file)
		}
		if format != "json" && format != "itf" {
			continue
		}
		_, body := post(t, e, "load", file, nil)
		var loaded struct{ Actions, Differs []string }
		if err := json.Unmarshal([]byte(body), &loaded); err != nil {
			t.Fatal(err)
		}
		again, err := json.Marshal(loaded.Actions)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(again, actions) || len(loaded.Differs) != 0 {
			t.Errorf("loaded from %s: got %s (differs: %v), want %s", format, again, loaded.Differs, actions)
		}
	}
}

// TestExplorerConstraint: a walk may leave the constraint, and is told.
func TestExplorerConstraint(t *testing.T) {
	e := startExplorer(t, "report-scenario")
	_, body := post(t, e, "walk", `{"actions":["Request(replica 0)","Stop(replica 1)"]}`, nil)
	var walk struct{ Diagram picture.SpaceTime }
	if err := json.Unmarshal([]byte(body), &walk); err != nil {
		t.Fatal(err)
	}
	for i, want := range []bool{false, false, true} {
		if got := walk.Diagram.Moments[i].Cut; got != want {
			t.Errorf("moment %d is outside StopLast: got %v, want %v", i, got, want)
		}
	}
}

// TestExploreCommand runs the command to its normal end.
func TestExploreCommand(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	reader, writer := io.Pipe()
	code := make(chan int, 1)
	var stderr bytes.Buffer
	go func() {
		code <- run(ctx, []string{"explore", "tiny-fetch-to-op-old"}, writer, &stderr)
		_ = writer.Close()
	}()
	var address string
	if _, err := fmt.Fscanf(reader, "explore     %s\n", &address); err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, reader) }()
	answer, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	page, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK || !bytes.Contains(page, []byte("<title>explore tiny-fetch-to-op-old</title>")) {
		t.Errorf("the page: status %d, %v, %s", answer.StatusCode, err, page[:min(len(page), 200)])
	}
	_ = answer.Body.Close()
	stop()
	if got := <-code; got != exitHolds {
		t.Errorf("after the interrupt: exit code %d, want %d; %s", got, exitHolds, &stderr)
	}
}

// waitFor waits until an expression is true in the page.
func (b *browser) waitFor(what string) {
	b.t.Helper()
	for range 600 {
		if eval[bool](b, "!!("+what+")") {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	b.t.Fatalf("the page never has %s; it says %q", what, b.text(".message"))
}

// at waits until the page shows moment i of n steps.
func (b *browser) at(i, n int) {
	b.t.Helper()
	b.waitFor(fmt.Sprintf(`document.querySelector(".bar output")?.textContent === "step %d of %d" && !document.body.hasAttribute("aria-busy")`, i, n))
}

// TestExplorePage walks the model in a real browser: step by step, along a
// counterexample, away from it and back.
func TestExplorePage(t *testing.T) {
	b := newBrowser(t)
	e := startExplorer(t, "tiny-fetch-to-op-old")
	b.run(chromedp.Navigate(e.Address()), chromedp.WaitVisible(chromedp.CSS("svg.space")))
	b.at(0, 0)
	if got := b.text("#status"); !strings.HasPrefix(got, "all properties hold here") {
		t.Errorf("at first: got %q, want that all properties hold", got)
	}
	take := func(action string) {
		t.Helper()
		b.run(chromedp.Click(chromedp.CSS(fmt.Sprintf(`[data-action=%q]`, action))))
	}
	take("Request(replica 0)")
	b.at(1, 1)
	take("ReceivePrepare(replica 1, Prepare{view 0, op 1@v0})")
	b.at(2, 2)
	if got := b.text("#step .action"); got != "ReceivePrepare(replica 1, Prepare{view 0, op 1@v0})" {
		t.Errorf("second step: got %q", got)
	}
	if got := b.text("#status"); !strings.Contains(got, "EveryPreparedCommits waits: op 1") {
		t.Errorf("status: got %q, want that EveryPreparedCommits waits", got)
	}
	if got := eval[int](b, `document.querySelectorAll("svg.space .pill").length`); got < 2 {
		t.Errorf("the diagram has %d labels, want both steps", got)
	}
	b.run(chromedp.Click(chromedp.CSS("#undo")))
	b.at(1, 1)

	// Along the counterexample: the property turns false at its end.
	b.run(chromedp.Click(chromedp.CSS("#check")))
	b.waitFor(`document.querySelector(".bar output")?.textContent === "step 13 of 13"`)
	b.waitFor(`document.querySelector("#status").textContent.includes("QuorumAckedCommits violated")`)
	if got := b.text("#why"); !strings.Contains(got, "this is the hole") {
		t.Errorf("at the end of the counterexample: got %q, want why nothing helps", got)
	}
	b.screenshot("explore-wedge")
	// Away from it: one step back, another step, and the property is open again.
	b.press(kb.Home)
	b.waitFor(`document.querySelector("#choices [data-action='Request(replica 0)']") !== null`)
	b.press(kb.ArrowRight)
	b.waitFor(`document.querySelector("#choices [data-action='Request(replica 0)']") !== null && document.querySelector(".bar output").textContent === "step 1 of 13"`)
	b.screenshot("explore-deviate")
	take("Request(replica 0)")
	b.at(2, 2)
	if got := b.text("#status"); strings.Contains(got, "violated") {
		t.Errorf("away from the counterexample: got %q, want nothing violated", got)
	}
	b.checkContrast("explore")
	// What is exported is what is loaded again.
	eval[bool](b, `URL.createObjectURL = (blob) => { blob.text().then((text) => { window.exported = text; }); return "data:,"; }; true`)
	b.run(chromedp.Click(chromedp.CSS("#export")))
	b.waitFor(`window.exported !== undefined`)
	file := filepath.Join(t.TempDir(), "walk.json")
	if err := os.WriteFile(file, []byte(eval[string](b, "window.exported")), 0o600); err != nil {
		t.Fatal(err)
	}
	b.run(chromedp.Click(chromedp.CSS("#restart")))
	b.at(0, 0)
	b.run(chromedp.SetUploadFiles(chromedp.CSS("#file"), []string{file}))
	b.at(2, 2)
	if got := b.text("#step .action"); got != "Request(replica 0)" {
		t.Errorf("the loaded walk ends with %q, want Request(replica 0)", got)
	}
	// What is no trace is refused in words, and changes nothing.
	if err := os.WriteFile(file, []byte("no trace"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.run(chromedp.SetUploadFiles(chromedp.CSS("#file"), []string{file}))
	b.waitFor(`document.querySelector(".message.bad")?.textContent.includes("invalid trace")`)
	b.at(2, 2)
	b.forget("422") // the browser, too, tells of that answer
	b.run(chromedp.Click(chromedp.CSS("#restart")))
	b.at(0, 0)

	// On a phone.
	b.size(390, 844)
	take("Request(replica 0)")
	b.at(1, 1)
	b.checkLayout("explore on a phone", 2)
	b.screenshot("explore-phone")
	b.quiet()
}
