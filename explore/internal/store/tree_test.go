package store

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
)

// similar makes states of any width, most of which differ in few words.
type similar struct{ width int }

func (m similar) encode(n int, dst []uint64) {
	for i := range dst {
		dst[i] = uint64(i) << 60
	}
	dst[0] |= uint64(n)
	dst[n%m.width] ^= uint64(n/m.width%1000) << 20
	dst[n/7%m.width] ^= uint64(n%5) << 40
}

// decodeAll lists the states of a level by their number.
func decodeAll(t *testing.T, l Level, m similar) map[int]bool {
	t.Helper()
	seen := map[int]bool{}
	var p Piece
	want := make([]uint64, m.width)
	for i := range l.Chunks() {
		if err := l.Load(i, &p); err != nil {
			t.Fatal(err)
		}
		for k := range p.N {
			got := p.Words[k*m.width : (k+1)*m.width]
			n := int(got[0] & (1<<20 - 1))
			if m.encode(n, want); !slices.Equal(got, want) {
				// Bits 20 and up of the first word may belong to its number.
				t.Fatalf("width %d: got state %x, want %x", m.width, got, want)
			}
			if seen[n] {
				t.Fatalf("width %d: state %d twice", m.width, n)
			}
			seen[n] = true
		}
	}
	return seen
}

// TestTreeWidths inserts states of all widths in several levels, with and without a
// base, from several goroutines, and with hashes that collide. Each state must be
// new once, be in its level, and be found again by its id.
func TestTreeWidths(t *testing.T) {
	for width := 1; width <= 20; width++ {
		if raceDetector && width%6 > 2 {
			continue
		}
		for _, bits := range []int{0, 7} {
			t.Run(fmt.Sprintf("%d/%d", width, bits), func(t *testing.T) {
				t.Parallel()
				const goroutines, levels = 3, 3
				states := 4000
				if bits != 0 {
					states = 600 // poor hashes take long
				}
				if raceDetector {
					states = 300
				}
				m := similar{width}
				s := newExactStore(Options{Width: width, FingerprintBits: bits}, nil)
				inserters := make([]*Finder, goroutines)
				for g := range inserters {
					inserters[g] = s.newInserter()
				}
				var last Level
				for d := range levels {
					fresh := make([]int, goroutines)
					var wg sync.WaitGroup
					for g, in := range inserters {
						wg.Go(func() {
							rng := rand.New(rand.NewPCG(uint64(d), uint64(g)))
							b := NewBatch(width)
							var p Piece
							flush := func() {
								in.Insert(b)
								fresh[g] += len(b.Fresh)
								b.N = 0
							}
							// States of the levels before come again.
							for i, n := range rng.Perm((d + 1) * states) {
								if last != nil && i%10 == 0 {
									if err := last.Load(rng.IntN(last.Chunks()), &p); err != nil {
										t.Error(err)
									}
									in.Follow(&p, rng.IntN(p.N))
								}
								m.encode(n, b.At(b.N))
								if in.Take(b); b.N == BatchStates || i%97 == 0 {
									flush()
								}
							}
							flush()
						})
					}
					wg.Wait()
					total := 0
					for _, n := range fresh {
						total += n
					}
					l, err := s.EndLevel()
					if err != nil {
						t.Fatal(err)
					}
					if total != states || l.States() != uint64(states) || s.Count() != uint64((d+1)*states) {
						t.Fatalf("level %d: %d new, %d states, %d in all, want %d, %d, %d", d, total, l.States(), s.Count(), states, states, (d+1)*states)
					}
					seen := decodeAll(t, l, m)
					for n := range seen {
						if n/states != d {
							t.Fatalf("state %d in level %d", n, d)
						}
					}
					last = l
					// From ids to states and back.
					b, ids := NewBatch(width), make([]uint32, BatchStates)
					var all []uint32
					l.(*ExactLevel).Each(func(id uint32) { all = append(all, id) })
					if len(all) != states {
						t.Fatalf("level %d has %d ids, want %d", d, len(all), states)
					}
					var p Piece
					for part := range slices.Chunk(all, BatchStates) {
						s.Load(part, &p)
						for k := range part {
							copy(b.At(b.N), p.Words[k*width:])
							inserters[0].Take(b)
						}
						if !inserters[0].Lookup(b, ids) || !slices.Equal(ids[:b.N], part) {
							t.Fatalf("level %d: ids %v of the states with the ids %v", d, ids[:b.N], part)
						}
						b.N = 0
					}
					if slices.Max(all) >= uint32(s.IDs()) {
						t.Errorf("id %d, want less than %d", slices.Max(all), s.IDs())
					}
				}
			})
		}
	}
}

// TestTreeMemory compares what the store says that it takes with what it has
// allocated.
func TestTreeMemory(t *testing.T) {
	s := newExactStore(Options{Width: 9}, nil)
	in, b := s.newInserter(), NewBatch(9)
	for n := range 300_000 {
		similar{9}.encode(n, b.At(b.N))
		if in.Take(b); b.N == BatchStates {
			in.Insert(b)
			b.N = 0
		}
	}
	want := uint64(0)
	for _, set := range []*wordSet{s.nodes, s.roots} {
		for i := range set.shards {
			sh := &set.shards[i]
			want += uint64(len(sh.index.Load().slots)) * 4
			words := 0
			for c := range *sh.words.Load() {
				chunk := &(*sh.words.Load())[c]
				words += len(chunk.bytes) / int(chunk.stride)
				want += uint64(len(chunk.bytes))
			}
			if n := int(sh.n.Load()); n > words || words > 2*n+1<<firstBits {
				t.Errorf("room for %d words, %d in it", words, n)
			}
		}
	}
	if got := s.Bytes() - s.mem.retired.Load(); got != want {
		t.Errorf("%d bytes, want %d", got, want)
	}
}

// TestPack packs words of all widths and finds them again.
func TestPack(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for low := range 33 {
		for high := range 33 {
			c := newChunk(1 << chunkBits)
			words := make([]uint64, 1<<chunkBits)
			for i := range words {
				words[i] = rng.Uint64()&(1<<high-1)<<32 | rng.Uint64()&(1<<low-1)
				c.set(uint32(i), words[i])
			}
			p := c.pack()
			if want := max(8, (low+7)/8<<chunkBits+(high+7)/8<<chunkBits); len(p.bytes) != want {
				t.Fatalf("%d and %d bits take %d bytes, want %d", low, high, len(p.bytes), want)
			}
			for i, w := range words {
				if got := p.at(uint32(i)); got != w {
					t.Fatalf("word %d of %d and %d bits: got %x, want %x", i, low, high, got, w)
				}
			}
		}
	}
}

// TestPlaces goes through the positions of a shard in order.
func TestPlaces(t *testing.T) {
	chunk, offset := 0, uint32(0)
	for i := range uint32(5 << chunkBits) {
		c, o := place(i)
		if c == chunk+1 && o == 0 && (offset == 1<<firstBits || offset == 1<<(firstBits-1+max(1, chunk)) || offset == 1<<chunkBits) {
			chunk, offset = c, 0
		}
		if c != chunk || o != offset {
			t.Fatalf("position %d is at %d, %d, want %d, %d", i, c, o, chunk, offset)
		}
		offset++
	}
}

// TestGrowthIsShared fills a greater index from several goroutines: every word must be
// found in it, and there must be no more slots than words.
func TestGrowthIsShared(t *testing.T) {
	const n = 100_000
	set := newWordSet(&memory{}, math.MaxUint32-1, ^uint64(0))
	s := &set.shards[0] // all go there, whatever their hashes are
	for i := range uint64(n) {
		w := i * 0x9e3779b9
		if _, fresh, ok := set.addLocked(s, w, set.hash(w)); !fresh || !ok {
			t.Fatalf("word %d: fresh %t, ok %t", i, fresh, ok)
		}
	}
	g := &growth{index: &index{slots: make([]uint32, 2*n), idBits: 18}, words: n}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() { g.fill(set, s) })
	}
	wg.Wait()
	if g.done.Load() != n {
		t.Fatalf("%d words were put, want %d", g.done.Load(), n)
	}
	s.index.Store(g.index)
	for i := range uint32(n) {
		w := uint64(i) * 0x9e3779b9
		if got, ok := s.find(w, set.hash(w)); !ok || got != i {
			t.Fatalf("word %d: found %t, at %d", i, ok, got)
		}
	}
	used := 0
	for _, v := range g.slots {
		if v != 0 {
			used++
		}
	}
	if used != n {
		t.Errorf("%d slots are used, want %d", used, n)
	}
}
