package mend

import (
	"fmt"
	"path/filepath"
	"strings"

	"vsrcheck/results"
)

// Published is an answer of mend with the name of its file.
type Published struct {
	File string // without the folder
	*Answer
}

// ReadAll reads the answers in a folder, in the order of their names.
func ReadAll(dir string) ([]Published, error) {
	paths := results.FilesWith(dir, ".json")
	var out []Published
	for _, path := range paths {
		m, err := Read(path)
		if err != nil {
			return nil, err
		}
		out = append(out, Published{filepath.Base(path), m})
	}
	return out, nil
}

// Table is the table of published answers of mend.
func Table(mends []Published) results.Table {
	var out strings.Builder
	out.WriteString("| specification | under its own rules | what is enough | sets | searched | counterexamples | time |\n")
	out.WriteString("|---|---|---|--:|--:|--:|--:|\n")
	for _, m := range mends {
		var sizes, own, enough []string
		for i := range m.Bases {
			if size := m.Bases[i].Size; size != "" {
				sizes = append(sizes, "<br>"+results.TableCell(size))
			}
			what := results.TableCell(m.Own[i].What())
			if n := m.Own[i].Steps(); n != "" {
				what += ", " + n + " steps"
			}
			own = append(own, what)
		}
		for i := range m.Sets {
			enough = append(enough, results.TableCell(m.Sets[i].Name()))
		}
		if m.Verdict() != Mended {
			enough = append(enough, m.Verdict())
		}
		sets, searched := 0, 0
		for _, l := range m.Levels {
			sets, searched = sets+l.Sets-l.Left, searched+l.Sets-l.Left-l.Replayed
		}
		fmt.Fprintf(&out, "| [%s](runs/mend/%s)%s | %s | %s | %s | %d | %d | %s |\n", results.TableCell(m.Bases[0].Spec+results.Within(m.Bases[0].Constraints)), m.File, strings.Join(sizes, ""),
			strings.Join(own, "<br>"), strings.Join(enough, "<br>"), results.Count(uint64(sets)), searched, len(m.Counterexamples), results.Seconds(m.Seconds))
	}
	return results.Table{Name: "mends", Rows: len(mends), Text: out.String()}
}
