package explore

import (
	"context"
	"sync/atomic"
	"testing"
	"time"
)

// notingLattice notes the levels of the states whose steps it is asked for.
type notingLattice struct {
	*lattice
	bits  atomic.Uint64
	asked func() // before each state
}

func (n *notingLattice) Next(s, t *tuple, yield func(Action)) {
	n.asked()
	n.bits.Or(1 << sum(s))
	n.lattice.Next(s, t, yield)
}
func (n *notingLattice) Noted() uint64    { return n.bits.Load() }
func (n *notingLattice) Note(bits uint64) { n.bits.Or(bits) }

// TestResumeNotes: what a system has noted does not depend on the workers, and a run that
// goes on knows what those before it noted, each of which was another process, of as many
// levels as they had finished.
func TestResumeNotes(t *testing.T) {
	t.Parallel()
	const levels = 5*6 + 1
	below := func(depth int) uint64 { return 1<<depth - 1 }
	fresh := func(asked func()) *notingLattice { return &notingLattice{lattice: &lattice{5, 6, 1}, asked: asked} }
	nothing := func() {}
	for _, workers := range []int{1, 2, 7} {
		alone := fresh(nothing)
		if mustCheck(t, alone, Properties[tuple]{}, Options{Workers: workers}); alone.Noted() != below(levels) {
			t.Errorf("%d workers: got %b, want %b", workers, alone.Noted(), below(levels))
		}

		dir := t.TempDir()
		for _, depth := range []int{3, 4, 11} {
			sys := fresh(nothing)
			r := mustCheck(t, sys, Properties[tuple]{}, Options{Workers: workers, MaxDepth: depth,
				Checkpoint: &Checkpointing{Dir: dir, Every: time.Hour, Resume: depth > 3}})
			if r.Stop != StopDepth || sys.Noted() != below(depth) {
				t.Errorf("%d workers to depth %d: got %b and stop %q, want %b", workers, depth, sys.Noted(), r.Stop, below(depth))
			}
		}

		// In the middle of a level, of which the checkpoint knows nothing.
		ctx, cancel := context.WithCancel(context.Background())
		var states atomic.Int64
		cut := fresh(func() {
			if states.Add(1) == 4000 {
				cancel()
				time.Sleep(10 * time.Millisecond) // until the run has noticed
			}
		})
		resumed := &Checkpointing{Dir: dir, Every: time.Hour, Resume: true}
		if r, err := Check(ctx, cut, Properties[tuple]{}, Options{Workers: workers, Checkpoint: resumed}); err != nil || r.Stop != StopInterrupted {
			t.Fatalf("got %s, stop %q, %v", gist(r), r.Stop, err)
		}
		l, err := readList(dir)
		if err != nil {
			t.Fatal(err)
		}
		if got := l.Border.Marks; l.Border.Depth < 11 || got != below(l.Border.Depth) {
			t.Errorf("%d workers: the checkpoint at depth %d has %b, want %b", workers, l.Border.Depth, got, below(l.Border.Depth))
		}
		last := fresh(nothing)
		if mustCheck(t, last, Properties[tuple]{}, Options{Workers: workers, Checkpoint: resumed}); last.Noted() != below(levels) {
			t.Errorf("%d workers, resumed: got %b, want %b", workers, last.Noted(), below(levels))
		}
	}
}
