package specs

import (
	_ "embed"
	"fmt"
)

// ModuleName is the name of the module in TLA+ that TLC runs with the configuration
// files; its file is named after it.
const ModuleName = "VSR"

//go:embed VSR.tla
var module string

// Module is the model in TLA+: the text of VSR.tla.
func Module() string { return module }

// Text is the text of an embedded specification file, by the specification's name. Its
// error wraps ErrUnknown when there is none of that name.
func Text(name string) (string, error) {
	file, known := places()[name]
	if !known {
		return "", fmt.Errorf("%w: got %q%s", ErrUnknown, name, onlyNear(name, Names()))
	}
	text, err := files.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("read specification %s: %w", name, err)
	}
	return string(text), nil
}
