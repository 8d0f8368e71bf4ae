//go:build unix

package results

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestFileLeftOver: what killed runs have left goes with the next one, but nothing that is in
// use or of another name.
func TestFileLeftOver(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "run.json")
	for _, name := range []string{".run.json.vsrcheck-1", ".run.json.vsrcheck-22", ".run.json.vsrcheck-x", ".other.json.vsrcheck-1", ".run.json.1"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	one, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	two, err := Create(path) // does not take the first one's
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(one.Commit([]byte("one")), two.Commit([]byte("two"))); err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		got[f.Name()] = true
	}
	if len(got) != 4 || !got["run.json"] || !got[".run.json.vsrcheck-x"] || !got[".other.json.vsrcheck-1"] || !got[".run.json.1"] {
		t.Errorf("got %v", got)
	}
	if text, err := os.ReadFile(path); string(text) != "two" {
		t.Errorf("got %q, %v", text, err)
	}
}

// TestFileMode: files have the rights that the umask leaves.
func TestFileMode(t *testing.T) {
	before := syscall.Umask(0)
	defer syscall.Umask(before)
	for mask, want := range map[int]os.FileMode{0o022: 0o644, 0o027: 0o640, 0o077: 0o600, 0: 0o666} {
		syscall.Umask(mask)
		path := filepath.Join(t.TempDir(), "run.json")
		if err := WriteFile(path, []byte("x")); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("umask %03o: got %v, %v", mask, info.Mode(), err)
		}
	}
}

// TestNoRegularFile: pipes and devices are refused, and nobody waits for a reader.
func TestNoRegularFile(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	for _, path := range []string{pipe, "/dev/null", t.TempDir()} {
		if err := WriteFile(path, nil); !errors.Is(err, ErrOutput) {
			t.Errorf("%s: got %v", path, err)
		}
	}
}
