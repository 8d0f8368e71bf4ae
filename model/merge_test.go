package model

import (
	"testing"
)

// ballot is a counted vote: what its sender says of the ops from max(commit, 1) up.
func ballot(logView, op, commit uint8, items ...item) Vote {
	v := Vote{Where: voteCounted, LogView: logView, Op: op, Commit: commit}
	copy(v.Items[max(commit, 1)-1:], items)
	return v
}

func TestMergedLog(t *testing.T) {
	const (
		nack  = itemNack
		blank = itemBlank
	)
	has := func(view uint8) item { return itemOf(identityOf(view), true) }
	header := func(view uint8) item { return itemOf(identityOf(view), false) }
	const absent = 0xff
	tests := []struct {
		name         string
		replicas     int // 3 unless said otherwise
		votes        map[int]Vote
		stamp        [3]uint8 // op, view, commit
		head, commit uint8    // head is absent when it is undecided
		logView      uint8
		log          []identity // from op 1
		rules        Rules
		journal      []identity // of the new primary, which has applied nothing
	}{
		{name: "no quorum of votes", votes: map[int]Vote{0: ballot(0, 1, 0, has(0))}, head: absent},
		{name: "two empty logs", votes: map[int]Vote{0: ballot(0, 0, 0), 1: ballot(0, 0, 0)}},
		{name: "one copy and one nack keep the op", votes: map[int]Vote{0: ballot(0, 1, 0, has(0)), 1: ballot(0, 0, 0)}, head: 1, log: []identity{1}},
		{name: "a nack quorum discards it", votes: map[int]Vote{0: ballot(0, 1, 0, has(0)), 1: ballot(0, 0, 0), 2: ballot(0, 0, 0)}},
		{name: "explicit nacks count the same", votes: map[int]Vote{0: ballot(0, 2, 0, has(0), has(0)), 1: ballot(0, 2, 0, has(0), nack), 2: ballot(0, 2, 0, has(0), nack)}, head: 1, log: []identity{1}},
		{name: "the log ends below the first discarded op", votes: map[int]Vote{0: ballot(0, 2, 0, nack, has(0)), 1: ballot(0, 2, 0, nack, has(0))}, head: 0},
		{name: "no copy and no nack quorum: wait", votes: map[int]Vote{0: ballot(0, 1, 0, header(0)), 1: ballot(0, 0, 0)}, head: absent},
		{name: "a third vote with the body decides", votes: map[int]Vote{0: ballot(0, 1, 0, header(0)), 1: ballot(0, 0, 0), 2: ballot(0, 1, 0, has(0))}, head: 1, log: []identity{1}},
		{name: "a blank abstains", votes: map[int]Vote{0: ballot(0, 1, 0, blank), 1: ballot(0, 0, 0)}, head: absent},
		{name: "two canonical identities conflict", votes: map[int]Vote{0: ballot(1, 1, 0, has(0)), 1: ballot(1, 1, 0, has(1))}, head: absent},
		{name: "only the highest log view is canonical", votes: map[int]Vote{0: ballot(0, 1, 0, has(0)), 1: ballot(1, 1, 0, has(1))}, head: 1, logView: 1, log: []identity{2}},
		{name: "an older log does not reach beyond a newer one", votes: map[int]Vote{0: ballot(0, 2, 0, has(0), has(0)), 1: ballot(1, 1, 0, has(0))}, head: 1, logView: 1, log: []identity{1}},
		{name: "another identity of an older log view nacks", votes: map[int]Vote{0: ballot(0, 1, 0, has(0)), 1: ballot(1, 1, 0, header(1)), 2: ballot(0, 0, 0)}, head: 0, logView: 1},
		{name: "an older log offers the body", votes: map[int]Vote{0: ballot(0, 1, 0, has(0)), 1: ballot(1, 1, 0, header(0))}, head: 1, logView: 1, log: []identity{1}},
		{name: "an entry where no canonical sender has any nacks", votes: map[int]Vote{0: ballot(0, 1, 0, has(0)), 1: ballot(1, 1, 0, nack)}, head: 0, logView: 1},
		{name: "the highest commit number counts, and the scan starts there", votes: map[int]Vote{0: ballot(0, 2, 2, has(0)), 1: ballot(0, 3, 1, has(0), has(0), has(0))}, head: 3, commit: 2, log: []identity{0, 1, 1}},
		{name: "below its window a sender abstains", votes: map[int]Vote{0: ballot(0, 2, 2, header(0)), 1: ballot(0, 2, 2, header(0))}, head: absent},
		{name: "a nack quorum at the commit number refuses the view", votes: map[int]Vote{0: ballot(0, 1, 1, header(0)), 1: ballot(0, 0, 0), 2: ballot(0, 0, 0)}, head: absent},
		{name: "the commit number of a head prepare counts", votes: map[int]Vote{0: ballot(0, 2, 0, has(0), has(0)), 1: ballot(0, 2, 0, has(0), has(0))}, stamp: [3]uint8{2, 0, 1}, head: 2, commit: 1, log: []identity{1, 1}},
		{name: "that of an op below the head does not", votes: map[int]Vote{0: ballot(0, 3, 0, has(0), has(0), has(0)), 1: ballot(0, 3, 0, has(0), has(0), has(0))}, stamp: [3]uint8{2, 0, 1}, head: 3, log: []identity{1, 1, 1}},
		{name: "in a group of five the nack quorum is three", replicas: 5, votes: map[int]Vote{0: ballot(0, 1, 0, has(0)), 1: ballot(0, 0, 0), 2: ballot(0, 0, 0)}, head: 1, log: []identity{1}},
		{name: "three nacks of five", replicas: 5, votes: map[int]Vote{0: ballot(0, 1, 0, has(0)), 1: ballot(0, 0, 0), 2: ballot(0, 0, 0), 3: ballot(0, 0, 0)}},
		{name: "nack_quorum = short: one nack discards it", rules: Rules{NackQuorum: NackShort}, votes: map[int]Vote{0: ballot(0, 1, 0, has(0)), 1: ballot(0, 0, 0)}},
		{name: "silent_sender = nacks: a blank is a nack", rules: Rules{SilentSender: SilentNacks}, votes: map[int]Vote{0: ballot(0, 1, 0, blank), 1: ballot(0, 0, 0)}},
		{name: "silent_sender = nacks: so is one at the commit number, which refuses the view", rules: Rules{SilentSender: SilentNacks}, votes: map[int]Vote{0: ballot(0, 1, 1, blank), 1: ballot(0, 0, 0), 2: ballot(0, 1, 0, has(0))}, head: absent},
		{name: "a newer log ends an older prepare", votes: map[int]Vote{0: ballot(0, 2, 0, has(0), has(1)), 1: ballot(2, 1, 0, has(0))}, head: 1, logView: 2, log: []identity{1}},
		{name: "canonical_sender = last_prepare: not so", rules: Rules{CanonicalSender: CanonicalLastPrepare}, votes: map[int]Vote{0: ballot(0, 2, 0, has(0), has(1)), 1: ballot(2, 1, 0, has(0))}, head: 2, logView: 1, log: []identity{1, 2}},
		{name: "canonical_sender = last_prepare: a vote without any ranks lowest", rules: Rules{CanonicalSender: CanonicalLastPrepare}, votes: map[int]Vote{0: ballot(2, 1, 0, blank), 1: ballot(1, 1, 0, has(1))}, head: 1, logView: 1, log: []identity{2}},
		{name: "merge_log = op_number: the winner's head, the own journal", rules: Rules{MergeLog: MergeOpNumber}, votes: map[int]Vote{0: ballot(1, 3, 1, has(0), has(1), has(1)), 2: ballot(0, 1, 0, has(0))}, journal: []identity{1, 1, 1}, head: 3, commit: 1, logView: 1, log: []identity{1, 1, 1}},
		{name: "merge_log = op_number: up to the first hole, even below the commit number", rules: Rules{MergeLog: MergeOpNumber}, votes: map[int]Vote{0: ballot(0, 3, 2, has(0), has(0)), 2: ballot(0, 3, 0, has(0), nack, has(0))}, journal: []identity{1, 0, 1}, head: 1, commit: 2},
		{name: "two votes of five are no quorum", replicas: 5, votes: map[int]Vote{0: ballot(0, 1, 0, has(0)), 1: ballot(0, 1, 0, has(0))}, head: absent},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			cfg := sized(max(3, test.replicas), 3, 2, 0, 0, 0)
			m := mustNew(t, cfg, test.rules)
			var s State
			copy(s.Replica[2].Journal[:], test.journal)
			votes := &s.Net.DoViewChange[2]
			for i, v := range test.votes {
				votes[i] = v
			}
			if test.stamp[0] != 0 {
				s.Stamp[test.stamp[1]][test.stamp[0]-1] = test.stamp[2]
			}
			head, commit, logView, log, ok := m.mergedLog(&s, &s.Replica[2], votes)
			if ok != (test.head != absent) {
				t.Fatalf("decided: %v, with head %d, commit %d, log %v", ok, head, commit, log)
			}
			if !ok {
				return
			}
			var want [MaxOps]identity
			copy(want[:], test.log)
			if head != test.head || commit != test.commit || logView != test.logView || log != want {
				t.Errorf("got head %d, commit %d, log view %d, log %v, want %d, %d, %d, %v",
					head, commit, logView, log, test.head, test.commit, test.logView, want)
			}
		})
	}
}

// TestMergeFitsPipeline: a merged log whose uncommitted range does not fit the pipeline
// is refused.
func TestMergeFitsPipeline(t *testing.T) {
	for _, test := range []struct{ pipeline, parked int }{{1, 0}, {2, 1}} {
		cfg := sized(3, 3, 1, 0, 0, 0)
		cfg.Pipeline = test.pipeline
		m := mustNew(t, cfg, Rules{})
		var s State
		s.Replica[1] = Replica{Status: ViewChange, View: 1, VoteSent: 1}
		body := itemOf(identityOf(0), true)
		s.Net.DoViewChange[1] = [MaxReplicas]Vote{0: ballot(0, 3, 1, body, body, body), 1: ballot(0, 3, 1, body, body, body)}
		m.merge(&s, 1)
		if int(s.Replica[1].Parked) != test.parked {
			t.Errorf("pipeline %d: parked %d, want %d", test.pipeline, s.Replica[1].Parked, test.parked)
		}
	}
}

func TestReconcile(t *testing.T) {
	tests := []struct {
		name                string
		journal             [MaxOps]identity
		commitMin           uint8
		head, commit        uint8
		log                 []identity // from op 1; nil: no suffix
		want                [MaxOps]identity
		wantDroppedAnything bool
	}{
		{"all agree", [MaxOps]identity{1, 1, 1}, 0, 3, 0, []identity{1, 1, 1}, [MaxOps]identity{1, 1, 1}, false},
		{"from the lowest that differs", [MaxOps]identity{1, 1, 1}, 0, 3, 0, []identity{1, 2, 1}, [MaxOps]identity{1}, true},
		{"above the head", [MaxOps]identity{1, 1, 1}, 0, 1, 0, []identity{1}, [MaxOps]identity{1}, true},
		{"a hole does not differ", [MaxOps]identity{1, 0, 1}, 0, 3, 0, []identity{1, 2, 1}, [MaxOps]identity{1, 0, 1}, false},
		{"not what is applied", [MaxOps]identity{1, 1, 1}, 2, 3, 0, []identity{1, 2, 1}, [MaxOps]identity{1, 1, 1}, false},
		{"not what is announced as committed", [MaxOps]identity{1, 1, 1}, 0, 3, 2, []identity{0, 2, 1}, [MaxOps]identity{1, 1, 1}, false},
		{"just above the announced commit number", [MaxOps]identity{1, 1, 1}, 0, 3, 2, []identity{0, 1, 2}, [MaxOps]identity{1, 1}, true},
		{"below the suffix nothing is compared", [MaxOps]identity{3, 1, 1}, 0, 3, 2, []identity{0, 1, 1}, [MaxOps]identity{3, 1, 1}, false},
		{"an empty log does not go below what is applied", [MaxOps]identity{1, 1, 1}, 2, 0, 0, []identity{}, [MaxOps]identity{1, 1}, true},
		{"without a suffix only above the head", [MaxOps]identity{1, 1, 1}, 0, 2, 0, nil, [MaxOps]identity{1, 1}, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := mustNew(t, sized(3, 3, 2, 0, 0, 0), Rules{})
			r := Replica{Journal: test.journal, CommitMin: test.commitMin, CommitMax: test.commitMin}
			var log *[MaxOps]identity
			if test.log != nil {
				log = new([MaxOps]identity)
				copy(log[:], test.log)
			}
			if got := m.reconcile(&r, test.head, test.commit, log); got != test.wantDroppedAnything || r.Journal != test.want {
				t.Errorf("got %v (dropped %v), want %v", r.Journal, got, test.want)
			}
		})
	}
}
