package tell

import (
	"strings"
	"testing"

	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/explore"
	"vsrcheck/invariants"
	"vsrcheck/model"
	"vsrcheck/results"
)

// TestAdvice: a search that was cut says what to do next, whatever cut it, alone and beside a
// violation.
func TestAdvice(t *testing.T) {
	o := &job.Limits{Store: string(explore.StoreExact), TimeoutName: "timeout"}
	for stop, want := range map[explore.Stop]string{
		explore.StopStates: "raise --max-states", explore.StopDepth: "raise --max-depth", explore.StopMemory: "raise --memory-limit", explore.StopDisk: "make room",
		explore.StopInterrupted: "raise --timeout", explore.StopEmpty: "name a CONSTRAINT", explore.StopConstraint: "leave out the CONSTRAINT",
		explore.StopReduction: "take --reduce none", explore.StopStore: "raise --memory-limit",
	} {
		out := job.Outcome{Job: &job.Job{Bound: &job.Bound{Listed: []results.Property{{Name: "BackupsCatchUp", Kind: string(invariants.Liveness)}}}},
			Result: &explore.Result[model.State]{Stop: stop, Reason: "there is a reason"}, Why: "there is a reason"}
		got := cutText(&out, Advise(o, stop, true))
		if !strings.HasPrefix(got, "the search was cut (there is a reason) before BackupsCatchUp was decided; next: "+want) {
			t.Errorf("%s: got %q, want %s", stop, got, want)
		}
	}
	hashed := &job.Limits{Store: string(explore.StoreHash64)}
	for _, stop := range []explore.Stop{explore.StopMemory, explore.StopStore} {
		if got := Advise(hashed, stop, false).next; !strings.Contains(got, "take --store exact") {
			t.Errorf("%s: got %q", stop, got)
		}
	}
	if got := Advise(o, explore.StopInterrupted, false); got != (Advice{}) {
		t.Errorf("who interrupts a search needs no advice: %+v", got)
	}
}
