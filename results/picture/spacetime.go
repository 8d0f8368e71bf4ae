// Package picture draws behaviours. A [SpaceTime] is one behaviour: lanes, moments and messages.
// The page (in page/) and the drawings for other tools are made from it; so is a [Graph] of all
// states. pictures.md describes them.
package picture

import (
	"fmt"
	"slices"
	"strings"

	"vsrcheck/results"
)

// SpaceTime is a behaviour as a space-time diagram: lanes in space, moments in time,
// and messages between them. It knows the words of the protocol and nothing of the
// model that made it, so that every picture is drawn from the same value.
type SpaceTime struct {
	Spec    string `json:"spec"`
	Summary string `json:"summary"` // what the specification is about, in one line
	Program string `json:"program"` // who drew it

	// What the behaviour violates; "" for one that was walked by hand.
	Property        string `json:"property,omitempty"`
	Kind            string `json:"kind,omitempty"`
	PropertySummary string `json:"property_summary,omitempty"`
	// Conclusion is that of the trace.
	Conclusion string `json:"conclusion,omitempty"`

	Lanes    []string  `json:"lanes"`
	Moments  []Moment  `json:"moments"` // the initial state, then one for each step
	Messages []Message `json:"messages"`

	LoopStart   int    `json:"loop_start"` // index of the moment to whose state the last one returns, or -1
	Forever     bool   `json:"forever,omitempty"`
	Explanation string `json:"explanation,omitempty"`

	Config []results.Setting `json:"config"`
	Rules  []results.Setting `json:"rules"`

	Constraints []string `json:"constraints,omitempty"` // within which it was found
}

// Moment is one step with the state after it. A step is an event on one lane.
type Moment struct {
	Lane   int    `json:"lane"`   // who took the step; -1 for the initial state
	Kind   string `json:"kind"`   // of the action
	Action string `json:"action"` // in full
	Label  string `json:"label"`  // in a few characters
	// Message is the index of the message that the step delivers or loses, or -1.
	Message int  `json:"message"`
	Lost    bool `json:"lost,omitempty"`
	// Refused is the guard's words when it refused the message and something in it
	// still counted.
	Refused string   `json:"refused,omitempty"`
	Notes   []string `json:"notes,omitempty"`
	Changes []string `json:"changes,omitempty"`
	Marks   []Mark   `json:"marks,omitempty"`

	Replicas []LaneState `json:"replicas"`
	InFlight []InFlight  `json:"in_flight,omitempty"`
	// Quiescent says that no step that has to happen changes this state.
	Quiescent bool `json:"quiescent,omitempty"`
	// Cut says that the specification's constraint keeps a search from going on from here.
	Cut        bool             `json:"cut,omitempty"`
	Properties []PropertyStatus `json:"properties,omitempty"`
}

// LaneState is what a person wants to see of a replica.
type LaneState struct {
	Role      string   `json:"role"` // Primary, Backup, or the status when it is not Normal
	View      int      `json:"view"`
	LogView   int      `json:"log_view"`
	Head      int      `json:"head"`
	CommitMax int      `json:"commit_max"`
	CommitMin int      `json:"commit_min"`
	Log       []Cell   `json:"log,omitempty"` // by op, from op 1; none when it has stopped
	Session   string   `json:"session,omitempty"`
	Acks      []Ack    `json:"acks,omitempty"` // of a primary's pipeline, above its commit_max
	Details   []string `json:"details,omitempty"`
}

// Cell is what a replica has at one op.
type Cell struct {
	Body      string `json:"body,omitempty"` // 2@v1, or "" when it holds none
	Hole      bool   `json:"hole,omitempty"` // claimed and not held
	Applied   bool   `json:"applied,omitempty"`
	Committed bool   `json:"committed,omitempty"` // known to be committed
	Above     bool   `json:"above,omitempty"`     // held above the head
}

// Ack is how an op of a primary's pipeline stands.
type Ack struct {
	Op     int   `json:"op"`
	By     []int `json:"by"`
	Needed int   `json:"needed"`
	Quorum bool  `json:"quorum,omitempty"`
	// Blocker is the op below without a quorum that keeps this one, which has its own,
	// from committing; 0 when there is none.
	Blocker int `json:"blocker,omitempty"`
}

// InFlight is a message in the network and what would become of it if it was
// delivered now.
type InFlight struct {
	Message int     `json:"message"` // index
	Would   Verdict `json:"would"`
	Reason  string  `json:"reason,omitempty"` // the guard's words
}

// Verdict is what a replica does with a message.
type Verdict string

// The verdicts.
const (
	Taken       Verdict = "taken"
	TakenPartly Verdict = "partly"  // refused by a guard, and something in it still counted
	Refused     Verdict = "refused" // by a guard, without any effect
	NoEffect    Verdict = "nothing" // no guard refuses it, and nothing in it is new
)

// PropertyStatus is how a property stands at a moment.
type PropertyStatus struct {
	Name   string `json:"name"`
	Kind   string `json:"kind"`
	Status string `json:"status"`           // see the constants
	Detail string `json:"detail,omitempty"` // what is outstanding
}

// The statuses of a property.
const (
	StatusHolds    = "holds"
	StatusViolated = "violated"
	StatusWaits    = "waits" // liveness: something is outstanding and may still be settled
)

// Message is one message from its sending to its end. As the network is a set, a
// message may be delivered more than once.
type Message struct {
	Kind  string `json:"kind"`
	Label string `json:"label"`
	Text  string `json:"text"`
	From  int    `json:"from"`
	To    int    `json:"to"`
	Sent  int    `json:"sent"` // the moment of sending
	// Background marks those that say only how their sender stands and are sent as
	// early as they can be; a picture shows one when it is delivered.
	Background bool `json:"background,omitempty"`

	Deliveries []Delivery `json:"deliveries,omitempty"`
	// Gone is the first moment at which it is no longer in flight, or 0: it was lost,
	// or nobody can act on it any more.
	Gone int  `json:"gone,omitempty"`
	Fate Fate `json:"fate"`
	// Reason is the guard's words when the fate is Rejected.
	Reason string `json:"reason,omitempty"`
}

// Delivery is one arrival of a message.
type Delivery struct {
	Moment  int     `json:"moment"`
	Verdict Verdict `json:"verdict"`
	Reason  string  `json:"reason,omitempty"`
}

// Fate is what became of a message by the end of a behaviour.
type Fate string

// The fates.
const (
	Delivered Fate = "delivered" // at least once
	Lost      Fate = "lost"
	Rejected  Fate = "refused"   // in flight at the end, where a guard refuses it
	Flying    Fate = "in flight" // at the end
	Obsolete  Fate = "obsolete"  // never delivered, and nobody can act on it any more
)

// Mark is something worth a sign on a lane at a moment.
type Mark struct {
	Lane int      `json:"lane"`
	Kind MarkKind `json:"kind"`
	Text string   `json:"text"`
}

// MarkKind is the kind of a mark.
type MarkKind string

// The marks.
const (
	MarkCrash      MarkKind = "crash"
	MarkStop       MarkKind = "stop"
	MarkViewChange MarkKind = "view-change" // leaves its view
	MarkNewView    MarkKind = "new-view"    // is Normal in a view it was not Normal in before
	MarkCommit     MarkKind = "commit"      // a primary's commit number moves
	MarkApply      MarkKind = "apply"       // an op is applied
	MarkHole       MarkKind = "hole"        // claims an op that it does not hold
	MarkHealed     MarkKind = "healed"      // a hole is filled
	MarkBlocked    MarkKind = "blocked"     // an op has its quorum and cannot commit
)

// Finish derives what follows from the rest: the marks of every moment and the fate of
// every message.
func (t *SpaceTime) Finish() {
	for i := 1; i < len(t.Moments); i++ {
		t.Moments[i].Marks = nil
		for lane := range t.Lanes {
			t.mark(i, lane)
		}
	}
	last := t.Moments[len(t.Moments)-1]
	for i := range t.Messages {
		msg := &t.Messages[i]
		msg.Fate, msg.Reason = Flying, ""
		switch {
		case msg.Gone > 0 && t.Moments[msg.Gone].Lost && t.Moments[msg.Gone].Message == i:
			msg.Fate = Lost
		case len(msg.Deliveries) > 0:
			msg.Fate = Delivered
		case msg.Gone > 0:
			msg.Fate = Obsolete
		}
		if msg.Fate != Flying {
			continue
		}
		for _, f := range last.InFlight {
			if f.Message == i && f.Would == Refused {
				msg.Fate, msg.Reason = Rejected, f.Reason
			}
		}
	}
}

// mark finds the marks of one lane at moment i.
func (t *SpaceTime) mark(i, lane int) {
	m := &t.Moments[i]
	a, b := &t.Moments[i-1].Replicas[lane], &m.Replicas[lane]
	add := func(kind MarkKind, format string, args ...any) {
		m.Marks = append(m.Marks, Mark{lane, kind, fmt.Sprintf(format, args...)})
	}
	normal := func(s *LaneState) bool { return s.Role == "Primary" || s.Role == "Backup" }
	switch {
	case m.Kind == "CrashRestart" && m.Lane == lane:
		add(MarkCrash, "crashes and restarts")
	case b.Role == "Stopped" && a.Role != "Stopped":
		add(MarkStop, "stops for good")
		return
	case normal(b) && (!normal(a) || a.View != b.View):
		add(MarkNewView, "view %d, %s", b.View, b.Role)
	case !normal(b) && (normal(a) || a.View != b.View):
		add(MarkViewChange, "leaves view %d for view %d", a.View, b.View)
	}
	if b.CommitMax > a.CommitMax && b.Role == "Primary" {
		add(MarkCommit, "commits %s", opList(upTo(a.CommitMax+1, b.CommitMax)))
	} else if b.CommitMin > a.CommitMin {
		add(MarkApply, "applies %s", opList(upTo(a.CommitMin+1, b.CommitMin)))
	}
	var opened, filled []int
	for op := range b.Log {
		was := op < len(a.Log) && a.Log[op].Hole
		switch {
		case b.Log[op].Hole && !was:
			opened = append(opened, op+1)
		case was && !b.Log[op].Hole && b.Log[op].Body != "":
			filled = append(filled, op+1)
		}
	}
	if len(opened) > 0 {
		add(MarkHole, "claims %s without the body", opList(opened))
	}
	if len(filled) > 0 {
		add(MarkHealed, "gets %s, claimed before", opList(filled))
	}
	for _, ack := range b.Acks {
		blocked := func(o Ack) bool { return o.Op == ack.Op && o.Blocker != 0 }
		if ack.Blocker != 0 && !slices.ContainsFunc(a.Acks, blocked) {
			add(MarkBlocked, "op %d has its quorum and waits for op %d", ack.Op, ack.Blocker)
		}
	}
}

// upTo lists the numbers of a range.
func upTo(from, to int) (out []int) {
	for n := from; n <= to; n++ {
		out = append(out, n)
	}
	return out
}

// opList names ops: op 2, or ops 2, 3.
func opList(ops []int) string {
	words := make([]string, len(ops))
	for i, op := range ops {
		words[i] = fmt.Sprint(op)
	}
	if len(ops) == 1 {
		return "op " + words[0]
	}
	return "ops " + strings.Join(words, ", ")
}

// markTexts are the marks of a moment in words, with the lane where it is not that of
// the step.
func (t *SpaceTime) markTexts(i int) (out []string) {
	for _, m := range t.Moments[i].Marks {
		if m.Lane == t.Moments[i].Lane {
			out = append(out, m.Text)
		} else {
			out = append(out, t.Lanes[m.Lane]+" "+m.Text)
		}
	}
	return out
}
