package model

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestPictureAgreesWithTable holds the views of random states to what their tables say.
func TestPictureAgreesWithTable(t *testing.T) {
	cfg := DefaultConfig()
	cfg.Crashes, cfg.Stops, cfg.Drops = 2, 1, 1
	var models []*Model
	for _, cfg.ViewMax = range []int{0, 2} { // holes are common in one view and rare in many
		m, err := New(cfg, Rules{})
		if err != nil {
			t.Fatal(err)
		}
		models = append(models, m, m.Unreduced())
	}
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.SampledFrom(models).Draw(t, "model")
		var s, next State
		for range rapid.IntRange(0, 80).Draw(t, "steps") {
			var states []State
			m.Next(&s, &next, func(uint32) { states = append(states, next) })
			if len(states) == 0 {
				break
			}
			s = rapid.SampledFrom(states).Draw(t, "step")
		}
		checkViews(t, m, &s)
		checkEnvelopes(t, m, &s)
	})
}

// checkViews compares the replicas: roles, holes and acks.
func checkViews(t *rapid.T, m *Model, s *State) {
	table := m.Table(s)
	rows, rest, _ := strings.Cut(table, "\n  ")
	rows, _, _ = strings.Cut(rows, "HOLE =")
	holes, quorums := 0, 0
	for i := range m.cfg.Replicas {
		v := m.View(s, i)
		if !strings.Contains(table, v.Role) {
			t.Errorf("replica %d is %q, which the table does not have:\n%s", i, v.Role, table)
		}
		for _, c := range v.Log {
			if c.Hole {
				holes++
			}
			if c.Hole && c.Body != "" || c.Applied && !c.Committed {
				t.Errorf("replica %d: impossible cell %+v", i, c)
			}
		}
		for _, a := range v.Acks {
			if a.Quorum != (len(a.By) >= a.Needed) || a.Blocker >= a.Op {
				t.Errorf("replica %d: impossible acks %+v", i, a)
			}
			if a.Quorum {
				quorums++
			}
		}
	}
	if got := strings.Count(rows, "HOLE"); got != holes {
		t.Errorf("the views have %d holes, the table %d:\n%s", holes, got, table)
	}
	if got := strings.Count(rest, "QUORUM"); got != quorums {
		t.Errorf("the views have %d quorums, the table %d:\n%s", quorums, got, table)
	}
}

// checkEnvelopes compares the messages: each is in the table with its fate, tells itself
// from the others, and is taken exactly when its delivery changes the state.
func checkEnvelopes(t *rapid.T, m *Model, s *State) {
	table := strings.Join(strings.Fields(m.Table(s)), " ")
	seen := map[string]bool{}
	for _, e := range m.InFlight(s) {
		if !strings.Contains(table, strings.Join(strings.Fields(e.Text), " ")) {
			t.Errorf("the table lacks %s:\n%s", e.Text, table)
		}
		if !strings.HasPrefix(e.Label, e.Name) {
			t.Errorf("label %q of %s does not begin with its name", e.Label, e.Text)
		}
		key := m.ActionString(e.Action) + e.Text
		if seen[key] {
			t.Errorf("two messages are %s", key)
		}
		seen[key] = true
		if s.Failed != AssertNone {
			continue
		}
		after, _ := m.attempt(s, e.Action)
		switch v, reason := m.Fate(s, e.Action); v {
		case CanTake, NoEffect:
			if reason != "" || (v == CanTake) != (after != *s) {
				t.Errorf("%s: verdict %s with reason %q", e.Text, v, reason)
			}
		case Refuses, TakesPart:
			if reason == "" || (v == TakesPart) != (after != *s) {
				t.Errorf("%s: verdict %s with reason %q", e.Text, v, reason)
			}
		}
	}
}
