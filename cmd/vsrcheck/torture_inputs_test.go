//go:build unix

package main

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
)

// tortureOfInputs is what readers are given.
func tortureOfInputs() []kindOfTrial {
	var kinds []kindOfTrial
	for _, in := range readers {
		kinds = append(kinds, kindOfTrial{in.name, []string{"refused"}, func(tr *trial) {
			for range 3 { // each takes a moment only
				tr.input(in)
			}
		}})
	}
	return kinds
}

// reader is a command that reads something.
type reader struct {
	name string
	// files are what there is to change, below the folder results or specs, as patterns.
	files []string
	// as is the name that what was changed is given, and args are the command line.
	as   string
	args []string
	// own makes what there is to change, when no file has it.
	own func(tr *trial) []byte
	// stdin has it come on standard input.
	stdin bool
	// codes are the exit codes of an input that can be read, whatever it says.
	codes []int
}

// walked are the exit codes of a trace that can be read.
var walked = []int{exitHolds, exitDeadlock, exitSafety, exitLiveness, exitDiverged, exitSizes, exitInconclusive, exitAssumption, exitMeaning}

var readers = []reader{
	{name: "trace, json", own: traceIn("json"), as: "x", args: []string{"replay", "x"}, codes: walked},
	{name: "trace, itf", own: traceIn("itf"), as: "x", args: []string{"replay", "x", "--trace", "json=y"}, codes: walked},
	{name: "trace, standard input", own: traceIn("json"), stdin: true, args: []string{"replay", "-"}, codes: walked},
	{name: "trace, a record", files: []string{"results/runs/*.json", "results/runs/finding-*.json"}, as: "x", args: []string{"replay", "x"}, codes: walked},
	{name: "actions, text", own: traceIn("text"), as: "x", args: []string{"step", "tiny-fetch-to-op-old", "--actions", "x"}, codes: []int{exitHolds}},
	{name: "actions, json", own: traceIn("json"), as: "x", args: []string{"step", "tiny-fetch-to-op-old", "--actions", "x"}, codes: []int{exitHolds, exitSizes, exitMeaning}},
	{name: "script of step", own: func(*trial) []byte { return []byte(stepScript) }, stdin: true, args: []string{"step", "tiny-fetch-to-op-old"}, codes: []int{exitHolds}},
	{name: "specification", files: []string{"specs/*/*.cfg"}, as: "x.cfg",
		args: []string{"check", "x.cfg", "--max-states", "3000", "--timeout", "5s", "--no-progress", "--memory-limit", "200MB"},
		// Changed, it may be one of which anything is true.
		codes: []int{exitHolds, exitAssumption, exitDeadlock, exitSafety, exitLiveness, exitInconclusive, exitMemory, exitMeaning, exitSyntax, exitSizes}},
	{name: "specification, explained", files: []string{"specs/*/*.cfg"}, as: "x.cfg", args: []string{"explain", "./x.cfg"}, codes: []int{exitHolds, exitMeaning, exitSyntax, exitSizes}},
	{name: "records of a table", files: []string{"results/runs/*.json"}, as: "d/runs/x.json", args: []string{"table", "--dir", "d"}, codes: []int{exitHolds}},
	{name: "matrix of a table", files: []string{"results/runs/matrix/matrix.json"}, as: "d/runs/matrix/matrix.json", args: []string{"table", "--dir", "d"}, codes: []int{exitHolds}},
	{name: "answers of mend of a table", files: []string{"results/runs/mend/*.json"}, as: "d/runs/mend/x.json", args: []string{"table", "--dir", "d"}, codes: []int{exitHolds}},
	{name: "document with tables", files: []string{"results/README.md"}, as: "x.md", args: []string{"table", "--dir", ".", "--write", "x.md"}, codes: []int{exitHolds, exitOutput}},
	{name: "manifest", files: []string{"specs/manifest.json"}, as: "x.json", args: []string{"manifest", "zoo-reack", "--update", "--file", "x.json"}, codes: []int{exitHolds, exitMeaning, exitUsage}},
}

const stepScript = "1\nenabled\nstate\n2\nback 1\ntrace\nprops\n4\nundo 2\nRequest(replica 0)\nenabled\nhelp\n"

// traceIn makes a trace in a format.
func traceIn(format string) func(tr *trial) []byte {
	return func(tr *trial) []byte {
		spec := pick(tr.Rand, "tiny-fetch-to-op-old", "zoo-reack", "zoo-learned-commit")
		tr.run("check", spec, "--trace", format+"=made", "--no-progress")
		data, err := os.ReadFile(tr.path("made"))
		tr.must(err)
		return data
	}
}

// input gives a reader something that was changed. It reads it or refuses it, and says where
// its fault is, in one line.
func (tr *trial) input(in reader) {
	data := tr.original(in)
	changed := data
	for range 1 + tr.IntN(3) {
		if how := tr.IntN(3); how == 0 && len(changed) > 0 {
			changed = forge(tr.Rand, changed)
		} else {
			changed = mutate(tr.Rand, changed)
		}
	}
	var cmd *exec.Cmd
	if in.stdin {
		cmd = tr.process(in.args...)
		cmd.Stdin = bytes.NewReader(changed)
	} else {
		tr.must(os.MkdirAll(filepath.Dir(tr.path(in.as)), 0o777))
		tr.must(os.WriteFile(tr.path(in.as), changed, 0o666))
		cmd = tr.process(in.args...)
	}
	kept := func(e ended, why string) {
		tr.giveUp("%s: exit code %d, %q; the input is\n%.3000q", why, e.code, e.errs, changed)
	}
	e := tr.finish(cmd, nil)
	// Of what is no program's own a kilobyte a byte is more than anything needs.
	if used, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok && used.Maxrss > 1<<20 {
		kept(e, "it takes a gigabyte")
	}
	if e.took > time.Minute {
		kept(e, "it takes long")
	}
	if strings.ContainsFunc(e.out+e.errs, func(c rune) bool { return c < ' ' && c != '\n' && c != '\t' || c >= 0x7f && c < 0xa0 }) {
		kept(e, "it prints control characters")
	}
	switch {
	case slices.Contains(in.codes, e.code) && !isError(e):
		tr.count("read")
	case !isError(e) && e.code != exitUsage:
		kept(e, "an unexpected code without an error")
	case !slices.Contains(append([]int{exitData, exitUsage, exitSyntax, exitMeaning, exitSizes}, in.codes...), e.code):
		kept(e, "an unexpected code")
	case strings.Count(e.errs, "\n") != 1:
		kept(e, "an error of several lines")
	default:
		tr.count("refused")
	}
}

// isError reports whether a command has ended with an error.
func isError(e ended) bool { return strings.HasPrefix(e.errs, "vsrcheck: ") }

// original is what is to be changed.
func (tr *trial) original(in reader) []byte {
	if in.own != nil {
		return in.own(tr)
	}
	var paths []string
	for _, pattern := range in.files {
		some, err := filepath.Glob(filepath.Join("..", "..", pattern))
		tr.must(err)
		paths = append(paths, some...)
	}
	if len(paths) == 0 {
		tr.giveUp("no file matches %v", in.files)
	}
	slices.Sort(paths)
	data, err := os.ReadFile(pick(tr.Rand, paths...))
	tr.must(err)
	return data
}

// tokens matches what a text is made of.
var tokens = regexp.MustCompile(`"(?:[^"\\\n]|\\.)*"|[0-9]+|[A-Za-z_]+|[^\sA-Za-z0-9_]`)

// mutate changes a text as a mistake or malice would.
func mutate(r *rand.Rand, text []byte) []byte {
	if len(text) == 0 {
		return []byte(pick(r, "{", "[", "\x00", "\xef\xbb\xbf", "x\n"))
	}
	text = bytes.Clone(text)
	at := r.IntN(len(text))
	end := min(len(text), at+1+r.IntN(1+r.IntN(200)))
	switch r.IntN(10) {
	case 0:
		text[at] ^= 1 << r.IntN(8)
		return text
	case 1:
		return text[:at]
	case 2:
		return slices.Delete(text, at, end)
	case 3:
		return slices.Insert(text, at, bytes.Clone(text[at:end])...)
	case 4:
		some := make([]byte, 1+r.IntN(20))
		for i := range some {
			some[i] = byte(r.Uint32())
		}
		return slices.Insert(text, at, some...)
	case 5:
		return slices.Insert(text, at, bytes.Repeat([]byte(pick(r, "[", "{\"a\":", "(", "1,", "-", "\n", " ")), 1+r.IntN(100_000))...)
	case 6:
		return slices.Insert(text, at, []byte(pick(r, "\x1b[31m", "\u202e", "\r", "\x00", "\xff\xfe", "\u2028", "99999999999999999999", "-1", "\"", "null", "é"))...)
	case 7:
		return append([]byte(pick(r, "\xef\xbb\xbf", "\xff\xfe", "#!", "\n\n", " ")), text...)
	}
	all := tokens.FindAllIndex(text, -1)
	if len(all) < 2 {
		return text
	}
	a, b := pick(r, all...), pick(r, all...)
	return slices.Concat(text[:a[0]], text[b[0]:b[1]], text[a[1]:])
}
