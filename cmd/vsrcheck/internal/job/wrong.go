package job

import (
	"fmt"
	"strings"
	"vsrcheck/specs"
)

// WrongError is a fault of the command line.
type WrongError struct{ message string }

func (e *WrongError) Error() string { return e.message }

func Wrongf(format string, args ...any) error {
	return &WrongError{fmt.Sprintf(format, args...)}
}

// DidYouMean is the end of an error message that names the nearest candidate.
func DidYouMean(word string, candidates []string, prefix string) string {
	if near := specs.Suggest(word, candidates); near != "" {
		return "; did you mean " + prefix + near + "?"
	}
	return ""
}

// OptionName is a constant's or a rule's name as an option.
func OptionName(name string) string { return strings.ReplaceAll(name, "_", "-") }
