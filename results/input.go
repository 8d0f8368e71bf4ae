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

// InputError is the class of an error about data that cannot be read as what it should be, or
// that is not there: what such an error wraps. Each package has its own, as [ErrRecord].
type InputError string

// maxDataBytes is the most that a file of ours may have: a record, a matrix, finished cells and
// the like. It is far beyond what is written.
const maxDataBytes = 256 << 20

func (e InputError) Error() string { return string(e) }

// Unreadable reports whether an error is of such a class.
func Unreadable(err error) bool {
	var class InputError
	return errors.As(err, &class)
}

// ByteOrderMark is what editors of Windows begin a file with.
const ByteOrderMark = "\ufeff"

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
	return bytes.TrimPrefix(data, []byte(ByteOrderMark)), nil
}

// ReadData is what a file of ours has, up to what any of them may have. Its errors are of the
// class of those of the system.
func ReadData(path string) ([]byte, error) { return ReadFileAtMost(path, maxDataBytes) }

// TooLong is the error of a file of so many bytes, nil if ReadData takes them.
func TooLong(path string, size int64) error {
	if size <= maxDataBytes {
		return nil
	}
	return tooLong(path, maxDataBytes)
}

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

// FilesWith are the paths of the files in a folder whose names end so, sorted; none, if there
// is no such folder. The folder's name may have what is special in a pattern.
func FilesWith(dir, end string) []string {
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
