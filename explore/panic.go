package explore

import (
	"fmt"
	"runtime/debug"
)

// PanicError says that the model or a property panicked. Result.PanicTrace leads
// to the state.
type PanicError struct {
	Value any    // what was passed to panic
	Stack []byte // of the goroutine that panicked
	// Where is what the engine was doing: "init", "next" (which includes the
	// encoding, the constraint and action properties), "properties" (of a new
	// state), "components" or "trace".
	Where string
	// Depth and Encoded are the state that was being expanded or inspected. Encoded
	// is nil when there was none yet.
	Depth   int
	Encoded []uint64
}

func (e *PanicError) Error() string {
	if e.Encoded == nil {
		return fmt.Sprintf("model panicked in %s: %v", e.Where, e.Value)
	}
	return fmt.Sprintf("model panicked in %s, in a state at depth %d: %v", e.Where, e.Depth, e.Value)
}

// Unwrap gives the value of the panic if that is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// before orders panics: the shallowest one, and of these the one in the smallest
// state, is reported.
func (e *PanicError) before(o *PanicError) bool {
	switch {
	case o == nil:
		return true
	case e.Depth != o.Depth:
		return e.Depth < o.Depth
	case e.Encoded == nil || o.Encoded == nil:
		return false
	}
	return lessWords(e.Encoded, o.Encoded)
}

// guard runs f and turns a panic into a *PanicError. One that another goroutine met stays
// what it is.
func guard(where string, f func() error) (err error) {
	defer func() {
		v := recover()
		if e, met := v.(*PanicError); met {
			err = e
		} else if v != nil {
			err = &PanicError{Value: v, Stack: debug.Stack(), Where: where}
		}
	}()
	return f()
}
