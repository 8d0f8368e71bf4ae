package explore

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// ledger is two counters up to three, and a flag that is up after the first step. Each
// fault is one that users make.
type ledger struct {
	fault string
	calls int
}

type inner struct{ Count [2]uint8 }

type entry struct {
	Part [2]inner
	Flag bool
	list []uint8          // as Part[0].Count, for the faults of references
	set  map[string]uint8 // always holds a and b
}

func (l *ledger) Init(yield func(*entry)) {
	l.calls++
	e := l.blank()
	if l.fault == "init" && l.calls > 1 {
		e.Part[1].Count[1] = 2
	}
	yield(e)
	if l.fault == "init count" && l.calls > 1 {
		yield(e)
	}
}

func (l *ledger) blank() *entry {
	return &entry{list: make([]uint8, 2), set: map[string]uint8{"a": 1, "b": 2, "c": 3, "d": 4}}
}

func (l *ledger) Next(s, t *entry, yield func(Action)) {
	order := []int{0, 1, 2, 3}
	if l.fault == "map order" {
		order = order[:0]
		for key := range s.set {
			order = append(order, int(s.set[key])-1)
		}
	}
	for _, i := range order {
		p, c := i/2, i%2
		if s.Part[p].Count[c] == 3 {
			continue
		}
		leftover := t.Part[1].Count[1]
		*t = *s
		if l.fault != "shared slice" {
			t.list = slices.Clone(s.list)
		}
		if l.fault == "changes s" && p == 1 {
			s.Part[1].Count[0]++
		}
		t.Part[p].Count[c]++
		t.Flag = true
		if l.fault == "leftover" && i != 3 {
			t.Part[1].Count[1] = max(leftover, s.Part[1].Count[1])
		}
		if p == 0 {
			t.list[c]++
		}
		l.calls++
		if l.fault == "other successor" && l.calls > 50 {
			t.Part[1].Count[1] = uint8(l.calls) % 4
		}
		yield(Action(i))
	}
}

func (l *ledger) Words() int { return 2 }

func (l *ledger) Encode(s *entry, dst []uint64) {
	w := uint64(0)
	for i := range 4 {
		bits := s.Part[i/2].Count[i%2]
		switch {
		case l.fault == "dropped" && i == 3:
			bits = 0
		case l.fault == "overflow" && i == 2:
			bits &= 1
		case l.fault == "spill" && i == 2:
			w |= uint64(bits) << 7
			continue
		}
		w |= uint64(bits) << (8 * i)
	}
	dst[0] = w
	if l.fault == "unwritten" && s.Flag {
		return
	}
	if l.fault == "impure encode" {
		s.Part[1].Count[0] = 0
	}
	flag := uint64(0)
	if s.Flag {
		flag = 1
	}
	if l.fault == "sum" {
		dst[1] |= flag
		return
	}
	dst[1] = flag
}

func (l *ledger) Decode(src []uint64, s *entry) {
	flag := s.Flag
	*s = *l.blank()
	for i := range 4 {
		s.Part[i/2].Count[i%2] = uint8(src[0]>>(8*i)) & 3
	}
	copy(s.list, s.Part[0].Count[:])
	s.Flag = src[1] == 1 || flag && l.fault == "partial decode"
}

func (l *ledger) Kinds() []string { return []string{"a", "b"} }
func (l *ledger) Kind(a Action) int {
	if l.fault == "kind" && a == 3 {
		return 2
	}
	return int(a) & 1
}
func (l *ledger) Fair(a Action) bool {
	l.calls++
	return l.fault == "fair" && l.calls%5 == 0
}
func (l *ledger) MeasureWords() int { return 2 }
func (l *ledger) Measure(s *entry, dst []uint64) {
	dst[0] = 0
	for _, p := range s.Part {
		dst[0] += uint64(p.Count[0]) + uint64(p.Count[1])
	}
	if l.fault != "measure" {
		dst[1] = 0
	}
}

// stepped is a ledger with an EncodeStep.
type stepped struct{ ledger }

func (l *stepped) EncodeStep(_ *entry, encoded []uint64, t *entry, dst []uint64) {
	full := make([]uint64, 2)
	l.Encode(t, full)
	dst[0] = full[0]
	if l.fault != "step forgets" {
		dst[1] = full[1]
	}
}

// TestBrokenContract has a system for each kind of fault, and wants the error to say which
// it is, where the state is, and which word and field are meant.
func TestBrokenContract(t *testing.T) {
	for _, c := range []struct {
		fault, rule, field string
		word               int
	}{
		{"dropped", RuleRoundTrip, "Part[1].Count[1]", -1},
		{"overflow", RuleRoundTrip, "Part[1].Count[0]", -1},
		{"spill", RuleRoundTrip, "Part[1].Count[0]", 0},
		{"unwritten", RuleEncodeWrites, "", 1},
		{"sum", RuleEncodeWrites, "", 1},
		{"impure encode", RuleEncodePure, "Part[1].Count[0]", -1},
		{"partial decode", RuleDecode, "Flag", -1},
		{"changes s", RuleNextPure, "Part[1].Count[0]", -1},
		{"shared slice", RuleNextPure, "list[0]", -1},
		{"leftover", RuleNextSame, "Part[1].Count[1]", 0},
		{"map order", RuleNextSame, "", -1},
		{"other successor", RuleNextSame, "Part[1].Count[1]", 0},
		{"kind", RuleKind, "", -1},
		{"fair", RuleActionSame, "", -1},
		{"measure", RuleMeasureSame, "", 1},
		{"step forgets", RuleEncodeStep, "", 1},
		{"init", RuleInitSame, "Part[1].Count[1]", 0},
		{"init count", RuleInitSame, "", -1},
	} {
		t.Run(c.fault, func(t *testing.T) {
			var sys System[entry] = &ledger{fault: c.fault}
			if c.fault == "step forgets" {
				sys = &stepped{ledger{fault: c.fault}}
			}
			check := func(how string, err error, stop Stop) {
				var e *ContractError
				if !errors.As(err, &e) {
					t.Fatalf("%s: got %v, want a *ContractError", how, err)
				}
				if stop != StopContract {
					t.Errorf("%s: got stop %q, want %q", how, stop, StopContract)
				}
				if e.Rule != c.rule || e.Field != c.field || e.Word != c.word {
					t.Errorf("%s: got rule %q, field %q, word %d, want %q, %q, %d\n%v", how, e.Rule, e.Field, e.Word, c.rule, c.field, c.word, e)
				}
				if !strings.Contains(e.Error(), c.rule) || !strings.Contains(e.Error(), c.field) {
					t.Errorf("%s: the error says neither rule nor field: %v", how, e)
				}
			}
			r, err := Check(context.Background(), sys, Properties[entry]{Recurrent: []Recurrent[entry]{{"R", func(*entry) uint64 { return 0 }}}}, Options{Workers: 1})
			check("Check", err, r.Stop)
			if _, again := any(sys).(*stepped); !again {
				sys = &ledger{fault: c.fault}
			}
			walks, err := Simulate(context.Background(), sys, Properties[entry]{}, SimulateOptions{Walks: 20, Workers: 1})
			check("Simulate", err, walks.Stop)
		})
	}
	for _, sys := range []System[entry]{&ledger{}, &stepped{}} {
		if r := mustCheck(t, sys, Properties[entry]{}, Options{Workers: 1, Verify: VerifyAll()}); r.Distinct != 256 {
			t.Errorf("got %d states, want 256", r.Distinct)
		}
	}
}

// TestDroppedField has what made a violated property hold: 2 to the fewer states.
func TestDroppedField(t *testing.T) {
	bad := Properties[entry]{Invariants: []Invariant[entry]{{"I", func(s *entry) bool { return s.Part[1].Count[1] < 2 }}}}
	if r := mustCheck(t, System[entry](&ledger{}), bad, Options{Workers: 1}); r.Verdict != Violated {
		t.Errorf("got %s, want %s", r.Verdict, Violated)
	}
	if r := mustCheck(t, System[entry](&ledger{fault: "dropped"}), bad, Options{Workers: 1, Verify: VerifyNone()}); r.Verdict != Holds || r.Distinct >= 256 {
		t.Errorf("got %s, %d states: the fault has no effect any more", r.Verdict, r.Distinct)
	}
}

// sampled is a lattice whose Encode drops what is rare.
type sampled struct{ lattice }

func (c *sampled) Encode(s *tuple, dst []uint64) {
	u := *s
	if u[0] == c.top && u[1] == c.top {
		u[1] = 0
	}
	c.lattice.Encode(&u, dst)
}

// TestContractErrorIsDeterministic wants the same error of every number of workers, whether
// all is verified or a sample.
func TestContractErrorIsDeterministic(t *testing.T) {
	for _, v := range []*Verification{nil, VerifyAll(), {OneIn: 7}, {First: 500}, {First: 500, OneIn: 20}} {
		for _, stores := range []StoreKind{StoreExact, StoreHash64} {
			want := ""
			for _, workers := range []int{1, 2, 5} {
				sys := &sampled{lattice{n: 5, top: 5, width: 2}}
				r, err := Check(context.Background(), System[tuple](sys), Properties[tuple]{}, Options{Workers: workers, Store: stores, Verify: v})
				got := "none"
				if e := new(ContractError); errors.As(err, &e) {
					got = fmt.Sprint(e, r.PanicTrace)
					if n := len(r.PanicTrace); n != e.Depth+1 {
						t.Errorf("a trace of %d states to depth %d", n, e.Depth)
					}
				}
				if want == "" {
					want = got
				} else if got != want {
					t.Errorf("%v, %d workers: got %s, want %s", v, workers, got, want)
				}
			}
			if want == "none" && (v == nil || v.First > 1000 || v.OneIn == 7) {
				t.Errorf("%v: the fault was not found", v)
			}
		}
	}
}

// ring is tokens on a ring, the same up to a shift of positions.
type ring struct {
	n     int
	fault string
}

func (r *ring) Init(yield func(*tuple)) { yield(&tuple{1}) }
func (r *ring) Next(s, t *tuple, yield func(Action)) {
	for i := range r.n {
		if s[i] > 0 && s[i] < 3 {
			*t = *s
			t[(i+1)%r.n]++
			if r.fault == "place" && i == 2 {
				t[i]++
			}
			yield(Action(i))
		}
	}
}
func (r *ring) Words() int { return 1 }
func (r *ring) Encode(s *tuple, dst []uint64) {
	least := ^uint64(0)
	for shift := range r.n {
		w := uint64(0)
		for i := range r.n {
			w = w<<8 | uint64(s[(i+shift)%r.n])
		}
		least = min(least, w)
	}
	dst[0] = least
}
func (r *ring) Decode(src []uint64, s *tuple) {
	*s = tuple{}
	for i := range r.n {
		s[r.n-1-i] = int(src[0] >> (8 * i) & 0xff)
	}
	if r.fault == "decode" && s[r.n-1] == 2 {
		s[r.n-1]++
	}
}
func (r *ring) Kinds() []string     { return []string{"pass"} }
func (r *ring) Kind(Action) int     { return 0 }
func (r *ring) Fair(Action) bool    { return false }
func (r *ring) Canonicalises() bool { return r.fault != "unsaid" }

// TestCanonical has a system whose Encode takes the least of all shifts.
func TestCanonical(t *testing.T) {
	inside := Properties[tuple]{Constraint: func(s *tuple) bool { return sum(s) < 9 }}
	if r := mustCheck(t, System[tuple](&ring{n: 4}), inside, Options{Workers: 1}); r.Distinct < 20 {
		t.Errorf("got %d states", r.Distinct)
	}
	for fault, rule := range map[string]string{"unsaid": RuleRoundTrip, "place": RuleSuccessors, "decode": RuleEncodeDecode} {
		_, err := Check(context.Background(), System[tuple](&ring{4, fault}), inside, Options{Workers: 1})
		if e := new(ContractError); !errors.As(err, &e) || e.Rule != rule {
			t.Errorf("%s: got %v, want the rule %q", fault, err, rule)
		}
	}
}

// TestManySuccessors has an action with several successors, which is legal: an action is a
// relation, not a function.
func TestManySuccessors(t *testing.T) {
	g := &graph{init: []int{0}, edges: [][]graphEdge{{{1, 0}, {2, 0}}, {}, {}}}
	if r := mustCheck(t, System[node](g), Properties[node]{}, Options{Verify: VerifyAll()}); r.Distinct != 3 {
		t.Errorf("got %d states, want 3", r.Distinct)
	}
}

// TestDiffer has differences of every sort of field.
func TestDiffer(t *testing.T) {
	type deep struct {
		A [2]struct{ N []int }
		M map[string]*int
		I any
		F float64
		S string
	}
	one, two := 1, 2
	value := func() *deep {
		n := 1
		d := &deep{M: map[string]*int{"x": &n, "y": &n}, I: 3, S: "s"}
		d.A[1].N = []int{4, 5}
		return d
	}
	for want, change := range map[string]func(*deep){
		"":            func(d *deep) { d.A[0].N = []int{}; d.M["x"] = &one },
		"A[1].N[1]":   func(d *deep) { d.A[1].N[1] = 6 },
		"len(A[1].N)": func(d *deep) { d.A[1].N = nil },
		`M["y"]`:      func(d *deep) { d.M = maps.Clone(d.M); d.M["y"] = &two },
		"len(M)":      func(d *deep) { delete(d.M, "x") },
		"I":           func(d *deep) { d.I = "3" },
		"F":           func(d *deep) { d.F = 1 },
		"S":           func(d *deep) { d.S = "t" },
	} {
		a := value()
		change(a)
		d, differs := differ(a, value())
		if differs != (want != "") || differs && d.field != want {
			t.Errorf("got %+v, %t, want field %q", d, differs, want)
		}
	}
}
