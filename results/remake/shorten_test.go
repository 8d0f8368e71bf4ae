package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"vsrcheck/results"
	"vsrcheck/results/trace"
)

// mostData is how many bytes the data may have in all.
const mostData = 6_000_000

// TestDataIsShort: what is published is kept in the short forms, and is not too much.
func TestDataIsShort(t *testing.T) {
	t.Chdir("../..")
	const hint = "go run ./results/remake -shorten brings it into its form"
	for folder, names := range left {
		records, err := results.ReadAll(runs + folder)
		if err != nil || len(records) < 10 {
			t.Fatalf("%s: %d records, %v", folder, len(records), err)
		}
		for _, r := range records {
			before := slices.Clone(r.LeftOut)
			if r.LeaveOut(names...); !slices.Equal(before, r.LeftOut) {
				t.Errorf("%s/%s has %q; %s", folder, r.File, r.LeftOut[len(before):], hint)
			}
		}
	}
	full, err := results.ReadAll(runs)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range full {
		if len(r.LeftOut) > 0 {
			t.Errorf("%s leaves out %q, want the whole record: it is of a run itself", r.File, r.LeftOut)
		}
	}
	traces, err := filepath.Glob(runs + "traces/*.json")
	if err != nil || len(traces) < 10 {
		t.Fatalf("%d traces, %v", len(traces), err)
	}
	for _, path := range traces {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := trace.Shorten(data); !errors.Is(err, trace.ErrShort) {
			t.Errorf("%s: %v; %s", path, err, hint)
		}
	}
	size := int64(0)
	err = filepath.WalkDir(runs, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		size += info.Size()
		return err
	})
	if err != nil || size > mostData {
		t.Errorf("%s has %d bytes, want at most %d (%v)", runs, size, mostData, err)
	}
}
