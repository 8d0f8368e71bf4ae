package explore

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"vsrcheck/explore/internal/store"
	"vsrcheck/explore/lock"
)

// Checkpointing says where a run keeps what it needs to go on after it has ended early.
//
// A checkpoint is of a level border, or of the middle of a level. It consists of the states
// of each level and, for the exact store, the nodes of their trees, in volumes that are only
// ever appended to, and of a list of these with the figures of the run so far. In the middle
// of a level it has, too, how far the level is expanded and the states that were found in
// that (part.go). The list is written last, and replaces the one before at once, so a run that
// is killed at any moment leaves the last complete checkpoint. Everything has a checksum.
type Checkpointing struct {
	// Dir is the directory of the checkpoint. It is made if need be, and must not hold
	// another one, except when that is to be resumed, nor be in use by another run. Once
	// everything is decided, what the run has put there is removed.
	Dir string
	// Every is the least time between two checkpoints; 0 means one at every level
	// border, and none within a level. One is made in any case when the run stops at a limit
	// or is interrupted, unless that was before any level was expanded.
	Every time.Duration
	// Identity describes the run: what must be the same to go on.
	Identity string
	// Resume goes on with the run whose checkpoint is in Dir.
	Resume bool
	// Keep leaves a checkpoint even when everything is decided, and the directory in use:
	// the caller has more to do with the result. It calls Remove once that is done, and
	// Release in any case.
	Keep bool

	lock *lock.Lock // of the directory, after a run with Keep
}

// ErrCheckpoint marks a checkpoint that cannot be used, or not made.
var ErrCheckpoint = errors.New("checkpoint")

// ErrFolder marks a directory, of a checkpoint or for states on disk, that cannot be written.
var ErrFolder = store.ErrFolder

const (
	listName   = "checkpoint.json"
	partSuffix = ".part" // of a list that is being written
	listHeader = "checkpoint 1 "
)

// saved is the list of a checkpoint.
type saved struct {
	Identity   string
	Store      StoreKind
	Width      int
	Shards     int
	Properties []string
	Volumes    int // made so far
	Levels     []store.SavedFile
	Nodes      []store.SavedFile
	Border     border
	Part       *part `json:",omitempty"` // of the level after the border
}

// border is what a search knows at a level border.
type border struct {
	Depth     int // of the level to be expanded
	Covered   int
	Counts    []uint64
	Distinct  uint64
	Generated uint64
	Quiescent uint64
	Observed  []uint64
	Noted     []uint64
	Outside   uint64
	OutsideOf []uint64
	InitOut   uint64
	FairOut   uint64
	Cyclic    bool
	Marks     uint64 // by a system that is Noting
	Coverage  []Coverage
	Met       map[string]int
	Witnesses []savedWitness
	Elapsed   time.Duration
}

type savedWitness struct {
	Slot, Depth   int
	State, Target []uint64
	Action        Action
	Bits          uint64
}

// atBorder notes the figures of a level border.
func (s *search[S]) atBorder() {
	b := &border{
		Depth: s.depth, Covered: s.covered, Counts: slices.Clip(s.counts), Distinct: s.distinct, // only appended to
		Generated: s.generated, Quiescent: s.quiescent, Observed: slices.Clone(s.observed), Noted: slices.Clone(s.noted),
		Outside: s.outside, OutsideOf: slices.Clone(s.outsideOf), InitOut: s.initOut, FairOut: s.fairOut, Cyclic: s.cyclic.Load(),
		Marks:    marksOf(s.sys),
		Coverage: s.coverage(), Met: maps.Clone(s.met), Elapsed: time.Since(s.started),
	}
	for _, w := range s.witnesses {
		b.Witnesses = append(b.Witnesses, savedWitness{w.slot, w.depth, w.finding.state, w.finding.target, w.finding.action, w.bits})
	}
	s.border = b
}

// goOn puts a search where it was at a border.
func (s *search[S]) goOn(b *border) {
	s.depth, s.covered, s.counts, s.distinct = b.Depth, b.Covered, b.Counts, b.Distinct
	s.generated, s.quiescent, s.observed, s.noted = b.Generated, b.Quiescent, b.Observed, b.Noted
	s.outside, s.outsideOf, s.initOut, s.fairOut = b.Outside, b.OutsideOf, b.InitOut, b.FairOut
	s.cyclic.Store(b.Cyclic)
	markAgain(s.sys, b.Marks)
	s.workers[0].coverage = b.Coverage
	for name, depth := range b.Met {
		s.met[name] = depth
		for i := range s.props.Reachable {
			if s.props.Reachable[i].Name == name {
				s.open[s.slots.reachable+i] = false
			}
		}
	}
	for _, w := range b.Witnesses {
		s.open[w.Slot] = false
		s.witnesses = append(s.witnesses, witness{slot: w.Slot, depth: w.Depth, bits: w.Bits,
			finding: finding{found: true, state: w.State, target: w.Target, action: w.Action}})
	}
	s.border = b
}

// checkpoint writes a checkpoint of the last border if one is due, or in any case if the
// run is about to end and none of the border, or of a part of the level after it, is there.
func (s *search[S]) checkpoint(ending bool) error {
	c := s.opt.Checkpoint
	if c == nil || s.border == nil || s.border == s.savedBorder || !ending && time.Since(s.savedAt) < c.Every {
		return nil
	}
	s.progress.begin("checkpoint", s.border.Depth, 0)
	return s.writeCheckpoint(nil)
}

// writeCheckpoint writes one of the last border, and of the part of a level that is expanded.
func (s *search[S]) writeCheckpoint(expanded store.Level) error {
	c := s.opt.Checkpoint
	list := &saved{
		Identity: c.Identity, Store: s.opt.Store, Width: s.width, Shards: store.Shards, Properties: s.propertyNames(), Border: *s.border,
	}
	levels, nodes, err := s.store.Save(s.border.Depth + 1)
	if err == nil {
		list.Levels, list.Nodes = savedFiles(levels), savedFiles(nodes)
	}
	var p store.Part
	if err == nil && expanded != nil {
		p, err = s.store.SavePart(expanded, s.taken(expanded))
		list.Part = s.partOf(p)
	}
	if err == nil {
		err = s.disk.Sync()
	}
	if err == nil {
		list.Volumes = s.disk.Made()
		err = list.write(c.Dir)
	}
	if err == nil {
		err = s.disk.Settle(p.Files())
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrCheckpoint, store.DiskError(err))
	}
	s.savedBorder, s.savedAt = s.border, time.Now()
	return nil
}

func (s *search[S]) propertyNames() (names []string) {
	for slot := range s.slots.n {
		name, kind := propertyAt(&s.props, slot)
		names = append(names, string(kind)+" "+name)
	}
	return names
}

func savedFiles(files []*store.File) (out []store.SavedFile) {
	for _, f := range files {
		out = append(out, f.Saved())
	}
	return out
}

// write replaces the list in a directory.
func (l *saved) write(dir string) error {
	body, err := json.MarshalIndent(l, "", " ")
	if err != nil {
		return err
	}
	text := append(fmt.Appendf(nil, "%s%x\n", listHeader, sha256.Sum256(body)), body...)
	path := filepath.Join(dir, listName)
	if err := writeSynced(path+partSuffix, text); err != nil {
		return err
	}
	if err := os.Rename(path+partSuffix, path); err != nil {
		return err
	}
	return store.SyncDir(dir)
}

// writeSynced makes a file that is on the disk when it returns. It leaves none when it
// fails: the disk may be full.
func writeSynced(path string, text []byte) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666) // through no link
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		os.Remove(path)
	}
	return err
}

// readList reads the list of a checkpoint.
func readList(dir string) (*saved, error) {
	path := filepath.Join(dir, listName)
	text, err := store.ReadRegular(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%w: none in %s: it has no %s", ErrCheckpoint, dir, listName)
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrCheckpoint, err)
	}
	head, body, _ := bytes.Cut(text, []byte("\n"))
	sum, ok := strings.CutPrefix(string(head), listHeader)
	if !ok {
		return nil, fmt.Errorf("%w: %s begins with %.40q, want %q", ErrCheckpoint, path, head, listHeader)
	}
	if got := fmt.Sprintf("%x", sha256.Sum256(body)); got != sum {
		return nil, fmt.Errorf("%w: %s is damaged: its checksum is %s, want %s", ErrCheckpoint, path, got, sum)
	}
	l := new(saved)
	if err := json.Unmarshal(body, l); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrCheckpoint, path, err)
	}
	return l, nil
}

// CheckpointIdentity is the Identity of the run whose checkpoint is in dir. Errors wrap
// ErrCheckpoint.
func CheckpointIdentity(dir string) (string, error) {
	l, err := readList(dir)
	if err != nil {
		return "", err
	}
	return l.Identity, nil
}

// resume reads which run a checkpoint is of, and refuses that of another one.
func (s *search[S]) resume() error {
	c := s.opt.Checkpoint
	l, err := readList(c.Dir)
	if err != nil {
		return err
	}
	mismatch := func(what string, got, want any) error {
		return fmt.Errorf("%w: %s is of another run: %s: got %v, want %v", ErrCheckpoint, c.Dir, what, got, want)
	}
	switch {
	case l.Identity != c.Identity:
		return mismatch("identity", l.Identity, c.Identity)
	case l.Store != s.opt.Store:
		return mismatch("store", l.Store, s.opt.Store)
	case l.Width != s.width:
		return mismatch("words of a state", l.Width, s.width)
	case l.Shards != store.Shards:
		return mismatch("shards", l.Shards, store.Shards)
	case !slices.Equal(l.Properties, s.propertyNames()):
		return mismatch("properties", l.Properties, s.propertyNames())
	case len(l.Levels) != l.Border.Depth+1 || len(l.Border.Coverage) != len(s.kinds) || len(l.Border.Observed) != len(s.props.Observed) ||
		len(l.Border.OutsideOf) != len(s.props.ConstraintParts) || len(l.Border.Noted) != len(s.props.ObservedSteps) ||
		!l.fits(s.slots.n), l.Part != nil && !s.takes(l.Part):
		return fmt.Errorf("%w: %s contradicts itself", ErrCheckpoint, filepath.Join(c.Dir, listName))
	}
	s.resumed, s.started = l, s.started.Add(-l.Border.Elapsed)
	s.progress.begin("resume", l.Border.Depth, 0)
	s.progress.generated.Store(l.Border.Generated)
	return nil
}

// fits reports whether a list is one that a run with so many properties may have written.
func (l *saved) fits(slots int) bool {
	b, sections := &l.Border, store.Shards
	if l.Store != StoreExact {
		sections = 1
	}
	if b.Depth < 0 || b.Covered < -1 || b.Covered >= len(l.Levels) || len(b.Counts) != len(l.Levels) || l.Volumes < 0 {
		return false
	}
	for i, f := range l.Levels {
		words := false
		for _, n := range f.Sections {
			words = words || n > 0
		}
		if len(f.Sections) != sections || i == b.Depth && !words {
			return false
		}
	}
	for _, f := range l.Nodes {
		if len(f.Sections) != store.Shards {
			return false
		}
	}
	for _, w := range b.Witnesses {
		if w.Slot < 0 || w.Slot >= slots || w.Depth < 0 || w.Depth > b.Depth || len(w.State) != l.Width || len(w.Target) != 0 && len(w.Target) != l.Width {
			return false
		}
	}
	return true
}

// restore brings back what resume has announced.
func (s *search[S]) restore() (err error) {
	l := s.resumed
	defer func() {
		// A list that somebody else has made up may say what no check foresees.
		if v := recover(); v != nil {
			err = fmt.Errorf("%w: %s contradicts itself: %v", ErrCheckpoint, filepath.Join(s.opt.Checkpoint.Dir, listName), v)
		}
	}()
	levels, err := s.disk.Reopen(l.Levels)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrCheckpoint, err)
	}
	nodes, err := s.disk.Reopen(l.Nodes)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrCheckpoint, err)
	}
	part, err := l.Part.reopen(s.disk)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrCheckpoint, err)
	}
	s.disk.ContinueAt(l.Volumes)
	// What a killed run has left goes first: the store may make volumes of these names.
	if err := s.disk.ForgetOthers(); err != nil {
		return fmt.Errorf("%w: %w", ErrCheckpoint, err)
	}
	if s.levels, err = s.store.Restore(levels, nodes); err != nil {
		return fmt.Errorf("%w: %w", ErrCheckpoint, err)
	}
	s.goOn(&l.Border)
	if l.Part != nil {
		if s.rest, err = s.store.RestorePart(part); err != nil {
			return fmt.Errorf("%w: %w", ErrCheckpoint, err)
		}
		if err := s.disk.Settle(part.Files()); err != nil {
			return fmt.Errorf("%w: %w", ErrCheckpoint, store.DiskError(err))
		}
		s.goOnWithin(l.Part)
	}
	s.resumed = nil
	s.savedBorder, s.savedAt = s.border, time.Now()
	return nil
}

// prepare makes the directory and locks it, and refuses one with a checkpoint in it. The lock
// is a file, so a directory that cannot be written is found here, too.
func (c *Checkpointing) prepare() (*lock.Lock, error) {
	if !c.Resume {
		if err := os.MkdirAll(c.Dir, 0o777); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrCheckpoint, store.Unwritable(c.Dir, err))
		}
	}
	held, err := lock.Take(filepath.Join(c.Dir, store.LockName))
	switch {
	case errors.Is(err, lock.ErrHeld):
		return nil, fmt.Errorf("%w: %s: %w", ErrCheckpoint, c.Dir, err)
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrCheckpoint, store.Unwritable(c.Dir, err))
	case !c.Resume && c.Kept():
		held.Release()
		return nil, fmt.Errorf("%w: %s holds one already: resume it, remove it, or give another directory", ErrCheckpoint, c.Dir)
	}
	return held, nil
}

// Kept reports whether there is a checkpoint in the directory.
func (c *Checkpointing) Kept() bool {
	_, err := os.Lstat(filepath.Join(c.Dir, listName))
	return err == nil
}

// Remove removes the checkpoint that a run with Keep has left, and releases the directory.
func (c *Checkpointing) Remove() error {
	defer c.Release()
	if err := c.discard(); err != nil {
		return fmt.Errorf("%w: %w", ErrCheckpoint, err)
	}
	// Without the list nothing refers to the volumes.
	if err := store.RemoveVolumes(c.Dir, func(string) bool { return true }); err != nil {
		return fmt.Errorf("%w: %w", ErrCheckpoint, err)
	}
	return nil
}

// Release lets others use the directory that a run with Keep has left.
func (c *Checkpointing) Release() {
	if c != nil {
		c.lock.Release()
		c.lock = nil
	}
}

// discard removes the checkpoint of a run that has come to its end.
func (c *Checkpointing) discard() error {
	os.Remove(filepath.Join(c.Dir, listName+partSuffix)) // of a run that was killed
	err := os.Remove(filepath.Join(c.Dir, listName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
