package store

// A state is kept as a tree. Its leaves are the words of the encoding, and each is
// replaced by its number in a set of words, of 32 bits. Two numbers make a word
// again, which is an inner node; it is numbered in the same set, and so on, up to
// the root, which is the pair of the last two numbers. Words and numbers determine
// each other, so two states are equal exactly when their roots are. All states
// share the nodes, and as states are similar there are few nodes per root.

// shape is the form of the trees for one width. The nodes are the leaves, in the
// order of the words, and then the inner nodes, children before parents. The root
// is not among them.
type shape struct {
	width int
	nodes int    // without the root
	inner []pair // children of node width+i; the last ones are the root's
	// rounds are the inner nodes but the root by height.
	rounds [][]int
}

type pair struct{ left, right int }

func shapeOf(width int) shape {
	sh := shape{width: width}
	var build func(from, to int) (node, height int)
	build = func(from, to int) (int, int) {
		if to-from == 1 {
			return from, 0
		}
		mid := (from + to + 1) / 2
		l, hl := build(from, mid)
		r, hr := build(mid, to)
		n, h := width+len(sh.inner), max(hl, hr)
		sh.inner = append(sh.inner, pair{l, r})
		if to-from < width {
			if h == len(sh.rounds) {
				sh.rounds = append(sh.rounds, nil)
			}
			sh.rounds[h] = append(sh.rounds[h], n)
		}
		return n, h + 1
	}
	build(0, width)
	sh.nodes = max(0, 2*width-2)
	return sh
}

// folder makes the trees of a batch. Of a state that is similar to the base it looks
// up only the nodes that differ. All leaves of the batch are looked up together,
// then all inner nodes whose children are known, and so on, so that cache misses
// overlap.
type folder struct {
	shape
	set *wordSet

	base     []uint64 // words, nil for none
	baseRefs []uint32 // numbers of the nodes of base

	// Of the states of the batch, one after the other.
	refs    []uint32
	differs []bool // nodes that are not those of the base

	// recent are nodes that were looked up, by hash: states that are expanded one after
	// the other have many in common. It is of the size of a cache near the processor.
	recent []numbered

	// Nodes to be looked up, and where in refs their numbers go.
	words []uint64
	where []int32
	query
}

func newFolder(sh shape, set *wordSet) *folder {
	f := &folder{shape: sh, set: set}
	if most := BatchStates * sh.width; sh.nodes > 0 {
		f.refs = make([]uint32, BatchStates*sh.nodes)
		f.differs = make([]bool, BatchStates*sh.nodes)
		f.words = make([]uint64, 0, most)
		f.where = make([]int32, 0, most)
		f.query = newQuery(most)
		f.recent = make([]numbered, 1<<recentBits)
	}
	return f
}

const recentBits = 15

// numbered is a node with its number.
type numbered struct {
	word uint64
	ref  uint32
	used bool
}

// place is where a node is among the recent ones, if it is.
func (f *folder) place(word uint64) *numbered {
	return &f.recent[word*mixA>>(64-recentBits)]
}

// want sees to it that position at of refs gets the number of a node: now, or when the
// nodes that wait are looked up.
func (f *folder) want(word uint64, at int) {
	if e := f.place(word); e.word == word && e.used {
		f.refs[at] = e.ref
		return
	}
	f.words = append(f.words, word)
	f.where = append(f.where, int32(at))
}

// plant begins the tree of state i of the batch.
func (f *folder) plant(words []uint64, i int) {
	if f.nodes == 0 {
		return
	}
	from := i * f.nodes
	differs := f.differs[from : from+f.nodes]
	if f.base != nil {
		copy(f.refs[from:from+f.nodes], f.baseRefs)
	}
	for k, w := range words {
		differs[k] = f.base == nil || w != f.base[k]
		if differs[k] {
			f.want(w, from+k)
		}
	}
}

// fold completes the trees of the batch. It fails when there is no room for them.
func (f *folder) fold(b *Batch) bool {
	if f.nodes == 0 {
		for i := range b.N {
			b.root[i] = b.Words[i]
		}
		return true
	}
	ok := f.number()
	for _, round := range f.rounds {
		for from := 0; from < b.N*f.nodes; from += f.nodes {
			differs, refs := f.differs[from:from+f.nodes], f.refs[from:from+f.nodes]
			for _, n := range round {
				p := f.inner[n-f.width]
				differs[n] = differs[p.left] || differs[p.right]
				if differs[n] {
					f.want(p.join(refs), from+n)
				}
			}
		}
		ok = f.number() && ok // always: it empties what waits
	}
	root := f.inner[len(f.inner)-1]
	for i := range b.N {
		b.root[i] = root.join(f.refs[i*f.nodes:])
	}
	return ok
}

// number looks up the nodes that are waiting for it.
func (f *folder) number() bool {
	f.set.locate(f.words, &f.query)
	ok := true
	for i, w := range f.words {
		id, _, done := f.set.resolve(w, &f.query, i)
		ref := id<<shardBits | uint32(f.hash[i]&shardMask)
		f.refs[f.where[i]] = ref
		if done {
			*f.place(w) = numbered{w, ref, true}
		}
		ok = ok && done
	}
	f.words, f.where = f.words[:0], f.where[:0]
	return ok
}

// join is the node whose children have the given numbers.
func (p pair) join(refs []uint32) uint64 {
	return uint64(refs[p.left])<<32 | uint64(refs[p.right])
}

// unfold fills words with the n states whose roots are given, and refs with the
// numbers of their nodes. It goes through the trees node by node, for all states at
// once, so that cache misses overlap.
func (sh *shape) unfold(set *wordSet, roots []uint64, words []uint64, refs []uint32) {
	if sh.nodes == 0 {
		copy(words, roots)
		return
	}
	last := len(sh.inner) - 1
	for i := last; i >= 0; i-- {
		p := sh.inner[i]
		for k, w := range roots {
			if i < last {
				w = set.at(refs[k*sh.nodes+sh.width+i])
			}
			refs[k*sh.nodes+p.left] = uint32(w >> 32)
			refs[k*sh.nodes+p.right] = uint32(w)
		}
	}
	for i := range sh.width {
		for k := range roots {
			words[k*sh.width+i] = set.at(refs[k*sh.nodes+i])
		}
	}
}
