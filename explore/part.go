package explore

import (
	"errors"
	"slices"
	"time"

	"vsrcheck/explore/internal/store"
)

// part is what a search knows in the middle of a level, besides what it knew at the border
// before. Which states the workers have expanded by then depends on the clock, and what comes
// of the whole level does not.
type part struct {
	Frontier *store.SavedFile `json:",omitempty"` // the level in the order of the search; without it, its own file is
	Expanded uint64           // states of the level
	Found    []store.SavedFile
	Unseen   bool // the states found have not been inspected

	// Since the border.
	Generated uint64
	Quiescent uint64
	Observed  []uint64
	Noted     []uint64
	Outside   uint64
	OutsideOf []uint64
	FairOut   uint64
	Met       []bool
	Findings  []savedFinding

	// Since the beginning.
	Cyclic   bool
	Marks    uint64
	Coverage []Coverage
	Elapsed  time.Duration
}

// savedFinding is a violation that was found in the part. A smaller one may follow.
type savedFinding struct {
	Slot          int
	State, Target []uint64
	Action        Action
}

// partOf is what a part is restored from.
func (s *search[S]) partOf(p store.Part) *part {
	out := &part{
		Expanded: p.Expanded, Found: savedFiles(p.Found), Unseen: s.store.Unseen() || s.uninspected,
		Observed: make([]uint64, len(s.observed)), Noted: make([]uint64, len(s.noted)), OutsideOf: make([]uint64, len(s.outsideOf)),
		Met:    make([]bool, len(s.props.Reachable)),
		Cyclic: s.cyclic.Load(), Marks: marksOf(s.sys), Coverage: s.coverage(), Elapsed: time.Since(s.started),
	}
	if p.Frontier != nil {
		f := p.Frontier.Saved()
		out.Frontier = &f
	}
	found := make([]finding, s.slots.n)
	for _, w := range s.workers {
		out.Generated += w.generated
		out.Quiescent += w.quiescent
		out.Outside += w.outside
		out.FairOut += w.fairOut
		addTo(out.Observed, w.observed)
		addTo(out.Noted, w.noted)
		addTo(out.OutsideOf, w.outsideOf)
		for i, m := range w.met {
			out.Met[i] = out.Met[i] || m
		}
		for i := range w.findings {
			found[i].offer(&w.findings[i])
		}
	}
	for slot, f := range found {
		if f.found {
			out.Findings = append(out.Findings, savedFinding{slot, f.state, f.target, f.action})
		}
	}
	return out
}

func addTo(sums, more []uint64) {
	for i, n := range more {
		sums[i] += n
	}
}

// takes reports whether a part is one that this search may have written.
func (s *search[S]) takes(p *part) bool {
	if len(p.Observed) != len(s.observed) || len(p.Noted) != len(s.noted) || len(p.OutsideOf) != len(s.outsideOf) ||
		len(p.Met) != len(s.props.Reachable) || len(p.Coverage) != len(s.kinds) {
		return false
	}
	return !slices.ContainsFunc(p.Findings, func(f savedFinding) bool {
		return f.Slot < 0 || f.Slot >= s.slots.n || len(f.State) != s.width || len(f.Target) != 0 && len(f.Target) != s.width
	})
}

// reopen opens the files of a part.
func (p *part) reopen(d *store.Disk) (out store.Part, err error) {
	if p == nil {
		return out, nil
	}
	out.Expanded = p.Expanded
	if p.Frontier != nil {
		files, err := d.Reopen([]store.SavedFile{*p.Frontier})
		if err != nil {
			return out, err
		}
		out.Frontier = files[0]
	}
	out.Found, err = d.Reopen(p.Found)
	return out, err
}

// goOnWithin puts a search where it was after the border. The figures are the first worker's,
// and merged with those of the rest of the level.
func (s *search[S]) goOnWithin(p *part) {
	w := s.workers[0]
	w.generated, w.quiescent, w.outside, w.fairOut = p.Generated, p.Quiescent, p.Outside, p.FairOut
	copy(w.observed, p.Observed)
	copy(w.noted, p.Noted)
	copy(w.outsideOf, p.OutsideOf)
	copy(w.met, p.Met)
	copy(w.coverage, p.Coverage)
	for _, f := range p.Findings {
		w.findings[f.Slot] = finding{found: true, state: f.State, target: f.Target, action: f.Action}
	}
	s.cyclic.Store(p.Cyclic)
	markAgain(s.sys, p.Marks)
	s.uninspected = p.Unseen
	s.expanded = p.Expanded
	s.started = s.started.Add(s.border.Elapsed - p.Elapsed)
	s.progress.generated.Add(p.Generated)
}

// pauseWhenDue has the workers pause when a checkpoint is due, until the function is called.
func (s *search[S]) pauseWhenDue() (stop func()) {
	s.pause.Store(false)
	c := s.opt.Checkpoint
	if c == nil || c.Every == 0 {
		return func() {}
	}
	left := c.Every - time.Since(s.savedAt)
	if left <= 0 {
		s.pause.Store(true)
		return func() {}
	}
	t := time.AfterFunc(left, func() { s.pause.Store(true) })
	return func() { t.Stop() }
}

// taken is the number of chunks of a level that workers have expanded, when all pause.
func (s *search[S]) taken(l store.Level) int { return min(int(s.cursor.Load()), l.Chunks()) }

// checkpointPart writes a checkpoint in the middle of a level, if it can be gone on with, and
// reports whether the level is to be gone on with now.
func (s *search[S]) checkpointPart(l store.Level) (more bool) {
	why := s.stop.Load()
	switch {
	case s.taken(l) == 0, s.taken(l) == l.Chunks():
		return false // that is a border
	case s.opt.Checkpoint == nil, s.border == nil, why != nil && *why != StopInterrupted, s.store.Trouble() != nil:
		return false
	case slices.ContainsFunc(s.workers, func(w *worker[S]) bool { return w.panicked != nil }):
		s.savedAt = time.Now()
		return why == nil // the run ends at the border, and says why
	}
	s.progress.phase.Store("checkpoint")
	err := s.writeCheckpoint(l)
	s.progress.phase.Store("search")
	switch {
	case errors.Is(err, store.ErrDiskFull):
		s.savedAt = time.Now() // the border may need less
	case err != nil:
		s.outOfDisk(err)
	}
	return !s.halted()
}
