package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"vsrcheck/specs"
)

// isPath reports whether an argument that means a specification is the path of its file.
func isPath(arg string) bool {
	return strings.HasSuffix(arg, ".cfg") || strings.ContainsRune(arg, filepath.Separator)
}

// findSpec reads the specification that an argument of the command line means: a
// path if it looks like one, else a name.
func findSpec(arg string) (specs.Spec, error) {
	if isPath(arg) {
		return specs.ParseFile(arg)
	}
	spec, err := specs.Load(arg)
	if errors.Is(err, specs.ErrUnknown) && specs.Nearest(arg) == "" {
		return spec, fmt.Errorf("%w; vsrcheck list specs has them all, and a file is named by its path, ending in .cfg", err)
	}
	return spec, err
}
