package specs

import (
	_ "embed"
	"fmt"
	"path"
)

// ModuleName is the name of the module in TLA+ that TLC runs with the configuration
// files; its file is named after it.
const ModuleName = "VSR"

//go:embed VSR.tla
var module string

// Module is the model in TLA+: the text of VSR.tla.
func Module() string { return module }

// Text is the text of an embedded specification file, by the path that its Spec has.
func Text(file string) (string, error) {
	text, err := files.ReadFile(path.Base(file))
	if err != nil || path.Dir(file) != "specs" {
		return "", fmt.Errorf("%w: got the path %s", ErrUnknown, file)
	}
	return string(text), nil
}
