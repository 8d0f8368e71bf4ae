package model

import (
	"slices"
	"sync/atomic"
)

// Guards: the reasons for which a message is refused where it arrives. A run that never
// meets one of them says nothing about what that guard is for, as one in which an action
// never fires says nothing about the action.
//
// Whether a guard ever refuses is not to be had from the search itself: a step without
// effect is not one of it, and a message that everybody will refuse from now on is removed
// (normalise.go), so that the guard which does so is never asked. Hence the two places
// where Refusals asks: every message of every state, and, after every step, each message
// that normalisation then removes, while it is still there. So a guard counts as having
// refused when a message that was sent meets it in a reachable state, be it on the last
// day of its life. What would refuse it later on is not counted.
//
// Prompt answers (prompt.go) removes answers that somebody would still take or refuse, so it
// is left out: guards are asked in the states of the model that has every answer.
//
// That takes a multiple of the time of the search, and nobody should pay for it who only
// wants a verdict, so it is no part of Next.

// refusal is one guard of a message; the table of the messages has those of each. A guard
// with a condition is there under some rules only.
type refusal struct {
	outcome Outcome
	under   setting // without which there is no such guard
}

// Guard is a reason for which a message is refused where it arrives.
type Guard struct {
	Action string // that receives the message, such as ReceivePrepare
	Reason string
	Under  string // the alternative of a rule, as RULE=ALTERNATIVE, without which there is no such guard; "": none
	// Delivered reports whether such a message ever arrived, and Refused whether the guard
	// ever refused one.
	Delivered, Refused bool
}

// GuardLog collects, over any number of states, what guards refused. Any number of
// goroutines may use it, and what it has in the end does not depend on their order.
type GuardLog struct {
	outcomes [kinds]atomic.Uint32 // a bit for each outcome of a delivery
}

// note keeps the outcome of a delivery.
func (g *GuardLog) note(k kind, out Outcome) {
	bit := uint32(1) << (out &^ changed)
	if seen := &g.outcomes[k]; seen.Load()&bit == 0 {
		seen.Or(bit)
	}
}

// Guards are the guards that messages meet under the model's rules, with what the log has
// of them.
func (m *Model) Guards(g *GuardLog) []Guard {
	var chosen []string
	for _, r := range Catalogue() {
		chosen = append(chosen, r.Name+"="+r.Get(m.rules))
	}
	return slices.DeleteFunc(g.guards(), func(g Guard) bool { return g.Under != "" && !slices.Contains(chosen, g.Under) })
}

// AllGuards are the guards that messages meet under some rules.
func AllGuards() []Guard { return new(GuardLog).guards() }

func (g *GuardLog) guards() (out []Guard) {
	for k := range kind(kinds) {
		if !delivers(k) {
			continue
		}
		seen := g.outcomes[k].Load()
		for _, r := range messageKinds[k].guards {
			out = append(out, Guard{kindTable[k].name, r.outcome.String(), r.under.String(), seen != 0, seen>>r.outcome&1 == 1})
		}
	}
	return out
}

// WithGuards is the same model without the reduction that takes messages from the guards.
func (m *Model) WithGuards() *Model {
	if m.raw {
		return m // which has no reduction
	}
	r := m.reductions
	r.PromptAnswers = false
	return m.With(r)
}

// Refusals notes what guards refuse in s, a state of WithGuards: each message that is in
// flight, and each that a step from s leaves without a use.
func (m *Model) Refusals(s *State, g *GuardLog) {
	if s.Failed != AssertNone {
		return
	}
	t := *s
	m.each(s, func(a uint32) {
		out := m.step(&t, a)
		if k := kindOf(a); delivers(k) {
			g.note(k, out)
		}
		if out&changed != 0 {
			if m.reductions.EagerSends {
				m.sendEagerly(&t)
			}
			m.removed(&t, g)
		}
		t = *s
	})
}

// removed notes what becomes of the messages of t that normalisation removes.
func (m *Model) removed(t *State, g *GuardLog) {
	if t.Failed != AssertNone {
		return
	}
	kept := *t
	m.normalise(&kept)
	gone := State{Net: t.Net}
	m.eachMessage(&kept, func(a uint32) { m.remove(&gone, a) })
	u := *t
	m.eachMessage(&gone, func(a uint32) {
		if t.Replica[m.receiver(a)].Status != Stopped { // nobody is there who could refuse it
			g.note(kindOf(a), m.step(&u, a))
			u = *t
		}
	})
}
