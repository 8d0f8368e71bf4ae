package main

import (
	"strings"
	"testing"

	"vsrcheck/explore"
)

// TestCheck has the published counts of the sizes that take no time.
func TestCheck(t *testing.T) {
	for _, c := range []struct {
		model                 string
		n                     int
		distinct, transitions uint64
		depth                 int
	}{
		{"twophase", 3, 288, 1145, 11},
		{"diningphilosophers", 5, 67, 335, 29},
	} {
		f, err := check(c.model, c.n, explore.Options{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		if f.verdict != explore.Holds || f.distinct != c.distinct || f.transitions != c.transitions || f.depth != c.depth {
			t.Errorf("%s, n = %d: got %+v, want %d distinct, %d transitions, depth %d", c.model, c.n, f, c.distinct, c.transitions, c.depth)
		}
	}
}

func TestBadFlags(t *testing.T) {
	for args, want := range map[string]string{
		"-model twofase":              `-model "twofase": want twophase, `,
		"-n 99":                       "-n 99: want 1 to 15",
		"-model diningphilosophers":   "", // 3 is a table
		"-n 3 4":                      `argument "4": only flags are wanted`,
		"-workers 0":                  "-workers 0: want 1 or more",
		"-memory-limit 2000000000000": "-memory-limit 2000000000000: want at most",
		"-store bloom":                `unknown store "bloom"`,
	} {
		switch err := run(strings.Fields(args)); {
		case err == nil && want != "":
			t.Errorf("%s: got no error, want %q", args, want)
		case err != nil && (want == "" || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: got %q, want %q", args, err, want)
		}
	}
}
