// Package mend holds which sets of rule changes are enough for a violated specification to hold:
// an [Answer], as text, JSON or a page.
package mend

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"vsrcheck/results"
	"vsrcheck/results/internal/jsontext"
	"vsrcheck/results/matrix"
)

// Schema is the version of the format of an Answer.
const Schema = 1

// Answer says which sets of rule changes are enough for a violated specification to hold,
// and how every other set that was looked at was refuted.
type Answer struct {
	Schema     int               `json:"schema"`
	Bases      []matrix.Base     `json:"bases"`       // the specification in each size, under its own rules
	Own        []matrix.Outcome  `json:"own"`         // of these, in the same order
	Changes    []results.Setting `json:"changes"`     // of which the sets are made
	MaxChanges int               `json:"max_changes"` // in a set
	All        bool              `json:"all"`         // sets of every number of changes were asked for, not only of the least

	Levels          []Level          `json:"levels"` // by the number of changes, from 1
	Sets            []Set            `json:"sets"`   // that are enough: everything holds in every size
	Vacuous         []Set            `json:"vacuous,omitempty"`
	Undecided       []Set            `json:"undecided,omitempty"`
	Counterexamples []Counterexample `json:"counterexamples"`
	Incomplete      string           `json:"incomplete,omitempty"` // why it is not known whether the sets are the smallest

	Seconds     float64       `json:"seconds"`
	CommandLine []string      `json:"command_line"`
	Build       results.Build `json:"build"`
}

// Level is what came of the sets with one number of changes.
type Level struct {
	Changes   int `json:"changes"`
	Sets      int `json:"sets"`      // all but those that have a set which is enough among their parts
	Enough    int `json:"enough"`    // of these
	Searched  int `json:"searched"`  // refuted by a counterexample of their own
	Replayed  int `json:"replayed"`  // refuted by one of another set, whose steps violate under them, too
	Vacuous   int `json:"vacuous"`   // hold, and do not count: a property says nothing
	Undecided int `json:"undecided"` // a limit ended a check, or it failed
	Left      int `json:"left"`      // not looked at: interrupted
}

// Set is a set of changes that was not refuted.
type Set struct {
	Changed []results.Setting `json:"changed"`
	Checks  []Check           `json:"checks"`        // one for each size that was checked
	Why     string            `json:"why,omitempty"` // it does not count
}

// Check is the check of a set in one size.
type Check struct {
	Base    int    `json:"base"`    // index of the size
	Command string `json:"command"` // that repeats it
	matrix.Outcome
}

// Counterexample is a behaviour that refutes sets of changes: its steps are possible under
// them and violate the property.
type Counterexample struct {
	Base      int               `json:"base"`    // index of the size
	Set       string            `json:"set"`     // for which it was found
	Command   string            `json:"command"` // that finds it again
	Violation results.Violation `json:"violation"`
	// Refutes are sets, in the order in which they were looked at: the indices of the
	// changes of each, such as "0 4"; "" is the specification itself.
	Refutes []string `json:"refutes"`
}

// SetName is the name of a set of changes.
func SetName(changed []results.Setting) string { return (&matrix.Cell{Changed: changed}).Name() }

// Name is what the set changes.
func (s *Set) Name() string { return SetName(s.Changed) }

// Steps is the length of the trace.
func (c *Counterexample) Steps() int { return c.Violation.Length() }

// Key is a set as [Counterexample.Refutes] has it, of the indices of its changes.
func Key(set []int) string { return strings.Trim(fmt.Sprint(set), "[]") }

// key is a set as [Counterexample.Refutes] has it.
func (m *Answer) key(changed []results.Setting) string {
	var set []int
	for _, c := range changed {
		set = append(set, slices.IndexFunc(m.Changes, func(o results.Setting) bool { return o.Name == c.Name && o.Value == c.Value }))
	}
	return Key(set)
}

// changesOf are the changes of a set of a [Counterexample.Refutes].
func (m *Answer) changesOf(key string) (changed []results.Setting) {
	for _, field := range strings.Fields(key) {
		if i, err := strconv.Atoi(field); err == nil && i >= 0 && i < len(m.Changes) {
			changed = append(changed, m.Changes[i])
		}
	}
	return changed
}

// SetOf is the name of a set of a [Counterexample.Refutes].
func (m *Answer) SetOf(key string) string { return SetName(m.changesOf(key)) }

// Refutation is the counterexample that refutes a set, or nil.
func (m *Answer) Refutation(changed []results.Setting) *Counterexample {
	key := m.key(changed)
	for i := range m.Counterexamples {
		if slices.Contains(m.Counterexamples[i].Refutes, key) {
			return &m.Counterexamples[i]
		}
	}
	return nil
}

// Without is what remains of a set without one of its changes.
func (s *Set) Without(i int) []results.Setting { return slices.Delete(slices.Clone(s.Changed), i, i+1) }

// What says what came of a level.
func (l *Level) What() string {
	if l.Sets == 0 {
		return "as each has a part that is enough"
	}
	var parts []string
	note := func(n int, what string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, what))
		}
	}
	note(l.Enough, "enough")
	note(l.Searched, "refuted by search")
	note(l.Replayed, "refuted by replay")
	note(l.Vacuous, "vacuous")
	note(l.Undecided, "undecided")
	note(l.Left, "not looked at")
	return strings.Join(parts, ", ")
}

// The verdicts of an Answer. Only the first two are answers in full.
const (
	Mended        = "mended"     // some sets are enough, and no smaller one is
	NothingToMend = "holds"      // the specification holds as it is
	NotMended     = "not mended" // no set up to MaxChanges is enough
)

// Verdict is one of the above, or of a cell that has none: vacuous, inconclusive or failed.
func (m *Answer) Verdict() string {
	own := m.worst()
	switch {
	case own == results.Holds:
		return NothingToMend
	case own != results.Violated:
		return own
	case slices.ContainsFunc(m.Undecided, func(s Set) bool { return s.Worst() == matrix.Failed }):
		return matrix.Failed
	case m.Incomplete != "":
		return results.Inconclusive
	case len(m.Sets) == 0:
		return NotMended
	}
	return Mended
}

// What is the answer in a sentence.
func (m *Answer) What() string {
	name := m.Bases[0].Spec + results.Within(m.Bases[0].Constraints)
	if own := m.worst(); own != results.Violated {
		what := "it holds as it is"
		if own != results.Holds {
			what = "whether it holds as it is stayed open"
		}
		return fmt.Sprintf("%s: %s, in %s; there is nothing to mend", name, what, results.Plural(len(m.Bases), "size"))
	}
	looked, most := 0, 0
	for _, l := range m.Levels {
		looked, most = looked+l.Sets-l.Left, l.Changes
	}
	out := fmt.Sprintf("%s: no set of at most %s is enough", name, results.Plural(most, "change"))
	if n := len(m.Sets); n > 0 {
		least, last := len(m.Sets[0].Changed), len(m.Sets[n-1].Changed)
		changes := results.Plural(least, "change")
		if last > least {
			changes = fmt.Sprintf("%d to %d changes", least, last)
		}
		out = fmt.Sprintf("%s: %s of %s %s enough", name, results.Plural(n, "set"), changes, areWord(n))
		switch {
		case m.Incomplete != "":
		case m.All:
			out += ", and no part of one is"
		default:
			out += ", and no smaller one is"
		}
	}
	out += fmt.Sprintf("; %s looked at, %s", results.Plural(looked, "set"), results.Plural(len(m.Counterexamples), "counterexample"))
	if n := len(m.Vacuous); n > 0 {
		out += fmt.Sprintf("; %s holds only because a property says nothing, and does not count", results.Plural(n, "set"))
	}
	if m.Incomplete != "" {
		out += "; INCOMPLETE: " + m.Incomplete
	}
	return out
}

// areWord is the verb for n things.
func areWord(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// worst is the verdict of all of some checks together: one that is violated decides, then
// one that failed or is open.
func worst(checks []matrix.Outcome) string {
	out := results.Holds
	for _, v := range []string{matrix.Vacuous, results.Inconclusive, matrix.Failed, results.Violated} {
		if slices.ContainsFunc(checks, func(o matrix.Outcome) bool { return o.Verdict == v }) {
			out = v
		}
	}
	return out
}

// worst is the verdict of the specification itself.
func (m *Answer) worst() string { return worst(m.Own) }

// Worst is the verdict of all checks of a set together: one that is violated decides, then
// one that failed or is open.
func (s *Set) Worst() string {
	var all []matrix.Outcome
	for i := range s.Checks {
		all = append(all, s.Checks[i].Outcome)
	}
	return worst(all)
}

// In is the size in which a check was made, to be told where there are several.
func (m *Answer) In(base int) string {
	if len(m.Bases) == 1 {
		return ""
	}
	return m.Bases[base].Name()
}

// Text is the answer: the sets that are enough with their proofs, what each change of them
// is needed for, and how many others were refuted.
func (m *Answer) Text() string {
	var out strings.Builder
	line := func(label, text, command string) {
		fmt.Fprintf(&out, "  %-9s %s\n", label, text)
		if command != "" {
			fmt.Fprintf(&out, "            %s\n", command)
		}
	}
	out.WriteString(matrix.OwnRules + "\n")
	for i := range m.Own {
		line(m.Own[i].Verdict, m.checkText(i, &m.Own[i]), "")
	}
	for _, l := range m.Levels {
		fmt.Fprintf(&out, "%s: %s, %s\n", results.Plural(l.Changes, "change"), results.Plural(l.Sets, "set"), l.What())
	}
	for i := range m.Sets {
		s := &m.Sets[i]
		fmt.Fprintf(&out, "\n%s\n", s.Name())
		for k := range s.Checks {
			line(s.Checks[k].Verdict, m.checkText(s.Checks[k].Base, &s.Checks[k].Outcome), s.Checks[k].Command)
		}
		for k, c := range s.Changed {
			fate, command := m.Fate(s.Without(k))
			line("without", c.Name+"="+c.Value+": "+fate, command)
		}
	}
	for _, sets := range [][]Set{m.Vacuous, m.Undecided} {
		for i := range sets {
			fmt.Fprintf(&out, "\n%s\n  does not count: %s\n", sets[i].Name(), sets[i].Why)
		}
	}
	return out.String()
}

// checkText is a check in one line.
func (m *Answer) checkText(base int, o *matrix.Outcome) string {
	out := fmt.Sprintf("%s, depth %d, %s", o.Size(), o.Depth, o.Time())
	if cut := o.Cut(); cut != "" {
		out += "; " + cut
	}
	switch {
	case o.Verdict == results.Violated:
		out = o.What() + " after " + o.Steps() + " steps, " + out
	case o.Verdict != results.Holds:
		out = o.What() + ", " + out
	}
	if in := m.In(base); in != "" {
		out = in + ": " + out
	}
	return out
}

// Fate says what became of a set that is not enough, and which command shows it, if any.
func (m *Answer) Fate(set []results.Setting) (fate, command string) {
	if c := m.Refutation(set); c != nil {
		fate = c.Violation.Property + " after " + results.Plural(c.Steps(), "step")
		if in := m.In(c.Base); in != "" {
			fate += " in " + in
		}
		if c.Set != SetName(set) {
			fate += ", as under " + c.Set
		}
		return fate, c.Command
	}
	for _, sets := range [][]Set{m.Vacuous, m.Undecided} {
		for i := range sets {
			if sets[i].Name() == SetName(set) {
				return sets[i].Why, ""
			}
		}
	}
	return "not looked at", ""
}

// Write is the answer as JSON.
func (m *Answer) Write() ([]byte, error) { return jsontext.Write(m, "mend") }

// ErrAnswer is wrapped by every error about a file that is no valid answer of mend.
const ErrAnswer = results.InputError("invalid answer of mend")

// Read reads an answer from the file of its JSON.
func Read(path string) (*Answer, error) {
	data, err := results.ReadData(path)
	if err != nil {
		return nil, fmt.Errorf("read mend: %w", err)
	}
	m, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("read mend %s: %w", path, err)
	}
	return m, nil
}

// Parse reads an answer. Its errors wrap ErrMend.
func Parse(data []byte) (*Answer, error) {
	var m Answer
	if err := jsontext.Parse(data, &m, ErrAnswer); err != nil {
		return nil, err
	}
	if m.Schema != Schema || len(m.Bases) == 0 || len(m.Own) != len(m.Bases) {
		return nil, fmt.Errorf("%w: got schema %d, %d bases and %d outcomes of them, want schema %d and one for each", ErrAnswer, m.Schema, len(m.Bases), len(m.Own), Schema)
	}
	return &m, m.validate()
}

// validate says whether the answer agrees with itself: every set is counted once.
func (m *Answer) validate() error {
	seen := map[string]string{}
	note := func(set, where string) error {
		if before, twice := seen[set]; twice {
			return fmt.Errorf("%w: %s: got %s, which is among %s, too", ErrAnswer, where, set, before)
		}
		seen[set] = where
		return nil
	}
	for i := range m.Own {
		if !m.Own[i].Valid() {
			return fmt.Errorf("%w: own[%d]: got verdict %q with %d violations", ErrAnswer, i, m.Own[i].Verdict, len(m.Own[i].Violations))
		}
	}
	for i := range m.Counterexamples {
		c := &m.Counterexamples[i]
		if c.Base < 0 || c.Base >= len(m.Bases) || len(c.Refutes) == 0 {
			return fmt.Errorf("%w: counterexamples[%d]: got base %d and %d sets", ErrAnswer, i, c.Base, len(c.Refutes))
		}
		for _, key := range c.Refutes {
			if m.key(m.changesOf(key)) != key {
				return fmt.Errorf("%w: counterexamples[%d]: got the set %q, want indices of %d changes", ErrAnswer, i, key, len(m.Changes))
			}
			if err := note(m.SetOf(key), "the refuted sets"); err != nil {
				return err
			}
		}
	}
	for _, l := range []struct {
		where string
		sets  []Set
		want  string
	}{{"sets", m.Sets, results.Holds}, {"vacuous", m.Vacuous, ""}, {"undecided", m.Undecided, ""}} {
		for i := range l.sets {
			s := &l.sets[i]
			if err := note(s.Name(), l.where); err != nil {
				return err
			}
			for k := range s.Checks {
				if c := &s.Checks[k]; c.Base < 0 || c.Base >= len(m.Bases) || !c.Valid() || l.want != "" && c.Verdict != l.want {
					return fmt.Errorf("%w: %s[%d].checks[%d]: got verdict %q in base %d", ErrAnswer, l.where, i, k, c.Verdict, c.Base)
				}
			}
			if l.want == results.Holds && len(s.Checks) != len(m.Bases) {
				return fmt.Errorf("%w: sets[%d]: got %d checks of %d sizes", ErrAnswer, i, len(s.Checks), len(m.Bases))
			}
		}
	}
	for i := range m.Sets {
		for k := range m.Sets[i].Changed {
			if part := SetName(m.Sets[i].Without(k)); seen[part] == "" || seen[part] == "sets" {
				return fmt.Errorf("%w: sets[%d]: want it to be the smallest, but %s is not refuted", ErrAnswer, i, part)
			}
		}
	}
	decided := 1 // the specification itself
	for i, l := range m.Levels {
		if l.Changes != i+1 || l.Sets != l.Enough+l.Searched+l.Replayed+l.Vacuous+l.Undecided+l.Left {
			return fmt.Errorf("%w: levels[%d]: got %+v, which does not add up", ErrAnswer, i, l)
		}
		decided += l.Sets - l.Left
	}
	if len(m.Levels) > 0 && decided != len(seen) {
		return fmt.Errorf("%w: got %d sets, want %d as the levels have", ErrAnswer, len(seen), decided)
	}
	return nil
}
