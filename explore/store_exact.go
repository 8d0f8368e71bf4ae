package explore

import (
	"math"
	"sync/atomic"
)

// exactStore keeps every state, as a tree. The roots are numbered, in a set of their
// own: that set is the visited set, and the number of its root is the id of a state.
// Within a shard, the states of a level lie one after the other.
type exactStore struct {
	shape shape
	nodes *wordSet
	roots *wordSet
	mem   memory

	last *exactLevel // closed last

	_    cacheLine
	used atomic.Uint64 // states
	_    cacheLine
}

func newExactStore(width int, opt *Options) *exactStore {
	s := &exactStore{shape: shapeOf(width), last: &exactLevel{}}
	s.mem.limit = opt.MemoryLimit
	hashing := ^uint64(0)
	if opt.fingerprintBits != 0 {
		hashing = 1<<opt.fingerprintBits - 1
	}
	s.nodes = newWordSet(&s.mem, 1<<(32-shardBits)-1, hashing)
	s.roots = newWordSet(&s.mem, math.MaxUint32-1, hashing)
	return s
}

func (s *exactStore) count() uint64    { return s.used.Load() }
func (s *exactStore) bytes() uint64    { return s.mem.taken.Load() }
func (s *exactStore) full() bool       { return s.mem.overflow.Load() }
func (s *exactStore) fingerprint() int { return 0 }
func (s *exactStore) close() error     { return nil }

// exactInserter is a worker's handle.
type exactInserter struct {
	*folder
	store *exactStore
	roots query
}

func (s *exactStore) inserter() inserter { return s.exactInserter() }

func (s *exactStore) exactInserter() *exactInserter {
	return &exactInserter{folder: newFolder(s.shape, s.nodes), store: s, roots: newQuery(batchStates)}
}

func (in *exactInserter) follow(p *piece, i int) {
	sh := &in.shape
	in.base = p.words[i*sh.width : (i+1)*sh.width]
	in.baseRefs = p.refs[i*sh.nodes : (i+1)*sh.nodes]
}

func (in *exactInserter) take(b *batch) {
	in.plant(b.at(b.n), b.n)
	b.n++
}

func (in *exactInserter) insert(b *batch) {
	s := in.store
	b.fresh = b.fresh[:0]
	s.mem.collect()
	if !in.fold(b) {
		return // the store is full, and says so
	}
	s.roots.locate(b.root[:b.n], &in.roots)
	for i, root := range b.root[:b.n] {
		if _, fresh, _ := s.roots.resolve(root, &in.roots, i); fresh {
			b.fresh = append(b.fresh, int32(i))
		}
	}
	s.used.Add(uint64(len(b.fresh)))
}

// lookup finds the ids of the states of a batch. All of them must be in the store,
// and have ids of 32 bits.
func (in *exactInserter) lookup(b *batch, ids []uint32) bool {
	if !in.fold(b) {
		return false
	}
	roots := in.store.roots
	roots.locate(b.root[:b.n], &in.roots)
	for i, root := range b.root[:b.n] {
		h := in.roots.hash[i]
		p, ok := roots.shards[h&shardMask].find(root, h)
		if !ok {
			return false
		}
		ids[i] = p<<shardBits | uint32(h&shardMask)
	}
	return true
}

// ids is the first number that is not the id of a state, nor is any after it.
func (s *exactStore) ids() uint64 {
	most := uint32(0)
	for i := range s.roots.shards {
		most = max(most, s.roots.shards[i].n.Load())
	}
	return uint64(most) << shardBits
}

// load fills a piece with the states of the given ids.
func (s *exactStore) load(ids []uint32, p *piece) {
	p.reserve(len(ids), s.shape)
	for k, id := range ids {
		p.roots[k] = s.roots.at(id)
	}
	p.unfold(s)
}

func (s *exactStore) endLevel() (level, error) {
	l := &exactLevel{store: s, from: s.last.to}
	for i := range l.to {
		l.to[i] = s.roots.shards[i].n.Load()
		l.n += uint64(l.to[i] - l.from[i])
	}
	s.last = l
	s.mem.taken.Add(levelBytes)
	return l, nil
}

// exactLevel says where the states of a level are: their positions in the shards.
type exactLevel struct {
	store    *exactStore
	from, to [shards]uint32
	n        uint64
}

const levelBytes = 8*shards + 16

func (l *exactLevel) states() uint64 { return l.n }
func (l *exactLevel) chunks() int    { return int((l.n + chunkStates - 1) / chunkStates) }

// each calls yield with the ids of all states. They must be of 32 bits.
func (l *exactLevel) each(yield func(id uint32)) {
	for sh := range l.from {
		for i := l.from[sh]; i < l.to[sh]; i++ {
			yield(i<<shardBits | uint32(sh))
		}
	}
}

func (l *exactLevel) load(i int, p *piece) error {
	skip := uint64(i) * chunkStates
	p.reserve(int(min(chunkStates, l.n-skip)), l.store.shape)
	k := 0
	for sh := range l.from {
		n := uint64(l.to[sh] - l.from[sh])
		if skip >= n {
			skip -= n
			continue
		}
		s := &l.store.roots.shards[sh]
		for j := l.from[sh] + uint32(skip); j < l.to[sh] && k < p.n; j++ {
			p.roots[k] = s.at(j)
			k++
		}
		if k == p.n {
			break
		}
		skip = 0
	}
	p.unfold(l.store)
	return nil
}

// reserve makes room for n states.
func (p *piece) reserve(n int, sh shape) {
	if c := max(n, chunkStates); cap(p.roots) < c {
		p.roots = make([]uint64, c)
		p.buf = make([]uint64, c*sh.width)
		p.refs = make([]uint32, c*sh.nodes)
	}
	p.n = n
	p.roots = p.roots[:n]
	p.words = p.buf[:n*sh.width]
}

func (p *piece) unfold(s *exactStore) { s.shape.unfold(s.nodes, p.roots, p.words, p.refs) }
