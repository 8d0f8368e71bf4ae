package specs

import (
	"strings"

	"vsrcheck/model"
)

// Write prints a specification as a configuration file in the one canonical form:
// every constant and rule in the order of the catalogues, one name a line, but for what
// only other networks read. Parse of
// the result gives the specification back.
func Write(s Spec) string {
	var out strings.Builder
	comment := func(line string) {
		out.WriteString(strings.TrimRight(`\* `+line, " ") + "\n")
	}
	if s.Summary != "" {
		comment(s.Summary)
	}
	if s.Text != "" {
		comment("")
		for line := range strings.SplitSeq(s.Text, "\n") {
			comment(line)
		}
	}
	if s.Size != "" {
		if s.Summary != "" {
			comment("")
		}
		comment("size: " + s.Size)
	}
	if out.Len() > 0 {
		out.WriteString("\n")
	}
	out.WriteString(kwSpecification + " " + s.Specification() + "\n\nCONSTANTS\n")
	for _, c := range Constants() {
		if !c.Shown(s.Config) {
			continue
		}
		out.WriteString("  " + c.Name + " = " + c.Get(s.Config).String() + "\n")
	}
	for _, r := range model.Catalogue() {
		out.WriteString("  " + r.Name + " = " + stringValue(r.Get(s.Rules)).String() + "\n")
	}
	for _, list := range []struct {
		word  string
		names []string
	}{{"INVARIANTS", s.Invariants}, {"PROPERTIES", s.Properties}, {"CONSTRAINTS", s.Constraints}} {
		if len(list.names) == 0 {
			continue
		}
		out.WriteString("\n" + list.word + "\n")
		for _, name := range list.names {
			out.WriteString("  " + name + "\n")
		}
	}
	out.WriteString("\n" + kwDeadlock + " " + boolValue(s.CheckDeadlock).String() + "\n")
	return out.String()
}
