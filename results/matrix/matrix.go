// Package matrix holds what specifications give under other rules. A [Matrix] is the table, as
// text, JSON or a page; [FinishedCells] is the file that its cells are kept in while it is made.
package matrix

import (
	"fmt"
	"slices"
	"strings"

	"vsrcheck/results"
	"vsrcheck/results/internal/jsontext"
)

// The verdicts of a cell beyond those of a record.
const (
	Vacuous = "vacuous" // no property says anything, see Record.Vacuous
	Failed  = "failed"  // the model or the checker did
)

// Schema is the version of the matrix's format, and of the file of its finished
// cells.
const Schema = 1

// Matrix is what specifications give under other alternatives of their rules.
type Matrix struct {
	Schema int           `json:"schema"`
	Bases  []Base        `json:"bases"`
	Cells  []Cell        `json:"cells"` // by base; the base's own first, then single changes, then pairs
	Build  results.Build `json:"build"`
}

// Base is a specification in one size, under its own rules.
type Base struct {
	Spec        string             `json:"spec"`
	Path        string             `json:"path"`
	Size        string             `json:"size,omitempty"` // what its constants have instead of the file's, as name=value
	Summary     string             `json:"summary"`
	Config      []results.Setting  `json:"config"`
	Rules       []results.Setting  `json:"rules"`
	Properties  []results.Property `json:"properties"`
	Constraints []string           `json:"constraints,omitempty"`
	Reduction   string             `json:"reduction"`
}

// Name is the specification with its size.
func (b *Base) Name() string { return strings.TrimSpace(b.Spec + " " + b.Size) }

// Cell is the check of a base with some of its rules changed.
type Cell struct {
	Base    int               `json:"base"`    // index
	Changed []results.Setting `json:"changed"` // rules; empty for the base itself
	Outcome
}

// Outcome is what a check of a matrix gave.
type Outcome struct {
	Verdict    string              `json:"verdict"`
	Reason     string              `json:"reason,omitempty"` // why it is inconclusive or failed
	ExitCode   int                 `json:"exit_code"`        // that check would have
	Violations []results.Violation `json:"violations,omitempty"`
	Vacuous    []results.Vacuity   `json:"vacuous,omitempty"` // the properties that say nothing
	// Idle are the rules that decided nothing in the check: those of the changed ones, or all
	// when none was changed. Of them the outcome says nothing.
	Idle     []string `json:"idle_rules,omitempty"`
	Distinct uint64   `json:"distinct"`
	// Outside counts the states outside the constraints, which were not expanded; nil when
	// there are no constraints.
	Outside   *uint64 `json:"outside,omitempty"`
	Generated uint64  `json:"generated"`
	Depth     int     `json:"depth"`
	Seconds   float64 `json:"seconds"`
}

// OwnRules is the name of a cell that changes nothing.
const OwnRules = "its own rules"

// Name is what the cell changes.
func (c *Cell) Name() string {
	if len(c.Changed) == 0 {
		return OwnRules
	}
	var parts []string
	for _, s := range c.Changed {
		parts = append(parts, s.Name+"="+s.Value)
	}
	return strings.Join(parts, ", ")
}

// Idle are the changed rules that decided nothing: the cell says nothing about them.
func (c *Cell) Idle() (names []string) {
	for _, s := range c.Changed {
		if slices.Contains(c.Outcome.Idle, s.Name) {
			names = append(names, s.Name)
		}
	}
	return names
}

// notConsulted says of which changed rules the cell says nothing, or "".
func (c *Cell) notConsulted() string {
	if idle := c.Idle(); len(idle) > 0 {
		return strings.Join(idle, " and ") + " decided nothing"
	}
	return ""
}

// What says what breaks, or that nothing does.
func (o *Outcome) What() string {
	switch o.Verdict {
	case results.Violated:
		return o.decisive().Property
	case Vacuous:
		if len(o.Vacuous) == 0 { // of a version that had no more
			return "vacuous: " + o.Violations[0].Property + " is never met"
		}
		return "vacuous: " + o.Reason
	case results.Holds:
		if names := o.silent(); names != "" {
			return "holds, but " + names
		}
	case results.Inconclusive, Failed:
		return o.Verdict + ": " + o.Reason
	}
	return o.Verdict
}

// Valid reports whether there is such a verdict, and it fits the violations.
func (o *Outcome) Valid() bool {
	return slices.Contains([]string{results.Holds, results.Violated, Vacuous, results.Inconclusive, Failed}, o.Verdict) && o.consistent()
}

// silent says which properties say nothing; "" when all say something.
func (o *Outcome) silent() string {
	var names []string
	for _, v := range o.Vacuous {
		names = append(names, v.Property)
	}
	switch len(names) {
	case 0:
		return ""
	case 1:
		return names[0] + " says nothing"
	}
	return strings.Join(names, ", ") + " say nothing"
}

// consistent reports whether the verdict fits the violations.
func (o *Outcome) consistent() bool {
	switch o.Verdict {
	case results.Violated:
		return len(o.Violations) > 0
	case Vacuous:
		return len(o.Vacuous) > 0 || len(o.Violations) > 0
	case results.Inconclusive:
		return results.AllOpen(o.Violations)
	}
	return len(o.Violations) == 0
}

// Steps is the length of the decisive violation's trace, or "".
func (o *Outcome) Steps() string {
	if o.Verdict != results.Violated {
		return ""
	}
	return fmt.Sprint(o.decisive().Length())
}

// decisive is the first violation that has a trace: that a companion was never met is of
// less weight. It is for outcomes with violations.
func (o *Outcome) decisive() *results.Violation {
	for i := range o.Violations {
		if o.Violations[i].Kind != results.KindReachable {
			return &o.Violations[i]
		}
	}
	return &o.Violations[0]
}

// Time is how long the check took.
func (o *Outcome) Time() string { return results.Seconds(o.Seconds) }

// same reports whether two outcomes are the same verdict about the same property.
func (o *Outcome) same(other *Outcome) bool {
	return o.Verdict == other.Verdict && (o.Verdict != results.Violated || o.What() == other.What())
}

// of are the cells of a base; the first is its own.
func (m *Matrix) of(base int) (out []*Cell) {
	for i := range m.Cells {
		if m.Cells[i].Base == base {
			out = append(out, &m.Cells[i])
		}
	}
	return out
}

// only is the one rule that the cells of a base change, or "" when there are several or
// none.
func (m *Matrix) only(base int) (rule string) {
	for _, c := range m.of(base)[1:] {
		for _, s := range c.Changed {
			if rule != "" && rule != s.Name {
				return ""
			}
			rule = s.Name
		}
	}
	return rule
}

// Count is the number of cells with a verdict.
func (m *Matrix) Count(verdict string) (n int) {
	for i := range m.Cells {
		if m.Cells[i].Verdict == verdict {
			n++
		}
	}
	return n
}

// Totals says how many cells have which verdict.
func (m *Matrix) Totals() string {
	var parts []string
	for _, v := range []string{results.Holds, results.Violated, Vacuous, results.Inconclusive, Failed} {
		if n := m.Count(v); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	if n := m.countIdle(); n > 0 {
		parts = append(parts, fmt.Sprintf("in %d a changed rule decided nothing", n))
	}
	return strings.Join(parts, ", ")
}

// countIdle is the number of cells with a changed rule that decided nothing.
func (m *Matrix) countIdle() (n int) {
	for i := range m.Cells {
		if len(m.Cells[i].Idle()) > 0 {
			n++
		}
	}
	return n
}

// Text is the matrix as tables, one for each base. An asterisk marks a cell with another
// verdict than its base has under its own rules, a dash one with a changed rule that decided
// nothing.
func (m *Matrix) Text() string {
	var out strings.Builder
	width := len(OwnRules)
	for i := range m.Cells {
		width = max(width, len(m.Cells[i].Name()))
	}
	for b := range m.Bases {
		cells := m.of(b)
		fmt.Fprintf(&out, "%s\n", m.Bases[b].Heading())
		fmt.Fprintf(&out, "    %-*s  %5s  %15s  %15s  %6s  %s\n", width, "rules", "steps", "distinct states", "generated", "time", "verdict")
		for _, c := range cells {
			mark := " "
			if !c.same(&cells[0].Outcome) {
				mark = "*"
			}
			what := c.What()
			if idle := c.notConsulted(); idle != "" {
				mark, what = "-", what+" ("+idle+")"
			}
			fmt.Fprintf(&out, "  %s %-*s  %5s  %15s  %15s  %6s  %s\n", mark, width, c.Name(), c.Steps(), results.Count(c.Distinct), results.Count(c.Generated), c.Time(), strings.Join(slices.DeleteFunc([]string{what, c.Cut()}, func(s string) bool { return s == "" }), "; "))
		}
		out.WriteString("\n")
	}
	return out.String()
}

// Write is the matrix as JSON.
func (m *Matrix) Write() ([]byte, error) {
	return jsontext.Write(m, "matrix")
}

// ErrMatrix is wrapped by every error about a file that is no valid matrix.
const ErrMatrix = results.InputError("invalid matrix")

// Read reads a matrix from the file of its JSON.
func Read(path string) (*Matrix, error) {
	data, err := results.ReadData(path)
	if err != nil {
		return nil, fmt.Errorf("read matrix: %w", err)
	}
	m, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("read matrix %s: %w", path, err)
	}
	return m, nil
}

// Parse reads a matrix. Its errors wrap ErrMatrix.
func Parse(data []byte) (*Matrix, error) {
	var m Matrix
	if err := jsontext.Parse(data, &m, ErrMatrix); err != nil {
		return nil, err
	}
	if m.Schema != Schema || len(m.Bases) == 0 {
		return nil, fmt.Errorf("%w: got schema %d and %d bases, want schema %d and some", ErrMatrix, m.Schema, len(m.Bases), Schema)
	}
	for b := range m.Bases {
		if len(m.Bases[b].Rules) != len(m.Bases[0].Rules) {
			return nil, fmt.Errorf("%w: bases[%d] has %d rules, want %d as the first", ErrMatrix, b, len(m.Bases[b].Rules), len(m.Bases[0].Rules))
		}
		if own := m.of(b); len(own) == 0 || len(own[0].Changed) > 0 {
			return nil, fmt.Errorf("%w: bases[%d] does not begin with a cell of its own rules", ErrMatrix, b)
		}
	}
	for i := range m.Cells {
		c := &m.Cells[i]
		switch {
		case c.Base < 0 || c.Base >= len(m.Bases):
			return nil, fmt.Errorf("%w: cells[%d]: got base %d, want 0..%d", ErrMatrix, i, c.Base, len(m.Bases)-1)
		case !c.Valid():
			return nil, fmt.Errorf("%w: cells[%d]: got verdict %q with %d violations", ErrMatrix, i, c.Verdict, len(c.Violations))
		}
		for _, s := range c.Changed {
			if m.rule(s.Name) < 0 {
				return nil, fmt.Errorf("%w: cells[%d]: got unknown rule %q", ErrMatrix, i, s.Name)
			}
		}
	}
	return &m, nil
}

// changes are the different changes of one rule, in the order of the rules.
func (m *Matrix) changes() (names []string) {
	place := map[string]int{}
	for i := range m.Cells {
		c := &m.Cells[i]
		if len(c.Changed) != 1 || slices.Contains(names, c.Name()) {
			continue
		}
		names = append(names, c.Name())
		place[c.Name()] = slices.IndexFunc(m.Bases[c.Base].Rules, func(s results.Setting) bool { return s.Name == c.Changed[0].Name })
	}
	slices.SortStableFunc(names, func(a, b string) int { return place[a] - place[b] })
	return names
}

// Heading is the base with the constraints that bound its cells.
func (b *Base) Heading() string { return b.Name() + results.Within(b.Constraints) }

// Cut says what the constraints of a cell cut off, or "".
func (o *Outcome) Cut() string {
	if o.Outside == nil {
		return ""
	}
	return results.CutOff(*o.Outside)
}
