package model

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestGuardsAreDeclared walks at random under all sets of rules: no handler refuses a
// message for a reason that is not in the table, and what is in the table refuses
// something under some rules.
func TestGuardsAreDeclared(t *testing.T) {
	refused := map[string]bool{} // by name: does it ever refuse?
	for _, cfg := range []Config{sized(3, 3, 2, 1, 1, 1), sized(3, 2, 1, 1, 0, 0)} {
		for _, rs := range ruleSets() {
			m := mustNew(t, cfg, rs.rules).With(Reductions{EagerSends: true})
			var log GuardLog
			rng := rand.New(rand.NewPCG(1, seedOf(rs.name)))
			for range 30 {
				walkGuards(m, rng, &log)
			}
			for _, rare := range rareStates(m) {
				m.Refusals(&rare, &log)
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

// rareStates are states that can be under the rules and that a walk hardly ever finds.
func rareStates(m *Model) (rare []State) {
	if m.rules.ViewDurability == ViewLost {
		// Replica 1 has led view 1 and forgotten it, and an ack of that view arrives.
		var s State
		s.Replica[2].View, s.Replica[2].LogView = 1, 1
		add(&s.Net.PrepareOk[2], m.preparePos(1, 1, identityOf(1)))
		rare = append(rare, s)
	}
	if m.rules.DVCCommit == DVCCommitUnclamped {
		// Replica 2 knows of a commit above its head, and says so in its vote.
		var s State
		s.Replica[1].Status, s.Replica[1].View = ViewChange, 1
		s.Net.DoViewChange[1][2] = Vote{Where: voteInFlight, Commit: 1}
		rare = append(rare, s)
	}
	if m.rules.RepairScope == ScopeSuffix {
		// Replica 2 has adopted a log of one op, and repairs what was prepared since.
		var s State
		r := &s.Replica[2]
		r.View, r.LogView, r.Op, r.HeadersOp, r.SessionTo, r.SessionPeer = 1, 1, 2, 1, 2, 1
		add(&s.Net.RepairPrepare[2], m.repairPos(2, identityOf(1)))
		rare = append(rare, s)
	}
	return rare
}

// seedOf is a seed for the walks under a set of rules, whatever other sets there are.
func seedOf(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return h.Sum64()
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
