package tlc

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"vsrcheck/results"
)

// Crosscheck is one run by this checker and by TLC, of the same specification under the
// same constants, rules and properties.
type Crosscheck struct {
	Name   string // of its files, without the folder and the endings
	Record *results.Record
	TLC    *Run
}

// The endings of the two files of a cross-check.
const (
	CrosscheckRecord = ".json"
	CrosscheckTLC    = ".tlc.txt"
)

// CrosscheckTable is the name of the file with the table, beside the cross-checks.
const CrosscheckTable = "README.md"

// ReadCrosschecks reads the cross-checks in a folder, in the order of their names. A
// record without an output of TLC, or the other way round, is an error.
func ReadCrosschecks(dir string) ([]Crosscheck, error) {
	records, err := results.ReadAll(dir)
	if err != nil {
		return nil, err
	}
	outputs := results.FilesWith(dir, CrosscheckTLC)
	var all []Crosscheck
	for _, r := range records {
		c := Crosscheck{Name: strings.TrimSuffix(r.File, CrosscheckRecord), Record: r.Record}
		path := filepath.Join(dir, c.Name+CrosscheckTLC)
		if c.TLC, err = Read(path); err != nil {
			return nil, err
		}
		outputs = slices.DeleteFunc(outputs, func(p string) bool { return p == path })
		all = append(all, c)
	}
	if len(outputs) > 0 {
		return nil, fmt.Errorf("read cross-checks: %s has no record beside it: %w", outputs[0], fs.ErrNotExist)
	}
	return all, nil
}

// Differences says, one line each, where the two runs do not agree. When both find that
// everything holds, the whole state space was searched, and the numbers of distinct and
// generated states and the depth have to be equal. A violation ends a search wherever it
// is, so then the violated property has to be the same, and for a safety property the
// length of the trace, which both promise to be the shortest. How long a lasso of a
// liveness property is, TLC does not promise.
func (c *Crosscheck) Differences() []string {
	r, t := c.Record, c.TLC
	var out []string
	differ := func(what string, ours, theirs any) {
		out = append(out, fmt.Sprintf("%s: ours %v, TLC %v", what, ours, theirs))
	}
	if r.Verdict == results.Inconclusive || t.Verdict == results.Inconclusive || r.Verdict != t.Verdict {
		differ("verdict", c.ours(), c.theirs())
		return out
	}
	if r.Verdict == results.Violated {
		// TLC's counter-example to a liveness property may violate several.
		same := len(t.Violated) == 0 && t.Kind == r.Violations[0].Kind
		for _, v := range r.Violations {
			same = same || slices.Contains(t.Violated, v.Property) && t.Kind == v.Kind && (v.Kind == "liveness" || v.Property == r.Violated)
		}
		if !same {
			differ("violated", c.ours(), c.theirs())
		}
		if t.Kind != "liveness" && r.TraceLength != t.TraceLength {
			differ("steps of the trace", r.TraceLength, t.TraceLength)
		}
		return out
	}
	if r.Distinct != t.Distinct {
		differ("distinct states", r.Distinct, t.Distinct)
	}
	if r.Generated != t.Generated {
		differ("generated states", r.Generated, t.Generated)
	}
	if r.Depth != t.Depth {
		differ("depth", r.Depth, t.Depth)
	}
	return out
}

// ours is the verdict of the record in words.
func (c *Crosscheck) ours() string {
	switch r := c.Record; r.Verdict {
	case results.Violated:
		return fmt.Sprintf("%s violated after %s", r.Violated, results.Plural(r.TraceLength, "step"))
	case results.Inconclusive:
		return "inconclusive: " + r.Reason
	}
	return results.Holds
}

// theirs is TLC's verdict in words.
func (c *Crosscheck) theirs() string {
	switch t := c.TLC; t.Verdict {
	case results.Violated:
		what := strings.Join(t.Violated, " and ")
		if what == "" {
			what = "a " + t.Kind + " property"
		}
		return fmt.Sprintf("%s violated after %s", what, results.Plural(t.TraceLength, "step"))
	case results.Inconclusive:
		if t.Message != "" {
			return "inconclusive: " + t.Message
		}
		return "inconclusive: it did not come to its end"
	}
	return results.Holds
}

// checked says which properties were checked.
func (c *Crosscheck) checked() string {
	kinds := map[string]bool{}
	for _, p := range c.Record.Properties {
		kinds[p.Kind] = true
	}
	switch {
	case kinds["liveness"]:
		return "all"
	case len(kinds) > 0:
		return "safety"
	}
	return "none"
}

// CrosscheckRows is the table of cross-checks in Markdown. A count or a verdict on which
// the two do not agree is written as ours, a slash, and TLC's.
func CrosscheckRows(all []Crosscheck) string {
	var out strings.Builder
	out.WriteString("| run | properties | verdict | distinct states | generated | depth | |\n|---|---|---|--:|--:|--:|---|\n")
	for i := range all {
		c := &all[i]
		r, t := c.Record, c.TLC
		name := crossName(r)
		distinct, generated, depth := "", "", ""
		if r.Verdict == results.Holds && t.Verdict == results.Holds {
			distinct, generated = both(results.Count(r.Distinct), results.Count(t.Distinct)), both(results.Count(r.Generated), results.Count(t.Generated))
			depth = both(fmt.Sprint(r.Depth), fmt.Sprint(t.Depth))
		}
		mark, verdict := "equal", c.verdict()
		if len(c.Differences()) > 0 {
			mark = "**differs**"
		} else if c.checked() == "none" {
			verdict = ""
		}
		fmt.Fprintf(&out, "| [%s](%s) | %s | %s | %s | %s | %s | %s |\n", results.TableCell(name), c.Name+CrosscheckTLC, c.checked(), results.TableCell(verdict), distinct, generated, depth, mark)
	}
	return out.String()
}

// reductionRaw is the reduction of a run from which nothing is removed, dead messages included.
const reductionRaw = "raw"

// crossName names a run in a table of runs under TLC.
func crossName(r *results.Record) string {
	switch r.Reduction {
	case "none", reductionRaw:
		return results.RunName(r) + " --reduce=" + r.Reduction
	}
	return results.RunName(r)
}

// verdict is the verdict of both, with TLC's in addition where it says more.
func (c *Crosscheck) verdict() string {
	ours, theirs := c.ours(), c.theirs()
	switch {
	case ours == theirs:
		return ours
	case len(c.Differences()) > 0:
		return ours + " / " + theirs
	case c.Record.TraceLength == c.TLC.TraceLength:
		return ours // TLC's lasso violates another liveness property too
	}
	return fmt.Sprintf("%s (TLC: %d)", ours, c.TLC.TraceLength)
}

// both is what the two agree on, or what each says.
func both(ours, theirs string) string {
	if ours == theirs {
		return ours
	}
	return ours + " / " + theirs
}

// CrosscheckDocument is the file with the tables for a folder of cross-checks, of which the
// raw runs have one of their own. It is a function of the files alone.
func CrosscheckDocument(all []Crosscheck) string {
	var usual, raw []Crosscheck
	for _, c := range all {
		if c.Record.Reduction == reductionRaw {
			raw = append(raw, c)
		} else {
			usual = append(usual, c)
		}
	}
	text := fmt.Sprintf(`# The same specifications under TLC

Each row is one run by vsrcheck (the .json file: a record) and by TLC, the model checker
of TLA+, with specs/VSR.tla (the .tlc.txt file: its output, without what names the
machine or the time). Written by `+"`vsrcheck crosscheck --keep results/runs/tlc`"+`, and again by
`+"`vsrcheck crosscheck --from results/runs/tlc --write`"+`; a test holds this file to the others.

Where everything holds, both have searched the whole state space, and the distinct
states, the generated states (with the initial one) and the depth (in levels) have to be
equal. A violation ends a search where it is found, so such a run has to agree on the
property and, if it is one of safety, on the steps of the shortest trace; the lasso to a
violation of liveness may be longer in one of the two. Its whole state space is compared
in a row of its own, without properties.

%s`, countedRows(usual))
	if len(raw) == 0 {
		return text
	}
	return text + `
## Raw

The runs above are normalised here and in VSR.tla by the same arguments, so a mistake in
one of these would be in both. Under ` + "`--reduce raw`" + ` nothing is removed in either: no dead
message, no dead variable, no early send. What handlers still replace by themselves is
listed by ` + "`vsrcheck explain raw`" + `. Raw systems are large, so the sizes here are small.

` + countedRows(raw)
}

// countedRows is a table with a line above it that counts what is equal.
func countedRows(all []Crosscheck) string {
	differing := 0
	for i := range all {
		if len(all[i].Differences()) > 0 {
			differing++
		}
	}
	return fmt.Sprintf("%s: %d equal, %d different.\n\n%s", results.Plural(len(all), "run"), len(all)-differing, differing, CrosscheckRows(all))
}

// ErrNoCrosscheck is wrapped by the error about a folder without cross-checks.
const ErrNoCrosscheck = results.InputError("no cross-checks")
