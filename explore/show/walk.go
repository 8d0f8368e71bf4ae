package show

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"vsrcheck/explore"
)

const walkHelp = `a number    take that step
back        go back one step
state       show the whole state
trace       show the way here
quit        end`

// Walk lets a user walk through a system by hand: it lists the steps from a state, and reads
// from in which one to take, until there is nothing left to read. Properties are not looked
// at. Whoever needs more than these commands builds it from [Initial], [Next] and [Trace].
func Walk[S any](sys explore.System[S], in io.Reader, out io.Writer) error {
	w := &walk[S]{sys: sys, out: bufio.NewWriter(out)}
	for _, s := range Initial(sys) {
		w.choices = append(w.choices, explore.Step[S]{State: s})
	}
	if len(w.choices) == 1 {
		w.take(0)
	}
	w.list()
	for lines := bufio.NewScanner(in); ; {
		fmt.Fprint(w.out, "> ")
		if err := w.out.Flush(); err != nil {
			return err
		}
		if !lines.Scan() {
			return lines.Err()
		}
		if quit := w.obey(strings.TrimSpace(lines.Text())); quit {
			return w.out.Flush()
		}
	}
}

// walk is a walk by hand.
type walk[S any] struct {
	sys     explore.System[S]
	out     *bufio.Writer
	steps   []explore.Step[S] // from an initial state to where the walk is; none before it begins
	choices []explore.Step[S]
}

func (w *walk[S]) here() *S { return &w.steps[len(w.steps)-1].State }

func (w *walk[S]) take(i int) {
	w.steps = append(w.steps, w.choices[i])
	w.choices = Next(w.sys, w.here())
}

func (w *walk[S]) back() {
	w.steps = w.steps[:len(w.steps)-1]
	w.choices = Next(w.sys, w.here())
}

// list shows where the walk can go.
func (w *walk[S]) list() {
	switch {
	case len(w.steps) == 0 && len(w.choices) == 0:
		fmt.Fprintln(w.out, "there is no initial state")
	case len(w.steps) == 0:
		for i := range w.choices {
			fmt.Fprintf(w.out, "%2d  %s\n", i+1, State(w.sys, &w.choices[i].State))
		}
	default:
		fmt.Fprintf(w.out, "after %d steps: %s\n", len(w.steps)-1, State(w.sys, w.here()))
		for i := range w.choices {
			c := &w.choices[i]
			fmt.Fprintf(w.out, "%2d  %s: %s\n", i+1, Action(w.sys, c.Action), Change(w.sys, w.here(), &c.State))
		}
		if len(w.choices) == 0 {
			fmt.Fprintln(w.out, "no step changes this state")
		}
	}
}

// obey does what a line says, and reports whether that was to end.
func (w *walk[S]) obey(line string) (quit bool) {
	n, err := strconv.Atoi(line)
	switch {
	case line == "":
	case err == nil && n >= 1 && n <= len(w.choices):
		w.take(n - 1)
		w.list()
	case err == nil:
		fmt.Fprintf(w.out, "got step %d, want 1..%d\n", n, len(w.choices))
	case line == "quit":
		return true
	case line == "state" && len(w.steps) > 0:
		fmt.Fprintln(w.out, State(w.sys, w.here()))
	case line == "trace":
		trace(w.out, w.sys, w.steps, -1)
	case line == "back" && len(w.steps) > 1:
		w.back()
		w.list()
	case line == "back":
		fmt.Fprintln(w.out, "this is where the walk begins")
	default:
		fmt.Fprintln(w.out, walkHelp)
	}
	return false
}
