//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package explore

import (
	"errors"
	"os"
	"syscall"
)

// lockDir locks a directory against other runs until the file that it returns is closed,
// or the process ends, however it does. It fails with errLocked if another run has it.
func lockDir(dir string) (*os.File, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		f.Close()
		return nil, errLocked
	}
	return f, nil // a file system that cannot lock is no reason not to run
}
