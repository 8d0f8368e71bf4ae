package model

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// scenario is a state reached from the initial one by actions that are named as traces
// name them. The rules are the first sound alternatives but for those listed.
type scenario struct {
	name    string
	cfg     func(*Config)
	rules   map[string]string
	actions []string
}

// scenarios are one example of each kind of violation.
var scenarios = []scenario{
	{
		// The report: op 2 is adopted without its body, op 3 passes the gap check.
		name:  "wedge",
		cfg:   func(c *Config) { c.Crashes, c.Stops = 1, 1 },
		rules: map[string]string{"fetch_to_op": "old"},
		actions: []string{
			"Request(replica 0)",
			"Request(replica 0)",
			"ReceivePrepare(replica 1, Prepare{view 0, op 1@v0})",
			"ReceivePrepareOk(replica 0, PrepareOk{view 0, op 1@v0} from replica 1)",
			"CrashRestart(replica 1)",
			"Probe(replica 1)",
			"ReceiveAnswer(replica 1, StartView{view 0, op 2, commit 1} without suffix)",
			"ReceiveRequestPrepares(replica 0, RequestPrepares{from_op 1, to_op 1} from replica 1)",
			"ReceiveRepairPrepare(replica 1, RepairPrepare{op 1@v0})",
			"ReceiveRepairDone(replica 1, RepairDone)",
			"Stop(replica 2)",
			"Request(replica 0)",
			"ReceivePrepare(replica 1, Prepare{view 0, op 3@v0})",
			"ReceivePrepareOk(replica 0, PrepareOk{view 0, op 3@v0} from replica 1)",
		},
	},
	{
		// EveryPreparedCommits: the session is open and its peer serves nothing.
		name:  "never-served",
		cfg:   func(c *Config) { c.Ops, c.Crashes, c.Stops = 2, 1, 1 },
		rules: map[string]string{"serve_ceiling": "commit"},
		actions: []string{
			"Request(replica 0)",
			"CrashRestart(replica 1)",
			"Probe(replica 1)",
			"ReceiveAnswer(replica 1, StartView{view 0, op 1, commit 0} without suffix)",
			"ReceiveRequestPrepares(replica 0, RequestPrepares{from_op 1, to_op 1} from replica 1)",
			"Stop(replica 2)",
		},
	},
	{
		// BackupsCatchUp: the peer of a session that outlives its view has stopped.
		name:  "dead-peer",
		cfg:   func(c *Config) { c.Ops, c.ViewMax, c.Stops = 2, 1, 1 },
		rules: map[string]string{"repair_session": "survives"},
		actions: []string{
			"Request(replica 0)",
			"ReceivePrepare(replica 1, Prepare{view 0, op 1@v0})",
			"ReceivePrepareOk(replica 0, PrepareOk{view 0, op 1@v0} from replica 1)",
			"Heartbeat(replica 0)",
			"HeartbeatTimeout(replica 1)",
			"ReceiveStartViewChange(replica 0, StartViewChange{view 1} from replica 1)",
			"Stop(replica 0)",
			"ReceiveCommit(replica 2, Commit{view 0, commit 1})",
			"ReceiveDoViewChange(replica 1, DoViewChange{view 1} from replica 0)",
			"AdvanceView(replica 1)",
			"ReceiveStartView(replica 2, StartView{view 1} with its suffix)",
		},
	},
	{
		// Agreement: an entry of an older view survives the adoption of a newer log.
		name:  "two-bodies",
		cfg:   func(c *Config) { c.Ops, c.ViewMax = 2, 2 },
		rules: map[string]string{"reconcile": "announced"},
		actions: []string{
			"HeartbeatTimeout(replica 1)",
			"ReceiveStartViewChange(replica 2, StartViewChange{view 1} from replica 1)",
			"ReceiveDoViewChange(replica 1, DoViewChange{view 1} from replica 2)",
			"AdvanceView(replica 1)",
			"Probe(replica 2)",
			"ReceiveAnswer(replica 2, StartView{view 1, op 0, commit 0} without suffix)",
			"Request(replica 1)",
			"ReceivePrepare(replica 2, Prepare{view 1, op 1@v1})",
			"ReceivePrepareOk(replica 1, PrepareOk{view 1, op 1@v1} from replica 2)",
			"Heartbeat(replica 0)",
			"ReceiveCommit(replica 1, Commit{view 0, commit 0})",
			"Request(replica 0)",
			"ReceiveAnswer(replica 0, StartView{view 1, op 1, commit 1} without suffix)",
		},
	},
	{
		// Durability: a replica that has lost its journal elects, and leads without op 1.
		name:  "lost-op",
		cfg:   func(c *Config) { c.Ops, c.ViewMax, c.Crashes, c.RecoveringElects = 2, 1, 1, true },
		rules: nil,
		actions: []string{
			"Request(replica 0)",
			"ReceivePrepare(replica 1, Prepare{view 0, op 1@v0})",
			"ReceivePrepareOk(replica 0, PrepareOk{view 0, op 1@v0} from replica 1)",
			"CrashRestart(replica 1)",
			"ProbeTimeout(replica 1)",
			"ReceiveStartViewChange(replica 2, StartViewChange{view 1} from replica 1)",
			"ReceiveDoViewChange(replica 1, DoViewChange{view 1} from replica 2)",
			"AdvanceView(replica 1)",
		},
	},
}

// build is the model of a scenario.
func (sc *scenario) build(t *testing.T) *Model {
	t.Helper()
	cfg := DefaultConfig()
	sc.cfg(&cfg)
	var rules Rules
	for _, rule := range Catalogue() {
		for i, a := range rule.Alternatives {
			if a.Sound {
				*rule.field(&rules) = uint8(i)
				break
			}
		}
		if name, ok := sc.rules[rule.Name]; ok {
			if err := rule.Set(&rules, name); err != nil {
				t.Fatal(err)
			}
		}
	}
	m, err := New(cfg, rules)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// replay takes the actions and hands each step to see.
func (sc *scenario) replay(t *testing.T, see func(m *Model, before *State, a uint32, after *State)) (*Model, *State) {
	t.Helper()
	m := sc.build(t)
	var s State
	m.Init(func(init *State) { s = *init })
	for _, name := range sc.actions {
		var next, got State
		action, found := uint32(0), false
		m.Next(&s, &next, func(a uint32) {
			if !found && m.ActionString(a) == name {
				action, got, found = a, next, true
			}
		})
		if !found {
			t.Fatalf("%s: %s is not enabled in\n%s", sc.name, name, m.Table(&s))
		}
		before := s
		s = got
		if see != nil {
			see(m, &before, action, &s)
		}
	}
	return m, &s
}

// golden compares a text with testdata/describe/NAME.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "describe", name)
	if Update() {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; VSRCHECK_UPDATE=1 go test ./model -run Describe rewrites it. Got:\n%s", path, got)
	}
}

// TestDescribeTables compares the notes and changes of every step, and the last state.
func TestDescribeTables(t *testing.T) {
	for _, sc := range scenarios {
		t.Run(sc.name, func(t *testing.T) {
			w := text{width: textWidth}
			m, s := sc.replay(t, func(m *Model, before *State, a uint32, after *State) {
				w.put("", "  ", m.ActionString(a))
				for _, n := range m.Notes(before, a) {
					w.put("  ! ", "      ", n)
				}
				for _, c := range m.Changes(before, after) {
					w.put("    ", "      ", c)
				}
			})
			w.WriteString("\n" + m.Table(s))
			golden(t, sc.name+".state.txt", w.String())
		})
	}
}

// TestDescribeWidth holds every line of every table to the width, with as many ops and
// replicas as there can be.
func TestDescribeWidth(t *testing.T) {
	cfg := DefaultConfig()
	cfg.Replicas, cfg.Ops, cfg.Pipeline, cfg.Crashes = MaxReplicas, MaxOps, MaxOps, 1
	cfg.MayCrash = AllReplicas(MaxReplicas)
	m, err := New(cfg, Rules{})
	if err != nil {
		t.Fatal(err)
	}
	var s State
	for range MaxOps {
		s, _ = m.attempt(&s, act(kRequest, 0, 0, 0))
	}
	s, _ = m.attempt(&s, act(kCrashRestart, 1, 0, 0))
	s, _ = m.attempt(&s, act(kReceiveAnswer, 1, 0, answerPos(MaxOps, 0)))
	for _, text := range []string{m.Table(&s), m.Explain(&s)} {
		for line := range strings.SplitSeq(text, "\n") {
			if utf8.RuneCountInString(line) > textWidth {
				t.Errorf("this line is longer than %d:\n%s", textWidth, line)
			}
		}
	}
	if table := m.Table(&s); !strings.Contains(table, "repair session of replica 1: to op 8 from replica 0") {
		t.Errorf("the repair session is missing from the wide table:\n%s", table)
	}
}

// TestDescribeNarrow: with less width no line is longer, apart from a word of its own, and
// nothing is left out.
func TestDescribeNarrow(t *testing.T) {
	for _, sc := range scenarios {
		m, s := sc.replay(t, nil)
		wide := m.Table(s) + m.Explain(s) + m.Contradictions(s)
		for _, width := range []int{minTextWidth, 50, 70} {
			n := m.WithWidth(width)
			text := n.Table(s) + n.Explain(s) + n.Contradictions(s)
			for line := range strings.SplitSeq(text, "\n") {
				if utf8.RuneCountInString(line) > width && strings.Contains(strings.TrimLeft(line, " -"), " ") {
					t.Errorf("%s: this line is longer than %d:\n%s", sc.name, width, line)
				}
			}
			for _, word := range strings.Fields(wide) {
				if strings.ContainsAny(word, "@{}*") && !strings.Contains(text, word) {
					t.Errorf("%s: %q is missing in %d columns:\n%s", sc.name, word, width, text)
				}
			}
		}
		if got := m.WithWidth(1000); got.Table(s)+got.Explain(s)+got.Contradictions(s) != wide {
			t.Errorf("%s: more width changes the text", sc.name)
		}
	}
}

// TestDescribeReplaced: a body that takes the place of another is one change.
func TestDescribeReplaced(t *testing.T) {
	m := mustNew(t, sized(3, 3, 1, 0, 0, 0), Rules{})
	var s State
	s.Replica[1].Journal = [MaxOps]identity{identityOf(0), identityOf(0)}
	u := s
	u.Replica[1].Journal = [MaxOps]identity{none, identityOf(1), identityOf(1)}
	want := "replica 1: journal loses 1@v0, journal gets 3@v1, journal[2] 2@v0 -> 2@v1"
	if got := strings.Join(m.Changes(&s, &u), "; "); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestDescribeRegression: numbers that go back without a crash are pointed out.
func TestDescribeRegression(t *testing.T) {
	m, err := New(DefaultConfig(), Rules{})
	if err != nil {
		t.Fatal(err)
	}
	var s State
	s.Replica[1] = Replica{Op: 2, CommitMax: 2, CommitMin: 1}
	for _, test := range []struct {
		after Replica
		want  string
	}{
		{Replica{Op: 2, CommitMax: 1, CommitMin: 1}, "replica 1: commit_max 2 -> 1 (goes back)"},
		{Replica{Status: Recovering}, "replica 1: Normal -> Recovering, head 2 -> 0, commit_max 2 -> 0, commit_min 1 -> 0"},
		{Replica{Status: Stopped}, "replica 1: Normal -> Stopped"},
	} {
		u := s
		u.Replica[1] = test.after
		if got := strings.Join(m.Changes(&s, &u), "; "); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}
