package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// allowedImports says which packages of this module each package may import, and
// whether it may import anything from outside the standard library. Tests may import
// more: an engine test may use a real model.
var allowedImports = map[string]struct {
	own      []string
	external bool
}{
	"vsrcheck/model":                  {},
	"vsrcheck/model/modeltest":        {own: []string{"vsrcheck/model"}}, // what tests of several packages make models with
	"vsrcheck/explore":                {own: []string{"vsrcheck/explore/internal/store", "vsrcheck/explore/lock"}, external: true},
	"vsrcheck/explore/internal/store": {own: []string{"vsrcheck/explore/lock"}, external: true}, // it sees words, and no search
	"vsrcheck/explore/lock":           {external: true},

	"vsrcheck/invariants":   {own: []string{"vsrcheck/model"}},
	"vsrcheck/specs":        {own: []string{"vsrcheck/invariants", "vsrcheck/model"}, external: true},
	"vsrcheck/cmd/vsrcheck": {own: append(engineAndModel, room("job"), room("behaviour"), room("search"), room("tell"), room("cross"), room("web")), external: true},

	// The rooms of the command, from the bottom. None knows one above it, or beside it; the
	// command line and the terminal are for those that onlyIn names.
	room("job"):       {own: engineAndModel},
	room("behaviour"): {own: append(engineAndModel, room("job"))},
	room("search"):    {own: append(engineAndModel, room("job"), room("behaviour")), external: true},
	room("tell"):      {own: append(engineAndModel, room("job"), room("behaviour")), external: true},
	room("cross"):     {own: append(engineAndModel, room("job"), room("behaviour"), room("tell"))},
	room("web"):       {own: append(engineAndModel, room("job"), room("behaviour"), room("tell"))},
	room("jobtest"):   {own: []string{room("job"), "vsrcheck/specs"}},

	// What is kept of runs: the record at the bottom, and what is made of records above it.
	"vsrcheck/results":                      {own: []string{"vsrcheck/results/internal/jsontext"}, external: true},
	"vsrcheck/results/internal/jsontext":    {external: true},
	"vsrcheck/results/internal/resultstest": {own: []string{"vsrcheck/results"}, external: true},
	"vsrcheck/results/picture":              {own: []string{"vsrcheck/results"}, external: true},
	"vsrcheck/results/trace":                {own: []string{"vsrcheck/results", "vsrcheck/results/internal/jsontext", "vsrcheck/results/picture"}, external: true},
	"vsrcheck/results/matrix":               {own: []string{"vsrcheck/results", "vsrcheck/results/internal/jsontext", "vsrcheck/results/picture"}, external: true},
	"vsrcheck/results/mend":                 {own: []string{"vsrcheck/results", "vsrcheck/results/internal/jsontext", "vsrcheck/results/matrix", "vsrcheck/results/picture"}, external: true},
	"vsrcheck/results/tlc":                  {own: []string{"vsrcheck/results", "vsrcheck/results/internal/jsontext"}, external: true},
	"vsrcheck/results/table":                {own: []string{"vsrcheck/results", "vsrcheck/results/matrix", "vsrcheck/results/mend"}, external: true},

	// The comparison with other model checkers runs the engine's examples.
	"vsrcheck/explore/peers/ours": {own: []string{"vsrcheck/explore", "vsrcheck/explore/examples"}},

	// The published records are made again by the command that they record.
	"vsrcheck/results/remake": {own: []string{"vsrcheck/results", "vsrcheck/results/trace"}},
}

// room is a package of the command, below its command line.
func room(name string) string { return "vsrcheck/cmd/vsrcheck/internal/" + name }

// engineAndModel are the packages that every room of the command may know.
var engineAndModel = slices.Clip([]string{"vsrcheck/explore", "vsrcheck/invariants", "vsrcheck/model", "vsrcheck/results", "vsrcheck/specs"})

// onlyIn says which packages alone may import something from outside.
var onlyIn = map[string][]string{
	"github.com/spf13/": {"vsrcheck/cmd/vsrcheck"}, // the command line
	"golang.org/x/term": {"vsrcheck/cmd/vsrcheck", room("tell")},
}

// TestImports holds the tree to the one direction in which packages may know each
// other: the engine never sees the protocol, the protocol never sees the engine.
func TestImports(t *testing.T) {
	const root = "../.."
	if _, err := os.Stat(filepath.Join(root, "go.mod")); err != nil {
		t.Fatalf("the module's root is not where this test looks: %v", err)
	}
	seen := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "tmp"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		dir, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		pkg := strings.TrimSuffix("vsrcheck/"+filepath.ToSlash(dir), "/.")
		seen[pkg] = true
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if problem := checkImport(pkg, imported); problem != "" {
				t.Errorf("%s: %s", path, problem)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for pkg := range allowedImports {
		if !seen[pkg] {
			t.Errorf("package %s was not found", pkg)
		}
	}
}

// checkImport says what is wrong with an import; "" means nothing. A package in a
// folder below a known one follows the rule of that one, and may be imported by it, unless it
// has a rule of its own.
func checkImport(pkg, imported string) string {
	name := pkg
	rule, ok := allowedImports[name]
	for !ok && strings.Contains(name, "/") {
		name = name[:strings.LastIndexByte(name, '/')]
		rule, ok = allowedImports[name]
	}
	if !ok {
		return "package " + pkg + " has no rule; add one to allowedImports"
	}
	for prefix, users := range onlyIn {
		if strings.HasPrefix(imported, prefix) && !slices.Contains(users, pkg) {
			return pkg + " must not import " + imported + ", which is for " + strings.Join(users, " and ")
		}
	}
	switch first, _, _ := strings.Cut(imported, "/"); {
	case strings.HasPrefix(imported, "vsrcheck/"):
		if imported == name {
			return ""
		}
		if _, apart := allowedImports[imported]; !apart && strings.HasPrefix(imported, name+"/") {
			return ""
		}
		for _, own := range rule.own {
			if imported == own || !inside(name, own) && strings.HasPrefix(imported, own+"/") {
				return ""
			}
		}
		return pkg + " must not import " + imported
	case strings.Contains(first, ".") && !rule.external:
		return pkg + " must not import " + imported + ", which is not in the standard library"
	}
	return ""
}

// inside reports whether a package is in a folder below another's: what it may import of that one
// is the package itself, not what is above it there.
func inside(name, above string) bool { return strings.HasPrefix(name, above+"/") }

// TestCheckImport shows that the rule refuses what it is there for.
func TestCheckImport(t *testing.T) {
	for _, bad := range [][2]string{
		{"vsrcheck/model", "vsrcheck/explore"}, {"vsrcheck/explore", "vsrcheck/model"}, {"vsrcheck/model", "golang.org/x/sync/errgroup"},
		{"vsrcheck/invariants", "vsrcheck/explore"}, {"vsrcheck/specs", "vsrcheck/explore"}, {"vsrcheck/results", "vsrcheck/model"},
		{"vsrcheck/results", "vsrcheck/results/trace"}, {"vsrcheck/results/trace", "vsrcheck/results/matrix"}, {"vsrcheck/results/picture", "vsrcheck/results/trace"},
		{"vsrcheck/results/matrix", "vsrcheck/explore"}, {"vsrcheck/explore/lock", "vsrcheck/explore/internal/store"},
		{"vsrcheck/model/internal/x", "vsrcheck/specs"}, {"vsrcheck/new", "fmt"},
		{room("job"), room("behaviour")}, {room("job"), "github.com/spf13/pflag"}, {room("behaviour"), room("tell")}, {room("tell"), "vsrcheck/cmd/vsrcheck"},
		{room("search"), room("tell")}, {room("web"), room("cross")}, {room("search"), "golang.org/x/term"}, {"vsrcheck/explore", "github.com/spf13/cobra"},
		{"vsrcheck/explore/internal/store", "vsrcheck/explore"}, {"vsrcheck/explore/internal/store", "vsrcheck/explore/pack"},
	} {
		if checkImport(bad[0], bad[1]) == "" {
			t.Errorf("%s may import %s", bad[0], bad[1])
		}
	}
	for _, good := range [][2]string{
		{"vsrcheck/results/trace", "vsrcheck/results/picture"}, {"vsrcheck/cmd/vsrcheck", "vsrcheck/results/trace"},
		{"vsrcheck/model", "fmt"}, {"vsrcheck/model", "encoding/json"}, {"vsrcheck/specs", "vsrcheck/model"},
		{"vsrcheck/explore", "golang.org/x/sync/errgroup"}, {"vsrcheck/explore", "vsrcheck/explore/internal/x"},
	} {
		if problem := checkImport(good[0], good[1]); problem != "" {
			t.Error(problem)
		}
	}
}
