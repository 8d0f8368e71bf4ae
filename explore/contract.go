package explore

import (
	"fmt"
	"math"
	"math/bits"
	"strings"

	"vsrcheck/explore/internal/store"
)

// A verdict is about the system that the engine sees: through Encode. A field that Encode
// forgets makes states equal that are not, and what is reachable only from one of them is
// never looked at; the run would end sooner and hold. So a run verifies in part of its
// states that the system keeps the contract of its interface. Which part is a function of
// the states themselves, and so is the error: the one at the least depth, and there in the
// least state.

// Verification says in how many states a run verifies that the system keeps its contract.
// In Check, a state is verified when it is expanded, with all its steps. A level of which
// only a part is to be verified is sampled by a hash of the encoding.
type Verification struct {
	// First is how many steps are to be verified before it is left at a sample: every
	// state while no more steps have been generated. In Simulate each of the first 256
	// walks has a share of them.
	First uint64
	// OneIn is the sample: one state in so many; 0: none.
	OneIn uint64
}

// DefaultVerification is what runs verify unless their options say otherwise.
var DefaultVerification = Verification{First: 100_000, OneIn: 1024}

// VerifyAll has every state and step verified, which makes a run some three times slower.
func VerifyAll() *Verification { return &Verification{First: math.MaxUint64} }

// VerifyNone has nothing verified.
func VerifyNone() *Verification { return &Verification{} }

// orDefault is what the options of a run ask for.
func (v *Verification) orDefault() Verification {
	if v == nil {
		return DefaultVerification
	}
	return *v
}

// Canonical is a System whose Encode maps several states to the same words because they
// count as the same one: under symmetry, or because S has fields that are no part of the
// state, such as a cache. Then Decode(Encode(s)) need not be s, but only the state that
// stands for it; what is verified instead is that it stands for itself, that both have the
// same successors (for one successor of each state that is verified, and not when the
// system is Reduced), and the same Measure.
type Canonical[S any] interface {
	// Canonicalises reports whether Encode does that.
	Canonicalises() bool
}

func canonicalises[S any](sys System[S]) bool {
	c, ok := sys.(Canonical[S])
	return ok && c.Canonicalises()
}

// The rules of the contract, as a ContractError names them.
const (
	RuleDecode       = "Decode overwrites all of *s"
	RuleRoundTrip    = "Decode(Encode(s)) = s"
	RuleEncodeDecode = "Encode(Decode(x)) = x, for an encoding x"
	RuleEncodeWrites = "Encode writes all words of dst"
	RuleEncodeSame   = "Encode is a function of the state"
	RuleEncodePure   = "Encode leaves *s alone"
	RuleEncodeStep   = "EncodeStep(s, Encode(s), t) = Encode(t)"
	RuleNextPure     = "Next leaves *s alone"
	RuleNextSame     = "Next yields the same steps in the same order when it is called again"
	RuleInitSame     = "Init yields the same states in the same order when it is called again"
	RuleKind         = "Kind is an index into Kinds"
	RuleActionSame   = "Kind and Fair are functions of the action"
	RuleMeasureSame  = "Measure is a function of the state"
	RuleSuccessors   = "a state and the one that stands for it have the same successors"
	RuleConstraint   = "Constraint is a function of the state and leaves it alone"
)

// ContractError says that the system does not keep the contract of its interface, so that
// no verdict about it would mean anything. Result.PanicTrace leads to the state.
type ContractError struct {
	Rule string // what does not hold, one of the constants
	// Depth and Encoded are the state; nil when the fault is in Init as a whole.
	Depth   int
	Encoded []uint64
	// Kind and Action are the step from that state whose successor the fault is about; Kind
	// is "" when it is about the state itself.
	Kind   string
	Action Action
	Word   int    // first word of the encoding that differs, or -1
	Field  string // first field of S that differs, such as Replica[1].Journal[2], or ""
	Got    string // what was found there
	Want   string // what should have been
}

func (e *ContractError) Error() string {
	var b strings.Builder
	b.WriteString("the system breaks its contract")
	if e.Kind != "" {
		fmt.Fprintf(&b, " after a step %s (action %d)", e.Kind, e.Action)
	}
	if e.Encoded != nil {
		fmt.Fprintf(&b, ", in a state at depth %d encoded as %x", e.Depth, e.Encoded)
		if e.Kind != "" {
			b.WriteString(" before the step")
		}
	}
	fmt.Fprintf(&b, ": wanted that %s, got", e.Rule)
	var where []string
	if e.Word >= 0 {
		where = append(where, fmt.Sprintf("word %d", e.Word))
	}
	if e.Field != "" {
		where = append(where, "field "+e.Field)
	}
	if len(where) > 0 {
		b.WriteString(" in " + strings.Join(where, " and "))
	}
	fmt.Fprintf(&b, " %s, want %s", e.Got, e.Want)
	if e.Rule == RuleRoundTrip {
		b.WriteString(" (see Canonical for a system that means it)")
	}
	return b.String()
}

func (e *ContractError) where() (int, []uint64) { return e.Depth, e.Encoded }

func (e *ContractError) locate(depth int, encoded []uint64) {
	e.Depth, e.Encoded = depth, append([]uint64(nil), encoded...)
}

func badKind(a Action, k, kinds int) {
	panic(&ContractError{Rule: RuleKind, Kind: "of no kind", Action: a, Word: -1, Got: fmt.Sprint(k), Want: fmt.Sprintf("0..%d", kinds-1)})
}

// fraction is the threshold under which sampleHash selects part in whole of all states.
func fraction(part, whole uint64) uint64 {
	switch {
	case part >= whole:
		return math.MaxUint64
	case part == 0:
		return 0
	}
	q, _ := bits.Div64(part, 0, whole)
	return q
}

// sample is the threshold for one state in OneIn.
func (v Verification) sample() uint64 {
	if v.OneIn == 0 {
		return 0
	}
	return fraction(1, v.OneIn)
}

// levelShare is the threshold for a level of so many states, when so many steps have been
// generated from the states before it.
func (v Verification) levelShare(states, before, generated uint64) uint64 {
	sample := v.sample()
	if generated >= v.First {
		return sample
	}
	// The states of the level will have about as many steps each as those before.
	steps := states
	if before > 0 {
		hi, lo := bits.Mul64(states, generated)
		if hi >= before {
			return sample
		}
		steps, _ = bits.Div64(hi, lo, before)
	}
	return max(sample, fraction(v.First-generated, steps))
}

// sampleHash is a hash for choosing a sample. It is cheap, as it is asked of every state:
// states that it cannot tell apart are in the sample together.
func sampleHash(words []uint64) uint64 {
	h := uint64(mixD)
	for _, w := range words {
		h ^= w
	}
	return store.Fold(h, mixC)
}
