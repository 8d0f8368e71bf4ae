package main

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vsrcheck/cmd/vsrcheck/internal/search"
	"vsrcheck/explore/lock"
	"vsrcheck/results"
)

// process is the program as another process.
func process(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Args = append([]string{"vsrcheck"}, args...)
	cmd.Dir = t.TempDir()
	return cmd
}

// there reports whether a file is.
func there(t *testing.T, path string) bool {
	t.Helper()
	_, err := os.Lstat(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return err == nil
}

// TestKilledCheck kills checks at any moment after their first checkpoint: in the search, in
// that for guards, and among the files. There is the record, or what makes it.
func TestKilledCheck(t *testing.T) {
	t.Parallel()
	args := []string{"check", "zoo-nack-quorum-sound", "--guards", "--checkpoint", "d", "--checkpoint-every", "0s", "--json", "run.json", "--workers", "1", "--no-progress"}
	whole := process(t, args...)
	began := time.Now()
	if err := whole.Run(); err != nil {
		t.Fatal(err)
	}
	took := time.Since(began)
	record := func(dir string) *results.Record {
		t.Helper()
		data, err := os.ReadFile(filepath.Join(dir, "run.json"))
		if err != nil {
			t.Fatal(err)
		}
		r := new(results.Record)
		if err := json.Unmarshal(data, r); err != nil {
			t.Fatalf("the record is not complete: %v", err)
		}
		return r
	}
	want := record(whole.Dir)
	if there(t, filepath.Join(whole.Dir, "d", "checkpoint.json")) {
		t.Error("the checkpoint is left")
	}
	rounds := 12
	if testing.Short() {
		rounds = 4
	}
	kept := 0
	for round := range rounds {
		cmd := process(t, args...)
		list := filepath.Join(cmd.Dir, "d", "checkpoint.json")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		done := make(chan struct{})
		go func() { _ = cmd.Wait(); close(done) }() // its end is told by the files
		for !there(t, list) {
			select {
			case <-done:
				t.Fatal("ended without a checkpoint")
			case <-time.After(time.Millisecond):
			}
		}
		time.Sleep(time.Duration(rand.Int64N(int64(took))))
		_ = cmd.Process.Kill() // it may have ended
		<-done
		if there(t, list) {
			kept++
			again := process(t, "resume", "d", "--no-progress")
			again.Dir = cmd.Dir
			if out, err := again.CombinedOutput(); err != nil {
				t.Fatalf("round %d: %v\n%s", round, err, out)
			}
		}
		got := record(cmd.Dir)
		if got.Verdict != want.Verdict || got.Distinct != want.Distinct || len(got.Guards) != len(want.Guards) || len(got.Guards) == 0 {
			t.Errorf("round %d: got %s, %d states, %d guards, want %s, %d, %d", round,
				got.Verdict, got.Distinct, len(got.Guards), want.Verdict, want.Distinct, len(want.Guards))
		}
	}
	if kept == 0 {
		t.Error("no kill found a checkpoint")
	}
}

// lossy is a writer that fails after so many bytes.
type lossy struct{ left int }

func (l *lossy) Write(p []byte) (int, error) {
	if l.left -= len(p); l.left < 0 {
		return 0, errors.New("nobody reads")
	}
	return len(p), nil
}

// TestLostOutputs has each output fail by itself and all together: the others are written,
// each failure is reported, and the checkpoint is kept.
func TestLostOutputs(t *testing.T) {
	for _, lost := range []string{"", "stdout", "run.json", "t.json", "t.txt", "stdout run.json t.json t.txt"} {
		dir := t.TempDir()
		t.Chdir(dir)
		// What makes a file fail at the end: a folder has taken its name meanwhile.
		out := &lossy{1 << 20}
		take := func() {
			for _, name := range strings.Fields(lost) {
				if name == "stdout" {
					out.left = 0
				} else if err := os.MkdirAll(filepath.Join(dir, name, "x"), 0o777); err != nil {
					t.Error(err)
				}
			}
		}
		var errs strings.Builder
		code := run(context.Background(), []string{"check", "tiny-fetch-to-op-old", "--checkpoint", "d", "--no-progress",
			"--json", "run.json", "--trace", "json=t.json", "--trace", "text=t.txt"}, writerFunc(func(p []byte) (int, error) {
			take() // the first thing that is written is after the files were made
			return out.Write(p)
		}), &errs)
		if want := map[bool]int{true: exitLiveness, false: exitOutput}[lost == ""]; code != want {
			t.Errorf("%q lost: exit code %d, want %d: %s", lost, code, want, errs.String())
		}
		for _, name := range []string{"run.json", "t.json", "t.txt"} {
			info, err := os.Stat(name)
			if isLost := strings.Contains(lost, name); err != nil || info.IsDir() != isLost {
				t.Errorf("%q lost: %s: %v, %v", lost, name, info, err)
			} else if isLost && !strings.Contains(errs.String(), "cannot write "+name) {
				t.Errorf("%q lost: %s is missing in %q", lost, name, errs.String())
			}
		}
		if strings.Contains(lost, "stdout") && !strings.Contains(errs.String(), "cannot write standard output: nobody reads") {
			t.Errorf("%q lost: got %q", lost, errs.String())
		}
		if kept := there(t, "d/checkpoint.json"); kept != (lost != "") || kept != strings.Contains(errs.String(), "vsrcheck resume d goes on") {
			t.Errorf("%q lost: kept: %v, %q", lost, kept, errs.String())
		}
		if strings.Count(errs.String(), "\n") > 1 {
			t.Errorf("%q lost: more than a line: %q", lost, errs.String())
		}
		if lost == "" {
			continue
		}
		for _, name := range strings.Fields(lost) {
			if err := os.RemoveAll(name); err != nil {
				t.Fatal(err)
			}
		}
		if code, _, stderr := runHere(context.Background(), "resume", "d", "--no-progress"); code != exitLiveness || stderr != "" ||
			!there(t, "run.json") || !there(t, "t.json") || !there(t, "t.txt") || there(t, "d/checkpoint.json") {
			t.Errorf("%q lost: resumed with exit code %d, %q", lost, code, stderr)
		}
	}
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// TestSamePath: two options with one file are refused, however it is written.
func TestSamePath(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := errors.Join(os.Mkdir("d", 0o777), os.Symlink("d", "link"), os.WriteFile("d/there", nil, 0o666), os.Symlink("d/there", "file")); err != nil {
		t.Fatal(err)
	}
	for _, same := range [][2]string{{"x", "./x"}, {"d/x", "link/x"}, {"d/../x", "x"}, {"d/there", "file"}} {
		for _, args := range [][]string{
			{"check", "tiny-fetch-to-op-old", "--json", same[0], "--trace", "text=" + same[1]},
			{"check", "tiny-fetch-to-op-old", "--trace", "json=" + same[0], "--trace", "text=" + same[1]},
			{"simulate", "tiny-fetch-to-op-old", "--json", same[0], "--trace", "text=" + same[1]},
			{"minimise", "tiny-fetch-to-op-old", "--output", same[0], "--json", same[1]},
			{"minimise", "tiny-fetch-to-op-old", "--output", same[0], "--trace", "text=" + same[1]},
			{"matrix", "tiny-fetch-to-op-old", "--json", same[0], "--html", same[1]},
			{"matrix", "tiny-fetch-to-op-old", "--json", same[0], "--resume", same[1]},
			{"mend", "tiny-fetch-to-op-old", "--html", same[0], "--resume", same[1]},
		} {
			if code, _, stderr := runHere(context.Background(), args...); code != exitUsage || !strings.Contains(stderr, same[1]) && !strings.Contains(stderr, same[0]) {
				t.Errorf("%v: got exit code %d, %s", args, code, stderr)
			}
		}
	}
	if samePath("", "") || samePath("x", "y") || samePath("d/x", "x") {
		t.Error("other files are taken for the same")
	}
}

// TestOneAtATime: what another run uses is refused, with who it is, and is free afterwards.
func TestOneAtATime(t *testing.T) {
	t.Chdir(t.TempDir())
	held, err := search.LockCells("cells.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"matrix", "tiny-fetch-to-op-old", "--rules", "fetch_to_op", "--resume", "cells.jsonl", "--no-progress"}
	if code, _, stderr := runHere(context.Background(), args...); code != exitData || !strings.Contains(stderr, "cells.jsonl: another run uses it: process ") {
		t.Errorf("got exit code %d, %s", code, stderr)
	}
	held.Release()
	if code, _, stderr := runHere(context.Background(), args...); code != exitHolds || there(t, "cells.jsonl.lock") {
		t.Errorf("got exit code %d, %s", code, stderr)
	}
	check := []string{"check", "tiny-fetch-to-op-fixed", "--max-depth", "4", "--checkpoint", "d", "--no-progress"}
	if code, _, stderr := runHere(context.Background(), check...); code != exitInconclusive {
		t.Fatalf("got exit code %d, %s", code, stderr)
	}
	if held, err = lock.Take("d/lock"); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{check, {"resume", "d", "--no-progress"}} {
		if code, _, stderr := runHere(context.Background(), args...); code != exitData || !strings.Contains(stderr, "d: another run uses it: process ") {
			t.Errorf("%v: got exit code %d, %s", args, code, stderr)
		}
	}
	held.Release()
	if code, _, stderr := runHere(context.Background(), "resume", "d", "--max-depth", "0", "--no-progress"); code != exitHolds || there(t, "d/lock") {
		t.Errorf("got exit code %d, %s", code, stderr)
	}
}

// TestResumeElsewhere: a checkpoint names no file outside of the folders that the user named.
func TestResumeElsewhere(t *testing.T) {
	root := t.TempDir()
	t.Chdir(root)
	if err := errors.Join(os.MkdirAll("here/ck", 0o777), os.MkdirAll("else", 0o777), os.MkdirAll("cwd/sub", 0o777)); err != nil {
		t.Fatal(err)
	}
	t.Chdir("cwd")
	for _, test := range []struct {
		path string
		near bool
	}{
		{"run.json", true}, {"sub/run.json", true}, {"../here/run.json", true}, {filepath.Join(root, "here", "run.json"), true},
		{"../run.json", false}, {"../else/run.json", false}, {filepath.Join(root, "else", "run.json"), false},
	} {
		for _, output := range [][]string{{"--json", test.path}, {"--trace", "json=" + test.path}} {
			args := append([]string{"check", "tiny-fetch-to-op-old", "--max-depth", "4", "--checkpoint", "../here/ck", "--no-progress"}, output...)
			if code, _, stderr := runHere(context.Background(), args...); code != exitInconclusive {
				t.Fatalf("%v: got exit code %d, %s", args, code, stderr)
			}
			_ = os.Remove(test.path) // --trace has written none
			code, _, stderr := runHere(context.Background(), "resume", "../here/ck", "--max-depth", "0", "--no-progress")
			if test.near != (code == exitLiveness) || there(t, test.path) != test.near || !test.near && code != exitUsage {
				t.Errorf("%v: got exit code %d, %s", output, code, stderr)
			}
			if test.near {
				continue
			}
			again := append([]string{"resume", "../here/ck", "--max-depth", "0", "--no-progress"}, output...)
			if code, _, stderr := runHere(context.Background(), again...); code != exitLiveness || !there(t, test.path) {
				t.Errorf("%v: got exit code %d, %s", again, code, stderr)
			}
		}
	}
}

// TestUnwritableFolders are found before the search, with the exit code of an output, and a
// checkpoint that is lost in a search costs neither figures nor record.
func TestUnwritableFolders(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("file", nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, output := range [][]string{{"--checkpoint", "file"}, {"--checkpoint", "file/d"}, {"--spill-dir", "none"}, {"--spill-dir", "file"},
		{"--json", "none/x"}, {"--json", "file/x"}, {"--trace", "text=none/x"}} {
		code, stdout, stderr := runHere(context.Background(), append([]string{"check", "tiny-fetch-to-op-old", "--no-progress"}, output...)...)
		if code != exitOutput || strings.Contains(stdout, "VIOLATED") || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "cannot write") {
			t.Errorf("%v: got exit code %d, %s", output, code, stderr)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		for !there(t, "d/checkpoint.json") {
			time.Sleep(time.Millisecond)
		}
		// A level may be written at this moment, so the folder may come back; once a file has its
		// place, it cannot.
		for os.RemoveAll("d") != nil || os.WriteFile("d", nil, 0o666) != nil {
			time.Sleep(time.Millisecond)
		}
		time.Sleep(time.Second) // the next level comes within milliseconds, and cannot be written
		cancel()
	}()
	code, stdout, stderr := runHere(ctx, "check", "fetch-to-op-fixed", "--checkpoint", "d", "--checkpoint-every", "0s", "--no-progress", "--json", "run.json")
	if code != exitOutput || !strings.Contains(stdout, "distinct states found") || !there(t, "run.json") || !strings.Contains(stderr, "cannot write the checkpoint: ") {
		t.Errorf("got exit code %d, %s%s", code, stdout, stderr)
	}
}
