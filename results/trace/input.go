package trace

import (
	"errors"
	"fmt"
	"os"

	"vsrcheck/results"
)

// The limits of what is read from a file: more is an error, and takes no memory. They are far
// beyond what is written: a trace of a hundred steps has about half a megabyte, thirty
// thousand values, and no list of more than some hundred of them.
const (
	maxTraceBytes  = 64 << 20
	maxTraceValues = 4 << 20
	maxListLength  = 1 << 17
	maxLines       = 1 << 20
	maxActionBytes = 4 << 10
)

// readTraceData reads a file that should have a trace.
func readTraceData(path string) ([]byte, error) {
	data, err := results.ReadFileAtMost(path, maxTraceBytes)
	return data, wrongTrace(path, err)
}

// wrongTrace is what an error says of a trace that cannot be read.
func wrongTrace(name string, err error) error {
	if err == nil {
		return nil
	}
	var at *os.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	return fmt.Errorf("%w: cannot read %s: %w", ErrTrace, name, err)
}

// bounded finds what has too many values to be read, before anything is made of it. What is no
// JSON is found later.
func bounded(data []byte) error {
	values, open := 0, []int{} // the lists and objects around a place, with how many values each has
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			for i++; i < len(data) && data[i] != '"'; i++ {
				if data[i] == '\\' {
					i++
				}
			}
		case '[', '{':
			open = append(open, 1)
			values++
		case ']', '}':
			if len(open) > 0 {
				open = open[:len(open)-1]
			}
		case ',':
			if values++; len(open) > 0 {
				open[len(open)-1]++
			}
		}
		what, most := "values", maxTraceValues
		if len(open) > 0 && open[len(open)-1] > maxListLength {
			what, most = "values in one list", maxListLength
		} else if values <= maxTraceValues && len(open) <= maxListLength {
			continue
		}
		return fmt.Errorf("line %s: got more than %d %s, want at most so many", lineAndColumn(data, int64(i)), most, what)
	}
	return nil
}
