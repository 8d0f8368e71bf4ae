package main

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"vsrcheck/explore"
	"vsrcheck/invariants"
	"vsrcheck/model"
	"vsrcheck/results"
	"vsrcheck/results/trace"
	"vsrcheck/specs"
)

// runHere runs the program in this process.
func runHere(ctx context.Context, args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = run(ctx, args, &out, &errs)
	return code, out.String(), errs.String()
}

func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	code, stdout, stderr := runHere(ctx, "check", "fetch-to-op-fixed")
	if code != exitInterrupted || stderr != "" {
		t.Errorf("got exit code %d and %q", code, stderr)
	}
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	if last := lines[len(lines)-1]; !strings.HasPrefix(last, "INCONCLUSIVE fetch-to-op-fixed: interrupted") {
		t.Errorf("the last line is %q", last)
	}
	if !strings.Contains(stdout, "distinct states found") {
		t.Errorf("the figures are missing:\n%s", stdout)
	}
	if code, stdout, _ := runHere(ctx, "manifest", "tiny-fetch-to-op-old"); code != exitInterrupted ||
		stdout != "INCONCLUSIVE interrupted after 0 of 1 specification\n" {
		t.Errorf("manifest: got exit code %d and %q", code, stdout)
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestBrokenOutput(t *testing.T) {
	for _, args := range [][]string{
		{"check", "tiny-fetch-to-op-old"}, {"list"}, {"--help"}, {"graph", "tiny-fetch-to-op-old", "--ops", "1"},
		{"simulate", "tiny-fetch-to-op-old", "--num", "10"}, {"replay", "../../results/runs/tiny-fetch-to-op-old.json"},
	} {
		var stderr bytes.Buffer
		if code := run(context.Background(), args, brokenPipe{}, &stderr); code != exitOutput ||
			stderr.String() != "vsrcheck: cannot write standard output: no space left\n" {
			t.Errorf("%v: got exit code %d and %q", args, code, stderr.String())
		}
	}
}

// TestTraceIsTheSame holds the whole output, traces included, to being the same for
// every number of workers, byte for byte but for the time.
func TestTraceIsTheSame(t *testing.T) {
	var want string
	for _, workers := range []string{"1", "2", "3", "8", "2"} {
		_, stdout, _ := runHere(context.Background(), "check", "tiny-fetch-to-op-old", "--continue", "--workers", workers)
		got := regexp.MustCompile(`(?m)^(time|memory|run)  .*$`).ReplaceAllString(stdout, "")
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("with %s workers got\n%s\nwant\n%s", workers, got, want)
		}
	}
}

func TestColor(t *testing.T) {
	_, plain, _ := runHere(context.Background(), "check", "tiny-fetch-to-op-old", "--color", "never", "--workers", "1")
	_, auto, _ := runHere(context.Background(), "check", "tiny-fetch-to-op-old", "--workers", "1")
	_, colored, _ := runHere(context.Background(), "check", "tiny-fetch-to-op-old", "--color", "always", "--workers", "1")
	clean := regexp.MustCompile(`(?m)^(time|memory)  .*$`)
	strip := func(s string) string { return clean.ReplaceAllString(s, "") }
	if strings.Contains(plain, "\x1b") || strip(plain) != strip(auto) {
		t.Error("colours went to something that is no terminal")
	}
	if !strings.Contains(colored, "\x1b[1;31mVIOLATED\x1b[0m") {
		t.Error("--color always has no colours")
	}
	if got := regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(colored, ""); strip(got) != strip(plain) {
		t.Error("colours change more than colours")
	}
}

// TestBind pins which violations end a search.
func TestBind(t *testing.T) {
	spec, err := specs.Load("tiny-fetch-to-op-old")
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.New(spec.Config, spec.Rules)
	if err != nil {
		t.Fatal(err)
	}
	b, err := bind(m, spec, false)
	if err != nil {
		t.Fatal(err)
	}
	if b.Deferred["QuorumAckedCommits"] || !b.Deferred["EveryPreparedCommits"] || !b.Deferred["BackupsCatchUp"] || b.Deferred["Agreement"] || b.Deferred["Durability"] {
		t.Errorf("got deferred %v", b.Deferred)
	}
	if len(b.Invariants) != len(spec.Invariants) || len(b.Actions)+len(b.Recurrent) != len(spec.Properties) || len(b.Reachable) == 0 {
		t.Errorf("got %d invariants, %d step, %d liveness and %d reachable properties", len(b.Invariants), len(b.Actions), len(b.Recurrent), len(b.Reachable))
	}
	all, err := bind(m, spec, true)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all.listed {
		if !all.Deferred[p.Name] || !p.Deferred {
			t.Errorf("with --continue %s still ends the search", p.Name)
		}
	}
	if b.Constraint != nil {
		t.Error("there is a constraint that nobody asked for")
	}
	spec.Constraints = []string{"TypeOK", "Agreement"}
	if b, err = bind(m, spec, false); err != nil || b.Constraint == nil {
		t.Errorf("the constraint is lost: %v", err)
	}
	spec.Properties = []string{"Nothing"}
	if _, err := bind(m, spec, false); !errors.Is(err, specs.ErrMeaning) {
		t.Errorf("an unknown property: %v", err)
	}
}

// TestCompanions holds the catalogue to what bind needs: every property that a file may name
// has a companion that exists and is a reachability.
func TestCompanions(t *testing.T) {
	kinds := map[string]invariants.Kind{}
	for _, p := range invariants.Catalogue() {
		kinds[p.Name] = p.Kind
	}
	for _, p := range invariants.Catalogue() {
		asked := p.Kind == invariants.State || p.Kind == invariants.Step || p.Kind == invariants.Liveness
		if asked && kinds[p.Companion] != invariants.Reachable {
			t.Errorf("%s has the companion %q, want a reachability", p.Name, p.Companion)
		}
	}
}

func TestDecide(t *testing.T) {
	timed, cancel := context.WithTimeoutCause(context.Background(), 0, errTimeout)
	defer cancel()
	<-timed.Done()
	violated := func(kinds ...explore.Kind) explore.Result[model.State] {
		r := explore.Result[model.State]{Verdict: explore.Violated}
		for _, k := range kinds {
			r.Violations = append(r.Violations, explore.Violation[model.State]{Property: string(k), Kind: k})
		}
		return r
	}
	full := func(stop explore.Stop, kinds ...explore.Kind) explore.Result[model.State] {
		r := violated(kinds...)
		r.Stop = stop
		r.Violations = append(r.Violations, explore.Violation[model.State]{Property: "SendsFit", Kind: explore.KindInvariant})
		return r
	}
	stopped := func(s explore.Stop) explore.Result[model.State] {
		return explore.Result[model.State]{Verdict: explore.Inconclusive, Stop: s}
	}
	for _, test := range []struct {
		ctx    context.Context
		result explore.Result[model.State]
		want   int
	}{
		{context.Background(), explore.Result[model.State]{Verdict: explore.Holds}, exitHolds},
		{context.Background(), violated(explore.KindInvariant), exitSafety},
		{context.Background(), violated(explore.KindAction), exitSafety},
		{context.Background(), violated(explore.KindLiveness), exitLiveness},
		{context.Background(), violated(explore.KindDeadlock), exitDeadlock},
		{context.Background(), violated(explore.KindLiveness, explore.KindDeadlock, explore.KindAction), exitSafety},
		{context.Background(), full(explore.StopNone), exitInconclusive},
		{context.Background(), full(explore.StopMemory), exitMemory},
		{context.Background(), full(explore.StopNone, explore.KindLiveness), exitLiveness},
		{context.Background(), full(explore.StopStates, explore.KindInvariant), exitSafety},
		{context.Background(), stopped(explore.StopStates), exitInconclusive},
		{context.Background(), stopped(explore.StopDepth), exitInconclusive},
		{context.Background(), stopped(explore.StopStore), exitInconclusive},
		{context.Background(), stopped(explore.StopConstraint), exitInconclusive},
		{context.Background(), stopped(explore.StopEmpty), exitAssumption},
		{context.Background(), stopped(explore.StopMemory), exitMemory},
		{context.Background(), stopped(explore.StopInterrupted), exitInterrupted},
		{timed, stopped(explore.StopInterrupted), exitInconclusive},
		{timed, explore.Result[model.State]{}, exitInconclusive}, // no verdict is no success
	} {
		asked := &override{Spec: specs.Spec{Invariants: []string{"TypeOK"}}}
		out := outcome{job: &job{override: asked}, Result: &test.result}
		out.decide(test.ctx)
		if out.code != test.want {
			t.Errorf("%s %s: got %d, want %d", test.result.Verdict, test.result.Stop, out.code, test.want)
		}
		v := out.decisive()
		if decided := test.want == exitSafety || test.want == exitLiveness || test.want == exitDeadlock; (v != nil) != decided || v != nil && out.rankOf(v).code() != out.code {
			t.Errorf("%s %s: exit code %d, but %v decides", test.result.Verdict, test.result.Stop, out.code, v)
		}
	}
	for channel, want := range map[int]string{model.MaxChannel: "lower --ops or a budget, ", model.MaxChannel - 1: "raise --channel or lower --ops"} {
		j := job{override: &override{Spec: specs.Spec{Config: model.Config{Channel: channel}}}}
		if got := j.moreRoom(); !strings.HasPrefix(got, want) {
			t.Errorf("channel=%d: got %q, want %q", channel, got, want)
		}
	}
	seen := map[int]bool{}
	for _, e := range exitCodes() {
		if seen[e.code] {
			t.Errorf("exit code %d is listed twice", e.code)
		}
		seen[e.code] = true
	}
	if got := codeOfError(errors.New("x")); got != exitInternal {
		t.Errorf("an unexpected error: got %d", got)
	}
}

func TestMemoryOption(t *testing.T) {
	for text, want := range map[string]uint64{
		"1B": 1, "1048576": 1 << 20, "1": 0, "8": 0, "500000": 0, "8GiB": 8 << 30, "8G": 8 << 30, "8gb": 0, "500M": 500 << 20, "500MB": 500 << 20, "1 KiB": 1 << 10, "2T": 2 << 40, "7B": 7, "none": 0,
		"0": 0, "-1": 0, "x": 0, "": 0, "8X": 0, "99999999999T": 0, "G": 0, "101%": 0, "0%": 0, "%": 0,
	} {
		var o memoryOption
		err := o.Set(text)
		if (err == nil) != (want != 0 || text == "none") {
			t.Errorf("Set(%q) = %v", text, err)
		}
		if err == nil && o.limit() != want {
			t.Errorf("%q is %d bytes, want %d", text, o.limit(), want)
		}
	}
	for _, test := range []struct {
		files map[string]string
		want  uint64
	}{
		{nil, 0},
		{map[string]string{"/proc/meminfo": "MemFree: 1 kB\nMemTotal:       2048 kB\n"}, 2 << 20},
		{map[string]string{
			"/proc/meminfo": "MemTotal: 2048 kB\n", "/proc/self/cgroup": "0::/a/b\n",
			"/sys/fs/cgroup/a/memory.max": "1048576\n", "/sys/fs/cgroup/a/b/memory.max": "max\n",
		}, 1 << 20},
		{map[string]string{
			"/proc/meminfo": "MemTotal: 2048 kB\n", "/proc/self/cgroup": "5:cpu:/x\n4:memory:/y\n",
			"/sys/fs/cgroup/memory/y/memory.limit_in_bytes": "9223372036854771712\n", "/sys/fs/cgroup/memory/memory.limit_in_bytes": "4096\n",
		}, 4096},
		{map[string]string{"/proc/meminfo": "MemTotal: lots\n", "/proc/self/cgroup": "nonsense\n"}, 0},
	} {
		if got := memoryFrom(func(name string) string { return test.files[name] }); got != test.want {
			t.Errorf("with %v got %d bytes, want %d", test.files, got, test.want)
		}
	}
}

func TestProgressLine(t *testing.T) {
	last := explore.Progress{Distinct: 1000, Elapsed: 2 * time.Second}
	p := explore.Progress{Phase: "search", Level: 7, Distinct: 21000, Generated: 100000, Frontier: 4000, Expanded: 1000, Elapsed: 4 * time.Second, Bytes: 3 << 20}
	if got, want := progressLine(last, p, 8<<30), "search: 4s, depth 7 (25% of 4,000), 21,000 distinct, 100,000 generated, 10.0 k/s, 3.00 MiB of 8.00 GiB"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := progressLine(explore.Progress{}, explore.Progress{Phase: "trace"}, 0); !strings.HasPrefix(got, "trace: 0s, depth 0, 0 distinct") {
		t.Errorf("at the start got %s", got)
	}
	shrinking := p
	shrinking.Before, shrinking.Done, shrinking.DiskBytes = 8000, 9000, 5<<30
	// Left are the rest of the level, 3000 states, and 2000 + 1000 + 500 ... after it, and
	// 10,000 took four seconds.
	if got, want := progressLine(last, shrinking, 0), "search: 4s, depth 7 (25% of 4,000, 0.50 times the one before), 21,000 distinct, 100,000 generated, 10.0 k/s, 3.00 MiB, 5.00 GiB on disk, about 3s left"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	var out bytes.Buffer
	m := newMeter(&out, 8<<30)
	m.last = last
	m.updateJSON(shrinking)
	if got, want := out.String(), `{"phase":"search","seconds":4,"depth":7,"frontier":4000,"expanded":1000,"growth":0.5,"distinct":21000,"generated":100000,"distinct_per_second":10000,"memory_bytes":3145728,"memory_limit_bytes":8589934592,"disk_bytes":5368709120,"seconds_left":2.8}`+"\n"; got != want {
		t.Errorf("got  %swant %s", got, want)
	}
	out.Reset()
	m.simulateJSON(explore.SimulateProgress{Phase: "simulate", Walks: 12, Elapsed: 1500 * time.Millisecond})
	if got, want := out.String(), `{"phase":"simulate","seconds":1.5,"walks":12}`+"\n"; got != want {
		t.Errorf("got  %swant %s", got, want)
	}
	out.Reset()
	m = newMeter(&out, 0)
	if m.interval() != time.Minute {
		t.Errorf("away from a terminal the interval is %s", m.interval())
	}
	m.update(p)
	m.clear()
	if got := out.String(); strings.ContainsAny(got, "\r\x1b") || strings.Count(got, "\n") != 1 {
		t.Errorf("away from a terminal got %q", got)
	}
	out.Reset()
	m = &meter{out: &out, terminal: true, width: 20}
	m.update(p)
	m.clear()
	if got, want := out.String(), "\r\x1b[Ksearch: 4s, depth 7\r\x1b[K"; got != want || m.interval() != time.Second {
		t.Errorf("on a terminal got %q, want %q", got, want)
	}
}

// TestOptionsCoverCatalogues holds the options to the constants and rules there are.
func TestOptionsCoverCatalogues(t *testing.T) {
	_, groups := newCheckOptions()
	has := func(name string) bool {
		for _, g := range groups {
			if g.flags.Lookup(name) != nil {
				return true
			}
		}
		return false
	}
	for _, c := range specs.Constants() {
		if !has(optionName(c.Name)) {
			t.Errorf("there is no option for the constant %s", c.Name)
		}
	}
	for _, r := range model.Catalogue() {
		if !has(optionName(r.Name)) {
			t.Errorf("there is no option for the rule %s", r.Name)
		}
		for i, a := range r.Alternatives {
			echoed := r.Name + "=" + a.Name
			if r.Defect && i == 0 {
				echoed = "known ones is switched on" // and is not named
			}
			code, stdout, stderr := runHere(context.Background(), "check", "tiny-fetch-to-op-fixed", "--ops", "1", "--max-depth", "1", "--"+optionName(r.Name), a.Name)
			if code != exitInconclusive || !strings.Contains(strings.Join(strings.Fields(stdout), " "), echoed) {
				t.Errorf("--%s %s: got exit code %d, %s", optionName(r.Name), a.Name, code, stderr)
			}
		}
	}
}

// TestExplainEverything explains every name there is, one of each kind by the command. Some
// names differ in capitals only, and are explained together.
func TestExplainEverything(t *testing.T) {
	entries, err := explanations()
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]bool{}
	for _, e := range entries {
		var code int
		var stdout, stderr string
		if first := !kinds[e.kind]; first {
			kinds[e.kind] = true
			code, stdout, stderr = runHere(context.Background(), "explain", e.name)
		} else { // without reading all specifications each time
			var out bytes.Buffer
			code, err = explain(newPage(&call{stdout: &out}, "auto"), entries, e.name)
			if stdout = out.String(); err != nil {
				stderr = err.Error()
			}
		}
		if code != exitHolds || !strings.Contains("\n"+stdout, "\n"+e.name+": ") || stderr != "" {
			t.Errorf("explain %s: got exit code %d, %q, %q", e.name, code, stdout, stderr)
		}
		for line := range strings.Lines(stdout) {
			if len([]rune(line)) > defaultWidth+1 && !strings.HasPrefix(line, " ") && e.name != "exit-codes" {
				t.Errorf("explain %s: a line is too long: %s", e.name, line)
			}
		}
	}
}

// TestRecordIsValid holds the record of each kind of ending to the rules of package
// results.
func TestRecordIsValid(t *testing.T) {
	for _, args := range [][]string{
		{"tiny-fetch-to-op-old"}, {"tiny-fetch-to-op-fixed"}, {"tiny-fetch-to-op-fixed", "--max-states", "10"},
		{"tiny-fetch-to-op-old", "--continue"}, {"tiny-fetch-to-op-fixed", "--store", "hash128"},
		{"tiny-fetch-to-op-fixed", "--check-deadlock"}, {"tiny-fetch-to-op-fixed", "--invariant", "none", "--property", "none"},
	} {
		path := t.TempDir() + "/r.json"
		code, _, stderr := runHere(context.Background(), append([]string{"check", "--json", path}, args...)...)
		r, err := results.Read(path)
		if err != nil {
			t.Errorf("%v: exit code %d, %s: %v", args, code, stderr, err)
			continue
		}
		if r.ExitCode != code || r.CommandLine[0] != "vsrcheck" || r.StateBytes == 0 {
			t.Errorf("%v: got %+v", args, r)
		}
	}
}

// TestPanic shows that a failing model ends in an error and the way to the failure.
func TestPanic(t *testing.T) {
	j := changedJob(t, "tiny-fetch-to-op-fixed", func(*model.Config) {})
	initial := true
	j.bound.Invariants = []explore.Invariant[model.State]{{Name: "Fails", Holds: func(*model.State) bool {
		if !initial {
			panic("no such state")
		}
		initial = false
		return true
	}}}
	out, err := j.run(context.Background(), explore.Options{Workers: 1})
	if err == nil || codeOfError(err) != exitInternal || !strings.Contains(err.Error(), "no such state") {
		t.Fatalf("got error %v", err)
	}
	path := filepath.Join(t.TempDir(), "panic.json")
	var option traceOption
	if err := option.Set("json=" + path); err != nil {
		t.Fatal(err)
	}
	files, err := option.create(&call{}, "")
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := out.panicTrace(&page{Writer: &text}, trace.StatesDiff, files); err != nil || !strings.Contains(text.String(), "\n 1  ") ||
		!strings.Contains(text.String(), "written to "+path) {
		t.Errorf("got %v and\n%s", err, &text)
	}
	// The file leads to the failure, and says that no property is violated.
	if code, _, stderr := runHere(context.Background(), "replay", path); code != exitData || !strings.Contains(stderr, "--property") {
		t.Errorf("replay: got exit code %d and %s", code, stderr)
	}
	if code, stdout, stderr := runHere(context.Background(), "replay", path, "--property", "Agreement"); code != exitHolds || stderr != "" ||
		!strings.Contains(stdout, "NOT VIOLATED tiny-fetch-to-op-fixed: all 1 steps are possible") {
		t.Errorf("replay: got exit code %d, %s and\n%s", code, stderr, stdout)
	}
}

// failing is a writer that panics.
type failing struct{}

func (failing) Write([]byte) (int, error) { panic("no paper") }

// TestInternalError: a panic anywhere is an error of this program, with its exit code.
func TestInternalError(t *testing.T) {
	var stderr bytes.Buffer
	if code := run(context.Background(), []string{"help"}, failing{}, &stderr); code != exitInternal || !strings.HasPrefix(stderr.String(), "vsrcheck: internal error: no paper\n") {
		t.Errorf("got exit code %d, %q", code, stderr.String())
	}
}
