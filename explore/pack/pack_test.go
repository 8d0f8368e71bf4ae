package pack

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
)

type state struct {
	Small [20]uint8
	Level int8
	Wide  uint64
	Set   uint16
	Up    bool
	One   int // takes one value only
	Left  int // not listed
}

func layout() *Layout[state] {
	return New(func(f *Fields, s *state) {
		for i := range s.Small {
			Values(f, "Small", &s.Small[i], 5)
		}
		Range(f, "Level", &s.Level, -3, 100)
		Set(f, "Wide", &s.Wide, 64)
		Set(f, "Set", &s.Set, 9)
		Flag(f, "Up", &s.Up)
		Range(f, "One", &s.One, 7, 7)
	})
}

func TestRoundTrip(t *testing.T) {
	l := layout()
	if l.Words() != 4 {
		t.Errorf("got %d words, want 4", l.Words())
	}
	rng := rand.New(rand.NewPCG(1, 2))
	seen := map[[4]uint64]state{}
	for range 2000 {
		s := state{Level: int8(rng.IntN(104) - 3), Wide: rng.Uint64(), Set: uint16(rng.IntN(512)), Up: rng.IntN(2) == 1, One: 7}
		for i := range s.Small {
			s.Small[i] = uint8(rng.IntN(6))
		}
		words := [4]uint64{^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)}
		l.Encode(&s, words[:])
		got := state{Left: 5, Up: true}
		l.Decode(words[:], &got)
		if got != s {
			t.Fatalf("got %+v, want %+v", got, s)
		}
		if other, met := seen[words]; met && other != s {
			t.Fatalf("%+v and %+v are encoded alike", other, s)
		}
		seen[words] = s
	}
}

func TestOverflow(t *testing.T) {
	for want, change := range map[string]func(*state){
		"pack: Small is 6, want 0..5":      func(s *state) { s.Small[3] = 6 },
		"pack: Level is -4, want -3..100":  func(s *state) { s.Level = -4 },
		"pack: Level is 101, want -3..100": func(s *state) { s.Level = 101 },
		"pack: Set is 512, want 0..511":    func(s *state) { s.Set = 512 },
		"pack: One is 8, want 7..7":        func(s *state) { s.One = 8 },
	} {
		s := state{One: 7}
		change(&s)
		func() {
			defer func() {
				err, _ := recover().(error)
				if e := new(OverflowError); !errors.As(err, &e) || e.Error() != want {
					t.Errorf("got %v, want %q", err, want)
				}
			}()
			layout().Encode(&s, make([]uint64, 4))
		}()
	}
}

func TestRefused(t *testing.T) {
	var elsewhere uint8
	for want, list := range map[string]func(f *Fields, s *state){
		"not in the state": func(f *Fields, s *state) { Values(f, "X", &elsewhere, 1) },
		"the same field":   func(f *Fields, s *state) { Flag(f, "X", &s.Up); Flag(f, "Y", &s.Up) },
		"the least one":    func(f *Fields, s *state) { Range(f, "X", &s.One, 2, 1) },
		"want 0..16":       func(f *Fields, s *state) { Set(f, "X", &s.Set, 17) },
	} {
		func() {
			defer func() {
				if text, _ := recover().(string); !strings.Contains(text, want) {
					t.Errorf("got %q, want %q in it", text, want)
				}
			}()
			New(list)
		}()
	}
}
