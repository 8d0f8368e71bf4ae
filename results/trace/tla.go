package trace

import (
	"bufio"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"
)

// tlaWidth is the longest line of a value in TLA+, where one can be kept to it.
const tlaWidth = 80

// tlaValue is a value as a TLA+ expression whose first line begins in column col. What
// does not fit on a line has one element on each.
func tlaValue(v Value, col int) string {
	short := Text(v)
	if col+utf8.RuneCountInString(short) <= tlaWidth {
		return short
	}
	lines := func(open, separator, shut string, n int, element func(i, col int) string) string {
		parts := make([]string, n)
		at := col + len(open) + 1
		for i := range n {
			parts[i] = element(i, at)
		}
		return open + " " + strings.Join(parts, separator+"\n"+strings.Repeat(" ", at)) + " " + shut
	}
	// An entry is a label and a value, which begins on a line of its own if that helps.
	entry := func(label string, v Value, col int) string {
		at := col + utf8.RuneCountInString(label)
		if at+utf8.RuneCountInString(Text(v)) <= tlaWidth {
			return label + Text(v)
		}
		return strings.TrimRight(label, " ") + "\n" + strings.Repeat(" ", col+4) + tlaValue(v, col+4)
	}
	switch v := v.(type) {
	case Seq:
		return lines("<<", ",", ">>", len(v), func(i, col int) string { return tlaValue(v[i], col) })
	case Set:
		return lines("{", ",", "}", len(v), func(i, col int) string { return tlaValue(v[i], col) })
	case Rec:
		return lines("[", ",", "]", len(v), func(i, col int) string { return entry(v[i].Name+" |-> ", v[i].Value, col) })
	case Func:
		return lines("(", " @@", ")", len(v), func(i, col int) string { return entry(Text(v[i].Key)+" :> ", v[i].Value, col) })
	}
	return short
}

// writeTLA writes a module that has the states as a sequence of records, Trace, and a
// behaviour specification that goes through them.
func writeTLA(out io.Writer, t *Trace, opt WriteOptions) error {
	w := bufio.NewWriter(out)
	put := func(format string, args ...any) { fmt.Fprintf(w, format, args...) } // Flush returns the first error
	name := moduleName(t, opt.File)
	var names []string
	for _, v := range t.Variables {
		names = append(names, v.Name)
	}
	all := strings.Join(append([]string{"position"}, names...), ", ")

	put("---- MODULE %s ----\n", name)
	put("\\* %s (%s) of %s: %s\n", t.Property, t.Kind, t.Spec, t.Summary)
	put("\\* Check it with TLC: java -cp tla2tools.jar tlc2.TLC -deadlock -config %s.cfg %s\n", name, name)
	put("\\* where %s.cfg has the line SPECIFICATION Spec.\n", name)
	put("EXTENDS Integers, Sequences, TLC\n\nVARIABLES %s\n\nvars == <<%s>>\n\n", all, all)
	t.putConstants(put)
	put("\\* The actions: Actions[i] leads to Trace[i].\nActions == <<\n")
	for i, s := range t.Steps {
		action := s.Action
		if i == 0 {
			action = "Init"
		}
		put("  %s%s\n", tlaString(action), comma(i, len(t.Steps)))
	}
	put(">>\n\nTrace == <<\n")
	for i, s := range t.Steps {
		record := Rec{}
		for k, v := range s.Values {
			record = append(record, Field{names[k], v})
		}
		put("  \\* %d: %s\n  %s%s\n", i+1, actionOr(s, "the initial state"), tlaValue(record, 2), comma(i, len(t.Steps)))
	}
	put(">>\n\n")
	if t.LoopStart >= 0 {
		put("\\* After the last state the behaviour goes on with the step after this one, for ever.\nLoopStart == %d\n\n", t.LoopStart+1)
	}
	put("Init ==\n  /\\ position = 1\n")
	for _, n := range names {
		put("  /\\ %s = Trace[1].%s\n", n, n)
	}
	put("\nNext ==\n")
	if t.LoopStart >= 0 {
		put("  /\\ position' = IF position < Len(Trace) THEN position + 1 ELSE LoopStart + 1\n")
	} else {
		put("  /\\ position < Len(Trace)\n  /\\ position' = position + 1\n")
	}
	for _, n := range names {
		put("  /\\ %s' = Trace[position'].%s\n", n, n)
	}
	put("\nSpec == Init /\\ [][Next]_vars\n====\n")
	return w.Flush()
}

// putConstants writes the configuration and the rules as records: by themselves some of
// their names are those of variables.
func (t *Trace) putConstants(put func(format string, args ...any)) {
	if len(t.Constraints) > 0 {
		put("\\* Found within CONSTRAINT %s.\n\n", strings.Join(t.Constraints, ", "))
	}
	put("\\* The configuration and the rules of the run.\nConfig == [\n")
	for i, s := range t.Config {
		put("  %s |-> %s%s\n", s.Name, s.Value, comma(i, len(t.Config)))
	}
	put("]\n\nRules == [\n")
	for i, r := range t.Rules {
		put("  %s |-> %s%s\n", r.Name, tlaString(r.Value), comma(i, len(t.Rules)))
	}
	put("]\n\n")
}

func comma(i, n int) string {
	if i < n-1 {
		return ","
	}
	return ""
}

func actionOr(s Step, initial string) string {
	if s.Action == "" {
		return initial
	}
	return s.Action
}

// moduleName is the name that a module must have: that of its file.
func moduleName(t *Trace, file string) string {
	name := strings.TrimSuffix(filepath.Base(file), ".tla")
	if file == "" {
		name = t.Spec + "_trace"
	}
	name = regexp.MustCompile(`\W`).ReplaceAllString(name, "_")
	if !regexp.MustCompile(`[A-Za-z]`).MatchString(name) {
		name = "Trace" + name
	}
	return name
}

// The numbers of TLC's messages, which other tools tell them apart by.
const (
	tlcGeneral   = 1000
	tlcInvariant = 2110
	tlcDeadlock  = 2114
	tlcTemporal  = 2116
	tlcBehaviour = 2121
	tlcBack      = 2122
	tlcAction    = 2112
	tlcState     = 2217
	tlcStutter   = 2218
	tlcCounter   = 2264
)

// tlcWriter writes messages as TLC does, with or without the marks for tools.
type tlcWriter struct {
	*bufio.Writer
	tool bool
}

func (w *tlcWriter) message(code, class int, text string) {
	switch {
	case w.tool:
		fmt.Fprintf(w, "@!@!@STARTMSG %d:%d @!@!@\n%s\n@!@!@ENDMSG %d @!@!@\n", code, class, text, code)
	case class == 1:
		fmt.Fprintf(w, "Error: %s\n", text)
	default:
		fmt.Fprintf(w, "%s\n", text)
	}
}

func writeTLC(out io.Writer, t *Trace, _ WriteOptions) error { return t.tlc(out, false) }

func writeTLCTool(out io.Writer, t *Trace, _ WriteOptions) error { return t.tlc(out, true) }

func (t *Trace) tlc(out io.Writer, tool bool) error {
	w := &tlcWriter{bufio.NewWriter(out), tool}
	t.tlcHeading(w)
	number := "State "
	if tool {
		number = ""
	}
	n := len(t.Steps)
	steps := t.Steps
	if t.LoopStart >= 0 && n > 1 {
		steps = steps[:n-1] // TLC does not print the state to which the behaviour returns a second time
	}
	for i, s := range steps {
		var text strings.Builder
		fmt.Fprintf(&text, "%s%d: %s\n", number, i+1, tlcLocated(s))
		for k, v := range s.Values {
			label := "/\\ " + t.Variables[k].Name + " = "
			text.WriteString(label + tlaValue(v, len(label)) + "\n")
		}
		w.message(tlcState, 4, text.String())
	}
	switch {
	case t.LoopStart >= 0 && tool:
		w.message(tlcBack, 4, fmt.Sprintf("%d: Back to state: %s\n", t.LoopStart+1, tlcLocated(t.Steps[n-1])))
	case t.LoopStart >= 0:
		w.message(tlcBack, 4, fmt.Sprintf("Back to state %d: %s\n", t.LoopStart+1, tlcLocated(t.Steps[n-1])))
	case t.Forever:
		w.message(tlcStutter, 4, fmt.Sprintf("%s%d: Stuttering", number, n+1))
	}
	return w.Flush()
}

// tlcHeading says what was violated, in TLC's words.
func (t *Trace) tlcHeading(w *tlcWriter) {
	switch t.Kind {
	case "liveness":
		w.message(tlcTemporal, 1, "Temporal properties were violated.\n")
		w.message(tlcCounter, 1, "The following behavior constitutes a counter-example:\n")
		return
	case "deadlock":
		w.message(tlcDeadlock, 1, "Deadlock reached.")
	case "panic":
		w.message(tlcGeneral, 1, "The model failed.")
	case "action":
		w.message(tlcAction, 1, "Action property "+t.Property+" is violated.")
	default:
		w.message(tlcInvariant, 1, "Invariant "+t.Property+" is violated.")
	}
	w.message(tlcBehaviour, 1, "The behavior up to this point is:")
}

// tlcLocated is the action that led to a state, as TLC names it, with its parameters.
// The place is that of the module's first character: the checker has no lines of TLA+,
// and readers insist on a place.
func tlcLocated(s Step) string {
	if s.Action == "" {
		return "<Initial predicate>"
	}
	name, arguments, found := strings.Cut(s.Action, "(")
	if found {
		name += "(" + tlaString(strings.TrimSuffix(arguments, ")")) + ")"
	}
	return "<" + name + " line 1, col 1 to line 1, col 1 of module VSR>"
}
