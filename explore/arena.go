package explore

import (
	"sync"
	"sync/atomic"
)

const (
	// blockStates is how many ids a worker reserves at once.
	blockStates = 1024
	// arenaBits: an arena chunk has room for 1<<arenaBits states. Blocks do not
	// straddle chunks.
	arenaBits = 16
)

// arena holds encoded states by id. The chunks have no pointers, so the garbage
// collector does not look into them, and they never move.
type arena struct {
	width  int
	mu     sync.Mutex // for growing the list of chunks
	chunks atomic.Pointer[[][]uint64]
	next   atomic.Uint64 // first id not reserved
}

func newArena(width int) *arena {
	a := &arena{width: width}
	a.chunks.Store(new([][]uint64))
	return a
}

// at is the place of state id, which must be reserved.
func (a *arena) at(id uint64) []uint64 { return a.span(id, 1) }

// span is the place of n states with consecutive ids from the same block.
func (a *arena) span(id uint64, n int) []uint64 {
	chunk := (*a.chunks.Load())[id>>arenaBits]
	o := int(id&(1<<arenaBits-1)) * a.width
	e := o + n*a.width
	return chunk[o:e:e]
}

// reserve returns the first id of a new block.
func (a *arena) reserve() uint64 {
	id := a.next.Add(blockStates) - blockStates
	c := int(id >> arenaBits)
	if c < len(*a.chunks.Load()) {
		return id
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	old := *a.chunks.Load()
	if c < len(old) {
		return id
	}
	// A copy, because readers look at the old list without a lock.
	list := make([][]uint64, len(old), c+1)
	copy(list, old)
	for len(list) <= c {
		list = append(list, make([]uint64, a.width<<arenaBits))
	}
	a.chunks.Store(&list)
	return id
}

func (a *arena) bytes() uint64 {
	return uint64(len(*a.chunks.Load())) * uint64(a.width) << (arenaBits + 3)
}
