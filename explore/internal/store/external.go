package store

import (
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"
)

// Beyond its memory limit the exact store keeps the roots on disk: each level is a
// file, sorted within each shard. The memory then holds the nodes of the trees and only
// those roots that were met since it was last emptied. Whether such a candidate is a
// new state is decided at the end of a level, when it is compared with all levels before
// (delayed duplicate detection; U. Stern and D. Dill, "Using Magnetic Disk instead of
// Main Memory in the Murphi Verifier", CAV 1998). That costs a pass over the files for
// each level, all of it in sequence.

// external is the part of the exact store that is on disk. Its files are sorted.
type external struct {
	runs       []run          // all closed levels; each at least twice as large as the next
	candidates []*File        // of the level under construction
	border     [Shards]uint32 // roots in memory that are not of the level under construction
}

// run is a level, or several of them in one file. Without the latter a search of many
// levels would spend its time on opening small files.
type run struct {
	*File
	merged bool
}

// pressed reports that the roots should go to disk.
func (s *Exact) pressed() bool {
	return s.limit != 0 && s.mem.taken.Load() > s.spillAt
}

// crowded is pressed once everything is collected that can be.
func (s *Exact) crowded() bool {
	if s.pressed() {
		s.mem.settle()
	}
	return s.pressed()
}

// relieve moves the roots to disk, unless another worker has just done so.
func (s *Exact) relieve() {
	s.gate.Lock()
	defer s.gate.Unlock()
	if s.Trouble() != nil || !s.crowded() {
		return
	}
	// Nodes cannot go to disk. When little else is in memory it is used up.
	if s.roots.bytes() < s.limit/8 {
		s.fail(ErrMemory)
		return
	}
	if s.onSpill != nil {
		s.onSpill()
	}
	if err := s.empty(); err != nil {
		s.fail(err)
	}
}

// empty writes the roots to disk and forgets them.
func (s *Exact) empty() error {
	if s.ext == nil {
		ext, err := s.onDisk()
		if err != nil {
			return err
		}
		if last := s.last(); last != nil {
			// Workers may be in the middle of it: the chunks that are left must have the
			// states that they have in memory.
			if last.inOrder == nil {
				if err := last.saveInOrder(); err != nil {
					return err
				}
			}
			ext.border = last.to
		}
		s.ext = ext
	}
	f, err := s.writeRange(partsKind, s.ext.border, s.roots.ends(), true)
	if err != nil {
		return err
	}
	s.ext.candidates = append(s.ext.candidates, f)
	s.forgetRoots()
	return s.forgetPart() // which is among the candidates now
}

// onDisk is all closed levels on disk, those included that were not there yet.
func (s *Exact) onDisk() (*external, error) {
	ext := &external{}
	for _, l := range s.levels {
		if err := l.save(); err != nil {
			return nil, err
		}
		if err := ext.include(l.sorted); err != nil {
			return nil, err
		}
	}
	return ext, nil
}

// forgetRoots empties the memory of roots.
func (s *Exact) forgetRoots() {
	s.ext.border = [Shards]uint32{}
	s.mem.retired.Add(s.roots.bytes())
	s.roots = s.newRoots()
	s.mem.settle()
}

// writeRange makes a file of the roots in a range of positions.
func (s *Exact) writeRange(kind string, from, to [Shards]uint32, sorted bool) (*File, error) {
	w, err := s.disk.create(kind, Shards)
	if err != nil {
		return nil, err
	}
	var buf []uint64
	for i := range Shards {
		buf = s.roots.shards[i].appendRange(buf[:0], from[i], to[i])
		if sorted {
			slices.Sort(buf)
		}
		if err := w.add(i, buf); err != nil {
			w.abandon()
			return nil, err
		}
	}
	return w.finish()
}

// confirm ends a level: it makes the file of the candidates that are in no level
// before. The roots in memory stay there, and keep out what is met again. No insertion
// may be under way.
func (s *Exact) confirm() (*File, error) {
	w, err := s.disk.create(levelsKind, Shards)
	if err != nil {
		return nil, err
	}
	if err := s.subtract(w); err != nil {
		w.abandon()
		return nil, err
	}
	s.ext.border = s.roots.ends()
	for _, c := range s.ext.candidates {
		if err := c.remove(); err != nil {
			return nil, err
		}
	}
	s.ext.candidates = s.ext.candidates[:0]
	level, err := w.finish()
	if err != nil {
		return nil, err
	}
	return level, s.ext.include(level)
}

// subtract writes the candidates that are in no level. The shards are independent, so
// several are worked on at once; they are written in order.
func (s *Exact) subtract(w *fileWriter) error {
	var (
		g    errgroup.Group
		mu   sync.Mutex
		turn = sync.NewCond(&mu)
		next int
		bad  bool
	)
	g.SetLimit(s.shardsAtOnce())
	for shard := range Shards {
		g.Go(func() error {
			fresh, err := s.fresh(shard)
			mu.Lock()
			defer mu.Unlock()
			for next != shard && !bad {
				turn.Wait()
			}
			if err == nil && !bad {
				err = w.add(shard, fresh)
			}
			next, bad = shard+1, bad || err != nil
			turn.Broadcast()
			return err
		})
	}
	return g.Wait()
}

// shardsAtOnce is the number of shards whose candidates fit into the memory that is left;
// those of one have to.
func (s *Exact) shardsAtOnce() int {
	most := uint64(1)
	for i := range Shards {
		n := uint64(s.roots.shards[i].n.Load() - s.ext.border[i])
		for _, c := range s.ext.candidates {
			n += c.sections[i]
		}
		most = max(most, 8*n)
	}
	left := s.limit - min(s.limit, s.mem.taken.Load())
	return int(max(1, min(uint64(s.workers), left/most)))
}

// include adds a level to the runs, and merges those at the end while they are of
// similar size.
func (e *external) include(level *File) error {
	e.runs = append(e.runs, run{File: level})
	for len(e.runs) > 1 {
		a, b := e.runs[len(e.runs)-2], e.runs[len(e.runs)-1]
		if a.words(Shards) >= 2*b.words(Shards) {
			break
		}
		f, err := e.merge(a.File, b.File)
		if err != nil {
			return err
		}
		e.runs = append(e.runs[:len(e.runs)-2], run{f, true})
		for _, old := range []run{a, b} {
			if old.merged {
				if err := old.remove(); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// merge makes one file of two.
func (e *external) merge(a, b *File) (*File, error) {
	w, err := a.volume.disk.create(temporaryKind, Shards)
	if err != nil {
		return nil, err
	}
	for i := range Shards {
		if err := mergeSection(w, i, a.section(i), b.section(i)); err != nil {
			w.abandon()
			return nil, err
		}
	}
	return w.finish()
}

func mergeSection(w *fileWriter, section int, a, b *sectionReader) error {
	const most = 1 << 12
	var x, y []uint64 // read and not written yet
	bufX, bufY, out := make([]uint64, most), make([]uint64, most), make([]uint64, 0, most)
	for {
		var err error
		if len(x) == 0 {
			if x, err = a.next(bufX); err != nil {
				return err
			}
		}
		if len(y) == 0 {
			if y, err = b.next(bufY); err != nil {
				return err
			}
		}
		if len(x) == 0 && len(y) == 0 {
			return nil
		}
		out = out[:0]
		for len(out) < most && len(x) > 0 && len(y) > 0 {
			if x[0] < y[0] {
				out, x = append(out, x[0]), x[1:]
			} else {
				out, y = append(out, y[0]), y[1:]
			}
		}
		if len(out) == 0 {
			// One of them is at its end.
			out = append(append(out, x...), y...)
			x, y = nil, nil
		}
		if err := w.add(section, out); err != nil {
			return err
		}
	}
}

// fresh is the candidates of a shard that are in no level, sorted.
func (s *Exact) fresh(shard int) ([]uint64, error) {
	e := s.ext
	root := &s.roots.shards[shard]
	fresh := root.appendRange(nil, e.border[shard], root.n.Load())
	for _, c := range e.candidates {
		n := len(fresh)
		fresh = slices.Grow(fresh, int(c.sections[shard]))[:n+int(c.sections[shard])]
		if _, err := c.section(shard).next(fresh[n:]); err != nil {
			return nil, err
		}
	}
	slices.Sort(fresh)
	fresh = slices.Compact(fresh)
	for _, l := range e.runs {
		var err error
		if fresh, err = without(fresh, l.section(shard)); err != nil {
			return nil, err
		}
	}
	return fresh, nil
}

// without is the words that a section does not have. Both are sorted.
func without(words []uint64, r *sectionReader) ([]uint64, error) {
	kept, rest := words[:0], words
	var buf []uint64
	for len(rest) > 0 && r.left > 0 {
		if buf == nil {
			buf = make([]uint64, min(1<<13, r.left))
		}
		old, err := r.next(buf)
		if err != nil {
			return nil, err
		}
		for _, o := range old {
			for len(rest) > 0 && rest[0] < o {
				kept, rest = append(kept, rest[0]), rest[1:]
			}
			if len(rest) > 0 && rest[0] == o {
				rest = rest[1:]
			}
		}
	}
	return append(kept, rest...), nil
}
