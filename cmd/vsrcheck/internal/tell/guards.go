package tell

import (
	"fmt"
	"strings"

	"vsrcheck/cmd/vsrcheck/internal/job"
)

// guardLines prints which guards never refused a message, although there were messages
// that it could have refused: the bounds are too small for what it is there for, or the
// model is wrong.
func (p *Page) guardLines(o *job.Outcome) {
	if o.Guards == nil {
		if o.NotLooked != "" {
			p.Item("guards", o.NotLooked)
		}
		return
	}
	refused, absent := 0, 0
	var actions []string
	never := map[string][]string{}
	for _, g := range o.Guards {
		switch {
		case g.Refused:
			refused++
		case !g.Delivered:
			absent++
		default:
			if never[g.Action] == nil {
				actions = append(actions, g.Action)
			}
			never[g.Action] = append(never[g.Action], g.Reason)
		}
	}
	text := fmt.Sprintf("%d of %d refused a message", refused, len(o.Guards))
	if absent > 0 {
		text += fmt.Sprintf("; for %d there was none", absent)
	}
	p.Item("guards", text)
	for i, action := range actions {
		label := ""
		if i == 0 {
			label = "no refusal"
		}
		p.Item(label, action+": "+strings.Join(never[action], "; "))
	}
}
