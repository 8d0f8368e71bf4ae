package explore

import (
	"sync"
	"sync/atomic"
)

// forest is the sets of states that several searchers know to be in one strongly connected
// component: a union-find with, for each set, the searchers that have met it and a list of
// those of its states that have successors to look at. It is that of Bloem, Laarman and
// van de Pol, "Multi-core On-The-Fly SCC Decomposition", PPoPP 2016.
//
// Finding a set, noting a searcher, and ending a set of one state take no lock. Whatever
// changes a set of several states takes the lock of the whole forest: that happens a few
// times for a state of a component with a cycle, while generating that state's steps takes
// many times as long.
type forest struct {
	// Of a state with ufJoined, parent is one nearer to the root. Of a root it is the last
	// of the list of its set. The list is cyclic, by next; both are under the lock.
	parent, next []uint32
	// state has the flags below; 0 means outside: not in the graph that is searched, or the
	// root of a complete component.
	state []uint32
	mu    sync.Mutex
}

// The flags of a state. What is below them are the searchers that have met the set of a
// root, one bit for each.
const (
	ufInside  = 1 << (31 - iota) // in the graph that is searched
	ufDone                       // all its successors have been looked at; not set for a set of one
	ufJoined                     // not a root
	ufSeveral                    // root of a set of several states

	mostSearchers = 28
)

// claim is what a searcher learns of a state that it comes to.
type claim int

const (
	claimOutside claim = iota // its component is complete, or it is not in the graph
	claimMet                  // the searcher has met its set, which is on its way here
	claimNew                  // it has met it now
)

// add puts a state into the graph, in a set of its own.
func (f *forest) add(id uint32) { f.parent[id], f.next[id], f.state[id] = id, id, ufInside }

// root is the root of the set of a state. Another set may take it in at any time.
func (f *forest) root(id uint32) uint32 {
	for atomic.LoadUint32(&f.state[id])&ufJoined != 0 {
		p := atomic.LoadUint32(&f.parent[id])
		if atomic.LoadUint32(&f.state[p])&ufJoined != 0 {
			grand := atomic.LoadUint32(&f.parent[p])
			atomic.CompareAndSwapUint32(&f.parent[id], p, grand) // so that the next one has half the way
			p = grand
		}
		id = p
	}
	return id
}

// complete reports whether the component of a state is complete. It stays so.
func (f *forest) complete(id uint32) bool { return atomic.LoadUint32(&f.state[f.root(id)]) == 0 }

// same reports whether two states are in one set. False is what was so a moment ago.
func (f *forest) same(a, b uint32) bool {
	for {
		ra, rb := f.root(a), f.root(b)
		if ra == rb {
			return true
		}
		// Otherwise ra may have been no root any more when rb was found.
		if atomic.LoadUint32(&f.state[ra])&ufJoined == 0 {
			return false
		}
	}
}

// sameByNow reports whether two states are in one set, after a union that is under way. By
// that a searcher may have become known at a set that it has not come to, before the other
// set, which it has met, is joined to that one.
func (f *forest) sameByNow(a, b uint32) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.root(a) == f.root(b)
}

// claim notes that a searcher, given by its bit, has come to a state.
func (f *forest) claim(id, searcher uint32) claim {
	for {
		r := f.root(id)
		switch s := atomic.LoadUint32(&f.state[r]); {
		case s == 0:
			return claimOutside
		case s&ufJoined != 0: // since it was found
		case s&searcher != 0:
			return claimMet
		case atomic.CompareAndSwapUint32(&f.state[r], s, s|searcher):
			return claimNew
		}
	}
}

// unite takes the set of b into that of a; both are in one component. The one that is likely
// to be greater should be that of a.
func (f *forest) unite(a, b uint32) {
	f.mu.Lock()
	defer f.mu.Unlock()
	a, b = f.root(a), f.root(b)
	if a == b {
		return
	}
	// Two cyclic lists become one when two members exchange what follows them.
	lastA, lastB := f.parent[a], f.parent[b]
	f.next[lastA], f.next[lastB] = f.next[lastB], f.next[lastA]
	atomic.OrUint32(&f.state[a], ufSeveral)
	atomic.StoreUint32(&f.parent[b], a)
	// Searchers may come to b until it is joined, and then have to be known at a.
	for {
		s := atomic.LoadUint32(&f.state[b])
		atomic.OrUint32(&f.state[a], s&(1<<mostSearchers-1))
		if atomic.CompareAndSwapUint32(&f.state[b], s, s|ufJoined) {
			return
		}
	}
}

// finish notes that a searcher has looked at all successors of a state. It reports whether
// no other one has done so before.
func (f *forest) finish(id uint32) (first bool) {
	for {
		s := atomic.LoadUint32(&f.state[id])
		switch {
		case s == 0:
			return false
		case s&(ufJoined|ufSeveral) != 0:
			return f.finishOneOf(id)
		// All its successors are in complete components, so nobody will ever unite it.
		case atomic.CompareAndSwapUint32(&f.state[id], s, 0):
			return true
		}
	}
}

// finishOneOf is finish for a state in a set of several.
func (f *forest) finishOneOf(id uint32) (first bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return atomic.LoadUint32(&f.state[f.root(id)]) != 0 && atomic.OrUint32(&f.state[id], ufDone)&ufDone == 0
}

// unfinished is a state of the set of a state that is not finished. If there is none, the
// set is a complete component.
func (f *forest) unfinished(id uint32) (other uint32, more bool) {
	if f.complete(id) {
		return 0, false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	r := f.root(id)
	if atomic.LoadUint32(&f.state[r]) == 0 {
		return 0, false
	}
	for last := f.parent[r]; ; {
		n := f.next[last]
		if atomic.LoadUint32(&f.state[n])&ufDone == 0 {
			f.parent[r] = n // who asks next gets the one behind it
			return n, true
		}
		if n == last {
			atomic.StoreUint32(&f.state[r], 0)
			return 0, false
		}
		f.next[last] = f.next[n]
	}
}

// components lists those complete components of the given states that have several, and
// takes the states out of the graph.
func (f *forest) components(each func(yield func(id uint32))) (all [][]uint32) {
	// Of a root, next is how many states it has beside itself, and then the place of its
	// component, plus one.
	each(func(id uint32) { f.next[id] = 0 })
	joined := func(yield func(id, root uint32)) {
		each(func(id uint32) {
			if f.state[id]&ufJoined != 0 {
				yield(id, f.root(id))
			}
		})
	}
	several, roots := 0, 0
	joined(func(_, root uint32) {
		if f.next[root]++; f.next[root] == 1 {
			roots++
		}
		several++
	})
	room := make([]uint32, several+roots)
	all = make([][]uint32, 0, roots)
	each(func(id uint32) {
		if n := f.next[id]; n > 0 {
			all = append(all, append(room[:0:n+1], id))
			room = room[n+1:]
			f.next[id] = uint32(len(all))
		}
	})
	joined(func(id, root uint32) { all[f.next[root]-1] = append(all[f.next[root]-1], id) })
	each(func(id uint32) { f.state[id] = 0 })
	return all
}
