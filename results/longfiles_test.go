package results_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"vsrcheck/results"
	"vsrcheck/results/matrix"
	"vsrcheck/results/mend"
	"vsrcheck/results/tlc"
	"vsrcheck/results/trace"
)

// TestLongFiles: a file that has more than any of its kind is refused before it is read.
func TestLongFiles(t *testing.T) {
	for name, read := range map[string]func(path string) error{
		"t.cells":                  func(path string) error { _, err := matrix.OpenCells(path); return err },
		"m.json":                   func(path string) error { _, err := matrix.Read(path); return err },
		"mend.json":                func(path string) error { _, err := mend.Read(path); return err },
		"r.json":                   func(path string) error { _, err := results.Read(path); return err },
		"x" + tlc.CrosscheckRecord: func(path string) error { _, err := tlc.ReadSpeeds(filepath.Dir(path)); return err },
		"x.out":                    func(path string) error { _, err := tlc.Read(path); return err },
		"trace.json":               func(path string) error { _, err := trace.ReadFile(path, nil); return err },
	} {
		path := filepath.Join(t.TempDir(), name)
		// It has a hole instead of content, which takes no disk.
		if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, 256<<20+1)); err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := read(path)
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), " bytes, want at most so many") || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v", name, err)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20 {
			t.Errorf("%s: refusing it takes %d bytes", name, used)
		}
		var at *os.PathError
		if err := os.WriteFile(path, []byte("\xff\xfea\x00"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := read(path); err == nil || !strings.Contains(err.Error(), name) || !results.Unreadable(err) && !errors.As(err, &at) && !errors.Is(err, tlc.ErrOutput) {
			t.Errorf("%s: got %v of text in UTF-16, want the file and a class", name, err)
		}
	}
}
