package explore_test

import (
	"context"
	"fmt"
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

// This is the whole of a model, from its state to the trace of a violation: can four gallons
// be measured with jugs of three and five?
func Example() {
	puzzle := dieHard{pack.New(func(f *pack.Fields, s *jugs) {
		pack.Values(f, "small", &s.Small, 3)
		pack.Values(f, "big", &s.Big, 5)
	})}
	never := explore.Invariant[jugs]{Name: "never four gallons", Holds: func(s *jugs) bool { return s.Big != 4 }}
	r, err := explore.Check(context.Background(), puzzle, explore.Properties[jugs]{Invariants: []explore.Invariant[jugs]{never}}, explore.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	show.Result(os.Stdout, puzzle, r)
	// Output:
	// violated
	// 14 distinct states, 73 generated, depth 7
	// step: 72 generated, 42 of them changed the state
	//
	// never four gallons (invariant) is violated
	//  0  Small = 0, Big = 0
	//  1  fill big: Big = 5
	//  2  pour into small: Small = 3, Big = 2
	//  3  empty small: Small = 0
	//  4  pour into small: Small = 2, Big = 0
	//  5  fill big: Big = 5
	//  6  pour into small: Small = 3, Big = 4
}
