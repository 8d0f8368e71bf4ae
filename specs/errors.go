package specs

import (
	"errors"
	"fmt"
)

// The two ways in which a specification file can be wrong by itself. A third,
// sizes that do not fit, is model.ErrConfig.
var (
	// ErrSyntax is wrapped by errors about text that is not in TLC's configuration
	// syntax.
	ErrSyntax = errors.New("malformed specification")
	// ErrMeaning is wrapped by errors about a well-formed file that names something
	// unknown, lacks something or contradicts itself.
	ErrMeaning = errors.New("wrong specification")
	// ErrUnknown is wrapped by the error of Load about a name that no specification
	// has.
	ErrUnknown = errors.New("unknown specification")
)

// Error is a fault at one place of a specification file.
type Error struct {
	File string
	Line int // from 1
	Col  int // from 1, in characters
	Msg  string
	Err  error // ErrSyntax, ErrMeaning or an error that wraps model.ErrConfig
}

// Error is the fault in the form file:line:column: message.
func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Col, e.Msg)
}

// Unwrap is the class of the fault.
func (e *Error) Unwrap() error { return e.Err }

// unreadable is the error of a file that cannot be read at all. To a caller it is malformed.
type unreadable struct{ cause error }

func (e *unreadable) Error() string   { return "read specification: " + e.cause.Error() }
func (e *unreadable) Unwrap() []error { return []error{ErrSyntax, e.cause} }
