package behaviour

import (
	"vsrcheck/explore"
	"vsrcheck/model"
)

// Step is a step in the model's words: what traces, diagrams, the command step and the page of
// explore say of it.
type Step struct {
	Action  string // as it is read again
	Label   string // in short
	Kind    string
	Actor   int // the replica that takes it
	Fair    bool
	Lost    bool           // it loses a message
	Message *model.Message // that it delivers or loses; nil is none
	Notes   []string       // what it means
	Changes []string       // what it changes
}

// Tell tells a step from one state to another.
func Tell(m *model.Model, before *model.State, a explore.Action, after *model.State) Step {
	s := Step{
		Action: m.ActionString(a), Label: m.ActionLabel(a), Kind: m.Kinds()[m.Kind(a)], Actor: m.Actor(a), Fair: m.Fair(a), Lost: m.Drops(a),
		Notes: m.Notes(before, a), Changes: m.Changes(before, after),
	}
	if msg, ok := m.Message(a); ok {
		s.Message = &msg
	}
	return s
}
