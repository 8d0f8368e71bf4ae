package results

import (
	"fmt"
	"path/filepath"
	"strings"
)

// PublishedMend is an answer of mend with the name of its file.
type PublishedMend struct {
	File string // without the folder
	*Mend
}

// ReadMends reads the answers in a folder, in the order of their names.
func ReadMends(dir string) ([]PublishedMend, error) {
	paths := filesWith(dir, ".json")
	var out []PublishedMend
	for _, path := range paths {
		m, err := ReadMend(path)
		if err != nil {
			return nil, err
		}
		out = append(out, PublishedMend{filepath.Base(path), m})
	}
	return out, nil
}

// MendTable is the table of published answers of mend.
func MendTable(mends []PublishedMend) Table {
	var out strings.Builder
	out.WriteString("| specification | under its own rules | what is enough | sets | searched | counterexamples | time |\n")
	out.WriteString("|---|---|---|--:|--:|--:|--:|\n")
	for _, m := range mends {
		var sizes, own, enough []string
		for i := range m.Bases {
			if size := m.Bases[i].Size; size != "" {
				sizes = append(sizes, "<br>"+cell(size))
			}
			what := cell(m.Own[i].What())
			if n := m.Own[i].Steps(); n != "" {
				what += ", " + n + " steps"
			}
			own = append(own, what)
		}
		for i := range m.Sets {
			enough = append(enough, cell(m.Sets[i].Name()))
		}
		if m.Verdict() != Mended {
			enough = append(enough, m.Verdict())
		}
		sets, searched := 0, 0
		for _, l := range m.Levels {
			sets, searched = sets+l.Sets-l.Left, searched+l.Sets-l.Left-l.Replayed
		}
		fmt.Fprintf(&out, "| [%s](mend/%s)%s | %s | %s | %s | %d | %d | %s |\n", cell(m.Bases[0].Spec+Within(m.Bases[0].Constraints)), m.File, strings.Join(sizes, ""),
			strings.Join(own, "<br>"), strings.Join(enough, "<br>"), Count(uint64(sets)), searched, len(m.Counterexamples), seconds(m.Seconds))
	}
	return Table{Name: "mends", Rows: len(mends), Text: out.String()}
}
