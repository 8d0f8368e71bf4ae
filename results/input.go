package results

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// The limits of what is read from a file: more is an error, and takes no memory. They are far
// beyond what is written: a trace of a hundred steps has about half a megabyte, thirty
// thousand values, and no list of more than some hundred of them.
const (
	maxDataBytes   = 256 << 20 // of a record, a matrix, finished cells and the like
	maxTraceBytes  = 64 << 20
	maxTraceValues = 4 << 20
	maxListLength  = 1 << 17
	maxLines       = 1 << 20
	maxActionBytes = 4 << 10
)

// byteOrderMark is what editors of Windows begin a file with.
const byteOrderMark = "\ufeff"

// ReadAtMost reads all that there is, of a file or a stream, without a byte order mark. More
// than so many bytes are an error.
func ReadAtMost(r io.Reader, most int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, most+1))
	switch {
	case err != nil:
		return nil, err
	case int64(len(data)) > most:
		return nil, fmt.Errorf("got more than %d bytes, want at most so many", most)
	case bytes.HasPrefix(data, []byte("\xff\xfe")), bytes.HasPrefix(data, []byte("\xfe\xff")):
		return nil, errors.New("got text in UTF-16, want UTF-8")
	}
	return bytes.TrimPrefix(data, []byte(byteOrderMark)), nil
}

// ReadData is what a file of ours has, up to what any of them may have. Its errors are of the
// class of those of the system.
func ReadData(path string) ([]byte, error) { return ReadFileAtMost(path, maxDataBytes) }

// tooLong is the error of a file that has more than it may.
func tooLong(path string, most int64) error {
	return &os.PathError{Op: "read", Path: path, Err: fmt.Errorf("got more than %d bytes, want at most so many", most)}
}

// ReadFileAtMost is ReadAtMost of a file, which may be a pipe.
func ReadFileAtMost(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	switch info, err := f.Stat(); {
	case err == nil && info.IsDir():
		return nil, &os.PathError{Op: "read", Path: path, Err: errors.New("is a folder")}
	case err == nil && info.Size() > most: // before any of it is read
		return nil, tooLong(path, most)
	}
	data, err := ReadAtMost(f, most)
	var at *os.PathError
	if err != nil && !errors.As(err, &at) {
		err = &os.PathError{Op: "read", Path: path, Err: err}
	}
	return data, err
}

// readTraceData reads a file that should have a trace.
func readTraceData(path string) ([]byte, error) {
	data, err := ReadFileAtMost(path, maxTraceBytes)
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

// Unreadable reports whether an error is about data that cannot be read as what it should be,
// or that is not there.
func Unreadable(err error) bool {
	for _, class := range []error{ErrTrace, ErrRecord, ErrCells, ErrMatrix, ErrMend, ErrSpeed, ErrNoCrosscheck, ErrNoSpeed} {
		if errors.Is(err, class) {
			return true
		}
	}
	return false
}

// filesWith are the paths of the files in a folder whose names end so, sorted; none, if there
// is no such folder. The folder's name may have what is special in a pattern.
func filesWith(dir, end string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // as for a pattern that nothing matches
	}
	var out []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), end) {
			out = append(out, filepath.Join(dir, e.Name()))
		}
	}
	return out
}
