package store

import "testing"

// TestRestoreMemory: bringing back the states keeps to the memory limit, even in the
// middle of a level, and has them on disk only when they do not fit.
func TestRestoreMemory(t *testing.T) {
	const n = 200_000
	opt := Options{Width: 1, Workers: 1}
	d := newTestDisk(t, t.TempDir())
	full := newExactStore(opt, d)
	in := full.Inserter()
	b := NewBatch(1)
	for i := range uint64(n) {
		b.At(b.N)[0] = i * 0x9e3779b9
		if in.Take(b); b.N == BatchStates || i == 0 || i == n-1 {
			in.Insert(b)
			b.N = 0
			if i == 0 {
				if _, err := full.EndLevel(); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if _, err := full.EndLevel(); err != nil {
		t.Fatal(err)
	}
	levels, nodes, err := full.Save(2)
	if err != nil {
		t.Fatal(err)
	}
	full.mem.settle()
	all := full.Bytes()
	for _, limit := range []uint64{all / 3, all / 2, all * 106 / 100, all * 2} {
		opt.MemoryLimit = limit
		s := newExactStore(opt, d)
		most := uint64(0)
		s.onSpill = func() { most = max(most, s.Bytes()) }
		restored, err := s.Restore(levels, nodes)
		if err != nil {
			t.Fatal(err)
		}
		// It is looked at once per some thousand words, as it is once per batch.
		if most > limit*11/10 || s.Unseen() != (limit < all) || s.Count() != n {
			t.Errorf("limit %d: %d bytes, on disk: %v, %d states", limit, most, s.Unseen(), s.Count())
		}
		seen := 0
		var p Piece
		for _, l := range restored {
			for i := range l.Chunks() {
				if err := l.Load(i, &p); err != nil {
					t.Fatal(err)
				}
				seen += p.N
			}
		}
		if seen != n {
			t.Errorf("limit %d: %d states", limit, seen)
		}
	}
}

func newTestDisk(t testing.TB, dir string) *Disk {
	t.Helper()
	d, err := NewDisk(dir, 0, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}
