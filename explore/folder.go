package explore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrFolder marks a directory, of a checkpoint or for states on disk, that cannot be written.
var ErrFolder = errors.New("cannot write to the directory")

// unwritable says why not.
func unwritable(dir string, err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err // the path is that of a file that nobody has asked for
	}
	return fmt.Errorf("%w %s: %w", ErrFolder, dir, err)
}

// removeVolumes removes the volumes in a directory that are to go.
func removeVolumes(dir string, goes func(name string) bool) error {
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
