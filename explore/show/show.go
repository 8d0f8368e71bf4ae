// Package show shows what a run of package explore has found, and lets a user walk through
// a system by hand. It knows no model: it prints the fields of a state as Go has them. What
// a system says of itself is better, so it may have any of the methods of [Namer] and
// [Describer].
package show

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"vsrcheck/explore"
)

// Namer is a system that has a text for each action.
type Namer interface {
	ActionString(a explore.Action) string
}

// Describer is a system that has a text for each state. It is shown in the place of the
// fields, in full after each step.
type Describer[S any] interface {
	StateString(s *S) string
}

// Result writes the verdict of a run, its figures, and the trace of each violation.
func Result[S any](out io.Writer, sys explore.System[S], r *explore.Result[S]) error {
	w := bufio.NewWriter(out)
	fmt.Fprint(w, r.Verdict)
	if r.Reason != "" {
		fmt.Fprintf(w, ": %s", r.Reason)
	}
	fmt.Fprintf(w, "\n%d distinct states, %d generated, depth %d\n", r.Distinct, r.Generated, r.Depth)
	for _, c := range r.Coverage {
		fmt.Fprintf(w, "%s: %d generated, %d of them changed the state\n", c.Kind, c.Generated, c.Effective)
	}
	for i := range r.Violations {
		violation(w, sys, &r.Violations[i])
	}
	if r.PanicTrace != nil {
		fmt.Fprintln(w, "\nthe way to where the system failed:")
		trace(w, sys, r.PanicTrace, -1)
	}
	return w.Flush()
}

// Simulation writes what walks have found, and the trace of each violation.
func Simulation[S any](out io.Writer, sys explore.System[S], r *explore.Simulation[S]) error {
	w := bufio.NewWriter(out)
	fmt.Fprint(w, r.Verdict)
	if r.Reason != "" {
		fmt.Fprintf(w, ": %s", r.Reason)
	}
	fmt.Fprintf(w, "\n%d walks of %d steps, about %d distinct states\n", r.Walks, r.Steps, r.Distinct)
	for _, c := range r.Coverage {
		fmt.Fprintf(w, "%s: taken %d times\n", c.Kind, c.Taken)
	}
	for i := range r.Violations {
		violation(w, sys, &r.Violations[i].Violation)
	}
	if r.PanicTrace != nil {
		fmt.Fprintln(w, "\nthe way to where the system failed:")
		trace(w, sys, r.PanicTrace, -1)
	}
	return w.Flush()
}

func violation[S any](w io.Writer, sys explore.System[S], v *explore.Violation[S]) {
	fmt.Fprintf(w, "\n%s (%s) is violated", v.Property, v.Kind)
	if len(v.Trace) == 0 {
		fmt.Fprintln(w, ": no state of that kind was met")
		return
	}
	fmt.Fprintln(w)
	trace(w, sys, v.Trace, v.LoopStart)
	if v.LoopStart < 0 && (v.Kind == explore.KindLiveness || v.Kind == explore.KindTemporal) {
		fmt.Fprintln(w, "   and so it stays for ever")
	}
}

// Trace writes the steps of a trace, each with what it changed. LoopStart is that of an
// explore.Violation, or -1.
func Trace[S any](out io.Writer, sys explore.System[S], steps []explore.Step[S], loopStart int) error {
	w := bufio.NewWriter(out)
	trace(w, sys, steps, loopStart)
	return w.Flush()
}

func trace[S any](w io.Writer, sys explore.System[S], steps []explore.Step[S], loopStart int) {
	for i := range steps {
		if i == 0 {
			fmt.Fprintf(w, "%2d  %s\n", i, State(sys, &steps[i].State))
			continue
		}
		s := &steps[i]
		fmt.Fprintf(w, "%2d  %s: %s\n", i, Action(sys, s.Action), Change(sys, &steps[i-1].State, &s.State))
	}
	if loopStart >= 0 {
		fmt.Fprintf(w, "   and so on from %d\n", loopStart)
	}
}

// Action is the text of an action: that of a [Namer], or else its kind and number.
func Action[S any](sys explore.System[S], a explore.Action) string {
	if n, ok := sys.(Namer); ok {
		return n.ActionString(a)
	}
	if k, ok := sys.(explore.Kinded); ok {
		if kinds, i := k.Kinds(), k.Kind(a); i >= 0 && i < len(kinds) {
			return fmt.Sprintf("%s %d", kinds[i], a)
		}
	}
	return fmt.Sprintf("step %d", a)
}

// State is the text of a state: that of a [Describer], or else all fields.
func State[S any](sys explore.System[S], s *S) string {
	if d, ok := sys.(Describer[S]); ok {
		return d.StateString(s)
	}
	var all []string
	for _, f := range fieldsOf(s) {
		all = append(all, f.name+" = "+f.value)
	}
	return strings.Join(all, ", ")
}

// Change is the text of what a step from s to t changed: the fields that differ, or of a
// [Describer] the state t.
func Change[S any](sys explore.System[S], s, t *S) string {
	if d, ok := sys.(Describer[S]); ok {
		return d.StateString(t)
	}
	before, after := fieldsOf(s), fieldsOf(t)
	was := map[string]string{}
	for _, f := range before {
		was[f.name] = f.value
	}
	var changed []string
	for _, f := range after {
		if old, there := was[f.name]; !there || old != f.value {
			changed = append(changed, f.name+" = "+f.value)
		}
		delete(was, f.name)
	}
	for _, f := range before {
		if _, gone := was[f.name]; gone {
			changed = append(changed, "no "+f.name)
		}
	}
	if len(changed) == 0 {
		return "no change"
	}
	return strings.Join(changed, ", ")
}

// Initial lists the initial states, each once.
func Initial[S any](sys explore.System[S]) []S {
	var all []S
	var seen [][]uint64
	sys.Init(func(s *S) {
		if t, words := kept(sys, s); !contains(seen, words) {
			all, seen = append(all, t), append(seen, words)
		}
	})
	return all
}

// Next lists the steps from a state that change it. Where several states count as the same
// one (see explore.Canonical), it has the ones that stand for the others, as a check would.
func Next[S any](sys explore.System[S], s *S) []explore.Step[S] {
	var steps []explore.Step[S]
	_, from := kept(sys, s)
	t := new(S)
	sys.Next(s, t, func(a explore.Action) {
		if next, words := kept(sys, t); !slices.Equal(words, from) {
			steps = append(steps, explore.Step[S]{Action: a, State: next})
		}
	})
	return steps
}

// kept is a state as a check would keep it, and its encoding.
func kept[S any](sys explore.System[S], s *S) (t S, words []uint64) {
	words = make([]uint64, sys.Words())
	sys.Encode(s, words)
	sys.Decode(words, &t)
	return t, words
}

func contains(all [][]uint64, words []uint64) bool {
	return slices.ContainsFunc(all, func(w []uint64) bool { return slices.Equal(w, words) })
}
