package explore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"vsrcheck/explore/internal/store"
)

// Action identifies one step of a System: which kind of step it is and its
// parameters, packed by the system as it likes. Two steps with the same Action
// are the same action in the sense of fairness.
type Action = uint32

// System is a finite transition system over states of type S, in TLA+'s words:
// Init, Next and a canonical encoding. All methods are pure and may be called
// from several goroutines at once.
//
// A system may have more methods, and then is more: [Kinded] and [WeaklyFair] say
// something of its actions, [Canonical] of its encoding, [Incremental] makes that faster,
// [Measured] proves that there are no cycles, [Reduced] leaves out steps, and [Noting]
// takes notes.
type System[S any] interface {
	// Init calls yield once for every initial state. The pointer is only valid
	// during the call.
	Init(yield func(s *S))

	// Next calls yield once for every step enabled in s, after writing the
	// successor to *t. It must not change *s. A step whose successor equals s is
	// a stuttering step: it is counted as generated and otherwise ignored.
	Next(s, t *S, yield func(a Action))

	// Words is the width of an encoded state in 64-bit words.
	Words() int
	// Encode writes the canonical encoding of s to dst, which has Words() words.
	// Two states are the same state exactly when their encodings are equal.
	Encode(s *S, dst []uint64)
	// Decode is the inverse of Encode. It overwrites all of *s, and does not keep src.
	Decode(src []uint64, s *S)
}

// Kinded is a System whose actions are of several kinds, which Result.Coverage counts one
// by one. All actions of a system that is not are of one kind, "step".
type Kinded interface {
	// Kinds are the names of the kinds of actions.
	Kinds() []string
	// Kind is the index into Kinds of an action.
	Kind(a Action) int
}

// WeaklyFair is a System that says which of its actions are fair. Of one that does not, as
// in TLA+ without a word about fairness, no action is: it may stop at any time, in any
// state. Then a [Recurrent] property is violated by every state with a bit set, and a
// [Temporal] one has to bring its own [Fairness].
type WeaklyFair interface {
	// Fair reports whether the action is weakly fair: it may not stay enabled
	// for ever without being taken.
	Fair(a Action) bool
}

// about is what a system says of its actions, or what is taken for granted when it says
// nothing.
type about struct {
	Kinded
	WeaklyFair
}

func aboutActions[S any](sys System[S]) about {
	said := about{unsaid{}, unsaid{}}
	if k, ok := sys.(Kinded); ok {
		said.Kinded = k
	}
	if f, ok := sys.(WeaklyFair); ok {
		said.WeaklyFair = f
	}
	return said
}

// unsaid is what holds of actions of which a system says nothing.
type unsaid struct{}

func (unsaid) Kinds() []string  { return []string{"step"} }
func (unsaid) Kind(Action) int  { return 0 }
func (unsaid) Fair(Action) bool { return false }

// kindOf is Kind of an action, if it is one of so many.
func (k about) kindOf(a Action, kinds int) int {
	kind := k.Kind(a)
	if uint(kind) >= uint(kinds) {
		badKind(a, kind, kinds)
	}
	return kind
}

// Incremental is a System that encodes the successor of a state faster than any
// state: most steps change little of it.
type Incremental[S any] interface {
	// EncodeStep writes the encoding of t, a successor of s, to dst. It is given that
	// of s, and what it writes is what Encode(t, dst) would.
	EncodeStep(s *S, encoded []uint64, t *S, dst []uint64)
}

// stepEncoder is EncodeStep of a system, or what does the same.
func stepEncoder[S any](sys System[S]) func(s *S, encoded []uint64, t *S, dst []uint64) {
	if faster, ok := sys.(Incremental[S]); ok {
		return faster.EncodeStep
	}
	return func(_ *S, _ []uint64, t *S, dst []uint64) { sys.Encode(t, dst) }
}

// Measured is a System that can prove its own state graph acyclic: every step
// that is not a stutter must make Measure lexicographically larger. The checker
// verifies this on every step that it generates; only when no step fails, it
// concludes that the graph has no cycle. A failing step is not an error: the
// checker then looks for strongly connected components instead.
type Measured[S any] interface {
	// MeasureWords is the length of the measure.
	MeasureWords() int
	// Measure writes the measure of s to dst.
	Measure(s *S, dst []uint64)
}

// Reduced is a System whose Next may leave out steps, as a partial-order reduction
// does, or what makes them possible, so that no step need change a state that is not
// quiescent. It must keep what the
// properties ask, and that takes a graph without cycles: with Recurrent properties the
// search verifies that there are none (see Measured) or ends as Inconclusive. Temporal
// properties, deadlocks and Simulate are refused.
type Reduced[S any] interface {
	// Reduces reports whether Next leaves out anything at all.
	Reduces() bool
	// Pending reports whether a fair step that Next leaves out would change s.
	Pending(s *S) bool
}

// reducedOf is the system as one that leaves out steps, or nil.
func reducedOf[S any](sys System[S]) Reduced[S] {
	if r, ok := sys.(Reduced[S]); ok && r.Reduces() {
		return r
	}
	return nil
}

// verifyReduced refuses what a reduced system cannot decide.
func verifyReduced[S any](sys System[S], props *Properties[S]) error {
	switch {
	case reducedOf(sys) == nil:
	case len(props.Temporal) > 0:
		return fmt.Errorf("temporal property %s: the system leaves out steps, want one that does not", props.Temporal[0].Name)
	case props.CheckDeadlock:
		return errors.New("deadlock: the system leaves out steps, want one that does not")
	}
	return nil
}

// Invariant is a property of every reachable state: TLA+'s []Holds.
type Invariant[S any] struct {
	Name  string
	Holds func(s *S) bool
}

// ActionProperty is a property of every reachable step that is not a stutter:
// TLA+'s [][Holds]_vars.
type ActionProperty[S any] struct {
	Name  string
	Holds func(s *S, a Action, t *S) bool
}

// Reachable says that some state is reachable. It fails when the whole space was
// searched without meeting one, and guards against vacuous models.
type Reachable[S any] struct {
	Name string
	Is   func(s *S) bool
}

// Observed is something worth knowing that is no verdict: the run counts the
// quiescent states, those that no fair action changes, in which it is so.
type Observed[S any] struct {
	Name string
	Is   func(s *S) bool
}

// ObservedStep is the same of steps: the run counts those that change the state and in
// which it is so. In a Reduced system these are the steps that Next does not leave out.
type ObservedStep[S any] struct {
	Name string
	Is   func(s *S, a Action, t *S) bool
}

// Recurrent is a family of up to 64 liveness properties, one per bit: along every
// fair behaviour, the bit is clear again and again (TLA+'s []<>~bit). As
// P ~> ~P is the same formula as []<>~P, it expresses every leads-to whose goal is
// that its premise has ended. A behaviour on which one bit stays set for ever
// violates the property.
type Recurrent[S any] struct {
	Name        string
	Outstanding func(s *S) uint64
}

// Properties are what one run checks. The order within a list is the order of
// precedence when several are violated at the same depth.
type Properties[S any] struct {
	Invariants []Invariant[S]
	Actions    []ActionProperty[S]
	Reachable  []Reachable[S]
	Recurrent  []Recurrent[S]
	Observed   []Observed[S]
	// ObservedSteps are counted by Check only: walks pass them over.
	ObservedSteps []ObservedStep[S]
	// Temporal properties are decided by Check only: walks, of Simulate, pass them over.
	Temporal []Temporal[S]
	// Fairness is assumed for Temporal properties, besides what System.Fair says. It has
	// no bearing on Recurrent ones.
	Fairness []Fairness
	// Deferred holds names of properties whose violation is recorded (the first,
	// that is the shallowest, one of each) but does not end the search.
	Deferred map[string]bool
	// Optional holds names of Reachable states of which it is no violation if they are not
	// met: the caller asks Result.ReachableMet, which lacks them then.
	Optional map[string]bool
	// Constraint, when not nil, says which states are expanded. A state outside is
	// checked, but its successors are not generated, and like in TLC it does not count
	// as a distinct state (TLC's CONSTRAINT). Recurrent and Temporal properties are
	// decided when it cuts off unfair steps only: no fair step, and no initial state. See
	// constraint.go for what each kind of property says then.
	Constraint func(s *S) bool
	// ConstraintParts are the predicates that Constraint is the conjunction of, when there is
	// more to tell than their sum: see Result.OutsideOf. They decide nothing.
	ConstraintParts []Invariant[S]
	// CheckDeadlock makes a state without any step a violation named Deadlock.
	CheckDeadlock bool
}

// StoreKind selects how visited states are remembered.
type StoreKind string

// The visited-set stores.
const (
	StoreExact   StoreKind = "exact"   // no state is ever missed
	StoreHash64  StoreKind = "hash64"  // 64-bit fingerprints
	StoreHash128 StoreKind = "hash128" // 128-bit fingerprints
)

// Options of one run. The zero value is usable: exact store, one worker per
// processor, no limits.
type Options struct {
	Workers   int       // number of workers; 0 means one per processor
	Store     StoreKind // "" means StoreExact
	MaxStates uint64    // stop as Inconclusive at the first level border with more distinct states; 0: no limit
	MaxDepth  int       // stop as Inconclusive once every behaviour of so many steps is covered; 0: no limit
	// MemoryLimit is how many bytes the run's own structures may take; 0: no limit.
	// Beyond it the exact store moves states to disk, as long as those of its parts that
	// have to be in memory leave an eighth of the limit to others. A hash store cannot,
	// and the run stops as Inconclusive.
	MemoryLimit uint64
	SpillDir    string         // where files go, in a directory that the run makes and removes; "": os.TempDir(). With Checkpoint they go to its directory.
	DiskLimit   uint64         // bytes that the content of these files may take; beyond it the run stops as Inconclusive; 0: no limit
	Checkpoint  *Checkpointing // nil: none
	Interval    time.Duration  // between calls of Progress; 0 means one second
	Progress    func(Progress)
	Verify      *Verification // in how many states to verify the contract of the system; nil means DefaultVerification

	// fingerprintBits, when not 0, truncates the fingerprints of the hash stores, and
	// the hash of the exact store, so that tests meet collisions.
	fingerprintBits int
	// onSpill is called when states go to disk, so that tests know.
	onSpill func()
	// alwaysShare makes several workers look together at components of any size.
	alwaysShare bool
}

// forStore is what a store needs to know of the options.
func (o *Options) forStore(width int) store.Options {
	return store.Options{
		Kind: store.Kind(o.Store), Width: width, Workers: o.Workers, MemoryLimit: o.MemoryLimit,
		FingerprintBits: o.fingerprintBits, OnSpill: o.onSpill,
	}
}

// Progress is a snapshot of a run under way.
type Progress struct {
	Phase     string // "search", "components", "trace", "checkpoint" or "resume"
	Level     int    // depth that is being expanded
	Distinct  uint64
	Generated uint64
	Frontier  uint64 // states of this level
	Before    uint64 // states of the level before it, 0 when there is none
	Expanded  uint64 // states of this level already expanded
	Done      uint64 // states of all levels before it
	Elapsed   time.Duration
	Bytes     uint64 // bytes taken by the run's own structures
	DiskBytes uint64 // bytes taken on disk
}

// Verdict of a run.
type Verdict string

// The verdicts. Only Holds is a success.
const (
	Holds        Verdict = "holds" // of no property at all it says that every state was visited
	Violated     Verdict = "violated"
	Inconclusive Verdict = "inconclusive"
)

// Stop says, for a program, why a run ended before everything was decided;
// Result.Reason says the same for people.
type Stop string

// The reasons to stop.
const (
	StopNone        Stop = ""            // everything was decided, or a violation ended the run at the end of its level
	StopStates      Stop = "states"      // Options.MaxStates
	StopDepth       Stop = "depth"       // Options.MaxDepth
	StopMemory      Stop = "memory"      // Options.MemoryLimit
	StopDisk        Stop = "disk"        // Options.DiskLimit, or the disk is full or out of order
	StopInterrupted Stop = "interrupted" // the context was cancelled
	StopEmpty       Stop = "empty"       // no state was visited: there is no initial state, or none within the constraint
	StopConstraint  Stop = "constraint"  // Properties.Constraint cut states off that a property depends on
	StopReduction   Stop = "reduction"   // there is a cycle, and the system leaves out steps; see Reduced
	StopStore       Stop = "store"       // the store cannot answer: liveness with cycles needs the exact one
	StopPanic       Stop = "panic"       // the model or a property panicked; Check also returns a *PanicError
	StopContract    Stop = "contract"    // the system breaks its contract; Check also returns a *ContractError
)

// Kind of property, as it appears in a Violation.
type Kind string

// The kinds of properties.
const (
	KindInvariant Kind = "invariant"
	KindAction    Kind = "action"
	KindReachable Kind = "reachable"
	KindLiveness  Kind = "liveness"
	KindTemporal  Kind = "temporal"
	KindDeadlock  Kind = "deadlock"
)

// Step is one state of a trace with the action that led to it. Action is zero in
// the first step.
type Step[S any] struct {
	Action Action
	State  S
}

// Violation is a property together with the shortest behaviour that violates it.
type Violation[S any] struct {
	Property string
	Kind     Kind
	// Bits are the bits of a Recurrent property that stay set.
	Bits uint64
	// Depth is the number of steps from the initial state to the violation (for a
	// lasso: to the state where its cycle begins).
	Depth int
	// Trace starts with an initial state. For a lasso it ends with a second copy of
	// the state at index LoopStart. Empty for Reachable, which has no witness.
	Trace []Step[S]
	// LoopStart is the index into Trace where the cycle of a lasso begins, or -1:
	// the behaviour ends, or stays in its last state for ever.
	LoopStart int
}

// Coverage counts what one kind of action did.
type Coverage struct {
	Kind      string
	Fair      bool   // at least one action of this kind was fair
	Generated uint64 // steps generated
	Effective uint64 // of these, steps that changed the state
}

// LivenessMethod says how Recurrent properties were decided; Temporal ones always are by
// components.
type LivenessMethod string

// The methods.
const (
	MethodNone       LivenessMethod = ""           // nothing to decide, or the run ended before it was decided
	MethodQuiescent  LivenessMethod = "quiescent"  // graph verified acyclic, every quiescent state inspected
	MethodComponents LivenessMethod = "components" // strongly connected components under weak fairness
)

// Result of a run. Everything but the times, the memory and the per-second
// figures is the same for every number of workers and every run.
type Result[S any] struct {
	Verdict    Verdict
	Stop       Stop           // why the run ended before everything was decided; also of a violation in a level that is not complete
	Reason     string         // the same in words; "" when Stop is ""
	Violations []Violation[S] // the decisive one first
	Distinct   uint64         // without the states outside the constraint, as TLC counts
	Outside    uint64         // distinct states outside the constraint
	// InitialOutside are those of Outside that are initial states.
	InitialOutside uint64
	// OutsideOf has, per Properties.ConstraintParts, the states outside the constraint in
	// which that part is false. A state may count for several.
	OutsideOf  []uint64
	Generated  uint64 // including the initial states, as TLC counts
	Depth      int    // number of levels, as TLC counts (an initial state alone has depth 1)
	Levels     []uint64
	Covered    int // deepest level of which every state was expanded; -1: none
	Coverage   []Coverage
	Liveness   LivenessMethod
	Quiescent  uint64   // states in which no fair action changes the state
	Observed   []uint64 // per Properties.Observed: the quiescent states, within the constraint, in which it is so
	Components uint64   // strongly connected components with a cycle, when computed
	// ObservedSteps has, per Properties.ObservedSteps, the steps in which it is so.
	ObservedSteps []uint64
	// ReachableMet has the depth at which each Reachable was first met.
	ReachableMet map[string]int
	// PanicTrace leads to the state of the *PanicError or *ContractError that Check returned.
	PanicTrace []Step[S]

	Workers              int
	Store                StoreKind
	CollisionProbability float64 // probability that a state was missed; 0 when exact
	Elapsed              time.Duration
	StoreBytes           uint64 // bytes of the visited set and what the trace needs
	DiskBytes            uint64 // greatest size of all files
	Checkpoint           string // directory from which the run can go on; "" when it cannot
	CheckpointErr        error  // why the last checkpoint could not be made, when the disk was not full
}

// Check searches the whole state graph of sys breadth first, level by level, and
// decides the properties. It returns an error only when the model itself fails (a
// *PanicError or a *ContractError, together with a Result that has the trace), the options make no
// sense, or the disk fails; a limit or a cancelled context ends in Inconclusive.
func Check[S any](ctx context.Context, sys System[S], props Properties[S], opt Options) (*Result[S], error) {
	return check(ctx, sys, props, opt)
}
