package behaviour

import (
	"fmt"

	"vsrcheck/model"
	"vsrcheck/results/trace"
)

// This file turns a state of the model into the values of a trace. The names are those
// of model.State, Replica and Network, in lower case with underscores as in the model's
// packed layout; so are the numbers, apart from those that stand for names. Functions
// begin with replica or view 0, sequences with op 1.

// Values are the values of the variables of a state, in the order of
// Variables. Two states of a model are equal exactly if their values are, but for what
// the networks consume and fifo add: how much of their budgets is used, and the order in
// which what is in flight arrives. A trace has it in its actions.
func Values(m *model.Model, s *model.State) []trace.Value {
	var out []trace.Value
	for _, f := range stateRecord(m, s) {
		out = append(out, f.Value)
	}
	return out
}

// Variables are the names and the types of Values, the same for every model.
// The types are those of a state in which no set is empty.
func Variables() ([]trace.Variable, error) {
	cfg := model.DefaultConfig()
	cfg.ViewMax = 1
	m, err := model.New(cfg, model.Rules{})
	if err != nil {
		return nil, fmt.Errorf("types of the variables: %w", err)
	}
	var out []trace.Variable
	for _, f := range stateRecord(m, Crowded(m)) {
		t, err := trace.TypeOf(f.Value)
		if err != nil {
			return nil, fmt.Errorf("type of %s: %w", f.Name, err)
		}
		out = append(out, trace.Variable{Name: f.Name, Type: t})
	}
	return out, nil
}

// Crowded is a state, reachable or not, with a message of every kind in flight and no
// empty set.
func Crowded(m *model.Model) *model.State {
	s := &model.State{Lost: 1}
	for i := range m.Config().Replicas {
		r, net := &s.Replica[i], &s.Net
		r.Votes, r.Acks[0] = 1, 1
		net.Prepare[i], net.PrepareOk[i], net.Commit[i], net.StartViewChange[i], net.Probe[i] = 1, 1, 1, 1, 1
		net.DoViewChange[1][i].Where = 1
		net.StartView[1].To = 1
		net.Answer[i][0], net.RequestPrepares[i][0], net.RepairPrepare[i], net.RepairDone[i] = 1, 1, 1, 1
	}
	return s
}

func stateRecord(m *model.Model, s *model.State) trace.Rec {
	c := m.Config()
	return trace.Rec{
		{Name: "replica", Value: byNumber(c.Replicas, func(i int) trace.Value { return replicaValue(c, &s.Replica[i]) })},
		{Name: "net", Value: netValue(m, s)},
		{Name: "stamp", Value: byNumber(c.ViewMax+1, func(v int) trace.Value { return numbers(c, &s.Stamp[v]) })},
		{Name: "crashes", Value: trace.Int(s.Crashes)},
		{Name: "stops", Value: trace.Int(s.Stops)},
		{Name: "drops", Value: trace.Int(s.Drops)},
		{Name: "decided", Value: numbers(c, &s.Decided)},
		{Name: "decided_in", Value: numbers(c, &s.DecidedIn)},
		{Name: "lost", Value: setValue(s.Lost)},
		{Name: "failed", Value: trace.Str(s.Failed.String())},
	}
}

// byNumber is a function with the keys 0..n-1.
func byNumber(n int, value func(i int) trace.Value) trace.Func {
	out := trace.Func{}
	for i := range n {
		out = append(out, trace.Entry{Key: trace.Int(i), Value: value(i)})
	}
	return out
}

// numbers are those of the ops that the configuration has.
func numbers(c model.Config, of *[model.MaxOps]uint8) trace.Seq {
	out := trace.Seq{}
	for _, n := range of[:c.Ops] {
		out = append(out, trace.Int(n))
	}
	return out
}

func setValue(set model.ReplicaSet) trace.Set {
	out := trace.Set{}
	for r := range model.MaxReplicas {
		if set.Has(r) {
			out = append(out, trace.Int(r))
		}
	}
	return out
}

func replicaValue(c model.Config, r *model.Replica) trace.Rec {
	acks := trace.Seq{}
	for _, set := range r.Acks[:c.Ops] {
		acks = append(acks, setValue(set))
	}
	return trace.Rec{
		{Name: "status", Value: trace.Str(r.Status.String())},
		{Name: "view", Value: trace.Int(r.View)},
		{Name: "log_view", Value: trace.Int(r.LogView)},
		{Name: "observed", Value: trace.Int(r.Observed)},
		{Name: "op", Value: trace.Int(r.Op)},
		{Name: "commit_max", Value: trace.Int(r.CommitMax)},
		{Name: "commit_min", Value: trace.Int(r.CommitMin)},
		{Name: "journal", Value: numbers(c, &r.Journal)},
		{Name: "headers_op", Value: trace.Int(r.HeadersOp)},
		{Name: "headers", Value: numbers(c, &r.Headers)},
		{Name: "announced_op", Value: trace.Int(r.AnnouncedOp)},
		{Name: "session_to", Value: trace.Int(r.SessionTo)},
		{Name: "session_peer", Value: trace.Int(r.SessionPeer)},
		{Name: "acks", Value: acks},
		{Name: "votes", Value: setValue(r.Votes)},
		{Name: "vote_sent", Value: trace.Bool(r.VoteSent == 1)},
		{Name: "parked", Value: trace.Bool(r.Parked == 1)},
		{Name: "merged_op", Value: trace.Int(r.MergedOp)},
		{Name: "merged_commit", Value: trace.Int(r.MergedCommit)},
		{Name: "merged", Value: numbers(c, &r.Merged)},
	}
}

// netSets are the fields of Network that hold plain messages; the other two hold
// messages with content.
var netSets = []string{
	"prepare", "prepare_ok", "commit", "start_view_change", "probe", "answer", "request_prepares", "repair_prepare", "repair_done",
}

// netValue has a set of messages for each field of Network.
func netValue(m *model.Model, s *model.State) trace.Rec {
	sets := map[string]trace.Set{}
	m.Messages(s, func(msg model.Message) {
		sets[msg.Set] = append(sets[msg.Set], messageRecord(msg, nil))
	})
	out := trace.Rec{}
	for _, name := range netSets {
		set := sets[name]
		if set == nil {
			set = trace.Set{}
		}
		out = append(out, trace.Field{Name: name, Value: set})
	}
	return append(out,
		trace.Field{Name: "do_view_change", Value: votesValue(m, s)},
		trace.Field{Name: "start_view", Value: announcementsValue(m, s)})
}

// messageRecord adds who receives a message, who sent it, if that is known, and its
// numbers.
func messageRecord(msg model.Message, r trace.Rec) trace.Rec {
	r = append(r, trace.Field{Name: "to", Value: trace.Int(msg.To)})
	if msg.From >= 0 {
		r = append(r, trace.Field{Name: "from", Value: trace.Int(msg.From)})
	}
	for _, f := range msg.Fields {
		r = append(r, trace.Field{Name: f.Name, Value: trace.Int(f.Value)})
	}
	return r
}

// votesValue has the votes in flight and those that the new primary has counted.
func votesValue(m *model.Model, s *model.State) trace.Set {
	c := m.Config()
	out := trace.Set{}
	for view := 1; view <= c.ViewMax; view++ {
		for i := range c.Replicas {
			v := &s.Net.DoViewChange[view][i]
			where := model.VoteWhere(v)
			if where == "" {
				continue
			}
			items := trace.Seq{}
			for _, item := range v.Items[:c.Ops] {
				says, identity := model.ItemText(item)
				items = append(items, trace.Rec{{Name: "says", Value: trace.Str(says)}, {Name: "identity", Value: trace.Int(identity)}})
			}
			out = append(out, trace.Rec{
				{Name: "to", Value: trace.Int(c.Primary(uint8(view)))}, {Name: "from", Value: trace.Int(i)},
				{Name: "view", Value: trace.Int(view)}, {Name: "where", Value: trace.Str(where)},
				{Name: "log_view", Value: trace.Int(v.LogView)}, {Name: "op", Value: trace.Int(v.Op)},
				{Name: "commit", Value: trace.Int(v.Commit)}, {Name: "items", Value: items},
			})
		}
	}
	return out
}

// announcementsValue has the StartViews with a suffix, one for each view that has
// started.
func announcementsValue(m *model.Model, s *model.State) trace.Set {
	c := m.Config()
	out := trace.Set{}
	for view := 1; view <= c.ViewMax; view++ {
		v := &s.Net.StartView[view]
		if *v == (model.Announcement{}) {
			continue
		}
		out = append(out, trace.Rec{
			{Name: "to", Value: setValue(v.To)}, {Name: "from", Value: trace.Int(c.Primary(uint8(view)))},
			{Name: "view", Value: trace.Int(view)}, {Name: "op", Value: trace.Int(v.Op)},
			{Name: "commit", Value: trace.Int(v.Commit)}, {Name: "log", Value: numbers(c, &v.Log)},
		})
	}
	return out
}
