package model

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The module in TLA+ has an action for every kind of step, each of them in Next, and
// says that those are weakly fair which are so here.
func TestModuleHasTheActions(t *testing.T) {
	text, err := os.ReadFile("../specs/VSR.tla")
	if err != nil {
		t.Fatal(err)
	}
	module := string(text)
	part := func(from, to string) string {
		_, rest, ok := strings.Cut(module, from)
		part, _, ends := strings.Cut(rest, to)
		if !ok || !ends {
			t.Fatalf("the module has no part between %q and %q", from, to)
		}
		return part
	}
	names := func(pattern, in string) map[string]bool {
		found := map[string]bool{}
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(in, -1) {
			found[m[1]] = true
		}
		return found
	}
	next := names(`\b([A-Z]\w+)(?:\(|\s*\z)`, part("\nNext ==", "\nSpec =="))
	fair := names(`WF_vars\((\w+)`, part("\nFairness ==", "\nFairSpec =="))
	for n, k := range kindTable {
		if !next[k.name] {
			t.Errorf("Next does not have %s", k.name)
		}
		if fair[k.name] != fairKinds[n] {
			t.Errorf("%s: fair in the module %v, want %v", k.name, fair[k.name], fairKinds[n])
		}
		delete(next, k.name)
		delete(fair, k.name)
	}
	if len(next)+len(fair) > 0 {
		t.Errorf("the module has actions that are no kinds of steps: %v, fair %v", next, fair)
	}
}

// A state as text: initially, and with something of everything.
func TestTLA(t *testing.T) {
	cfg := DefaultConfig()
	cfg.Replicas, cfg.Ops, cfg.ViewMax, cfg.MayCrash, cfg.MayStop = 2, 1, 1, 3, 3
	m, err := New(cfg, Rules{})
	if err != nil {
		t.Fatal(err)
	}
	var s State
	replica := `[status |-> "Normal", view |-> 0, log_view |-> 0, observed |-> 0, op |-> 0, commit_max |-> 0, commit_min |-> 0, journal |-> <<-1>>, ` +
		`headers_op |-> 0, headers |-> <<-1>>, announced_op |-> 0, session_to |-> 0, session_peer |-> 0, acks |-> <<{}>>, ` +
		`votes |-> {}, vote_sent |-> FALSE, parked |-> FALSE, merged_op |-> 0, merged_commit |-> 0, merged |-> <<-1>>]`
	want := `/\ replica = (0 :> ` + replica + ` @@ 1 :> ` + replica + `)
/\ messages = {}
/\ counted = {}
/\ stamp = (0 :> <<0>> @@ 1 :> <<0>>)
/\ channels = (0 :> (0 :> <<>> @@ 1 :> <<>>) @@ 1 :> (0 :> <<>> @@ 1 :> <<>>))
/\ crashes_used = 0
/\ stops_used = 0
/\ drops_used = 0
/\ duplicates_used = 0
/\ resets_used = 0
/\ decided = <<-1>>
/\ decided_in = <<0>>
/\ lost = {}
/\ failed = "no"
`
	if got := m.TLA(&s); got != want {
		t.Errorf("initially\n%s\nwant\n%s", got, want)
	}
	net := &s.Net
	id := identityOf(0)
	net.Prepare[1] = 1 << m.preparePos(1, 1, id)
	net.PrepareOk[1] = 1 << m.preparePos(0, 1, id)
	net.Commit[1] = 1 << m.commitPos(1, 1)
	net.Probe[0] = 1 << m.senderPos(0, 1)
	net.StartViewChange[0] = 1 << m.senderPos(1, 1)
	net.Answer[1][0] = 1 << answerPos(1, 0)
	net.RequestPrepares[0][1] = 1 << rangePos(1, 1)
	net.RepairPrepare[1] = 1 << m.repairPos(1, id)
	net.RepairDone[1] = 1
	net.DoViewChange[1][0] = Vote{Where: voteInFlight, Op: 1, Items: [MaxOps]item{itemOf(id, true)}}
	net.DoViewChange[1][1] = Vote{Where: voteCounted, Op: 1, Items: [MaxOps]item{itemNack}}
	net.StartView[1] = Announcement{To: 1, Op: 1, Log: [MaxOps]identity{id}}
	s.Failed = AssertCommitSequential
	for _, want := range []string{
		`[type |-> "Prepare", to |-> 1, view |-> 1, op |-> 1, id |-> 0]`,
		`[type |-> "PrepareOk", from |-> 1, view |-> 0, op |-> 1, id |-> 0]`,
		`[type |-> "Commit", to |-> 1, view |-> 1, commit |-> 1]`,
		`[type |-> "Probe", to |-> 0, view |-> 0, from |-> 1]`,
		`[type |-> "StartViewChange", to |-> 0, view |-> 1, from |-> 1]`,
		`[type |-> "Answer", to |-> 1, view |-> 0, op |-> 1, commit |-> 0]`,
		`[type |-> "RequestPrepares", to |-> 0, from |-> 1, low |-> 1, high |-> 1]`,
		`[type |-> "RepairPrepare", to |-> 1, op |-> 1, id |-> 0]`,
		`[type |-> "RepairDone", to |-> 1]`,
		`[type |-> "DoViewChange", view |-> 1, from |-> 0, log_view |-> 0, op |-> 1, commit |-> 0, items |-> <<[says |-> "body", id |-> 0]>>]`,
		`counted = {[type |-> "DoViewChange", view |-> 1, from |-> 1, log_view |-> 0, op |-> 1, commit |-> 0, items |-> <<[says |-> "nack", id |-> -1]>>]}`,
		`[type |-> "StartView", to |-> 0, view |-> 1, op |-> 1, commit |-> 0, log |-> <<0>>]`,
		`failed = "commit out of sequence"`,
	} {
		if !strings.Contains(m.TLA(&s), want) {
			t.Errorf("there is no %s in\n%s", want, m.TLA(&s))
		}
	}
}

// The text of a state leaves nothing out: states that differ have different texts.
func TestTLATellsStatesApart(t *testing.T) {
	cfg := DefaultConfig()
	cfg.Replicas, cfg.Ops, cfg.ViewMax, cfg.MayCrash, cfg.MayStop = 2, 2, 1, 3, 3
	cfg.Crashes, cfg.Stops, cfg.Drops = 1, 1, 1
	m, err := New(cfg, Rules{})
	if err != nil {
		t.Fatal(err)
	}
	const enough = 3000
	texts := map[string][]uint64{}
	var queue []State
	see := func(s *State) {
		words := make([]uint64, m.Words())
		m.Encode(s, words)
		text := m.TLA(s)
		old, ok := texts[text]
		if ok && !slices.Equal(old, words) {
			t.Fatalf("two states have the text\n%s", text)
		}
		if !ok {
			texts[text] = words
			queue = append(queue, *s)
		}
	}
	m.Init(see)
	for len(queue) > 0 && len(texts) < enough {
		s := queue[0]
		queue = queue[1:]
		var next State
		m.Next(&s, &next, func(uint32) { see(&next) })
	}
	if len(texts) < enough {
		t.Errorf("there are only %d states, want %d", len(texts), enough)
	}
}

// The module has the statuses and the assertions that there are here, under their names.
func TestModuleHasTheStatuses(t *testing.T) {
	text, err := os.ReadFile("../specs/VSR.tla")
	if err != nil {
		t.Fatal(err)
	}
	var failures []string
	for a, is := range assertionTable {
		failures = append(failures, is.tla)
		if is.words == "" || Assertion(a).String() != is.words {
			t.Errorf("assertion %d is %q", a, is.words)
		}
	}
	for pattern, want := range map[string][]string{
		`(?m)^  status +: \{(.*)\},$`: statusNames[:],
		`failed \\in \{(.*)\}`:        failures,
	} {
		set := regexp.MustCompile(pattern).FindSubmatch(text)
		if set == nil {
			t.Fatalf("the module has nothing like %s", pattern)
		}
		if got := strings.Split(strings.Trim(string(set[1]), `"`), `", "`); !slices.Equal(got, want) {
			t.Errorf("the module has %q, want %q", got, want)
		}
	}
}
