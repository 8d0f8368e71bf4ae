package explore

import (
	"fmt"
	"os"
	"reflect"
	"testing"
)

// withoutFigures is what a result is whatever the memory limit and the number of workers.
func withoutFigures[S any](r *Result[S]) *Result[S] {
	c := *r
	c.Elapsed, c.StoreBytes, c.DiskBytes, c.Workers = 0, 0, 0, 0
	return &c
}

// TestExternal: with a limit that the states do not fit into, a run gives the same
// result, and leaves nothing on disk.
func TestExternal(t *testing.T) {
	t.Parallel()
	top, shares := 9, []uint64{2, 4}
	if raceDetector {
		// So few states that the first chunks of the shards are more than a quarter.
		top, shares = 5, []uint64{2}
	}
	props := Properties[tuple]{
		Invariants: []Invariant[tuple]{{"corner", func(s *tuple) bool { return sum(s) < 5*top-3 }}},
		Reachable:  []Reachable[tuple]{{"far", func(s *tuple) bool { return s[0] == top && s[4] > top/2 }}},
		Actions:    []ActionProperty[tuple]{{"bounded", func(_ *tuple, _ Action, u *tuple) bool { return u[0] < top || u[1] < top-2 }}},
		Recurrent:  []Recurrent[tuple]{{"leave", func(s *tuple) uint64 { return uint64(s[3] / top) }}},
		Observed:   []Observed[tuple]{{"end", func(s *tuple) bool { return s[0] == top }}},
		Constraint: func(s *tuple) bool { return s[2] != top-2 || s[3] != top-2 },
		Deferred:   map[string]bool{"corner": true, "bounded": true, "leave": true},
	}
	for _, width := range []int{1, 2, 5} {
		sys := &lattice{n: 5, top: top, width: width}
		want := mustCheck(t, sys, props, Options{Workers: 2})
		for _, share := range shares {
			for _, workers := range []int{1, 3} {
				dir := t.TempDir()
				spilled := 0
				got := mustCheck(t, sys, props, Options{Workers: workers, MemoryLimit: want.StoreBytes / share, SpillDir: dir, onSpill: func() { spilled++ }})
				sameResult(t, fmt.Sprintf("width %d, a limit of 1/%d, %d workers: ", width, share, workers), got, want)
				if spilled == 0 {
					t.Errorf("width %d, a limit of 1/%d, %d workers: nothing went to disk", width, share, workers)
				}
				if left, _ := os.ReadDir(dir); len(left) > 0 {
					t.Errorf("%d files left", len(left))
				}
			}
		}
	}
}

// sameResult holds two results to be equal in all but what withoutFigures leaves out;
// where begins the message if they are not.
func sameResult[S any](t *testing.T, where string, got, want *Result[S]) {
	t.Helper()
	if !reflect.DeepEqual(withoutFigures(got), withoutFigures(want)) {
		t.Errorf("%sgot %s, want %s", where, gist(got), gist(want))
	}
}

// gist is the figures of a result.
func gist[S any](r *Result[S]) string {
	return fmt.Sprintf("%s %q: %d distinct, %d outside, %d generated, %d quiescent, depth %d, %d violations, met %v",
		r.Verdict, r.Reason, r.Distinct, r.Outside, r.Generated, r.Quiescent, r.Depth, len(r.Violations), r.ReachableMet)
}

// TestExternalRevisits: states of all earlier levels are met again and again.
func TestExternalRevisits(t *testing.T) {
	t.Parallel()
	const n = 20_000
	g := &graph{init: []int{0}, edges: make([][]graphEdge, n)}
	for i := range n {
		for k := range 20 {
			g.edges[i] = append(g.edges[i], graphEdge{to: (i*7 + k*k*131 + 1) % n, action: Action(k)})
		}
		if i+1 < n {
			g.edges[i] = append(g.edges[i], graphEdge{to: i + 1})
		}
	}
	// A long tail, so that there are many levels.
	for i := n / 2; i < n; i++ {
		g.edges[i] = g.edges[i][15:]
	}
	want := mustCheck(t, g, Properties[node]{}, Options{Workers: 2})
	spilled := 0
	got := mustCheck(t, g, Properties[node]{}, Options{Workers: 2, MemoryLimit: want.StoreBytes / 3, SpillDir: t.TempDir(), onSpill: func() { spilled++ }})
	if !reflect.DeepEqual(withoutFigures(got), withoutFigures(want)) || spilled == 0 {
		t.Errorf("got %s, want %s; to disk %d times", gist(got), gist(want), spilled)
	}
}

// TestExternalInitial: the initial states alone do not fit into the memory.
func TestExternalInitial(t *testing.T) {
	t.Parallel()
	n := 50_000
	if raceDetector {
		n = 10_000
	}
	g := &graph{edges: make([][]graphEdge, 2*n)}
	for i := range n {
		g.init = append(g.init, i, i/2) // some of them twice
		g.edges[i] = []graphEdge{{to: i + n}}
	}
	props := Properties[node]{Reachable: []Reachable[node]{{"last", func(s *node) bool { return s.n == 2*n-1 }}}}
	want := mustCheck(t, g, props, Options{Workers: 2})
	spilled := 0
	got := mustCheck(t, g, props, Options{Workers: 2, MemoryLimit: want.StoreBytes / 4, SpillDir: t.TempDir(), onSpill: func() { spilled++ }})
	if !reflect.DeepEqual(withoutFigures(got), withoutFigures(want)) || spilled < 2 {
		t.Errorf("got %s, want %s; to disk %d times", gist(got), gist(want), spilled)
	}
}

// TestDiskLimit: a run that has used up memory and disk ends, and says how far it came.
func TestDiskLimit(t *testing.T) {
	g := &lattice{n: 5, top: 7, width: 2}
	all := mustCheck(t, g, Properties[tuple]{}, Options{})
	for limit := uint64(1 << 10); limit < 4<<20; limit *= 4 {
		r := mustCheck(t, g, Properties[tuple]{}, Options{Workers: 2, MemoryLimit: all.StoreBytes / 3, SpillDir: t.TempDir(), DiskLimit: limit})
		if r.Verdict == Holds && r.Distinct != all.Distinct || r.Verdict != Holds && (r.Stop != StopDisk || r.Covered < 1) {
			t.Errorf("limit %d: %s, %q, %q, %d states, covered to %d", limit, r.Verdict, r.Stop, r.Reason, r.Distinct, r.Covered)
		}
		if limit < 1<<20 && r.Verdict == Holds {
			t.Errorf("limit %d: holds", limit)
		}
		if r.DiskBytes > limit {
			t.Errorf("limit %d: %d bytes on disk", limit, r.DiskBytes)
		}
	}
}
