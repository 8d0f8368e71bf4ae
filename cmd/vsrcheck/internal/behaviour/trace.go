package behaviour

import (
	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/explore"
	"vsrcheck/invariants"
	"vsrcheck/model"
	"vsrcheck/results"
	"vsrcheck/results/trace"
)

func summaryOf(property string) string {
	for _, p := range invariants.Catalogue() {
		if p.Name == property {
			return p.Summary
		}
	}
	return ""
}

// WithWidth is the job with descriptions for a page of a width. Files get those of the
// job itself, whatever the terminal.
func WithWidth(j *job.Job, page int) *job.Job {
	narrow := *j
	narrow.Told = j.Told.WithWidth(page - pageIndent)
	return &narrow
}

// OfViolation is a violation in the model's words.
func OfViolation(j *job.Job, v *explore.Violation[model.State]) *trace.Trace {
	return Trace(j, v.Property, v.Kind, v.Trace, v.LoopStart)
}

// Trace is a behaviour that violates a property, with everything that a trace file
// keeps. The types of the variables are added when a file is written.
func Trace(j *job.Job, property string, kind explore.Kind, behaviour []explore.Step[model.State], loopStart int) *trace.Trace {
	t := &trace.Trace{
		Spec: j.Name, Path: j.Path, Program: results.ReadBuild(), Config: j.ConfigSettings(), Reduction: job.ReductionOf(j.Model),
		Constraints: j.Constraints,
		Property:    property, Kind: string(kind), Summary: summaryOf(property), LoopStart: loopStart,
		Forever:  kind == explore.KindLiveness && loopStart < 0,
		Decisive: model.Decisive(),
	}
	if j.Bound != nil {
		t.Properties = j.Bound.Listed
	}
	rules := model.Catalogue()
	for i, s := range j.RuleSettings() {
		t.Rules = append(t.Rules, trace.Rule{Setting: s, Alternatives: rules[i].AlternativeNames()})
	}
	Fill(j, t, behaviour)
	if n := len(behaviour); n > 0 {
		last := &behaviour[n-1].State
		if j.RankOf(&explore.Violation[model.State]{Property: property, Kind: kind, Trace: behaviour, LoopStart: loopStart}) == job.RankBounded {
			t.Summary += "; here perhaps violated only because a channel was full"
			t.Explanation = "A step waits for room in a channel, and with more room it would be possible: " + j.MoreRoom() + "."
			t.Conclusion = t.Explanation
		} else if kind == explore.KindLiveness {
			t.Explanation = j.Told.Explain(last)
		} else if wrong := j.Told.Contradictions(last); wrong != "" {
			t.Final += "\n" + wrong
		}
		if t.Conclusion == "" {
			t.Conclusion = j.Told.Conclusion(last, t.Explanation != "")
		}
	}
	return t
}

// Fill puts a behaviour into a trace.
func Fill(j *job.Job, t *trace.Trace, behaviour []explore.Step[model.State]) {
	for i := range behaviour {
		step := trace.Step{State: j.Told.Table(&behaviour[i].State), Values: Values(j.Told, &behaviour[i].State)}
		if i > 0 {
			told := Tell(j.Told, &behaviour[i-1].State, behaviour[i].Action, &behaviour[i].State)
			step.Action, step.Kind, step.Fair, step.Actor = told.Action, told.Kind, told.Fair, told.Actor
			step.Notes, step.Changes = told.Notes, told.Changes
			if msg := told.Message; msg != nil {
				step.Message = messageRecord(*msg, trace.Rec{{Name: "name", Value: trace.Str(msg.Name)}})
			}
		}
		t.Steps = append(t.Steps, step)
		t.Final = step.State
	}
}

// KindPanic is the kind of a trace to a state in which the model failed.
const KindPanic explore.Kind = "panic"

// pageIndent is how far a page indents the tables of the model at most.
const pageIndent = 6
