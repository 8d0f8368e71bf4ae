package table

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"vsrcheck/results"
)

// networkColumns are the columns of the table of networks: how a record of the folder
// networks is named, and what it is about. Each allows more than the one before it.
var networkColumns = []struct{ file, title string }{
	{"fifo", "fifo"},
	{"fifo-reset", "fifo, one reset"},
	{"consume", "consume"},
	{"set", "set"},
}

// networkRow is a specification with its records by column; nil where there is none.
type networkRow struct {
	spec string
	runs []*results.Record
}

// networkRows sorts the records of the folder networks into rows, those first that are
// violated under the strictest network, and then by name.
func networkRows(records []results.Published) ([]networkRow, error) {
	bySpec := map[string]*networkRow{}
	for _, r := range records {
		name := strings.TrimSuffix(r.File, ".json")
		column := slices.IndexFunc(networkColumns, func(c struct{ file, title string }) bool { return name == r.Spec+"."+c.file })
		if column < 0 {
			return nil, results.BadRecord("%s is of %s, want the name of that and of a network", r.File, r.Spec)
		}
		row := bySpec[r.Spec]
		if row == nil {
			row = &networkRow{r.Spec, make([]*results.Record, len(networkColumns))}
			bySpec[r.Spec] = row
		}
		row.runs[column] = r.Record
	}
	var rows []networkRow
	for _, row := range bySpec {
		rows = append(rows, *row)
	}
	slices.SortFunc(rows, func(a, b networkRow) int {
		if first := a.strictest() - b.strictest(); first != 0 {
			return first
		}
		return strings.Compare(a.spec, b.spec)
	})
	return rows, nil
}

// strictest is the first column in which the row's property is violated, or the one after
// the last.
func (row *networkRow) strictest() int {
	if i := slices.IndexFunc(row.runs, func(r *results.Record) bool { return r != nil && foundWhat(r) }); i >= 0 {
		return i
	}
	return len(row.runs)
}

// boundProperty says that a bound on the search cut nothing off; what violates only that
// has found nothing.
const boundProperty = "SendsFit"

// foundWhat reports whether a run violates the property that it is about.
func foundWhat(r *results.Record) bool {
	return r.Verdict == results.Violated && r.Violated != boundProperty
}

// property is what the row's runs check.
func (row *networkRow) property() string {
	for _, r := range row.runs {
		if r != nil && foundWhat(r) {
			return r.Violated
		}
	}
	return ""
}

var expandedDepth = regexp.MustCompile(`every state up to depth (\d+) was expanded`)

// networkCell is what came out of a run.
func networkCell(r *results.Record, allowed bool) string {
	switch {
	case r == nil && allowed:
		return "the same"
	case r == nil:
		return "not run"
	case foundWhat(r):
		return fmt.Sprintf("**%d steps**", r.TraceLength)
	case r.Stop != "":
		text := "not within " + results.Count(r.Distinct) + " states"
		if m := expandedDepth.FindStringSubmatch(r.Reason); m != nil {
			text += fmt.Sprintf(", %s steps", m[1])
		}
		return text
	case r.Verdict == results.Inconclusive && slices.ContainsFunc(r.Violations, func(v results.Violation) bool { return v.Property != boundProperty }):
		return "undecided (" + results.Count(r.Distinct) + " states)"
	case r.Verdict != results.Holds:
		return "holds, with steps that wait (" + results.Count(r.Distinct) + " states)"
	}
	return "holds (" + results.Count(r.Distinct) + " states)"
}

// bounds are the sizes and budgets of a row, in words.
func (row *networkRow) bounds() string {
	r := row.runs[slices.IndexFunc(row.runs, func(r *results.Record) bool { return r != nil })]
	for _, run := range row.runs {
		if run != nil {
			r = run // the loosest, which has the budget of losses
		}
	}
	values := map[string]string{}
	for _, s := range r.Config {
		values[s.Name] = s.Value
	}
	parts := []string{values["replicas"] + " replicas", counted(values["ops"], "op"), "views 0.." + values["view_max"]}
	for _, fault := range []struct{ name, word string }{{"crashes", "restart"}, {"stops", "stop"}, {"drops", "drop"}} {
		if values[fault.name] != "0" {
			parts = append(parts, counted(values[fault.name], fault.word))
		}
	}
	return strings.Join(parts, ", ")
}

func counted(n, word string) string {
	if n == "1" {
		return n + " " + word
	}
	return n + " " + word + "s"
}

// Networks is the table of what is found over which network, in Markdown, from the
// records of the folder networks; and the specifications in its order.
func Networks(records []results.Published) (text string, order []string, err error) {
	rows, err := networkRows(records)
	if err != nil {
		return "", nil, err
	}
	var out strings.Builder
	out.WriteString("| finding | violated | bounds |")
	for _, c := range networkColumns {
		out.WriteString(" " + c.title + " |")
	}
	out.WriteString("\n|---|---|---|" + strings.Repeat("---|", len(networkColumns)) + "\n")
	for _, row := range rows {
		fmt.Fprintf(&out, "| `%s` | %s | %s |", row.spec, row.property(), row.bounds())
		for i, r := range row.runs {
			// What is found over connections that last is found when one may break, too.
			cell := networkCell(r, i > 0 && row.runs[i-1] != nil && foundWhat(row.runs[i-1]))
			if r != nil {
				cell = fmt.Sprintf("[%s](runs/networks/%s.%s.json)", cell, row.spec, networkColumns[i].file)
			}
			out.WriteString(" " + cell + " |")
		}
		out.WriteString("\n")
		order = append(order, row.spec)
	}
	return out.String(), order, nil
}
