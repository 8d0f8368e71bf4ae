package results_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"vsrcheck/results"
	"vsrcheck/results/internal/resultstest"
)

func TestReadAll(t *testing.T) {
	dir := t.TempDir()
	data, err := resultstest.Sample().Write()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"b.json", "a.json"} {
		if err := results.WriteFile(filepath.Join(dir, name), data); err != nil {
			t.Fatal(err)
		}
	}
	got, err := results.ReadAll(dir)
	if err != nil || len(got) != 2 || got[0].File != "a.json" {
		t.Errorf("got %v, %v", got, err)
	}
	if err := results.WriteFile(filepath.Join(dir, "c.json"), []byte("{}")); err != nil {
		t.Fatal(err)
	}
	if _, err := results.ReadAll(dir); !errors.Is(err, results.ErrRecord) || !strings.Contains(err.Error(), "c.json") {
		t.Errorf("got %v, want ErrRecord with the file's name", err)
	}
}
