package results_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"vsrcheck/results"
)

func TestFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out.json")
	if err := results.WriteFile(path, []byte("old")); err != nil {
		t.Fatal(err)
	}
	f, err := results.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if data, _ := os.ReadFile(path); string(data) != "old" {
		t.Errorf("before Commit the file has %q", data)
	}
	f.Abort()
	f.Abort()
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("Abort left %v", entries)
	}
	if f, err = results.Create(path); err != nil {
		t.Fatal(err)
	}
	if err := f.Commit([]byte("new")); err != nil {
		t.Fatal(err)
	}
	f.Abort()
	if data, _ := os.ReadFile(path); string(data) != "new" {
		t.Errorf("after Commit the file has %q", data)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("Commit left %v", entries)
	}
	for _, bad := range []string{"", dir, filepath.Join(dir, "none", "x"), filepath.Join(path, "x")} {
		if _, err := results.Create(bad); !errors.Is(err, results.ErrOutput) {
			t.Errorf("Create(%q) = %v, want ErrOutput", bad, err)
		}
	}
	var none *results.File
	none.Abort()
}
