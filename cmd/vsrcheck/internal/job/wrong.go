package job

import (
	"fmt"
	"strings"

	"vsrcheck/specs"
)

// WrongError is the fault of who asked: what was asked for cannot be done.
type WrongError struct{ message string }

func (e *WrongError) Error() string { return e.message }

// Wrongf is the error about something that was asked for and cannot be done: what was got, and
// what is wanted.
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
