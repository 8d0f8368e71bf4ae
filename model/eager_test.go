package model_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"vsrcheck/explore"
	"vsrcheck/invariants"
	"vsrcheck/model"
)

// sized is a configuration of the given sizes in which every replica may fail.
func sized(replicas, ops, viewMax, crashes, stops, drops int) model.Config {
	c := model.DefaultConfig()
	c.Replicas, c.Ops, c.ViewMax = replicas, ops, viewMax
	c.Crashes, c.Stops, c.Drops = crashes, stops, drops
	c.MayCrash, c.MayStop = model.AllReplicas(replicas), model.AllReplicas(replicas)
	return c
}

func testName(c model.Config) string {
	return fmt.Sprintf("n%d-ops%d-view%d-crash%d-stop%d-drop%d", c.Replicas, c.Ops, c.ViewMax, c.Crashes, c.Stops, c.Drops)
}

// ruleSet is a named set of rules.
type ruleSet struct {
	name  string
	rules model.Rules
}

// with is rs with some rules switched: "name=alternative".
func with(rs model.Rules, settings ...string) model.Rules {
	for _, setting := range settings {
		name, alternative, _ := strings.Cut(setting, "=")
		found := false
		for _, r := range model.Catalogue() {
			if r.Name == name {
				found = true
				if err := r.Set(&rs, alternative); err != nil {
					panic(err)
				}
			}
		}
		if !found {
			panic("no rule " + name)
		}
	}
	return rs
}

// soundRules is every rule at its first alternative that is not known to break a
// property.
func soundRules() model.Rules {
	var rs model.Rules
	for _, r := range model.Catalogue() {
		for _, a := range r.Alternatives {
			if a.Sound {
				rs = with(rs, r.Name+"="+a.Name)
				break
			}
		}
	}
	return rs
}

// ruleSets are the report's rules, the sound ones, these with readoption = never, under
// which most is sent eagerly, and each that differs from one of these in one rule.
func ruleSets() []ruleSet {
	out := []ruleSet{{"report", model.Rules{}}, {"sound", soundRules()}, {"never", with(soundRules(), "readoption=never")}}
	seen := map[model.Rules]bool{}
	for _, base := range out {
		seen[base.rules] = true
	}
	for _, base := range out[:3] {
		for _, r := range model.Catalogue() {
			for _, a := range r.AlternativeNames() {
				rs := with(base.rules, r.Name+"="+a)
				if !seen[rs] {
					seen[rs] = true
					out = append(out, ruleSet{base.name + "+" + r.Name + "=" + a, rs})
				}
			}
		}
	}
	return out
}

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

// replicaParts is what the states of a model say of the replicas alone.
type replicaParts struct {
	states      int
	all         map[string]bool
	still       map[string]bool // of these, where no fair step changes anything
	quiescent   map[string]bool // of these, where a primary leads a quorum
	interrupted bool
}

// partsOf searches a model breadth first and collects the parts of its states that
// the properties see.
func partsOf(m *model.Model, limit int) replicaParts {
	out := replicaParts{all: map[string]bool{}, still: map[string]bool{}, quiescent: map[string]bool{}}
	words := make([]uint64, m.Words())
	seen := map[string]bool{}
	var queue []string
	push := func(s *model.State) {
		if k := key(m, s, words); !seen[k] {
			seen[k] = true
			queue = append(queue, k)
		}
	}
	m.Init(push)
	src := make([]uint64, m.Words())
	for i := 0; i < len(queue); i++ {
		if len(queue) > limit {
			out.interrupted = true
			return out
		}
		for w := range src {
			src[w] = binary.LittleEndian.Uint64([]byte(queue[i][8*w:]))
		}
		var s, t model.State
		m.Decode(src, &s)
		quiescent := true
		m.Next(&s, &t, func(a uint32) {
			if t != s {
				quiescent = quiescent && !m.Fair(a)
				push(&t)
			}
		})
		quiescent = quiescent && !m.Pending(&s) && s.Failed == model.AssertNone
		led := leadsQuorum(m, &s)
		s.Net, s.Stamp, s.Drops, s.Lost = model.Network{}, [model.MaxViews][model.MaxOps]uint8{}, 0, 0
		s.DecidedIn = [model.MaxOps]uint8{} // which of two decisions came first, and they may be exchanged
		part := key(m, &s, words)
		out.all[part] = true
		if quiescent {
			out.still[part] = true
		}
		if quiescent && led {
			out.quiescent[part] = true
		}
	}
	out.states = len(queue)
	return out
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

// onlyIn is the state of a part that is in a and not in b, as a table.
func onlyIn(m *model.Model, a, b map[string]bool) string {
	var found []string
	for k := range a {
		if !b[k] {
			found = append(found, k)
		}
	}
	if len(found) == 0 {
		return ""
	}
	k := slices.Min(found)
	src := make([]uint64, m.Words())
	for w := range src {
		src[w] = binary.LittleEndian.Uint64([]byte(k[8*w:]))
	}
	var s model.State
	m.Decode(src, &s)
	return fmt.Sprintf("%d such, for example\n%s", len(found), m.Table(&s))
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
func violated(t tester, m *model.Model) []string {
	t.Helper()
	r, err := explore.Check(context.Background(), explore.System[model.State](m), everyProperty(m), explore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Stop != explore.StopNone {
		t.Fatalf("inconclusive: %s", r.Reason)
	}
	var out []string
	for _, v := range r.Violations {
		out = append(out, v.Property)
	}
	slices.Sort(out)
	return out
}

// sameBehaviour compares the parts of a model with eager sends with those of the plain one:
// the same states of the replicas are reachable, the same of them with a primary that leads
// a quorum are quiescent, and the same properties are violated.
func sameBehaviour(t tester, name string, eager, plain *model.Model, with, without replicaParts) {
	t.Helper()
	for _, diff := range []struct{ what, states string }{
		{"reached only with eager sends", onlyIn(eager, with.all, without.all)},
		{"reached only without eager sends", onlyIn(eager, without.all, with.all)},
		{"quiescent only with eager sends", onlyIn(eager, with.quiescent, without.quiescent)},
		{"quiescent only without eager sends", onlyIn(eager, without.quiescent, with.quiescent)},
	} {
		if diff.states != "" {
			t.Errorf("%s: %s: %s", name, diff.what, diff.states)
		}
	}
	if a, b := violated(t, eager), violated(t, plain); !slices.Equal(a, b) {
		t.Errorf("%s: violates %v with eager sends, %v without", name, a, b)
	}
}

// TestEagerIsHarmless compares the model with itself without the reduction by eager sends.
func TestEagerIsHarmless(t *testing.T) {
	configs := []model.Config{
		sized(2, 2, 0, 1, 0, 0),
		sized(2, 1, 0, 1, 0, 1),
		sized(2, 1, 1, 0, 0, 0),
		sized(2, 1, 1, 1, 0, 0),
		sized(2, 1, 1, 0, 0, 1),
		sized(2, 2, 1, 0, 0, 0),
		sized(3, 1, 0, 1, 0, 0),
		sized(3, 1, 0, 0, 1, 0),
		sized(3, 2, 0, 0, 0, 0),
		sized(3, 1, 1, 0, 0, 0),
	}
	for n, cfg := range configs {
		t.Run(testName(cfg), func(t *testing.T) {
			t.Parallel()
			for i, rs := range ruleSets() {
				if huge := cfg.Replicas+cfg.Ops+cfg.ViewMax > 4; huge && !model.Long() && i > 2 && i%4 != n%4 {
					continue // a long run has all rules
				}
				if big := cfg.Replicas > 2 && cfg.ViewMax > 0; big && (testing.Short() || rs.rules.Readoption == model.ReadoptAlways || i%4 != 1) {
					continue // too many states, or too much time for all rules
				}
				if testing.Short() && i > 2 {
					continue
				}
				m := newModel(t, cfg, rs.rules)
				with, without := partsOf(m, 300000), partsOf(m.Unreduced(), 300000)
				t.Logf("%s: %d states, unreduced %d", rs.name, with.states, without.states)
				if with.interrupted || without.interrupted {
					t.Errorf("%s: too many states", rs.name)
					continue
				}
				sameBehaviour(t, rs.name, m, m.Unreduced(), with, without)
			}
		})
	}
}
