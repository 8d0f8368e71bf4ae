package model

import (
	"errors"
	"strings"
	"testing"
)

// TestParseActionRoundTrip: every action that is tried anywhere is read back from its
// name, its loss too.
func TestParseActionRoundTrip(t *testing.T) {
	for _, cfg := range []Config{sized(2, 1, 1, 1, 0, 1), sized(2, 2, 1, 1, 0, 0), sized(3, 1, 0, 0, 1, 1)} {
		m := mustNew(t, cfg, soundRules())
		seen := map[uint32]bool{}
		overStates(t, m, func(s *State) error {
			m.each(s, func(a uint32) { seen[a] = true })
			return nil
		})
		for a := range seen {
			got, err := m.ParseAction(m.ActionString(a))
			if err != nil || got != a {
				t.Errorf("%s: got %#x, %v, want %#x", m.ActionString(a), got, err, a)
			}
		}
		if len(seen) < 50 {
			t.Errorf("only %d actions were seen", len(seen))
		}
	}
}

func TestParseActionRefuses(t *testing.T) {
	m := mustNew(t, sized(3, 2, 1, 1, 0, 0), soundRules())
	for _, bad := range []string{
		"", "Request", "Request()", "Request(replica 3)", "Request(replica 0", "Reqest(replica 0)", "Request(replica 0) ",
		"ReceivePrepare(replica 1)", "ReceivePrepare(replica 1, Prepare{view 0, op 0@v0})",
		"ReceivePrepare(replica 1, Prepare{view 0, op 3@v0})", "ReceivePrepare(replica 1, Prepare{view 2, op 1@v0})",
		"ReceivePrepare(replica 1, Prepare{view 0, op 1@v1})", "ReceivePrepare(replica 1, Prepare{view 00, op 1@v0})",
		"ReceivePrepare(replica 3, Prepare{view 0, op 1@v0})", "ReceiveCommit(replica 1, Prepare{view 0, op 1@v0})",
		"ReceivePrepareOk(replica 1, PrepareOk{view 0, op 1@v0} from replica 2)", // the primary of view 0 is replica 0
		"ReceiveDoViewChange(replica 0, DoViewChange{view 0} from replica 1)",
		"ReceiveAnswer(replica 1, StartView{view 0, op 1, commit 2} without suffix)",
		"ReceiveRequestPrepares(replica 0, RequestPrepares{from_op 2, to_op 1} from replica 1)",
		"ReceiveRepairPrepare(replica 0, RepairPrepare{op 1@v2})", "Drop(replica 1)", "Drop(RepairDone to replica 9)",
		"ReceiveProbe(replica 0, RequestStartView{view 0} from replica 7)",
	} {
		if a, err := m.ParseAction(bad); !errors.Is(err, ErrAction) {
			t.Errorf("%q: got %#x, %v, want ErrAction", bad, a, err)
		}
	}
}

func FuzzParseAction(f *testing.F) {
	for _, sc := range scenarios {
		for _, a := range sc.actions {
			f.Add(a)
		}
	}
	f.Add("Drop(Prepare{view 0, op 1@v0} to replica 1)")
	m, err := New(Config{Replicas: 3, Ops: 3, Pipeline: 3, ViewMax: 2, Drops: 1}, Rules{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := m.ParseAction(text)
		if err != nil {
			if !errors.Is(err, ErrAction) || strings.Contains(err.Error(), "\n") {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		if got := m.ActionString(a); got != text {
			t.Fatalf("%q was read as %q", text, got)
		}
	})
}

// TestTryAgrees: Try takes exactly the steps that Next takes, to the same states, and
// says why of all others.
func TestTryAgrees(t *testing.T) {
	for _, cfg := range []Config{sized(2, 1, 1, 1, 0, 0), sized(3, 1, 0, 0, 1, 1)} {
		for _, m := range []*Model{mustNew(t, cfg, soundRules()), mustNew(t, cfg, Rules{}).Unreduced()} {
			every := map[uint32]bool{}
			overStates(t, m, func(s *State) error {
				next := map[uint32]State{}
				var u State
				m.Next(s, &u, func(a uint32) { next[a] = u; every[a] = true })
				for a := range every {
					got, why := m.Try(s, a)
					if want, possible := next[a]; possible != (why == "") || possible && got != want || !possible && got != *s {
						t.Fatalf("%s: possible is %v, why is %q", m.ActionString(a), possible, why)
					}
				}
				return nil
			})
		}
	}
}

// TestTryReasons: the guard is named with the numbers that it compared.
func TestTryReasons(t *testing.T) {
	m, s := scenarios[0].replay(t, nil)
	for action, want := range map[string]string{
		"ReceivePrepare(replica 1, Prepare{view 0, op 2@v0})": "refused: out-of-order prepare (gap): op 2 is not head + 1 = 4",
		"ReceivePrepare(replica 1, Prepare{view 0, op 4@v0})": "no such message is in flight to replica 1; of its kind there is Prepare{view 0, op 2@v0}",
		"CrashRestart(replica 0)":                             "crashes = 1, of which 1 used, and may_crash = {0, 1, 2}",
		"Stop(replica 1)":                                     "stops = 1, of which 1 used",
		"Request(replica 2)":                                  "replica 2 has stopped",
		"Request(replica 1)":                                  "not enabled: replica 1 is Backup in view 0",
		"HeartbeatTimeout(replica 1)":                         "and view_max = 0",
		"Drop(Prepare{view 0, op 2@v0} to replica 1)":         "the budget of lost messages is used up: drops = 0",
		"Heartbeat(replica 0)":                                "in flight as early as it can be",
		"RetryRepair(replica 1)":                              "not enabled: replica 1 is Backup in view 0 with head 3",
	} {
		a, err := m.ParseAction(action)
		if err != nil {
			t.Fatal(err)
		}
		if _, why := m.Try(s, a); !strings.Contains(why, want) {
			t.Errorf("%s: got %q, want %q", action, why, want)
		}
	}
	if !m.Quiescent(s) {
		t.Error("the wedge is quiescent, and Quiescent says no")
	}
	var init State
	if m.Init(func(i *State) { init = *i }); m.Quiescent(&init) != true {
		t.Error("nothing has to happen in the initial state, and Quiescent says otherwise")
	}
}
