package tell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"vsrcheck/results"
)

// PagerPatience is how long a reader of standard output may take nothing at all in the end.
// Long outputs are read page by page, and what is not read is lost; but a program that nobody
// watches has to end.
var PagerPatience = time.Hour

// mostUnread is how much of standard output may wait for a reader while the program goes on.
const mostUnread = 4 << 20

// errNobodyReads is the error of an output whose reader takes nothing.
var errNobodyReads = errors.New("nobody reads it")

// ErrorKeeper is standard output. It remembers the first error, so that not every print has to
// look at it. A reader that takes nothing holds up no search and no file: what is printed
// waits, and the program goes on. In the end it waits for the reader, as somebody may read
// page by page, but not when the run has been interrupted, and not for ever.
type ErrorKeeper struct {
	io.Writer
	interrupted <-chan struct{}

	mu      sync.Mutex
	unread  []byte        // not handed to Writer yet
	writing chan struct{} // closed when all is written; nil: nothing is
	stalled bool          // the reader did not take the last write in time
	err     error
	failure any // what a panic of the writer left; it goes on where the output is used
}

// NewErrorKeeper is an output that waits for no reader once a context is done.
func NewErrorKeeper(ctx context.Context, out io.Writer) *ErrorKeeper {
	return &ErrorKeeper{Writer: out, interrupted: ctx.Done()}
}

// Write prints, and waits a moment for the reader.
func (k *ErrorKeeper) Write(p []byte) (int, error) {
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
		k.await(writing, PagerPatience)
	case !stalled && !within(writing, patience):
		k.mu.Lock()
		k.stalled = k.writing == writing
		k.mu.Unlock()
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.goOnFailing()
	if k.err != nil {
		return 0, k.err
	}
	return len(p), nil
}

// write hands on what is unread, until nothing is left.
func (k *ErrorKeeper) write(all chan struct{}) {
	defer func() {
		if v := recover(); v != nil {
			k.mu.Lock()
			k.failure, k.writing = v, nil
			k.mu.Unlock()
		}
		close(all)
	}()
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
func (k *ErrorKeeper) await(writing <-chan struct{}, most time.Duration) {
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

func (k *ErrorKeeper) fail(err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.err == nil {
		k.err = err
	}
}

// settle waits for the reader. It returns the error of an output that is not complete, or nil.
func (k *ErrorKeeper) settle() error {
	k.mu.Lock()
	writing, err := k.writing, k.err
	k.mu.Unlock()
	if writing != nil && err == nil {
		k.await(writing, PagerPatience)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.goOnFailing()
	return k.err
}

// goOnFailing panics as the writer has, once.
func (k *ErrorKeeper) goOnFailing() {
	if v := k.failure; v != nil {
		k.failure = nil
		panic(v)
	}
}

// Err is the error that Lost wraps, once it has been called.
func (k *ErrorKeeper) Err() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.err
}

// Lost is what settle returns, in the words of the command line.
func (k *ErrorKeeper) Lost() error {
	if err := k.settle(); err != nil {
		return fmt.Errorf("%w standard output: %w", results.ErrOutput, err)
	}
	return nil
}

// Whole is an output that has been read when it is written.
type Whole struct{ io.Writer }

func (w Whole) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	if k, kept := w.Writer.(*ErrorKeeper); kept && err == nil {
		err = k.settle()
	}
	return n, err
}
