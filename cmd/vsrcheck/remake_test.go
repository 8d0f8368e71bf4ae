package main

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vsrcheck/results"
)

var (
	remake      = flag.Uint64("remake", 0, "make the records of results/ again that have at most so many distinct states")
	remakeNamed = flag.String("remake-only", "", "of these, the ones whose path has this in it")
)

// TestRemakeRecords makes records again, each by the command line that stands in it, and with
// them what is printed beside them. It does so on request only:
//
//	go test ./cmd/vsrcheck -run TestRemakeRecords -remake 30000000 -timeout 2h
//
// Afterwards `go test ./results ./cmd/vsrcheck -update` writes the tables anew.
func TestRemakeRecords(t *testing.T) {
	if *remake == 0 {
		t.Skip("on request only, see its documentation")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "vsrcheck")
	build := exec.Command("go", "build", "-o", program, "./cmd/vsrcheck")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	made := 0
	for _, dir := range []string{"results", "results/networks", "results/reductions"} {
		records, err := results.ReadAll(filepath.Join(root, dir))
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range records {
			file := filepath.Join(dir, filepath.Base(r.File))
			if r.Distinct > *remake || len(r.CommandLine) < 2 || r.CommandLine[1] != "check" || !strings.Contains(file, *remakeNamed) {
				continue
			}
			if !slices.Contains(r.CommandLine, file) {
				t.Errorf("%s: its command line %v does not write it", file, r.CommandLine)
				continue
			}
			t.Run(file, func(t *testing.T) {
				run := exec.Command(program, r.CommandLine[1:]...)
				run.Dir = root
				var stdout, stderr bytes.Buffer
				run.Stdout, run.Stderr = &stdout, &stderr
				var exit *exec.ExitError
				if err := run.Run(); err != nil && !errors.As(err, &exit) {
					t.Fatal(err)
				}
				if code := run.ProcessState.ExitCode(); code < 0 || slices.Contains([]int{exitUsage, exitData, exitInternal, exitOutput, exitMeaning, exitSyntax, exitSizes}, code) {
					t.Fatalf("%v: exit code %d: %s", r.CommandLine, code, &stderr)
				}
				text := filepath.Join(root, strings.TrimSuffix(file, ".json")+".txt")
				if _, err := os.Stat(text); err == nil {
					if err := os.WriteFile(text, stdout.Bytes(), 0o644); err != nil {
						t.Fatal(err)
					}
				}
			})
			made++
		}
	}
	if made == 0 {
		t.Error("no record was made")
	}
}
