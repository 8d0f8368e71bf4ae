package specs

import (
	"errors"
	"os"
	"strings"
	"testing"

	"vsrcheck/invariants"
)

// TestNamesInPlaces puts every name of the catalogue into every place for names: it is
// taken, or refused with the place, what was got and what is wanted.
func TestNamesInPlaces(t *testing.T) {
	text, err := os.ReadFile("wedge/tiny-fetch-to-op-fixed.cfg")
	if err != nil {
		t.Fatal(err)
	}
	// The constants alone, whose last line is known, and a behaviour that takes everything.
	constants, _, ok := strings.Cut(string(text), "INVARIANTS")
	if !ok {
		t.Fatalf("no INVARIANTS in\n%s", text)
	}
	taken := map[string][]invariants.Kind{
		"INVARIANT":  {invariants.State},
		"PROPERTY":   {invariants.Step, invariants.Liveness},
		"CONSTRAINT": {invariants.State, invariants.Constraint},
	}
	for place, kinds := range taken {
		for _, p := range invariants.Catalogue() {
			file := constants + "CHECK_DEADLOCK FALSE\n" + place + " " + p.Name + "\n"
			_, err := Parse("x.cfg", file)
			right := false
			for _, k := range kinds {
				right = right || p.Kind == k
			}
			if right {
				if err != nil {
					t.Errorf("%s %s (%s): %v", place, p.Name, p.Kind, err)
				}
				continue
			}
			var placed *Error
			if !errors.Is(err, ErrMeaning) || !errors.As(err, &placed) || placed.Line != strings.Count(file, "\n") || placed.Col != len(place)+2 {
				t.Errorf("%s %s (%s): got %v", place, p.Name, p.Kind, err)
				continue
			}
			text := err.Error()
			if !strings.Contains(text, "got "+p.Name+" in "+place[:7]) || !strings.Contains(text, ", but it ") ||
				!strings.Contains(text, "want") && !strings.Contains(text, "leave it out") {
				t.Errorf("%s %s (%s): the message does not say what was got and what is wanted: %s", place, p.Name, p.Kind, text)
			}
		}
	}
}
