package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"vsrcheck/explore/lock"
)

// LockName is the file in a directory that a run locks.
const LockName = "lock"

// ErrFolder marks a directory, of a checkpoint or for states on disk, that cannot be written.
var ErrFolder = errors.New("cannot write to the directory")

// Unwritable says why not.
func Unwritable(dir string, err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err // the path is that of a file that nobody has asked for
	}
	return fmt.Errorf("%w %s: %w", ErrFolder, dir, err)
}

// RemoveVolumes removes the volumes in a directory that are to go.
func RemoveVolumes(dir string, goes func(name string) bool) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, f := range files {
		if volumeName.MatchString(f.Name()) && goes(f.Name()) {
			if err := os.Remove(filepath.Join(dir, f.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// usable reports whether a directory for states on disk is one. When it is not that of a
// checkpoint, whose lock has shown that, it is tried whether it can be written, and what runs
// that were killed have left is removed.
func usable(dir string, checkpoint bool) error {
	if st, err := os.Stat(dir); err != nil {
		return Unwritable(dir, err)
	} else if !st.IsDir() {
		return fmt.Errorf("%w %s: it is a file", ErrFolder, dir)
	}
	if checkpoint {
		return nil
	}
	try, err := os.MkdirTemp(dir, ownPrefix)
	if err != nil {
		return Unwritable(dir, err)
	}
	if err := os.Remove(try); err != nil && !errors.Is(err, fs.ErrNotExist) { // another run may have tidied up
		return Unwritable(dir, err)
	}
	tidy(dir)
	return nil
}

// ownPrefix is how the directories begin that runs make for themselves. Runs with the same
// directory for states do not meet: each has one of its own in it, and a lock on that.
const ownPrefix = "explore-"

var ownName = regexp.MustCompile("^" + ownPrefix + "[0-9]+$")

// ownDir makes a directory for a run.
func ownDir(in string) (dir string, held *lock.Lock, err error) {
	for range 100 {
		if dir, err = os.MkdirTemp(in, ownPrefix); err != nil {
			return "", nil, err
		}
		// Another run that tidies up may have taken it for one that was left.
		if held, err = lock.Take(filepath.Join(dir, LockName)); err == nil {
			return dir, held, nil
		}
		_ = os.Remove(dir)
	}
	return "", nil, err
}

// tidy removes directories that runs which were killed have left, as far as it can. One that
// has anything that is no run's is left as it is.
func tidy(dir string) {
	all, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, d := range all {
		if d.IsDir() && ownName.MatchString(d.Name()) {
			tidyOwn(filepath.Join(dir, d.Name()))
		}
	}
}

func tidyOwn(dir string) {
	if os.Remove(dir) == nil {
		return // it was empty
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, f := range files {
		if !volumeName.MatchString(f.Name()) && f.Name() != LockName {
			return
		}
	}
	held, err := lock.Take(filepath.Join(dir, LockName))
	if err != nil {
		return // its run is under way
	}
	_ = RemoveVolumes(dir, func(string) bool { return true })
	held.Release()
	_ = os.Remove(dir)
}

// OpenRegular opens a file for reading that must be there and be no link, pipe or device.
func OpenRegular(path string) (*os.File, error) {
	switch info, err := os.Lstat(path); {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	return os.Open(path)
}

// ReadRegular reads such a file.
func ReadRegular(path string) ([]byte, error) {
	f, err := OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// within refuses a file of words that its volume cannot hold.
func (f *File) within() error {
	info, err := f.volume.file.Stat()
	if err != nil {
		return err
	}
	size := info.Size()
	left := uint64(max(0, size-max(0, f.offset))) / 8
	for i, n := range f.sections {
		if f.offset < 0 || f.offset > size || n > left {
			return fmt.Errorf("%s has %d bytes, and section %d of a file at byte %d is to have %d words", f.volume.path(), size, i, f.offset, n)
		}
		left -= n
	}
	return nil
}
