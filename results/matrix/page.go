package matrix

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"path"
	"slices"
	"strings"
	"unicode"

	"vsrcheck/results"
	"vsrcheck/results/picture"
)

// matrixPage is the page of a matrix. It needs no script.
//
//go:embed page.html
var pageText string

var matrixPage = picture.TablePage("matrix.html", pageText)

// matrixView is what the page shows.
type matrixView struct {
	*Matrix
	Style    template.CSS
	Columns  []*Base      // of the overview
	Overview []matrixRow  // a row for each single change, a column for each base
	Narrow   []matrixList // the bases that are about one rule, where others are not
	Squares  []matrixSquare
	Lists    []matrixList
}

// matrixRow is a row of cells.
type matrixRow struct {
	Name  string
	Cells []matrixField
}

// matrixField is a cell of a table. Without a check it is the base's own alternative, or
// nobody asked.
type matrixField struct {
	*Cell
	Own bool
}

// matrixSquare has the pairs of changes of a base, and on its diagonal the single ones.
type matrixSquare struct {
	Base  *Base
	Names []string
	Rows  []matrixRow
}

// matrixList has all cells of a base.
type matrixList struct {
	Base  *Base
	Cells []*Cell
}

// Class is the style of an outcome.
func (o *Outcome) Class() string {
	switch o.Verdict {
	case results.Holds:
		return "good"
	case results.Violated:
		return "bad"
	}
	return "warn"
}

// Size is the number of states, for people.
func (o *Outcome) Size() string {
	if o.Outside != nil {
		return results.Count(o.Distinct) + " states, " + results.Count(*o.Outside) + " outside"
	}
	return results.Count(o.Distinct) + " states"
}

// Class is the style of a cell: grey when it says nothing about a rule that it changes.
func (c *Cell) Class() string {
	if len(c.Idle()) > 0 {
		return "idle"
	}
	return c.Outcome.Class()
}

// Hint is a cell in one line.
func (c *Cell) Hint() string {
	out := c.Name() + ": " + c.What()
	if n := c.Steps(); n != "" {
		out += " after " + n + " steps"
	}
	if idle := c.notConsulted(); idle != "" {
		out += "; " + idle + ", so this says nothing about it"
	}
	return out + ", " + c.Size() + ", " + c.Time()
}

// Command is the command line that checks a cell on its own.
func (m *Matrix) Command(c *Cell) string {
	b := &m.Bases[c.Base]
	name := b.Spec
	if !strings.HasPrefix(b.Path, "specs/") || path.Base(b.Path) != name+".cfg" {
		name = b.Path
	}
	words := []string{"vsrcheck", "check", name}
	for _, s := range append(slices.Clone(b.Config), append(slices.Clone(b.Rules), c.Changed...)...) {
		if s.Instead != "" {
			value := strings.NewReplacer("{", "", "}", "", " ", "").Replace(s.Value)
			words = append(words, "--"+strings.ReplaceAll(s.Name, "_", "-")+"="+cmp.Or(value, "none"))
		}
	}
	for i, w := range words {
		if strings.ContainsFunc(w, func(r rune) bool {
			return !strings.ContainsRune("-_./,:=", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r)
		}) {
			words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

// Other reports whether a cell has another verdict than its base under its own rules.
func (m *Matrix) Other(c *Cell) bool {
	own := m.find(c.Base, OwnRules)
	return own != nil && !c.same(&own.Outcome)
}

// WriteHTML writes the matrix as one HTML file that needs no other file and no network.
func (m *Matrix) WriteHTML(out io.Writer) error {
	view := matrixView{Matrix: m, Style: picture.TableStyle()}
	var wide []int
	for b := range m.Bases {
		if m.only(b) == "" {
			wide = append(wide, b)
			continue
		}
		view.Narrow = append(view.Narrow, matrixList{&m.Bases[b], m.of(b)})
	}
	if len(wide) == 0 {
		view.Narrow = nil
		for b := range m.Bases {
			wide = append(wide, b)
		}
	}
	for _, b := range wide {
		view.Columns = append(view.Columns, &m.Bases[b])
	}
	for _, name := range append([]string{OwnRules}, m.changes()...) {
		row, checked := matrixRow{Name: name}, false
		for _, b := range wide {
			field := matrixField{m.find(b, name), slices.ContainsFunc(m.Bases[b].Rules, func(s results.Setting) bool { return s.Name+"="+s.Value == name })}
			row.Cells, checked = append(row.Cells, field), checked || field.Cell != nil
		}
		if checked {
			view.Overview = append(view.Overview, row)
		}
	}
	for b := range m.Bases {
		list := matrixList{&m.Bases[b], m.of(b)}
		view.Lists = append(view.Lists, list)
		if square := m.square(b); square != nil {
			view.Squares = append(view.Squares, *square)
		}
	}
	if err := matrixPage.Execute(out, view); err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	return nil
}

// find is the cell of a base with a change, or nil.
func (m *Matrix) find(base int, name string) *Cell {
	for i := range m.Cells {
		if c := &m.Cells[i]; c.Base == base && c.Name() == name {
			return c
		}
	}
	return nil
}

// square has the pairs of a base, or is nil if there are none.
func (m *Matrix) square(base int) *matrixSquare {
	byName := map[string]*Cell{}
	s := &matrixSquare{Base: &m.Bases[base]}
	pairs := false
	for _, c := range m.of(base) {
		byName[c.Name()] = c
		switch len(c.Changed) {
		case 1:
			s.Names = append(s.Names, c.Name())
		case 2:
			pairs = true
		}
	}
	if !pairs {
		return nil
	}
	for i, a := range s.Names {
		row := matrixRow{Name: a}
		for j, b := range s.Names {
			switch {
			case i == j:
				row.Cells = append(row.Cells, matrixField{Cell: byName[a]})
			case i < j:
				row.Cells = append(row.Cells, matrixField{Cell: byName[a+", "+b]})
			default:
				row.Cells = append(row.Cells, matrixField{Cell: byName[b+", "+a]})
			}
		}
		s.Rows = append(s.Rows, row)
	}
	return s
}
