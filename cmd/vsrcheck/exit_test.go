package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vsrcheck/cmd/vsrcheck/internal/job"
)

// TestUnreadable has each kind of data missing, cut off, of another kind and a folder, in every
// command that reads it: an exit code says what is to be mended, whoever finds it.
func TestUnreadable(t *testing.T) {
	root, err := filepath.Abs("../../results")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	read := func(name string) string {
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	record := read("runs/tiny-fetch-to-op-old.json")
	trace := read("runs/traces/as-reported-small.json")
	for name, good := range map[string]string{"record": record, "matrix": read("runs/matrix/matrix.json"), "mend": read("runs/mend/fetch-to-op-old.json"), "trace": trace} {
		for fault, text := range map[string]string{
			"nothing": "", "cut off": good[:len(good)/2], "another schema": strings.Replace(strings.Replace(good, `"schema": 1`, `"schema": 99`, 1), `"version": 1,`, `"version": 99,`, 1),
			"another member": strings.Replace(good, "{", `{"x": 1,`, 1), "no JSON": "x", "a list": "[]", "UTF-16": "\xff\xfe{\x00",
			"a reduction": strings.Replace(good, `"reduction": "`, `"reduction": "other`, 1),
		} {
			if text == good {
				continue
			}
			for _, file := range []string{"d/runs/x.json", "d/x.json", "m/runs/matrix/matrix.json", "e/runs/mend/x.json", "c/x.json"} {
				if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o600)); err != nil {
					t.Fatal(err)
				}
			}
			var commands [][]string
			switch name {
			case "record", "trace":
				commands = append(commands, []string{"replay", "d/x.json"}, []string{"step", "tiny-fetch-to-op-old", "--actions", "d/x.json"})
			}
			switch {
			case name == "record" && fault != "a reduction":
				commands = append(commands, []string{"table", "--dir", "d"}, []string{"table", "--dir", "d", "--reductions"}, []string{"crosscheck", "--from", "c"})
			case name == "matrix" && fault != "a reduction":
				commands = append(commands, []string{"table", "--dir", "m"})
			case name == "mend" && fault != "a reduction":
				commands = append(commands, []string{"table", "--dir", "e"})
			}
			for _, args := range commands {
				if args[0] == "step" && fault == "nothing" || args[0] == "step" && fault == "a reduction" {
					continue // no actions are no mistake, and a walk has a reduction of its own
				}
				if code, stdout, stderr := runHere(context.Background(), args...); code != exitData || stdout != "" || strings.Count(stderr, "\n") != 1 {
					t.Errorf("%s, %s: %v: got exit code %d, %.300s%.300s", name, fault, args, code, stdout, stderr)
				}
			}
		}
	}
	for _, args := range [][]string{
		{"replay", "none"}, {"replay", "."}, {"step", "tiny-fetch-to-op-old", "--actions", "none"}, {"step", "tiny-fetch-to-op-old", "--actions", "."}, {"resume", "none"}, {"resume", "."},
		{"table", "--dir", "none"}, {"table", "--dir", "none", "--reductions"}, {"crosscheck", "--from", "none"}, {"crosscheck", "--speed", "--from", "none"},
	} {
		if code, _, stderr := runHere(context.Background(), args...); code != exitData || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%v: got exit code %d, %s", args, code, stderr)
		}
	}
	for _, args := range [][]string{{"check"}, {"simulate"}, {"step"}, {"graph"}, {"explore"}, {"minimise"}, {"mend"}, {"matrix"}, {"explain"}, {"crosscheck"}, {"replay", filepath.Join(root, "runs/tiny-fetch-to-op-old.json"), "--spec"}} {
		for _, path := range []string{"none.cfg", "./none", "./"} {
			if code, _, stderr := runHere(context.Background(), append(args, path)...); code != exitSyntax || strings.Count(stderr, "\n") != 1 {
				t.Errorf("%v %s: got exit code %d, %s", args, path, code, stderr)
			}
		}
	}
	if code := codeOfError(&fs.PathError{Op: "mkdir", Path: "x", Err: fs.ErrPermission}); code != exitOutput {
		t.Errorf("a folder that cannot be made: got exit code %d", code)
	}
}

// TestExitCodes: every way in which a run ends has a code of its own, and every code is in the
// table once.
func TestExitCodes(t *testing.T) {
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
	ends := map[int]job.Ending{}
	for end := job.EndHolds; end <= job.EndFailed; end++ {
		code := codeOf(end)
		if other, twice := ends[code]; twice || !seen[code] {
			t.Errorf("end %d has the exit code %d, which is not in the table or that of %d", end, code, other)
		}
		ends[code] = end
	}
}
