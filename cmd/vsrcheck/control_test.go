package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"vsrcheck/cmd/vsrcheck/internal/tell"
	"vsrcheck/specs"
)

// obeyed is the first character of a text that a terminal would obey, or "". The styles of
// this program are none.
func obeyed(text string) string {
	for _, r := range tell.StylePattern.ReplaceAllString(text, "") {
		if r != '\n' && r != '\t' && !unicode.IsGraphic(r) {
			return string(r)
		}
	}
	return ""
}

// TestControlCharacters has them in the names of files, in a specification, in a trace, in a
// record and on the command line: none is printed, and none is in a file that people look at.
func TestControlCharacters(t *testing.T) {
	spec, err := specs.Load("tiny-fetch-to-op-old")
	if err != nil {
		t.Fatal(err)
	}
	const evil = "a\x1b]0;title\x07\x1b[2J\x9b\u202e\u009bb"
	text := specs.Write(spec)
	text = "\\* Summary " + evil + "\n\\* more " + evil + "\n" + text[strings.Index(text, "SPECIFICATION"):]
	record, err := os.ReadFile(filepath.Join(runsDir, "tiny-fetch-to-op-old.json"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for name, data := range map[string]string{
		evil + ".cfg": text, "bad" + evil + ".cfg": text + evil, "word.cfg": text + "\nINVARIANT \"" + evil + "\"", evil + ".json": string(record),
		"spec.json": strings.Replace(string(record), `"tiny-fetch-to-op-old"`, `"\u001b[2Jx"`, 1), "list": "Request" + evil + "(replica 0)\n",
		"rule.json": strings.Replace(string(record), `"fetch_to_op"`, `"\u001b[2J"`, 1),
	} {
		if err := os.WriteFile(name, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{"check", evil + ".cfg", "--color", "always", "--trace", "text=t" + evil + ".txt", "--trace", "tla=T.tla", "--trace", "json=t.json", "--trace", "html=t.html", "--trace", "mermaid=t.mmd", "--trace", "itf=t.itf.json", "--json", "r" + evil + ".json"},
		{"check", evil + ".cfg", "--max-depth", "3", "--checkpoint", "d" + evil}, {"resume", "d" + evil}, {"resume", "none" + evil},
		{"check", "bad" + evil + ".cfg"}, {"check", "word.cfg"}, {"check", "none" + evil + ".cfg"}, {"check", evil}, {"check", evil + ".cfg", "--property", evil}, {"check", evil + ".cfg", "--" + evil}, {"check", evil + ".cfg", "-" + evil},
		{"check", evil + ".cfg", "--memory-limit", evil}, {"check", evil + ".cfg", "--fetch-to-op", evil}, {"check", evil + ".cfg", "--trace", evil}, {"check", evil + ".cfg", "--spill-dir", "none" + evil},
		{"explain", evil + ".cfg"}, {"explain", evil}, {"simulate", evil + ".cfg", "--num", "50"}, {"graph", evil + ".cfg", "--ops", "1"}, {"graph", evil + ".cfg", "--ops", "1", "--format", "json"},
		{"minimise", evil + ".cfg"}, {"minimise", evil + ".cfg", "--output", "out" + evil + ".cfg"}, {"matrix", evil + ".cfg", "--rules", "fetch_to_op", "--resume", "c" + evil, "--html", "m.html"},
		{"matrix", evil + ".cfg", "--rules", "fetch_to_op", "--resume", "c" + evil}, {"mend", evil + ".cfg", "--rules", "fetch_to_op"},
		{"replay", evil + ".json"}, {"replay", "spec.json", "--trace", "text=s.txt"}, {"replay", "rule.json"}, {"replay", "t.json", "--trace", "text=again.txt", "--trace", "tla=Again.tla"}, {"replay", "t.itf.json"}, {"replay", "none" + evil},
		{"step", evil + ".cfg", "--actions", "list"}, {"step", evil + ".cfg", "--actions", evil + ".json"}, {"list", evil}, {"help", evil}, {evil}, {"manifest", evil}, {"table", "--dir", evil},
		{"crosscheck", evil + ".cfg", "--tlc", "false"}, {"crosscheck", "--from", evil},
	} {
		code, stdout, stderr := runHere(context.Background(), append(args, "--no-progress")[:len(args)+progressOf(args[0])]...)
		if at := obeyed(stdout); at != "" {
			t.Errorf("%q: %q is on standard output: %.300q", args, at, stdout)
		}
		if at := obeyed(stderr); at != "" {
			t.Errorf("%q: %q is on standard error: %.300q", args, at, stderr)
		}
		if code == exitInternal {
			t.Errorf("%q: got exit code %d, %s", args, code, stderr)
		}
	}
	files, err := filepath.Glob("*")
	if err != nil {
		t.Fatal(err)
	}
	written := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if strings.HasSuffix(file, ".cfg") && !strings.HasPrefix(file, "out") || file == "list" || err != nil {
			continue // they are the user's, or folders
		}
		written++
		if at := obeyed(string(data)); at != "" {
			t.Errorf("%q has %q", file, at)
		}
	}
	if written < 12 {
		t.Errorf("got %d files, want more", written)
	}
}

// progressOf is 1 for the commands that have --no-progress.
func progressOf(name string) int {
	c, known := findCommand(name)
	if !known || c.groups == nil {
		return 0
	}
	_, groups := c.groups()
	for _, g := range groups {
		if g.flags.Lookup("no-progress") != nil {
			return 1
		}
	}
	return 0
}
