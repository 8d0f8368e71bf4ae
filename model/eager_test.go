package model_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"vsrcheck/explore"
	"vsrcheck/invariants"
	"vsrcheck/model"
	"vsrcheck/model/modeltest"
)

func newModel(t tester, cfg model.Config, rs model.Rules) *model.Model {
	t.Helper()
	m, err := model.New(cfg, rs)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// key is the encoding of a state.
func key(m *model.Model, s *model.State, words []uint64) string {
	m.Encode(s, words)
	b := make([]byte, 0, 8*len(words))
	for _, w := range words {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return string(b)
}

// searched is a model after a search: what its states say of the replicas alone, which is
// what the properties see, and what it violates.
type searched struct {
	model  *model.Model
	parts  *model.WordSet
	still  []bool // by the number of a part: no fair step changes anything
	led    []bool // and a primary leads a quorum
	result *explore.Result[model.State]
}

// interrupted reports whether there were too many states.
func (s *searched) interrupted() bool { return s.result.Stop == explore.StopStates }

// search searches a model up to a number of states, with every property.
func search(t tester, m *model.Model, limit uint64) *searched {
	t.Helper()
	out := &searched{model: m, parts: model.NewWordSet(m.Words())}
	words := make([]uint64, m.Words())
	part := func(s *model.State) int {
		u := *s
		u.Net, u.Stamp, u.Drops, u.Lost = model.Network{}, [model.MaxViews][model.MaxOps]uint8{}, 0, 0
		u.DecidedIn = [model.MaxOps]uint8{} // which of two decisions came first, and they may be exchanged
		m.Encode(&u, words)
		i, fresh := out.parts.Add(words)
		if fresh {
			out.still, out.led = append(out.still, false), append(out.led, false)
		}
		return i
	}
	props := everyProperty(m)
	props.Invariants = append(props.Invariants, explore.Invariant[model.State]{Name: "seen", Holds: func(s *model.State) bool {
		part(s)
		return true
	}})
	props.Observed = append(props.Observed, explore.Observed[model.State]{Name: "still", Is: func(s *model.State) bool {
		if s.Failed == model.AssertNone {
			i := part(s)
			out.still[i] = true
			out.led[i] = out.led[i] || leadsQuorum(m, s)
		}
		return true
	}})
	r, err := explore.Check(context.Background(), explore.System[model.State](m), props, explore.Options{Workers: 1, MaxStates: limit})
	if err != nil {
		t.Fatal(err)
	}
	out.result = r
	return out
}

// every is a choice of parts: all of them.
func every(*searched) []bool { return nil }

func still(s *searched) []bool { return s.still }
func led(s *searched) []bool   { return s.led }

// onlyIn is a state of a part that is chosen in a and not in b, as a table.
func onlyIn(a, b *searched, chosen func(*searched) []bool) string {
	inA, inB := chosen(a), chosen(b)
	n, first := 0, 0
	for i := range a.parts.Len() {
		if inA != nil && !inA[i] {
			continue
		}
		if k := b.parts.Find(a.parts.At(i)); k >= 0 && (inB == nil || inB[k]) {
			continue
		}
		if n++; n == 1 {
			first = i
		}
	}
	if n == 0 {
		return ""
	}
	var s model.State
	a.model.Decode(a.parts.At(first), &s)
	return fmt.Sprintf("%d such, for example\n%s", n, a.model.Table(&s))
}

// leadsQuorum reports whether some Normal primary keeps a quorum, as the liveness
// properties ask for.
func leadsQuorum(m *model.Model, s *model.State) bool {
	c := m.Config()
	for i := range c.Replicas {
		r := &s.Replica[i]
		up := 0
		for j := range c.Replicas {
			if o := &s.Replica[j]; o.Status != model.Stopped && o.View <= r.View {
				up++
			}
		}
		if r.Status == model.Normal && c.Primary(r.View) == i && up >= c.ReplicationQuorum() {
			return true
		}
	}
	return false
}

// everyProperty is all properties of the catalogue, each recorded for itself.
func everyProperty(m *model.Model) explore.Properties[model.State] {
	ps := explore.Properties[model.State]{Deferred: map[string]bool{}}
	for _, p := range invariants.Catalogue() {
		if p.Kind == invariants.State && m.Reductions().Without(p.KeptBy) != (model.Reductions{}) {
			continue // the command refuses the two together
		}
		ps.Deferred[p.Name] = true
		switch p.Kind {
		case invariants.State:
			ps.Invariants = append(ps.Invariants, explore.Invariant[model.State]{Name: p.Name,
				Holds: func(s *model.State) bool { return p.Holds(m, s) }})
		case invariants.Step:
			ps.Actions = append(ps.Actions, explore.ActionProperty[model.State]{Name: p.Name,
				Holds: func(s *model.State, a explore.Action, t *model.State) bool { return p.HoldsStep(m, s, a, t) }})
		case invariants.Reachable:
			ps.Reachable = append(ps.Reachable, explore.Reachable[model.State]{Name: p.Name,
				Is: func(s *model.State) bool { return p.Holds(m, s) }})
		case invariants.Liveness:
			ps.Recurrent = append(ps.Recurrent, explore.Recurrent[model.State]{Name: p.Name,
				Outstanding: func(s *model.State) uint64 { return p.Outstanding(m, s) }})
		}
	}
	return ps
}

// violated are the names of the properties that a model violates, with the bits of
// the liveness properties.
func (s *searched) violated(t tester) []string {
	t.Helper()
	if s.result.Stop != explore.StopNone {
		t.Fatalf("inconclusive: %s", s.result.Reason)
	}
	var out []string
	for _, v := range s.result.Violations {
		out = append(out, v.Property)
	}
	slices.Sort(out)
	return out
}

// sameBehaviour compares a model with eager sends with the plain one: the same states of the
// replicas are reachable, the same of them with a primary that leads a quorum are quiescent,
// and the same properties are violated.
func sameBehaviour(t tester, name string, eager, plain *searched) {
	t.Helper()
	for _, diff := range []struct{ what, states string }{
		{"reached only with eager sends", onlyIn(eager, plain, every)},
		{"reached only without eager sends", onlyIn(plain, eager, every)},
		{"quiescent only with eager sends", onlyIn(eager, plain, led)},
		{"quiescent only without eager sends", onlyIn(plain, eager, led)},
	} {
		if diff.states != "" {
			t.Errorf("%s: %s: %s", name, diff.what, diff.states)
		}
	}
	if a, b := eager.violated(t), plain.violated(t); !slices.Equal(a, b) {
		t.Errorf("%s: violates %v with eager sends, %v without", name, a, b)
	}
}

// TestEagerIsHarmless compares the model with itself without the reduction by eager sends.
func TestEagerIsHarmless(t *testing.T) {
	configs := []model.Config{
		modeltest.Sized(2, 2, 0, 1, 0, 0),
		modeltest.Sized(2, 1, 0, 1, 0, 1),
		modeltest.Sized(2, 1, 1, 0, 0, 0),
		modeltest.Sized(2, 1, 1, 1, 0, 0),
		modeltest.Sized(2, 1, 1, 0, 0, 1),
		modeltest.Sized(2, 2, 1, 0, 0, 0),
		modeltest.Sized(3, 1, 0, 1, 0, 0),
		modeltest.Sized(3, 1, 0, 0, 1, 0),
		modeltest.Sized(3, 2, 0, 0, 0, 0),
		modeltest.Sized(3, 1, 1, 0, 0, 0),
	}
	for n, cfg := range configs {
		t.Run(modeltest.Name(cfg), func(t *testing.T) {
			t.Parallel()
			for i, rs := range modeltest.RuleSets() {
				every := 2
				if cfg.Replicas+cfg.Ops+cfg.ViewMax > 4 {
					every = 4
				}
				if cfg.Replicas == 2 && cfg.Ops == 2 && cfg.ViewMax > 0 {
					every = 8
				}
				if !model.Long() && i > 2 && i%every != n%every {
					continue // a long run has all rules
				}
				if big := cfg.Replicas > 2 && cfg.ViewMax > 0; big && (testing.Short() || rs.Rules.Readoption == model.ReadoptAlways || i%4 != 1) {
					continue // too many states, or too much time for all rules
				}
				if testing.Short() && i > 2 {
					continue
				}
				m := newModel(t, cfg, rs.Rules)
				with, without := search(t, m, 300_000), search(t, m.Unreduced(), 300_000)
				t.Logf("%s: %d states, unreduced %d", rs.Name, with.result.Distinct, without.result.Distinct)
				if with.interrupted() || without.interrupted() {
					t.Errorf("%s: too many states", rs.Name)
					continue
				}
				sameBehaviour(t, rs.Name, with, without)
			}
		})
	}
}
