package behaviour

import (
	"fmt"

	"vsrcheck/model"
	"vsrcheck/results"
)

// This file turns a state of the model into the values of a trace. The names are those
// of model.State, Replica and Network, in lower case with underscores as in the model's
// packed layout; so are the numbers, apart from those that stand for names. Functions
// begin with replica or view 0, sequences with op 1.

// Values are the values of the variables of a state, in the order of
// Variables. Two states of a model are equal exactly if their values are, but for what
// the networks consume and fifo add: how much of their budgets is used, and the order in
// which what is in flight arrives. A trace has it in its actions.
func Values(m *model.Model, s *model.State) []results.Value {
	var out []results.Value
	for _, f := range stateRecord(m, s) {
		out = append(out, f.Value)
	}
	return out
}

// Variables are the names and the types of Values, the same for every model.
// The types are those of a state in which no set is empty.
func Variables() ([]results.Variable, error) {
	cfg := model.DefaultConfig()
	cfg.ViewMax = 1
	m, err := model.New(cfg, model.Rules{})
	if err != nil {
		return nil, fmt.Errorf("types of the variables: %w", err)
	}
	var out []results.Variable
	for _, f := range stateRecord(m, Crowded(m)) {
		t, err := results.TypeOf(f.Value)
		if err != nil {
			return nil, fmt.Errorf("type of %s: %w", f.Name, err)
		}
		out = append(out, results.Variable{Name: f.Name, Type: t})
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

func stateRecord(m *model.Model, s *model.State) results.Rec {
	c := m.Config()
	return results.Rec{
		{Name: "replica", Value: byNumber(c.Replicas, func(i int) results.Value { return replicaValue(c, &s.Replica[i]) })},
		{Name: "net", Value: netValue(m, s)},
		{Name: "stamp", Value: byNumber(c.ViewMax+1, func(v int) results.Value { return numbers(c, &s.Stamp[v]) })},
		{Name: "crashes", Value: results.Int(s.Crashes)},
		{Name: "stops", Value: results.Int(s.Stops)},
		{Name: "drops", Value: results.Int(s.Drops)},
		{Name: "decided", Value: numbers(c, &s.Decided)},
		{Name: "decided_in", Value: numbers(c, &s.DecidedIn)},
		{Name: "lost", Value: setValue(s.Lost)},
		{Name: "failed", Value: results.Str(s.Failed.String())},
	}
}

// byNumber is a function with the keys 0..n-1.
func byNumber(n int, value func(i int) results.Value) results.Func {
	out := results.Func{}
	for i := range n {
		out = append(out, results.Entry{Key: results.Int(i), Value: value(i)})
	}
	return out
}

// numbers are those of the ops that the configuration has.
func numbers(c model.Config, of *[model.MaxOps]uint8) results.Seq {
	out := results.Seq{}
	for _, n := range of[:c.Ops] {
		out = append(out, results.Int(n))
	}
	return out
}

func setValue(set model.ReplicaSet) results.Set {
	out := results.Set{}
	for r := range model.MaxReplicas {
		if set.Has(r) {
			out = append(out, results.Int(r))
		}
	}
	return out
}

func replicaValue(c model.Config, r *model.Replica) results.Rec {
	acks := results.Seq{}
	for _, set := range r.Acks[:c.Ops] {
		acks = append(acks, setValue(set))
	}
	return results.Rec{
		{Name: "status", Value: results.Str(r.Status.String())},
		{Name: "view", Value: results.Int(r.View)},
		{Name: "log_view", Value: results.Int(r.LogView)},
		{Name: "observed", Value: results.Int(r.Observed)},
		{Name: "op", Value: results.Int(r.Op)},
		{Name: "commit_max", Value: results.Int(r.CommitMax)},
		{Name: "commit_min", Value: results.Int(r.CommitMin)},
		{Name: "journal", Value: numbers(c, &r.Journal)},
		{Name: "headers_op", Value: results.Int(r.HeadersOp)},
		{Name: "headers", Value: numbers(c, &r.Headers)},
		{Name: "announced_op", Value: results.Int(r.AnnouncedOp)},
		{Name: "session_to", Value: results.Int(r.SessionTo)},
		{Name: "session_peer", Value: results.Int(r.SessionPeer)},
		{Name: "acks", Value: acks},
		{Name: "votes", Value: setValue(r.Votes)},
		{Name: "vote_sent", Value: results.Bool(r.VoteSent == 1)},
		{Name: "parked", Value: results.Bool(r.Parked == 1)},
		{Name: "merged_op", Value: results.Int(r.MergedOp)},
		{Name: "merged_commit", Value: results.Int(r.MergedCommit)},
		{Name: "merged", Value: numbers(c, &r.Merged)},
	}
}

// netSets are the fields of Network that hold plain messages; the other two hold
// messages with content.
var netSets = []string{
	"prepare", "prepare_ok", "commit", "start_view_change", "probe", "answer", "request_prepares", "repair_prepare", "repair_done",
}

// netValue has a set of messages for each field of Network.
func netValue(m *model.Model, s *model.State) results.Rec {
	sets := map[string]results.Set{}
	m.Messages(s, func(msg model.Message) {
		sets[msg.Set] = append(sets[msg.Set], messageRecord(msg, nil))
	})
	out := results.Rec{}
	for _, name := range netSets {
		set := sets[name]
		if set == nil {
			set = results.Set{}
		}
		out = append(out, results.Field{Name: name, Value: set})
	}
	return append(out,
		results.Field{Name: "do_view_change", Value: votesValue(m, s)},
		results.Field{Name: "start_view", Value: announcementsValue(m, s)})
}

// messageRecord adds who receives a message, who sent it, if that is known, and its
// numbers.
func messageRecord(msg model.Message, r results.Rec) results.Rec {
	r = append(r, results.Field{Name: "to", Value: results.Int(msg.To)})
	if msg.From >= 0 {
		r = append(r, results.Field{Name: "from", Value: results.Int(msg.From)})
	}
	for _, f := range msg.Fields {
		r = append(r, results.Field{Name: f.Name, Value: results.Int(f.Value)})
	}
	return r
}

// votesValue has the votes in flight and those that the new primary has counted.
func votesValue(m *model.Model, s *model.State) results.Set {
	c := m.Config()
	out := results.Set{}
	for view := 1; view <= c.ViewMax; view++ {
		for i := range c.Replicas {
			v := &s.Net.DoViewChange[view][i]
			where := model.VoteWhere(v)
			if where == "" {
				continue
			}
			items := results.Seq{}
			for _, item := range v.Items[:c.Ops] {
				says, identity := model.ItemText(item)
				items = append(items, results.Rec{{Name: "says", Value: results.Str(says)}, {Name: "identity", Value: results.Int(identity)}})
			}
			out = append(out, results.Rec{
				{Name: "to", Value: results.Int(c.Primary(uint8(view)))}, {Name: "from", Value: results.Int(i)},
				{Name: "view", Value: results.Int(view)}, {Name: "where", Value: results.Str(where)},
				{Name: "log_view", Value: results.Int(v.LogView)}, {Name: "op", Value: results.Int(v.Op)},
				{Name: "commit", Value: results.Int(v.Commit)}, {Name: "items", Value: items},
			})
		}
	}
	return out
}

// announcementsValue has the StartViews with a suffix, one for each view that has
// started.
func announcementsValue(m *model.Model, s *model.State) results.Set {
	c := m.Config()
	out := results.Set{}
	for view := 1; view <= c.ViewMax; view++ {
		v := &s.Net.StartView[view]
		if *v == (model.Announcement{}) {
			continue
		}
		out = append(out, results.Rec{
			{Name: "to", Value: setValue(v.To)}, {Name: "from", Value: results.Int(c.Primary(uint8(view)))},
			{Name: "view", Value: results.Int(view)}, {Name: "op", Value: results.Int(v.Op)},
			{Name: "commit", Value: results.Int(v.Commit)}, {Name: "log", Value: numbers(c, &v.Log)},
		})
	}
	return out
}
