package results_test

import (
	"os"
	"regexp"
	"strconv"
	"testing"

	"vsrcheck/results"
)

// Every number that the findings quote is that of a record beside them.
func TestFindings(t *testing.T) {
	text, err := os.ReadFile("findings.md")
	if err != nil {
		t.Fatal(err)
	}
	claim := regexp.MustCompile("(?m)^`([a-z0-9-]+)` \\([^)]*\\): (\\w+) is violated after (\\d+) steps")
	claims := claim.FindAllStringSubmatch(string(text), -1)
	if len(claims) < 10 {
		t.Fatalf("found %d claims, want at least 10: does the pattern still fit the text?", len(claims))
	}
	for _, c := range claims {
		r, err := results.Read(c[1] + ".json")
		if err != nil {
			t.Errorf("%s: %v", c[1], err)
			continue
		}
		if steps, _ := strconv.Atoi(c[3]); r.Violated != c[2] || r.TraceLength != steps {
			t.Errorf("%s: the findings say %s after %d steps, the record %s after %d", c[1], c[2], steps, r.Violated, r.TraceLength)
		}
	}
}
