package mend

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"

	"vsrcheck/results/matrix"
	"vsrcheck/results/picture"
)

// mendPageTemplate is the page of an answer of mend. It needs no script.
//
//go:embed page.html
var pageText string

var mendPageTemplate = picture.TablePage("mend.html", pageText)

// mendView is what the page shows.
type mendView struct {
	*Answer
	Style template.CSS
	Class string
	Sets  []mendCard
	Idle  []Set // that do not count
}

// mendCard is a set that is enough.
type mendCard struct {
	*Set
	Rest []mendRest
}

// mendRest is what remains of a set without one of its changes.
type mendRest struct{ Change, Fate, Command string }

// WriteHTML writes the answer as one HTML file that needs no other file and no network.
func (m *Answer) WriteHTML(out io.Writer) error {
	view := mendView{Answer: m, Style: picture.TableStyle(), Class: "warn", Idle: append(append([]Set(nil), m.Vacuous...), m.Undecided...)}
	switch m.Verdict() {
	case Mended, NothingToMend:
		view.Class = "good"
	case NotMended, matrix.Failed:
		view.Class = "bad"
	}
	for i := range m.Sets {
		card := mendCard{Set: &m.Sets[i]}
		for k, c := range m.Sets[i].Changed {
			fate, command := m.Fate(m.Sets[i].Without(k))
			card.Rest = append(card.Rest, mendRest{c.Name + "=" + c.Value, fate, command})
		}
		view.Sets = append(view.Sets, card)
	}
	if err := mendPageTemplate.Execute(out, view); err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	return nil
}
