package store

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sync/errgroup"
)

const (
	shardBits = 5
	Shards    = 1 << shardBits
	shardMask = Shards - 1

	// Words of a shard lie in chunks. The first ones are small, so that a small run
	// costs little: firstChunk words, again so many, and then each as many as all
	// before it, up to 1<<chunkBits words.
	firstBits  = 8
	chunkBits  = 12
	chunkShift = chunkBits - firstBits // index of the first full chunk, less one
)

// wordSet numbers distinct words: equal words get equal numbers, and different ones
// different numbers. The number of a word never changes, nor does its place.
//
// It is cut into shards by the hash. A shard has the words in the order of
// insertion, and an index with open addressing to find them. A slot of the index is
// 32 bits: the position in the shard plus one in the low bits, 0 meaning empty, and
// as many bits of the hash as fit above.
//
// Finding takes no lock: a word is written before its slot is published, and a slot
// that is set never changes. Whoever does not find a word takes the lock of the shard
// and looks again. As each shard grows by itself, growing takes a small part of the
// memory at a time.
type wordSet struct {
	mem     *memory
	most    uint32 // words in a shard
	hashing uint64 // bits of the hash that are used; all but in tests
	shards  [Shards]shard
}

type shard struct {
	index atomic.Pointer[index]
	words atomic.Pointer[[]chunk] // a new list for each change but that of a plain word
	_     cacheLine
	mu    sync.Mutex             // for insertion
	n     atomic.Uint32          // words; changed under the lock
	grows atomic.Pointer[growth] // while the index is replaced by a greater one
	_     cacheLine
}

// index finds the words of a shard. A greater one replaces it when it is full.
type index struct {
	slots  []uint32
	idBits uint   // of a slot that are the position
	limit  uint32 // words at which it has to grow
}

// noIndex is the index of an empty shard.
var noIndex = &index{slots: make([]uint32, 1), idBits: firstBits}

// memory is what a store has allocated.
type memory struct {
	taken   atomic.Uint64 // bytes, with those that the collector has to free yet
	retired atomic.Uint64 // bytes that the collector has to free yet
}

// collect frees retired memory when it is much. The collector would do so too, but
// not before the memory has doubled. It also gives the memory back to the system: an index
// that is replaced leaves a hole that the next ones, being greater, do not fit into.
func (m *memory) collect() {
	r := m.retired.Load()
	if r < max(4<<20, m.taken.Load()/32) || !m.retired.CompareAndSwap(r, 0) {
		return
	}
	debug.FreeOSMemory()
	m.taken.Add(-r)
}

// settle has the collector free all that is retired.
func (m *memory) settle() {
	r := m.retired.Swap(0)
	debug.FreeOSMemory()
	m.taken.Add(-r)
}

func newWordSet(mem *memory, most uint32, hashing uint64) *wordSet {
	t := &wordSet{mem: mem, most: most, hashing: hashing}
	for i := range t.shards {
		t.shards[i].index.Store(noIndex)
		t.shards[i].words.Store(new([]chunk))
	}
	return t
}

// hash is the hash of a word. Its low bits choose the shard, the ones above them
// are the tag in a slot, and the upper half is the home slot.
func (t *wordSet) hash(word uint64) uint64 {
	return Fold(Fold(word^mixA, mixB)^mixC, mixD) & t.hashing
}

func (x *index) home(h uint64) int { return int(h >> 32 * uint64(len(x.slots)) >> 32) }

// address is where the home slot of a hash is in memory.
func (x *index) address(h uint64) uintptr { return uintptr(unsafe.Pointer(&x.slots[x.home(h)])) }

func (x *index) tag(h uint64) uint32 { return uint32(h>>shardBits) << x.idBits }

// place is where position i of a shard is: chunk and offset.
func place(i uint32) (chunk int, offset uint32) {
	if full := i >> chunkBits; full != 0 {
		return int(full) + chunkShift, i & (1<<chunkBits - 1)
	}
	if c := bits.Len32(i >> firstBits); c != 0 {
		return c, i - 1<<(firstBits-1+c)
	}
	return 0, i
}

func (s *shard) at(i uint32) uint64 {
	c, o := place(i)
	return (*s.words.Load())[c].at(o)
}

// bytes is the memory of the set, without what is retired.
func (t *wordSet) bytes() (n uint64) {
	for i := range t.shards {
		s := &t.shards[i]
		if x := s.index.Load(); x != noIndex {
			n += 4 * uint64(len(x.slots))
		}
		list := *s.words.Load()
		for c := range list {
			n += uint64(len(list[c].bytes))
		}
	}
	return n
}

// restore adds the words of a file, each of which must belong to the shard of its section, and
// be new unless some may be there. So many workers share the sections. They call proceed again
// and again, and end early with the error of that.
func (t *wordSet) restore(f *File, workers int, mayBeThere bool, proceed func() error) error {
	if err := f.verify(); err != nil {
		return err
	}
	g, ctx := errgroup.WithContext(context.Background())
	g.SetLimit(workers)
	for section := range f.sections {
		g.Go(func() error {
			return f.each(section, func(words []uint64) error {
				if err := ctx.Err(); err != nil {
					return err // another one has failed
				}
				if err := t.restoreWords(f, section, words, mayBeThere); err != nil {
					return err
				}
				return proceed()
			})
		})
	}
	return g.Wait()
}

// restoreWords adds some words of a section.
func (t *wordSet) restoreWords(f *File, section int, words []uint64, mayBeThere bool) error {
	for _, w := range words {
		h := t.hash(w)
		if int(h&shardMask) != section {
			return fmt.Errorf("%s has the word %x in section %d, want it in %d", f.volume.path(), w, section, h&shardMask)
		}
		_, fresh, ok := t.add(w, h)
		if !ok {
			return ErrNumbers
		}
		if !fresh && !mayBeThere {
			return fmt.Errorf("%s has the word %x twice", f.volume.path(), w)
		}
	}
	return nil
}

// ends is the number of words in each shard.
func (t *wordSet) ends() (n [Shards]uint32) {
	for i := range n {
		n[i] = t.shards[i].n.Load()
	}
	return n
}

// appendRange appends the words in a range of positions.
func (s *shard) appendRange(words []uint64, from, to uint32) []uint64 {
	words = slices.Grow(words, int(to-from))
	for i := from; i < to; i++ {
		words = append(words, s.at(i))
	}
	return words
}

// at is the word with a number, for sets of fewer than 1<<32 words.
func (t *wordSet) at(id uint32) uint64 {
	return t.shards[id&shardMask].at(id >> shardBits)
}

// find looks for a word.
func (s *shard) find(word, h uint64) (i uint32, ok bool) {
	i, _, ok = s.seek(word, h)
	return i, ok
}

// seek looks for a word; when it is not there, slot is the one that it should take.
func (s *shard) seek(word, h uint64) (i uint32, slot int, ok bool) {
	x := s.index.Load()
	tag := x.tag(h)
	for j := x.home(h); ; {
		v := atomic.LoadUint32(&x.slots[j])
		if v == 0 {
			return 0, j, false
		}
		if (v^tag)>>x.idBits == 0 {
			if i := v&(1<<x.idBits-1) - 1; s.at(i) == word {
				return i, j, true
			}
		}
		if j++; j == len(x.slots) {
			j = 0
		}
	}
}

// query is about words that are looked up together.
type query struct {
	hash      []uint64
	seen      []uint32  // where a word is likely to be
	addresses []uintptr // in memory, of what is read next for each word
}

func newQuery(most int) query {
	return query{hash: make([]uint64, most), seen: make([]uint32, most), addresses: make([]uintptr, most)}
}

const nowhere = math.MaxUint32

// locate brings what is needed to find words into the cache: first the home slots,
// then the words that they point to.
func (t *wordSet) locate(words []uint64, q *query) {
	hash, seen, addresses := q.hash[:len(words)], q.seen[:len(words)], q.addresses[:len(words)]
	for i, w := range words {
		h := t.hash(w)
		hash[i] = h
		addresses[i] = t.shards[h&shardMask].index.Load().address(h)
	}
	prefetch(addresses)
	for i, h := range hash {
		s := &t.shards[h&shardMask]
		p := s.index.Load().candidate(h)
		seen[i] = p
		if p != nowhere {
			// The list is not older than the index, so it has the position.
			c, o := place(p)
			addresses[i] = (*s.words.Load())[c].address(o)
		}
	}
	prefetch(addresses)
}

// candidate is the first position whose slot has the tag of a hash, or nowhere. Another
// word may have this tag too.
func (x *index) candidate(h uint64) uint32 {
	tag := x.tag(h)
	for j := x.home(h); ; {
		v := atomic.LoadUint32(&x.slots[j])
		if v == 0 {
			return nowhere
		}
		if (v^tag)>>x.idBits == 0 {
			return v&(1<<x.idBits-1) - 1
		}
		if j++; j == len(x.slots) {
			j = 0
		}
	}
}

// resolve is the position of word i of a query, which is added if it is not there.
// It fails when the numbers are used up.
func (t *wordSet) resolve(word uint64, q *query, i int) (p uint32, fresh, ok bool) {
	h := q.hash[i]
	s := &t.shards[h&shardMask]
	if p = q.seen[i]; p != nowhere && s.at(p) == word {
		return p, false, true
	}
	if p, ok = s.find(word, h); ok {
		return p, false, true
	}
	return t.add(word, h)
}

// add is the position of a word in its shard, which is added if it is not there.
func (t *wordSet) add(word, h uint64) (i uint32, fresh, ok bool) {
	s := &t.shards[h&shardMask]
	if !s.mu.TryLock() {
		if g := s.grows.Load(); g != nil {
			g.fill(t, s) // sooner done than waited for
		}
		s.mu.Lock()
	}
	i, fresh, ok = t.addLocked(s, word, h)
	s.mu.Unlock()
	if c, o := place(i); fresh && o == 1<<chunkBits-1 {
		t.pack(s, c)
	}
	return i, fresh, ok
}

func (t *wordSet) addLocked(s *shard, word, h uint64) (i uint32, fresh, ok bool) {
	i, slot, ok := s.seek(word, h)
	if ok {
		return i, false, true
	}
	n := s.n.Load()
	if n >= s.index.Load().limit {
		if !t.grow(s) {
			return 0, false, false
		}
		_, slot, _ = s.seek(word, h)
	}
	c, o := place(n)
	if c == len(*s.words.Load()) {
		t.extend(s, c)
	}
	(*s.words.Load())[c].set(o, word)
	x := s.index.Load()
	atomic.StoreUint32(&x.slots[slot], x.tag(h)|(n+1))
	s.n.Store(n + 1)
	return n, true, true
}

// extend adds chunk c to a shard.
func (t *wordSet) extend(s *shard, c int) {
	size := 1 << min(chunkBits, firstBits-1+max(1, c))
	// Readers of the old list do not look at what is behind its end.
	list := append(*s.words.Load(), newChunk(size))
	s.words.Store(&list)
	t.mem.taken.Add(uint64(size) * 8)
}

// pack packs chunk c of a shard, which is full. Readers may still look at the plain one.
func (t *wordSet) pack(s *shard, c int) {
	plain := &(*s.words.Load())[c]
	packed := plain.pack()
	s.mu.Lock()
	list := slices.Clone(*s.words.Load())
	list[c] = packed
	s.words.Store(&list)
	s.mu.Unlock()
	t.mem.taken.Add(uint64(len(packed.bytes)))
	t.mem.retired.Add(uint64(len(plain.bytes)))
}

// put adds a position to an index that has room. Several workers may do so at once.
func (x *index) put(h uint64, i uint32) {
	v := x.tag(h) | (i + 1)
	for j := x.home(h); !atomic.CompareAndSwapUint32(&x.slots[j], 0, v); {
		if j++; j == len(x.slots) {
			j = 0
		}
	}
}

// growth is a greater index of a shard while it is filled: by the worker that holds the
// lock, and by those that would wait for it.
type growth struct {
	*index
	words uint32        // to be put
	next  atomic.Uint32 // the first one that no worker has taken
	done  atomic.Uint32 // how many have been put
}

// fill puts the words that no worker has taken yet.
func (g *growth) fill(t *wordSet, s *shard) {
	// In the order of the words: that reads memory in sequence, and only the writes are
	// random.
	var hash [256]uint64
	var addresses [len(hash)]uintptr
	for {
		from := g.next.Add(uint32(len(hash))) - uint32(len(hash))
		if from >= g.words {
			return
		}
		some := min(uint32(len(hash)), g.words-from)
		for k := range some {
			h := t.hash(s.at(from + k))
			hash[k], addresses[k] = h, g.address(h)
		}
		prefetch(addresses[:some])
		for k := range some {
			g.put(hash[k], from+k)
		}
		g.done.Add(some)
	}
}

// grow gives a shard a greater index. It fails when the numbers are used up.
func (t *wordSet) grow(s *shard) bool {
	old := s.index.Load()
	n := s.n.Load()
	size := uint64(len(old.slots))
	switch {
	case n >= t.most:
		return false
	case size == 1:
		size = 32
	case size < 1<<16:
		size *= 2
	default:
		size += size / 6
	}
	x := &index{
		slots:  make([]uint32, size),
		idBits: uint(max(firstBits, bits.Len64(size))),
		limit:  uint32(min(size/5*4, uint64(t.most))),
	}
	t.mem.taken.Add(size * 4)
	g := &growth{index: x, words: n}
	s.grows.Store(g)
	g.fill(t, s)
	for g.done.Load() < n { // another worker has taken the last ones
		runtime.Gosched()
	}
	s.index.Store(x)
	s.grows.Store(nil)
	if old != noIndex {
		t.mem.retired.Add(uint64(len(old.slots)) * 4)
	}
	return true
}
