//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"vsrcheck/cmd/vsrcheck/internal/tell"
)

// exitOf is the exit code of a process that has ended.
func exitOf(err error) int {
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		return ended.ExitCode()
	}
	return 0
}

// TestSignals: each of the interrupts leaves figures, a record and a checkpoint, and the exit
// code of an interrupt.
func TestSignals(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		cmd := process(t, "check", "fetch-to-op-fixed", "--checkpoint", "d", "--checkpoint-every", "0s", "--json", "run.json", "--no-progress", "--workers", "1")
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for !there(t, filepath.Join(cmd.Dir, "d", "checkpoint.json")) {
			time.Sleep(time.Millisecond)
		}
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		err := cmd.Wait()
		if exitOf(err) != exitInterrupted || !strings.Contains(out.String(), "vsrcheck resume d goes on") ||
			!there(t, filepath.Join(cmd.Dir, "run.json")) || !there(t, filepath.Join(cmd.Dir, "d", "checkpoint.json")) {
			t.Errorf("%s: got %v\n%s", sig, err, out.String())
		}
	}
}

// TestNohup: a terminal that may go ends nothing.
func TestNohup(t *testing.T) {
	t.Parallel()
	cmd := process(t, "check", "fetch-to-op-fixed", "--checkpoint", "d", "--checkpoint-every", "0s", "--no-progress", "--workers", "1", "--time-limit", "2s")
	cmd.Args = append([]string{"sh", "-c", `trap "" HUP; exec -a vsrcheck "$0" "$@"`, cmd.Path}, cmd.Args[1:]...)
	path, err := exec.LookPath("bash")
	if err != nil {
		t.Skip(err)
	}
	cmd.Path = path
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for began := time.Now(); !there(t, filepath.Join(cmd.Dir, "d", "checkpoint.json")) && time.Since(began) < time.Minute; {
		time.Sleep(time.Millisecond)
	}
	if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); exitOf(err) != exitInconclusive {
		t.Errorf("got %v, want the time limit", err)
	}
}

// TestReadersThatLeave: the search goes on, the files are written, and the exit code tells.
func TestReadersThatLeave(t *testing.T) {
	t.Parallel()
	for _, gone := range []string{"stdout", "stderr", "both"} {
		cmd := process(t, "check", "fetch-to-op-fixed", "--time-limit", "1500ms", "--json", "run.json", "--progress", "json", "--workers", "1")
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		if gone != "stderr" {
			cmd.Stdout = w
		}
		if gone != "stdout" {
			cmd.Stderr = w
		}
		r.Close()
		err = cmd.Run()
		w.Close()
		if exitOf(err) != exitOutput || !there(t, filepath.Join(cmd.Dir, "run.json")) {
			t.Errorf("%s: got %v, want exit code %d and a record", gone, err, exitOutput)
		}
		if gone == "stdout" && !strings.Contains(errs.String(), "vsrcheck: cannot write standard output: ") {
			t.Errorf("got %q", errs.String())
		}
		if gone == "stderr" && !strings.Contains(out.String(), "INCONCLUSIVE fetch-to-op-fixed: time limit") {
			t.Errorf("got %q", out.String())
		}
	}
}

// TestReadEnough: what only prints says nothing of a reader that leaves, as with head.
func TestReadEnough(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"list"}, {"explain", "glossary"}, {"table", "--dir", runsDir + "/.."}, {"help"}, {"version"}, {"completion", "zsh"}} {
		cmd := process(t, args...)
		cmd.Dir = "." // the records are named from here
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		var errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = w, &errs
		if err := cmd.Run(); exitOf(err) != exitOutput || errs.Len() != 0 {
			t.Errorf("%v: got %v, %s", args, err, &errs)
		}
		w.Close()
	}
}

// fillPipe fills a pipe, so that it blocks who writes to it.
func fillPipe(t *testing.T, w *os.File) {
	t.Helper()
	for {
		if err := w.SetWriteDeadline(time.Now().Add(100 * time.Millisecond)); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(make([]byte, 4096)); err != nil {
			return
		}
	}
}

// TestStalledReader: who does not read standard error holds up nothing, and costs no verdict.
func TestStalledReader(t *testing.T) {
	t.Parallel()
	cmd := process(t, "check", "fetch-to-op-fixed", "--time-limit", "2500ms", "--json", "run.json", "--progress", "json", "--workers", "1")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	fillPipe(t, w)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	if err := cmd.Wait(); exitOf(err) != exitInconclusive || !strings.Contains(out.String(), "INCONCLUSIVE") || !there(t, filepath.Join(cmd.Dir, "run.json")) {
		t.Errorf("got %v\n%s", err, out.String())
	}
}

// TestStalledOutput: who does not read standard output holds up neither the search nor the
// files, whatever is written there. The end waits for the reader, but not once it has been
// interrupted.
func TestStalledOutput(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"check", "tiny-fetch-to-op-old", "--checkpoint", "d", "--json", "run.json", "--trace", "text=t.txt"},
		{"check", "tiny-fetch-to-op-old", "--checkpoint", "d", "--json", "run.json", "--trace", "text=-"},
		{"check", "tiny-fetch-to-op-old", "--checkpoint", "d", "--json", "-", "--trace", "text=t.txt"},
		{"simulate", "tiny-fetch-to-op-old", "--json", "run.json"},
		{"matrix", "tiny-fetch-to-op-old", "--rules", "fetch_to_op", "--json", "run.json"},
		{"mend", "tiny-fetch-to-op-old", "--rules", "fetch_to_op", "--json", "run.json"},
		{"minimise", "tiny-fetch-to-op-old", "--json", "run.json"},
	} {
		t.Run(args[0], func(t *testing.T) {
			t.Parallel()
			cmd := process(t, append(args, "--no-progress")...)
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			fillPipe(t, w)
			var errs bytes.Buffer
			cmd.Stdout, cmd.Stderr = w, &errs
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			late := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
			file := "run.json"
			if strings.Contains(strings.Join(args, " "), "--json -") {
				file = "t.txt"
			}
			for began := time.Now(); !there(t, filepath.Join(cmd.Dir, file)) && time.Since(began) < time.Minute; {
				time.Sleep(time.Millisecond)
			}
			time.Sleep(100 * time.Millisecond)
			if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Errorf("%v: it has not waited: %v", args, err)
			}
			err = cmd.Wait()
			if exitOf(err) != exitOutput || !strings.Contains(errs.String(), "cannot write standard output: nobody reads it") {
				t.Errorf("%v: got %v, %s", args, err, errs.String())
			}
			if args[0] == "check" && (!there(t, filepath.Join(cmd.Dir, "d", "checkpoint.json")) || !strings.Contains(errs.String(), "vsrcheck resume d goes on")) {
				t.Errorf("%v: the checkpoint has gone: %s", args, errs.String())
			}
			late.Stop()
			r.Close()
			w.Close()
		})
	}
}

// TestNobodyReads: an output that nobody takes is given up in the end.
func TestNobodyReads(t *testing.T) {
	before := tell.PagerPatience
	tell.PagerPatience = 20 * time.Millisecond
	defer func() { tell.PagerPatience = before }()
	_, w := io.Pipe()
	if code := run(context.Background(), []string{"version"}, w, io.Discard); code != exitOutput {
		t.Errorf("got exit code %d of a version that nobody reads", code)
	}
}

// TestPatientWriter: what is read in time is complete and in order; after a stall it goes on.
func TestPatientWriter(t *testing.T) {
	r, w := io.Pipe()
	p := tell.NewPatientWriter(w)
	p.Patience = 20 * time.Millisecond
	for _, text := range []string{"one\n", "two\n", "three\n"} {
		if n, err := p.Write([]byte(text)); n != len(text) || err != nil {
			t.Fatalf("got %d, %v", n, err)
		}
	}
	read := func(want string) {
		t.Helper()
		got := make([]byte, len(want))
		if _, err := io.ReadFull(r, got); err != nil || string(got) != want {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
	}
	read("one\n") // the others are lost
	time.Sleep(10 * time.Millisecond)
	p.Patience = time.Minute
	go func() { _, _ = p.Write([]byte("four\n")) }()
	read("four\n")
	if err := p.Lost(); err != nil {
		t.Error(err)
	}
	r.CloseWithError(errors.New("gone"))
	_, _ = p.Write([]byte("five\n"))
	if err := p.Lost(); err == nil || err.Error() != "cannot write standard error: gone" {
		t.Errorf("got %v", err)
	}
	if code := run(context.Background(), []string{"nothing"}, io.Discard, brokenPipe{}); code != exitUsage {
		t.Errorf("got exit code %d of a wrong command line that nobody reads of", code)
	}
}
