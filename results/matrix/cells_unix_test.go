//go:build unix

package matrix

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"
)

// TestCellsNoRegularFile: pipes and devices are refused, and nobody waits for a reader.
func TestCellsNoRegularFile(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	for _, path := range []string{pipe, "/dev/null", t.TempDir()} {
		if _, err := OpenCells(path); !errors.Is(err, ErrCells) {
			t.Errorf("%s: got %v", path, err)
		}
	}
}
