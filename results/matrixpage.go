package results

import (
	"fmt"
	"html/template"
	"io"
)

// matrixPage is the page of a matrix. It needs no script.
var matrixPage = template.Must(template.New("matrix").Parse(pagePart("matrix.html")))

// matrixView is what the page shows.
type matrixView struct {
	*Matrix
	Style    template.CSS
	Overview []matrixRow // a row for each single change, a column for each base
	Squares  []matrixSquare
	Lists    []matrixList
}

// matrixRow is a row of cells; one without a check is nil.
type matrixRow struct {
	Name  string
	Cells []*MatrixCell
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
	Cells []*MatrixCell
}

// Class is the style of an outcome.
func (o *Outcome) Class() string {
	switch o.Verdict {
	case Holds:
		return "good"
	case Violated:
		return "bad"
	}
	return "warn"
}

// Size is the number of states, for people.
func (o *Outcome) Size() string { return Count(o.Distinct) + " states" }

// Hint is a cell in one line.
func (c *MatrixCell) Hint() string {
	out := c.Name() + ": " + c.What()
	if n := c.Steps(); n != "" {
		out += " after " + n + " steps"
	}
	return out + ", " + c.Size() + ", " + c.Time()
}

// Differs reports whether a cell has another verdict than its base's own.
func (l *matrixList) Differs(c *MatrixCell) bool { return !c.same(&l.Cells[0].Outcome) }

// WriteHTML writes the matrix as one HTML file that needs no other file and no network.
func (m *Matrix) WriteHTML(out io.Writer) error {
	view := matrixView{Matrix: m, Style: template.CSS(pagePart("page.css"))}
	for _, name := range append([]string{ownRules}, m.changes()...) {
		row := matrixRow{Name: name}
		for b := range m.Bases {
			row.Cells = append(row.Cells, m.find(b, name))
		}
		view.Overview = append(view.Overview, row)
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
func (m *Matrix) find(base int, name string) *MatrixCell {
	for i := range m.Cells {
		if c := &m.Cells[i]; c.Base == base && c.Name() == name {
			return c
		}
	}
	return nil
}

// square has the pairs of a base, or is nil if there are none.
func (m *Matrix) square(base int) *matrixSquare {
	byName := map[string]*MatrixCell{}
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
				row.Cells = append(row.Cells, byName[a])
			case i < j:
				row.Cells = append(row.Cells, byName[a+", "+b])
			default:
				row.Cells = append(row.Cells, byName[b+", "+a])
			}
		}
		s.Rows = append(s.Rows, row)
	}
	return s
}
