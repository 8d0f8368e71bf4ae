package jobtest

import (
	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/specs"
)

// Shipped is a shipped specification as it is. The test may be one of testing or of
// rapid.
func Shipped(t interface {
	Helper()
	Fatal(...any)
}, name string, continueAll bool, reduce string) *job.Job {
	t.Helper()
	spec, err := specs.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	j, err := job.New(&job.Override{Spec: spec}, continueAll, reduce)
	if err != nil {
		t.Fatal(err)
	}
	return j
}
