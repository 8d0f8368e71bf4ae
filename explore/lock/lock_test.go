package lock

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// TestTake: one at a time, the other one hears who, and nothing is left.
func TestTake(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	l, err := Take(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Take(path); !errors.Is(err, ErrHeld) || !strings.Contains(err.Error(), fmt.Sprintf("process %d (", os.Getpid())) {
		t.Errorf("got %v, want the process that holds it", err)
	}
	l.Release()
	if _, err := os.Lstat(path); err == nil {
		t.Error("the file is left")
	}
	// What a killed process leaves is in nobody's way.
	if err := os.WriteFile(path, []byte("process 1"), 0o666); err != nil {
		t.Fatal(err)
	}
	l, err = Take(path)
	if err != nil {
		t.Fatal(err)
	}
	l.Release()
	(*Lock)(nil).Release()
}

// TestTakeElsewhere: nothing is written through what is no regular file.
func TestTakeElsewhere(t *testing.T) {
	dir := t.TempDir()
	other, path := filepath.Join(dir, "other"), filepath.Join(dir, "lock")
	if err := os.WriteFile(other, []byte("kept"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(other, path); err != nil {
		t.Skip(err)
	}
	if _, err := Take(path); err == nil {
		t.Error("a link was taken for a lock")
	}
	if text, _ := os.ReadFile(other); string(text) != "kept" {
		t.Errorf("%q is left", text)
	}
	if _, err := Take(filepath.Join(dir, "none", "lock")); err == nil {
		t.Error("a lock in no folder")
	}
}

// TestTakeMany has many take and release one lock.
func TestTakeMany(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	var inside atomic.Int32
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for got := 0; got < 20; {
				l, err := Take(path)
				if err != nil {
					if !errors.Is(err, ErrHeld) {
						t.Error(err)
						return
					}
					continue
				}
				if inside.Add(1) != 1 {
					t.Error("two hold it")
				}
				got++
				inside.Add(-1)
				l.Release()
			}
		})
	}
	wg.Wait()
}
