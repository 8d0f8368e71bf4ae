package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"vsrcheck/specs"
)

// streamed runs the program in another process, with a text on standard input and one, if it
// is not "", in the pipe /dev/fd/3.
func streamed(t *testing.T, stdin, pipe string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Args = append([]string{"vsrcheck"}, args...)
	cmd.Dir = t.TempDir()
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errs
	if pipe != "" {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		cmd.ExtraFiles = []*os.File{r}
		go func() {
			_, _ = io.WriteString(w, pipe) // who does not read it says why
			_ = w.Close()
		}()
		defer r.Close()
	}
	err = cmd.Run()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

// TestStreams: a specification, a trace and a record may come from standard input or from a
// pipe, in every command that reads one.
func TestStreams(t *testing.T) {
	spec, err := specs.Load("tiny-fetch-to-op-fixed")
	if err != nil {
		t.Fatal(err)
	}
	spec.Config.Ops = 2
	text := specs.Write(spec)
	record, err := os.ReadFile(filepath.Join(runsDir, "tiny-fetch-to-op-old.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"check", "@", "--no-progress"}, exitHolds, "HOLDS"},
		{[]string{"simulate", "@", "--num", "1", "--no-progress"}, exitInconclusive, "INCONCLUSIVE"},
		{[]string{"graph", "@", "--ops", "1"}, exitHolds, "digraph"},
		{[]string{"minimise", "@", "--no-progress"}, exitHolds, "HOLDS"},
		{[]string{"matrix", "@", "--rules", "fetch_to_op", "--no-progress"}, exitHolds, "DECIDED"},
		{[]string{"mend", "@", "--no-progress"}, exitHolds, "HOLDS"},
		{[]string{"explain", "@"}, exitHolds, "config"},
		{[]string{"crosscheck", "@", "--tlc", "false"}, exitDiffers, ""},
		{[]string{"replay", "@"}, exitLiveness, "REPRODUCED"},
		{[]string{"replay", "../none.json", "--spec", "@"}, exitData, ""},
	} {
		for _, name := range []string{"-", "/dev/stdin", "/dev/fd/3"} {
			in, pipe := text, ""
			if test.args[0] == "replay" {
				in = string(record)
			}
			if name == "/dev/fd/3" {
				in, pipe = "", in
			}
			var args []string
			for _, arg := range test.args {
				args = append(args, strings.ReplaceAll(arg, "@", name))
			}
			code, stdout, stderr := streamed(t, in, pipe, args...)
			if test.args[0] == "crosscheck" {
				if strings.Contains(stderr, "regular") || strings.Contains(stderr, "unknown specification") {
					t.Errorf("%v: got exit code %d, %s", args, code, stderr)
				}
				continue
			}
			if code != test.code || !strings.Contains(stdout, test.want) {
				t.Errorf("%v: got exit code %d, %s%s", args, code, stdout, stderr)
			}
		}
	}
	// There is one standard input.
	for _, args := range [][]string{{"replay", "-", "--spec", "-"}, {"matrix", "-", "-"}, {"crosscheck", "-", "-"}, {"step", "-"}, {"step", "tiny-fetch-to-op-old", "--actions", "-"}} {
		in := text
		if args[0] == "replay" {
			in = string(record)
		}
		if code, _, stderr := streamed(t, in, "", args...); code != exitUsage || !strings.Contains(stderr, "want a file for one of the two") && !strings.Contains(stderr, "twice") {
			t.Errorf("%v: got exit code %d, %s", args, code, stderr)
		}
	}
	if code, stdout, stderr := streamed(t, "trace", text, "step", "/dev/fd/3", "--trace-states", "none"); code != exitHolds || !strings.Contains(stdout, "trace of this walk") {
		t.Errorf("step: got exit code %d, %s%s", code, stdout, stderr)
	}
	if code, stdout, stderr := streamed(t, "Request(replica 0)\n", "", "step", "tiny-fetch-to-op-old", "--actions", "/dev/stdin"); code != exitHolds || !strings.Contains(stdout, "1 step from /dev/stdin") {
		t.Errorf("step: got exit code %d, %s%s", code, stdout, stderr)
	}
	// A stream that does not end is not read to its end.
	for _, args := range [][]string{{"check", "/dev/zero"}, {"replay", "/dev/zero"}, {"step", "tiny-fetch-to-op-old", "--actions", "/dev/zero"}, {"matrix", "--sizes", "/dev/zero"}} {
		if code, _, stderr := streamed(t, "", "", args...); code == exitHolds || !strings.Contains(stderr, "more than") {
			t.Errorf("%v: got exit code %d, %s", args, code, stderr)
		}
	}
}

// TestStdoutFiles: what - names as a file is alone on standard output, and what is printed for
// people is on standard error, in every command that writes a file.
func TestStdoutFiles(t *testing.T) {
	for _, args := range [][]string{
		{"check", "tiny-fetch-to-op-old", "--json", "-"}, {"check", "tiny-fetch-to-op-old", "--trace", "json=-"}, {"check", "tiny-fetch-to-op-old", "--trace", "itf=-", "--json", "x"},
		{"simulate", "tiny-fetch-to-op-old", "--json=-"}, {"minimise", "tiny-fetch-to-op-old", "--json", "-", "--output", "x.cfg"},
		{"matrix", "tiny-fetch-to-op-old:fetch_to_op", "--json", "-", "--html", "x.html"}, {"mend", "tiny-fetch-to-op-old", "--rules", "fetch_to_op", "--json", "-"},
		{"replay", "tiny.json", "--trace", "json=-"},
	} {
		if args[0] != "replay" {
			args = append(args, "--no-progress")
		} else {
			path, err := filepath.Abs(filepath.Join(runsDir, "tiny-fetch-to-op-old.json"))
			if err != nil {
				t.Fatal(err)
			}
			args[1] = path
		}
		code, stdout, stderr := streamed(t, "", "", args...)
		if !json.Valid([]byte(stdout)) || !strings.Contains(stderr, "tiny-fetch-to-op-old") || code != exitLiveness && code != exitHolds {
			t.Errorf("%v: got exit code %d, %.300s\n%.300s", args, code, stdout, stderr)
		}
	}
	if _, stdout, stderr := streamed(t, "", "", "minimise", "tiny-fetch-to-op-old", "--output", "-", "--no-progress"); !strings.HasPrefix(stdout, `\*`) || !strings.Contains(stderr, "MINIMISED") {
		t.Errorf("minimise: got %.300s\n%.300s", stdout, stderr)
	}
	for _, args := range [][]string{
		{"check", "tiny-fetch-to-op-old", "--json", "-", "--trace", "json=-"}, {"check", "tiny-fetch-to-op-old", "--trace", "itf=-", "--trace", "json=-"},
		{"minimise", "tiny-fetch-to-op-old", "--json", "-", "--output", "-"}, {"matrix", "--json", "-", "--html", "-"},
	} {
		if code, stdout, stderr := streamed(t, "", "", args...); code != exitUsage || stdout != "" {
			t.Errorf("%v: got exit code %d, %s", args, code, stderr)
		}
	}
}
