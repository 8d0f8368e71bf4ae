package explore

import (
	"fmt"
	"runtime/debug"

	"vsrcheck/explore/internal/store"
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

func (e *PanicError) where() (int, []uint64) { return e.Depth, e.Encoded }

func (e *PanicError) locate(depth int, encoded []uint64) {
	e.Depth, e.Encoded = depth, append([]uint64(nil), encoded...)
}

// failure is what ends a run because of the system: a *PanicError or a *ContractError.
type failure interface {
	error
	// where is the state, nil when there was none yet.
	where() (depth int, encoded []uint64)
	locate(depth int, encoded []uint64)
}

// failureOf is what a panic means.
func failureOf(value any, where string) failure {
	switch e := value.(type) {
	case *ContractError:
		return e
	case *PanicError:
		return e
	}
	return &PanicError{Value: value, Stack: debug.Stack(), Where: where}
}

// sooner orders failures: the shallowest one, and of these the one in the smallest
// state, is reported.
func sooner(a, b failure) bool {
	if b == nil {
		return true
	}
	d, x := a.where()
	e, y := b.where()
	switch {
	case d != e:
		return d < e
	case x == nil || y == nil:
		return false
	}
	return store.Less(x, y)
}

// guard runs f and turns a panic into a failure. One that another goroutine met stays
// what it is.
func guard(where string, f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = failureOf(v, where)
		}
	}()
	return f()
}

// stopOf is the reason that a failure is to stop.
func stopOf(f failure) Stop {
	if _, ok := f.(*ContractError); ok {
		return StopContract
	}
	return StopPanic
}
