package main

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/cmd/vsrcheck/internal/tell"
	"vsrcheck/explore"
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
		if !has(job.OptionName(c.Name)) {
			t.Errorf("there is no option for the constant %s", c.Name)
		}
	}
	for _, r := range model.Catalogue() {
		if !has(job.OptionName(r.Name)) {
			t.Errorf("there is no option for the rule %s", r.Name)
		}
		for i, a := range r.Alternatives {
			echoed := r.Name + "=" + a.Name
			if r.Defect && i == 0 {
				echoed = "known ones is switched on" // and is not named
			}
			code, stdout, stderr := runHere(context.Background(), "check", "tiny-fetch-to-op-fixed", "--ops", "1", "--max-depth", "1", "--"+job.OptionName(r.Name), a.Name)
			if code != exitInconclusive || !strings.Contains(strings.Join(strings.Fields(stdout), " "), echoed) {
				t.Errorf("--%s %s: got exit code %d, %s", job.OptionName(r.Name), a.Name, code, stderr)
			}
		}
	}
}

// TestExplainEverything explains every name there is, one of each kind by the command. Some
// names differ in capitals only, and are explained together.
func TestExplainEverything(t *testing.T) {
	entries, err := tell.Explanations(func(p *tell.Page) { writeExitCodes(p) })
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]bool{}
	for _, e := range entries {
		var code int
		var stdout, stderr string
		if first := !kinds[e.Kind]; first {
			kinds[e.Kind] = true
			code, stdout, stderr = runHere(context.Background(), "explain", e.Name)
		} else { // without reading all specifications each time
			var out bytes.Buffer
			err = tell.Explain(tell.NewPage(&out, "auto"), entries, e.Name)
			if stdout = out.String(); err != nil {
				stderr = err.Error()
			}
		}
		if code != exitHolds || !strings.Contains("\n"+stdout, "\n"+e.Name+": ") || stderr != "" {
			t.Errorf("explain %s: got exit code %d, %q, %q", e.Name, code, stdout, stderr)
		}
		for line := range strings.Lines(stdout) {
			if len([]rune(line)) > tell.DefaultWidth+1 && !strings.HasPrefix(line, " ") && e.Name != "exit-codes" {
				t.Errorf("explain %s: a line is too long: %s", e.Name, line)
			}
		}
	}
}

// TestPanic shows that a failing model ends in an error and the way to the failure.
func TestPanic(t *testing.T) {
	j := changedJob(t, "tiny-fetch-to-op-fixed", func(*model.Config) {})
	initial := true
	j.Bound.Invariants = []explore.Invariant[model.State]{{Name: "Fails", Holds: func(*model.State) bool {
		if !initial {
			panic("no such state")
		}
		initial = false
		return true
	}}}
	out, err := j.Run(context.Background(), explore.Options{Workers: 1})
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
	if err := panicTrace((&tell.Page{Writer: &text}), out, trace.StatesDiff, files); err != nil || !strings.Contains(text.String(), "\n 1  ") ||
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
