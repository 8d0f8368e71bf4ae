package store

import (
	"errors"
	"math"
	"sync"
	"sync/atomic"
)

// Exact keeps every state, as a tree. The roots are numbered, in a set of their
// own: that set is the visited set, and the number of its root is the id of a state.
// Within a shard, the states of a level lie one after the other. When the memory limit
// is reached the roots go to disk, see external.go.
type Exact struct {
	shape   shape
	nodes   *wordSet
	roots   *wordSet
	mem     memory
	limit   uint64 // of the memory, 0 for none
	spillAt uint64 // bytes taken at which the roots go to disk
	hashing uint64
	workers int
	disk    *Disk
	onSpill func()

	// gate is held for reading while roots are added or read, and for writing while
	// they move to disk.
	gate   sync.RWMutex
	ext    *external // nil while all roots are in memory
	levels []*ExactLevel
	closed uint64 // states of these

	restoring sync.Mutex

	problem atomic.Pointer[error] // what keeps the store from growing

	nodeFiles  []*File        // of a checkpoint
	nodesSaved [Shards]uint32 // nodes in these files

	partial partial

	_    cacheLine
	used atomic.Uint64 // states
	_    cacheLine
}

// newExactStore makes an exact store; Kind is not asked.
func newExactStore(opt Options, d *Disk) *Exact {
	s := &Exact{
		shape:   shapeOf(opt.Width),
		limit:   opt.MemoryLimit,
		spillAt: opt.MemoryLimit / 100 * 95,
		hashing: ^uint64(0),
		workers: max(1, opt.Workers),
		disk:    d,
		onSpill: opt.OnSpill,
	}
	if opt.FingerprintBits != 0 {
		s.hashing = 1<<opt.FingerprintBits - 1
	}
	s.nodes = newWordSet(&s.mem, 1<<(32-shardBits)-1, s.hashing)
	s.roots = s.newRoots()
	return s
}

func (s *Exact) newRoots() *wordSet {
	const spare = 1 << 20 // what growth.next may run ahead of the words, and more
	return newWordSet(&s.mem, math.MaxUint32-spare, s.hashing)
}

func (s *Exact) Count() uint64    { return s.used.Load() }
func (s *Exact) Bytes() uint64    { return s.mem.taken.Load() }
func (s *Exact) Fingerprint() int { return 0 }
func (s *Exact) fail(err error)   { s.problem.CompareAndSwap(nil, &err) }
func (s *Exact) Trouble() error {
	if p := s.problem.Load(); p != nil {
		return *p
	}
	return nil
}

// last is the last closed level, nil before the first.
func (s *Exact) last() *ExactLevel {
	if len(s.levels) == 0 {
		return nil
	}
	return s.levels[len(s.levels)-1]
}

// Finder is a worker's handle.
type Finder struct {
	*folder
	store *Exact
	roots query

	lately  []uint64 // roots met, plus one: successors of similar states are often the same; nil for lookups only
	unmet   []uint64 // of unknown
	indices []int32
}

func (s *Exact) Inserter() Inserter { return s.newInserter() }

func (s *Exact) newInserter() *Finder {
	in := s.Finder()
	in.lately, in.unmet, in.indices = make([]uint64, 1<<recentBits), make([]uint64, 0, BatchStates), make([]int32, 0, BatchStates)
	return in
}

// Finder is a handle for lookups only.
func (s *Exact) Finder() *Finder {
	return &Finder{folder: newFolder(s.shape, s.nodes), store: s, roots: newQuery(BatchStates)}
}

func (in *Finder) Follow(p *Piece, i int) {
	sh := &in.shape
	in.base = p.Words[i*sh.width : (i+1)*sh.width]
	in.baseRefs = p.refs[i*sh.nodes : (i+1)*sh.nodes]
}

func (in *Finder) Take(b *Batch) {
	in.plant(b.At(b.N), b.N)
	b.N++
}

func (in *Finder) Insert(b *Batch) {
	s := in.store
	b.Fresh = b.Fresh[:0]
	s.mem.collect()
	in.add(b)
	if s.pressed() {
		s.relieve()
	}
}

func (in *Finder) add(b *Batch) {
	s := in.store
	s.gate.RLock()
	defer s.gate.RUnlock()
	if s.Trouble() != nil {
		return
	}
	if !in.fold(b) {
		s.fail(ErrNumbers)
		return
	}
	words, which := in.unknown(b)
	roots := s.roots
	roots.locate(words, &in.roots)
	n := 0
	for i, root := range words {
		_, fresh, ok := roots.resolve(root, &in.roots, i)
		if !ok {
			s.fail(ErrNumbers)
			continue
		}
		*in.met(root) = root + 1
		if fresh {
			n++
			if s.ext == nil {
				b.Fresh = append(b.Fresh, which[i])
			}
		}
	}
	s.used.Add(uint64(n))
}

// unknown lists the roots of a batch that the worker has not met lately, with their
// places in the batch. The others are in the store.
func (in *Finder) unknown(b *Batch) (words []uint64, which []int32) {
	words, which = in.unmet[:0], in.indices[:0]
	for i, root := range b.root[:b.N] {
		if *in.met(root) != root+1 || root+1 == 0 {
			words, which = append(words, root), append(which, int32(i))
		}
	}
	return words, which
}

// met is where a root is, plus one, when the worker has met it lately.
func (in *Finder) met(root uint64) *uint64 { return &in.lately[root*mixA>>(64-recentBits)] }

// Lookup finds the ids of the states of a batch. All of them must be in the store,
// and have ids of 32 bits.
func (in *Finder) Lookup(b *Batch, ids []uint32) bool {
	if !in.fold(b) {
		return false
	}
	roots := in.store.roots
	roots.locate(b.root[:b.N], &in.roots)
	for i, root := range b.root[:b.N] {
		h := in.roots.hash[i]
		p, ok := roots.shards[h&shardMask].find(root, h)
		if !ok {
			return false
		}
		ids[i] = p<<shardBits | uint32(h&shardMask)
	}
	return true
}

// IDs is the first number that is not the id of a state, nor is any after it.
func (s *Exact) IDs() uint64 {
	most := uint32(0)
	for i := range s.roots.shards {
		most = max(most, s.roots.shards[i].n.Load())
	}
	return uint64(most) << shardBits
}

// Load fills a piece with the states of the given ids.
func (s *Exact) Load(ids []uint32, p *Piece) {
	p.reserve(len(ids), s.shape)
	for k, id := range ids {
		p.roots[k] = s.roots.at(id)
	}
	p.unfold(s)
}

func (s *Exact) EndLevel() (Level, error) {
	l := &ExactLevel{store: s}
	if s.ext != nil {
		if s.Trouble() != nil {
			return l, nil // which of the candidates are new is not known
		}
		f, err := s.confirm()
		if err != nil {
			s.fail(err)
			return l, nil
		}
		l.sorted, l.n = f, f.words(Shards)
	} else {
		if last := s.last(); last != nil {
			l.from = last.to
		}
		l.to = s.roots.ends()
		for i := range l.to {
			l.n += uint64(l.to[i] - l.from[i])
		}
	}
	if last := s.last(); last != nil && last.inOrder != nil {
		if err := last.inOrder.remove(); err != nil {
			return nil, err
		}
		last.inOrder = nil
	}
	if s.partial.rest != nil {
		if err := s.partial.rest.remove(); err != nil {
			return nil, err
		}
		s.partial.rest = nil
	}
	s.enclose(l)
	return l, s.forgetPart()
}

// enclose adds a level to those that are closed.
func (s *Exact) enclose(l *ExactLevel) {
	s.levels = append(s.levels, l)
	s.closed += l.n
	s.used.Store(s.closed) // candidates that were no new states do not count
	s.mem.taken.Add(levelBytes)
}

func (s *Exact) Save(n int) (levels, nodes []*File, err error) {
	for _, l := range s.levels[:n] {
		if err := l.save(); err != nil {
			return nil, nil, err
		}
		levels = append(levels, l.sorted)
	}
	ends := s.nodes.ends()
	if ends == s.nodesSaved && s.nodeFiles != nil {
		return levels, s.nodeFiles, nil
	}
	w, err := s.disk.create(nodesKind, Shards)
	if err != nil {
		return nil, nil, err
	}
	for i := range Shards {
		if err := w.add(i, s.nodes.shards[i].appendRange(nil, s.nodesSaved[i], ends[i])); err != nil {
			w.abandon()
			return nil, nil, err
		}
	}
	f, err := w.finish()
	if err != nil {
		return nil, nil, err
	}
	s.nodesSaved = ends
	s.nodeFiles = append(s.nodeFiles, f)
	return levels, s.nodeFiles, nil
}

func (s *Exact) Restore(levels, nodes []*File) (out []Level, err error) {
	collect := func() error {
		s.mem.collect()
		return nil
	}
	for _, f := range nodes {
		if err := s.nodes.restore(f, s.workers, false, collect); err != nil {
			return nil, err
		}
		s.nodeFiles = append(s.nodeFiles, f)
	}
	s.nodesSaved = s.nodes.ends()
	for _, f := range levels {
		l := &ExactLevel{store: s, sorted: f, n: f.words(Shards)}
		if s.ext == nil {
			l.from = s.roots.ends()
			err = s.roots.restore(f, s.workers, false, s.restorable)
			l.to = s.roots.ends()
			if errors.Is(err, ErrMemory) {
				err = s.restoreOutside()
			}
		}
		if err == nil && s.ext != nil {
			if err = f.verify(); err == nil {
				err = s.ext.include(f)
			}
		}
		if err != nil {
			return nil, err
		}
		s.enclose(l)
		out = append(out, l)
	}
	s.partial.to = s.roots.ends()
	return out, nil
}

// restorable is ErrMemory when no more roots should be brought back into memory.
func (s *Exact) restorable() error {
	s.restoring.Lock() // who looks while another one frees memory sees what is not free yet
	defer s.restoring.Unlock()
	s.mem.collect()
	if s.crowded() {
		return ErrMemory
	}
	return nil
}

// restoreOutside goes on restoring without the roots in memory.
func (s *Exact) restoreOutside() error {
	if s.onSpill != nil {
		s.onSpill()
	}
	var err error
	if s.ext, err = s.onDisk(); err != nil {
		return err
	}
	s.forgetRoots()
	return nil
}

// Unseen reports that the states of a level have not been listed as new before it ended.
func (s *Exact) Unseen() bool { return s.ext != nil }

// ExactLevel says where the states of a level are: their positions in the shards, or a
// file.
type ExactLevel struct {
	store    *Exact
	from, to [Shards]uint32
	n        uint64

	sorted  *File // the roots, sorted within each shard; nil when there is none
	inOrder *File // the roots in the order of from and to; nil when there is none
}

// save writes the file of a level that has none.
func (l *ExactLevel) save() (err error) {
	if l.sorted == nil {
		l.sorted, err = l.store.writeRange(levelsKind, l.from, l.to, true)
	}
	return err
}

// saveInOrder writes a file of the chunks as they are in memory.
func (l *ExactLevel) saveInOrder() error {
	w, err := l.store.disk.create(partsKind, 1)
	if err != nil {
		return err
	}
	var roots []uint64
	for i := range l.Chunks() {
		roots = l.gather(i, roots[:0])
		if err := w.add(0, roots); err != nil {
			w.abandon()
			return err
		}
	}
	l.inOrder, err = w.finish()
	return err
}

const levelBytes = 8*Shards + 16

func (l *ExactLevel) States() uint64 { return l.n }
func (l *ExactLevel) Chunks() int    { return int((l.n + chunkStates - 1) / chunkStates) }

// Reaches reports whether a state that is in the store is in this level or in one before.
func (l *ExactLevel) Reaches(id uint32) bool { return l.to[id&shardMask] > id>>shardBits }

// Each calls yield with the ids of all states. They must be of 32 bits.
func (l *ExactLevel) Each(yield func(id uint32)) {
	for sh := range l.from {
		for i := l.from[sh]; i < l.to[sh]; i++ {
			yield(i<<shardBits | uint32(sh))
		}
	}
}

func (l *ExactLevel) Load(i int, p *Piece) error {
	s := l.store
	s.gate.RLock()
	defer s.gate.RUnlock()
	if s.ext == nil {
		p.reserve(chunkStates+Shards, s.shape) // each shard's part is rounded
		p.reserve(len(l.gather(i, p.roots[:0])), s.shape)
	} else {
		f := l.sorted
		if l.inOrder != nil {
			f = l.inOrder
		}
		from := l.start(i)
		p.reserve(int(l.start(i+1)-from), s.shape)
		if err := f.read(from, p.roots, &p.raw); err != nil {
			return err
		}
	}
	p.unfold(s)
	return nil
}

// start is the number of states in the chunks before chunk i, for a level on disk.
func (l *ExactLevel) start(i int) (n uint64) {
	if l.inOrder == nil {
		return min(uint64(i)*chunkStates, l.n)
	}
	for sh := range l.from {
		n += l.part(sh, i)
	}
	return n
}

// part is the number of states of a shard in the chunks before chunk i.
func (l *ExactLevel) part(sh, i int) uint64 {
	return uint64(l.to[sh]-l.from[sh]) * uint64(i) / uint64(l.Chunks())
}

// gather appends the roots of chunk i, which are in memory. A chunk has its share of each
// shard, so that it consists of states that were found at about the same time: they are
// similar, and have successors in common, which are still in the cache then.
func (l *ExactLevel) gather(i int, roots []uint64) []uint64 {
	for sh := range l.from {
		from := l.from[sh]
		roots = l.store.roots.shards[sh].appendRange(roots, from+uint32(l.part(sh, i)), from+uint32(l.part(sh, i+1)))
	}
	return roots
}

// reserve makes room for n states. What is there already stays.
func (p *Piece) reserve(n int, sh shape) {
	if c := max(n, chunkStates); cap(p.roots) < c {
		p.roots = make([]uint64, c)
		p.buf = make([]uint64, c*sh.width)
		p.refs = make([]uint32, c*sh.nodes)
	}
	p.N = n
	p.roots = p.roots[:n]
	p.Words = p.buf[:n*sh.width]
}

func (p *Piece) unfold(s *Exact) { s.shape.unfold(s.nodes, p.roots, p.Words, p.refs) }
