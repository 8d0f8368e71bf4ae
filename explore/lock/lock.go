// Package lock keeps two programs from using one file or folder at once, and says who uses
// it. The system releases a lock when its process ends, however it does.
package lock

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// ErrHeld is wrapped by the error that says who has a lock.
var ErrHeld = errors.New("another run uses it")

// Lock is a lock that is held.
type Lock struct {
	file *flock.Flock
	path string
}

// Take takes the lock that a file stands for. The file is made, says who holds the lock, and
// goes with it. A file system that cannot lock is no reason not to run.
func Take(path string) (*Lock, error) {
	for {
		if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
			return nil, fmt.Errorf("%s is there already and is not a regular file", path)
		}
		file := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o666))
		locked, err := file.TryLock()
		switch {
		case err != nil && file.Close() == nil && unsupported(path, err):
			return &Lock{path: path}, nil
		case err != nil:
			return nil, err
		case !locked:
			who := holder(path)
			if err := file.Close(); err != nil {
				return nil, err
			}
			return nil, fmt.Errorf("%w: %s", ErrHeld, who)
		}
		// Whoever had it before may have removed the file since it was opened.
		if same(file, path) {
			text := fmt.Sprintf("process %d (%.200s), since %s\n", os.Getpid(), strings.Join(os.Args, " "), time.Now().Format(time.DateTime))
			if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
				return nil, errors.Join(err, file.Close())
			}
			return &Lock{file, path}, nil
		}
		if err := file.Close(); err != nil {
			return nil, err
		}
	}
}

// unsupported reports whether the file could be made and only not be locked.
func unsupported(path string, err error) bool {
	var at *fs.PathError
	_, missing := os.Stat(path)
	return missing == nil && (errors.Is(err, errors.ErrUnsupported) || !errors.As(err, &at) || at.Op != "open")
}

// same reports whether a locked file still has its name.
func same(file *flock.Flock, path string) bool {
	opened, err := file.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(path)
	return err == nil && os.SameFile(opened, named)
}

// holder is what the holder of a lock has written of itself.
func holder(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return "nobody knows which"
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, 1<<10))
	if err != nil || len(text) == 0 {
		return "it does not say which it is"
	}
	return strings.ReplaceAll(strings.TrimSpace(strings.ToValidUTF8(string(text), "?")), "\n", " ")
}

// Release gives a lock back. It does nothing on none.
func (l *Lock) Release() {
	if l == nil {
		return
	}
	_ = os.Remove(l.path) // while it is locked: so nobody removes the file of another one
	if l.file != nil {
		_ = l.file.Close()
	}
}
