package show

import (
	"context"
	"strings"
	"testing"

	"vsrcheck/explore"
)

// clock is a system that says nothing of itself: an hour that goes round, once it is wound.
type clock struct{ hours int }

type face struct {
	Hour  int
	Wound bool
}

func (c clock) Init(yield func(*face)) { yield(&face{}); yield(&face{Hour: 1}); yield(&face{}) }
func (c clock) Next(s, t *face, yield func(explore.Action)) {
	*t = *s
	t.Wound = true
	yield(0)
	if s.Wound {
		*t = face{(s.Hour + 1) % c.hours, true}
		yield(1)
	}
}
func (c clock) Words() int { return 1 }
func (c clock) Encode(s *face, dst []uint64) {
	dst[0] = uint64(s.Hour) << 1
	if s.Wound {
		dst[0]++
	}
}
func (c clock) Decode(src []uint64, s *face) { *s = face{int(src[0] >> 1), src[0]&1 != 0} }

// named is a clock that has words for itself.
type named struct{ clock }

func (named) ActionString(a explore.Action) string { return []string{"wind", "tick"}[a] }
func (named) StateString(s *face) string           { return strings.Repeat("|", s.Hour) + "." }

func TestWalk(t *testing.T) {
	for _, c := range []struct {
		name string
		sys  explore.System[face]
		in   string
		want string
	}{
		{"what the system does not say", clock{3}, "9\n1\nback\n1\n1\ntrace\nback\nstate\nhow\nquit\n1\n", ` 1  Hour = 0, Wound = false
 2  Hour = 1, Wound = false
> got step 9, want 1..2
> after 0 steps: Hour = 0, Wound = false
 1  step 0: Wound = true
> this is where the walk begins
> after 1 steps: Hour = 0, Wound = true
 1  step 1: Hour = 1
> after 2 steps: Hour = 1, Wound = true
 1  step 1: Hour = 2
>  0  Hour = 0, Wound = false
 1  step 0: Wound = true
 2  step 1: Hour = 1
> after 1 steps: Hour = 0, Wound = true
 1  step 1: Hour = 1
> Hour = 0, Wound = true
> ` + walkHelp + `
> `},
		{"what it does say", named{clock{3}}, "2\n1\n", ` 1  .
 2  |.
> after 0 steps: |.
 1  wind: |.
> after 1 steps: |.
 1  tick: ||.
> `},
	} {
		var out strings.Builder
		if err := Walk(c.sys, strings.NewReader(c.in), &out); err != nil || out.String() != c.want {
			t.Errorf("%s: got %v\n%s\nwant\n%s", c.name, err, &out, c.want)
		}
	}
}

func TestResult(t *testing.T) {
	r, err := explore.Check(context.Background(), named{clock{3}}, explore.Properties[face]{
		Temporal:   []explore.Temporal[face]{{Name: "is wound", Kind: explore.Eventually, P: func(s *face) bool { return s.Wound }}},
		Invariants: []explore.Invariant[face]{{Name: "never two", Holds: func(s *face) bool { return s.Hour != 2 }}},
		Reachable:  []explore.Reachable[face]{{Name: "nine", Is: func(s *face) bool { return s.Hour == 9 }}},
		Deferred:   map[string]bool{"never two": true, "is wound": true},
	}, explore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := Result(&out, named{clock{3}}, r); err != nil {
		t.Fatal(err)
	}
	const want = `violated
5 distinct states, 11 generated, depth 3
step: 8 generated, 5 of them changed the state
`
	if !strings.HasPrefix(out.String(), want) {
		t.Errorf("got\n%s\nwant it to begin with\n%s", &out, want)
	}
	for _, part := range []string{
		"never two (invariant) is violated\n 0  |.\n 1  wind: |.\n 2  tick: ||.\n",
		"nine (reachable) is violated: no state of that kind was met\n",
		"is wound (temporal) is violated\n 0  .\n   and so it stays for ever\n",
	} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("got\n%s\nwant in it\n%s", &out, part)
		}
	}
}

func TestSimulation(t *testing.T) {
	r, err := explore.Simulate(context.Background(), named{clock{3}}, explore.Properties[face]{
		Invariants: []explore.Invariant[face]{{Name: "never two", Holds: func(s *face) bool { return s.Hour != 2 }}},
	}, explore.SimulateOptions{Walks: 5, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := Simulation(&out, named{clock{3}}, r); err != nil || !strings.Contains(out.String(), "tick: ||.\n") {
		t.Errorf("got %v\n%s\nwant the way to two", err, &out)
	}
}

// hour prints as itself.
type hour int

func (h hour) String() string { return []string{"noon", "one"}[h] }

// TestFields: all that a state may be made of.
func TestFields(t *testing.T) {
	type part struct {
		When hour
		n    [2]int8
	}
	type state struct {
		Part part
		list []string
		Map  map[int]bool
		Next *part
		None *part
		Any  any
		f    func()
	}
	s := state{Part: part{1, [2]int8{-1, 2}}, list: []string{"a b"}, Map: map[int]bool{2: true, 1: false}, Next: &part{}, Any: 7, f: nil}
	got := ""
	for _, f := range fieldsOf(&s) {
		got += f.name + "=" + f.value + " "
	}
	const want = `Part.When=one Part.n[0]=-1 Part.n[1]=2 len(list)=1 list[0]="a b" Map[1]=false Map[2]=true ` +
		`Next.When=noon Next.n[0]=0 Next.n[1]=0 None=nil Any=7 f=nil `
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	type knot struct{ Self *knot }
	k := knot{}
	k.Self = &k
	if got := fieldsOf(&k); len(got) != 1 || got[0].value != "..." {
		t.Errorf("got %v of a knot, want an end", got)
	}
	if got := fieldsOf(new(int)); len(got) != 1 || got[0] != (field{"state", "0"}) {
		t.Errorf("got %v of a number, want it alone", got)
	}
}

// TestChangeOfMaps: what is gone is a change too.
func TestChangeOfMaps(t *testing.T) {
	type state struct{ Set map[string]int }
	got := Change[state](nil, &state{map[string]int{"a": 1, "b": 2}}, &state{map[string]int{"b": 3}})
	if got != `Set["b"] = 3, no Set["a"]` {
		t.Errorf("got %q", got)
	}
}
