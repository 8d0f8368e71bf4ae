package results

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"vsrcheck/results/internal/jsontext"
)

// Schema is the version of the record's format. A reader refuses any other.
const Schema = 1

// The verdicts of a record.
const (
	Holds        = "holds"
	Violated     = "violated"
	Inconclusive = "inconclusive"
)

// Record is everything about one run that a reader needs to judge or repeat it.
type Record struct {
	Schema int `json:"schema"`

	// What was checked.
	Spec       string     `json:"spec"` // name of the specification
	Path       string     `json:"path"` // of its file
	Config     []Setting  `json:"config"`
	Rules      []Setting  `json:"rules"`
	Properties []Property `json:"properties,omitzero"`
	Network    string     `json:"network,omitempty"` // what may happen to a message, in words
	// Constraints bounded the run; none: nothing did, or the record is older than this member.
	Constraints []Constraint `json:"constraints,omitempty"`

	// What came out.
	Verdict     string      `json:"verdict"`
	Stop        string      `json:"stop,omitempty"`   // why an inconclusive run ended, in one word
	Reason      string      `json:"reason,omitempty"` // the same in words
	ExitCode    int         `json:"exit_code"`
	Violated    string      `json:"violated,omitempty"` // the decisive property
	TraceLength int         `json:"trace_length"`       // steps of its trace
	Violations  []Violation `json:"violations,omitempty"`

	// Simulation is what random walks have; nil for a search. Walks know no size of the
	// space, so that the figures about it are left out of their records.
	Simulation *Simulation `json:"simulation,omitempty"`

	// The state space.
	Distinct  uint64   `json:"distinct,omitempty"`
	Outside   uint64   `json:"outside,omitempty"` // the constraints: states that were not expanded; in a simulation, steps not taken
	Generated uint64   `json:"generated,omitempty"`
	Depth     int      `json:"depth,omitempty"`
	Levels    []uint64 `json:"levels,omitempty"` // new states at each depth
	Coverage  []Action `json:"coverage,omitzero"`
	// Deciding are the rules that decided something: in some reachable state some step would
	// have led elsewhere under another alternative. Of the others the run says nothing. nil:
	// nobody looked.
	Deciding   []string `json:"deciding_rules,omitzero"`
	Guards     []Guard  `json:"guards,omitempty"` // none: nobody looked
	Liveness   string   `json:"liveness_method,omitempty"`
	Quiescent  uint64   `json:"quiescent_states"`
	Components uint64   `json:"components,omitempty"`
	// Observed counts, by the name of what is reported and no verdict, the quiescent
	// states in which it is so.
	Observed map[string]uint64 `json:"observed,omitempty"`
	// Excused counts, by the name of a property, the steps of the search that would have
	// violated it but for its excuse.
	Excused map[string]uint64 `json:"excused,omitempty"`
	// Vacuous are the properties that say nothing. A run that did not come to its end does
	// not know, and has none.
	Vacuous []Vacuity `json:"vacuous,omitempty"`
	// NotAsked are the properties that such a run asks for unless they are chosen one by one,
	// and this one did not.
	NotAsked []NotAsked `json:"not_asked,omitempty"`

	// LeftOut are the members that the run had and this file has not: see LeaveOut.
	LeftOut []string `json:"left_out,omitempty"`

	// How it was done, and at what cost.
	Workers              int     `json:"workers"`
	Store                string  `json:"store,omitempty"`
	Reduction            string  `json:"reduction"`             // those of the number of states, such as "eager,faults", or "none"
	CollisionProbability float64 `json:"collision_probability"` // that a state was missed
	Seconds              float64 `json:"seconds"`
	StatesPerSecond      float64 `json:"states_per_second,omitempty"` // distinct ones
	PeakMemory           uint64  `json:"peak_memory_bytes"`           // of the process; 0 when unknown
	StoreBytes           uint64  `json:"store_bytes,omitempty"`
	StateBytes           int     `json:"state_bytes"`               // of one encoded state
	BytesPerState        float64 `json:"bytes_per_state,omitempty"` // of the store

	// Where and with what.
	CommandLine []string  `json:"command_line"`
	Started     time.Time `json:"started"`
	Build       Build     `json:"build"`
	CPUs        int       `json:"cpus"`
}

// Setting is the value of a constant or a rule.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	// Instead is the specification's value when the command line overrode it.
	Instead string `json:"instead_of,omitempty"`
}

// Property is one property that a run checked.
type Property struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
	// Deferred says that a violation is recorded without ending the run.
	Deferred bool `json:"deferred,omitempty"`
}

// NotAsked is a property that a run did not check, and why.
type NotAsked struct {
	Property string `json:"property"`
	Why      string `json:"why"`
}

// Vacuity is a property that holds because nothing happens that it is about.
type Vacuity struct {
	Property  string `json:"property"`
	Companion string `json:"companion"` // what is never met
	Why       string `json:"why"`       // the same in words
}

// Violation is the first violation of a property.
type Violation struct {
	Property  string   `json:"property"`
	Kind      string   `json:"kind"`
	Depth     int      `json:"depth"`
	LoopStart int      `json:"loop_start"` // index of the state to which a lasso returns, or -1
	Actions   []string `json:"actions"`    // the trace's steps
	// Bounded says that a bound on the search may be all that is wrong: it is what the
	// violation says, or a step waits for room in a channel where the trace stays for ever.
	Bounded bool `json:"bounded,omitempty"`
}

// Action is what one kind of action did. In a simulation the counts are of the steps
// among which the walks chose.
type Action struct {
	Name      string `json:"name"`
	Fair      bool   `json:"fair"`
	Generated uint64 `json:"generated"`
	Effective uint64 `json:"effective"`       // changed the state
	Taken     uint64 `json:"taken,omitempty"` // by a walk
}

// Guard is a reason for which a message is refused where it arrives, and whether that ever
// happened in a reachable state.
type Guard struct {
	Action    string `json:"action"` // that receives the message
	Reason    string `json:"reason"`
	Delivered bool   `json:"delivered"` // there ever was such a message
	Refused   bool   `json:"refused"`
}

// Simulation is what a run of random walks has. All its figures are the same for every
// number of workers, unless the run was cut short.
type Simulation struct {
	Seed  uint64 `json:"seed"`
	Depth int    `json:"depth"` // steps after which a walk was cut

	Walks   uint64 `json:"walks"`
	Steps   uint64 `json:"steps"`
	Longest int    `json:"longest"` // steps of the longest walk
	Cut     uint64 `json:"cut"`     // walks that came to their end by Depth
	// Distinct estimates the distinct states visited; DistinctError is the standard error
	// of the estimate, as a share of it.
	Distinct      uint64  `json:"distinct_estimate"`
	DistinctError float64 `json:"distinct_standard_error"`
	// Met has, by the name of what is to be reachable, the walk that first met it.
	Met map[string]uint64 `json:"met"`
	// Shrunk says for each of the record's violations, in the same order, how it was
	// found.
	Shrunk []Shrunk `json:"shrunk,omitempty"`
}

// Shrunk is how a violation was found by a walk, and how much shorter its trace is now.
type Shrunk struct {
	Walk uint64 `json:"walk"` // number of the walk, from 0
	From int    `json:"from"` // steps of the walk up to the violation
	To   int    `json:"to"`   // steps of the trace
}

// KindReachable is the kind of a companion: that some state is reachable. It has no trace.
const KindReachable = "reachable"

// ErrRecord is wrapped by every error about a file that is no valid record.
const ErrRecord = InputError("invalid record")

// Validate says whether the record is complete and agrees with itself.
func (r *Record) Validate() error {
	if err := r.Simulation.validate(r); err != nil {
		return err
	}
	if err := errors.Join(r.validateConstraints(), r.validateLeftOut()); err != nil {
		return err
	}
	bad := BadRecord
	var sum uint64
	for _, n := range r.Levels {
		sum += n
	}
	switch {
	case r.Schema != Schema:
		return bad("schema is %d, want %d", r.Schema, Schema)
	case r.Spec == "" || r.Path == "":
		return bad("spec is %q with path %q, want both", r.Spec, r.Path)
	case len(r.Config) == 0 || len(r.Rules) == 0:
		return bad("config has %d and rules has %d entries, want some", len(r.Config), len(r.Rules))
	case !slices.Contains([]string{Holds, Violated, Inconclusive}, r.Verdict):
		return bad("verdict is %q, want %s, %s or %s", r.Verdict, Holds, Violated, Inconclusive)
	case (r.Verdict == Violated) != (r.Violated != ""):
		return bad("verdict is %s, but violated is %q", r.Verdict, r.Violated)
	case (r.Verdict == Violated) != (len(r.Violations) > 0) && !(r.Verdict == Inconclusive && AllOpen(r.Violations)):
		return bad("verdict is %s, but there are %d violations", r.Verdict, len(r.Violations))
	case r.Verdict == Violated && r.Violations[0].Property != r.Violated:
		return bad("violated is %q, but the first violation is of %q", r.Violated, r.Violations[0].Property)
	case r.Verdict == Violated && r.Violations[0].Length() != r.TraceLength:
		return bad("trace_length is %d, but the first trace has %d steps", r.TraceLength, r.Violations[0].Length())
	case r.Verdict == Inconclusive && r.Reason == "":
		return bad("verdict is inconclusive without a reason")
	case (r.Verdict == Holds) != (r.ExitCode == 0):
		return bad("verdict is %s, but exit_code is %d", r.Verdict, r.ExitCode)
	case slices.ContainsFunc(r.Vacuous, func(v Vacuity) bool { return v.Property == "" || v.Companion == "" || v.Why == "" }):
		return bad("a property in vacuous has no name, no companion or no reason")
	case slices.ContainsFunc(r.NotAsked, func(n NotAsked) bool { return n.Property == "" || n.Why == "" }):
		return bad("a property in not_asked has no name or no reason")
	case len(r.Levels) != r.Depth:
		return bad("depth is %d, but there are %d levels", r.Depth, len(r.Levels))
	case sum != r.Distinct:
		return bad("distinct is %d, but the levels have %d states", r.Distinct, sum)
	case r.Generated < r.Distinct:
		return bad("generated is %d, want at least distinct, %d", r.Generated, r.Distinct)
	case slices.ContainsFunc(r.Guards, func(g Guard) bool { return g.Action == "" || g.Reason == "" || g.Refused && !g.Delivered }):
		return bad("a guard has no action or no reason, or refused what was not delivered")
	case !r.knowsDeciding():
		return bad("deciding_rules are %q, want names of rules", r.Deciding)
	case r.Workers < 1:
		return bad("workers is %d, want at least 1", r.Workers)
	case !(r.CollisionProbability >= 0 && r.CollisionProbability <= 1):
		return bad("collision_probability is %v, want 0..1", r.CollisionProbability)
	case !(r.Seconds >= 0) || math.IsInf(r.Seconds, 0):
		return bad("seconds is %v, want a duration", r.Seconds)
	case len(r.CommandLine) == 0 || r.Build.Version == "" || r.Build.Go == "" || r.CPUs < 1:
		return bad("command_line, build or cpus is missing")
	}
	return nil
}

// knowsDeciding reports whether all rules that decided something are rules of the run.
func (r *Record) knowsDeciding() bool {
	for _, name := range r.Deciding {
		if !slices.ContainsFunc(r.Rules, func(s Setting) bool { return s.Name == name }) {
			return false
		}
	}
	return true
}

// AllOpen reports whether no violation is one of what was checked: only companions were
// never met, or a bound on the search may be all that is wrong.
func AllOpen(all []Violation) bool {
	return !slices.ContainsFunc(all, func(v Violation) bool { return v.Kind != KindReachable && !v.Bounded })
}

// BadRecord is an error about what a record says.
func BadRecord(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrRecord, fmt.Sprintf(format, args...))
}

// validate says whether the simulation agrees with its record.
func (s *Simulation) validate(r *Record) error {
	switch {
	case s == nil:
		return nil
	case r.Verdict == Holds:
		return BadRecord("verdict is holds, but walks prove nothing")
	case r.Distinct != 0 || r.Generated != 0 || r.Depth != 0 || r.Store != "":
		return BadRecord("a simulation has the figures of a search, want none of distinct, generated, depth and store")
	case s.Depth < 1:
		return BadRecord("simulation.depth is %d, want at least 1", s.Depth)
	case s.Steps < uint64(max(s.Longest, 0)) || s.Cut > s.Walks:
		return BadRecord("simulation has %d walks, %d steps, a longest walk of %d and %d walks cut, which do not fit", s.Walks, s.Steps, s.Longest, s.Cut)
	case !(s.DistinctError >= 0 && s.DistinctError <= 1):
		return BadRecord("simulation.distinct_standard_error is %v, want 0..1", s.DistinctError)
	case len(s.Shrunk) != len(r.Violations):
		return BadRecord("simulation.shrunk has %d entries, but there are %d violations", len(s.Shrunk), len(r.Violations))
	}
	for i, v := range s.Shrunk {
		if v.To != r.Violations[i].Length() || v.From < v.To {
			return BadRecord("simulation.shrunk[%d] is from %d to %d, but the trace has %d steps", i, v.From, v.To, r.Violations[i].Length())
		}
	}
	return nil
}

// Length is the number of steps of the violation's trace.
func (v *Violation) Length() int { return len(v.Actions) }

// Write makes the record's JSON.
func (r *Record) Write() ([]byte, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	return jsontext.Write(r, "record")
}

// Parse reads a record. Unknown fields, anything after the record and a record that
// does not agree with itself are errors that wrap ErrRecord.
func Parse(data []byte) (*Record, error) {
	var r Record
	if err := jsontext.Parse(data, &r, ErrRecord); err != nil {
		return nil, err
	}
	if err := r.Validate(); err != nil {
		return nil, err
	}
	return &r, nil
}

// Read reads a record from a file.
func Read(path string) (*Record, error) {
	data, err := ReadData(path)
	if err != nil {
		return nil, fmt.Errorf("read record: %w", err)
	}
	r, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("read record %s: %w", path, err)
	}
	return r, nil
}
