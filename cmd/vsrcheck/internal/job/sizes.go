package job

import (
	"fmt"
	"slices"
	"strings"

	"vsrcheck/results"
)

// SizesUsage says what --sizes takes.
const SizesUsage = "`LIST` such as 'ops=2; ops=1 view_max=1', or a file with one on each line; may be given again"

// Size is a list of settings that a check has instead of its specification's.
type Size struct {
	Name     string
	Settings Settings
}

// ReadSizes reads --sizes: lists with ; or a new line between them. Without any it is the
// specification's own size.
func ReadSizes(texts []string) ([]Size, error) {
	var out []Size
	for _, text := range texts {
		where := "--sizes"
		if !strings.Contains(text, "=") {
			data, err := results.ReadFileAtMost(text, 1<<20)
			if err != nil {
				return nil, Wrongf("--sizes: got no list such as ops=2 view_max=1, and no file: %s", err)
			}
			where, text = text, string(data)
		}
		for i, line := range strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
			line, _, _ = strings.Cut(line, "#")
			for one := range strings.SplitSeq(line, ";") {
				if strings.TrimSpace(one) == "" {
					continue
				}
				s, err := newSize(one)
				if err != nil {
					if where != "--sizes" {
						where = fmt.Sprintf("%s:%d", where, i+1)
					}
					return nil, Wrongf("%s: %s", where, err)
				}
				if slices.ContainsFunc(out, func(other Size) bool { return other.Name == s.Name }) {
					return nil, Wrongf("%s: got %s twice, want it once", where, s.Name)
				}
				out = append(out, s)
			}
		}
	}
	if texts == nil {
		return []Size{{}}, nil
	}
	if len(out) == 0 {
		return nil, Wrongf("--sizes: got none, want some, such as ops=2 view_max=1")
	}
	return out, nil
}

// newSize reads one size: name=value, with white space between them.
func newSize(text string) (Size, error) {
	s := Size{Settings: NewSettings()}
	var names []string
	for _, c := range s.Settings.Constants {
		names = append(names, c.Name)
	}
	given := map[string]string{}
	for _, field := range strings.Fields(text) {
		name, value, found := strings.Cut(field, "=")
		i := slices.Index(names, strings.ReplaceAll(name, "-", "_"))
		switch {
		case !found:
			return s, fmt.Errorf("got %q, want name=value", field)
		case i < 0:
			return s, fmt.Errorf("got unknown constant %q%s", name, DidYouMean(name, names, ""))
		case s.Settings.Constants[i].Given:
			return s, fmt.Errorf("got %s twice, want it once", names[i])
		}
		if err := s.Settings.Constants[i].Take(value); err != nil {
			return s, fmt.Errorf("%s: %w", names[i], err)
		}
		given[names[i]] = names[i] + "=" + value
	}
	for _, name := range names { // in one order, so that the same size has one name
		if given[name] != "" {
			s.Name = strings.TrimSpace(s.Name + " " + given[name])
		}
	}
	return s, nil
}
