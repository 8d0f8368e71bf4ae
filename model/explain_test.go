package model

import (
	"strings"
	"testing"
)

// TestDescribeExplanations compares what is said of the last state of each scenario.
func TestDescribeExplanations(t *testing.T) {
	for _, sc := range scenarios {
		t.Run(sc.name, func(t *testing.T) {
			m, s := sc.replay(t, nil)
			said := m.Contradictions(s)
			if said == "" {
				said = m.Explain(s)
			}
			golden(t, sc.name+".why.txt", said)
		})
	}
}

// TestDescribeWedgeFacts holds the explanation of the report's wedge to its facts,
// whatever the wording around them.
func TestDescribeWedgeFacts(t *testing.T) {
	m, s := scenarios[0].replay(t, nil)
	said := strings.Join(strings.Fields(m.Explain(s)), " ")
	for _, want := range []string{
		"Op 3 has its quorum and cannot commit: op 2, below it, has none",
		"Replica 1 claims op 2 and does not hold it",
		"head 3, commit_max 1, commit_min 1",
		"op 2 is not head + 1 = 4",
		"commit_min = commit_max = 1",
		"replica 0 would serve 2@v0",
		"gap_check = journal",
		"too late for fetch_to_op = fixed",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("the explanation lacks %q:\n%s", want, m.Explain(s))
		}
	}
}

// TestDescribeCycle: in a state from which fair steps go on, nothing is said to be at
// its end.
func TestDescribeCycle(t *testing.T) {
	sc := scenarios[0]
	sc.actions = sc.actions[:8] // the repair of op 1 is in flight
	m, s := sc.replay(t, nil)
	said := m.Explain(s)
	for _, wrong := range []string{"Nothing that has to happen is left", "nothing left to do", "nothing can bring"} {
		if strings.Contains(said, wrong) {
			t.Errorf("%q is said of a state with steps left:\n%s", wrong, said)
		}
	}
	if !strings.Contains(said, "ReceiveRepairPrepare(replica 1") {
		t.Errorf("the steps that are left are not listed:\n%s", said)
	}
}

// TestDescribeAssertion: a failed state is explained by what was asserted.
func TestDescribeAssertion(t *testing.T) {
	sc := scenarios[0]
	m, s := sc.replay(t, nil)
	s.Failed = AssertCommitSequential
	for name, text := range map[string]string{"Explain": m.Explain(s), "Contradictions": m.Contradictions(s)} {
		if !strings.Contains(text, "aborts here: a primary committed an op that does not follow") || strings.Contains(text, "quorum") {
			t.Errorf("%s of a failed state:\n%s", name, text)
		}
	}
	if table := m.Table(s); strings.Contains(table, "refused") {
		t.Errorf("the table of a failed state says what would become of messages:\n%s", table)
	}
}

// TestDescribeLeaderless: without a primary that has a quorum each replica is named.
func TestDescribeLeaderless(t *testing.T) {
	sc := scenarios[3]
	sc.actions = sc.actions[:3] // replica 1 has parked the log, replica 0 has no quorum
	m, s := sc.replay(t, nil)
	s.Replica[0] = Replica{Status: Stopped}
	m.normalise(s)
	said := m.Explain(s)
	for _, want := range []string{"No replica leads a view", "Replica 0 has stopped", "Replica 1 is ViewChange in view 1"} {
		if !strings.Contains(said, want) {
			t.Errorf("the explanation lacks %q:\n%s", want, said)
		}
	}
}

// TestDescribeLeavesStateAlone: describing a state does not change it.
func TestDescribeLeavesStateAlone(t *testing.T) {
	for _, sc := range scenarios {
		sc.replay(t, func(m *Model, before *State, a uint32, after *State) {
			x, y := *before, *after
			m.Notes(before, a)
			m.Changes(before, after)
			m.Table(after)
			m.Explain(after)
			m.Contradictions(after)
			if x != *before || y != *after {
				t.Errorf("%s: describing %s changed a state", sc.name, m.ActionString(a))
			}
		})
	}
}
