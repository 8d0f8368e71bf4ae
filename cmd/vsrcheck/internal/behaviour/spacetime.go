package behaviour

import (
	"fmt"
	"math/bits"
	"strings"

	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/explore"
	"vsrcheck/invariants"
	"vsrcheck/model"
	"vsrcheck/results"
	"vsrcheck/results/picture"
	"vsrcheck/results/trace"
)

// DiagramOf is a trace as a space-time diagram.
func DiagramOf(j *job.Job, theTrace *trace.Trace, behaviour []explore.Step[model.State]) *picture.SpaceTime {
	t := Diagram(j, behaviour, theTrace.Properties)
	t.Property, t.Kind, t.PropertySummary = theTrace.Property, theTrace.Kind, theTrace.Summary
	t.Conclusion = theTrace.Conclusion
	t.LoopStart, t.Forever = theTrace.LoopStart, theTrace.Forever
	if n := len(behaviour); n > 0 {
		last := &behaviour[n-1].State
		if t.Explanation = theTrace.Explanation; t.Explanation == "" {
			t.Explanation = j.Told.Contradictions(last)
		}
		if t.LoopStart >= 0 {
			settleLoop(t)
		}
	}
	return t
}

// DiagramOfViolation is a violation as a space-time diagram.
func DiagramOfViolation(j *job.Job, v *explore.Violation[model.State]) *picture.SpaceTime {
	return DiagramOf(j, OfViolation(j, v), v.Trace)
}

// settleLoop marks at the end of a lasso the property that it violates. There steps that
// have to happen are taken all the way round, and what is outstanding stays so.
func settleLoop(t *picture.SpaceTime) {
	all := t.Moments[len(t.Moments)-1].Properties
	for i := range all {
		if all[i].Name == t.Property && all[i].Status == picture.StatusWaits {
			all[i].Status = picture.StatusViolated
		}
	}
}

// Diagram is any behaviour as a space-time diagram, with how each of the properties stands
// at each moment.
func Diagram(j *job.Job, behaviour []explore.Step[model.State], properties []results.Property) *picture.SpaceTime {
	t := &picture.SpaceTime{
		Spec: j.Name, Summary: j.Summary, Program: "vsrcheck " + results.ReadBuild().Version,
		LoopStart: -1, Messages: []picture.Message{}, Config: j.ConfigSettings(), Rules: j.RuleSettings(),
		Constraints: j.Constraints,
	}
	for i := range j.Config.Replicas {
		t.Lanes = append(t.Lanes, fmt.Sprintf("replica %d", i))
	}
	d := &drawer{Job: j, t: t, live: map[messageKey]int{}, violated: map[string]bool{}, waiting: map[string]uint64{}}
	for _, listed := range properties {
		if p, ok := invariants.Named(listed.Name); ok {
			d.watched = append(d.watched, p)
		}
	}
	for i := range behaviour {
		if i == 0 {
			d.t.Moments = append(d.t.Moments, picture.Moment{Lane: -1, Message: -1, Label: "initial state", Action: "the initial state"})
		} else {
			d.step(&behaviour[i-1].State, behaviour[i].Action, &behaviour[i].State)
		}
		d.state(&behaviour[i].State)
		d.properties(behaviour, i)
	}
	if len(t.Moments) > 0 {
		t.Finish()
	}
	return t
}

// drawer fills a diagram step by step.
type drawer struct {
	*job.Job
	t    *picture.SpaceTime
	live map[messageKey]int // index of each message in flight

	watched  []invariants.Property
	violated map[string]bool   // step properties that were violated by now
	waiting  map[string]uint64 // what liveness properties waited for at the last moment
}

// messageKey tells messages apart.
type messageKey struct {
	action uint32
	text   string
}

// step adds a moment without its state, and follows the messages through the step.
func (d *drawer) step(before *model.State, a explore.Action, after *model.State) {
	m, now := d.Told, len(d.t.Moments)
	told := Tell(m, before, a, after)
	moment := picture.Moment{
		Lane: told.Actor, Kind: told.Kind, Action: told.Action, Label: told.Label, Message: -1,
		Lost: told.Lost, Notes: told.Notes, Changes: told.Changes,
	}
	old, fresh := m.InFlight(before), m.InFlight(after)
	if delivery, ok := m.Delivers(a); ok {
		for _, msg := range old {
			if msg.Action == delivery {
				moment.Message = d.live[messageKey{msg.Action, msg.Text}]
			}
		}
		if !moment.Lost {
			verdict, reason := m.Fate(before, a)
			moment.Refused = reason
			in := &d.t.Messages[moment.Message]
			in.Deliveries = append(in.Deliveries, picture.Delivery{Moment: now, Verdict: picture.Verdict(verdict), Reason: reason})
		}
	}
	present := map[messageKey]bool{}
	for _, msg := range fresh {
		present[messageKey{msg.Action, msg.Text}] = true
	}
	for _, msg := range old {
		if key := (messageKey{msg.Action, msg.Text}); !present[key] {
			d.t.Messages[d.live[key]].Gone = now
			delete(d.live, key)
		}
	}
	d.t.Moments = append(d.t.Moments, moment)
	d.send(fresh, now, moment.Lane)
}

// send adds the messages that are new at a moment. The actor is the sender of those
// that do not name theirs.
func (d *drawer) send(fresh []model.Envelope, now, actor int) {
	for _, msg := range fresh {
		key := messageKey{msg.Action, msg.Text}
		if _, ok := d.live[key]; ok {
			continue
		}
		from := msg.From
		if from < 0 {
			from = actor
		}
		d.live[key] = len(d.t.Messages)
		d.t.Messages = append(d.t.Messages, picture.Message{
			Kind: msg.Name, Label: msg.Label, Text: msg.Text, From: from, To: msg.To, Sent: now, Background: msg.Background,
		})
	}
}

// state adds the state after the last moment.
func (d *drawer) state(s *model.State) {
	m := d.Told
	moment := &d.t.Moments[len(d.t.Moments)-1]
	list := m.InFlight(s)
	if len(d.t.Moments) == 1 {
		d.send(list, 0, 0)
	}
	for _, msg := range list {
		f := picture.InFlight{Message: d.live[messageKey{msg.Action, msg.Text}]}
		if s.Failed == model.AssertNone {
			verdict, reason := m.Fate(s, msg.Action)
			f.Would, f.Reason = picture.Verdict(verdict), reason
		}
		moment.InFlight = append(moment.InFlight, f)
	}
	for i := range d.Config.Replicas {
		moment.Replicas = append(moment.Replicas, laneState(m.View(s, i)))
	}
	moment.Quiescent = m.Quiescent(s)
	moment.Cut = d.Bound != nil && d.Bound.Outside(s) // a replay binds no properties
}

// laneState is a replica's state in the words of the results package.
func laneState(v model.ReplicaView) picture.LaneState {
	out := picture.LaneState{
		Role: v.Role, View: v.View, LogView: v.LogView, Head: v.Head, CommitMax: v.CommitMax, CommitMin: v.CommitMin,
		Session: v.Session, Details: v.Details,
	}
	for _, c := range v.Log {
		out.Log = append(out.Log, picture.Cell(c))
	}
	for _, a := range v.Acks {
		out.Acks = append(out.Acks, picture.Ack(a))
	}
	return out
}

// properties adds how each property stands at moment i. A step property that was
// violated once stays so.
func (d *drawer) properties(behaviour []explore.Step[model.State], i int) {
	moment, s := &d.t.Moments[i], &behaviour[i].State
	for _, p := range d.watched {
		status := picture.PropertyStatus{Name: p.Name, Kind: string(p.Kind), Status: picture.StatusHolds}
		switch p.Kind {
		case invariants.State, invariants.Bound:
			if !p.Holds(d.Told, s) {
				status.Status = picture.StatusViolated
			}
		case invariants.Step:
			if i > 0 && !p.HoldsStep(d.Told, &behaviour[i-1].State, behaviour[i].Action, s) {
				d.violated[p.Name] = true
			}
			if d.violated[p.Name] {
				status.Status = picture.StatusViolated
			}
		case invariants.Liveness:
			waiting := p.Waits(d.Told, s, d.waiting[p.Name])
			d.waiting[p.Name] = waiting
			if waiting == 0 {
				break
			}
			status.Status, status.Detail = picture.StatusWaits, outstandingText(p, waiting)
			if moment.Quiescent {
				status.Status = picture.StatusViolated
			}
		default:
			continue // what only has to be met somewhere says nothing of one moment
		}
		moment.Properties = append(moment.Properties, status)
	}
}

// outstandingText names what the bits of a liveness property stand for.
func outstandingText(p invariants.Property, set uint64) string {
	noun, first := "op", 1
	if p.PerReplica {
		noun, first = "replica", 0
	}
	var numbers []string
	for ; set != 0; set &= set - 1 {
		numbers = append(numbers, fmt.Sprint(bits.TrailingZeros64(set)+first))
	}
	if len(numbers) > 1 {
		noun += "s"
	}
	return noun + " " + strings.Join(numbers, ", ")
}
