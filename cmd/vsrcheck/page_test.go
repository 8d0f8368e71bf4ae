package main

import (
	"bytes"
	"context"
	"fmt"
	"image/png"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"vsrcheck/cmd/vsrcheck/internal/behaviour"
	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/cmd/vsrcheck/internal/jobtest"
	"vsrcheck/explore"
	"vsrcheck/model"
	"vsrcheck/results"
	"vsrcheck/results/picture"
	"vsrcheck/specs"
)

// counterexample is the first violation that check finds in a specification.
func counterexample(t *testing.T, name string) *picture.SpaceTime {
	t.Helper()
	j := jobtest.Shipped(t, name, false, job.ReduceEager)
	out, err := j.Run(context.Background(), explore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Violations) == 0 {
		t.Fatalf("%s: got no violation", name)
	}
	return behaviour.DiagramOfViolation(out.Job, &out.Violations[0])
}

// longWalk is a random behaviour of five replicas that does most of what there is to
// do. Steps without effect are part of it, so that it gets long enough.
func longWalk(t *testing.T, steps int) *picture.SpaceTime {
	t.Helper()
	spec, err := specs.Load("report-scenario")
	if err != nil {
		t.Fatal(err)
	}
	all := model.AllReplicas(5)
	spec.Name = "a long walk"
	spec.Config.Replicas, spec.Config.Ops, spec.Config.ViewMax = 5, 6, 3
	spec.Config.Crashes, spec.Config.Stops, spec.Config.Drops = 3, 1, 3
	spec.Config.MayCrash, spec.Config.MayStop = all, all
	j, err := job.New(&job.Override{Spec: spec}, false, job.ReduceNone)
	if err != nil {
		t.Fatal(err)
	}
	// How rarely a kind is taken; the others always are.
	rare := map[string]int{
		"Stop": 100, "Drop": 30, "CrashRestart": 60, "HeartbeatTimeout": 200, "ViewChangeTimeout": 200, "ProbeTimeout": 200, "Request": 15,
	}
	r := rand.New(rand.NewPCG(7, 1))
	var s, next model.State
	walk := []explore.Step[model.State]{{State: s}}
	for len(walk) <= steps {
		var choices []explore.Step[model.State]
		j.Model.Next(&s, &next, func(a uint32) {
			weight := 40
			if n := rare[j.Model.Kinds()[j.Model.Kind(a)]]; n != 0 {
				weight = max(1, 40/n)
			}
			if next == s {
				weight = 2
			}
			for range weight {
				choices = append(choices, explore.Step[model.State]{Action: a, State: next})
			}
		})
		if len(choices) == 0 {
			t.Fatalf("the walk ended after %d steps, want %d", len(walk)-1, steps)
		}
		step := choices[r.IntN(len(choices))]
		s = step.State
		walk = append(walk, step)
	}
	return behaviour.Diagram(j, walk, j.Bound.Listed)
}

func (b *browser) openDiagram(d *picture.SpaceTime) {
	b.t.Helper()
	b.open("trace.html", func(f *os.File) error { return d.WriteHTML(f) })
}

// TestPage steps through a counterexample in a real browser and compares what is shown
// with the trace.
func TestPage(t *testing.T) {
	b := newBrowser(t)
	d := counterexample(t, "tiny-fetch-to-op-old")
	b.openDiagram(d)
	last := len(d.Moments) - 1

	// It opens where the wedge is.
	if got, want := b.text(".bar output"), fmt.Sprintf("step %d of %d", last, last); got != want {
		t.Errorf("opens at %q, want %q", got, want)
	}
	if got := b.text("h1"); got != d.Spec {
		t.Errorf("heading: got %q, want %q", got, d.Spec)
	}
	if got := b.text(".verdict strong"); got != "QuorumAckedCommits" {
		t.Errorf("verdict: got %q, want QuorumAckedCommits", got)
	}
	if got := b.text(`[data-replica="1"] .cell.hole .box`); got != "HOLE" {
		t.Errorf("the hole: got %q, want HOLE", got)
	}
	if got := b.text("#flight li.refused .why"); !strings.Contains(got, "out-of-order prepare (gap)") {
		t.Errorf("the refused prepare: got %q, want the guard's words", got)
	}
	status := eval[string](b, `document.querySelector('[data-property="QuorumAckedCommits"]').dataset.status`)
	if status != picture.StatusViolated {
		t.Errorf("QuorumAckedCommits: got %q, want %q", status, picture.StatusViolated)
	}
	if got := b.text("#why"); !strings.Contains(got, "claims op 2 and does not hold it: this is the hole") {
		t.Errorf("explanation: got %q, want the sentence about the hole", got)
	}
	if got := b.text(".settings"); !strings.Contains(got, "replicas"+d.Config[0].Value) {
		t.Errorf("configuration: got %q, want the number of replicas", got)
	}

	b.press(kb.Home)
	for i := range d.Moments {
		b.checkMoment(d, i)
		b.press(kb.ArrowRight)
	}
	b.press(kb.ArrowLeft)
	b.checkMoment(d, last-1)
	b.press(kb.End)
	b.checkMoment(d, last)

	// The slider and the rows of the diagram move it, too.
	eval[bool](b, `{const s = document.getElementById("slider"); s.value = 3; s.dispatchEvent(new Event("input"));}`)
	b.checkMoment(d, 3)
	eval[bool](b, `document.querySelectorAll("svg .rowhit")[5].dispatchEvent(new MouseEvent("click"))`)
	b.checkMoment(d, 5)
	b.quiet()
	for _, url := range b.requests {
		if !strings.HasPrefix(url, "file://") && !strings.HasPrefix(url, "data:") {
			t.Errorf("the page asks for %s, want no network", url)
		}
	}
}

// checkMoment compares what the page shows with moment i.
func (b *browser) checkMoment(d *picture.SpaceTime, i int) {
	b.t.Helper()
	m := &d.Moments[i]
	type shown struct {
		Output, Action string
		Notes          []string
		Numbers        []string
		Holes, Flight  int
		Changed        int
		Value          string
	}
	got := eval[shown](b, `(() => { const all = (s) => [...document.querySelectorAll(s)]; return {
		Output: document.querySelector(".bar output").textContent,
		Action: document.querySelector("#step .action")?.textContent ?? "",
		Notes: all("#step .notes li").map((n) => n.textContent),
		Numbers: all("#state .replica").map((r) => [...r.querySelectorAll(".numbers b")].map((n) => n.textContent).join(" ")),
		Holes: all("#state .cell.hole").length, Flight: all("#flight li").length, Changed: all("#state .changed").length,
		Value: document.getElementById("slider").getAttribute("aria-valuetext"),
	}; })()`)
	where := fmt.Sprintf("step %d", i)
	if want := fmt.Sprintf("step %d of %d", i, len(d.Moments)-1); got.Output != want {
		b.t.Errorf("%s: the bar says %q, want %q", where, got.Output, want)
	}
	if i > 0 && got.Action != m.Action {
		b.t.Errorf("%s: action %q, want %q", where, got.Action, m.Action)
	}
	if !slices.Equal(got.Notes, m.Notes) {
		b.t.Errorf("%s: notes %q, want %q", where, got.Notes, m.Notes)
	}
	if !strings.Contains(got.Value, m.Action) {
		b.t.Errorf("%s: the slider is read out as %q, want the action in it", where, got.Value)
	}
	var numbers []string
	holes := 0
	for _, r := range m.Replicas {
		line := ""
		if r.Role != "Stopped" {
			line = fmt.Sprintf("%d %d %d %d %d", r.View, r.LogView, r.Head, r.CommitMax, r.CommitMin)
		}
		numbers = append(numbers, line)
		for _, c := range r.Log {
			if c.Hole {
				holes++
			}
		}
	}
	if !slices.Equal(got.Numbers, numbers) {
		b.t.Errorf("%s: numbers %q, want %q", where, got.Numbers, numbers)
	}
	if got.Holes != holes {
		b.t.Errorf("%s: %d holes, want %d", where, got.Holes, holes)
	}
	if got.Flight != len(m.InFlight) {
		b.t.Errorf("%s: %d messages in flight, want %d", where, got.Flight, len(m.InFlight))
	}
	if i > 0 {
		same := fmt.Sprint(m.Replicas) == fmt.Sprint(d.Moments[i-1].Replicas)
		if same != (got.Changed == 0) {
			b.t.Errorf("%s: %d changes are highlighted, the replicas changed: %v", where, got.Changed, !same)
		}
	}
}

// TestPageLayout looks for what people would complain about: labels that do not fit or
// overlap, a page wider than the screen, colours without contrast.
func TestPageLayout(t *testing.T) {
	b := newBrowser(t)
	for _, c := range []struct {
		name string
		d    *picture.SpaceTime
	}{
		{"wedge", counterexample(t, "fetch-to-op-old-small")},
		{"view-change", counterexample(t, "finding-recovering-elects")},
		{"lasso", counterexample(t, "finding-readoption")},
		{"long", longWalk(t, 300)},
	} {
		for _, screen := range []struct {
			name          string
			width, height int64
		}{{"desktop", 1360, 1000}, {"phone", 390, 844}} {
			b.size(screen.width, screen.height)
			b.openDiagram(c.d)
			where := c.name + " on a " + screen.name
			b.checkLayout(where, len(c.d.Moments))
			b.checkInSight(where, true)
			if c.d.Conclusion != "" {
				if got := eval[string](b, `document.querySelector("header.top p.conclusion").textContent`); got != c.d.Conclusion {
					t.Errorf("%s: got the conclusion %q, want %q", where, got, c.d.Conclusion)
				}
			}
			b.screenshot(c.name + "-" + screen.name + "-light")
			before := b.background()
			b.run(chromedp.Click(chromedp.CSS("#theme")))
			if after := b.background(); after == before {
				t.Errorf("%s: the other theme has the same background %s", where, after)
			}
			b.checkContrast(where)
			b.screenshot(c.name + "-" + screen.name + "-dark")
			b.run(chromedp.Click(chromedp.CSS("#theme")))
			b.checkContrast(where)
			_ = eval[string](b, `document.querySelector(".scroll").style.scrollBehavior = "auto"`) // or it is on its way
			b.press(kb.Home)
			b.checkLayout(where, len(c.d.Moments))
			for range min(len(c.d.Moments)-1, 25) {
				b.press(kb.ArrowRight)
				b.checkInSight(where, false)
			}
		}
	}
	b.quiet()
}

func (b *browser) background() string {
	b.t.Helper()
	return eval[string](b, `getComputedStyle(document.body).backgroundColor`)
}

// checkLayout measures the diagram.
func (b *browser) checkLayout(where string, moments int) {
	b.t.Helper()
	type measured struct {
		Rows     int
		Overflow float64
		Problems []string
	}
	got := eval[measured](b, `(() => {
		const problems = [], pills = [...document.querySelectorAll("svg.space .pill")].map((p) => ({
			body: p.querySelector("rect.body").getBoundingClientRect(), texts: [...p.querySelectorAll(":scope > text:not(.note)")].map((t) => t.getBoundingClientRect()),
			label: p.querySelector(":scope > text").textContent }));
		const over = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
		for (const p of pills) for (const t of p.texts) if (t.left < p.body.left || t.right > p.body.right || t.top < p.body.top - 1 || t.bottom > p.body.bottom + 1) problems.push("the label does not fit: " + p.label);
		for (let i = 0; i < pills.length; i++) for (let j = i + 1; j < pills.length; j++)
			if (over(pills[i].body, pills[j].body)) problems.push(pills[i].label + " overlaps " + pills[j].label);
		const svg = document.querySelector("svg.space").getBoundingClientRect();
		for (const t of document.querySelectorAll("svg.space text")) {
			const box = t.getBoundingClientRect();
			if (box.left < svg.left - 1 || box.right > svg.right + 1 || box.bottom > svg.bottom + 1) problems.push("out of the drawing: " + t.textContent);
		}
		return { Rows: document.querySelectorAll("svg .rowhit").length, Overflow: document.documentElement.scrollWidth - innerWidth, Problems: problems };
	})()`)
	if got.Rows != moments {
		b.t.Errorf("%s: %d rows, want %d", where, got.Rows, moments)
	}
	if got.Overflow > 0 {
		b.t.Errorf("%s: the page is %v pixels wider than the screen", where, got.Overflow)
	}
	for _, p := range got.Problems {
		b.t.Errorf("%s: %s", where, p)
	}
}

// checkInSight wants the current step to be shown in the box of the diagram, and when a page
// opens on the screen, too, above the bar of a phone.
func (b *browser) checkInSight(where string, onScreen bool) {
	b.t.Helper()
	problem := eval[string](b, `(() => {
		const pill = document.querySelector("svg.space .pill.now"), box = document.querySelector(".scroll").getBoundingClientRect();
		if (!pill) return "no step is marked";
		const p = pill.querySelector("rect.body").getBoundingClientRect();
		if (p.left < box.left || p.right > box.right || p.top < box.top || p.bottom > box.bottom) return "the step is outside of the diagram's box";
		const bar = document.querySelector(".bar").getBoundingClientRect(), bottom = bar.top > box.top ? bar.top : innerHeight;
		return `+fmt.Sprint(onScreen)+` && (p.top < 0 || p.bottom > bottom) ? "the step is outside of the screen" : "";
	})()`)
	if problem != "" {
		b.t.Errorf("%s: %s: %s", where, eval[string](b, `document.querySelector(".bar output").textContent`), problem)
	}
}

// checkContrast wants the contrast that WCAG 2 asks of normal text, 4.5 to 1.
func (b *browser) checkContrast(where string) {
	b.t.Helper()
	problems := eval[[]string](b, `(() => {
		const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
		const paint = (layers) => {
			canvas.clearRect(0, 0, 1, 1);
			for (const c of layers) { canvas.fillStyle = c; canvas.fillRect(0, 0, 1, 1); }
			return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
		};
		const light = (rgb) => rgb.map((v) => v / 255).map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
			.reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
		const seen = new Set(), bad = [];
		const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
		while (walker.nextNode()) {
			const e = walker.currentNode.parentElement, style = getComputedStyle(e);
			if (!walker.currentNode.data.trim() || !e.getClientRects().length || e.closest("svg, script, noscript, button:disabled, .visually-hidden")) continue;
			const layers = [];
			for (let p = e; p; p = p.parentElement) layers.unshift(getComputedStyle(p).backgroundColor);
			const back = light(paint(layers)), front = light(paint([...layers, style.color]));
			const ratio = (Math.max(back, front) + 0.05) / (Math.min(back, front) + 0.05);
			const key = e.className + " " + e.tagName;
			if (ratio < 4.5 && !seen.has(key)) { seen.add(key); bad.push(key + ": " + ratio.toFixed(2) + " for " + walker.currentNode.data.slice(0, 30)); }
		}
		return bad;
	})()`)
	for _, p := range problems {
		b.t.Errorf("%s: too little contrast: %s", where, p)
	}
}

// TestPageEscapes shows texts that would be markup if anybody let them.
func TestPageEscapes(t *testing.T) {
	const evil = `</script><script>window.broken=1</script><img src=x onerror="window.broken=2">&amp;{{script}}"'`
	d := counterexample(t, "tiny-fetch-to-op-old")
	d.Spec, d.Summary, d.Property, d.PropertySummary = evil, evil, evil, evil
	d.Explanation = evil + "\n  " + evil
	for i := range d.Moments {
		m := &d.Moments[i]
		m.Action, m.Label, m.Notes, m.Changes = evil, "<b>", []string{evil}, []string{evil}
		m.Replicas[0].Session, m.Replicas[0].Details = evil, []string{evil}
	}
	d.Config[0].Value = evil
	b := newBrowser(t)
	b.openDiagram(d)
	broken, images := eval[int](b, `window.broken ?? 0`), eval[int](b, `document.images.length`)
	if broken != 0 || images != 0 {
		t.Errorf("a text became markup: broken = %d, %d images", broken, images)
	}
	for _, selector := range []string{"h1", "#step .action", "#step .notes li", "#why h3"} {
		if got := b.text(selector); got != evil {
			t.Errorf("%s: got %q, want %q", selector, got, evil)
		}
	}
	b.quiet()
}

// readmePicture is the picture in the README: the page of the wedge.
const readmePicture = "../../results/fetch-to-op-old.png"

// TestReadmePicture takes the README's picture with VSRCHECK_UPDATE=1, and else looks
// whether it is fit to be there.
func TestReadmePicture(t *testing.T) {
	if update() {
		b := newBrowser(t)
		b.size(1200, 985)
		diagram := recordedDiagram(t, "fetch-to-op-old")
		b.openDiagram(diagram)
		shot, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(readmePicture, withDrawn(shot, actionsOf(diagram)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(readmePicture)
	if err != nil {
		t.Fatal(err)
	}
	if size := len(data); size > 200<<10 {
		t.Errorf("%s has %d bytes, want at most %d", readmePicture, size, 200<<10)
	}
	record, err := results.Read("../../results/runs/fetch-to-op-old.json")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := drawn(data), record.Violations[0].Actions; !slices.Equal(got, want) {
		t.Errorf("%s was drawn from\n%s\nand the record has\n%s\nVSRCHECK_UPDATE=1 go test ./cmd/vsrcheck -run TestReadmePicture draws it again",
			readmePicture, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	picture, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if picture.Width < 800 {
		t.Errorf("%s is %d pixels wide, want a picture that can be read", readmePicture, picture.Width)
	}
}
