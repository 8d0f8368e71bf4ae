package results_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// What a text says of a run is a number of steps, of states or of levels. Whoever writes one
// ties it to its record: in a document by one of the quoted forms, elsewhere by an entry of
// tied. What is of no run has an entry of noRun.
var (
	numeral = `(?:\d[\d,.]*|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|twenty|thirty|forty|fifty)` +
		`(?: (?:hundred|thousand|million|billion)s?)*`
	runNumber = regexp.MustCompile(`(?i)\b` + numeral + `[ -](?:(?:atomic|distinct|different|further|generated|more|new|other|quiescent|reachable|single) )*(?:steps?|states?|walks)\b` +
		`|(?:^|[^-])\bdepth(?: of| is|:)? \d[\d,]*|\bsteps? \d+|\bafter \d[\d,]*\b`)
	// A line of text may go on in the next one: of Markdown, of a comment, or of a string.
	nextLine = regexp.MustCompile("[ \t]*\n[ \t]*(?://|\\\\\\*|\\(\\*|#|>)*[ \t]*")
	joined   = regexp.MustCompile(`" \+ "`)
	// The module names the steps of the protocol by the section of VSR Revisited.
	ofThePaper = regexp.MustCompile(`\(4\.\d, steps? \d(?: and \d)?[;)]`)
	// The cells of a column of figures.
	figureColumn = regexp.MustCompile(`^(?:steps|states|distinct states|distinct|depth|generated)$`)
	figureCell   = regexp.MustCompile(`\d[\d,]*`)
)

// tie is what a text says of a run, and where it is from.
type tie struct {
	text string // with the number
	// record is a record below results, without .json, and says the field of it; or it is
	// another file of figures, relative to results, and says what stands there.
	record, says string
}

// tied are the numbers of texts that quote no record by a form.
var tied = map[string][]tie{
	"../explore/peers/README.md": {
		{"column distinct states: 1,745,408", "../explore/peers/results.tsv", "twophase/8\tours\texact\t1\t1\t1745408\t"},
		{"column distinct states: 10,340,352", "../explore/peers/results.tsv", "twophase/9\tours\texact\t1\t1\t10340352\t"},
		{"column distinct states: 1,321,761", "../explore/peers/run.sh", "[paxoscommit/2]=1321761 "}, // run.sh refuses a run with another
		{"column distinct states: 724,274", "../explore/peers/run.sh", "[lamportmutex/3]=724274\n"},
		{"philosophers has 67 states", "../explore/examples/diningphilosophers/diningphilosophers_test.go", "r.Distinct != 67 "},
		{"a search of 61,515,776 states", "../explore/peers/memory-limit.txt", "states=61515776 "},
	},
	"../explore/peers/results.md": { // run.sh writes it with results.tsv
		{"twophase/8: 1,745,408 distinct states", "../explore/peers/results.tsv", "twophase/8\tours\texact\t1\t1\t1745408\t"},
		{"twophase/9: 10,340,352 distinct states", "../explore/peers/results.tsv", "twophase/9\tours\texact\t1\t1\t10340352\t"},
	},
}

// noRun are the numbers that are of no run, with the reason.
var noRun = map[string][][2]string{
	"../cmd/vsrcheck/internal/tell/glossary.go": {{"the initial state alone has depth 1", "how levels are counted"}},
	"../explore/contract.go":                    {{"each of the first 256 walks has a share", "a constant of the engine"}},
	"../explore/internal/store/doc.go": {
		{"A batch of 256 states makes", "a constant of the engine"},
		{"a chunk of 64 states one", "a constant of the engine"},
	},
	"../explore/show/walk.go": {
		{"i+1, State(w.sys, &w.choices[i", "no text"},
		{"after %d steps: %s\\n\", len(w.steps)-1, State(", "no text"},
	},
	"../explore/doc.go": {
		{"for the last chunk of 64 states", "a constant of the engine"},
		{"with the first 100,000 steps", "the default of a setting"},
	},
	"../explore/explore.go": {{"an initial state alone has depth 1", "how levels are counted"}},
	"findings.md": {
		{"that trace stops at step 18, where", "held to the replay by TestFindingsReplay in cmd/vsrcheck"},
		{"the trace stops at step 10, and", "held to the replay by TestFindingsReplay in cmd/vsrcheck"},
		{"six to ten billion states", "an estimate, and said to be one"},
		{"leaves out four states of five", "what would be needed, not what is"},
	},
	"formats.md": {
		{"more than 50,000 states and no", "the limit of the watch over the guards"},
		{"Every ten steps a table", "what a trace shows"},
	},
	"internal/resultstest/resultstest.go": {
		{"Generated: 2000000, Depth: 3,", "a made-up record"},
		{"Kind: \"liveness\", Depth: 2,", "a made-up record"},
		{"Seed: 1, Depth: 1000, Walks: 256, Steps: 4567,", "a made-up record"},
	},
	"figures.go": {{"with what it counts: 1 step, 2 steps", "an example of the form"}},
	"constraint.go": {
		{"1 state outside was not expanded", "a text of the program, for the number one"},
		{"1 step that leads outside", "a text of the program, for the number one"},
	},
	"trace/trace.go": {{"steps 1 to %d are those of", "a text of the program"}},
	"pictures.md":    {{"go ten steps", "what the page of a trace does"}},
}

// generatedFiles are written whole from the records beside them, which the test named holds
// them to. The parts of other documents between markers are so, too: see generatedParts.
var generatedFiles = map[string]string{"runs/tlc/README.md": "TestCrosschecks", "runs/tlc/speed/README.md": "TestSpeeds"}

// generatedParts are the names of markers, with the test that holds what is between them.
var generatedParts = map[string]string{
	"wedge": "TestReadmeShowsTheWedge", "fix": "TestReadmeFix", "networks": "TestFindingsByNetwork", "reductions": "TestReductions",
	"mends": "TestReadme", "results": "TestReadme", "simulations": "TestReadme", "rules": "TestReadme",
}

// TestEveryNumberIsOfARecord looks through every document, comment and text of the program for
// numbers of steps, states and levels: none may stand there that a record does not hold.
func TestEveryNumberIsOfARecord(t *testing.T) {
	texts := 0
	exempt := map[string]bool{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != ".." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "tmp"):
			return fs.SkipDir
		case d.IsDir() || !isText(path):
			return nil
		}
		name := strings.TrimPrefix(filepath.ToSlash(path), "../results/")
		if generatedFiles[name] != "" {
			exempt[name] = true
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		texts++
		for _, problem := range looseNumbers(name, string(data), slices.Contains(quoting, name), tied[name], noRun[name]) {
			t.Errorf("%s: %s", name, problem)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if texts < 150 {
		t.Errorf("looked through %d texts, want at least 150: are they where this test looks?", texts)
	}
	for name := range generatedFiles {
		if !exempt[name] {
			t.Errorf("there is no %s", name)
		}
	}
	for name, ties := range tied {
		for _, tie := range ties {
			if err := tie.check(); err != nil {
				t.Errorf("%s: %q: %v", name, tie.text, err)
			}
		}
	}
}

// isText reports whether people read a file: a document, a specification, or source with its
// comments and the texts that the program prints. What it prints in tests is not looked at.
func isText(path string) bool {
	base := filepath.Base(path)
	switch filepath.Ext(path) {
	case ".md", ".cfg", ".tla", ".js", ".sh":
		return true
	case ".go":
		return !strings.HasSuffix(base, "_test.go")
	case ".html":
		return filepath.Base(filepath.Dir(path)) == "page" || base == "page.html" // others are generated
	}
	return base == "manifest.json"
}

// check says whether the text has the number that its record has.
func (e *tie) check() error {
	if !strings.Contains(e.record, ".") {
		r, err := recordNamed(e.record)
		if err != nil {
			return err
		}
		is, err := figure(r, e.says)
		if err == nil && !slices.Contains(figureCell.FindAllString(e.text, -1), is) {
			err = fmt.Errorf("%s of the record is %s", e.says, is)
		}
		return err
	}
	data, err := os.ReadFile(filepath.FromSlash(e.record))
	if err != nil {
		return err
	}
	if !strings.Contains(string(data), e.says) {
		return fmt.Errorf("%s has no %q", e.record, e.says)
	}
	for _, n := range figureCell.FindAllString(e.text, -1) {
		if strings.Contains(e.says, strings.ReplaceAll(n, ",", "")) {
			return nil
		}
	}
	return fmt.Errorf("it has no number of %q", e.says)
}

// looseNumbers are the numbers of a text that nothing ties to a record, and the entries of the
// lists that are about nothing. quotes says that the text may have the quoted forms.
func looseNumbers(name, text string, quotes bool, ties []tie, exceptions [][2]string) (problems []string) {
	if strings.HasSuffix(name, ".md") {
		for _, part := range generatedPart.FindAllStringSubmatch(text, -1) {
			if generatedParts[part[1]] == "" {
				problems = append(problems, fmt.Sprintf("no test is known that holds what is between the markers %s", part[1]))
			}
		}
		text = generatedPart.ReplaceAllString(text, "")
	}
	if quotes {
		text = withoutQuotes(text)
	} else if m := quotedFigure.FindString(text); m != "" {
		problems = append(problems, fmt.Sprintf("%s is rewritten in no text but those of quoting", m))
	}
	columns := figuresOfColumns(text)
	text = joined.ReplaceAllString(nextLine.ReplaceAllString(text, " "), "")
	text = ofThePaper.ReplaceAllString(text, "")
	text += columns
	var known []string
	for _, e := range ties {
		known = append(known, e.text)
	}
	for _, e := range exceptions {
		known = append(known, e[0])
	}
	for _, k := range known {
		if !strings.Contains(text, k) || !runNumber.MatchString(k) && !strings.HasPrefix(k, "column ") {
			problems = append(problems, fmt.Sprintf("an entry is about %q, which is not there or has no such number", k))
		}
		text = strings.ReplaceAll(text, k, "")
	}
	for _, at := range runNumber.FindAllStringIndex(text, -1) {
		problems = append(problems, fmt.Sprintf("%q is of no record: quote one (see TestQuoted), or add it to tied or to noRun", around(text, at)))
	}
	for _, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, "column ") {
			problems = append(problems, fmt.Sprintf("%q is of no record: quote one (see TestQuoted), or add it to tied or to noRun", line))
		}
	}
	return problems
}

// around is what was found, with what stands about it.
func around(text string, at []int) string {
	begin, end := max(0, at[0]-40), min(len(text), at[1]+20)
	return strings.ToValidUTF8(text[begin:end], "")
}

// figuresOfColumns are the numbers in those columns of a text's tables that have figures of
// runs, each on a line of its own with the name of the column.
func figuresOfColumns(text string) string {
	var out strings.Builder
	var columns []string
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		cells := strings.Split(strings.Trim(line, "| "), "|")
		switch {
		case !strings.HasPrefix(line, "|"):
			columns = nil
		case i+1 < len(lines) && strings.HasPrefix(lines[i+1], "|--"):
			columns = cells
		case !strings.HasPrefix(line, "|--"):
			for k := range min(len(cells), len(columns)) {
				column := strings.TrimSpace(columns[k])
				if !figureColumn.MatchString(column) {
					continue
				}
				for _, n := range figureCell.FindAllString(cells[k], -1) {
					fmt.Fprintf(&out, "\ncolumn %s: %s", column, n)
				}
			}
		}
	}
	return out.String()
}

// TestLooseNumbers: a number is found however it is broken into lines, and what ties it is not.
func TestLooseNumbers(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       []string // parts of the problems
	}{
		{"a.md", "it breaks after\n13 steps, or after <!--=toy:steps-->2<!--/--> steps", []string{"13 steps"}},
		{"a.md", "<!-- fix:begin -->\n13 steps\n<!-- fix:end -->\n", nil},
		{"a.md", "<!-- mine:begin -->\n13 steps\n<!-- mine:end -->\n", []string{"the markers mine"}},
		{"a.md", "| p | steps |\n|---|--:|\n| A | 12 |\n| B | <!--=toy:steps-->2<!--/--> |\n", []string{"column steps: 12"}},
		{"a.md", "Agreement after 12 `x`, as 1,234 distinct states at depth 7 say", []string{"after 12", "1,234 distinct states", "depth 7"}},
		{"a.md", "some thirteen steps, 11 million states, one step and two states, views 0..2", []string{"thirteen steps", "11 million states"}},
		{"a.go", "// It takes 17\n// steps.\n", []string{"17 steps"}},
		{"a.go", "x(\"it takes 17 \" +\n\t\"steps\")\n", []string{"17 steps"}},
		{"a.go", "// after <!--=toy:steps-->2<!--/--> steps, or after 3\n", []string{"after 3"}},
		{"a.tla", "\\* An ack (4.1, step 5).  It takes 17\n\\* steps.\n", []string{"17 steps"}},
		{"a.cfg", "\\* The trace ends at step 9.\n", []string{"step 9"}},
		{"known.md", "up to 50,000 states; 5 states", []string{"5 states"}},
		{"known.md", "nothing", []string{`about "up to 50,000 states"`}},
	} {
		var exceptions [][2]string
		if test.name == "known.md" {
			exceptions = [][2]string{{"up to 50,000 states", "a limit"}}
		}
		got := looseNumbers(test.name, test.text, true, nil, exceptions)
		ok := len(got) == len(test.want)
		for i := range got {
			ok = ok && strings.Contains(got[i], test.want[i])
		}
		if !ok {
			t.Errorf("%s %q: got %q, want %q", test.name, test.text, got, test.want)
		}
	}
	if got := looseNumbers("a.md", "after <!--=toy:steps-->2<!--/--> steps, or 3 steps", false, nil, nil); len(got) != 2 || !strings.Contains(got[0], "no text but those of quoting") || !strings.Contains(got[1], "3 steps") {
		t.Errorf("got %q", got)
	}
	for _, e := range []tie{
		{"2 states", "full", "distinct"}, {"2 states", "none", "distinct"}, {"2 states", "full", "steps"},
		{"2 states", "../explore/peers/README.md", "no such text"}, {"2 states", "../explore/peers/README.md", "67"}, {"2 states", "none.txt", "2"},
	} {
		if e.check() == nil {
			t.Errorf("%+v is right", e)
		}
	}
	if err := (&tie{"up to depth 21", "full", "expanded"}).check(); err != nil {
		t.Error(err)
	}
}
