package model

import "testing"

// mended is a model of three replicas with sound rules but for the changes.
func mended(t *testing.T, change func(*Config, *Rules)) *Model {
	t.Helper()
	cfg, rules := DefaultConfig(), soundRules()
	cfg.Ops, cfg.ViewMax, cfg.Crashes = 3, 2, 1
	change(&cfg, &rules)
	m, err := New(cfg, rules)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A Recovering replica that may elect adopts, once it is in a view change, an answer that it
// refused as older than the view it has seen.
func TestAnswerBelowObservedOfOneThatMayElect(t *testing.T) {
	for _, elects := range []bool{false, true} {
		m := mended(t, func(c *Config, r *Rules) { c.RecoveringElects = elects })
		s := State{Crashes: 1}
		s.Replica[2] = Replica{Status: Recovering, Observed: 2}
		s.Replica[1] = Replica{Status: Normal, View: 1, LogView: 1, Op: 1}
		add(&s.Net.Answer[2][1], answerPos(1, 0))
		m.normalise(&s)
		if stays := s.Net.Answer[2][1] != 0; stays != elects {
			t.Errorf("recovering_elects=%t: the answer stays: %t", elects, stays)
		}
	}
}

// A vote begins at min(commit_max, head), so the header there is alive.
func TestHeaderAtTheCommitNumberOfAVote(t *testing.T) {
	m := mended(t, func(*Config, *Rules) {})
	for op := uint8(1); op <= 3; op++ {
		for commit := uint8(0); commit <= 3; commit++ {
			s := State{Crashes: 1}
			r := &s.Replica[2]
			*r = Replica{Status: ViewChange, View: 2, LogView: 1, Op: op, CommitMax: commit, HeadersOp: 3}
			for i := range m.cfg.Ops {
				r.Headers[i] = identityOf(1)
			}
			want := m.buildVote(&s, r)
			m.normalise(&s)
			if got := m.buildVote(&s, r); got != want {
				t.Errorf("head %d, commit_max %d: the vote is %+v, want %+v", op, commit, got, want)
			}
		}
	}
}

// A primary that has forgotten its view leads it once more, and the acks of its first time
// count for the op that it prepares again.
func TestAckOfAnOpThatIsPreparedAgain(t *testing.T) {
	for _, durability := range []ViewDurability{ViewKept, ViewLost} {
		m := mended(t, func(_ *Config, r *Rules) { r.ViewDurability = durability })
		s := State{Crashes: 1}
		s.Replica[1] = Replica{Status: Normal, View: 1, LogView: 1}
		s.Replica[2] = Replica{Status: Normal, View: 1, LogView: 1}
		add(&s.Net.PrepareOk[2], m.preparePos(1, 1, identityOf(1)))
		m.normalise(&s)
		if stays := s.Net.PrepareOk[2] != 0; stays != (durability == ViewLost) {
			t.Errorf("view_durability=%d: the ack stays: %t", durability, stays)
		}
	}
}

// Weak fairness does not force a replica to probe that is Recovering only now and then, and
// eager probes would.
func TestNoProbeIsEagerWhereRulesMakeCycles(t *testing.T) {
	for _, adoption := range []ProbeAdoption{ProbeAdoptsObserved, ProbeAdoptsAny} {
		m := mended(t, func(_ *Config, r *Rules) { r.Readoption, r.ProbeAdoption = ReadoptNever, adoption })
		want := m.CyclicRule() == ""
		if want != (adoption == ProbeAdoptsObserved) {
			t.Errorf("%s makes cycles: %t", m.CyclicRule(), !want)
		}
		for _, k := range []kind{kProbe, kHeartbeat} {
			if got := m.sentEagerly(k); got != want {
				t.Errorf("probe_adoption=%d: %s is eager: %t, want %t", adoption, kindTable[k].name, got, want)
			}
		}
	}
}
