// Package store remembers which states a search has visited, and has the states of each of
// its levels. It knows encoded states only, as words: no system, no properties, no search.
//
// A [Store] gives each worker an [Inserter]. The worker collects encoded successors in a
// [Batch] and inserts it as a whole, so that the cache misses of its states overlap; the
// batch then says which of them are new. [Store.EndLevel] closes the level that all workers
// have built, and a [Level] is loaded piece by piece. Files go to a [Disk].
//
// # The exact store
//
// The exact store (exact.go) keeps every state, compressed into a tree
// (tree.go), after Laarman, van de Pol and Weber, "Parallel Recursive State
// Compression for Free", SPIN 2011. Each word of the encoding is replaced by its
// number, of 32 bits, in a set of all words met so far; each two numbers make a word,
// which is numbered in the same set, and so on, until one word is left, the root.
// This is a one-to-one map, so comparing the roots is comparing the states. The roots
// are the visited set. States share their inner nodes, so when they are similar, a
// state takes little more than its root. A worker knows the tree of the state that it
// expands, and for a successor looks up only the nodes above the words that differ.
//
// Both sets (intern.go) consist of 32 shards, chosen by the hash. A shard has its
// words in the order of insertion, in chunks that never move, and an index with open
// addressing, of slots of 32 bits: the position of the word and some bits of the hash.
// If the bits match, the whole words are compared, so a poor hash costs time but
// never a state. Finding takes no lock, and inserting that of the shard. A level is a
// range of positions in every shard. The number of a state is its shard and position.
//
// A chunk that is full is packed (chunk.go): each half of its words takes as many bytes
// as the greatest of the chunk needs, as numbers of nodes are mostly below 1<<24. So a
// state takes 5 to 8 bytes for the root, and 4 for its slot, of which 69 to 80 percent
// are in use: 10 to 14 bytes, and its share of the inner nodes. A shard replaces its
// index by one a sixth larger when it is full, from the words, while the old index is
// still in use. That is a 32nd of the index at a time for each worker. Replaced indexes
// and chunks are freed by a garbage collection once they make up a 32nd of the memory,
// and count as taken until then. There can be 1<<27 inner nodes in a shard.
//
// # On disk
//
// When the memory limit is reached, the roots go to disk (external.go). Each level is
// then a file, sorted within each shard. Memory has the inner nodes and those roots that
// were met since it was emptied last: candidates for the next level, which go to disk
// too, sorted, when there is no room for more. At the end of a level the candidates are
// compared with all levels before, shard by shard, in one pass over the files: delayed
// duplicate detection. Levels of similar size are merged for that pass, so that there
// are only some tens of files to read, however deep the search is. Inner nodes cannot go
// to disk. When they leave less than an eighth of the limit to roots, the run ends as
// Inconclusive. So it does when liveness has to be decided by components, which would
// look states up on disk one by one. The disk limit counts the content of files: those of
// the same volume are freed together, so for a while the disk may have more.
//
// # The hash stores
//
// The hash stores (fingerprints.go) keep only fingerprints of 64 or 128 bits. Two
// states with the same fingerprint are taken for one, and what is reachable only
// through the second is missed. Result.CollisionProbability bounds the probability
// that this happened at all, by the number of pairs of states. The states
// themselves are kept for the current and the next level; older levels go to a
// file, from which traces are rebuilt. The fingerprints have to be in memory.
//
// # Many processors
//
// Workers share the sets, the cursor and, once per batch, counters of states and memory.
// A batch of 256 states makes one lock of the gate for reading and two atomic additions;
// a chunk of 64 states one of the cursor. What is left are the sets themselves. A word
// that is found takes no lock and writes nothing shared, so finding scales until the
// memory does not: each lookup costs a few cache misses, which are made to overlap
// (prefetch.go), so what counts in the end is the bandwidth of the memory. Most
// insertions are of known words. A new one locks one of 32 shards, for as long as it
// takes to look once more and to write two words. Replacing an index holds the lock for
// longer, once in so many insertions; a worker that wants the lock meanwhile helps to fill
// the new index. A full chunk is packed without the lock. If new words were all there is,
// 64 workers would often meet at a shard; at one new word in ten, seldom.
// BenchmarkContention measures both, for 1 to 64 goroutines, on the machine at hand. The
// hash stores have no locks: an insertion is one compare-and-swap, repeated when another
// worker took the slot, and all wait while the table doubles.
package store
