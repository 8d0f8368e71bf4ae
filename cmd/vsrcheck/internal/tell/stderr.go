package tell

import (
	"fmt"
	"io"
	"sync"
	"time"

	"vsrcheck/results"
)

// patience is how long a reader of standard error may take, and one of standard output while
// there is something else to do.
const patience = time.Second

// PatientWriter is standard error. What a reader does not take in time is dropped, as is all
// that follows until it does: what is printed there is worth no search.
type PatientWriter struct {
	out      io.Writer
	Patience time.Duration

	mu      sync.Mutex
	pending chan error // of a write that was given up, until it is done
	err     error      // the first
}

// NewPatientWriter gives a reader a second to take what is written.
func NewPatientWriter(out io.Writer) *PatientWriter {
	return &PatientWriter{out: out, Patience: patience}
}

// Write never fails: lost tells.
func (w *PatientWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.pending != nil {
		select {
		case err := <-w.pending:
			w.done(err)
		default:
			return len(p), nil
		}
	}
	if w.err != nil {
		return len(p), nil
	}
	done := make(chan error, 1)
	text := append([]byte(nil), p...)
	go func() {
		_, err := w.out.Write(text)
		done <- err
	}()
	timer := time.NewTimer(w.Patience)
	defer timer.Stop()
	select {
	case err := <-done:
		w.done(err)
	case <-timer.C:
		w.pending = done
	}
	return len(p), nil
}

func (w *PatientWriter) done(err error) {
	w.pending = nil
	if w.err == nil {
		w.err = err
	}
}

// Lost is the error of what could not be written, or nil.
func (w *PatientWriter) Lost() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		return nil
	}
	return fmt.Errorf("%w standard error: %w", results.ErrOutput, w.err)
}
