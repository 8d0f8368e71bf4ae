package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestFindingsReplay: where the findings say at which step a trace stops under the sound
// alternative of its rule, a replay stops there.
func TestFindingsReplay(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(resultsDir, "findings.md"))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(string(data)), " ")
	for _, test := range []struct {
		record string
		option []string
		says   string
	}{
		{"simulate-old-repair-frame", []string{"--repair-frames", "session"}, "under `session` that trace stops at step %s, where the deposed primary"},
		{"finding-stale-start-view", []string{"--incarnation", "checked"}, "(`incarnation = checked`). With it the trace stops at step %s, and"},
	} {
		code, stdout, stderr := program(append([]string{"replay", filepath.Join(runsDir, test.record+".json"), "--trace-states", "none"}, test.option...)...)
		stopped := regexp.MustCompile(`^STOPPED .*: step (\d+), .*, is not possible: `).FindStringSubmatch(last(stdout))
		if code != exitDiverged || stopped == nil {
			t.Errorf("%s: got exit code %d: %s%s", test.record, code, last(stdout), stderr)
			continue
		}
		if want := fmt.Sprintf(test.says, stopped[1]); !strings.Contains(text, want) {
			t.Errorf("%s: the findings do not say %q", test.record, want)
		}
	}
}
