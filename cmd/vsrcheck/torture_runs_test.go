//go:build unix

package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// tortureOfRuns is what befalls runs.
func tortureOfRuns() []kindOfTrial {
	return []kindOfTrial{
		{"kill", []string{"killed", "resumed from a checkpoint", "of these within a level"}, (*trial).kill},
		{"kill when the verdict is printed", []string{"killed"}, (*trial).killLate},
		{"signal", []string{"interrupted"}, (*trial).signal},
		{"full disk", []string{"ended by it"}, (*trial).fullDisk},
		{"few open files", []string{"ended by it"}, (*trial).fewFiles},
		{"little memory", []string{"ended by it"}, (*trial).littleMemory},
		{"damaged checkpoint", []string{"refused"}, (*trial).damagedCheckpoint},
		{"forged checkpoint", []string{"refused", "taken"}, (*trial).forgedCheckpoint},
		{"killed matrix", []string{"killed"}, (*trial).killMatrix},
		{"damaged cells", []string{"refused"}, (*trial).damagedCells},
		{"closed and stalled pipes", []string{"closed", "stalled"}, (*trial).pipes},
	}
}

// check draws the arguments of a check that ends.
func (tr *trial) check() []string {
	specs := []string{"zoo-nack-quorum-sound", "zoo-repair-arming-sound", "finding-adopted-nacks", "tiny-fetch-to-op-old", "zoo-reack"}
	if *tortureFor > time.Minute {
		specs = append(specs, "fetch-to-op-old-small", "zoo-dvc-commit-sound", "finding-reconcile", "zoo-quorum-latch-sound", "fetch-to-op-fixed-small")
	}
	check := []string{"check", pick(tr.Rand, specs...)}
	if tr.IntN(4) == 0 {
		check = append(check, "--guards")
	}
	if tr.IntN(4) == 0 {
		check = append(check, "--continue")
	}
	return check
}

// how draws how it is done, which must not matter.
func (tr *trial) how() []string {
	return append([]string{
		"--checkpoint", "d", "--checkpoint-every", pick(tr.Rand, "0s", "0s", "1ms", "5ms", "30ms", "200ms"),
		"--workers", strconv.Itoa(1 + tr.IntN(3)), "--store", pick(tr.Rand, "exact", "exact", "exact", "hash64", "hash128"),
	}, outputs...)
}

// moment draws one while a run is under way.
func (tr *trial) moment(w *wholeRun) time.Duration {
	return time.Duration(tr.Int64N(int64(w.ended.took) * 5 / 4))
}

// within sends signals while a run is under way: at any moment, or at one after it has made a
// checkpoint.
func (tr *trial) within(w *wholeRun, signals ...syscall.Signal) func(p *os.Process, done <-chan struct{}) {
	after, before := tr.moment(w), tr.there("d", "checkpoint.json")
	if tr.IntN(3) == 0 || before {
		return signalled(after, signals...)
	}
	after /= 4
	return func(p *os.Process, done <-chan struct{}) {
		for !tr.there("d", "checkpoint.json") {
			select {
			case <-done:
				return
			case <-time.After(time.Millisecond):
			}
		}
		signalled(after, signals...)(p, done)
	}
}

// kill kills a run at any moment, and those that go on with it.
func (tr *trial) kill() {
	check := tr.check()
	w := tr.undisturbed(check)
	args := append(slices.Clone(check), tr.how()...)
	for range 4 {
		e := tr.finish(tr.process(args...), tr.within(w, syscall.SIGKILL))
		if e.code != -1 {
			tr.count("came too late")
			if e.code != w.ended.code {
				tr.giveUp("got exit code %d, want %d", e.code, w.ended.code)
			}
			tr.same(w)
			return
		}
		tr.count("killed")
		switch {
		case tr.there("d", "checkpoint.json"):
			args = []string{"resume", "d", "--workers", strconv.Itoa(1 + tr.IntN(3)), "--checkpoint-every", pick(tr.Rand, "0s", "1ms", "20ms"), "--no-progress"}
		case tr.there("run.json"): // it had nothing left to do
			tr.same(w)
			return
		case args[0] == "resume":
			tr.giveUp("neither a checkpoint nor a record is there")
		}
	}
	tr.recover(w, check)
}

// killLate kills a run as soon as it prints its verdict: its files may be there by then, or
// the checkpoint is.
func (tr *trial) killLate() {
	check := tr.check()
	w := tr.undisturbed(check)
	for range 5 {
		cmd := tr.process(append(slices.Clone(check), tr.how()...)...)
		r, p, err := os.Pipe()
		tr.must(err)
		cmd.Stdout = p
		wait := time.Duration(tr.Int64N(int64(4 * time.Millisecond)))
		e := tr.finish(cmd, func(process *os.Process, done <-chan struct{}) {
			p.Close()
			defer r.Close()
			var seen []byte
			for some := make([]byte, 4096); !bytes.Contains(seen, []byte("distinct states found")); {
				n, err := r.Read(some)
				if seen = append(seen, some[:n]...); err != nil {
					return
				}
			}
			signalled(wait, syscall.SIGKILL)(process, done)
		})
		if e.code == -1 {
			tr.count("killed")
		}
		switch {
		case tr.there("d", "checkpoint.json"):
			tr.recover(w, check)
			return
		case !tr.there("run.json"):
			tr.giveUp("neither a checkpoint nor a record is there")
		}
		tr.same(w)
	}
}

// signal interrupts a run.
func (tr *trial) signal() {
	check := tr.check()
	w := tr.undisturbed(check)
	signals := []syscall.Signal{pick(tr.Rand, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)}
	if tr.IntN(3) == 0 {
		signals = append(signals, pick(tr.Rand, syscall.SIGINT, syscall.SIGTERM))
	}
	e := tr.finish(tr.process(append(slices.Clone(check), tr.how()...)...), tr.within(w, signals...))
	switch e.code {
	case w.ended.code:
		if tr.unfinished(w) {
			tr.count("interrupted after the verdict")
			if slices.Contains(check, "--guards") && !tr.there("d", "checkpoint.json") {
				tr.giveUp("what it was asked for is missing, and no checkpoint has it")
			}
			break
		}
		tr.count("came too late")
		tr.same(w)
		return
	case -1:
		tr.count("ended at once") // by the second one, or before it was ready for the first
	case exitInterrupted:
		tr.count("interrupted")
		// A verdict that was found before it is one.
		if r, _ := tr.results(); r == nil || r.Verdict != "inconclusive" && r.Verdict != w.record.Verdict {
			tr.giveUp("got the record %+v", r)
		}
	default:
		tr.giveUp("got exit code %d", e.code)
	}
	tr.recover(w, check)
}

// unfinished reports whether a run has its verdict, but not all that it was to look for.
func (tr *trial) unfinished(w *wholeRun) bool {
	r, _ := tr.results()
	return r != nil && (r.Stop != w.record.Stop || len(r.Guards) != len(w.record.Guards))
}

// cut holds a run that something has cut short to its rules.
func (tr *trial) cut(e ended, w *wholeRun, codes ...int) {
	switch {
	case e.code == w.ended.code && !tr.unfinished(w):
		tr.count("did not matter")
		tr.same(w)
	case e.code == w.ended.code:
		tr.count("ended by it after the verdict")
	case slices.Contains(codes, e.code):
		tr.count("ended by it")
		if r, _ := tr.results(); r != nil && r.Verdict != "inconclusive" && r.Verdict != w.record.Verdict {
			tr.giveUp("got the verdict %s, want %s or none", r.Verdict, w.record.Verdict)
		}
	default:
		tr.giveUp("got exit code %d, want one of %v", e.code, append(codes, w.ended.code))
	}
}

// fullDisk has no room for files, or for what is printed.
func (tr *trial) fullDisk() {
	check := tr.check()
	w := tr.undisturbed(check)
	args := append(slices.Clone(check), tr.how()...)
	switch how := pick(tr.Rand, "a small file system", "a limit on files", "/dev/full for standard output", "/dev/full for standard error", "--disk-limit"); how {
	case "a small file system":
		room := tr.path("room")
		tr.must(os.Mkdir(room, 0o777))
		mount, err := exec.LookPath("mount")
		if err != nil || exec.Command(mount, "-t", "tmpfs", "-o", fmt.Sprintf("size=%dk", 4*(1+tr.IntN(120))), "torture", room).Run() != nil {
			tr.count("no file system can be mounted here")
			return
		}
		defer func() { _ = exec.Command("umount", room).Run() }()
		tr.dir = room
		e := tr.run(args...)
		tr.count(how)
		tr.cut(e, w, exitDisk, exitOutput)
		if out, err := exec.Command(mount, "-o", "remount,size=64m", room).CombinedOutput(); err != nil {
			tr.giveUp("%v: %s", err, out)
		}
	case "a limit on files":
		tr.count(how)
		tr.cut(tr.finish(tr.under(fmt.Sprintf("ulimit -f %d", 1+tr.IntN(200)), tr.process(args...)), nil), w, exitDisk, exitOutput)
	case "--disk-limit":
		tr.count(how)
		tr.cut(tr.run(append(args, "--disk-limit", fmt.Sprintf("%dKiB", 1+tr.IntN(300)))...), w, exitDisk)
	default:
		full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		if err != nil {
			tr.count("no /dev/full here")
			return
		}
		defer full.Close()
		cmd := tr.process(append(args, "--progress", "json")...)
		if strings.HasSuffix(how, "output") {
			cmd.Stdout = full
		} else {
			cmd.Stderr = full
		}
		tr.count(how)
		e := tr.finish(cmd, nil)
		tr.cut(e, w, exitOutput)
		tr.same(w)
	}
	tr.recoverUnlessDone(w, check, "--disk-limit", "none")
}

// fewFiles lets a run open few files. Go itself takes some.
func (tr *trial) fewFiles() {
	check := tr.check()
	w := tr.undisturbed(check)
	args := append(slices.Clone(check), tr.how()...)
	tr.cut(tr.finish(tr.under(fmt.Sprintf("ulimit -n %d", 9+tr.IntN(8)), tr.process(args...)), nil), w, exitOutput, exitDisk, exitData)
	tr.recoverUnlessDone(w, check)
}

// recoverUnlessDone is recover, unless all is there.
func (tr *trial) recoverUnlessDone(w *wholeRun, check []string, more ...string) {
	if !tr.there("d", "checkpoint.json") && tr.there("run.json") {
		if r, _ := tr.results(); r.Verdict == w.record.Verdict && !tr.unfinished(w) {
			tr.same(w)
			return
		}
	}
	tr.recover(w, check, more...)
}

// littleMemory has the store go to disk, or end.
func (tr *trial) littleMemory() {
	check := tr.check()
	w := tr.undisturbed(check)
	args := append(slices.Clone(check), tr.how()...)
	e := tr.run(append(args, "--memory-limit", fmt.Sprintf("%dKiB", 100+tr.IntN(1500)))...)
	tr.cut(e, w, exitMemory)
	tr.recoverUnlessDone(w, check, "--memory-limit", "none")
}

// checkpointed leaves the checkpoint of a run that was cut.
func (tr *trial) checkpointed() (*wholeRun, []string) {
	for {
		check := tr.check()
		w := tr.undisturbed(check)
		args := append(slices.Clone(check), tr.how()...)
		depth := 1 + tr.IntN(max(1, w.record.Depth-2))
		tr.run(append(args, "--max-depth", strconv.Itoa(depth))...)
		if tr.there("d", "checkpoint.json") {
			_ = os.Remove(tr.path("run.json"))
			return w, check
		}
	}
}

// someFile is a file in a folder, at random.
func (tr *trial) someFile(dir string) string {
	var names []string
	entries, err := os.ReadDir(dir)
	tr.must(err)
	for _, f := range entries {
		if info, err := f.Info(); err == nil && info.Mode().IsRegular() && info.Size() > 0 {
			names = append(names, f.Name())
		}
	}
	return filepath.Join(dir, pick(tr.Rand, names...))
}

// damagedCheckpoint changes bytes of a checkpoint.
func (tr *trial) damagedCheckpoint() {
	w, _ := tr.checkpointed()
	path := tr.someFile(tr.path("d"))
	data, err := os.ReadFile(path)
	tr.must(err)
	tr.must(os.WriteFile(path, damage(tr.Rand, data), 0o666))
	switch e := tr.run("resume", "d", "--max-depth", "0", "--workers", strconv.Itoa(1+tr.IntN(3))); e.code {
	case exitData:
		tr.count("refused")
		if !strings.Contains(e.errs, "checkpoint") || tr.there("run.json") {
			tr.giveUp("got %q", e.errs)
		}
	case w.ended.code:
		tr.count("did not matter")
		tr.same(w)
	default:
		tr.giveUp("got exit code %d", e.code)
	}
}

// damage flips a bit, or cuts or prolongs.
func damage(r *rand.Rand, data []byte) []byte {
	data = bytes.Clone(data)
	at := r.IntN(len(data))
	switch r.IntN(6) {
	case 0:
		return data[:at]
	case 1:
		return append(data, data[at:]...)
	}
	data[at] ^= 1 << r.IntN(8)
	return data
}

// forgedCheckpoint changes what the list of a checkpoint says, with a checksum that is right.
// What comes of it may be wrong, but it comes in good order.
func (tr *trial) forgedCheckpoint() {
	tr.checkpointed()
	path := tr.path("d", "checkpoint.json")
	data, err := os.ReadFile(path)
	tr.must(err)
	head, body, _ := bytes.Cut(data, []byte("\n"))
	body = forge(tr.Rand, body)
	if tr.IntN(8) == 0 {
		body = mutate(tr.Rand, body)
	}
	head, _, _ = bytes.Cut(head, []byte(" 1 "))
	tr.must(os.WriteFile(path, fmt.Appendf(nil, "%s 1 %x\n%s", head, sha256.Sum256(body), body), 0o666))
	before := tr.names()
	e := tr.run("resume", "d", "--max-depth", "0", "--timeout", "5s", "--max-states", "100000")
	if e.code == exitData {
		tr.count("refused")
	} else {
		tr.count("taken")
	}
	for _, name := range tr.names() {
		if !slices.Contains(before, name) && !slices.Contains([]string{"run.json", "t.txt"}, name) && filepath.Dir(name) != "d" {
			tr.giveUp("it has made %s", name)
		}
	}
}

// names are the files of the trial.
func (tr *trial) names() (names []string) {
	tr.must(filepath.WalkDir(tr.dir, func(path string, _ os.DirEntry, err error) error {
		name, _ := filepath.Rel(tr.dir, path)
		names = append(names, name)
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		return err
	}))
	return names
}

// forge changes a value somewhere in a JSON text.
func forge(r *rand.Rand, text []byte) []byte {
	var root any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if d.Decode(&root) != nil {
		return text
	}
	var places []func(any)
	var values []any
	var walk func(v any, set func(any))
	walk = func(v any, set func(any)) {
		places, values = append(places, set), append(values, v)
		switch v := v.(type) {
		case []any:
			for i := range v {
				walk(v[i], func(x any) { v[i] = x })
			}
		case map[string]any:
			for _, key := range slices.Sorted(func(yield func(string) bool) {
				for key := range v {
					if !yield(key) {
						return
					}
				}
			}) {
				walk(v[key], func(x any) { v[key] = x })
			}
		}
	}
	walk(root, func(x any) { root = x })
	for range 1 + r.IntN(3) {
		i := r.IntN(len(places))
		switch v := values[i].(type) {
		case json.Number:
			places[i](json.Number(pick(r, "0", "1", "-1", "2", "7", "63", "64", "100", "4294967296", "9223372036854775807", "18446744073709551615", "1e30", "0.5", v.String()+"0")))
		case string:
			places[i](pick(r, "", "x", "../../x", "/dev/zero", "d/levels-000000", "levels-999999", v+v, strings.Repeat("a", 300), "\x1b[2J", v+"\n"))
		case []any:
			switch {
			case len(v) > 0 && r.IntN(2) == 0:
				places[i](v[:r.IntN(len(v))])
			case len(v) > 0:
				places[i](append(slices.Clone(v), v[r.IntN(len(v))]))
			default:
				places[i](nil)
			}
		default:
			places[i](pick[any](r, nil, true, false, json.Number("1"), "x", []any{}, map[string]any{}))
		}
	}
	out, err := json.MarshalIndent(root, "", " ")
	if err != nil {
		return text
	}
	return out
}

// matrixArgs are those of a matrix that takes a moment.
var matrixArgs = []string{"matrix", "tiny-fetch-to-op-old", "zoo-repair-arming", "--rules", "fetch_to_op,gap_check,repair_arming,start_coverage",
	"--resume", "cells.jsonl", "--json", "matrix.json", "--no-progress"}

// matrix is that of the trial, without times.
func (tr *trial) matrix() string {
	data, err := os.ReadFile(tr.path("matrix.json"))
	tr.must(err)
	var root any
	tr.must(json.Unmarshal(data, &root))
	var strip func(v any)
	strip = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, x := range v {
				strip(x)
			}
		case map[string]any:
			for _, key := range []string{"seconds", "started", "command_line", "peak_memory_bytes", "workers"} {
				delete(v, key)
			}
			for _, x := range v {
				strip(x)
			}
		}
	}
	strip(root)
	out, err := json.Marshal(root)
	tr.must(err)
	return string(out)
}

// wholeMatrix runs it undisturbed.
func (tr *trial) wholeMatrix() (string, ended) {
	e := tr.run(matrixArgs...)
	text := tr.matrix()
	tr.must(os.Remove(tr.path("matrix.json")))
	return text, e
}

// killMatrix kills a matrix, whose cells are kept.
func (tr *trial) killMatrix() {
	want, whole := tr.wholeMatrix()
	tr.must(os.Remove(tr.path("cells.jsonl")))
	for range 3 {
		e := tr.finish(tr.process(matrixArgs...), signalled(time.Duration(tr.Int64N(int64(whole.took))), pick(tr.Rand, syscall.SIGKILL, syscall.SIGKILL, syscall.SIGTERM)))
		if e.code == -1 {
			tr.count("killed")
		}
		_ = os.Remove(tr.path("matrix.json"))
	}
	if e := tr.run(matrixArgs...); e.code != whole.code {
		tr.giveUp("got exit code %d, want %d", e.code, whole.code)
	}
	if got := tr.matrix(); got != want {
		tr.giveUp("got %s, want %s", got, want)
	}
}

// damagedCells changes a file of finished cells, or forges it.
func (tr *trial) damagedCells() {
	want, whole := tr.wholeMatrix()
	path := tr.path("cells.jsonl")
	data, err := os.ReadFile(path)
	tr.must(err)
	forged := tr.IntN(2) == 0
	if forged {
		lines := bytes.SplitAfter(data, []byte("\n"))
		i := tr.IntN(len(lines) - 1)
		line, _, _ := bytes.Cut(lines[i], []byte(`,"sum":`))
		line = bytes.TrimSpace(append(bytes.Clone(line), '}'))
		var compact bytes.Buffer
		if json.Compact(&compact, forge(tr.Rand, line)) == nil {
			line = compact.Bytes()
		}
		lines[i] = fmt.Appendf(nil, "%s,\"sum\":\"%08x\"}\n", line[:len(line)-1], crc32.Checksum(line, crc32.MakeTable(crc32.Castagnoli)))
		data = bytes.Join(lines, nil)
	} else {
		data = damage(tr.Rand, data)
	}
	tr.must(os.WriteFile(path, data, 0o666))
	switch e := tr.run(matrixArgs...); {
	case e.code == exitData:
		tr.count("refused")
	case forged:
		tr.count("a forged one taken")
	case e.code != whole.code:
		tr.giveUp("got exit code %d, want %d", e.code, whole.code)
	default:
		tr.count("did not matter")
		if got := tr.matrix(); got != want {
			tr.giveUp("got %s, want %s", got, want)
		}
	}
}

// pipes has readers of what is printed leave, or read nothing.
func (tr *trial) pipes() {
	check := tr.check()
	w := tr.undisturbed(check)
	cmd := tr.process(append(append(slices.Clone(check), tr.how()...), "--progress", "json")...)
	r, p, err := os.Pipe()
	tr.must(err)
	defer r.Close()
	which := pick(tr.Rand, "standard output", "standard error", "both")
	if which != "standard error" {
		cmd.Stdout = p
	}
	if which != "standard output" {
		cmd.Stderr = p
	}
	closed := tr.IntN(2) == 0
	var e ended
	if closed {
		r.Close()
		e = tr.finish(cmd, func(*os.Process, <-chan struct{}) { p.Close() })
		tr.count("closed")
		tr.cut(e, w, exitOutput)
	} else {
		fillPipe(tr.T, p)
		e = tr.finish(cmd, func(process *os.Process, done <-chan struct{}) {
			defer p.Close()
			if which == "standard error" {
				return
			}
			// Who does not want to wait for a reader any longer says so. The files are there
			// by then.
			for began := time.Now(); !tr.there("run.json") && time.Since(began) < patienceOfTrial/2; {
				time.Sleep(5 * time.Millisecond)
			}
			signalled(300*time.Millisecond, syscall.SIGTERM)(process, done)
		})
		tr.count("stalled")
		tr.cut(e, w, exitOutput)
	}
	tr.same(w)
	if tr.there("d", "checkpoint.json") {
		tr.recover(w, check)
	}
}
