package specs

import (
	"embed"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"sync"

	"vsrcheck/invariants"
	"vsrcheck/model"
)

// files are the specifications that the command carries with it, in a folder for each family.
//
//go:embed as-shipped findings sound wedge zoo manifest.json
var files embed.FS

// The sizes of specifications, by how long they take.
const (
	Tiny  = "tiny"  // under a second: run by every go test
	Small = "small" // about ten seconds: run by the continuous integration
	Full  = "full"  // longer: run by hand and recorded in results/
)

// Sizes lists the sizes from the smallest.
func Sizes() []string { return []string{Tiny, Small, Full} }

// Spec is one named check: what is explored, under which rules, and which
// properties have to hold.
type Spec struct {
	Name    string // without folder and extension
	Path    string // of the file; for an embedded one, within the repository
	Size    string // Tiny, Small, Full or "" when the file does not say
	Summary string // one line
	Text    string // more lines, or ""

	Config model.Config
	Rules  model.Rules

	Invariants  []string // state properties
	Properties  []string // step and liveness properties; the first liveness property is decisive
	Constraints []string // state predicates; states outside are not expanded

	// CheckDeadlock makes a state without any step a violation. TLC's default is
	// true; a protocol whose budgets run out ends by design, so the shipped files
	// say FALSE.
	CheckDeadlock bool
}

// Specification is the behaviour specification that the properties need: FairSpec
// when a liveness property is among them, else Spec.
func (s Spec) Specification() string {
	if slices.ContainsFunc(s.Properties, isLiveness) {
		return specFair
	}
	return specPlain
}

// places has where each embedded specification is, by its name: no two families share one.
var places = sync.OnceValue(func() map[string]string {
	out := map[string]string{}
	found, err := fs.Glob(files, "*/*.cfg")
	if err != nil {
		panic(err) // the pattern is a constant
	}
	for _, file := range found {
		out[strings.TrimSuffix(path.Base(file), ".cfg")] = file
	}
	return out
})

// Names lists the embedded specifications in alphabetical order.
func Names() []string {
	return slices.Sorted(maps.Keys(places()))
}

// Nearest is the embedded specification whose name is nearest to a mistyped one, or
// "" when none is near.
func Nearest(name string) string { return Suggest(name, Names()) }

// Load reads an embedded specification by its name. Its error wraps ErrUnknown when
// there is none of that name.
func Load(name string) (Spec, error) {
	text, err := Text(name)
	if err != nil {
		return Spec{}, err
	}
	return Parse(path.Join("specs", places()[name]), text)
}

// maxFileBytes bounds a specification file: a real one has about two thousand bytes.
const maxFileBytes = 1 << 20

// ParseFile reads a specification from a file of the user's, which may be a pipe.
func ParseFile(path string) (Spec, error) {
	f, err := os.Open(path)
	if err != nil {
		return Spec{}, &unreadable{err}
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return Spec{}, fmt.Errorf("%w: %s is a folder", ErrSyntax, path)
	}
	return ParseFrom(f, path)
}

// ParseFrom reads a specification from a stream, which stands for a file of that name.
func ParseFrom(in io.Reader, file string) (Spec, error) {
	text, err := io.ReadAll(io.LimitReader(in, maxFileBytes+1))
	if err != nil {
		return Spec{}, &unreadable{err}
	}
	if len(text) > maxFileBytes {
		return Spec{}, fmt.Errorf("%w: %s has more than %d bytes, want at most so many", ErrSyntax, file, maxFileBytes)
	}
	return Parse(file, string(text))
}

// CutsFairSteps is the name of a constraint of the specification that may cut off more
// than faults, or "". Such a one says nothing about liveness; one of the kind Constraint
// is meant to order the faults only, and the checker verifies that it does.
func (s *Spec) CutsFairSteps() string {
	for _, name := range s.Constraints {
		if p, ok := invariants.Named(name); !ok || p.Kind != invariants.Constraint {
			return name
		}
	}
	return ""
}
