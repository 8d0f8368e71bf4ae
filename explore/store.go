package explore

import (
	"errors"
	"fmt"
)

const (
	// batchStates is how many states are inserted at once: enough for the cache
	// misses of one pass to overlap, few enough for the batch to stay in the L1 cache.
	batchStates = 256
	// chunkStates is how many states a worker takes from a level at once.
	chunkStates = 64
)

// What stops a store, see store.trouble.
var (
	errMemory  = errors.New("the memory limit is reached")
	errNumbers = errors.New("the store has no numbers left")
)

// store is the visited set together with the states of each level. Levels are
// built one after the other: all insertions between two calls of endLevel belong
// to the same level.
type store interface {
	// inserter returns a worker's private handle.
	inserter() inserter
	// endLevel closes the level under construction. No insertion may be under way.
	endLevel() (level, error)
	// count is the number of distinct states so far, up to batches under way.
	count() uint64
	// bytes is the memory taken.
	bytes() uint64
	// trouble is what stopped the store from growing, or nil; from then on insertions
	// may be dropped. It wraps errMemory, errNumbers or errDiskFull if it is one of them.
	trouble() error
	// unseen reports that insert does not list the new states of the level under
	// construction: they are only known once the level has ended.
	unseen() bool
	// fingerprint is the number of bits by which states are told apart, 0 when the
	// states themselves are compared.
	fingerprint() int
	// save returns files of the first n levels, and of what else is needed to restore
	// them, making those that are not there yet.
	save(n int) (levels, nodes []*wordFile, err error)
	// restore fills an empty store from such files.
	restore(levels, nodes []*wordFile) ([]level, error)
}

// inserter adds states on behalf of one worker.
type inserter interface {
	// follow says that the states that are taken from now on are likely to be similar
	// to state i of p.
	follow(p *piece, i int)
	// take counts the state that was encoded at the end of b among those of b.
	take(b *batch)
	// insert adds the states of b that are not yet in the store and lists them in
	// b.fresh.
	insert(b *batch)
}

// level is the states of one depth.
type level interface {
	states() uint64
	// chunks is the number of pieces that load can be asked for.
	chunks() int
	// load fills p with the states of chunk i, at most chunkStates and possibly none.
	load(i int, p *piece) error
}

// piece is a few states of a level. It is filled again and again.
type piece struct {
	n     int
	words []uint64 // the encodings, one after the other, in buf or in the store
	buf   []uint64

	// Of the exact store.
	roots []uint64
	refs  []uint32 // numbers of the nodes, for one state after the other

	raw []byte // of a file
}

// batch is a list of encoded states on their way to the store.
type batch struct {
	width int
	n     int
	words []uint64
	hash  []uint64
	root  []uint64 // of the exact store
	probe []uint64 // what the store saw in each state's home slot
	fresh []int32
}

func newBatch(width int) *batch {
	return &batch{
		width: width,
		words: make([]uint64, batchStates*width),
		hash:  make([]uint64, batchStates),
		root:  make([]uint64, batchStates),
		probe: make([]uint64, batchStates),
		fresh: make([]int32, 0, batchStates),
	}
}

// at is the encoding of state i. at(n) is where the next one goes.
func (b *batch) at(i int) []uint64 {
	return b.words[i*b.width : (i+1)*b.width : (i+1)*b.width]
}

// newStore makes the store that the options ask for.
func newStore(opt *Options, width int, d *disk) (store, error) {
	switch opt.Store {
	case StoreExact:
		return newExactStore(width, opt, d), nil
	case StoreHash64, StoreHash128:
		return newHashStore(width, opt, d), nil
	}
	return nil, fmt.Errorf("unknown store %q, want %q, %q or %q", opt.Store, StoreExact, StoreHash64, StoreHash128)
}
