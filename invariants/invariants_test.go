package invariants_test

import (
	"context"
	"os"
	"runtime/debug"
	"slices"
	"testing"

	"vsrcheck/explore"
	"vsrcheck/invariants"
	"vsrcheck/model"
	"vsrcheck/model/modeltest"
)

// rules are the sound rules, or the report's, with some switched: "name=alternative".
func rules(t testing.TB, base string, settings ...string) (rs model.Rules) {
	t.Helper()
	if base == "sound" {
		rs = modeltest.SoundRules()
	}
	return modeltest.With(rs, settings...)
}

func newModel(t testing.TB, cfg model.Config, rs model.Rules) *model.Model {
	t.Helper()
	m, err := model.New(cfg, rs)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func named(t testing.TB, name string) invariants.Property {
	t.Helper()
	p, ok := invariants.Named(name)
	if !ok {
		t.Fatalf("no property %s", name)
	}
	return p
}

// properties are the named ones for the engine, each recorded for itself.
func properties(t testing.TB, m *model.Model, names ...string) explore.Properties[model.State] {
	t.Helper()
	ps := explore.Properties[model.State]{Deferred: map[string]bool{}}
	for _, name := range names {
		p := named(t, name)
		switch p.Kind {
		case invariants.State:
			ps.Invariants = append(ps.Invariants, explore.Invariant[model.State]{Name: name,
				Holds: func(s *model.State) bool { return p.Holds(m, s) }})
		case invariants.Step:
			ps.Actions = append(ps.Actions, explore.ActionProperty[model.State]{Name: name,
				Holds: func(s *model.State, a explore.Action, u *model.State) bool { return p.HoldsStep(m, s, a, u) }})
		case invariants.Reachable:
			ps.Reachable = append(ps.Reachable, explore.Reachable[model.State]{Name: name,
				Is: func(s *model.State) bool { return p.Holds(m, s) }})
		case invariants.Liveness:
			if p.Until != nil {
				for i := range m.Config().Ops {
					ps.Temporal = append(ps.Temporal, explore.Temporal[model.State]{Name: name, Kind: explore.LeadsTo,
						P: func(s *model.State) bool { return p.Outstanding(m, s)>>i&1 != 0 },
						Q: func(s *model.State) bool { return p.Until(m, s)>>i&1 != 0 }})
				}
				continue
			}
			ps.Recurrent = append(ps.Recurrent, explore.Recurrent[model.State]{Name: name,
				Outstanding: func(s *model.State) uint64 { return p.Outstanding(m, s) }})
		default:
			t.Fatalf("%s is a %s", name, p.Kind)
		}
	}
	return ps
}

func check(t testing.TB, m *model.Model, ps explore.Properties[model.State]) *explore.Result[model.State] {
	t.Helper()
	r, err := explore.Check(context.Background(), explore.System[model.State](m), ps, explore.Options{MaxStates: 400000})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// body is the identity of a body prepared in a view.
func body(view uint8) uint8 { return view + 1 }

// settled is a state of three replicas in view 0: op 1 is committed, and applied by
// the primary and replica 1.
func settled() model.State {
	var s model.State
	for i := range 2 {
		r := &s.Replica[i]
		r.Op, r.CommitMax, r.CommitMin = 1, 1, 1
		r.Journal[0] = body(0)
	}
	s.Decided[0] = body(0)
	return s
}

// TestStates: for each property of a state one that violates it, by a single change to
// a state that does not.
func TestStates(t *testing.T) {
	tests := []struct {
		property, why string
		change        func(s *model.State)
	}{
		{"TypeOK", "log_view above view", func(s *model.State) { s.Replica[2].LogView = 1 }},
		{"TypeOK", "view above view_max", func(s *model.State) { s.Replica[2].View = 3 }},
		{"TypeOK", "commit_min above commit_max", func(s *model.State) { s.Replica[2].CommitMin = 1 }},
		{"TypeOK", "op above ops", func(s *model.State) { s.Replica[2].Op = 4 }},
		{"TypeOK", "commit_max above ops", func(s *model.State) { s.Replica[2].CommitMax = 4 }},
		{"TypeOK", "a session beyond ops", func(s *model.State) { s.Replica[2].SessionTo = 4 }},
		{"Agreement", "another body applied", func(s *model.State) { s.Replica[1].Journal[0] = body(1) }},
		{"Agreement", "an applied op that is not held", func(s *model.State) { s.Replica[1].Journal[0] = 0 }},
		{"CommittedIsHeld", "no holder left", func(s *model.State) {
			s.Replica[0], s.Replica[1] = model.Replica{Status: model.Recovering}, model.Replica{Status: model.Recovering}
		}},
		{"CommittedIsHeld", "another body held", func(s *model.State) { s.Replica[0].Journal[0], s.Replica[1].Journal[0] = body(1), body(1) }},
		{"CommittedIsHeld", "all holders stopped", func(s *model.State) { s.Replica[0].Status, s.Replica[1].Status = model.Stopped, model.Stopped }},
		{"NoAssertion", "a failed assertion", func(s *model.State) { s.Failed = model.AssertCommitSequential }},
	}
	m := newModel(t, modeltest.Sized(3, 3, 2, 1, 1, 0), rules(t, "sound"))
	for _, test := range tests {
		p := named(t, test.property)
		s := settled()
		if !p.Holds(m, &s) {
			t.Errorf("%s is violated by a good state", test.property)
		}
		test.change(&s)
		if p.Holds(m, &s) {
			t.Errorf("%s holds in a state with %s", test.property, test.why)
		}
	}
}

// TestSteps: the same for the properties of a step.
func TestSteps(t *testing.T) {
	m := newModel(t, modeltest.Sized(3, 3, 2, 1, 1, 0), rules(t, "sound"))
	// Replica 1 starts view 1 with op 1, which is committed.
	starts := func(s, u *model.State) {
		s.Replica[1].Status, s.Replica[1].View = model.ViewChange, 1
		s.Replica[1].CommitMax, s.Replica[1].CommitMin = 0, 0
		*u = *s
		r := &u.Replica[1]
		r.Status, r.LogView, r.CommitMax = model.Normal, 1, 1
	}
	tests := []struct {
		property, what string
		change         func(s, u *model.State)
		holds          bool
	}{
		{"NoRegression", "nothing changes", func(s, u *model.State) {}, true},
		{"NoRegression", "numbers rise and the head falls", func(s, u *model.State) {
			r := &u.Replica[1]
			r.View, r.LogView, r.CommitMax, r.Op = 1, 1, 2, 0
		}, true},
		{"NoRegression", "view falls", func(s, u *model.State) { s.Replica[1].View = 1 }, false},
		{"NoRegression", "log_view falls", func(s, u *model.State) { s.Replica[1].LogView = 1 }, false},
		{"NoRegression", "commit_max falls", func(s, u *model.State) { u.Replica[1].CommitMax = 0; u.Replica[1].CommitMin = 0 }, false},
		{"NoRegression", "commit_min falls", func(s, u *model.State) { u.Replica[1].CommitMin = 0 }, false},
		{"NoRegression", "a crash", func(s, u *model.State) { u.Replica[1] = model.Replica{Status: model.Recovering}; u.Crashes++ }, true},
		{"NoRegression", "a crash that forgets the view", func(s, u *model.State) {
			s.Replica[1].View = 1
			u.Replica[1] = model.Replica{Status: model.Recovering}
			u.Crashes++
		}, false},
		{"NoRegression", "a crash of another replica", func(s, u *model.State) {
			u.Replica[1] = model.Replica{Status: model.Recovering}
			u.Replica[0].CommitMin = 0
			u.Crashes++
		}, false},
		{"NoRegression", "a stop", func(s, u *model.State) { u.Replica[1] = model.Replica{Status: model.Stopped}; u.Stops++ }, true},
		{"Durability", "a view starts with the op", starts, true},
		{"Durability", "a view starts without the op", func(s, u *model.State) { starts(s, u); u.Replica[1].Op = 0 }, false},
		{"Durability", "a view starts with another body", func(s, u *model.State) { starts(s, u); u.Replica[1].Journal[0] = body(1) }, false},
		{"Durability", "a view starts with a hole that repair will fill", func(s, u *model.State) { starts(s, u); u.Replica[1].Journal[0] = 0 }, true},
		{"Durability", "a view starts with a hole above commit_max", func(s, u *model.State) {
			starts(s, u)
			u.Replica[1].Journal[0], u.Replica[1].CommitMax = 0, 0
		}, false},
		{"Durability", "a view starts without the op after one loss", func(s, u *model.State) { starts(s, u); u.Replica[1].Op, u.Lost = 0, 1 }, false},
		{"Durability", "a view starts without the op after more than f losses", func(s, u *model.State) { starts(s, u); u.Replica[1].Op, u.Lost = 0, 5 }, true},
		{"Durability", "an op of a later view is missing in an earlier one", func(s, u *model.State) {
			starts(s, u)
			u.Replica[1].Op = 0
			s.DecidedIn[0] = 2
			u.DecidedIn[0] = 2
		}, true},
		{"Durability", "no view starts", func(s, u *model.State) { u.Replica[0].Op = 0 }, true},
	}
	for _, test := range tests {
		s, u := settled(), settled()
		test.change(&s, &u)
		action := uint32(0)
		if u.Crashes != s.Crashes {
			action = actionNamed(t, m, "CrashRestart(replica 1)")
		}
		if got := named(t, test.property).HoldsStep(m, &s, action, &u); got != test.holds {
			t.Errorf("%s: got %v, want %v when %s", test.property, got, test.holds, test.what)
		}
	}
}

// TestSettledViewStays: what may be in flight in a view that all have joined.
func TestSettledViewStays(t *testing.T) {
	m := newModel(t, modeltest.Sized(3, 3, 2, 1, 1, 0), rules(t, "sound"))
	joining := func(s *model.State) { s.Net.StartViewChange[1] = 1 << (1*3 + 2) } // of view 1, by replica 2
	for _, test := range []struct {
		what   string
		change func(s *model.State)
		holds  bool
	}{
		{"nothing is in flight", func(s *model.State) {}, true},
		{"a message of the next view", joining, false},
		{"one replica is in another view", func(s *model.State) { joining(s); s.Replica[2].View = 1 }, true},
		{"one replica is not Normal", func(s *model.State) { joining(s); s.Replica[2].Status = model.Recovering }, true},
	} {
		s := settled()
		test.change(&s)
		if got := named(t, "SettledViewStays").Holds(m, &s); got != test.holds {
			t.Errorf("got %v, want %v when %s", got, test.holds, test.what)
		}
	}
}

// TestVotesDecide: when the decision of a view change is owed.
func TestVotesDecide(t *testing.T) {
	m := newModel(t, modeltest.Sized(3, 3, 2, 1, 1, 0), rules(t, "sound"))
	for _, test := range []struct {
		what   string
		change func(s *model.State)
		want   uint64
	}{
		{"two of three have joined", func(*model.State) {}, 0b010},
		{"it is decided", func(s *model.State) { s.Replica[1].Parked = 1 }, 0},
		{"the view has started", func(s *model.State) { s.Replica[1].Status = model.Normal }, 0},
		{"the other one is in a later view", func(s *model.State) { s.Replica[2].View = 2 }, 0},
		{"the other one recovers", func(s *model.State) { s.Replica[2].Status = model.Recovering }, 0},
		{"all three have joined", func(s *model.State) { s.Replica[0] = s.Replica[2] }, 0b010},
		{"a failed assertion", func(s *model.State) { s.Failed = model.AssertCommitSequential }, 0},
	} {
		s := joined()
		test.change(&s)
		if got := named(t, "VotesDecide").Outstanding(m, &s); got != test.want {
			t.Errorf("got %b, want %b when %s", got, test.want, test.what)
		}
	}
}

// joined is a state of three replicas in which replicas 1 and 2 are in the change to
// view 1.
func joined() model.State {
	s := settled()
	for i := 1; i < 3; i++ {
		s.Replica[i].Status, s.Replica[i].View = model.ViewChange, 1
	}
	return s
}

// TestOutstanding: for each liveness property a state in which something is owed, and
// states in which it is not.
func TestOutstanding(t *testing.T) {
	// The primary of view 0 has prepared ops 2 and 3 above the committed op 1; op 3 has
	// its quorum of acks. Replica 2 has applied nothing.
	owing := func() model.State {
		s := settled()
		r := &s.Replica[0]
		r.Op = 3
		r.Journal[1], r.Journal[2] = body(0), body(0)
		r.Acks[1], r.Acks[2] = 1, 3
		return s
	}
	tests := []struct {
		what                         string
		change                       func(s *model.State)
		acked, prepared, backupsMask uint64
	}{
		{"all is owed", func(*model.State) {}, 0b100, 0b110, 0b100},
		{"committed, not applied", func(s *model.State) { s.Replica[0].CommitMax = 3 }, 0, 0, 0b101},
		{"committed and applied", func(s *model.State) { s.Replica[0].CommitMax, s.Replica[0].CommitMin = 3, 3 }, 0, 0, 0b110},
		{"a failed assertion", func(s *model.State) { s.Failed = model.AssertCommitSequential }, 0, 0, 0},
		{"caught up", func(s *model.State) { s.Replica[2].CommitMin = 1 }, 0b100, 0b110, 0},
		{"the primary is not Normal", func(s *model.State) { s.Replica[0].Status = model.Recovering }, 0, 0, 0},
		{"the primary has left the view", func(s *model.State) { s.Replica[0].View = 1 }, 0, 0, 0},
		{"one backup is gone", func(s *model.State) { s.Replica[2].Status = model.Stopped }, 0b100, 0b110, 0},
		{"one backup is past the view", func(s *model.State) { s.Replica[2].View = 1 }, 0b100, 0b110, 0},
		{"the quorum is gone", func(s *model.State) { s.Replica[1].Status, s.Replica[2].View = model.Stopped, 1 }, 0, 0, 0},
	}
	m := newModel(t, modeltest.Sized(3, 3, 2, 1, 1, 0), rules(t, "sound"))
	for _, test := range tests {
		s := owing()
		test.change(&s)
		for name, want := range map[string]uint64{"QuorumAckedCommits": test.acked, "EveryPreparedCommits": test.prepared, "BackupsCatchUp": test.backupsMask} {
			if got := named(t, name).Outstanding(m, &s); got != want {
				t.Errorf("%s: got %b, want %b when %s", name, got, want, test.what)
			}
		}
	}
}

// actionNamed is the action with this text among those enabled initially.
func actionNamed(t *testing.T, m *model.Model, name string) uint32 {
	t.Helper()
	var found uint32
	m.Init(func(s *model.State) {
		var u model.State
		m.Next(s, &u, func(a uint32) {
			if m.ActionString(a) == name {
				found = a
			}
		})
	})
	if found == 0 {
		t.Fatalf("no action %s in the initial state", name)
	}
	return found
}

// TestReachableStates: the companions tell a state that they look for from one that
// they do not.
func TestReachableStates(t *testing.T) {
	m := newModel(t, modeltest.Sized(3, 3, 2, 1, 1, 0), rules(t, "sound"))
	for _, p := range invariants.Catalogue() {
		if p.Kind != invariants.Reachable {
			continue
		}
		var nothing model.State
		s := settled()
		if p.Name == "SomeQuorumAcked" {
			s = nothing // op 2 has its quorum above op 1, which has none
			s.Replica[0].Op = 2
			s.Replica[0].Acks = [model.MaxOps]model.ReplicaSet{0b001, 0b011}
		}
		if p.Name == "SomeQuorumOfVotes" {
			s = joined()
		}
		switch p.Name {
		case "SomeViewStarts":
			s.Replica[1].View = 1
		case "SomeSettledView":
			s.Crashes = 1
		case "SomeLeaderless":
			s.Replica[0].Status = model.Recovering
		}
		if p.Absent == "" {
			t.Errorf("%s does not say what is so where it is never met", p.Name)
		}
		if p.Holds(m, &nothing) || !p.Holds(m, &s) {
			t.Errorf("%s: initially %v, where it happens %v, want false, true", p.Name, p.Holds(m, &nothing), p.Holds(m, &s))
		}
	}
}

// TestMain has searches verify the contract of the model in fewer steps than a user's do, as
// the tests of package model do, which has a test of its own for that.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // or they spend a third of their time on the memory of the search before
	explore.DefaultVerification = explore.Verification{First: 500, OneIn: 32}
	os.Exit(m.Run())
}

// TestRulesBreakProperties: for each property a rule set under which the checker finds a
// violation in a small system, and for each that the sound rules do not.
func TestRulesBreakProperties(t *testing.T) {
	tests := []struct {
		property string
		cfg      model.Config
		base     string
		settings []string
		large    bool // more than a second; not in a short run
	}{
		{"QuorumAckedCommits", modeltest.Sized(2, 3, 0, 1, 0, 0), "sound", []string{"fetch_to_op=old"}, false},
		{"QuorumAckedCommits", modeltest.Sized(2, 3, 0, 1, 0, 0), "sound", []string{"serve_ceiling=commit"}, false},
		{"QuorumAckedCommits", modeltest.Sized(2, 3, 0, 1, 0, 0), "sound", []string{"repair_session=survives"}, false},
		{"AckedLeadsToDecided", modeltest.Sized(2, 3, 0, 1, 0, 0), "sound", []string{"fetch_to_op=old"}, false},
		{"AckedLeadsToDecided", modeltest.Sized(2, 3, 0, 1, 0, 0), "sound", []string{"serve_ceiling=commit"}, false},
		{"EveryPreparedCommits", modeltest.Sized(2, 3, 0, 1, 0, 0), "sound", []string{"fetch_to_op=old"}, false},
		{"EveryPreparedCommits", modeltest.Sized(2, 2, 1, 1, 0, 0), "sound", []string{"reconcile=announced"}, false},
		{"EveryPreparedCommits", modeltest.Sized(2, 1, 2, 1, 0, 0), "sound", []string{"adopted_nacks=nacked", "repair_frames=any"}, false},
		{"BackupsCatchUp", modeltest.Sized(2, 1, 2, 1, 0, 0), "sound", []string{"readoption=always"}, false},
		{"Agreement", modeltest.Sized(2, 1, 2, 1, 0, 0), "sound", []string{"readoption=always", "repair_frames=any"}, false},
		{"Agreement", modeltest.Sized(3, 1, 1, 1, 1, 0), "report", []string{"readoption=never"}, true},
		{"Durability", modeltest.Sized(3, 1, 1, 1, 1, 0), "report", []string{"readoption=never"}, true},
		{"NoAssertion", modeltest.Sized(3, 1, 1, 1, 1, 0), "report", []string{"readoption=never"}, true},
		{"VotesDecide", modeltest.Sized(3, 1, 1, 0, 1, 0), "sound", []string{"dvc_commit=unclamped"}, false},
		{"TypeOK", modeltest.Sized(3, 1, 1, 0, 0, 0), "sound", []string{"commit_assign=assigned"}, false},
		{"NoRegression", modeltest.Sized(3, 1, 1, 0, 0, 0), "sound", []string{"commit_assign=assigned"}, false},
		{"SettledViewStays", modeltest.Sized(2, 1, 2, 1, 0, 0), "sound", []string{"probe_match=any"}, false},
		// A budget and no rule: all restart; the replicas that hold an op lose their journals one after the other.
		{"CommittedIsHeld", modeltest.Sized(2, 1, 0, 2, 0, 0), "sound", nil, false},
		{"GroupRecovers", modeltest.Sized(2, 1, 1, 2, 0, 0), "sound", nil, false},
	}
	broken := map[string]bool{}
	sound := map[model.Config][]string{}
	for _, test := range tests {
		broken[test.property] = true
		if test.large && testing.Short() {
			continue
		}
		m := newModel(t, test.cfg, rules(t, test.base, test.settings...))
		r := check(t, m, properties(t, m, test.property))
		bySize := test.property == "CommittedIsHeld" || test.property == "GroupRecovers"
		if r.Verdict != explore.Violated || r.Violations[0].Property != test.property {
			t.Errorf("%s with %v %v: %s, want a violation", test.property, test.base, test.settings, r.Verdict)
			continue
		}
		replay(t, m, named(t, test.property), &r.Violations[0])
		if !bySize && !slices.Contains(sound[test.cfg], test.property) {
			sound[test.cfg] = append(sound[test.cfg], test.property)
		}
	}
	for cfg, names := range sound {
		if testing.Short() && cfg.Replicas > 2 {
			continue // many states
		}
		m := newModel(t, cfg, rules(t, "sound"))
		if r := check(t, m, properties(t, m, names...)); r.Verdict != explore.Holds {
			t.Errorf("%v with the sound rules at %+v: %s %s, want that they hold", names, cfg, r.Verdict, r.Reason)
		}
	}
	for _, p := range invariants.Catalogue() {
		decides := p.Kind != invariants.Reachable && p.Kind != invariants.Constraint && p.Kind != invariants.Report && p.Kind != invariants.Bound
		if decides && !broken[p.Name] {
			t.Errorf("no rule is known to break %s", p.Name)
		}
	}
}

// replay takes the steps of a trace and looks at its end.
func replay(t *testing.T, m *model.Model, p invariants.Property, v *explore.Violation[model.State]) {
	t.Helper()
	got, want := make([]uint64, m.Words()), make([]uint64, m.Words())
	for i := 1; i < len(v.Trace); i++ {
		var u model.State
		from, found := v.Trace[i-1].State, false
		m.Encode(&v.Trace[i].State, want)
		m.Next(&from, &u, func(a uint32) {
			m.Encode(&u, got)
			found = found || a == v.Trace[i].Action && slices.Equal(got, want)
		})
		if !found {
			t.Errorf("%s: step %d of the trace, %s, is none of the model", p.Name, i, m.ActionString(v.Trace[i].Action))
		}
	}
	last := v.Trace[len(v.Trace)-1]
	switch p.Kind {
	case invariants.State:
		if p.Holds(m, &last.State) {
			t.Errorf("%s holds at the end of its trace", p.Name)
		}
	case invariants.Step:
		before := v.Trace[len(v.Trace)-2].State
		if p.HoldsStep(m, &before, last.Action, &last.State) {
			t.Errorf("%s holds in the last step of its trace", p.Name)
		}
	case invariants.Liveness:
		if p.Outstanding(m, &last.State) == 0 {
			t.Errorf("nothing is outstanding at the end of the trace of %s", p.Name)
		}
	}
}

// TestCompanions: every property that a file may name has a Reachable companion, which is
// met under the sound rules in the smallest systems.
func TestCompanions(t *testing.T) {
	for _, cfg := range []model.Config{modeltest.Sized(2, 2, 0, 0, 0, 0), modeltest.Sized(2, 2, 0, 1, 0, 0), modeltest.Sized(3, 2, 0, 1, 0, 0), modeltest.Sized(2, 1, 1, 0, 0, 0), modeltest.Sized(2, 1, 2, 0, 0, 0)} {
		m := newModel(t, cfg, rules(t, "sound"))
		var names []string
		for _, p := range invariants.Catalogue() {
			if p.Kind != invariants.Liveness && p.Kind != invariants.State && p.Kind != invariants.Step {
				continue
			}
			if named(t, p.Companion).Kind != invariants.Reachable {
				t.Errorf("%s has the companion %s of kind %s", p.Name, p.Companion, named(t, p.Companion).Kind)
			}
			// A second op is there to wait for a first, a view change if there is a second view, a
			// group without a primary if somebody restarts.
			needs := map[string]bool{
				"SomeQuorumOfVotes": cfg.ViewMax > 0, "SomeViewStarts": cfg.ViewMax > 0, "SomeQuorumAcked": cfg.Ops > 1,
				"SomeLeaderless": cfg.ViewMax > 0 || cfg.Crashes > 0, "SomeSettledView": cfg.ViewMax > 1,
			}
			if met, needy := needs[p.Companion]; (met || !needy) && !slices.Contains(names, p.Companion) {
				names = append(names, p.Companion)
			}
		}
		if r := check(t, m, properties(t, m, names...)); r.Verdict != explore.Holds {
			t.Errorf("%+v: %s, met are %v", cfg, r.Verdict, r.ReachableMet)
		}
	}
}

// TestLivenessHappens: in some reachable state something is outstanding, so that each
// liveness property says something.
func TestLivenessHappens(t *testing.T) {
	for _, p := range invariants.Catalogue() {
		if p.Kind != invariants.Liveness {
			continue
		}
		m := newModel(t, modeltest.Sized(3, 2, 0, 0, 0, 0), rules(t, "sound"))
		if p.Name == "VotesDecide" {
			m = newModel(t, modeltest.Sized(3, 1, 1, 0, 0, 0), rules(t, "sound"))
		}
		if p.Name == "GroupRecovers" {
			m = newModel(t, modeltest.Sized(2, 1, 1, 2, 0, 0), rules(t, "sound"))
		}
		ps := explore.Properties[model.State]{Reachable: []explore.Reachable[model.State]{{Name: p.Name,
			Is: func(s *model.State) bool { return p.Outstanding(m, s) != 0 }}}}
		if r := check(t, m, ps); r.Verdict != explore.Holds {
			t.Errorf("%s is never outstanding", p.Name)
		}
	}
	m := newModel(t, modeltest.Sized(2, 2, 0, 0, 0, 0), rules(t, "sound"))
	acked := named(t, "QuorumAckedCommits")
	ps := explore.Properties[model.State]{Reachable: []explore.Reachable[model.State]{{Name: "outstanding",
		Is: func(s *model.State) bool { return acked.Outstanding(m, s) != 0 }}}}
	if r := check(t, m, ps); r.Verdict != explore.Holds {
		t.Error("QuorumAckedCommits is never outstanding")
	}
}

// TestCatalogue: every property is declared in full, with exactly the function of its
// kind.
func TestCatalogue(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range invariants.Catalogue() {
		if seen[p.Name] || p.Name == "" || p.Summary == "" || p.Formula == "" {
			t.Errorf("%+v: a property has a name of its own, a summary and a formula", p.Name)
		}
		seen[p.Name] = true
		state, step, liveness := p.Holds != nil, p.HoldsStep != nil, p.Outstanding != nil
		want := [3]bool{p.Kind == invariants.State || p.Kind == invariants.Reachable || p.Kind == invariants.Constraint || p.Kind == invariants.Report || p.Kind == invariants.Bound,
			p.Kind == invariants.Step, p.Kind == invariants.Liveness}
		if [3]bool{state, step, liveness} != want {
			t.Errorf("%s of kind %s has the functions %v", p.Name, p.Kind, [3]bool{state, step, liveness})
		}
		if p.Kind != invariants.Reachable && p.Limits == "" {
			t.Errorf("%s does not say what it does not rule out", p.Name)
		}
	}
	if _, ok := invariants.Named("Nonsense"); ok {
		t.Error("there is a property Nonsense")
	}
}

// TestKeptBy: every property on which there is a verdict says by which reductions that is
// kept, and why it may not be by the rest.
func TestKeptBy(t *testing.T) {
	for _, p := range invariants.Catalogue() {
		rest := model.AllReductions.Without(p.KeptBy)
		decides := p.Kind == invariants.State || p.Kind == invariants.Step || p.Kind == invariants.Liveness
		switch {
		case !decides && (p.KeptBy != model.Reductions{} || p.NotKept != ""):
			t.Errorf("%s of kind %s speaks of reductions, which is for verdicts", p.Name, p.Kind)
		case decides && (rest == model.Reductions{}) != (p.NotKept == ""):
			t.Errorf("%s is kept by %+v, and says %q of the rest, want a reason exactly where there is a rest", p.Name, p.KeptBy, p.NotKept)
		case p.Until != nil && (p.KeptBy.FaultsLast || p.KeptBy.PromptAnswers):
			t.Errorf("%s asks for every state on the way, and is kept by %+v", p.Name, p.KeptBy)
		case (p.Unasked || p.Name == "NoAssertion") && rest != model.Reductions{}:
			t.Errorf("%s is checked unasked, and is kept by %+v only, want all: nobody would know why a reduction is left out", p.Name, p.KeptBy)
		}
	}
}

// TestWaits: what begins an obligation of AckedLeadsToDecided, what ends it, and what does
// not; an obligation of QuorumAckedCommits is over with its premise.
func TestWaits(t *testing.T) {
	m := newModel(t, modeltest.Sized(3, 3, 2, 1, 1, 0), rules(t, "sound"))
	acked, decided := named(t, "QuorumAckedCommits"), named(t, "AckedLeadsToDecided")
	for _, test := range []struct {
		what                  string
		change                func(s *model.State)
		before, after, simply uint64
	}{
		{"op 3 is acked", func(*model.State) {}, 0, 0b100, 0b100},
		{"op 2 is waited for too", func(*model.State) {}, 0b010, 0b110, 0b100},
		{"op 1 is decided", func(*model.State) {}, 0b001, 0b100, 0b100},
		{"op 3 is acked no more", func(s *model.State) { s.Replica[0].Acks[2] = 1 }, 0b100, 0b100, 0},
		{"op 3 is gone with its view", func(s *model.State) { s.Replica[0].Op, s.Replica[0].Acks[2] = 2, 0 }, 0b100, 0b100, 0},
		{"op 3 is decided", func(s *model.State) { s.Decided[2] = body(0) }, 0b110, 0b010, 0b100},
		{"op 3 is decided and over", func(s *model.State) { s.Decided[2], s.Replica[0].CommitMax = body(0), 3 }, 0b100, 0, 0},
		{"no primary keeps a quorum", func(s *model.State) { s.Replica[0].Status = model.Stopped }, 0b110, 0, 0},
		{"a failed assertion", func(s *model.State) { s.Failed = model.AssertCommitSequential }, 0b110, 0, 0},
	} {
		s := settled()
		r := &s.Replica[0]
		r.Op = 3
		r.Journal[1], r.Journal[2] = body(0), body(0)
		r.Acks[1], r.Acks[2] = 1, 3
		s.Decided[0] = body(0)
		test.change(&s)
		if got := decided.Waits(m, &s, test.before); got != test.after {
			t.Errorf("%s: AckedLeadsToDecided waits for %b after %b, want %b", test.what, got, test.before, test.after)
		}
		if got := acked.Waits(m, &s, test.before); got != test.simply {
			t.Errorf("%s: QuorumAckedCommits waits for %b, want %b", test.what, got, test.simply)
		}
	}
}

// TestReportsAndConstraints: hand-built states that they tell apart.
func TestReportsAndConstraints(t *testing.T) {
	m := newModel(t, modeltest.Sized(3, 2, 1, 1, 1, 0), rules(t, "sound"))
	initial := model.State{}
	waiting := initial
	waiting.Replica[1] = model.Replica{Status: model.ViewChange, View: 1}
	crashed := waiting
	crashed.Crashes = 1
	early, late := initial, waiting
	early.Replica[2].Status, early.Stops = model.Stopped, 1
	late.Replica[2].Status, late.Stops = model.Stopped, 1
	alone := late
	alone.Replica[0].Status = model.Stopped
	inherited, prepared := waiting, waiting
	inherited.Replica[1].Journal = [model.MaxOps]uint8{body(0), body(1)}
	prepared.Replica[1].Journal = [model.MaxOps]uint8{body(1)}
	// All have restarted; all but one have, who waits for votes in the last view.
	restarted := initial
	for i := range 3 {
		restarted.Replica[i].Status = model.Recovering
	}
	hoping := restarted
	hoping.Replica[1] = model.Replica{Status: model.ViewChange, View: 1}
	joins := waiting
	joins.Replica[0] = waiting.Replica[1]
	for _, test := range []struct {
		name string
		s    model.State
		want bool
	}{
		{"ViewSettles", initial, false},
		{"ViewSettles", waiting, true},
		{"ViewSettles", late, true},
		{"ViewSettles", alone, false}, // no quorum is up
		{"DeadGroup", alone, false},
		{"DeadGroup", initial, false},
		{"DeadGroup", restarted, true},
		{"DeadGroup", waiting, false},
		{"RecoveryCut", restarted, false},
		{"RecoveryCut", initial, false},
		{"RecoveryCut", hoping, true},
		{"RestartFirst", initial, true},
		{"RestartFirst", waiting, false},
		{"RestartFirst", crashed, true},
		{"StopLast", initial, true},
		{"StopLast", early, false},
		{"StopLast", late, true},
		{"InheritedLog", initial, true},
		{"InheritedLog", inherited, true},
		{"InheritedLog", prepared, false},
		{"DeposedStays", waiting, true},
		{"DeposedStays", alone, true},
		{"DeposedStays", joins, false},
	} {
		if got := named(t, test.name).Holds(m, &test.s); got != test.want {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
	}
}
