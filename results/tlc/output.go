// Package tlc holds what TLC, the checker of TLA+, says. A [Run] is its output; a [Crosscheck] is a
// run here and one under TLC that have to agree; a [Speed] is how long both take.
package tlc

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"vsrcheck/results"
)

// Run is what TLC, the model checker of TLA+, says about one run, read from its
// standard output.
type Run struct {
	Verdict string // Holds, Violated, or Inconclusive when it did not come to its end
	// Violated are the properties that the counter-example violates. A safety property
	// comes alone; liveness properties may come together; older versions do not name
	// them.
	Violated []string
	Kind     string // "invariant", "action", "liveness" or "deadlock" when violated

	Distinct  uint64
	Generated uint64 // including the initial states
	Depth     int    // number of levels
	Complete  bool   // nothing was left on the queue

	TraceLength int    // steps of the counter-example, without the stuttering or the way back
	Message     string // of an error that is no violation, in one line
}

// ErrOutput is wrapped by the errors about a text that is no output of TLC.
var ErrOutput = errors.New("no output of TLC")

// Title begins the first line of every output of TLC.
const Title = "TLC2 Version "

var (
	tlcTotalsLine    = regexp.MustCompile(`(?m)^(\d+) states generated, (\d+) distinct states found, (\d+) states left on queue\.$`)
	tlcDepthLine     = regexp.MustCompile(`(?m)^The depth of the complete state graph search is (\d+)\.$`)
	tlcStateLine     = regexp.MustCompile(`(?m)^State (\d+): (Stuttering)?`)
	tlcSuccessLine   = regexp.MustCompile(`(?m)^Model checking completed\. No error has been found\.$`)
	tlcInvariantLine = regexp.MustCompile(`(?m)^Error: Invariant (\w+) is violated(?: by the initial state:|\.)$`)
	tlcActionLine    = regexp.MustCompile(`(?m)^Error: Action property (\w+) is violated\.$`)
	tlcDeadlockLine  = regexp.MustCompile(`(?m)^Error: Deadlock reached\.$`)
	tlcTemporalLine  = regexp.MustCompile(`(?m)^Error: Temporal propert(?:y|ies) ?([\w, ]*?) ?(?:was|were) violated\.$`)
	tlcErrorLine     = regexp.MustCompile(`(?m)^Error: (.*)$`)
	tlcNames         = regexp.MustCompile(`\w+`)
)

// Parse reads the standard output of one run of TLC. Its error wraps ErrOutput.
func Parse(text string) (*Run, error) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if !strings.HasPrefix(text, Title) {
		return nil, fmt.Errorf("%w: got %.40q at the beginning, want %q", ErrOutput, text, Title)
	}
	t := &Run{Verdict: results.Inconclusive}
	if m := last(tlcTotalsLine, text); m != nil {
		var left uint64
		for i, to := range []*uint64{&t.Generated, &t.Distinct, &left} {
			n, err := strconv.ParseUint(m[i+1], 10, 64)
			if err != nil {
				return nil, fmt.Errorf("%w: %w", ErrOutput, err)
			}
			*to = n
		}
		t.Complete = left == 0
	}
	if m := last(tlcDepthLine, text); m != nil {
		n, err := strconv.Atoi(m[1])
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrOutput, err)
		}
		t.Depth = n
	}
	t.readVerdict(text)
	if t.Verdict == results.Holds && (!t.Complete || t.Depth == 0) {
		return nil, fmt.Errorf("%w: it found no error and does not say how many states there are, or left some on its queue", ErrOutput)
	}
	return t, nil
}

// readVerdict looks for the sentence that says how the run ended.
func (t *Run) readVerdict(text string) {
	violated := func(kind string, names ...string) {
		t.Verdict, t.Kind, t.Violated = results.Violated, kind, names
		// States are numbered from 1, and a last one may only say how it goes on.
		for _, m := range tlcStateLine.FindAllStringSubmatch(text, -1) {
			if n, err := strconv.Atoi(m[1]); err == nil && m[2] == "" {
				t.TraceLength = max(t.TraceLength, n-1)
			}
		}
	}
	if m := tlcInvariantLine.FindStringSubmatch(text); m != nil {
		violated("invariant", m[1])
	} else if m := tlcActionLine.FindStringSubmatch(text); m != nil {
		violated("action", m[1])
	} else if tlcDeadlockLine.MatchString(text) {
		violated("deadlock", "Deadlock")
	} else if m := tlcTemporalLine.FindStringSubmatch(text); m != nil {
		violated("liveness", slices.DeleteFunc(tlcNames.FindAllString(m[1], -1), func(name string) bool { return name == "and" })...)
	} else if m := tlcErrorLine.FindStringSubmatch(text); m != nil {
		t.Message = strings.TrimSpace(m[1])
	} else if tlcSuccessLine.MatchString(text) {
		t.Verdict = results.Holds
	}
}

func last(pattern *regexp.Regexp, text string) []string {
	all := pattern.FindAllStringSubmatch(text, -1)
	if len(all) == 0 {
		return nil
	}
	return all[len(all)-1]
}

// tlcMachine are the lines of TLC's output that tell of the machine, of the time or of
// the order in which files were read, and no more.
var tlcMachine = regexp.MustCompile(`^(Parsing file |Semantic processing of |Linting of |Starting\.\.\. |Finished in |Progress\(|` +
	`Running breadth-first search |Trace exploration spec path: |Warning: Please run the Java VM|\(Use the -nowarning option|` +
	`Computing initial states|Finished computing initial states|Checking temporal properties for|Finished checking temporal properties|` +
	`Checkpointing |Picked up |TLC2 Version )`)

// Strip is TLC's output without machine paths, host names, times and what else
// differs from run to run. It parses as the original does.
func Strip(text string) string {
	var out strings.Builder
	out.WriteString(strings.TrimSpace(Title) + " (what names the machine or the time is left out)\n")
	for line := range strings.Lines(strings.ReplaceAll(text, "\r\n", "\n")) {
		if !tlcMachine.MatchString(line) && strings.TrimSpace(line) != "" {
			out.WriteString(line)
		}
	}
	return out.String()
}

// Read reads the output of TLC in a file. Its error wraps ErrOutput when it is none.
func Read(path string) (*Run, error) {
	data, err := results.ReadData(path)
	if err != nil {
		return nil, fmt.Errorf("read output of TLC: %w", err)
	}
	t, err := Parse(string(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}
