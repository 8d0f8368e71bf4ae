package store

import (
	"errors"
	"fmt"
)

// Part is what a search in the middle of a level has, besides the closed levels.
type Part struct {
	// Frontier has the states of the last closed level in the order in which they are
	// expanded; nil: its own file has.
	Frontier *File
	Expanded uint64 // states of these, the first ones
	// Found are the files of the states that were found in that. A state may be in several,
	// and it may be of a level before when the store did not know yet.
	Found []*File
}

// Files are those of a part.
func (p *Part) Files() (files []*File) {
	if p.Frontier != nil {
		files = append(files, p.Frontier)
	}
	return append(files, p.Found...)
}

// errPart is about a part that does not fit the levels.
var errPart = errors.New("the part of a level that it has does not fit the levels")

// restLevel is what is left of a level: roots in a file.
type restLevel struct {
	store *Exact
	file  *File
	own   bool   // the file is that of the level
	from  uint64 // roots that come first and are left out
	n     uint64
}

func (l *restLevel) States() uint64 { return l.n }
func (l *restLevel) Chunks() int    { return int((l.n + chunkStates - 1) / chunkStates) }

func (l *restLevel) Load(i int, p *Piece) error {
	at := uint64(i) * chunkStates
	p.reserve(int(min(chunkStates, l.n-at)), l.store.shape)
	if err := l.file.read(l.from+at, p.roots, &p.raw); err != nil {
		return err
	}
	p.unfold(l.store)
	return nil
}

// partial is what an exact store remembers of the level under construction for its next part.
type partial struct {
	found []*File        // of roots in memory
	to    [Shards]uint32 // the first roots in memory that they do not have
	rest  *File          // of a restLevel
}

func (s *Exact) SavePart(l Level, n int) (p Part, err error) {
	switch l := l.(type) {
	case *restLevel:
		if p.Expanded = l.from + min(uint64(n)*chunkStates, l.n); !l.own {
			p.Frontier = l.file
		}
	case *ExactLevel:
		if s.ext == nil && l.inOrder == nil {
			if err := l.saveInOrder(); err != nil {
				return p, err
			}
		}
		p.Frontier, p.Expanded = l.inOrder, l.start(n)
	}
	to := s.roots.ends()
	if to != s.partial.to {
		f, err := s.writeRange(partsKind, s.partial.to, to, false)
		if err != nil {
			return p, err
		}
		s.partial.found, s.partial.to = append(s.partial.found, f), to
	}
	if s.ext != nil {
		p.Found = append(p.Found, s.ext.candidates...)
	}
	p.Found = append(p.Found, s.partial.found...)
	return p, nil
}

// forgetPart begins to remember anew, as from the roots that are in memory now.
func (s *Exact) forgetPart() error {
	for _, f := range s.partial.found {
		if err := f.remove(); err != nil {
			return err
		}
	}
	s.partial.found, s.partial.to = nil, s.roots.ends()
	return nil
}

func (s *Exact) RestorePart(p Part) (Level, error) {
	last := s.last()
	if last == nil || p.Expanded > last.n || p.Frontier != nil && p.Frontier.words(len(p.Frontier.sections)) != last.n {
		return nil, errPart
	}
	rest := &restLevel{store: s, file: p.Frontier, from: p.Expanded, n: last.n - p.Expanded}
	if rest.own = p.Frontier == nil; rest.own {
		rest.file = last.sorted
	} else if err := p.Frontier.verify(); err != nil {
		return nil, err
	}
	s.partial.rest = p.Frontier
	for _, f := range p.Found {
		if len(f.sections) != Shards {
			return nil, errPart
		}
		if s.ext != nil {
			break
		}
		switch err := s.roots.restore(f, s.workers, true, s.restorable); {
		case errors.Is(err, ErrMemory):
			if err := s.restoreOutside(); err != nil {
				return nil, err
			}
		case err != nil:
			return nil, err
		}
	}
	if s.ext == nil {
		s.partial.found, s.partial.to = p.Found, s.roots.ends()
		n := s.closed
		for i, from := range last.to {
			n += uint64(s.partial.to[i] - from)
		}
		s.used.Store(n)
		return rest, nil
	}
	// They are candidates now. Those of roots in memory have come from there.
	s.partial.to = s.roots.ends()
	for _, f := range p.Found {
		if err := f.verify(); err != nil {
			return nil, err
		}
		s.used.Add(f.words(len(f.sections)))
	}
	s.ext.candidates = p.Found
	return rest, nil
}

func (s *hashStore) SavePart(l Level, n int) (p Part, err error) {
	level, ok := l.(*hashLevel)
	if !ok {
		return p, errPart
	}
	p.Expanded = level.from + level.start(n)
	w, err := s.disk.create(partsKind, 1)
	if err != nil {
		return p, err
	}
	for _, in := range s.inserters {
		if err := in.writeRest(w); err != nil {
			w.abandon()
			return p, err
		}
	}
	f, err := w.finish()
	if err != nil {
		return p, err
	}
	for _, in := range s.inserters {
		in.saved = in.words()
	}
	s.found = append(s.found, f)
	p.Found = append(p.Found, s.found...)
	return p, nil
}

// words is the number of words of the states that a worker has found.
func (in *hashInserter) words() (n int) {
	for _, b := range in.blocks {
		n += len(b)
	}
	return n
}

// writeRest writes the states that are in no file of a part.
func (in *hashInserter) writeRest(w *fileWriter) error {
	skip := in.saved
	for _, b := range in.blocks {
		n := min(skip, len(b))
		if skip -= n; n == len(b) {
			continue
		}
		if err := w.add(0, b[n:]); err != nil {
			return err
		}
	}
	return nil
}

// forgetPart begins to remember anew.
func (s *hashStore) forgetPart() error {
	for _, in := range s.inserters {
		in.saved = 0
	}
	for _, f := range s.found {
		if err := f.remove(); err != nil {
			return err
		}
	}
	s.found = nil
	return nil
}

func (s *hashStore) RestorePart(p Part) (Level, error) {
	if s.last == nil || p.Frontier != nil || p.Expanded > s.last.n || len(s.inserters) == 0 {
		return nil, errPart
	}
	in := s.inserters[0]
	for _, f := range p.Found {
		if len(f.sections) != 1 {
			return nil, errPart
		}
		if err := s.restoreFile(in, f, in.keep); err != nil {
			return nil, fmt.Errorf("the states that were found in the middle of a level: %w", err)
		}
	}
	in.saved, s.found = in.words(), p.Found
	return &hashLevel{width: s.width, n: s.last.n - p.Expanded, file: s.last.file, from: p.Expanded}, nil
}
