package main

import (
	"context"
	"fmt"

	"vsrcheck/results"
	"vsrcheck/results/matrix"
	"vsrcheck/results/mend"
)

// answer is what was found.
func (m *mender) answer(ctx context.Context) *mend.Answer {
	out := m.got
	out.Schema, out.Bases, out.Own, out.MaxChanges, out.All, out.Build = mend.Schema, m.shown, m.own, m.maxChanges, m.all, results.ReadBuild()
	for _, c := range m.choices {
		out.Changes = append(out.Changes, results.Setting{Name: c.rule.Name, Value: c.alternative, Instead: c.rule.Get(m.bases[0].Rules)})
	}
	out.Levels, out.Sets = append([]mend.Level{}, out.Levels...), append([]mend.Set{}, out.Sets...)
	out.Counterexamples = []mend.Counterexample{}
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
func (m *mender) report(ctx context.Context, p *page, a *mend.Answer) int {
	if len(m.own) < len(m.bases) { // interrupted before there was anything to tell
		p.verdict(styleOpen, "INTERRUPTED", m.spec.Name+": "+m.keptText())
		return exitInterrupted
	}
	p.printf("%s", a.Text())
	code, word, style := exitInconclusive, "INCONCLUSIVE", styleOpen
	switch a.Verdict() {
	case mend.Mended:
		code, word, style = exitHolds, "MENDED", styleGood
	case mend.NothingToMend:
		code, word, style = exitHolds, "HOLDS", styleGood
	case mend.NotMended:
		word, style = "NOT MENDED", styleBad
		for i := len(a.Own) - 1; i >= 0; i-- {
			if a.Own[i].Verdict == results.Violated {
				code = a.Own[i].ExitCode // of the first size that is violated
			}
		}
	case matrix.Vacuous:
		code, word = exitAssumption, "VACUOUS"
	case matrix.Failed:
		code, word, style = exitInternal, "FAILED", styleBad
	}
	what := a.What()
	if ctx.Err() != nil {
		code, word, style = exitInterrupted, "INTERRUPTED", styleOpen
		what += "; " + m.keptText()
	}
	p.verdict(style, word, what)
	return code
}
