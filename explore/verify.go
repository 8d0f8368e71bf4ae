package explore

import (
	"fmt"
	"reflect"
	"slices"

	"vsrcheck/explore/internal/store"
)

// verifier verifies the contract in one state after the other. The steps of a state are
// generated twice. While the engine does so, note keeps their encodings. Then again
// generates them into another t, which has other leftovers, and compares. What it finds is
// thrown as a panic whose value is a *ContractError without the state; the engine, which
// catches the panics of a system anyway, knows which it is.
type verifier[S any] struct {
	sys         System[S]
	about       about
	constraint  func(*S) bool
	faster      Incremental[S] // nil: there is none
	measured    Measured[S]    // nil: there is none
	kinds       []string
	canonical   bool
	bisimulates bool // whether the successors of a state that stands for another are compared
	plain       bool // a copy of a state shares nothing with it

	below uint64 // threshold of the sample
	on    bool   // the state that is being expanded is verified

	// The steps of the state as the engine saw them.
	actions []Action
	kindsOf []int
	fair    []bool
	encs    []uint64

	s         *S // the state that is being expanded; it belongs to the engine
	cur       []uint64
	fresh     *S  // the same, decoded into a zero state
	t         *S  // successors, generated again
	v         *S  // what Decode makes of their encodings; never cleared
	before    *S  // a copy of t
	next      int // the step to come
	step      int // the step that is looked at; -1: the state itself
	chosen    int // the step whose successors are compared
	x, y      []uint64
	m, n      []uint64
	yield     func(Action)
	reachable [2][]uint64 // encodings of successors
}

func newVerifier[S any](sys System[S], props *Properties[S]) *verifier[S] {
	width := sys.Words()
	v := &verifier[S]{
		sys: sys, constraint: props.Constraint, about: aboutActions(sys), canonical: canonicalises(sys),
		plain: isPlain(reflect.TypeFor[S]()),
		fresh: new(S), t: new(S), v: new(S), before: new(S),
		x: make([]uint64, width), y: make([]uint64, width),
	}
	v.bisimulates = v.canonical && reducedOf(sys) == nil
	v.faster, _ = sys.(Incremental[S])
	if v.measured, _ = sys.(Measured[S]); v.measured != nil {
		n := v.measured.MeasureWords()
		v.m, v.n = make([]uint64, n), make([]uint64, n)
	}
	v.kinds = v.about.Kinds()
	v.yield = v.compare
	return v
}

// selects reports whether a state is to be verified.
func (v *verifier[S]) selects(words []uint64) bool {
	return v.below != 0 && (v.below == ^uint64(0) || sampleHash(words) < v.below)
}

// begin verifies a state that is about to be expanded: s was decoded from cur over another
// state.
func (v *verifier[S]) begin(s *S, cur []uint64) {
	v.on = true
	v.actions, v.kindsOf, v.fair, v.encs = v.actions[:0], v.kindsOf[:0], v.fair[:0], v.encs[:0]
	v.s, v.cur, v.step = s, cur, -1
	*v.fresh = *new(S)
	v.sys.Decode(cur, v.fresh)
	if d, differs := differ(s, v.fresh); differs {
		v.field(RuleDecode, d)
	}
	v.encodes(s, cur, RuleEncodeDecode)
	v.unchanged(RuleEncodePure)
	if v.constraint != nil {
		if got, want := v.constraint(s), v.constraint(v.fresh); got != want {
			v.fault(RuleConstraint, fmt.Sprint(got), fmt.Sprint(want))
		}
		v.unchanged(RuleConstraint)
	}
	v.measures(s, v.fresh)
}

// note takes down a step that the engine was given.
func (v *verifier[S]) note(a Action, kind int, fair bool, enc []uint64) {
	v.actions = append(v.actions, a)
	v.kindsOf = append(v.kindsOf, kind)
	v.fair = append(v.fair, fair)
	v.encs = append(v.encs, enc...)
}

// again generates the steps once more, and compares.
func (v *verifier[S]) again() {
	v.on = false
	v.unchanged(RuleNextPure)
	*v.t = *new(S)
	v.next = 0
	if n := len(v.actions); v.bisimulates && n > 0 {
		v.chosen = int(store.Hash(v.cur) % uint64(n))
	}
	v.sys.Next(v.s, v.t, v.yield)
	v.step = -1
	if v.next != len(v.actions) {
		v.fault(RuleNextSame, fmt.Sprintf("%d steps", v.next), fmt.Sprint(len(v.actions)))
	}
	v.unchanged(RuleNextPure)
	// Over a successor, which often differs in what a careless Decode leaves out.
	v.sys.Decode(v.cur, v.v)
	if d, differs := differ(v.v, v.fresh); differs {
		v.field(RuleDecode, d)
	}
}

// compare is called for every step that is generated again; the successor is in t, and
// nothing has been done with it yet.
func (v *verifier[S]) compare(a Action) {
	k := v.next
	v.next++
	if k == len(v.actions) {
		v.fault(RuleNextSame, fmt.Sprintf("more than %d steps", k), fmt.Sprint(k))
	}
	v.step = k
	if a != v.actions[k] {
		v.fault(RuleNextSame, fmt.Sprintf("%s (action %d) as step %d", v.kind(a), a, k), fmt.Sprintf("%s (action %d)", v.kind(v.actions[k]), v.actions[k]))
	}
	if kind, fair := v.about.Kind(a), v.about.Fair(a); kind != v.kindsOf[k] || fair != v.fair[k] {
		v.fault(RuleActionSame, fmt.Sprintf("kind %d, fair %t", kind, fair), fmt.Sprintf("kind %d, fair %t", v.kindsOf[k], v.fair[k]))
	}
	v.unchanged(RuleNextPure)
	v.successor(k)
	if v.bisimulates && k == v.chosen && (v.constraint == nil || v.constraint(v.t)) {
		v.bisimilar()
	}
}

// successor compares the successor of step k with what the engine was given, and verifies
// what is asked of any state.
func (v *verifier[S]) successor(k int) {
	width := len(v.x)
	enc := v.encs[k*width : (k+1)*width]
	v.sys.Decode(enc, v.v)
	var d difference
	differs := false
	if !v.canonical {
		d, differs = differ(v.v, v.t)
	}
	if v.plain {
		*v.before = *v.t
	}
	v.encodeSuccessor(enc)
	if differs {
		v.roundTrip(d, enc)
	}
	if v.plain {
		d, differs = differ(v.t, v.before)
	} else if !v.canonical {
		d, differs = differ(v.t, v.v)
	}
	if differs {
		v.field(RuleEncodePure, d)
	}
	if v.canonical {
		v.encodes(v.v, enc, RuleEncodeDecode)
		v.measures(v.t, v.v)
	}
}

// encodeSuccessor encodes t, over words that are all wrong, in each way that there is.
func (v *verifier[S]) encodeSuccessor(enc []uint64) {
	fillWrong(v.y, enc)
	v.sys.Encode(v.t, v.y)
	same := store.Equal(v.y, enc)
	if v.faster != nil {
		fillWrong(v.x, v.y)
		v.faster.EncodeStep(v.s, v.cur, v.t, v.x)
		if !store.Equal(v.x, v.y) {
			// Encode has to be right to tell whether EncodeStep is.
			step := slices.Clone(v.x)
			v.encodes(v.t, slices.Clone(v.y), RuleEncodeSame)
			v.word(RuleEncodeStep, step, v.y)
		}
	}
	if same {
		return
	}
	v.encodes(v.t, slices.Clone(enc), RuleNextSame)
}

// encodes verifies that the encoding of s is want, and otherwise says that the rule does
// not hold, unless it is Encode that is to blame.
func (v *verifier[S]) encodes(s *S, want []uint64, rule string) {
	fillWrong(v.x, want)
	v.sys.Encode(s, v.x)
	if store.Equal(v.x, want) {
		return
	}
	// A word that is not written is as it was, whatever it was.
	first := slices.Clone(v.x)
	for i := range v.x {
		v.x[i] = ^first[i]
	}
	v.sys.Encode(s, v.x)
	for i := range v.x {
		if v.x[i] == first[i] {
			continue
		}
		if v.x[i] == ^first[i] {
			v.raise(ContractError{Rule: RuleEncodeWrites, Word: i, Got: "what was there before", Want: "what the state says"})
		}
		v.word(RuleEncodeSame, v.x, first)
	}
	e := wordError(rule, first, want)
	v.sys.Decode(first, v.v)
	*v.before = *new(S)
	v.sys.Decode(want, v.before)
	if d, differs := differ(v.v, v.before); differs {
		e.Field = d.field
		e.Got, e.Want = fmt.Sprintf("%s (%s)", e.Got, d.got), fmt.Sprintf("%s (%s)", e.Want, d.want)
	}
	v.raise(e)
}

// fillWrong makes every bit of dst another one than it should become.
func fillWrong(dst, want []uint64) {
	for i, w := range want {
		dst[i] = ^w
	}
}

// unchanged verifies that the state that is being expanded is as it was.
func (v *verifier[S]) unchanged(rule string) {
	if d, differs := differ(v.s, v.fresh); differs {
		v.field(rule, d)
	}
}

// measures verifies that the measure of two states that are the same one is the same.
func (v *verifier[S]) measures(s, same *S) {
	if v.measured == nil {
		return
	}
	v.measured.Measure(s, v.m)
	fillWrong(v.n, v.m)
	v.measured.Measure(same, v.n)
	if !store.Equal(v.m, v.n) {
		v.word(RuleMeasureSame, v.n, v.m)
	}
}

// bisimilar verifies that t and the state that stands for it, v, have the same successors.
func (v *verifier[S]) bisimilar() {
	width := len(v.x)
	next := new(S)
	for i, s := range []*S{v.t, v.v} {
		to := v.reachable[i][:0]
		v.sys.Next(s, next, func(Action) {
			v.sys.Encode(next, v.x)
			to = append(to, v.x...)
		})
		v.reachable[i] = to
	}
	got, want := distinct(v.reachable[1], width), distinct(v.reachable[0], width)
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got) || i < len(want) && slices.Compare(want[i], got[i]) < 0:
			v.fault(RuleSuccessors, "no successor of the latter", fmt.Sprintf("one encoded as %x", want[i]))
		case i >= len(want) || slices.Compare(want[i], got[i]) > 0:
			v.fault(RuleSuccessors, fmt.Sprintf("a successor of the latter encoded as %x", got[i]), "none")
		}
	}
}

// distinct are the encodings of a list, sorted, each once.
func distinct(words []uint64, width int) [][]uint64 {
	all := slices.Collect(slices.Chunk(words, width))
	slices.SortFunc(all, slices.Compare)
	return slices.CompactFunc(all, store.Equal)
}

// roundTrip says in which field a successor is not what Decode makes of its encoding.
func (v *verifier[S]) roundTrip(d difference, enc []uint64) {
	e := ContractError{Rule: RuleRoundTrip, Word: -1, Field: d.field, Got: d.got, Want: d.want}
	v.sys.Encode(v.v, v.x)
	for i := range v.x {
		if v.x[i] != enc[i] {
			e.Word = i
			break
		}
	}
	v.raise(e)
}

func (v *verifier[S]) kind(a Action) string { return v.kinds[v.about.kindOf(a, len(v.kinds))] }

func (v *verifier[S]) fault(rule, got, want string) {
	v.raise(ContractError{Rule: rule, Word: -1, Got: got, Want: want})
}

func (v *verifier[S]) field(rule string, d difference) {
	v.raise(ContractError{Rule: rule, Word: -1, Field: d.field, Got: d.got, Want: d.want})
}

func (v *verifier[S]) word(rule string, got, want []uint64) { v.raise(wordError(rule, got, want)) }

// raise ends the verification of the state.
func (v *verifier[S]) raise(e ContractError) {
	if v.step >= 0 {
		e.Action = v.actions[v.step]
		e.Kind = v.kind(e.Action)
	}
	panic(&e)
}

// wordError is about the first word that differs.
func wordError(rule string, got, want []uint64) ContractError {
	for i := range got {
		if got[i] != want[i] {
			return ContractError{Rule: rule, Word: i, Got: fmt.Sprintf("%#x", got[i]), Want: fmt.Sprintf("%#x", want[i])}
		}
	}
	return ContractError{Rule: rule, Word: -1}
}

// initials verifies the initial states, of which encs are the encodings that the engine was
// given, or of the first of them, and count their number.
func (v *verifier[S]) initials(encs []uint64, count uint64) {
	width := len(v.x)
	known := uint64(len(encs) / width)
	n := uint64(0)
	v.step = -1
	v.sys.Init(func(s *S) {
		if n++; n > known {
			return
		}
		enc := encs[(n-1)*uint64(width) : n*uint64(width)]
		defer func() {
			if e := recover(); e != nil {
				if e, ok := e.(*ContractError); ok && e.Rule != RuleInitSame {
					e.locate(0, enc)
				}
				panic(e)
			}
		}()
		v.sys.Decode(enc, v.v)
		d, differs := differ(v.v, s)
		v.encodes(s, enc, RuleInitSame)
		if differs && !v.canonical {
			v.roundTrip(d, enc)
		}
	})
	if n != count {
		v.fault(RuleInitSame, fmt.Sprintf("%d states", n), fmt.Sprint(count))
	}
}
