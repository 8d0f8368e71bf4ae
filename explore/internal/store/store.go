package store

import (
	"errors"
	"fmt"
)

const (
	// BatchStates is how many states are inserted at once: enough for the cache
	// misses of one pass to overlap, few enough for the batch to stay in the L1 cache.
	BatchStates = 256
	// chunkStates is how many states a worker takes from a level at once.
	chunkStates = 64
)

// What stops a store, see store.trouble.
var (
	ErrMemory  = errors.New("the memory limit is reached")
	ErrNumbers = errors.New("the store has no numbers left")
)

// Store is the visited set together with the states of each level. Levels are
// built one after the other: all insertions between two calls of EndLevel belong
// to the same level.
type Store interface {
	// Inserter returns a worker's private handle.
	Inserter() Inserter
	// EndLevel closes the level under construction. No insertion may be under way.
	EndLevel() (Level, error)
	// Count is the number of distinct states so far, up to batches under way.
	Count() uint64
	// Bytes is the memory taken.
	Bytes() uint64
	// Trouble is what stopped the store from growing, or nil; from then on insertions
	// may be dropped. It wraps ErrMemory, ErrNumbers or ErrDiskFull if it is one of them.
	Trouble() error
	// Unseen reports that Insert does not list the new states of the level under
	// construction: they are only known once the level has ended.
	Unseen() bool
	// Fingerprint is the number of bits by which states are told apart, 0 when the
	// states themselves are compared.
	Fingerprint() int
	// Save returns files of the first n levels, and of what else is needed to restore
	// them, making those that are not there yet.
	Save(n int) (levels, nodes []*File, err error)
	// Restore fills an empty store from such files.
	Restore(levels, nodes []*File) ([]Level, error)
	// SavePart returns, after Save of all closed levels, what is needed to go on in the middle
	// of the next one. l is the last closed level, or the rest of it that RestorePart has
	// returned; all states of its first n chunks have been expanded, and no others. No
	// insertion may be under way.
	SavePart(l Level, n int) (Part, error)
	// RestorePart brings back, after Restore, the level under construction, and returns what
	// is left to be expanded of the last closed one.
	RestorePart(p Part) (rest Level, err error)
}

// Inserter adds states on behalf of one worker.
type Inserter interface {
	// Follow says that the states that are taken from now on are likely to be similar
	// to state i of p.
	Follow(p *Piece, i int)
	// Take counts the state that was encoded at the end of b among those of b.
	Take(b *Batch)
	// Insert adds the states of b that are not yet in the store and lists them in
	// b.Fresh.
	Insert(b *Batch)
}

// Level is the states of one depth.
type Level interface {
	States() uint64
	// Chunks is the number of pieces that Load can be asked for.
	Chunks() int
	// Load fills p with the states of chunk i, at most chunkStates and possibly none.
	Load(i int, p *Piece) error
}

// Piece is a few states of a level. It is filled again and again.
type Piece struct {
	N     int      // states
	Words []uint64 // their encodings, one after the other, in buf or in the store
	buf   []uint64

	// Of the exact store.
	roots []uint64
	refs  []uint32 // numbers of the nodes, for one state after the other

	raw []byte // of a file
}

// Batch is a list of encoded states on their way to the store.
type Batch struct {
	N     int      // states
	Words []uint64 // their encodings, and room for more
	Fresh []int32  // after an insertion: those that were new

	width int
	hash  []uint64
	root  []uint64 // of the exact store
	probe []uint64 // what the store saw in each state's home slot
}

// NewBatch is an empty batch for encodings of so many words.
func NewBatch(width int) *Batch {
	return &Batch{
		width: width,
		Words: make([]uint64, BatchStates*width),
		hash:  make([]uint64, BatchStates),
		root:  make([]uint64, BatchStates),
		probe: make([]uint64, BatchStates),
		Fresh: make([]int32, 0, BatchStates),
	}
}

// At is the encoding of state i. At(N) is where the next one goes.
func (b *Batch) At(i int) []uint64 {
	return b.Words[i*b.width : (i+1)*b.width : (i+1)*b.width]
}

// Kind says how visited states are remembered.
type Kind string

// The kinds of stores.
const (
	KindExact   Kind = "exact"
	KindHash64  Kind = "hash64"
	KindHash128 Kind = "hash128"
)

// Options are the choices of a store.
type Options struct {
	Kind        Kind
	Width       int    // of an encoding, in words
	Workers     int    // how many inserters there will be
	MemoryLimit uint64 // bytes, 0 for none
	// FingerprintBits, when not 0, truncates the fingerprints, and the hash of the exact
	// store, so that tests meet collisions.
	FingerprintBits int
	// OnSpill, when not nil, is called when states go to disk.
	OnSpill func()
}

// New makes the store that the options ask for. Its files go to d.
func New(opt Options, d *Disk) (Store, error) {
	switch opt.Kind {
	case KindExact:
		return newExactStore(opt, d), nil
	case KindHash64, KindHash128:
		return newHashStore(opt, d), nil
	}
	return nil, fmt.Errorf("unknown store %q, want %q, %q or %q", opt.Kind, KindExact, KindHash64, KindHash128)
}
