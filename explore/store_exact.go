package explore

import (
	"sort"
	"sync"
	"sync/atomic"
)

const (
	// A slot of the index holds id+1 in its low bits, 0 meaning empty, and the high
	// bits of the hash, the tag, above.
	idBits = 40
	idMask = 1<<idBits - 1

	minTable = 1 << 13
)

// exactStore keeps every state in an arena and finds it through an index with
// open addressing. Two states are taken for the same only when all their words
// are equal, so no state is ever missed.
type exactStore struct {
	arena   *arena
	width   int
	workers int
	limit   uint64 // bytes, 0 for none
	hashing uint64 // bits of the hash that are used; all but in tests

	// growth is held for reading by insertions and for writing while the index is
	// replaced.
	growth sync.RWMutex
	table  []uint64
	mask   uint64

	threshold atomic.Uint64 // grow beyond so many
	stuck     atomic.Bool   // growing further would break the limit
	overflow  atomic.Bool   // the index is as full as it may get

	inserters []*exactInserter
	segments  atomic.Uint64 // of closed levels, for bytes

	_    cacheLine
	used atomic.Uint64 // states in the index
	_    cacheLine
}

func newExactStore(width int, opt *Options) *exactStore {
	size := uint64(minTable)
	// Every worker may be in the middle of a batch when the threshold is passed.
	for size < 16*batchStates*uint64(opt.Workers) {
		size *= 2
	}
	s := &exactStore{
		arena:   newArena(width),
		width:   width,
		workers: opt.Workers,
		limit:   opt.MemoryLimit,
		hashing: ^uint64(0),
		table:   make([]uint64, size),
		mask:    size - 1,
	}
	if opt.fingerprintBits != 0 {
		s.hashing = 1<<opt.fingerprintBits - 1
	}
	s.threshold.Store(size / 10 * 7)
	return s
}

func (s *exactStore) count() uint64    { return s.used.Load() }
func (s *exactStore) full() bool       { return s.overflow.Load() }
func (s *exactStore) fingerprint() int { return 0 }
func (s *exactStore) close() error     { return nil }

func (s *exactStore) bytes() uint64 {
	s.growth.RLock()
	t := uint64(len(s.table)) * 8
	s.growth.RUnlock()
	return t + s.arena.bytes() + s.segments.Load()*16
}

func (s *exactStore) inserter() inserter {
	in := &exactInserter{store: s}
	s.inserters = append(s.inserters, in)
	return in
}

// exactInserter is a worker's handle. It owns the ids from next to end, which hold
// no state yet.
type exactInserter struct {
	store     *exactStore
	next, end uint64
	start     uint64 // where the segment under construction begins
	segments  []segment
}

// segment is a range of ids of the same block and the same level.
type segment struct{ start, end uint64 }

// refill reserves the next block.
func (in *exactInserter) refill() {
	in.closeSegment()
	in.next = in.store.arena.reserve()
	in.start, in.end = in.next, in.next+blockStates
}

func (in *exactInserter) closeSegment() {
	if in.next > in.start {
		in.segments = append(in.segments, segment{in.start, in.next})
	}
	in.start = in.next
}

// insert works in passes over the batch, so that the cache misses of different
// states overlap: first the home slots, then the states that they point to, then
// the insertions proper, which find everything in the cache.
func (in *exactInserter) insert(b *batch) {
	s := in.store
	b.fresh = b.fresh[:0]
	if s.used.Load() > s.threshold.Load() {
		s.grow()
		if s.overflow.Load() {
			return
		}
	}
	s.growth.RLock()
	defer s.growth.RUnlock()
	s.locate(b)
	for i := range b.n {
		if in.insertOne(b.at(i), b.hash[i]) {
			b.fresh = append(b.fresh, int32(i))
		}
	}
	s.used.Add(uint64(len(b.fresh)))
}

// locate computes the hashes of a batch and brings what is needed to find its
// states into the cache. The loops are separate and small so that the processor
// sees many misses ahead.
func (s *exactStore) locate(b *batch) {
	for i := range b.n {
		b.hash[i] = hashWords(b.at(i)) & s.hashing
	}
	table, mask := s.table, s.mask
	probe := b.probe[:b.n]
	for i, h := range b.hash[:b.n] {
		probe[i] = atomic.LoadUint64(&table[h&mask])
	}
	chunks := *s.arena.chunks.Load()
	var touched uint64
	for i, v := range probe {
		h := b.hash[i]
		for j := h & mask; v != 0; v = atomic.LoadUint64(&table[j]) {
			if (v^h)>>idBits == 0 {
				// A state may lie across two cache lines. Its chunk may be newer than the list.
				id := v&idMask - 1
				if c := int(id >> arenaBits); c < len(chunks) {
					o := int(id&(1<<arenaBits-1)) * s.width
					touched += chunks[c][o] + chunks[c][o+s.width-1]
				}
				break
			}
			j = (j + 1) & mask
		}
	}
	b.touched = touched // so that the compiler keeps the loads
}

// insertOne adds a state and reports whether it was new. The words are written
// before the slot is published, so whoever sees the slot sees the state.
func (in *exactInserter) insertOne(words []uint64, h uint64) bool {
	s := in.store
	table, mask := s.table, s.mask
	for i := h & mask; ; i = (i + 1) & mask {
		v := atomic.LoadUint64(&table[i])
		if v == 0 {
			if in.next == in.end {
				in.refill()
			}
			copy(s.arena.at(in.next), words)
			if atomic.CompareAndSwapUint64(&table[i], 0, h&^idMask|(in.next+1)) {
				in.next++
				return true
			}
			// Another worker took the slot, perhaps for the same state; the id is
			// still ours.
			v = atomic.LoadUint64(&table[i])
		}
		if (v^h)>>idBits == 0 && equalWords(words, s.arena.at(v&idMask-1)) {
			return false
		}
	}
}

// lookup finds the ids of the states of a batch. All of them must be in the store,
// and no insertion may be under way.
func (s *exactStore) lookup(b *batch, ids []uint32) bool {
	s.locate(b)
	for n := range b.n {
		words, h := b.at(n), b.hash[n]
		for i := h & s.mask; ; i = (i + 1) & s.mask {
			v := s.table[i]
			if v == 0 {
				return false
			}
			if (v^h)>>idBits == 0 && equalWords(words, s.arena.at(v&idMask-1)) {
				ids[n] = uint32(v&idMask - 1)
				break
			}
		}
	}
	return true
}

// grow doubles the index. When that would break the memory limit it lets the index
// fill up further instead, and reports overflow when that is exhausted too.
func (s *exactStore) grow() {
	s.growth.Lock()
	defer s.growth.Unlock()
	size := uint64(len(s.table))
	if s.used.Load() <= s.threshold.Load() {
		return // another worker was faster
	}
	if s.stuck.Load() {
		s.overflow.Store(true)
		return
	}
	// Old and new index exist side by side for a while.
	if s.limit != 0 && s.arena.bytes()+3*size*8 > s.limit {
		s.stuck.Store(true)
		s.threshold.Store(size / 10 * 9)
		return
	}
	table := make([]uint64, 2*size)
	s.rehash(table)
	s.table, s.mask = table, 2*size-1
	s.threshold.Store(2 * size / 10 * 7)
}

// rehash fills a new index. It walks the arena, not the old index: that reads
// memory in order, and only the writes are random.
func (s *exactStore) rehash(table []uint64) {
	var parts []segment
	for _, r := range s.filled() {
		for a := r.start; a < r.end; a += 1 << arenaBits {
			parts = append(parts, segment{a, min(r.end, a+1<<arenaBits)})
		}
	}
	var cursor atomic.Int64
	work := func() {
		mask := uint64(len(table) - 1)
		for {
			p := int(cursor.Add(1)) - 1
			if p >= len(parts) {
				return
			}
			for id := parts[p].start; id < parts[p].end; id++ {
				h := hashWords(s.arena.at(id)) & s.hashing
				v := h&^idMask | (id + 1)
				for i := h & mask; ; i = (i + 1) & mask {
					if atomic.LoadUint64(&table[i]) == 0 && atomic.CompareAndSwapUint64(&table[i], 0, v) {
						break
					}
				}
			}
		}
	}
	var wg sync.WaitGroup
	for range min(s.workers, len(parts)) {
		wg.Go(work)
	}
	wg.Wait()
}

// filled lists the ranges of ids that hold states: all ids reserved but those that
// inserters have in stock.
func (s *exactStore) filled() []segment {
	var holes []segment
	for _, in := range s.inserters {
		if in.next < in.end {
			holes = append(holes, segment{in.next, in.end})
		}
	}
	sort.Slice(holes, func(i, j int) bool { return holes[i].start < holes[j].start })
	var out []segment
	from := uint64(0)
	for _, h := range append(holes, segment{s.arena.next.Load(), 0}) {
		if h.start > from {
			out = append(out, segment{from, h.start})
		}
		from = h.end
	}
	return out
}

func (s *exactStore) endLevel() (level, error) {
	l := &exactLevel{arena: s.arena}
	for _, in := range s.inserters {
		in.closeSegment()
		l.segments = append(l.segments, in.segments...)
		in.segments = in.segments[:0]
	}
	for _, g := range l.segments {
		l.n += g.end - g.start
	}
	s.segments.Add(uint64(len(l.segments)))
	return l, nil
}

// exactLevel lists where in the arena the states of a level are.
type exactLevel struct {
	arena    *arena
	segments []segment
	n        uint64
}

// segmentChunks is how many chunks cover a segment, which is at most a block.
const segmentChunks = blockStates / chunkStates

func (l *exactLevel) states() uint64 { return l.n }
func (l *exactLevel) chunks() int    { return len(l.segments) * segmentChunks }

func (l *exactLevel) load(i int, _ []uint64) ([]uint64, error) {
	g := l.segments[i/segmentChunks]
	from := g.start + uint64(i%segmentChunks)*chunkStates
	if from >= g.end {
		return nil, nil
	}
	return l.arena.span(from, int(min(chunkStates, g.end-from))), nil
}
