package invariants_test

import (
	"testing"

	"vsrcheck/explore"
	"vsrcheck/invariants"
	"vsrcheck/model"
	"vsrcheck/model/modeltest"
)

// TestGroupRecovers: who has to be up and how, so that the group is dead, and so that it is
// not.
func TestGroupRecovers(t *testing.T) {
	rec := model.Replica{Status: model.Recovering}
	stop := model.Replica{Status: model.Stopped}
	normal := model.Replica{}
	change := model.Replica{Status: model.ViewChange, View: 1}
	for _, test := range []struct {
		what     string
		elects   bool
		replicas []model.Replica
		failed   model.Assertion
		dead     bool
	}{
		{"all are Normal", false, []model.Replica{normal, normal, normal}, 0, false},
		{"all have restarted", false, []model.Replica{rec, rec, rec}, 0, true},
		{"all have restarted, and elect", true, []model.Replica{rec, rec, rec}, 0, false},
		{"the primary and a backup have", false, []model.Replica{rec, rec, normal}, 0, false}, // view_max hides it
		{"both backups have", false, []model.Replica{normal, rec, rec}, 0, false},
		{"two have, and the third has stopped", false, []model.Replica{stop, rec, rec}, 0, true},
		{"one has, and two have stopped", false, []model.Replica{stop, rec, stop}, 0, false}, // no quorum is up
		{"two are in the change to view 1", false, []model.Replica{stop, change, change}, 0, false},
		{"all of two have", false, []model.Replica{rec, rec}, 0, true},
		{"the system has aborted", false, []model.Replica{rec, rec}, model.AssertCommitSequential, false},
	} {
		cfg := modeltest.Sized(len(test.replicas), 2, 1, 2, 1, 0)
		cfg.RecoveringElects = test.elects
		m := newModel(t, cfg, rules(t, "sound"))
		s := model.State{Failed: test.failed}
		copy(s.Replica[:], test.replicas)
		if got := named(t, "GroupRecovers").Outstanding(m, &s) != 0; got != test.dead {
			t.Errorf("%s: dead is %v, want %v", test.what, got, test.dead)
		}
	}
}

// TestDeadInEveryNetwork: a group of which all restart is dead over every network and under
// every reduction, after as many steps; with recovering_elects it is not. Over consume and
// fifo nothing is quiescent, as they ask each other for ever.
func TestDeadInEveryNetwork(t *testing.T) {
	for _, network := range []model.NetworkKind{model.NetworkSet, model.NetworkConsume, model.NetworkFIFO} {
		for _, elects := range []bool{false, true} {
			cfg := modeltest.Sized(2, 1, 1, 2, 0, 0)
			cfg.JournalDurable, cfg.RecoveringElects, cfg.Network = true, elects, network
			plain := newModel(t, cfg, rules(t, "sound", "probe_adoption=observed"))
			for _, reductions := range []model.Reductions{{}, {EagerSends: true}, model.AllReductions} {
				m := plain.With(reductions)
				r := check(t, m, properties(t, m, "GroupRecovers"))
				want := explore.Violated
				if elects {
					want = explore.Holds
				}
				if r.Verdict != want {
					t.Errorf("%s, recovering_elects = %v, %+v: %s %s, want %s", network, elects, m.Reductions(), r.Verdict, r.Reason, want)
				}
				if want == explore.Violated && r.Verdict == want && r.Violations[0].Depth != 3 && network == model.NetworkSet {
					t.Errorf("%s, %+v: after %d steps, want 3", network, m.Reductions(), r.Violations[0].Depth)
				}
			}
		}
	}
}

// TestDeadStaysDead: along every step that is no fault and no request, a dead group stays
// dead, and one for which a way was found has had it before the step. And nobody who is up in
// a dead group can begin an election: each is Recovering, or will be as it has seen a newer
// view, or leads a view that nobody follows (the argument (6) of model/eager.go).
func TestDeadStaysDead(t *testing.T) {
	for _, cfg := range []model.Config{modeltest.Sized(2, 1, 1, 2, 0, 0), modeltest.Sized(3, 1, 1, 2, 1, 0)} {
		m := newModel(t, cfg, rules(t, "sound", "probe_adoption=observed")).Unreduced()
		p := named(t, "GroupRecovers")
		steps := 0
		silent := func(s *model.State) bool {
			for i := range cfg.Replicas {
				r := &s.Replica[i]
				leads := cfg.Primary(r.View) == i
				if r.Status == model.ViewChange || r.Status == model.Normal && !leads && r.Observed <= r.View {
					return false
				}
			}
			return true
		}
		ps := explore.Properties[model.State]{Actions: []explore.ActionProperty[model.State]{{Name: "stays", Holds: func(s *model.State, a explore.Action, u *model.State) bool {
			if p.Outstanding(m, s) == 0 {
				return true
			}
			steps++
			kind := m.Kinds()[m.Kind(a)]
			return silent(s) && (kind == "CrashRestart" || kind == "Request" || p.Outstanding(m, u) != 0)
		}}}}
		r, err := explore.Check(t.Context(), explore.System[model.State](m), ps, explore.Options{Workers: 1, MaxStates: 12_000})
		if err != nil || r.Verdict == explore.Violated {
			t.Errorf("%+v: %v %v", cfg, r.Verdict, err)
		}
		if steps == 0 {
			t.Errorf("%+v: no step is taken by a dead group", cfg)
		}
	}
}

// TestNotInTLA: only what says why is missing in the module, and only Unasked properties are
// asked for by nobody.
func TestNotInTLA(t *testing.T) {
	for _, p := range invariants.Catalogue() {
		if p.Unasked && p.Kind != invariants.Liveness {
			t.Errorf("%s is a %s, and a check of liveness asks for it", p.Name, p.Kind)
		}
		if (p.Excused == nil) != (p.Excuse == "") || (p.Excused == nil) != (p.Excusable == "") || p.Excused != nil && p.Kind != invariants.Step {
			t.Errorf("%s has half an excuse", p.Name)
		}
	}
}
