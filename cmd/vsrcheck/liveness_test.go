package main

import (
	"context"
	"strings"
	"testing"

	"vsrcheck/explore"
	"vsrcheck/model"
	"vsrcheck/specs"
)

// withoutMeasure is a model that cannot show that its graph has no cycles, so that the
// engine has to look for strongly connected components.
type withoutMeasure struct{ explore.System[model.State] }

// TestBothLivenessMethods: on every tiny and small specification, the quiescent states
// of a graph verified acyclic and the strongly connected components give one verdict,
// and the violated properties are the same.
func TestBothLivenessMethods(t *testing.T) {
	compared := 0
	for _, name := range specs.Names() {
		spec, err := specs.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		if spec.Size == specs.Full || testing.Short() && !strings.HasPrefix(name, specs.Tiny) {
			continue
		}
		j, err := newJob(&override{Spec: spec}, true, reduceEager)
		if err != nil {
			t.Fatal(err)
		}
		if len(j.bound.Recurrent) == 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			check := func(sys explore.System[model.State]) *explore.Result[model.State] {
				r, err := explore.Check(context.Background(), sys, j.bound.Properties, explore.Options{})
				if err != nil {
					t.Fatal(err)
				}
				return r
			}
			quiescent, components := check(j.model), check(withoutMeasure{j.model})
			if quiescent.Liveness == explore.MethodQuiescent {
				compared++
				if components.Components != 0 {
					t.Errorf("the graph was verified acyclic, and %d components have a cycle", components.Components)
				}
			}
			if quiescent.Verdict != components.Verdict || len(quiescent.Violations) != len(components.Violations) {
				t.Fatalf("%s with %d violations, by components %s with %d", quiescent.Verdict, len(quiescent.Violations), components.Verdict, len(components.Violations))
			}
			for i := range quiescent.Violations {
				a, b := &quiescent.Violations[i], &components.Violations[i]
				if a.Property != b.Property || a.Depth != b.Depth || a.LoopStart != b.LoopStart {
					t.Errorf("%s at depth %d, by components %s at depth %d", a.Property, a.Depth, b.Property, b.Depth)
				}
			}
		})
	}
	if compared < 1 {
		t.Errorf("only %d specifications were decided by quiescent states", compared)
	}
}
