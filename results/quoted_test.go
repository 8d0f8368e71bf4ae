package results_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vsrcheck/results"
	"vsrcheck/results/internal/resultstest"
)

// A document quotes a record in one of these forms. Each is rewritten with VSRCHECK_UPDATE=1, so that
// nobody has to follow the records by hand.
var (
	// Somewhere in a text: <!--=NAME:FIELD-->1,346<!--/-->, FIELD one of quotable, or
	// steps.PROPERTY for the trace of one of several violations.
	quotedFigure = regexp.MustCompile(`<!--=([\w./=,-]+):([\w.]+)-->([^<]*)<!--/-->`)
	// The line that opens an entry of the findings.
	quotedClaim = regexp.MustCompile("(?m)^`([a-z0-9-]+)` (\\([^)]*\\)): \\w+ is violated after \\d+ steps(, in [\\d,]+ distinct states)?")
	// The actions of a trace.
	quotedTrace = regexp.MustCompile("(trace \\(with states in `([\\w-]+)\\.txt`\\):\n\n```\n)([^`]*)```")
	// A row of a table whose first cell is the record's name: bounds, verdict, states.
	quotedRow = regexp.MustCompile(`(?m)^\| ([a-z0-9-]+) \| ([^|]*) \| (?:holds|inconclusive|\w+ violated after \d+ steps) \| [\d,]+ \|$`)
	// What tables between markers and the forms above leave must have no such number.
	generatedPart = regexp.MustCompile(`(?s)<!-- (\w+):begin -->.*?<!-- \w+:end -->`)
	largeNumber   = regexp.MustCompile(`\b\d{1,3}(?:,\d{3})+\b`)
)

var quotable = map[string]func(r *results.Record) string{
	"distinct":  func(r *results.Record) string { return results.Count(r.Distinct) },
	"generated": func(r *results.Record) string { return results.Count(r.Generated) },
	"depth":     func(r *results.Record) string { return fmt.Sprint(r.Depth) },
	"steps":     func(r *results.Record) string { return fmt.Sprint(r.TraceLength) },
	"violated":  func(r *results.Record) string { return r.Violated },
	"verdict":   shortVerdict,
	"breaks": func(r *results.Record) string {
		return fmt.Sprintf("%s, %s", r.Violated, results.Plural(r.TraceLength, "step"))
	},
	"walks":    func(r *results.Record) string { return results.Count(r.Simulation.Walks) },
	"expanded": func(r *results.Record) string { return strings.Join(expandedTo.FindStringSubmatch(r.Reason)[1:], "") },
}

// expandedTo is what the reason of a search that was cut short says of its depth.
var expandedTo = regexp.MustCompile(`every state up to depth (\d+) was expanded`)

// figure is a field of a record as a document quotes it.
func figure(r *results.Record, field string) (string, error) {
	if property, of := strings.CutPrefix(field, "steps."); of {
		i := slices.IndexFunc(r.Violations, func(v results.Violation) bool { return v.Property == property })
		if i < 0 {
			return "", fmt.Errorf("%s is not violated", property)
		}
		return fmt.Sprint(r.Violations[i].Length()), nil
	}
	get, known := quotable[field]
	switch {
	case !known:
		return "", fmt.Errorf("no field %q, want one of %q or steps.PROPERTY", field, slices.Sorted(maps.Keys(quotable)))
	case field == "walks" && r.Simulation == nil, field == "expanded" && !expandedTo.MatchString(r.Reason),
		(field == "steps" || field == "breaks") && r.Verdict != results.Violated:
		return "", fmt.Errorf("the record has no %s", field)
	}
	return get(r), nil
}

func shortVerdict(r *results.Record) string {
	if r.Verdict == results.Violated {
		return fmt.Sprintf("%s violated after %d steps", r.Violated, r.TraceLength)
	}
	return r.Verdict
}

// unrecorded are the large numbers of a document that are no figure of a record.
var unrecorded = map[string][]string{
	"formats.md":        {"50,000"},           // up to so many states the guards are watched
	"../explore/doc.go": {"100,000", "1,024"}, // how many steps are verified, and of how many states one is
}

// quoting are the documents that may quote by these forms.
var quoting = []string{"../README.md", "README.md", "findings.md", "as-shipped.md", "pictures.md", "formats.md", "../model/doc.go", "../explore/doc.go", "../specs/doc.go"}

// requote writes what a document quotes of the records anew. read finds a record by its
// name below the folder of runs.
func requote(text string, read func(name string) (*results.Record, error)) (string, []error) {
	var errs []error
	replace := func(form *regexp.Regexp, with func(m []string, r *results.Record) (string, error), name int) {
		text = form.ReplaceAllStringFunc(text, func(found string) string {
			m := form.FindStringSubmatch(found)
			r, err := read(m[name])
			if err == nil {
				var out string
				if out, err = with(m, r); err == nil {
					return out
				}
			}
			errs = append(errs, fmt.Errorf("%.60q: %w", found, err))
			return found
		})
	}
	replace(quotedFigure, func(m []string, r *results.Record) (string, error) {
		is, err := figure(r, m[2])
		return fmt.Sprintf("<!--=%s:%s-->%s<!--/-->", m[1], m[2], is), err
	}, 1)
	replace(quotedClaim, func(m []string, r *results.Record) (string, error) {
		if r.Verdict != results.Violated {
			return "", fmt.Errorf("the record's verdict is %s", r.Verdict)
		}
		out := fmt.Sprintf("`%s` %s: %s is violated after %d steps", m[1], m[2], r.Violated, r.TraceLength)
		if m[3] != "" {
			out += fmt.Sprintf(", in %s distinct states", results.Count(r.Distinct))
		}
		return out, nil
	}, 1)
	replace(quotedTrace, func(m []string, r *results.Record) (string, error) {
		if r.Verdict != results.Violated {
			return "", fmt.Errorf("the record's verdict is %s", r.Verdict)
		}
		return m[1] + numbered(r.Violations[0]) + "```", nil
	}, 2)
	replace(quotedRow, func(m []string, r *results.Record) (string, error) {
		return fmt.Sprintf("| %s | %s | %s | %s |", m[1], m[2], shortVerdict(r), results.Count(r.Distinct)), nil
	}, 1)
	return text, errs
}

// numbered are the actions of a trace, one a line, each with its number.
func numbered(v results.Violation) string {
	var out strings.Builder
	for i, action := range v.Actions {
		fmt.Fprintf(&out, "%2d %s\n", i+1, action)
	}
	if v.LoopStart >= 0 {
		fmt.Fprintf(&out, "   and again from after step %d\n", v.LoopStart)
	}
	return out.String()
}

// withoutQuotes is a text without the forms and without what stands between markers.
func withoutQuotes(text string) string {
	for _, form := range []*regexp.Regexp{generatedPart, quotedFigure, quotedClaim, quotedTrace, quotedRow} {
		text = form.ReplaceAllString(text, "")
	}
	return text
}

// unquoted are the large numbers of a document that stand in none of the forms.
func unquoted(text string, allowed []string) []string {
	text = withoutQuotes(text)
	var out []string
	for _, n := range largeNumber.FindAllString(text, -1) {
		if !slices.Contains(allowed, n) {
			out = append(out, n)
		}
	}
	return out
}

// What a document quotes of a run is that of its record. With VSRCHECK_UPDATE=1 it is written anew.
func TestQuoted(t *testing.T) {
	quotes := 0
	for _, path := range quoting {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text := string(data)
		for _, form := range []*regexp.Regexp{quotedFigure, quotedClaim, quotedTrace, quotedRow} {
			quotes += len(form.FindAllString(text, -1))
		}
		want, errs := requote(text, recordNamed)
		for _, err := range errs {
			t.Errorf("%s: %v", path, err)
		}
		if want != text {
			if resultstest.Update() {
				if err := results.WriteFile(path, []byte(want)); err != nil {
					t.Fatal(err)
				}
			} else {
				t.Errorf("%s quotes what its records do not say; VSRCHECK_UPDATE=1 go test ./results -run TestQuoted rewrites it; first at\n%s", path, firstDifference(text, want))
			}
		}
		for _, n := range unquoted(want, unrecorded[path]) {
			t.Errorf("%s: %s is of no record; write <!--=NAME:FIELD-->%s<!--/-->, or add it to unrecorded with the reason", path, n, n)
		}
	}
	if quotes < 40 {
		t.Errorf("found %d quotes, want at least 40: do the patterns still fit the texts?", quotes)
	}
}

// recordNamed reads a published record by the name that a document gives it: below the folder of
// runs.
func recordNamed(name string) (*results.Record, error) {
	return results.Read(filepath.Join(results.RunsFolder, filepath.FromSlash(name)+".json"))
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf("line %d\n got  %s\n want %s", i+1, g[i], w[i])
		}
	}
	return "the end"
}

// A wrong figure of every form is put right, a wrong name or field is an error, and a number
// from nowhere is seen.
func TestRequote(t *testing.T) {
	read := func(name string) (*results.Record, error) {
		if name != "toy" {
			return nil, fmt.Errorf("no record %s", name)
		}
		return resultstest.Sample(), nil
	}
	got, errs := requote("<!--=toy:distinct-->7<!--/-->, <!--=toy:steps.P-->7<!--/-->, <!--=toy:breaks-->7<!--/-->\n`toy` (1 op): Q is violated after 9 steps, in 1 distinct states.\n"+
		"Shortest trace (with states in `toy.txt`):\n\n```\n 1 b\n```\n| toy | 1 op | holds | 3 |\n", read)
	const want = "<!--=toy:distinct-->1,234,567<!--/-->, <!--=toy:steps.P-->2<!--/-->, <!--=toy:breaks-->P, 2 steps<!--/-->\n`toy` (1 op): P is violated after 2 steps, in 1,234,567 distinct states.\n" +
		"Shortest trace (with states in `toy.txt`):\n\n```\n 1 a\n 2 b\n```\n| toy | 1 op | P violated after 2 steps | 1,234,567 |\n"
	if got != want || len(errs) > 0 {
		t.Errorf("got %s%v, want %s", got, errs, want)
	}
	if left := unquoted(want+"about 2,345 of them, and 50,000", []string{"50,000"}); !slices.Equal(left, []string{"2,345"}) {
		t.Errorf("got %q, want 2,345 alone", left)
	}
	for _, bad := range []string{"<!--=none:distinct-->7<!--/-->", "<!--=toy:colour-->7<!--/-->", "<!--=toy:steps.Q-->7<!--/-->", "<!--=toy:walks-->7<!--/-->", "<!--=toy:expanded-->7<!--/-->"} {
		if got, errs := requote(bad, read); len(errs) != 1 || got != bad {
			t.Errorf("%s: got %s, %v, want an error", bad, got, errs)
		}
	}
}
