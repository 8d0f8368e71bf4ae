package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/term"

	"vsrcheck/cmd/vsrcheck/internal/behaviour"
	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/cmd/vsrcheck/internal/tell"
	"vsrcheck/explore"
	"vsrcheck/model"
	"vsrcheck/results"
	"vsrcheck/results/trace"
	"vsrcheck/specs"
)

func stepCommand() command {
	return command{
		name: "step", usage: "NAME|PATH.cfg [OPTIONS]",
		summary: "walk through a specification by hand",
		about: []string{
			"The commands are read from standard input, one a line; help lists them. At a terminal the arrow keys bring earlier ones back. " +
				"What is not a terminal is a script: a command that makes no sense ends it, with its line and exit code 64.",
		},
		examples: []string{
			"vsrcheck step fetch-to-op-old",
			"vsrcheck step fetch-to-op-old --actions results/runs/fetch-to-op-old.json",
			"vsrcheck check tiny-fetch-to-op-old > out.txt; vsrcheck step tiny-fetch-to-op-old --actions out.txt",
			"echo 'Request(replica 0)' | vsrcheck step fetch-to-op-old",
		},
		groups: func() (any, []optionGroup) {
			o, groups := newStepOptions()
			return o, groups
		},
		completes: specNames,
		run:       runStep,
	}
}

// stepOptions is what the command line of step can say.
type stepOptions struct {
	job.Request
	printOptions
	actions string
}

func newStepOptions() (*stepOptions, []optionGroup) {
	o := &stepOptions{}
	var groups optionGroups
	groups.request(&o.Request)
	f := groups.add("Walk")
	f.StringVar(&o.actions, "actions", "", "take the actions in `FILE` first: a trace in the format json or itf, a record, "+
		"what check, simulate, replay or the command trace of step printed, or a list, one a line")
	declareSends(f, &o.Reduce)
	o.printOptions.add(groups.add("Output"))
	return o, groups
}

func runStep(ctx context.Context, c *call) (int, error) {
	o := c.options.(*stepOptions)
	c.stdinFor = "the commands of step"
	j, err := c.job(&o.Request)
	if err != nil {
		return 0, err
	}
	s := newStepper(j, o.page(c), o.states())
	if c.flags.Changed("actions") {
		if o.actions == stdio {
			_, err := c.takeStdin("--actions")
			return 0, err
		}
		if err := s.takeAll(o.actions); err != nil {
			return 0, err
		}
	}
	s.Page.Echo(j, "by hand")
	if n := len(s.walk) - 1; n > 0 {
		s.Printf("%s from %s\n", results.Plural(n, "step"), specs.Printable(o.actions))
	}
	if j.StartsOutside() {
		s.Item("", "the initial state is outside the constraint: a check visits no state, and decides nothing")
	}
	s.enabled()
	return s.listen(ctx, c.stdin, c.stdout)
}

// takeAll takes the actions of a file.
func (s *stepper) takeAll(path string) error {
	variables, err := behaviour.Variables()
	if err != nil {
		return err
	}
	actions, err := trace.ReadActionsFile(path, variables)
	if err != nil {
		return err
	}
	for _, a := range actions {
		if err := s.takeText(a.Text); err != nil {
			return fmt.Errorf("%w: %s: %s", trace.ErrTrace, a.Place, err) // whatever is wrong, the file is
		}
	}
	return nil
}

// stepper is a walk by hand.
type stepper struct {
	*job.Job
	*tell.Page
	states  trace.States
	walk    []explore.Step[model.State] // from the initial state to where we are
	choices []possible                  // the steps from there
}

// possible is a step that changes the state.
type possible struct {
	explore.Step[model.State]
	text string
	fair bool
}

func newStepper(j *job.Job, p *tell.Page, states trace.States) *stepper {
	s := &stepper{Job: j, Page: p, states: states, walk: j.Start()}
	s.expand()
	return s
}

// here is the state that the walk has come to.
func (s *stepper) here() *model.State { return &s.walk[len(s.walk)-1].State }

// expand lists the steps from here, replica by replica.
func (s *stepper) expand() {
	s.choices = nil
	var t model.State
	before := s.Model.Kept(s.here())
	s.Model.Next(s.here(), &t, func(a uint32) {
		after := s.Model.Kept(&t) // as a check would have it
		if after != before {
			s.choices = append(s.choices, possible{explore.Step[model.State]{Action: a, State: after}, s.Model.ActionString(a), s.Model.Fair(a)})
		}
	})
	slices.SortStableFunc(s.choices, func(a, b possible) int { return s.Model.Actor(a.Action) - s.Model.Actor(b.Action) })
}

// listen obeys the commands of standard input. At a terminal a wrong one is explained;
// elsewhere nobody would read that, so it ends the walk.
func (s *stepper) listen(ctx context.Context, in io.Reader, out io.Writer) (int, error) {
	file, isFile := in.(*os.File)
	terminal := isFile && term.IsTerminal(int(file.Fd()))
	source, edited, done := tell.LinesOf(in, out)
	defer done()
	more := make(chan struct{})
	defer close(more)
	lines := readLines(source, more)
	for n := 1; ; n++ {
		if terminal && !edited {
			s.Printf("> ")
		}
		more <- struct{}{}
		var line inputLine
		select {
		case <-ctx.Done():
			return exitInterrupted, nil
		case line = <-lines:
		}
		if line.err == tell.ErrCtrlC {
			return exitInterrupted, nil
		}
		if line.err == io.EOF {
			if terminal {
				s.Printf("\n")
			}
			return exitHolds, nil
		}
		if line.err != nil {
			return 0, job.Wrongf("standard input, line %d: %s", n, line.err)
		}
		text := strings.TrimSpace(line.text)
		if !terminal && text != "" {
			s.Printf("\n> %s\n", text)
		}
		quit, err := s.obey(text, terminal)
		switch {
		case err != nil && terminal:
			s.Printf("%s\n", err)
		case err != nil:
			return 0, job.Wrongf("standard input, line %d: %s", n, err)
		case quit:
			return exitHolds, nil
		}
	}
}

type inputLine struct {
	text string
	err  error // io.EOF at the end
}

// readLines reads in the background, as a read from a terminal cannot be interrupted: a line
// whenever there is to be one more.
func readLines(source tell.LineSource, more <-chan struct{}) <-chan inputLine {
	out := make(chan inputLine, 1)
	go func() {
		for range more {
			text, err := source.Next()
			out <- inputLine{text, err}
		}
	}()
	return out
}

// stepCommands are the commands of a walk by hand, each with what it does.
var stepCommands = [][2]string{
	{"N", "take step N of the list"},
	{"ACTION", "take a step by its text, as it is printed"},
	{"back [N]", "undo the last step, or the last N; so does undo [N]"},
	{"enabled", "list the steps that change the state; * = not fair: may happen, but need not"},
	{"state", "show the state"},
	{"props", "show which properties are false here, and whether anything has to happen"},
	{"trace", "show the walk so far, as check shows a trace"},
	{"help", "show this list"},
	{"quit", "end; so does the end of the input"},
}

// obey does what a line of the input says. A comment begins with #.
func (s *stepper) obey(text string, terminal bool) (quit bool, err error) {
	fields := strings.Fields(text)
	if len(fields) == 0 || fields[0][0] == '#' {
		return false, nil
	}
	if strings.ContainsRune(text, '(') {
		return false, s.takeAndShow(terminal, func() error { return s.takeText(text) })
	}
	if n, err := strconv.Atoi(fields[0]); err == nil && len(fields) == 1 {
		return false, s.takeAndShow(terminal, func() error { return s.takeNumber(n) })
	}
	word, rest := fields[0], fields[1:]
	if word == "back" || word == "undo" {
		return false, s.back(rest, terminal)
	}
	var known []string
	for _, c := range stepCommands[2:] {
		known = append(known, strings.Fields(c[0])[0])
	}
	known = append(known, "undo")
	switch {
	case !slices.Contains(known, word):
		return false, job.Wrongf("got %q, want the number or the text of an enabled step, or one of %s%s", text, strings.Join(known, ", "), job.DidYouMean(word, known, ""))
	case len(rest) > 0:
		return false, job.Wrongf("got %q, want %s alone", text, word)
	}
	switch word {
	case "enabled":
		s.enabled()
	case "state":
		s.Printf("%s\n", strings.TrimRight(s.Model.Table(s.here()), "\n"))
	case "props":
		s.props()
	case "trace":
		return false, s.trace()
	case "help":
		for _, c := range stepCommands {
			s.Printf("  %-9s %s\n", c[0], c[1])
		}
	}
	return word == "quit", nil
}

// takeNumber takes a step of the list.
func (s *stepper) takeNumber(n int) error {
	if n < 1 || n > len(s.choices) {
		return job.Wrongf("got step %d, want 1..%d, see enabled", n, len(s.choices))
	}
	s.take(s.choices[n-1])
	return nil
}

// takeText takes a step by its text. When it cannot be taken, the error says why, and
// what of its kind can.
func (s *stepper) takeText(text string) error {
	a, err := behaviour.ParseAction(s.Model, strings.Join(strings.Fields(text), " "))
	if err != nil {
		return err
	}
	var others []string
	for _, c := range s.choices {
		if c.Action == a {
			s.take(c)
			return nil
		}
		if s.Model.Kind(c.Action) == s.Model.Kind(a) {
			others = append(others, c.text)
		}
	}
	_, why := s.Model.Try(s.here(), a)
	if why == "" {
		why = "it changes nothing that anybody reads"
	}
	wrong := fmt.Sprintf("got %s, which is not possible after step %d: %s", s.Model.ActionString(a), len(s.walk)-1, why)
	switch {
	case len(others) == 0:
		return job.Wrongf("%s; want another kind: no %s is", wrong, model.AllKinds()[s.Model.Kind(a)])
	case len(others) > 3:
		return job.Wrongf("%s; want one of the %d of its kind that are, such as %s", wrong, len(others), others[0])
	}
	return job.Wrongf("%s; want one that is: %s", wrong, strings.Join(others, " or "))
}

func (s *stepper) take(c possible) {
	s.walk = append(s.walk, c.Step)
	s.expand()
}

// takeAndShow takes a step and shows what it changed.
func (s *stepper) takeAndShow(terminal bool, take func() error) error {
	if err := take(); err != nil {
		return err
	}
	n := len(s.walk) - 1
	before, a := &s.walk[n-1].State, s.walk[n].Action
	told := behaviour.Tell(s.Model, before, a, s.here())
	s.lines(fmt.Sprintf("%3d  ", n), told.Action)
	for _, change := range slices.Concat(told.Notes, told.Changes) {
		s.lines("       ", change)
	}
	s.alarms()
	if terminal {
		s.enabled()
	}
	return nil
}

// lines prints a text, broken to the width.
func (s *stepper) lines(indent, text string) {
	for _, line := range trace.Wrap(indent, strings.Repeat(" ", len(indent)+4), text, s.Width) {
		s.Printf("%s\n", line)
	}
}

// back undoes steps.
func (s *stepper) back(args []string, terminal bool) error {
	n := 1
	if len(args) > 0 {
		var err error
		if n, err = strconv.Atoi(args[0]); err != nil || len(args) > 1 {
			return job.Wrongf("got back %s, want back and a number of steps, or nothing for one", strings.Join(args, " "))
		}
	}
	if n < 1 || n >= len(s.walk) {
		return job.Wrongf("got back %d after %s, want at least 1 and at most those", n, results.Plural(len(s.walk)-1, "step"))
	}
	s.walk = s.walk[:len(s.walk)-n]
	s.expand()
	s.Printf("after step %d again\n", len(s.walk)-1)
	if terminal {
		s.enabled()
	}
	return nil
}

// enabled lists the steps from here.
func (s *stepper) enabled() {
	if len(s.choices) == 0 {
		s.Printf("nothing changes this state\n")
	}
	actor := -1
	for i, c := range s.choices {
		if r := s.Model.Actor(c.Action); r != actor {
			actor = r
			s.Printf("%s\n", s.Paint(tell.StyleBold, fmt.Sprintf("replica %d", r)))
		}
		mark := " "
		if !c.fair {
			mark = "*"
		}
		s.lines(fmt.Sprintf("%4d%s ", i+1, mark), c.text)
	}
}

// trace shows the walk as check shows a violation.
func (s *stepper) trace() error {
	t := &trace.Trace{Property: "this walk", Kind: "by hand", LoopStart: -1}
	behaviour.Fill(s.Job, t, s.walk)
	f := s.findings()
	if t.Forever = f.quiescent; len(f.stuck) > 0 {
		t.Explanation = s.Model.Explain(s.here())
	}
	return s.Show(t, s.states)
}

// findings are what the properties say of the place that a walk has come to.
type findings struct {
	states, steps []string // properties that the state, and the last step, violate
	waiting       []string // liveness properties with something outstanding
	stuck         []string // of these, violated: nothing that has to happen changes the state
	met           []string // what is to be reachable and is so here
	quiescent     bool
	outside       bool // of the constraint
}

func (s *stepper) findings() (f findings) {
	here, b := s.here(), s.Bound
	f.states = b.FalseIn(here)
	if n := len(s.walk); n > 1 {
		f.steps = b.FalseFor(&s.walk[n-2].State, s.walk[n-1].Action, here)
	}
	f.quiescent = !slices.ContainsFunc(s.choices, func(c possible) bool { return c.fair })
	f.waiting = b.OutstandingIn(here)
	if f.quiescent {
		f.stuck = f.waiting
	}
	for _, p := range b.Reachable {
		if p.Is(here) {
			f.met = append(f.met, p.Name)
		}
	}
	f.outside = b.Outside(here)
	return f
}

// alarms says in a line each what is violated here.
func (s *stepper) alarms() {
	f := s.findings()
	alarm := func(what string, names []string) {
		if len(names) > 0 {
			s.lines("     ", s.Paint(tell.StyleBad, what)+" "+strings.Join(names, ", "))
		}
	}
	alarm("this state violates", f.states)
	alarm("this step violates", f.steps)
	alarm("nothing that has to happen changes this state, which violates", f.stuck)
	if f.outside {
		s.lines("     ", "outside the constraint "+strings.Join(s.Constraints, " and ")+": a check does not go on from here")
	}
}

// props says what the properties say of this place, and why if it is a dead end.
func (s *stepper) props() {
	f := s.findings()
	list := func(names []string) string {
		if len(names) == 0 {
			return "none"
		}
		return strings.Join(names, ", ")
	}
	s.Item("false here", list(f.states))
	s.Item("last step", "violates "+list(f.steps))
	s.Item("outstanding", list(f.waiting))
	if f.quiescent {
		s.Item("quiescent", "yes: no fair step changes this state, so what is outstanding stays so; violated: "+list(f.stuck))
	} else {
		s.Item("quiescent", "no: a fair step changes this state")
	}
	s.Item("met here", list(f.met))
	if len(s.Constraints) > 0 {
		where := "inside"
		if f.outside {
			where = "outside, a check does not go on from here"
		}
		s.Item("constraint", strings.Join(s.Constraints, " and ")+": "+where)
	}
	if len(f.stuck) > 0 {
		s.Printf("\n%s\n", strings.TrimRight(s.Model.Explain(s.here()), "\n"))
	}
}
