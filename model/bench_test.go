package model

import (
	"math/rand/v2"
	"testing"
)

// benchModels are a model of the default network and one whose messages arrive in order,
// each with states from random walks.
func benchModels(b *testing.B, run func(b *testing.B, m *Model, states []State)) {
	for _, network := range []NetworkKind{NetworkSet, NetworkFIFO} {
		m := mustNew(b, overNetwork(sized(3, 3, 1, 1, 1, 0), network, 0), soundRules()).With(AllReductions)
		rng := rand.New(rand.NewPCG(1, 2))
		var states []State
		for len(states) < 256 {
			var s, t, chosen State
			m.Init(func(i *State) { s = *i })
			for range 40 {
				n := 0
				m.Next(&s, &t, func(uint32) {
					if n++; rng.IntN(n) == 0 {
						chosen = t
					}
				})
				if n == 0 {
					break
				}
				s = chosen
				states = append(states, s)
			}
		}
		b.Run(network.String(), func(b *testing.B) { run(b, m, states[:256]) })
	}
}

// BenchmarkNext takes every step of 256 states.
func BenchmarkNext(b *testing.B) {
	benchModels(b, func(b *testing.B, m *Model, states []State) {
		var t State
		n := 0
		yield := func(uint32) { n++ }
		b.ReportAllocs()
		for b.Loop() {
			for i := range states {
				m.Next(&states[i], &t, yield)
			}
		}
	})
}

// BenchmarkEncode packs 256 states, and unpacks them.
func BenchmarkEncode(b *testing.B) {
	benchModels(b, func(b *testing.B, m *Model, states []State) {
		words := make([]uint64, m.Words())
		var t State
		b.ReportAllocs()
		for b.Loop() {
			for i := range states {
				m.Encode(&states[i], words)
				m.Decode(words, &t)
			}
		}
	})
}

// BenchmarkNormalise normalises 256 states, which are normal already, and weighs them.
func BenchmarkNormalise(b *testing.B) {
	benchModels(b, func(b *testing.B, m *Model, states []State) {
		measure := make([]uint64, m.MeasureWords())
		b.ReportAllocs()
		for b.Loop() {
			for i := range states {
				t := states[i]
				m.normalise(&t)
				m.Measure(&t, measure)
			}
		}
	})
}
