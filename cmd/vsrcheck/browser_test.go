package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// browser is a real headless Chromium with one tab. What its pages complain about, and
// what they fetch, is kept.
type browser struct {
	t   *testing.T
	ctx context.Context

	mu         sync.Mutex
	complaints []string
	requests   []string
}

// browserNames are the programs looked for in PATH.
var browserNames = []string{"chromium", "chromium-browser", "google-chrome"}

// newBrowser starts Chromium, or skips the test when there is none.
func newBrowser(t *testing.T) *browser {
	t.Helper()
	if testing.Short() {
		t.Skip("starting a browser is not short")
	}
	path := ""
	for _, name := range browserNames {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Skipf("no browser: none of %s is in PATH, so the pages were not tried in one", strings.Join(browserNames, ", "))
	}
	ctx := startBrowser(t, path)
	b := &browser{t: t, ctx: ctx}
	if err := chromedp.Listen(ctx, b.listen); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	// A page that hangs must not hang the tests; on a busy machine all else may be slow.
	limited, cancel := context.WithTimeout(ctx, 5*time.Minute)
	t.Cleanup(cancel)
	b.ctx = limited
	return b
}

// browserStarts is how often a browser is started before a test gives up. Now and then
// Chromium crashes while it starts, before it has seen a page of ours; a crash later
// is not forgiven.
const browserStarts = 5

// startBrowser returns a tab of a Chromium that lives as long as the test.
func startBrowser(t *testing.T, path string) context.Context {
	t.Helper()
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), chromedp.ExecPath(path),
		chromedp.WindowSize(1360, 1000), chromedp.DisableGPU,
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-quic", true))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.Flag("no-sandbox", true)) // Chromium refuses to run as root without
	}
	for attempt := 1; ; attempt++ {
		allocator, stopAllocator := chromedp.NewExecAllocator(context.Background(), options...)
		ctx, stop := chromedp.NewContext(allocator)
		err := chromedp.Do(ctx) // does nothing but start it
		if err == nil {
			t.Cleanup(func() { stop(); stopAllocator() })
			return ctx
		}
		stop()
		stopAllocator()
		if attempt == browserStarts {
			t.Fatalf("%s did not start in %d attempts: %v", path, attempt, err)
		}
		t.Logf("%s did not start in attempt %d: %v", path, attempt, err)
		time.Sleep(time.Duration(attempt) * time.Second)
	}
}

func (b *browser) listen(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		b.complaints = append(b.complaints, (&chromedp.ExceptionError{ExceptionDetails: e.ExceptionDetails}).Error())
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning {
			var parts []string
			for _, a := range e.Args {
				parts = append(parts, string(a.Value))
			}
			b.complaints = append(b.complaints, strings.Join(parts, " "))
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError || e.Entry.Level == log.EntryLevelWarning {
			b.complaints = append(b.complaints, e.Entry.Text+" "+e.Entry.URL)
		}
	case *network.EventRequestWillBeSent:
		b.requests = append(b.requests, e.Request.URL)
	}
}

// run does things in the tab.
func (b *browser) run(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, actions...); err != nil {
		b.t.Fatalf("in the browser: %v; it complained: %s", err, strings.Join(b.complained(), "; "))
	}
}

// complained are the errors and warnings so far.
func (b *browser) complained() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]string(nil), b.complaints...)
}

// forget drops the complaints that have a word: those that a test provoked.
func (b *browser) forget(word string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.complaints = slices.DeleteFunc(b.complaints, func(c string) bool { return strings.Contains(c, word) })
}

// quiet checks that no page complained.
func (b *browser) quiet() {
	b.t.Helper()
	for _, c := range b.complained() {
		b.t.Errorf("the browser complained: %s", c)
	}
}

// open shows a file that write fills.
func (b *browser) open(name string, write func(f *os.File) error) {
	b.t.Helper()
	path := filepath.Join(b.t.TempDir(), name)
	f, err := os.Create(path)
	if err != nil {
		b.t.Fatal(err)
	}
	if err := write(f); err != nil {
		b.t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.t.Fatal(err)
	}
	b.run(chromedp.Navigate("file://"+path), chromedp.WaitVisible(chromedp.CSS("svg.space")))
}

// size makes the tab as large as a screen.
func (b *browser) size(width, height int64) {
	b.t.Helper()
	b.run(chromedp.EmulateViewport(width, height))
}

// text is what an element shows.
func (b *browser) text(selector string) string {
	b.t.Helper()
	return eval[string](b, fmt.Sprintf("document.querySelector(%q)?.textContent ?? 'no such element'", selector))
}

// eval evaluates JavaScript in the page.
func eval[T any](b *browser, script string) T {
	b.t.Helper()
	out, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](script))
	if err != nil {
		b.t.Fatalf("in the browser: %v; it complained: %s", err, strings.Join(b.complained(), "; "))
	}
	return out
}

// press sends a key to the page.
func (b *browser) press(key string) {
	b.t.Helper()
	b.run(chromedp.KeyEvent(key))
}

// screenshot keeps a picture of the tab when VSRCHECK_SCREENSHOTS names a folder: for
// people, to see what the tests see.
func (b *browser) screenshot(name string) {
	b.t.Helper()
	dir := os.Getenv("VSRCHECK_SCREENSHOTS")
	if dir == "" {
		return
	}
	png, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o600); err != nil {
		b.t.Fatal(err)
	}
}
