package results

import (
	"fmt"
	"html/template"
	"io"
)

// mendPageTemplate is the page of an answer of mend. It needs no script.
var mendPageTemplate = tablePage("mend.html")

// mendView is what the page shows.
type mendView struct {
	*Mend
	Style template.CSS
	Class string
	Sets  []mendCard
	Idle  []MendSet // that do not count
}

// mendCard is a set that is enough.
type mendCard struct {
	*MendSet
	Rest []mendRest
}

// mendRest is what remains of a set without one of its changes.
type mendRest struct{ Change, Fate, Command string }

// WriteHTML writes the answer as one HTML file that needs no other file and no network.
func (m *Mend) WriteHTML(out io.Writer) error {
	view := mendView{Mend: m, Style: tableStyle(), Class: "warn", Idle: append(append([]MendSet(nil), m.Vacuous...), m.Undecided...)}
	switch m.Verdict() {
	case Mended, NothingToMend:
		view.Class = "good"
	case NotMended, Failed:
		view.Class = "bad"
	}
	for i := range m.Sets {
		card := mendCard{MendSet: &m.Sets[i]}
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
