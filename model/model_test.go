package model

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// TestNext: Next does not change its argument, gives the same steps every time, never
// lets a stopped replica act, and ends in a failed state.
func TestNext(t *testing.T) {
	for _, cfg := range []Config{sized(2, 1, 1, 1, 1, 0), sized(3, 1, 0, 0, 1, 1), sized(2, 2, 0, 1, 0, 0)} {
		for _, rs := range ruleSets()[:2] {
			m := mustNew(t, cfg, rs.rules)
			overStates(t, m, func(s *State) error {
				before := *s
				var first, second []effect
				for _, list := range []*[]effect{&first, &second} {
					var u State
					m.Next(s, &u, func(a uint32) { *list = append(*list, effect{a, u}) })
				}
				if *s != before {
					return errors.New("Next has changed its argument")
				}
				if !slices.Equal(first, second) {
					return errors.New("Next is not deterministic")
				}
				if s.Failed != AssertNone && len(first) > 0 {
					return errors.New("a failed state has successors")
				}
				for _, e := range first {
					if kindOf(e.action) != kDrop && s.Replica[m.receiver(e.action)].Status == Stopped {
						return errors.New("a stopped replica acts")
					}
				}
				return nil
			})
		}
	}
}

// effect is an action with the state that it leads to.
type effect struct {
	action uint32
	state  State
}

// TestActionsRoundTrip: an action keeps what it is made of, and has a name of its own.
func TestActionsRoundTrip(t *testing.T) {
	m := mustNew(t, sized(2, 1, 1, 1, 0, 1), soundRules())
	overStates(t, m, func(s *State) error {
		names := map[string]uint32{}
		m.each(s, func(a uint32) {
			if a != act(kindOf(a), selfOf(a), peerOf(a), posOf(a))|a&^(1<<dropShift-1) {
				t.Errorf("%#x loses what it is made of", a)
			}
			name := m.ActionString(a)
			if b, found := names[name]; found && b != a {
				t.Errorf("%#x and %#x are both %s", a, b, name)
			}
			names[name] = a
			if !strings.HasPrefix(name, m.Kinds()[m.Kind(a)]+"(") {
				t.Errorf("%s is of kind %s", name, m.Kinds()[m.Kind(a)])
			}
			if m.Actor(a) < 0 || m.Actor(a) >= m.cfg.Replicas {
				t.Errorf("%s is taken by replica %d", name, m.Actor(a))
			}
		})
		return nil
	})
	for k, name := range m.Kinds() {
		if name == "" || m.KindDoc(k) == "" {
			t.Errorf("kind %d has no name or no description", k)
		}
	}
}

// TestNoAllocation: the inner loop of a check allocates nothing.
func TestNoAllocation(t *testing.T) {
	cfg := sized(3, 3, 2, 1, 1, 1)
	for _, rs := range ruleSets()[:2] {
		m := mustNew(t, cfg, rs.rules)
		s := busy(m)
		m = m.With(AllReductions)
		var u State
		words := make([]uint64, m.Words())
		measure := make([]uint64, m.MeasureWords())
		n := 0
		yield := func(a uint32) {
			n++
			m.Encode(&u, words)
			m.Measure(&u, measure)
		}
		if got := testing.AllocsPerRun(10, func() { m.Next(&s, &u, yield) }); got != 0 {
			t.Errorf("%s: Next, Encode and Measure allocate %v times", rs.name, got)
		}
		if got := testing.AllocsPerRun(10, func() { m.Decode(words, &u) }); got != 0 {
			t.Errorf("%s: Decode allocates %v times", rs.name, got)
		}
		if n == 0 {
			t.Errorf("%s: nothing is enabled", rs.name)
		}
	}
}

// busy is a state with much in flight: what comes of always taking the last effective
// action.
func busy(m *Model) State {
	var s, u, last State
	for range 25 {
		last = s
		m.Next(&s, &u, func(uint32) {
			if u.Crashes+u.Stops+u.Drops == 0 {
				last = u
			}
		})
		s = last
	}
	return s
}

func TestConfigValidate(t *testing.T) {
	if err := DefaultConfig().Validate(); err != nil {
		t.Errorf("the default configuration: %v", err)
	}
	tests := []struct {
		change func(c *Config)
		want   string // in the error; "" for a configuration that fits
	}{
		{func(c *Config) { c.Replicas = 1 }, "replicas is 1, want 2..5"},
		{func(c *Config) { c.Replicas = 6 }, "replicas is 6, want 2..5"},
		{func(c *Config) { c.Replicas = 2; c.MayCrash, c.MayStop = 3, 3 }, ""},
		{func(c *Config) { c.Ops = 0 }, "ops is 0, want 1..8"},
		{func(c *Config) { c.Ops = 9 }, "ops is 9, want 1..8"},
		{func(c *Config) { c.Ops = 8 }, ""},
		{func(c *Config) { c.Pipeline = 0 }, "pipeline is 0, want 1..8"},
		{func(c *Config) { c.Pipeline = 9 }, "pipeline is 9, want 1..8"},
		{func(c *Config) { c.ViewMax = -1 }, "view_max is -1, want 0..3"},
		{func(c *Config) { c.ViewMax = 4 }, "view_max is 4, want 0..3"},
		{func(c *Config) { c.Crashes = -1 }, "crashes is -1, want 0..3"},
		{func(c *Config) { c.Crashes = 4 }, "crashes is 4, want 0..3"},
		{func(c *Config) { c.Stops = 4 }, "stops is 4, want 0..3"},
		{func(c *Config) { c.Drops = 4 }, "drops is 4, want 0..3"},
		{func(c *Config) { c.MayCrash = 8 }, "may_crash is {3}, want a subset of {0, 1, 2}"},
		{func(c *Config) { c.MayStop = 8 }, "may_stop is {3}, want a subset of {0, 1, 2}"},
		{func(c *Config) { c.MayCrash, c.MayStop = 0, 1 }, ""},
		{func(c *Config) { c.Ops, c.ViewMax = 6, 3 }, ""},
		{func(c *Config) { c.Ops, c.ViewMax = 7, 3 }, "ops=7 with view_max=3 needs 70 prepares"},
		{func(c *Config) { c.Replicas, c.Ops = 9, 0 }, "ops is 0"}, // all at once
	}
	for _, test := range tests {
		c := DefaultConfig()
		test.change(&c)
		err := c.Validate()
		_, newErr := New(c, Rules{})
		if (newErr == nil) != (err == nil) {
			t.Errorf("%+v: Validate says %v, New %v", c, err, newErr)
		}
		switch {
		case test.want == "" && err != nil:
			t.Errorf("%+v: %v", c, err)
		case test.want != "" && (err == nil || !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), test.want)):
			t.Errorf("%+v: got error %v, want an ErrConfig with %q", c, err, test.want)
		}
	}
}

// TestQuorums: the quorums intersect where they have to.
func TestQuorums(t *testing.T) {
	for _, want := range []struct{ n, replication, viewChange, nack, f int }{
		{2, 2, 2, 1, 0}, {3, 2, 2, 2, 1}, {4, 2, 3, 3, 1}, {5, 3, 3, 3, 2},
	} {
		c := Config{Replicas: want.n}
		got := want
		got.replication, got.viewChange, got.nack, got.f = c.ReplicationQuorum(), c.ViewChangeQuorum(), c.NackQuorum(), c.MaxFaulty()
		if got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
		if got.replication+got.viewChange <= want.n {
			t.Errorf("%d replicas: a replication and a view-change quorum need not meet", want.n)
		}
		if got.replication+got.nack <= want.n {
			t.Errorf("%d replicas: a replication and a nack quorum need not meet", want.n)
		}
	}
}

func TestRules(t *testing.T) {
	names := map[string]bool{}
	for _, r := range Catalogue() {
		if names[r.Name] || r.Name == "" || r.Summary == "" || r.Source == "" || len(r.Alternatives) < 2 {
			t.Errorf("%+v: a rule has a name of its own, a summary, a source and alternatives", r)
		}
		names[r.Name] = true
		var rs Rules
		if got := r.Get(rs); got != r.Alternatives[0].Name {
			t.Errorf("%s of the report's rules is %s, want the first alternative", r.Name, got)
		}
		sound := false
		for i, a := range r.Alternatives {
			sound = sound || a.Sound
			if a.Summary == "" || slices.Index(r.AlternativeNames(), a.Name) != i {
				t.Errorf("%s=%s has no summary, or its name is not its own", r.Name, a.Name)
			}
			if err := r.Set(&rs, a.Name); err != nil || r.Get(rs) != a.Name {
				t.Errorf("set %s=%s: got %s, %v", r.Name, a.Name, r.Get(rs), err)
			}
			// Nothing else is touched.
			for _, other := range Catalogue() {
				if other.Name != r.Name && other.Get(rs) != other.Alternatives[0].Name {
					t.Errorf("setting %s changes %s", r.Name, other.Name)
				}
			}
		}
		if !sound {
			t.Errorf("%s has no sound alternative", r.Name)
		}
		before := rs
		err := r.Set(&rs, "wrong")
		if !errors.Is(err, ErrRule) || !strings.Contains(err.Error(), r.Name) || !strings.Contains(err.Error(), r.Alternatives[1].Name) {
			t.Errorf("set %s=wrong: got error %v, want an ErrRule that lists the alternatives", r.Name, err)
		}
		if rs != before {
			t.Errorf("a failing Set has changed %s", r.Name)
		}
	}
}

func TestReplicaSet(t *testing.T) {
	for _, test := range []struct {
		set  ReplicaSet
		text string
		len  int
	}{{0, "{}", 0}, {1, "{0}", 1}, {6, "{1, 2}", 2}, {AllReplicas(5), "{0, 1, 2, 3, 4}", 5}} {
		if got := test.set.String(); got != test.text || test.set.Len() != test.len {
			t.Errorf("%b is %s with %d members, want %s with %d", test.set, got, test.set.Len(), test.text, test.len)
		}
	}
}

// TestPositions: every message has a position of its own, and back.
func TestPositions(t *testing.T) {
	m := mustNew(t, sized(3, 6, 3, 0, 0, 0), Rules{})
	c := &m.cfg
	used := map[string]map[int]bool{}
	take := func(set string, pos int) {
		if used[set] == nil {
			used[set] = map[int]bool{}
		}
		if used[set][pos] || pos < 0 || pos >= setPositions(c, set) {
			t.Errorf("position %d of %s is taken or out of range", pos, set)
		}
		used[set][pos] = true
	}
	for view := range uint8(c.views()) {
		for op := uint8(1); int(op) <= c.Ops; op++ {
			for id := identity(1); id <= view+1; id++ {
				pos := m.preparePos(view, op, id)
				take("Prepare", pos)
				if v, o, i := m.prepareAt(pos); v != view || o != op || i != id {
					t.Errorf("prepare %d %d %d comes back as %d %d %d", view, op, id, v, o, i)
				}
			}
			pos := m.repairPos(op, view+1)
			take("RepairPrepare", pos)
			if o, i := m.repairAt(pos); o != op || i != view+1 {
				t.Errorf("repair frame %d %d comes back as %d %d", op, view+1, o, i)
			}
		}
		for commit := range uint8(c.Ops + 1) {
			pos := m.commitPos(view, commit)
			take("Commit", pos)
			if v, k := m.commitAt(pos); v != view || k != commit {
				t.Errorf("heartbeat %d %d comes back as %d %d", view, commit, v, k)
			}
		}
		for i := range c.Replicas {
			pos := m.senderPos(view, i)
			take("Probe", pos)
			if v, j := m.senderAt(pos); v != view || j != i {
				t.Errorf("probe %d %d comes back as %d %d", view, i, v, j)
			}
		}
	}
	for op := range uint8(c.Ops + 1) {
		for commit := range op + 1 {
			take("Answer", answerPos(op, commit))
			if o, k := answerAt(answerPos(op, commit)); o != op || k != commit {
				t.Errorf("answer %d %d comes back as %d %d", op, commit, o, k)
			}
		}
		for from := uint8(1); from <= op; from++ {
			take("RequestPrepares", rangePos(from, op))
			if f, o := rangeAt(rangePos(from, op)); f != from || o != op {
				t.Errorf("range %d..%d comes back as %d..%d", from, op, f, o)
			}
		}
	}
	for set, positions := range used {
		if len(positions) != setPositions(c, set) {
			t.Errorf("%s uses %d positions of %d", set, len(positions), setPositions(c, set))
		}
	}
}

// TestMeasureIncreases: under the sound rules every effective step makes the measure
// larger, so the state graph has no cycle.
func TestMeasureIncreases(t *testing.T) {
	configs := []Config{
		sized(2, 2, 0, 1, 1, 0), sized(2, 2, 0, 1, 0, 1), sized(2, 1, 1, 1, 1, 0), sized(2, 1, 1, 0, 0, 1),
		sized(2, 1, 2, 1, 0, 0), sized(2, 2, 1, 0, 0, 0), sized(3, 1, 0, 1, 1, 0),
	}
	if !testing.Short() {
		configs = append(configs, sized(3, 1, 1, 1, 0, 0))
	}
	for _, cfg := range configs {
		t.Run(cfg.testName(), func(t *testing.T) {
			for _, rs := range ruleSets() {
				if !allSound(rs.rules) || cfg.Replicas > 2 && cfg.ViewMax > 0 && rs.rules != soundRules() {
					continue
				}
				m := mustNew(t, cfg, rs.rules)
				overReachable(t, m, func(s *State, _ uint32, u *State) error {
					if *u == *s || m.increases(s, u) {
						return nil
					}
					return errors.New(rs.name + ": the measure does not increase")
				})
			}
		})
	}
}

// allSound reports whether every rule is at an alternative that is not known to break
// a property.
func allSound(rs Rules) bool {
	for _, r := range Catalogue() {
		if !r.chosen(rs).Sound {
			return false
		}
	}
	return true
}

// increases reports whether the measure of u is larger than that of s.
func (m *Model) increases(s, u *State) bool {
	a, b := make([]uint64, m.MeasureWords()), make([]uint64, m.MeasureWords())
	m.Measure(s, a)
	m.Measure(u, b)
	return slices.Compare(a, b) < 0
}

// TestMeasureBreaks: which single alternatives, everything else sound, let a step make
// the measure smaller. There the checker has to look for cycles. A rule that leaves
// this list, or a new one that joins it, changes how liveness is decided.
func TestMeasureBreaks(t *testing.T) {
	got := map[string]bool{}
	for _, cfg := range []Config{sized(2, 2, 0, 1, 0, 0), sized(2, 1, 1, 1, 0, 0), sized(2, 2, 1, 0, 0, 0)} {
		for _, rs := range ruleSets() {
			if !strings.HasPrefix(rs.name, "sound") {
				continue
			}
			m := mustNew(t, cfg, rs.rules)
			overReachable(t, m, func(s *State, _ uint32, u *State) error {
				if *u != *s && !m.increases(s, u) {
					got[rs.name] = true
				}
				return nil
			})
		}
	}
	want := map[string]bool{
		"sound+commit_assign=assigned":   true,
		"sound+readoption=always":        true,
		"sound+state_transfer_cut=asked": true, // who asks drops bodies, within its view
	}
	for name := range got {
		if !want[name] {
			t.Errorf("%s breaks the measure", name)
		}
	}
	for name := range want {
		if !got[name] {
			t.Errorf("%s does not break the measure any more", name)
		}
	}
}
