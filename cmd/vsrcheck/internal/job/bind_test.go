package job

import (
	"errors"
	"testing"

	"vsrcheck/invariants"
	"vsrcheck/model"
	"vsrcheck/specs"
)

// TestBind pins which violations end a search.
func TestBind(t *testing.T) {
	spec, err := specs.Load("tiny-fetch-to-op-old")
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.New(spec.Config, spec.Rules)
	if err != nil {
		t.Fatal(err)
	}
	b, err := bind(m, spec, false)
	if err != nil {
		t.Fatal(err)
	}
	if b.Deferred["QuorumAckedCommits"] || !b.Deferred["EveryPreparedCommits"] || !b.Deferred["BackupsCatchUp"] || b.Deferred["Agreement"] || b.Deferred["Durability"] {
		t.Errorf("got deferred %v", b.Deferred)
	}
	if len(b.Invariants) != len(spec.Invariants) || len(b.Actions)+len(b.Recurrent) != len(spec.Properties) || len(b.Reachable) == 0 {
		t.Errorf("got %d invariants, %d step, %d liveness and %d reachable properties", len(b.Invariants), len(b.Actions), len(b.Recurrent), len(b.Reachable))
	}
	all, err := bind(m, spec, true)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all.Listed {
		if !all.Deferred[p.Name] || !p.Deferred {
			t.Errorf("with --continue %s still ends the search", p.Name)
		}
	}
	if b.Constraint != nil {
		t.Error("there is a constraint that nobody asked for")
	}
	spec.Constraints = []string{"TypeOK", "Agreement"}
	if b, err = bind(m, spec, false); err != nil || b.Constraint == nil {
		t.Errorf("the constraint is lost: %v", err)
	}
	spec.Properties = []string{"Nothing"}
	if _, err := bind(m, spec, false); !errors.Is(err, specs.ErrMeaning) {
		t.Errorf("an unknown property: %v", err)
	}
}

// TestCompanions holds the catalogue to what bind needs: every property that a file may name
// has a companion that exists and is a reachability.
func TestCompanions(t *testing.T) {
	kinds := map[string]invariants.Kind{}
	for _, p := range invariants.Catalogue() {
		kinds[p.Name] = p.Kind
	}
	for _, p := range invariants.Catalogue() {
		asked := p.Kind == invariants.State || p.Kind == invariants.Step || p.Kind == invariants.Liveness
		if asked && kinds[p.Companion] != invariants.Reachable {
			t.Errorf("%s has the companion %q, want a reachability", p.Name, p.Companion)
		}
	}
}
