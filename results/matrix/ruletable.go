package matrix

import (
	"fmt"
	"slices"
	"strings"

	"vsrcheck/results"
)

// rule is the place of a rule among those of the bases, or -1.
func (m *Matrix) rule(name string) int {
	return slices.IndexFunc(m.Bases[0].Rules, func(s results.Setting) bool { return s.Name == name })
}

// RuleTable is the short form of a matrix whose first base is what its other rules are
// measured by: a row for each alternative of each rule that the first base does not have,
// with the smallest check in which it breaks something, and all in which it does not. Where
// the rule decided nothing, a check says nothing about it, and "not consulted" says so.
//
// A base of which only one rule is changed is about that rule, so that its own cell counts
// for its own alternative.
func (m *Matrix) RuleTable() results.Table {
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
	return results.Table{Name: "rules", Rows: rows, Text: out.String()}
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
func (m *Matrix) about(rule int, alternative string) (out []*Cell) {
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
func (m *Matrix) ruleRow(own results.Setting, alternative string, cells []*Cell) string {
	row := fmt.Sprintf("| %s | %s | %s |", results.TableCell(own.Name), results.TableCell(own.Value), results.TableCell(alternative))
	var worst, largest *Cell
	var not []string
	consulted := false
	for _, c := range cells {
		name := results.TableCell(m.Bases[c.Base].Name())
		idle := slices.Contains(c.Outcome.Idle, own.Name)
		consulted = consulted || !idle
		switch c.Verdict {
		case results.Violated:
			if worst == nil || c.Distinct < worst.Distinct {
				worst = c
			}
			continue
		case results.Holds:
		default:
			name += " (" + c.Verdict + ")"
		}
		if idle {
			name += " (not consulted)"
		}
		not = append(not, name)
		if largest == nil || c.Distinct > largest.Distinct {
			largest = c
		}
	}
	what, in, shown := "nothing within these bounds", "", largest
	if !consulted {
		what = "not consulted"
	}
	if worst != nil {
		what, in, shown = worst.What(), results.TableCell(m.Bases[worst.Base].Name()), worst
	}
	if shown == nil {
		return row + " not checked | | | | | |\n"
	}
	return fmt.Sprintf("%s %s | %s | %s | %s | %s | %s |\n", row, results.TableCell(what), shown.Steps(), results.Count(shown.Distinct), shown.Time(), in, strings.Join(not, ", "))
}
