package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/cmd/vsrcheck/internal/search"
	"vsrcheck/cmd/vsrcheck/internal/tell"
	"vsrcheck/results"
	"vsrcheck/results/matrix"
	"vsrcheck/results/mend"
)

// mendOptions is what the command line of mend can say.
type mendOptions struct {
	cellOptions
	rules      []string
	maxChanges int
	all        bool
}

// defaultMaxChanges is the number of rules that a set changes at most, if nobody says.
const defaultMaxChanges = 6

func mendCommand() command {
	return command{
		name: "mend", usage: "NAME|PATH.cfg [OPTIONS]",
		summary: "find the smallest sets of rule changes under which a violated specification holds",
		about: []string{
			"A change is another alternative of a rule: by default each that list rules calls sound, as the others are defects and no fixes. Sets of one change come first, then of two, up to --max-changes; the first number at which a set is enough ends the search. " +
				"A set is enough if everything holds in every size of --sizes, each searched to its end, and no property is vacuous. " +
				"It is refuted by a counterexample in one size: its own, or one of another set whose steps are possible under it, too, and violate the same property at their end. " +
				"As every smaller set is refuted, every change of a set that is enough decides something; the output has what breaks without it, and the commands that repeat each check.",
			"Small checks run side by side, each with one worker; one that turns out to be larger is run again by itself, with all workers. All but the times is the same on every run and for every number of workers. " +
				"With --resume FILE finished checks are kept as matrix keeps its cells, and in the same file if you like.",
			"The exit code is 0 when sets were found and every smaller one is refuted, or when the specification holds as it is; 20 when a limit ended a check on which that depends; 70 when the model failed in one. " +
				"When no set up to --max-changes is enough it is that of a check of the specification: 11, 12 or 13. Interrupted, it is 130, and no file is written but that of finished checks.",
		},
		examples: []string{
			"vsrcheck mend fetch-to-op-old-small",
			"vsrcheck mend as-reported-tiny --html mend.html",
			"vsrcheck mend as-shipped-small --sizes 'ops=1; ops=2 view_max=1 stops=0' --resume cells.jsonl",
			"vsrcheck mend my.cfg --rules fetch_to_op,gap_check=journal --max-changes 2 --all",
		},
		groups:    newMendOptions,
		completes: specNames,
		run:       runMend,
	}
}

func newMendOptions() (any, []optionGroup) {
	o := &mendOptions{cellOptions: newCellOptions()}
	var groups optionGroups
	f := groups.add("Changes")
	f.StringSliceVar(&o.rules, "rules", nil, "the changes to choose from: `NAME` for all other alternatives of a rule, NAME=ALTERNATIVE for one, all for those of all rules (default: the sound ones of all rules)")
	f.IntVar(&o.maxChanges, "max-changes", defaultMaxChanges, "sets of at most `N` changes")
	f.BoolVar(&o.all, "all", false, "also larger sets, up to --max-changes, of which no part is enough")
	f.StringArrayVar(&o.sizes, "sizes", nil, "sizes in which a set has to hold instead of the specification's own: "+job.SizesUsage)
	o.declare(&groups, "check", "the answer")
	return o, groups
}

func (o *mendOptions) validate() error {
	if o.maxChanges < 1 {
		return job.Wrongf("--max-changes: got %d, want at least 1", o.maxChanges)
	}
	return o.cellOptions.validate()
}

func runMend(ctx context.Context, c *call) (int, error) {
	o := c.options.(*mendOptions)
	if err := o.validate(); err != nil {
		return 0, err
	}
	m, err := o.newMender(c)
	if err != nil {
		return 0, err
	}
	files, done, err := o.openFiles(c, m.Runner)
	if err != nil {
		return 0, err
	}
	defer done()

	p := o.page(c)
	p.Echo(m.Bases[0], tell.RunText(&o.Limits, m.Bases[0], o.Limits.Options()))
	if len(m.Shown) > 1 {
		var names []string
		for i := range m.Shown {
			names = append(names, m.Shown[i].Size)
		}
		p.Item("sizes", "in each of "+strings.Join(names, "; ")+" (above is the first)")
	}
	p.Item("changes", choiceText(m))
	p.Printf("\n")
	began := time.Now()
	if err := m.Run(ctx); err != nil {
		return 0, err
	}
	answer := m.Answer(ctx)
	answer.Seconds, answer.CommandLine = time.Since(began).Seconds(), job.ShownLine(c.commandLine)
	defer p.Later()()
	code := report(m, ctx, p, answer)
	if code == exitInterrupted {
		return code, nil
	}
	return code, files.write(answer)
}

// newMender reads what is to be mended, and with what.
func (o *mendOptions) newMender(c *call) (*search.Mender, error) {
	spec, err := c.spec()
	if err != nil {
		return nil, err
	}
	sizes, err := job.ReadSizes(o.sizes)
	if err != nil {
		return nil, err
	}
	m := &search.Mender{Spec: spec, Runner: o.runner(c), MaxChanges: o.maxChanges, All: o.all, Arg: tell.Quoted(c.args[0])}
	for _, name := range []string{"property", "invariant", "check-deadlock", "continue", "reduce"} {
		if f := c.flags.Lookup(name); f.Changed {
			m.Asked = append(m.Asked, "--"+name+"="+tell.Quoted(strings.Trim(f.Value.String(), "[]")))
		}
	}
	for _, s := range sizes {
		j, base, err := m.Base(spec, s)
		if err != nil {
			return nil, err
		}
		m.Bases, m.Shown = append(m.Bases, j), append(m.Shown, base)
	}
	if m.Choices, err = search.Choices(m.Bases[0].Rules, o.rules); err != nil {
		return nil, err
	}
	if len(m.Choices) == 0 {
		return nil, job.Wrongf("mend: got %s, whose rules have no other sound alternative, want --rules for others", spec.Name)
	}
	return m, nil
}

// choiceText lists the changes to choose from.
func choiceText(m *search.Mender) string {
	var names []string
	for _, c := range m.Choices {
		names = append(names, c.String())
	}
	return fmt.Sprintf("%d, of which a set has at most %d: %s", len(names), min(m.MaxChanges, len(names)), strings.Join(names, ", "))
}

// report prints the answer, the verdict last, and returns its exit code.
func report(m *search.Mender, ctx context.Context, p *tell.Page, a *mend.Answer) int {
	if len(m.Own) < len(m.Bases) { // interrupted before there was anything to tell
		p.Verdict(tell.StyleOpen, "INTERRUPTED", m.Spec.Name+": "+m.KeptText())
		return exitInterrupted
	}
	p.Printf("%s", a.Text())
	code, word, style := exitInconclusive, "INCONCLUSIVE", tell.StyleOpen
	switch a.Verdict() {
	case mend.Mended:
		code, word, style = exitHolds, "MENDED", tell.StyleGood
	case mend.NothingToMend:
		code, word, style = exitHolds, "HOLDS", tell.StyleGood
	case mend.NotMended:
		word, style = "NOT MENDED", tell.StyleBad
		for i := len(a.Own) - 1; i >= 0; i-- {
			if a.Own[i].Verdict == results.Violated {
				code = a.Own[i].ExitCode // of the first size that is violated
			}
		}
	case matrix.Vacuous:
		code, word = exitAssumption, "VACUOUS"
	case matrix.Failed:
		code, word, style = exitInternal, "FAILED", tell.StyleBad
	}
	what := a.What()
	if ctx.Err() != nil {
		code, word, style = exitInterrupted, "INTERRUPTED", tell.StyleOpen
		what += "; " + m.KeptText()
	}
	p.Verdict(style, word, what)
	return code
}
