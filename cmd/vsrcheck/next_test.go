package main

import (
	"context"
	"regexp"
	"strings"
	"testing"
)

// TestResumeCommand runs the command that a search prints when it is cut: it comes further,
// although the limits of a resumed check are those of the check.
func TestResumeCommand(t *testing.T) {
	t.Chdir(t.TempDir())
	for i, limit := range [][]string{
		{"--max-states", "3000"}, {"--max-depth", "12"}, {"--max-depth", "3", "--max-states", "100000"}, {"--timeout", "60ms"},
	} {
		dir := "a folder " + string(rune('a'+i))
		code, stdout, stderr := runHere(context.Background(), append([]string{"check", "fetch-to-op-old-small", "--no-progress", "--checkpoint", dir}, limit...)...)
		m := regexp.MustCompile(`(?m)^checkpoint +vsrcheck (.*) goes on$`).FindStringSubmatch(stdout)
		if m == nil {
			t.Errorf("%v: got exit code %d and no command to go on: %s", limit, code, stderr)
			continue
		}
		before, after, quoted := strings.Cut(m[1], "'"+dir+"'")
		if !quoted {
			t.Fatalf("got %q", m[1])
		}
		args := append(append(strings.Fields(before), dir), strings.Fields(after)...)
		if limit[0] == "--timeout" {
			args = append(args, "--timeout", "0")
		}
		if code, stdout, stderr := runHere(context.Background(), append(args, "--no-progress")...); code != exitLiveness || !strings.Contains(stdout, "VIOLATED fetch-to-op-old-small: QuorumAckedCommits") {
			t.Errorf("%v: %v: got exit code %d, %s%s", limit, args, code, stderr, stdout)
		}
	}
}
