package store

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
)

// blockStates is how many states of a level a worker keeps in one piece of memory.
const blockStates = 1024

// minTable is the least number of slots.
const minTable = 1 << 13

// hashStore remembers only fingerprints of visited states. The states themselves
// are kept for as long as they are needed: those of the level being expanded and
// of the next one in memory, older ones in a file, from which traces are rebuilt.
type hashStore struct {
	width int
	bits  int // of a fingerprint
	limit uint64
	trunc uint64 // mask that is applied to every word of a fingerprint; all ones but in tests

	// growth is held for reading by insertions and for writing while the table is
	// replaced.
	growth sync.RWMutex
	table  []uint64
	slot   uint64 // words per slot, 1 or 2
	mask   uint64 // of slots

	threshold atomic.Uint64
	stuck     atomic.Bool
	overflow  atomic.Bool
	problem   error // of the disk; set between levels

	inserters []*hashInserter
	pool      blockPool
	disk      *Disk
	last      *hashLevel // the frontier, to be spilled next
	levels    []*hashLevel
	found     []*File // of a part: states of the level under construction

	_    cacheLine
	used atomic.Uint64 // fingerprints in the table
	_    cacheLine
}

func newHashStore(opt Options, d *Disk) *hashStore {
	width := opt.Width
	slots := uint64(minTable)
	for slots < 16*BatchStates*uint64(opt.Workers) {
		slots *= 2
	}
	s := &hashStore{width: width, bits: 64, limit: opt.MemoryLimit, trunc: ^uint64(0), slot: 1, mask: slots - 1, disk: d}
	if opt.Kind == KindHash128 {
		s.bits, s.slot = 128, 2
	}
	if b := opt.FingerprintBits; b != 0 {
		s.bits, s.trunc = b*int(s.slot), 1<<b-1
	}
	s.table = make([]uint64, slots*s.slot)
	s.threshold.Store(slots / 10 * 7)
	s.pool.words = blockStates * width
	return s
}

func (s *hashStore) Count() uint64    { return s.used.Load() }
func (s *hashStore) Unseen() bool     { return false }
func (s *hashStore) Fingerprint() int { return s.bits }

func (s *hashStore) Trouble() error {
	if s.overflow.Load() || s.limit != 0 && s.Bytes() > s.limit {
		return ErrMemory
	}
	return s.problem
}

func (s *hashStore) Bytes() uint64 {
	s.growth.RLock()
	t := uint64(len(s.table)) * 8
	s.growth.RUnlock()
	return t + s.pool.bytes()
}

// hashInserter is a worker's handle. It collects the new states of the level under
// construction in blocks of its own.
type hashInserter struct {
	store  *hashStore
	second []uint64 // second words of the fingerprints of a batch
	blocks [][]uint64
	saved  int // words of these that are in a file of a part
}

func (s *hashStore) Inserter() Inserter {
	in := &hashInserter{store: s, second: make([]uint64, BatchStates)}
	s.inserters = append(s.inserters, in)
	return in
}

func (in *hashInserter) Follow(*Piece, int) {}
func (in *hashInserter) Take(b *Batch)      { b.N++ }

func (in *hashInserter) Insert(b *Batch) {
	in.enter(b)
	for _, i := range b.Fresh {
		in.keep(b.At(int(i)))
	}
}

// enter adds the fingerprints of a batch and lists those that were new.
func (in *hashInserter) enter(b *Batch) {
	s := in.store
	b.Fresh = b.Fresh[:0]
	if s.used.Load() > s.threshold.Load() {
		s.grow()
		if s.overflow.Load() {
			return
		}
	}
	s.growth.RLock()
	in.locate(b)
	for i := range b.N {
		if s.add(b.hash[i], in.second[i]) {
			b.Fresh = append(b.Fresh, int32(i))
		}
	}
	s.growth.RUnlock()
	s.used.Add(uint64(len(b.Fresh)))
}

// locate computes the fingerprints and brings the home slots into the cache, all
// at once so that the misses overlap.
func (in *hashInserter) locate(b *Batch) {
	s := in.store
	for i := range b.N {
		// No word of a fingerprint is 0, which means an empty slot.
		b.hash[i] = max(1, Hash(b.At(i))&s.trunc)
	}
	for i, h := range b.hash[:b.N] {
		b.probe[i] = atomic.LoadUint64(&s.table[(h&s.mask)*s.slot])
	}
	if s.slot == 2 {
		for i := range b.N {
			in.second[i] = max(1, hashWords2(b.At(i))&s.trunc)
		}
	}
}

// add puts a fingerprint into the table and reports whether it was new.
//
// With slots of two words, the one who sets the first word of an empty slot owns
// it and sets the second word right after. Whoever meets its own first word waits
// for the second, and then knows. Two workers with the same fingerprint probe the
// same slots in the same order, and a slot never changes again, so the one that
// loses the first empty slot finds the winner's fingerprint in it.
func (s *hashStore) add(first, second uint64) bool {
	for i := first & s.mask; ; i = (i + 1) & s.mask {
		p := &s.table[i*s.slot]
		v := atomic.LoadUint64(p)
		if v == 0 {
			if atomic.CompareAndSwapUint64(p, 0, first) {
				if s.slot == 2 {
					atomic.StoreUint64(&s.table[i*2+1], second)
				}
				return true
			}
			v = atomic.LoadUint64(p)
		}
		if v == first && (s.slot == 1 || s.await(i) == second) {
			return false
		}
	}
}

// await is the second word of a slot whose first word is set.
func (s *hashStore) await(i uint64) uint64 {
	for {
		if v := atomic.LoadUint64(&s.table[i*2+1]); v != 0 {
			return v
		}
		runtime.Gosched() // its owner is between two instructions
	}
}

// keep appends a new state to the level under construction.
func (in *hashInserter) keep(words []uint64) {
	last := len(in.blocks) - 1
	if last < 0 || len(in.blocks[last]) == cap(in.blocks[last]) {
		in.blocks = append(in.blocks, in.store.pool.get())
		last++
	}
	in.blocks[last] = append(in.blocks[last], words...)
}

// grow doubles the table, or lets it fill up when that would break the limit, as
// wordSet.grow does. The fingerprints are moved within the table's own order,
// which reads memory and nearly writes it in sequence.
func (s *hashStore) grow() {
	s.growth.Lock()
	defer s.growth.Unlock()
	size := s.mask + 1
	if s.used.Load() <= s.threshold.Load() {
		return
	}
	if s.stuck.Load() {
		s.overflow.Store(true)
		return
	}
	if s.limit != 0 && s.pool.bytes()+3*uint64(len(s.table))*8 > s.limit {
		s.stuck.Store(true)
		s.threshold.Store(size / 10 * 9)
		return
	}
	old := s.table
	s.table = make([]uint64, 2*len(old))
	s.mask = 2*size - 1
	for i := uint64(0); i < uint64(len(old)); i += s.slot {
		if old[i] != 0 {
			s.add(old[i], old[i+s.slot-1])
		}
	}
	s.threshold.Store(2 * size / 10 * 7)
}

// EndLevel also spills the level before the last: no more than the level being
// expanded and the one under construction stay in memory.
func (s *hashStore) EndLevel() (Level, error) {
	l := &hashLevel{width: s.width}
	for _, in := range s.inserters {
		l.blocks = append(l.blocks, in.blocks...)
		in.blocks = in.blocks[:0]
	}
	for _, b := range l.blocks {
		l.n += uint64(len(b) / s.width)
	}
	if s.last != nil {
		if err := s.last.save(s.disk); err != nil {
			s.problem = err
			return l, nil
		}
		for _, b := range s.last.blocks {
			s.pool.put(b)
		}
		s.last.blocks = nil
	}
	s.last = l
	s.levels = append(s.levels, l)
	return l, s.forgetPart()
}

func (s *hashStore) Save(n int) (levels, nodes []*File, err error) {
	for _, l := range s.levels[:n] {
		if err := l.save(s.disk); err != nil {
			return nil, nil, err
		}
		levels = append(levels, l.file)
	}
	return levels, nil, nil
}

func (s *hashStore) Restore(levels, _ []*File) (out []Level, err error) {
	in := &hashInserter{store: s, second: make([]uint64, BatchStates)}
	for _, f := range levels {
		l := &hashLevel{width: s.width, n: f.words(1) / uint64(s.width), file: f}
		if err := s.restoreFile(in, f, func([]uint64) {}); err != nil {
			return nil, err
		}
		s.last = l
		s.levels = append(s.levels, l)
		out = append(out, l)
	}
	return out, nil
}

// restoreFile adds the states of a file, and has each of them kept.
func (s *hashStore) restoreFile(in *hashInserter, f *File, keep func(state []uint64)) error {
	if err := f.verify(); err != nil {
		return err
	}
	b := NewBatch(s.width)
	have := 0 // words in the batch
	err := f.each(0, func(words []uint64) error {
		for len(words) > 0 {
			n := copy(b.Words[have:], words)
			words, have = words[n:], have+n
			if have == len(b.Words) {
				b.N, have = BatchStates, 0
				if err := in.restore(b, f, keep); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if have%s.width != 0 {
		return fmt.Errorf("%s has half a state at its end", f.volume.path())
	}
	b.N = have / s.width
	return in.restore(b, f, keep)
}

// restore adds states that were in a store before.
func (in *hashInserter) restore(b *Batch, f *File, keep func(state []uint64)) error {
	in.enter(b)
	if err := in.store.Trouble(); err != nil {
		return err
	}
	if len(b.Fresh) != b.N {
		return fmt.Errorf("%s has a state twice", f.volume.path())
	}
	for i := range b.N {
		keep(b.At(i))
	}
	b.N = 0
	return nil
}

// hashLevel is a level in memory, as blocks, or in a file.
type hashLevel struct {
	width  int
	n      uint64
	blocks [][]uint64 // nil once the level is only in the file
	file   *File
	from   uint64 // states of the file that are left out, for the rest of a level
}

// save writes the file of a level that has none.
func (l *hashLevel) save(d *Disk) error {
	if l.file != nil {
		return nil
	}
	w, err := d.create(levelsKind, 1)
	if err != nil {
		return err
	}
	for _, b := range l.blocks {
		if err := w.add(0, b); err != nil {
			w.abandon()
			return err
		}
	}
	l.file, err = w.finish()
	return err
}

// blockChunks is how many chunks a block is.
const blockChunks = blockStates / chunkStates

func (l *hashLevel) States() uint64 { return l.n }

func (l *hashLevel) Chunks() int {
	if l.blocks == nil {
		return int((l.n + chunkStates - 1) / chunkStates)
	}
	return len(l.blocks) * blockChunks
}

// start is the number of states in the first n chunks.
func (l *hashLevel) start(n int) (states uint64) {
	if l.blocks == nil {
		return min(uint64(n)*chunkStates, l.n)
	}
	for i, b := range l.blocks {
		states += uint64(min(len(b)/l.width, max(0, n-i*blockChunks)*chunkStates))
	}
	return states
}

func (l *hashLevel) Load(i int, p *Piece) error {
	if l.blocks == nil {
		from := uint64(i) * chunkStates
		p.N = int(min(chunkStates, l.n-from))
		if p.buf == nil {
			p.buf = make([]uint64, chunkStates*l.width)
		}
		p.Words = p.buf[:p.N*l.width]
		return l.file.read((l.from+from)*uint64(l.width), p.Words, &p.raw)
	}
	b := l.blocks[i/blockChunks]
	from := min(len(b), i%blockChunks*chunkStates*l.width)
	p.Words = b[from:min(len(b), from+chunkStates*l.width)]
	p.N = len(p.Words) / l.width
	return nil
}

// blockPool recycles the blocks of levels.
type blockPool struct {
	words int // of a block
	mu    sync.Mutex
	free  [][]uint64
	made  uint64
}

func (p *blockPool) get() []uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.free); n > 0 {
		b := p.free[n-1]
		p.free = p.free[:n-1]
		return b[:0]
	}
	p.made++
	return make([]uint64, 0, p.words)
}

func (p *blockPool) put(b []uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = append(p.free, b)
}

func (p *blockPool) bytes() uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.made * uint64(p.words) * 8
}
