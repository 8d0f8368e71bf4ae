package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"vsrcheck/results"
)

// pagerPatience is how long a reader of standard output may take nothing at all in the end.
// Long outputs are read page by page, and what is not read is lost; but a program that nobody
// watches has to end.
var pagerPatience = time.Hour

// mostUnread is how much of standard output may wait for a reader while the program goes on.
const mostUnread = 4 << 20

// errNobodyReads is the error of an output whose reader takes nothing.
var errNobodyReads = errors.New("nobody reads it")

// errorKeeper is standard output. It remembers the first error, so that not every print has to
// look at it. A reader that takes nothing holds up no search and no file: what is printed
// waits, and the program goes on. In the end it waits for the reader, as somebody may read
// page by page, but not when the run has been interrupted, and not for ever.
type errorKeeper struct {
	io.Writer
	interrupted <-chan struct{}

	mu      sync.Mutex
	unread  []byte        // not handed to Writer yet
	writing chan struct{} // closed when all is written; nil: nothing is
	stalled bool          // the reader did not take the last write in time
	err     error
}

func newErrorKeeper(ctx context.Context, out io.Writer) *errorKeeper {
	return &errorKeeper{Writer: out, interrupted: ctx.Done()}
}

// Write prints, and waits a moment for the reader.
func (k *errorKeeper) Write(p []byte) (int, error) {
	k.mu.Lock()
	if k.err != nil {
		defer k.mu.Unlock()
		return 0, k.err // one error, and no half of an output after its loss
	}
	k.unread = append(k.unread, p...)
	if k.writing == nil {
		k.writing, k.stalled = make(chan struct{}), false
		go k.write(k.writing)
	}
	writing, stalled, full := k.writing, k.stalled, len(k.unread) > mostUnread
	k.mu.Unlock()
	switch {
	case full:
		k.await(writing, pagerPatience)
	case !stalled && !within(writing, patience):
		k.mu.Lock()
		k.stalled = k.writing == writing
		k.mu.Unlock()
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.err != nil {
		return 0, k.err
	}
	return len(p), nil
}

// write hands on what is unread, until nothing is left.
func (k *errorKeeper) write(all chan struct{}) {
	defer close(all)
	for {
		k.mu.Lock()
		text := k.unread
		k.unread = nil
		if len(text) == 0 || k.err != nil {
			k.writing = nil
			k.mu.Unlock()
			return
		}
		k.mu.Unlock()
		_, err := k.Writer.Write(text)
		k.fail(err)
	}
}

// await waits for a reader. It gives up after so long, or soon once the run has been interrupted.
func (k *errorKeeper) await(writing <-chan struct{}, most time.Duration) {
	late := time.NewTimer(most)
	defer late.Stop()
	select {
	case <-writing:
		return
	case <-late.C:
	case <-k.interrupted:
		if within(writing, patience) {
			return
		}
	}
	k.fail(errNobodyReads)
}

// within reports whether something is done in time.
func within(done <-chan struct{}, most time.Duration) bool {
	late := time.NewTimer(most)
	defer late.Stop()
	select {
	case <-done:
		return true
	case <-late.C:
		return false
	}
}

func (k *errorKeeper) fail(err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.err == nil {
		k.err = err
	}
}

// settle waits for the reader. It returns the error of an output that is not complete, or nil.
func (k *errorKeeper) settle() error {
	k.mu.Lock()
	writing, err := k.writing, k.err
	k.mu.Unlock()
	if writing != nil && err == nil {
		k.await(writing, pagerPatience)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.err
}

// lost is what settle returns, in the words of the command line.
func (k *errorKeeper) lost() error {
	if err := k.settle(); err != nil {
		return fmt.Errorf("%w standard output: %w", results.ErrOutput, err)
	}
	return nil
}

// whole is an output that has been read when it is written.
type whole struct{ io.Writer }

func (w whole) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	if k, kept := w.Writer.(*errorKeeper); kept && err == nil {
		err = k.settle()
	}
	return n, err
}
