package model

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestGuardsAreDeclared walks at random under all sets of rules: no handler refuses a
// message for a reason that is not in the table, and what is in the table refuses
// something under some rules.
func TestGuardsAreDeclared(t *testing.T) {
	refused := map[string]bool{} // by name: does it ever refuse?
	rare := map[string]bool{"sound": true, "sound+dvc_commit=unclamped": true, "sound+repair_scope=suffix": true}
	for _, cfg := range []Config{sized(3, 3, 2, 1, 1, 1), sized(3, 2, 1, 1, 0, 0)} {
		for i, rs := range ruleSets() {
			walks := 30
			if rare[rs.name] {
				walks = 600
			}
			m := mustNew(t, cfg, rs.rules).With(Reductions{EagerSends: true})
			var log GuardLog
			rng := rand.New(rand.NewPCG(1, uint64(i)))
			for range walks {
				walkGuards(m, rng, &log)
			}
			if rs.rules.ViewDurability == ViewLost {
				// It takes a dozen steps in one order: replica 1 has led view 1 and forgotten it.
				var s State
				s.Replica[2].View, s.Replica[2].LogView = 1, 1
				add(&s.Net.PrepareOk[2], m.preparePos(1, 1, identityOf(1)))
				m.Refusals(&s, &log)
			}
			known := map[string]bool{}
			for _, g := range m.Guards(&log) {
				name := g.Action + ": " + g.Reason
				known[name] = true
				refused[name] = refused[name] || g.Refused
				if g.Refused && !g.Delivered {
					t.Errorf("%s refuses, and nothing was delivered", name)
				}
			}
			for k := range kind(kinds) {
				for o := NotEnabled; o < outcomes; o++ {
					if name := fmt.Sprintf("%s: %s", kindTable[k].name, o); log.outcomes[k].Load()>>o&1 == 1 && !known[name] {
						t.Errorf("%s: %s refuses, and is not declared", rs.name, name)
					}
				}
			}
		}
	}
	for name, ever := range refused {
		if !ever {
			t.Errorf("%s never refuses", name)
		}
	}
}

// walkGuards notes what guards refuse along a random walk.
func walkGuards(m *Model, rng *rand.Rand, log *GuardLog) {
	var s State
	m.Init(func(i *State) { s = *i })
	for range 80 {
		m.Refusals(&s, log)
		var t, chosen State
		n := 0
		m.Next(&s, &t, func(uint32) {
			if n++; rng.IntN(n) == 0 {
				chosen = t
			}
		})
		if n == 0 {
			return
		}
		s = chosen
	}
}

// TestGuardConditions: what a guard depends on is an alternative of a rule.
func TestGuardConditions(t *testing.T) {
	var all []string
	for _, r := range Catalogue() {
		for _, a := range r.AlternativeNames() {
			all = append(all, r.Name+"="+a)
		}
	}
	for _, g := range AllGuards() {
		if g.Under != "" && !slices.Contains(all, g.Under) {
			t.Errorf("%s: %s is there under %s, want an alternative of a rule", g.Action, g.Reason, g.Under)
		}
	}
}
