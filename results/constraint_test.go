package results_test

import (
	"errors"
	"strings"
	"testing"

	"vsrcheck/results"
	"vsrcheck/results/internal/resultstest"
)

// TestConstraintsRefuse has records whose constraints contradict them.
func TestConstraintsRefuse(t *testing.T) {
	for want, change := range map[string]func(r *results.Record){
		"outside is 5, but the constraints have 0 together":                    func(r *results.Record) { r.Constraints, r.Outside = nil, 5 },
		"outside is 2, but the constraints have 3 together, and one of them 3": func(r *results.Record) { r.Outside = 2 },
		"outside is 4, but the constraints have 3 together, and one of them 3": func(r *results.Record) { r.Outside = 4 },
		"a constraint has no name":                                             func(r *results.Record) { r.Constraints[0].Name = "" },
	} {
		r := resultstest.Bounded(3)
		change(r)
		if err := r.Validate(); !errors.Is(err, results.ErrRecord) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
