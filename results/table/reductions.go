package table

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"vsrcheck/results"
)

// reductionNames are the columns of the table of reductions: what a record calls the
// reductions of its run.
var reductionNames = []string{"none", "eager", "faults", "prompt", "eager,faults", "eager,faults,prompt"}

// Reductions is the table of what the reductions of the number of states save: a row
// for each run and a column for each choice of reductions, and the time without any and with
// all of them. Runs of one row agree in verdict and length of the trace, or the error says
// which do not.
func Reductions(records []results.Published) (results.Table, error) {
	rows := map[string]map[string]*results.Record{}
	for _, p := range records {
		name := results.RunName(p.Record)
		if !slices.Contains(reductionNames, p.Reduction) {
			return results.Table{}, fmt.Errorf("%s: reduction: got %q, want one of %q", p.File, p.Reduction, reductionNames)
		}
		if rows[name] == nil {
			rows[name] = map[string]*results.Record{}
		}
		if rows[name][p.Reduction] != nil {
			return results.Table{}, fmt.Errorf("%s: a second run of %s with reduction %s", p.File, name, p.Reduction)
		}
		rows[name][p.Reduction] = p.Record
	}
	var out strings.Builder
	out.WriteString("| run | verdict | none | eager | faults | prompt | eager, faults | all | fewer by | time, none | time, all |\n")
	out.WriteString("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		runs := rows[name]
		verdict, err := sameVerdict(name, runs)
		if err != nil {
			return results.Table{}, err
		}
		fmt.Fprintf(&out, "| %s | %s |", results.TableCell(name), results.TableCell(verdict))
		for _, reduction := range reductionNames {
			fmt.Fprintf(&out, " %s |", reductionCell(runs[reduction]))
		}
		none, all := runs[reductionNames[0]], mostReduced(runs)
		fmt.Fprintf(&out, " %s | %s | %s |\n", factor(none, all), reductionTime(none), reductionTime(all))
	}
	return results.Table{Name: "reductions", Rows: len(rows), Text: out.String()}, nil
}

// sameVerdict is what the runs of a row found. Only eager sends may make a trace
// shorter, as a send is then no step; within the runs with them, and within those
// without, the lengths are the same.
func sameVerdict(name string, runs map[string]*results.Record) (string, error) {
	verdict, steps := "", map[bool]int{}
	for _, reduction := range reductionNames {
		r := runs[reduction]
		if r == nil || wasCut(r) {
			continue
		}
		text := results.VerdictText(r)
		if verdict != "" && text != verdict {
			return "", fmt.Errorf("%s: %s under reduction %s, and before that %s", name, text, reduction, verdict)
		}
		verdict = text
		if r.Verdict != results.Violated {
			continue
		}
		eager := strings.HasPrefix(reduction, "eager")
		if got, seen := steps[eager]; seen && got != r.TraceLength {
			return "", fmt.Errorf("%s: a trace of %d steps under reduction %s, and before that of %d", name, r.TraceLength, reduction, got)
		}
		steps[eager] = r.TraceLength
	}
	return verdict, nil
}

// mostReduced is the run with most reductions: one that is not sound for the rules of a row
// has no run there.
func mostReduced(runs map[string]*results.Record) *results.Record {
	for _, name := range slices.Backward(reductionNames) {
		if runs[name] != nil {
			return runs[name]
		}
	}
	return nil
}

// reductionCell is the number of states of a run.
func reductionCell(r *results.Record) string {
	if r == nil {
		return ""
	}
	return atLeast(r, results.Count(r.Distinct))
}

// reductionTime is how long a run took.
func reductionTime(r *results.Record) string {
	if r == nil {
		return ""
	}
	return atLeast(r, results.Seconds(r.Seconds))
}

// atLeast is a figure of a run, marked when it would have gone on.
func atLeast(r *results.Record, text string) string {
	if wasCut(r) {
		return "> " + text
	}
	return text
}

// wasCut reports whether a run ended before everything was decided; it may have found
// a violation of a property that does not decide.
func wasCut(r *results.Record) bool { return r.Verdict == results.Inconclusive || r.Stop != "" }

func factor(none, all *results.Record) string {
	if none == nil || all == nil || wasCut(all) {
		return ""
	}
	return atLeast(none, fmt.Sprintf("%.1f", float64(none.Distinct)/float64(all.Distinct)))
}
