// Command jugs is a model in a module of its own that imports the engine.
//
// Its go.mod names what it needs of that: the module, of any version, and where it is. The
// rest of go.mod, and go.sum, are what the go command adds to it (go mod tidy, or -mod=mod):
//
//	go run -mod=mod .          searches all states
//	go run -mod=mod . walk     takes the steps that are typed in
package main

import (
	"context"
	"log"
	"os"

	"vsrcheck/explore"
	"vsrcheck/explore/pack"
	"vsrcheck/explore/show"
)

// jugs are how much water is in each: the small one holds 3 gallons, the big one 5.
type jugs struct{ Small, Big uint8 }

// dieHard is the puzzle of Lamport's course. Words, Encode and Decode are those of the
// layout.
type dieHard struct{ *pack.Layout[jugs] }

func (dieHard) Init(yield func(*jugs)) { yield(&jugs{}) }

func (dieHard) Next(s, t *jugs, yield func(explore.Action)) {
	toBig, toSmall := min(s.Small, 5-s.Big), min(s.Big, 3-s.Small)
	for a, next := range []jugs{
		{3, s.Big}, {0, s.Big}, {s.Small, 5}, {s.Small, 0}, // fill and empty
		{s.Small - toBig, s.Big + toBig}, {s.Small + toSmall, s.Big - toSmall},
	} {
		*t = next
		yield(explore.Action(a))
	}
}

// ActionString is optional; so are the kinds and the fairness of actions.
func (dieHard) ActionString(a explore.Action) string {
	return []string{"fill small", "empty small", "fill big", "empty big", "pour into big", "pour into small"}[a]
}

func main() {
	puzzle := dieHard{pack.New(func(f *pack.Fields, s *jugs) {
		pack.Values(f, "small", &s.Small, 3)
		pack.Values(f, "big", &s.Big, 5)
	})}
	if len(os.Args) > 1 && os.Args[1] == "walk" {
		if err := show.Walk(puzzle, os.Stdin, os.Stdout); err != nil {
			log.Fatal(err)
		}
		return
	}
	never := explore.Invariant[jugs]{Name: "never four gallons", Holds: func(s *jugs) bool { return s.Big != 4 }}
	r, err := explore.Check(context.Background(), puzzle, explore.Properties[jugs]{Invariants: []explore.Invariant[jugs]{never}}, explore.Options{})
	if err != nil {
		log.Fatal(err)
	}
	if err := show.Result(os.Stdout, puzzle, r); err != nil {
		log.Fatal(err)
	}
}
