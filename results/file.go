package results

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"
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
	lock *flock.Flock // of temp: so that the next run knows whether it is left over
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
	removeLeftOver(path)
	f := &File{path: path}
	if err := f.make(); err != nil {
		// The error's own path is the temporary file's, which nobody has asked for.
		var at *os.PathError
		if errors.As(err, &at) {
			err = at.Err
		}
		return nil, fmt.Errorf("%w %s: %w", ErrOutput, path, err)
	}
	return f, nil
}

// temporary is what the names of temporary files begin with: .NAME.vsrcheck-N.
func temporary(path string) string { return "." + filepath.Base(path) + ".vsrcheck-" }

// make makes the temporary file, with the rights that any new file has.
func (f *File) make() (err error) {
	for range 1000 {
		name := filepath.Join(filepath.Dir(f.path), fmt.Sprintf("%s%d", temporary(f.path), rand.Uint32()))
		if f.temp, err = os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666); errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return err
		}
		f.lock = flock.New(name, flock.SetFlag(os.O_RDWR))
		// A file system that cannot lock is no reason not to write. If another run has
		// removed it meanwhile, as one that was left, there is another name.
		_, _ = f.lock.TryLock()
		if _, err = os.Lstat(name); err == nil {
			return nil
		}
		_ = f.lock.Close()
		_ = f.temp.Close()
	}
	return err
}

// removeLeftOver removes temporary files for a path that runs which were killed have left, as
// far as it can.
func removeLeftOver(path string) {
	files, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return
	}
	for _, f := range files {
		number, own := strings.CutPrefix(f.Name(), temporary(path))
		if !own || !digits(number) || !f.Type().IsRegular() {
			continue
		}
		name := filepath.Join(filepath.Dir(path), f.Name())
		held := flock.New(name, flock.SetFlag(os.O_RDWR))
		if free, err := held.TryLock(); free && err == nil {
			_ = os.Remove(name)
		}
		_ = held.Close()
	}
}

// digits says whether a text is one or more decimal digits.
func digits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
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
	name := f.temp.Name()
	_, err := f.temp.Write(data)
	err = errors.Join(err, f.temp.Sync(), f.temp.Close())
	if err == nil {
		err = os.Rename(name, f.path)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(name))
	} else {
		err = syncFolder(filepath.Dir(f.path))
	}
	_ = f.lock.Close()
	f.temp = nil
	if err != nil {
		return fmt.Errorf("%w %s: %w", ErrOutput, f.path, err)
	}
	return nil
}

// syncFolder makes the names in a folder last. Not every system can.
func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return nil // one that may be written and not read
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, fs.ErrInvalid) {
		return err
	}
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
	_ = f.lock.Close()
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
