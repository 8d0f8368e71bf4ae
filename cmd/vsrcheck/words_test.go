package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vsrcheck/cmd/vsrcheck/internal/behaviour"
	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/cmd/vsrcheck/internal/tell"
	"vsrcheck/model"
	"vsrcheck/results/trace"
)

// printedWords are the words of the traces, tables and explanations of published runs, of
// their echoes and reports, and of the members of a trace's states.
func printedWords(t *testing.T) map[string]string {
	t.Helper()
	variables, err := behaviour.Variables()
	if err != nil {
		t.Fatal(err)
	}
	words := map[string]string{} // with a text that has it
	pattern := regexp.MustCompile(`[A-Za-z][A-Za-z_-]*[A-Za-z]`)
	add := func(text string) {
		// A table breaks the names of its columns.
		text = regexp.MustCompile(`\b(log_|commit_) `).ReplaceAllString(text, " ")
		for _, w := range pattern.FindAllString(text, -1) {
			words[w] = text
		}
	}
	var paths []string
	for _, dir := range []string{runsDir, "../../results/runs/networks"} {
		found, err := filepath.Glob(filepath.Join(dir, "*.json"))
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, found...)
	}
	told := 0
	for _, path := range paths {
		recorded, err := trace.ReadFile(path, variables)
		if err != nil {
			continue // a run that found nothing, or no record
		}
		o := behaviour.Again{Settings: job.NewSettings()}
		r, err := o.Prepare(path, recorded)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Run(); err != nil {
			t.Fatal(err)
		}
		theTrace := behaviour.Trace(r.Job, r.Property.Name, "liveness", r.Behaviour, -1)
		told++
		add(theTrace.Explanation)
		for i, s := range theTrace.Steps {
			if i%4 == 0 || i == len(theTrace.Steps)-1 {
				add(s.State)
			}
			add(s.Action + "\n" + strings.Join(s.Notes, "\n") + "\n" + strings.Join(s.Changes, "\n"))
		}
	}
	if told < 60 {
		t.Errorf("got the words of %d traces, want more", told)
	}
	for _, args := range [][]string{{"check", "tiny-fetch-to-op-old"}, {"check", "fetch-to-op-old-small", "--max-states", "99"}, {"simulate", "tiny-fetch-to-op-old", "--num", "20"}} {
		_, stdout, _ := runHere(context.Background(), append(args, "--trace-states", "none", "--no-progress")...)
		for line := range strings.Lines(stdout) {
			if line[0] != ' ' && len(line) > tell.LabelWidth && line[tell.LabelWidth-1] == ' ' {
				add(strings.ReplaceAll(strings.TrimSpace(line[:tell.LabelWidth]), " ", "-")) // a label of two words is one name
			}
		}
	}
	var members func(of trace.Type)
	members = func(of trace.Type) {
		for _, f := range of.Fields {
			add(f.Name)
			members(f.Type)
		}
		for _, part := range []*trace.Type{of.Elem, of.Key} {
			if part != nil {
				members(*part)
			}
		}
	}
	for _, v := range variables {
		add(v.Name)
		members(v.Type)
	}
	return words
}

// TestEveryWord: whatever a trace, a table, an echo or a report prints can be explained, or is
// plain English: a list of that is beside this test.
func TestEveryWord(t *testing.T) {
	text, err := os.ReadFile("testdata/plain-words.txt")
	if err != nil {
		t.Fatal(err)
	}
	plain := strings.Fields(string(text))
	entries, err := tell.Explanations(func(*tell.Page) {})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range model.Catalogue() {
		plain = append(plain, r.AlternativeNames()...) // a trace says them beside the name of their rule
	}
	var missing []string
	for w, where := range printedWords(t) {
		known := slices.ContainsFunc(entries, func(e tell.Explanation) bool { return e.Called(w) || e.Called(strings.ReplaceAll(w, "-", " ")) })
		isPlain := slices.Contains(plain, strings.ToLower(w))
		switch {
		case !known && !isPlain:
			missing = append(missing, strings.ToLower(w))
			t.Errorf("%s cannot be explained: %.200s", w, where)
		}
	}
	if len(missing) > 0 {
		slices.Sort(missing)
		t.Logf("missing: %s", strings.Join(slices.Compact(missing), " "))
	}
}

// TestGlossary prints all of it, and each word of it by itself.
func TestGlossary(t *testing.T) {
	code, stdout, _ := runHere(context.Background(), "explain", "glossary")
	if code != exitHolds {
		t.Fatalf("got exit code %d", code)
	}
	entries, err := tell.Explanations(func(*tell.Page) {})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, g := range tell.Glossary() {
		for _, name := range append([]string{g.Word}, strings.Fields(g.Forms)...) {
			if folded := strings.ToLower(job.OptionName(name)); seen[folded] {
				t.Errorf("%s is there twice", name)
			} else {
				seen[folded] = true
			}
		}
		if !strings.Contains(stdout, "  "+g.Word+": ") {
			t.Errorf("%s is missing in the whole glossary", g.Word)
		}
		var one bytes.Buffer
		if err := tell.Explain(&tell.Page{Writer: &one, Width: tell.DefaultWidth}, entries, g.Word); err != nil || !strings.Contains(one.String(), "means") {
			t.Errorf("%s: got %v", g.Word, err)
		}
	}
	for _, args := range [][]string{{"repair", "session"}, {"Repair_Session"}, {"acked"}, {"START_VIEW"}, {"never", "fired"}} {
		if code, _, stderr := runHere(context.Background(), append([]string{"explain"}, args...)...); code != exitHolds {
			t.Errorf("%v: got exit code %d, %s", args, code, stderr)
		}
	}
}
