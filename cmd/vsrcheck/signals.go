package main

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"vsrcheck/results"
)

// interrupts end a run in good order: Ctrl-C, a request to end, and a terminal that goes,
// unless nohup has said that it may go.
func interrupts() []os.Signal {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
}

// keepRunning has a reader that leaves be an error of the output, and not the end of the
// program: a search goes on, and its files are written. To be notified, and not to ignore
// the signal, leaves it as it is for the programs that this one starts.
func keepRunning() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

// patience is how long a reader of standard error may take, and one of standard output while
// there is something else to do.
const patience = time.Second

// patientWriter is standard error. What a reader does not take in time is dropped, as is all
// that follows until it does: what is printed there is worth no search.
type patientWriter struct {
	out      io.Writer
	patience time.Duration

	mu      sync.Mutex
	pending chan error // of a write that was given up, until it is done
	err     error      // the first
}

func newPatientWriter(out io.Writer) *patientWriter {
	return &patientWriter{out: out, patience: patience}
}

// Write never fails: lost tells.
func (w *patientWriter) Write(p []byte) (int, error) {
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
	timer := time.NewTimer(w.patience)
	defer timer.Stop()
	select {
	case err := <-done:
		w.done(err)
	case <-timer.C:
		w.pending = done
	}
	return len(p), nil
}

func (w *patientWriter) done(err error) {
	w.pending = nil
	if w.err == nil {
		w.err = err
	}
}

// lost is the error of what could not be written, or nil.
func (w *patientWriter) lost() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		return nil
	}
	return fmt.Errorf("%w standard error: %w", results.ErrOutput, w.err)
}
