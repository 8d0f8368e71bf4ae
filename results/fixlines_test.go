package results

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestReadmeFix holds the lines that say whether the fix is enough to the records of their
// commands. With -update it rewrites them.
func TestReadmeFix(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(readme), "<!-- fix:begin -->\n```\n")
	block, _, closed := strings.Cut(rest, "\n```\n<!-- fix:end -->")
	lines := strings.Split(block, "\n")
	if !closed || len(lines) != 4 {
		t.Fatalf("got %d lines between the markers, want 4:\n%s", len(lines), block)
	}
	records, err := ReadAll(RunsFolder)
	if err != nil {
		t.Fatal(err)
	}
	mends, err := ReadMends("mend")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		command, comment, _ := strings.Cut(line, " # ")
		var want string
		words := strings.Fields(command)
		asked := flagsText(&Record{Spec: words[2], CommandLine: words})
		is := func(spec string, commandLine []string) bool {
			return spec == words[2] && commandLine[1] == words[1] && flagsText(&Record{Spec: spec, CommandLine: commandLine}) == asked
		}
		if i := slices.IndexFunc(records, func(r Published) bool { return is(r.Spec, r.CommandLine) }); i >= 0 {
			r := records[i]
			want = fmt.Sprintf(": %s, %s states", r.Verdict, Count(r.Distinct))
			if r.Verdict == Violated {
				want = fmt.Sprintf(": %s after %s", r.Violated, Plural(r.TraceLength, "step"))
			}
		}
		if i := slices.IndexFunc(mends, func(m PublishedMend) bool { return is(m.Bases[0].Spec, m.CommandLine) }); i >= 0 {
			_, what, _ := strings.Cut(mends[i].What(), ": ")
			what, _, _ = strings.Cut(what, ",")
			want = ": " + what
		}
		if want != "" && strings.HasSuffix(comment, want) {
			continue
		}
		if !*update || want == "" {
			t.Errorf("the README says %q, the record of the command %q", comment, want)
			continue
		}
		about, _, _ := strings.Cut(comment, ": ")
		readme = bytes.Replace(readme, []byte(line), []byte(command+" # "+about+want), 1)
		if err := WriteFile("../README.md", readme); err != nil {
			t.Error(err)
		}
	}
}
