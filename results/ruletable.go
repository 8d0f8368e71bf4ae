package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// ErrMatrix is wrapped by every error about a file that is no valid matrix.
var ErrMatrix = errors.New("invalid matrix")

// ReadMatrix reads a matrix from the file of its JSON.
func ReadMatrix(path string) (*Matrix, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read matrix: %w", err)
	}
	m, err := ParseMatrix(data)
	if err != nil {
		return nil, fmt.Errorf("read matrix %s: %w", path, err)
	}
	return m, nil
}

// ParseMatrix reads a matrix. Its errors wrap ErrMatrix.
func ParseMatrix(data []byte) (*Matrix, error) {
	var m Matrix
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMatrix, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: got more than one value, want one", ErrMatrix)
	}
	if m.Schema != MatrixSchema || len(m.Bases) == 0 {
		return nil, fmt.Errorf("%w: got schema %d and %d bases, want schema %d and some", ErrMatrix, m.Schema, len(m.Bases), MatrixSchema)
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
		known := []string{Holds, Violated, Vacuous, Inconclusive, Failed}
		switch {
		case c.Base < 0 || c.Base >= len(m.Bases):
			return nil, fmt.Errorf("%w: cells[%d]: got base %d, want 0..%d", ErrMatrix, i, c.Base, len(m.Bases)-1)
		case !slices.Contains(known, c.Verdict) || !c.consistent():
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

// rule is the place of a rule among those of the bases, or -1.
func (m *Matrix) rule(name string) int {
	return slices.IndexFunc(m.Bases[0].Rules, func(s Setting) bool { return s.Name == name })
}

// RuleTable is the short form of a matrix whose first base is what its other rules are
// measured by: a row for each alternative of each rule that the first base does not have,
// with the smallest check in which it breaks something, and all in which it does not.
//
// A base of which only one rule is changed is about that rule, so that its own cell counts
// for its own alternative.
func (m *Matrix) RuleTable() Table {
	var out strings.Builder
	out.WriteString("| rule | baseline | instead | breaks | steps | distinct states | time | in | not in |\n")
	out.WriteString("|---|---|---|---|--:|--:|--:|---|---|\n")
	rows := 0
	for i, own := range m.Bases[0].Rules {
		for _, alternative := range m.alternatives(i) {
			if alternative != own.Value {
				out.WriteString(m.ruleRow(own, alternative, m.about(i, alternative)))
				rows++
			}
		}
	}
	return Table{Name: "rules", Rows: rows, Text: out.String()}
}

// alternatives are those of a rule that occur, in the order in which they do.
func (m *Matrix) alternatives(rule int) (out []string) {
	note := func(value string) {
		if !slices.Contains(out, value) {
			out = append(out, value)
		}
	}
	for i := range m.Cells {
		c := &m.Cells[i]
		if len(c.Changed) == 1 && m.rule(c.Changed[0].Name) == rule {
			note(c.Changed[0].Value)
			note(c.Changed[0].Instead)
		}
	}
	return out
}

// about are the cells that say something of an alternative of a rule.
func (m *Matrix) about(rule int, alternative string) (out []*MatrixCell) {
	for b := range m.Bases {
		cells := m.of(b)
		for _, c := range cells[1:] {
			if len(c.Changed) == 1 && m.rule(c.Changed[0].Name) == rule && c.Changed[0].Value == alternative {
				out = append(out, c)
			}
		}
		if own := m.Bases[b].Rules[rule]; m.only(b) == own.Name && own.Value == alternative {
			out = append(out, cells[0])
		}
	}
	return out
}

// ruleRow is the row of an alternative.
func (m *Matrix) ruleRow(own Setting, alternative string, cells []*MatrixCell) string {
	row := fmt.Sprintf("| %s | %s | %s |", cell(own.Name), cell(own.Value), cell(alternative))
	var worst, largest *MatrixCell
	var not []string
	for _, c := range cells {
		name := cell(m.Bases[c.Base].Name())
		switch c.Verdict {
		case Violated:
			if worst == nil || c.Distinct < worst.Distinct {
				worst = c
			}
			continue
		case Holds:
		default:
			name += " (" + c.Verdict + ")"
		}
		not = append(not, name)
		if largest == nil || c.Distinct > largest.Distinct {
			largest = c
		}
	}
	what, in, shown := "nothing within these bounds", "", largest
	if worst != nil {
		what, in, shown = worst.What(), cell(m.Bases[worst.Base].Name()), worst
	}
	if shown == nil {
		return row + " not checked | | | | | |\n"
	}
	return fmt.Sprintf("%s %s | %s | %s | %s | %s | %s |\n", row, cell(what), shown.Steps(), Count(shown.Distinct), shown.Time(), in, strings.Join(not, ", "))
}
