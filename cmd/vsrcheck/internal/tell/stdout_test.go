package tell

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
)

// TestSlowOutput: a reader that takes its time gets all, in order, and one that never takes
// anything is given up in the end.
func TestSlowOutput(t *testing.T) {
	r, w := io.Pipe()
	k := NewErrorKeeper(context.Background(), w)
	k.stalled = true // for a moment, so that nothing waits
	var want strings.Builder
	for i := range 2000 {
		text := strings.Repeat("x", i%50) + "\n"
		want.WriteString(text)
		if i == 0 {
			k.writing = make(chan struct{})
			k.unread = append(k.unread, text...)
			go k.write(k.writing)
		} else if n, err := io.WriteString(k, text); n != len(text) || err != nil {
			t.Fatalf("got %d, %v", n, err)
		}
	}
	got := make(chan string)
	go func() {
		text := make([]byte, want.Len())
		_, _ = io.ReadFull(r, text)
		got <- string(text)
	}()
	if err := k.Lost(); err != nil {
		t.Error(err)
	}
	if text := <-got; text != want.String() {
		t.Errorf("got %d bytes that differ", len(text))
	}
	before := PagerPatience
	PagerPatience = 20 * time.Millisecond
	defer func() { PagerPatience = before }()
	if _, err := k.Write(make([]byte, mostUnread+1)); !errors.Is(err, errNobodyReads) {
		t.Errorf("got %v", err)
	}
	if err := k.Lost(); err == nil || err.Error() != "cannot write standard output: nobody reads it" {
		t.Errorf("got %v", err)
	}
}
