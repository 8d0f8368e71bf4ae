package main

import "vsrcheck/specs"

// shippedJob is a shipped specification as it is. The test may be one of testing or of
// rapid.
func shippedJob(t interface {
	Helper()
	Fatal(...any)
}, name string, continueAll bool, reduce string) *job {
	t.Helper()
	spec, err := specs.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	j, err := newJob(&override{Spec: spec}, continueAll, reduce)
	if err != nil {
		t.Fatal(err)
	}
	return j
}
