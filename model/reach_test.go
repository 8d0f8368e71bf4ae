package model

import (
	"fmt"
	"slices"
	"testing"
)

// WordSet is a set of encodings, numbered in the order in which they came.
type WordSet struct {
	width int
	words []uint64
	table []uint32 // numbers from 1 on, by hash; at most half of it is taken
}

func NewWordSet(width int) *WordSet { return &WordSet{width: width, table: make([]uint32, 256)} }

// Len is how many encodings there are.
func (s *WordSet) Len() int { return len(s.words) / s.width }

// At is the encoding of a number. It is valid until another one is added.
func (s *WordSet) At(i int) []uint64 { return s.words[i*s.width : (i+1)*s.width] }

// place is where an encoding is in the table, or would be.
func (s *WordSet) place(w []uint64) uint64 {
	h := uint64(1)
	for _, v := range w {
		h = (h ^ v) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	for mask := uint64(len(s.table) - 1); ; h++ {
		if i := s.table[h&mask]; i == 0 || slices.Equal(s.At(int(i)-1), w) {
			return h & mask
		}
	}
}

// Add puts an encoding into the set, if it is not there yet, and returns its number.
func (s *WordSet) Add(w []uint64) (i int, fresh bool) {
	p := s.place(w)
	if i := s.table[p]; i != 0 {
		return int(i) - 1, false
	}
	s.words = append(s.words, w...)
	n := s.Len()
	s.table[p] = uint32(n)
	if 2*n > len(s.table) {
		s.table = make([]uint32, 4*len(s.table))
		for k := range n {
			s.table[s.place(s.At(k))] = uint32(k + 1)
		}
	}
	return n - 1, true
}

// Find is the number of an encoding, or -1.
func (s *WordSet) Find(w []uint64) int { return int(s.table[s.place(w)]) - 1 }

// reach searches a model breadth first. It calls expand for every reachable state, which
// has to call found with every successor as the model made it, that is before it was ever
// encoded; an error ends the search.
func reach(t testing.TB, m *Model, expand func(s *State, found func(u *State)) error) uint64 {
	t.Helper()
	states, words := NewWordSet(m.Words()), make([]uint64, m.Words())
	found := func(u *State) {
		m.Encode(u, words)
		states.Add(words)
	}
	m.Init(found)
	for i := 0; i < states.Len(); i++ {
		var s State
		m.Decode(states.At(i), &s)
		if err := expand(&s, found); err != nil {
			t.Fatalf("%v\nfrom\n%s", err, m.Table(&s))
		}
	}
	return uint64(states.Len())
}

// overReachable calls visit for every reachable state of a model and for every step,
// with the successor as the model made it.
func overReachable(t testing.TB, m *Model, visit func(s *State, a uint32, u *State) error) uint64 {
	t.Helper()
	return reach(t, m, func(s *State, found func(u *State)) (failed error) {
		var u State
		m.Next(s, &u, func(a uint32) {
			found(&u)
			if err := visit(s, a, &u); err != nil && failed == nil {
				failed = fmt.Errorf("%s: %w", m.ActionString(a), err)
			}
		})
		return failed
	})
}

// overStates calls visit for every reachable state of a model.
func overStates(t testing.TB, m *Model, visit func(s *State) error) uint64 {
	t.Helper()
	return reach(t, m, func(s *State, found func(u *State)) error {
		var u State
		m.Next(s, &u, func(uint32) { found(&u) })
		return visit(s)
	})
}
