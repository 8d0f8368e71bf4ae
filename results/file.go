package results

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// ErrOutput is wrapped by every error about a file that cannot be written.
var ErrOutput = errors.New("cannot write")

// File is an output file that appears under its name only when it is complete. It
// is made before a run, so that a path that cannot be written is found before the
// time is spent, and not after.
type File struct {
	out  io.Writer // instead of a file, see ToWriter
	path string
	temp *os.File
}

// Create prepares to write path: it makes a temporary file in the same folder. The
// caller must call Commit or Abort.
func Create(path string) (*File, error) {
	if path == "" {
		return nil, fmt.Errorf("%w: got an empty path, want a file name", ErrOutput)
	}
	if path == "-" {
		return nil, fmt.Errorf("%w: got -, want a file name: standard output has the report", ErrOutput)
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%w: %s is there already and is not a regular file", ErrOutput, path)
	}
	temp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		// The error's own path is the temporary file's, which nobody has asked for.
		var at *os.PathError
		if errors.As(err, &at) {
			err = at.Err
		}
		return nil, fmt.Errorf("%w %s: %w", ErrOutput, path, err)
	}
	return &File{path: path, temp: temp}, nil
}

// ToWriter is a File whose data goes to a stream, all of it with Commit.
func ToWriter(out io.Writer) *File { return &File{out: out} }

// Commit writes the data and gives the file its name. On an error the old file, if
// there was one, is untouched.
func (f *File) Commit(data []byte) error {
	if f.out != nil {
		_, err := f.out.Write(data)
		return err
	}
	_, err := f.temp.Write(data)
	err = errors.Join(err, f.temp.Chmod(0o644), f.temp.Sync(), f.temp.Close())
	if err == nil {
		err = os.Rename(f.temp.Name(), f.path)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(f.temp.Name()))
		return fmt.Errorf("%w %s: %w", ErrOutput, f.path, err)
	}
	f.temp = nil
	return nil
}

// Abort removes what Create made. It does nothing after Commit, and nothing on a nil
// File.
func (f *File) Abort() {
	if f == nil || f.temp == nil {
		return
	}
	// Nothing can be done about a temporary file that cannot be removed.
	_ = f.temp.Close()
	_ = os.Remove(f.temp.Name())
	f.temp = nil
}

// WriteFile writes a whole file at once, or leaves the old one.
func WriteFile(path string, data []byte) error {
	f, err := Create(path)
	if err != nil {
		return err
	}
	defer f.Abort()
	return f.Commit(data)
}
