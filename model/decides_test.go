package model

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestRuleIndices compares the places of the rules with the catalogue.
func TestRuleIndices(t *testing.T) {
	rules := Catalogue()
	if len(rules) != int(ruleCount) {
		t.Fatalf("got %d rules, want %d", ruleCount, len(rules))
	}
	for k, name := range map[ruleIndex]string{
		ruleFetchToOp: "fetch_to_op", ruleAppliedPrepare: "applied_prepare", ruleNackQuorum: "nack_quorum",
		ruleViewDurability: "view_durability", ruleProbeMatch: "probe_match", ruleReack: "reack",
		ruleRelics: "relics", ruleStateTransferCut: "state_transfer_cut",
	} {
		if rules[k].Name != name {
			t.Errorf("rule %d is %s, want %s", k, rules[k].Name, name)
		}
	}
}

// decidedRaw are the rules that decide something in the states that are reachable by up to
// so many raw states, without normalisation and reductions: every step that may be enabled
// is taken under every alternative. complete says whether that were all states.
func decidedRaw(m *Model, limit int) (bits uint64, complete bool) {
	type other struct {
		rule int
		m    *Model
	}
	var others []other
	for k, r := range Catalogue() {
		for a := range uint8(len(r.Alternatives)) {
			u := *m
			*r.field(&u.rules) = a
			if u.rules != m.rules {
				others = append(others, other{k, &u})
			}
		}
	}
	var queue []State
	seen := newFingerprints()
	m.Init(func(s *State) { seen.add(s); queue = append(queue, *s) })
	for n := 0; n < len(queue); n++ {
		if len(queue) > limit {
			return bits, false
		}
		s := queue[n]
		if s.Failed != AssertNone {
			continue
		}
		m.each(&s, func(a uint32) {
			if kindOf(a) != kDrop && s.Replica[m.Actor(a)].Status == Stopped {
				return
			}
			t := s
			changes := plainStep(m, &t, a)
			after := t
			if m.cfg.Network == NetworkFIFO {
				after = s
				changes = m.take(&after, a)&changed != 0
			}
			for _, o := range others {
				// A repeated delivery decides what the first one does; whether it counts
				// depends on what is normalised after it.
				if bits>>o.rule&1 == 1 || kindOf(a) == kDuplicate {
					continue
				}
				u := s
				plainStep(o.m, &u, a)
				if u == t {
					continue
				}
				v := t
				o.m.normalise(&u)
				o.m.normalise(&v)
				if u != v {
					bits |= 1 << o.rule
				}
			}
			if changes && seen.add(&after) {
				queue = append(queue, after)
			}
		})
	}
	return bits, true
}

// plainStep takes a step, if it changes anything. A channel has no room for more than the
// model puts into it, so there the sets are looked at before the channels follow.
func plainStep(m *Model, t *State, a uint32) bool {
	before := *t
	switch {
	case kindOf(a) == kDuplicate:
		m.step(t, droppedBy(a)) // which counts only where it has an effect
		x, y := *t, before
		m.normalise(&x)
		m.normalise(&y)
		if x == y {
			*t = before
		} else {
			t.Duplicates++
		}
	case m.cfg.Network == NetworkFIFO && delivers(kindOf(a)) && !m.isNext(t, a):
	default:
		rawStep(m, t, a)
	}
	return *t != before
}

// decidedIn are the rules that a search of the model notes.
func decidedIn(t *testing.T, m *Model) uint64 {
	w := m.Watched()
	overReachable(t, w, func(*State, uint32, *State) error { return nil })
	return w.Noted()
}

func rulesOf(bits uint64) (names []string) {
	for k, r := range Catalogue() {
		if bits>>k&1 == 1 {
			names = append(names, r.Name)
		}
	}
	return names
}

// TestDecidesAll compares what a search notes of the rules with one that takes every step
// under every alternative, in states from which nothing was removed: no rule may be said to
// decide nothing that does decide something.
func TestDecidesAll(t *testing.T) {
	rounds, limit := 8, 1500
	switch {
	case Long():
		rounds, limit = 150, 10000
	case !testing.Short():
		rounds, limit = 14, 3000
	}
	rng := rand.New(rand.NewPCG(1, 2))
	more, whole := map[string]int{}, 0
	for range rounds {
		cfg := tinyConfigs()[rng.IntN(len(tinyConfigs()))]
		rs := soundRules()
		if rng.IntN(2) == 0 {
			rs = Rules{}
		}
		for range rng.IntN(4) {
			r := Catalogue()[rng.IntN(int(ruleCount))]
			*r.field(&rs) = uint8(rng.IntN(len(r.Alternatives)))
		}
		m, err := New(cfg, rs)
		if err != nil {
			continue
		}
		want, complete := decidedRaw(m.Unreduced(), limit)
		for _, reductions := range []Reductions{{}, {EagerSends: true}, AllReductions} {
			u := m.With(reductions)
			got := decidedIn(t, u)
			if missed := rulesOf(want &^ got); missed != nil {
				t.Errorf("%s with %v, %+v: nothing is noted of %v", cfg.testName(), rs, u.reductions, missed)
			}
			if complete && reductions == (Reductions{}) {
				whole++
				for _, name := range rulesOf(got &^ want) {
					more[name]++
				}
			}
		}
	}
	var names []string
	for name := range more {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		t.Logf("%s: noted and decides nothing in %d of %d complete searches", name, more[name], whole)
	}
}
