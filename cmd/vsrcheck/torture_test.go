//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"vsrcheck/results"
)

// This file has what a torture is, and what every trial is held to. The kinds of trials are
// in torture_runs_test.go (what befalls a run) and torture_inputs_test.go (what is read).

var (
	tortureFor   = flag.Duration("torture", 0, "how long TestTorture goes on; each kind has its turn in any case")
	tortureSeed  = flag.Uint64("torture-seed", 1, "of TestTorture; 0 draws one")
	tortureTrial = flag.Int("torture-trial", -1, "TestTorture does this trial only")
	tortureWrite = flag.String("torture-write", "", "TestTorture writes what it has done to this file, below cmd/vsrcheck if it is relative")
)

// patienceOfTrial is when a process counts as one that hangs. None should take a tenth of it.
const patienceOfTrial = 2 * time.Minute

// torture is many trials, and what came of them.
type torture struct {
	seed uint64

	mu     sync.Mutex
	counts map[string]map[string]int // by kind: what happened, and how often
	whole  map[string]*wholeRun      // by arguments: what they give when nobody disturbs
	failed int
}

// trial is one of them.
type trial struct {
	*testing.T
	*torture
	*rand.Rand
	kind string
	n    int
	dir  string
	runs []string // what it has run
}

// kindOfTrial is a way to torture the program.
type kindOfTrial struct {
	name string
	// must is what has to happen in some trial of the kind, or it was none.
	must []string
	try  func(*trial)
}

// TestTorture runs the program while it is killed, interrupted, short of room, and given what
// it should not be given. Whatever befalls it, it gives the figures of an undisturbed run, or
// says that it has none, with an exit code that the help has; and what it leaves behind leads
// to the undisturbed figures. The long form is
//
//	go test ./cmd/vsrcheck -run TestTorture -torture 10m -timeout 30m
func TestTorture(t *testing.T) {
	t.Parallel()
	span := *tortureFor
	x := &torture{seed: *tortureSeed, counts: map[string]map[string]int{}, whole: map[string]*wholeRun{}}
	if x.seed == 0 {
		x.seed = rand.Uint64()
	}
	kinds := slices.Concat(tortureOfRuns(), tortureOfInputs())
	t.Logf("-torture-seed %d", x.seed)
	if n := *tortureTrial; n >= 0 {
		x.try(t, kinds, n)
		t.Log(x.table(kinds))
		return
	}
	began := time.Now()
	var next sync.Mutex
	n := 0
	take := func() (int, bool) {
		next.Lock()
		defer next.Unlock()
		n++
		// Each kind has its turn, however slow the machine is.
		return n - 1, n <= len(kinds) || time.Since(began) < span
	}
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			for n, more := take(); more; n, more = take() {
				x.try(t, kinds, n)
			}
		})
	}
	both.Wait()
	trials := n - 2
	// In less time than this chance leaves out something that has to happen.
	if span >= 2*time.Minute {
		for i, k := range kinds {
			for turn := 0; !x.exercised(k) && turn < 40; turn++ {
				x.try(t, kinds, (1_000_000+turn)*len(kinds)+i)
				trials++
			}
			if !x.exercised(k) {
				t.Errorf("%s: got %v, want %v", k.name, x.counts[k.name], k.must)
			}
		}
	}
	table := x.table(kinds)
	t.Logf("%d trials in %s, %d failed\n%s", trials, time.Since(began).Round(time.Second), x.failed, table)
	if *tortureWrite != "" {
		text := fmt.Sprintf(tortureRecord, span, x.seed, x.seed, trials, time.Since(began).Round(time.Second), x.failed, table)
		if err := os.WriteFile(*tortureWrite, []byte(text), 0o666); err != nil {
			t.Error(err)
		}
	}
}

// tortureRecord is what -torture-write writes.
const tortureRecord = `Trials in which the program was killed, interrupted, short of room, or given what it should
not be given (cmd/vsrcheck/torture_test.go). After each, the figures were those of an
undisturbed run, or there were none and an exit code that the help has said so; and what was
left behind led to the undisturbed figures.

command     go test ./cmd/vsrcheck -run TestTorture -torture %s -torture-seed %d -timeout 1h
            -torture-write FILE
seed        %d; with a trial's number it decides all of it but for the clock, so that
            the counts of another run differ a little
trials      %d in %s
failed      %d

What happened in them, by kind:

%s`

// exercised reports whether everything has happened that has to.
func (x *torture) exercised(k kindOfTrial) bool {
	return !slices.ContainsFunc(k.must, func(what string) bool { return x.counts[k.name][what] == 0 })
}

// try does trial n. A trial depends on the seed and its number alone, but for the clock.
func (x *torture) try(t *testing.T, kinds []kindOfTrial, n int) {
	k := kinds[n%len(kinds)]
	dir, err := os.MkdirTemp(t.TempDir(), "trial-")
	if err != nil {
		t.Error(err)
		return
	}
	tr := &trial{T: t, torture: x, Rand: rand.New(rand.NewPCG(x.seed, uint64(n))), kind: k.name, n: n, dir: dir}
	defer func() {
		if v := recover(); v != nil && v != errGivenUp {
			panic(v)
		}
		_ = os.RemoveAll(dir)
	}()
	k.try(tr)
}

// errGivenUp ends a trial that has failed.
var errGivenUp = errors.New("given up")

// giveUp fails the trial, and says how to repeat it.
func (tr *trial) giveUp(format string, args ...any) {
	tr.Helper()
	tr.mu.Lock()
	tr.failed++
	tr.mu.Unlock()
	tr.Errorf("%s (-torture-seed %d -torture-trial %d): %s\n%s", tr.kind, tr.seed, tr.n, fmt.Sprintf(format, args...), strings.Join(tr.runs, "\n"))
	panic(errGivenUp)
}

func (tr *trial) must(err error) {
	tr.Helper()
	if err != nil {
		tr.giveUp("%v", err)
	}
}

// count counts what has happened.
func (tr *trial) count(what string) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	if tr.counts[tr.kind] == nil {
		tr.counts[tr.kind] = map[string]int{}
	}
	tr.counts[tr.kind][what]++
}

// table lists what has happened.
func (x *torture) table(kinds []kindOfTrial) string {
	var b strings.Builder
	for _, k := range kinds {
		fmt.Fprintf(&b, "%s\n", k.name)
		for _, what := range slices.Sorted(maps.Keys(x.counts[k.name])) {
			fmt.Fprintf(&b, "%8d  %s\n", x.counts[k.name][what], what)
		}
	}
	return b.String()
}

// ended is what a process has left.
type ended struct {
	code      int // -1: a signal has ended it
	out, errs string
	took      time.Duration
}

func (tr *trial) path(name ...string) string {
	return filepath.Join(append([]string{tr.dir}, name...)...)
}

func (tr *trial) there(name ...string) bool {
	_, err := os.Lstat(tr.path(name...))
	return err == nil
}

// process is the program in the folder of the trial.
func (tr *trial) process(args ...string) *exec.Cmd {
	exe, err := os.Executable()
	tr.must(err)
	cmd := exec.Command(exe)
	cmd.Args, cmd.Dir = append([]string{"vsrcheck"}, args...), tr.dir
	cmd.Env = append(os.Environ(), "NO_COLOR=1")
	return cmd
}

// under has a shell set a limit first.
func (tr *trial) under(limit string, cmd *exec.Cmd) *exec.Cmd {
	bash, err := exec.LookPath("bash")
	tr.must(err)
	cmd.Args = append([]string{"bash", "-c", limit + ` || exit 99; exec -a vsrcheck "$0" "$@"`, cmd.Path}, cmd.Args[1:]...)
	cmd.Path = bash
	return cmd
}

// finish runs a process to its end, with what is to happen meanwhile, and holds it to what
// every process is held to.
func (tr *trial) finish(cmd *exec.Cmd, meanwhile func(p *os.Process, done <-chan struct{})) ended {
	tr.Helper()
	var out, errs bytes.Buffer
	if cmd.Stdout == nil {
		cmd.Stdout = &out
	}
	if cmd.Stderr == nil {
		cmd.Stderr = &errs
	}
	began := time.Now()
	tr.must(cmd.Start())
	done := make(chan struct{})
	var late bool
	var busy sync.WaitGroup
	busy.Go(func() {
		select {
		case <-done:
		case <-time.After(patienceOfTrial):
			late = true
			_ = cmd.Process.Kill()
		}
	})
	if meanwhile != nil {
		busy.Go(func() { meanwhile(cmd.Process, done) })
	}
	err := cmd.Wait()
	close(done)
	busy.Wait()
	e := ended{code: exitOf(err), out: out.String(), errs: errs.String(), took: time.Since(began)}
	tr.runs = append(tr.runs, fmt.Sprintf("  %s: %d after %s: %.700s", strings.Join(cmd.Args, " "), e.code, e.took.Round(time.Millisecond), e.errs))
	switch {
	case late:
		tr.giveUp("it hangs")
	case e.code == -1 && meanwhile == nil:
		tr.giveUp("a signal that nobody sent has ended it: %v", err)
	case e.code != -1 && !documented(e.code):
		tr.giveUp("the exit code %d is not in the help", e.code)
	case e.code == exitInternal || crashed.MatchString(e.errs) || crashed.MatchString(e.out):
		tr.giveUp("it failed:\n%s", e.errs)
	}
	return e
}

// crashed matches what Go prints when a program fails.
var crashed = regexp.MustCompile(`(?m)^(panic:|fatal error:|goroutine \d+ |runtime: )|internal error`)

func documented(code int) bool {
	return slices.ContainsFunc(exitCodes(), func(c exitCode) bool { return c.code == code })
}

// run is a process that nothing befalls.
func (tr *trial) run(args ...string) ended {
	tr.Helper()
	return tr.finish(tr.process(args...), nil)
}

// wholeRun is what a check gives that nobody disturbs.
type wholeRun struct {
	once   sync.Once
	ended  ended
	record *results.Record
	trace  []byte // nil: it holds
}

// undisturbed runs a check once for all trials.
func (tr *trial) undisturbed(check []string) *wholeRun {
	tr.mu.Lock()
	key := strings.Join(check, " ")
	w := tr.whole[key]
	if w == nil {
		w = new(wholeRun)
		tr.whole[key] = w
	}
	tr.mu.Unlock()
	w.once.Do(func() {
		alone := *tr
		alone.dir = tr.TempDir()
		w.ended = alone.run(append(slices.Clone(check), outputs...)...)
		w.record, w.trace = alone.results()
	})
	if w.record == nil {
		tr.giveUp("%v gives no record", check)
	}
	return w
}

// outputs are the files of every check that is tortured.
var outputs = []string{"--json", "run.json", "--trace", "text=t.txt", "--no-progress"}

// results are the record and the trace of a run, without what differs from run to run; nil
// when there are none.
func (tr *trial) results() (*results.Record, []byte) {
	data, err := os.ReadFile(tr.path("run.json"))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	tr.must(err)
	r := new(results.Record)
	if err := json.Unmarshal(data, r); err != nil {
		tr.giveUp("the record is not complete: %v", err)
	}
	r.Workers, r.Store, r.CollisionProbability = 0, "", 0
	r.Seconds, r.StatesPerSecond, r.PeakMemory, r.StoreBytes, r.BytesPerState = 0, 0, 0, 0, 0
	r.CommandLine, r.Started = nil, time.Time{}
	trace, err := os.ReadFile(tr.path("t.txt"))
	if !errors.Is(err, os.ErrNotExist) {
		tr.must(err)
	}
	return r, trace
}

// same holds what a run has left to what an undisturbed one gives.
func (tr *trial) same(w *wholeRun) {
	tr.Helper()
	record, trace := tr.results()
	switch {
	case record == nil:
		tr.giveUp("there is no record")
	case !reflect.DeepEqual(record, w.record):
		tr.giveUp("the record differs:\n%s", firstDifference(record, w.record))
	case !bytes.Equal(trace, w.trace):
		tr.giveUp("got the trace\n%s, want\n%s", trace, w.trace)
	}
}

// firstDifference shows where two records differ.
func firstDifference(got, want *results.Record) string {
	a, _ := json.MarshalIndent(got, "", " ")
	b, _ := json.MarshalIndent(want, "", " ")
	x, y := strings.Split(string(a), "\n"), strings.Split(string(b), "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return fmt.Sprintf("got  %s\nwant %s", strings.Join(x[i:min(len(x), i+8)], ""), strings.Join(y[i:min(len(y), i+8)], ""))
		}
	}
	return "one is longer"
}

// recover goes on with what a run has left, from its checkpoint or from the start, until there
// are the undisturbed figures. more are options of the run that goes on.
func (tr *trial) recover(w *wholeRun, check []string, more ...string) {
	tr.Helper()
	again := append(slices.Clone(check), outputs...)
	if data, err := os.ReadFile(tr.path("d", "checkpoint.json")); err == nil {
		tr.count("resumed from a checkpoint")
		if bytes.Contains(data, []byte("\n \"Part\": ")) {
			tr.count("of these within a level")
		}
		again = append([]string{"resume", "d"}, more...)
	} else {
		tr.count("began again")
	}
	if e := tr.run(again...); e.code != w.ended.code {
		tr.giveUp("got exit code %d in the end, want %d", e.code, w.ended.code)
	}
	tr.same(w)
	if tr.there("d", "checkpoint.json") {
		tr.giveUp("the checkpoint is left")
	}
}

// pick is one of several, at random.
func pick[T any](r *rand.Rand, all ...T) T { return all[r.IntN(len(all))] }

// signalled sends a signal after a while, unless the process has ended by then.
func signalled(after time.Duration, signals ...syscall.Signal) func(p *os.Process, done <-chan struct{}) {
	return func(p *os.Process, done <-chan struct{}) {
		for _, sig := range signals {
			select {
			case <-done:
				return
			case <-time.After(after):
				_ = p.Signal(sig) // it may have ended
			}
			after = 2 * time.Millisecond
		}
	}
}
