package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"time"
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
	Properties []Property `json:"properties"`
	Network    string     `json:"network"` // what may happen to a message, in words

	// What came out.
	Verdict     string      `json:"verdict"`
	Stop        string      `json:"stop,omitempty"`   // why an inconclusive run ended, in one word
	Reason      string      `json:"reason,omitempty"` // the same in words
	ExitCode    int         `json:"exit_code"`
	Violated    string      `json:"violated,omitempty"` // the decisive property
	TraceLength int         `json:"trace_length"`       // steps of its trace
	Violations  []Violation `json:"violations,omitempty"`

	// The state space.
	Distinct   uint64   `json:"distinct"`
	Generated  uint64   `json:"generated"`
	Depth      int      `json:"depth"`
	Levels     []uint64 `json:"levels"` // new states at each depth
	Coverage   []Action `json:"coverage"`
	Liveness   string   `json:"liveness_method,omitempty"`
	Quiescent  uint64   `json:"quiescent_states"`
	Components uint64   `json:"components,omitempty"`
	// Observed counts, by the name of what is reported and no verdict, the quiescent
	// states in which it is so.
	Observed map[string]uint64 `json:"observed,omitempty"`

	// How it was done, and at what cost.
	Workers              int     `json:"workers"`
	Store                string  `json:"store"`
	Reduction            string  `json:"reduction"`             // "eager" or "none"
	CollisionProbability float64 `json:"collision_probability"` // that a state was missed
	Seconds              float64 `json:"seconds"`
	StatesPerSecond      float64 `json:"states_per_second"` // distinct ones
	PeakMemory           uint64  `json:"peak_memory_bytes"` // of the process; 0 when unknown
	StoreBytes           uint64  `json:"store_bytes"`
	StateBytes           int     `json:"state_bytes"`     // of one encoded state
	BytesPerState        float64 `json:"bytes_per_state"` // of the store

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

// Violation is the first violation of a property.
type Violation struct {
	Property  string   `json:"property"`
	Kind      string   `json:"kind"`
	Depth     int      `json:"depth"`
	LoopStart int      `json:"loop_start"` // index of the state to which a lasso returns, or -1
	Actions   []string `json:"actions"`    // the trace's steps
}

// Action is what one kind of action did.
type Action struct {
	Name      string `json:"name"`
	Fair      bool   `json:"fair"`
	Generated uint64 `json:"generated"`
	Effective uint64 `json:"effective"` // changed the state
}

// ErrRecord is wrapped by every error about a file that is no valid record.
var ErrRecord = errors.New("invalid record")

// Validate says whether the record is complete and agrees with itself.
func (r *Record) Validate() error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("%w: %s", ErrRecord, fmt.Sprintf(format, args...))
	}
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
	case (r.Verdict == Violated) != (len(r.Violations) > 0):
		return bad("verdict is %s, but there are %d violations", r.Verdict, len(r.Violations))
	case r.Verdict == Violated && r.Violations[0].Property != r.Violated:
		return bad("violated is %q, but the first violation is of %q", r.Violated, r.Violations[0].Property)
	case r.Verdict == Violated && r.Violations[0].Length() != r.TraceLength:
		return bad("trace_length is %d, but the first trace has %d steps", r.TraceLength, r.Violations[0].Length())
	case r.Verdict == Inconclusive && r.Reason == "":
		return bad("verdict is inconclusive without a reason")
	case (r.Verdict == Holds) != (r.ExitCode == 0):
		return bad("verdict is %s, but exit_code is %d", r.Verdict, r.ExitCode)
	case len(r.Levels) != r.Depth:
		return bad("depth is %d, but there are %d levels", r.Depth, len(r.Levels))
	case sum != r.Distinct:
		return bad("distinct is %d, but the levels have %d states", r.Distinct, sum)
	case r.Generated < r.Distinct:
		return bad("generated is %d, want at least distinct, %d", r.Generated, r.Distinct)
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

// Length is the number of steps of the violation's trace.
func (v *Violation) Length() int { return len(v.Actions) }

// Write makes the record's JSON.
func (r *Record) Write() ([]byte, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write record: %w", err)
	}
	return append(data, '\n'), nil
}

// Parse reads a record. Unknown fields, anything after the record and a record that
// does not agree with itself are errors that wrap ErrRecord.
func Parse(data []byte) (*Record, error) {
	var r Record
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRecord, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: got more than one value, want one", ErrRecord)
	}
	if err := r.Validate(); err != nil {
		return nil, err
	}
	return &r, nil
}

// Read reads a record from a file.
func Read(path string) (*Record, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read record: %w", err)
	}
	r, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("read record %s: %w", path, err)
	}
	return r, nil
}
