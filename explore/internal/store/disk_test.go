package store

import (
	"errors"
	"testing"
)

// TestDiskLimitExact: a file that does not fit counts as little as one that is removed.
func TestDiskLimitExact(t *testing.T) {
	d := newTestDisk(t, t.TempDir())
	d.limit = 8 * 10_000
	write := func(words int) (*File, error) {
		w, err := d.create(temporaryKind, 2)
		if err != nil {
			t.Fatal(err)
		}
		for section, n := range []int{words / 3, words - words/3} {
			if err := w.add(section, make([]uint64, n)); err != nil {
				w.abandon()
				return nil, err
			}
		}
		return w.finish()
	}
	for range 3 {
		f, err := write(6_000)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := write(50_000); !errors.Is(err, ErrDiskFull) {
			t.Fatalf("got %v, want %v", err, ErrDiskFull)
		}
		if used := d.used.Load(); used != 8*6_000 {
			t.Fatalf("%d bytes are used", used)
		}
		g, err := write(4_000)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range []*File{f, g} {
			if err := f.remove(); err != nil {
				t.Fatal(err)
			}
		}
		if used, peak := d.used.Load(), d.peak.Load(); used != 0 || peak != d.limit {
			t.Fatalf("%d bytes are used, %d at most", used, peak)
		}
	}
}
