package main

import (
	"context"
	"fmt"

	"vsrcheck/cmd/vsrcheck/internal/tell"
	"vsrcheck/results"
)

// answer is what was found.
func (m *mender) answer(ctx context.Context) *results.Mend {
	out := m.got
	out.Schema, out.Bases, out.Own, out.MaxChanges, out.All, out.Build = results.MendSchema, m.shown, m.own, m.maxChanges, m.all, results.ReadBuild()
	for _, c := range m.choices {
		out.Changes = append(out.Changes, results.Setting{Name: c.rule.Name, Value: c.alternative, Instead: c.rule.Get(m.bases[0].Rules)})
	}
	out.Levels, out.Sets = append([]results.MendLevel{}, out.Levels...), append([]results.MendSet{}, out.Sets...)
	out.Counterexamples = []results.Counterexample{}
	for _, c := range m.pool {
		if len(c.Refutes) > 0 {
			out.Counterexamples = append(out.Counterexamples, c.Counterexample)
		}
	}
	switch n := len(out.Undecided); {
	case ctx.Err() != nil:
		out.Incomplete = "interrupted"
	case n > 0:
		out.Incomplete = fmt.Sprintf("%s undecided, so that a smaller one may be enough, or another", results.Plural(n, "set"))
	}
	return &out
}

// report prints the answer, the verdict last, and returns its exit code.
func (m *mender) report(ctx context.Context, p *tell.Page, a *results.Mend) int {
	if len(m.own) < len(m.bases) { // interrupted before there was anything to tell
		p.Verdict(tell.StyleOpen, "INTERRUPTED", m.spec.Name+": "+m.keptText())
		return exitInterrupted
	}
	p.Printf("%s", a.Text())
	code, word, style := exitInconclusive, "INCONCLUSIVE", tell.StyleOpen
	switch a.Verdict() {
	case results.Mended:
		code, word, style = exitHolds, "MENDED", tell.StyleGood
	case results.NothingToMend:
		code, word, style = exitHolds, "HOLDS", tell.StyleGood
	case results.NotMended:
		word, style = "NOT MENDED", tell.StyleBad
		for i := len(a.Own) - 1; i >= 0; i-- {
			if a.Own[i].Verdict == results.Violated {
				code = a.Own[i].ExitCode // of the first size that is violated
			}
		}
	case results.Vacuous:
		code, word = exitAssumption, "VACUOUS"
	case results.Failed:
		code, word, style = exitInternal, "FAILED", tell.StyleBad
	}
	what := a.What()
	if ctx.Err() != nil {
		code, word, style = exitInterrupted, "INTERRUPTED", tell.StyleOpen
		what += "; " + m.keptText()
	}
	p.Verdict(style, word, what)
	return code
}
