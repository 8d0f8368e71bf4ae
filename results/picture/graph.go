package picture

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"vsrcheck/results"
)

// Graph is the whole state graph of a small specification.
type Graph struct {
	Spec        string            `json:"spec"`
	Config      []results.Setting `json:"config"`
	Rules       []results.Setting `json:"rules"`
	Constraints []string          `json:"constraints,omitempty"` // outside of which no state is expanded
	States      []GraphState      `json:"states"`                // breadth first, the initial ones first
	Steps       []GraphStep       `json:"steps"`                 // those that change the state
}

// GraphState is one reachable state; its number is its index.
type GraphState struct {
	Initial bool `json:"initial,omitempty"`
	Depth   int  `json:"depth"` // steps from an initial state
	// Violates names what is violated here: state properties, and liveness properties
	// of which something is outstanding although no step that has to happen changes the
	// state.
	Violates []string `json:"violates,omitempty"`
	// Quiescent says that no step that has to happen changes the state, Cut that the
	// specification's constraint keeps it from being expanded.
	Quiescent bool        `json:"quiescent,omitempty"`
	Cut       bool        `json:"cut,omitempty"`
	Replicas  []LaneState `json:"replicas"`
	Messages  []string    `json:"messages,omitempty"` // in flight
}

// GraphStep is one step between two states.
type GraphStep struct {
	From   int    `json:"from"`
	To     int    `json:"to"`
	Action string `json:"action"`
	Label  string `json:"label"` // the action in a few characters
	Lane   int    `json:"lane"`  // who takes it
	Fair   bool   `json:"fair,omitempty"`
	// Violates names the step properties that the step violates.
	Violates []string `json:"violates,omitempty"`
}

// WriteJSON writes the graph as one JSON object.
func (g *Graph) WriteJSON(out io.Writer) error {
	data, err := json.MarshalIndent(g, "", " ")
	if err != nil {
		return fmt.Errorf("write graph: %w", err)
	}
	if _, err := out.Write(append(data, '\n')); err != nil {
		return fmt.Errorf("write graph: %w", err)
	}
	return nil
}

// WriteDot writes the graph for Graphviz. Initial states have a double frame, violating
// ones are red, quiescent ones grey; steps that need not happen are dashed.
func (g *Graph) WriteDot(out io.Writer) error {
	w := &lineWriter{Writer: bufio.NewWriter(out)}
	w.line("digraph states {")
	w.line("    graph [label=%s, labelloc=t, fontname=\"sans-serif\"];", dotText(
		fmt.Sprintf("%s%s: %s, %s%s", g.Spec, results.Within(g.Constraints), results.Plural(len(g.States), "state"), results.Plural(len(g.Steps), "step"), g.cutText())))
	w.line("    node [shape=box, style=\"rounded,filled\", fillcolor=white, fontname=\"monospace\", fontsize=10];")
	w.line("    edge [fontname=\"sans-serif\", fontsize=9, arrowsize=0.7];")
	for i := range g.States {
		s := &g.States[i]
		label := fmt.Sprintf("%d", i)
		var extra strings.Builder
		if s.Initial {
			label += " initial"
			extra.WriteString(", peripheries=2")
		}
		switch {
		case len(s.Violates) > 0:
			label += " violates " + strings.Join(s.Violates, ", ")
			extra.WriteString(`, color="#bb2a22", fontcolor="#bb2a22", fillcolor="#fdeae8", penwidth=2`)
		case s.Quiescent:
			label += " quiescent"
			extra.WriteString(`, fillcolor="#eef1f5"`)
		}
		if s.Cut {
			label += " not expanded"
			extra.WriteString(`, style="rounded,filled,dashed"`)
		}
		for lane, r := range s.Replicas {
			label += fmt.Sprintf("\n%d %s", lane, r.line())
		}
		w.line("    s%d [label=%s%s, tooltip=%s];", i, dotLeft(label), extra.String(), dotText(strings.Join(s.Messages, "\n")+" "))
	}
	for _, e := range g.Steps {
		style := ""
		if !e.Fair {
			style = ", style=dashed"
		}
		label := e.Label
		if len(e.Violates) > 0 {
			label += "\nviolates " + strings.Join(e.Violates, ", ")
			style += `, color="#bb2a22", fontcolor="#bb2a22", penwidth=2`
		}
		w.line("    s%d -> s%d [label=%s%s, tooltip=%s];", e.From, e.To, dotText(label), style, dotText(e.Action))
	}
	w.line("}")
	return w.end("graph")
}

// line is a replica's state in one line: its role and view, its log and, for a primary,
// the acks of what is not committed.
func (s *LaneState) line() string {
	if s.Role == "Stopped" {
		return s.Role
	}
	parts := []string{fmt.Sprintf("%s v%d", s.Role, s.View)}
	for _, c := range s.Log {
		switch text := c.Body; {
		case c.Hole:
			parts = append(parts, "HOLE")
		case text == "":
			parts = append(parts, "-")
		case c.Applied:
			parts = append(parts, text+"*")
		case c.Committed:
			parts = append(parts, text+"+")
		default:
			parts = append(parts, text)
		}
	}
	if s.Session != "" {
		parts = append(parts, "repairs "+s.Session)
	}
	for _, a := range s.Acks {
		parts = append(parts, fmt.Sprintf("op %d: %d/%d", a.Op, len(a.By), a.Needed))
	}
	return strings.Join(parts, " ")
}

// dotLeft is dotText with lines that begin at the left.
func dotLeft(s string) string {
	quoted := strings.ReplaceAll(dotText(s), `\n`, `\l`)
	return quoted[:len(quoted)-1] + `\l"`
}

// Cut is the number of states that a constraint keeps from being expanded.
func (g *Graph) Cut() (n uint64) {
	for i := range g.States {
		if g.States[i].Cut {
			n++
		}
	}
	return n
}

func (g *Graph) cutText() string {
	if len(g.Constraints) == 0 {
		return ""
	}
	return "; " + results.CutOff(g.Cut())
}
