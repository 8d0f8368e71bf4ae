package specs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Manifest lists what a check of every specification gives, after the convention of
// the TLA+ Examples collection: a specification has modules and a module has models,
// which are its configuration files.
type Manifest struct {
	Specifications []ManifestSpec `json:"specifications"`
}

// ManifestSpec is a folder with its modules.
type ManifestSpec struct {
	Path    string           `json:"path"`
	Title   string           `json:"title"`
	Modules []ManifestModule `json:"modules"`
}

// ManifestModule is a TLA+ module with its models.
type ManifestModule struct {
	Path   string  `json:"path"`
	Models []Entry `json:"models"`
}

// The results of a manifest entry. ResultUnknown marks one that has not been run.
const (
	ResultUnknown    = "unknown"
	ResultSuccess    = "success"
	ResultAssumption = "assumption failure"
	ResultDeadlock   = "deadlock failure"
	ResultSafety     = "safety failure"
	ResultLiveness   = "liveness failure"
)

// ModeExhaustive is the mode of every entry: breadth-first search of the whole space.
const ModeExhaustive = "exhaustive search"

// Entry is what the check of one specification gives. A search that ends at a
// violation still has exact counts: they are the same for every number of workers.
type Entry struct {
	Path           string `json:"path"` // of the .cfg file within the repository
	Size           string `json:"size"`
	Mode           string `json:"mode"`
	Result         string `json:"result"`
	DistinctStates uint64 `json:"distinctStates,omitempty"`
	TotalStates    uint64 `json:"totalStates,omitempty"` // generated
	StateDepth     int    `json:"stateDepth,omitempty"`
	Violated       string `json:"violated,omitempty"`    // the decisive property
	TraceLength    int    `json:"traceLength,omitempty"` // steps of its shortest violation
}

// Name is the name of the specification that the entry is about.
func (e Entry) Name() string {
	return strings.TrimSuffix(e.Path[strings.LastIndexByte(e.Path, '/')+1:], ".cfg")
}

// LoadManifest reads the embedded manifest.
func LoadManifest() (Manifest, error) {
	data, err := files.ReadFile("manifest.json")
	if err != nil {
		return Manifest{}, fmt.Errorf("read manifest: %w", err)
	}
	return ParseManifest(data)
}

// ErrManifest is wrapped by every error about a manifest that is none.
var ErrManifest = errors.New("invalid manifest")

// ParseManifest reads a manifest and refuses unknown fields, sizes, modes and
// results. Its errors wrap ErrManifest.
func ParseManifest(data []byte) (Manifest, error) {
	var m Manifest
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil {
		return Manifest{}, fmt.Errorf("%w: %w", ErrManifest, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Manifest{}, fmt.Errorf("%w: got more than one value, want one", ErrManifest)
	}
	seen := map[string]bool{}
	results := []string{ResultUnknown, ResultSuccess, ResultAssumption, ResultDeadlock, ResultSafety, ResultLiveness}
	for _, e := range m.Entries() {
		switch {
		case seen[e.Path]:
			return Manifest{}, fmt.Errorf("%w: got %s twice, want it once", ErrManifest, e.Path)
		case !slices.Contains(Sizes(), e.Size):
			return Manifest{}, fmt.Errorf("%w: %s has size %q, want one of %q", ErrManifest, e.Path, e.Size, Sizes())
		case e.Mode != ModeExhaustive:
			return Manifest{}, fmt.Errorf("%w: %s has mode %q, want %q", ErrManifest, e.Path, e.Mode, ModeExhaustive)
		case !slices.Contains(results, e.Result):
			return Manifest{}, fmt.Errorf("%w: %s has result %q, want one of %q", ErrManifest, e.Path, e.Result, results)
		}
		seen[e.Path] = true
	}
	return m, nil
}

// Entries lists the entries of all modules.
func (m Manifest) Entries() []Entry {
	var out []Entry
	for _, s := range m.Specifications {
		for _, mod := range s.Modules {
			out = append(out, mod.Models...)
		}
	}
	return out
}

// Entry is the entry of a specification.
func (m Manifest) Entry(name string) (Entry, bool) {
	for _, e := range m.Entries() {
		if e.Name() == name {
			return e, true
		}
	}
	return Entry{}, false
}

// NewManifest makes the manifest of the given entries, in their order.
func NewManifest(entries []Entry) Manifest {
	return Manifest{Specifications: []ManifestSpec{{
		Path:    "specs",
		Title:   "Viewstamped Replication with memory-only journals",
		Modules: []ManifestModule{{Path: "specs/VSR.tla", Models: entries}},
	}}}
}

// Write is the manifest as JSON.
func (m Manifest) Write() ([]byte, error) {
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write manifest: %w", err)
	}
	return append(data, '\n'), nil
}
