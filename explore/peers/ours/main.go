// Command ours runs one of the engine's example models, for the comparison with other
// model checkers. It prints one line of names and values, for a script to read.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"strings"

	"vsrcheck/explore"
	"vsrcheck/explore/examples/diningphilosophers"
	"vsrcheck/explore/examples/lamportmutex"
	"vsrcheck/explore/examples/paxoscommit"
	"vsrcheck/explore/examples/twophase"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// maxLimit is the greatest memory limit, in MiB, that has a meaning in bytes.
const maxLimit = 1 << 40

// figures are what a run is compared by, without the states' type.
type figures struct {
	verdict               explore.Verdict
	reason                string
	distinct, transitions uint64
	depth                 int
	seconds               float64
	storeBytes            uint64
}

func run(args []string) error {
	fs := flag.NewFlagSet("ours", flag.ExitOnError)
	name := fs.String("model", "twophase", "twophase, lamportmutex, paxoscommit or diningphilosophers")
	n := fs.Int("n", 3, "resource managers or philosophers; the other models have one size")
	workers := fs.Int("workers", 1, "number of workers")
	store := fs.String("store", string(explore.StoreExact), "exact, hash64 or hash128")
	limit := fs.Uint64("memory-limit", 0, "MiB that the search may take; 0: no limit")
	fs.Parse(args) // exits on an error
	if fs.NArg() > 0 {
		return fmt.Errorf("argument %q: only flags are wanted", fs.Arg(0))
	}

	if *workers < 1 {
		return fmt.Errorf("-workers %d: want 1 or more", *workers)
	}
	if *limit > maxLimit {
		return fmt.Errorf("-memory-limit %d: want at most %d MiB", *limit, uint64(maxLimit))
	}
	o := explore.Options{Workers: *workers, Store: explore.StoreKind(*store), MemoryLimit: *limit << 20}
	if *limit > 0 {
		debug.SetMemoryLimit(int64(o.MemoryLimit))
	}
	f, err := check(*name, *n, o)
	if err != nil {
		return err
	}
	if f.verdict != explore.Holds {
		return fmt.Errorf("%s: got verdict %s %s, want %s", *name, f.verdict, f.reason, explore.Holds)
	}
	fmt.Printf("states=%d transitions=%d depth=%d seconds=%.3f store-bytes-per-state=%.1f\n",
		f.distinct, f.transitions, f.depth, f.seconds, float64(f.storeBytes)/float64(f.distinct))
	return nil
}

// check runs the named model with the invariants that its counterparts in the other
// languages have.
func check(name string, n int, o explore.Options) (figures, error) {
	switch name {
	case "twophase":
		if n < 1 || n > twophase.MaxN {
			return figures{}, fmt.Errorf("-n %d: want 1 to %d", n, twophase.MaxN)
		}
		sys := &twophase.System{N: n}
		return search(sys, invariant("Consistent", sys.Consistent), o)
	case "lamportmutex":
		return search(lamportmutex.System{}, lamportmutex.Properties, o)
	case "paxoscommit":
		sys := paxoscommit.System{}
		return search(sys, invariant("Consistent", sys.Consistent), o)
	case "diningphilosophers":
		if n < 2 || n > diningphilosophers.MaxN {
			return figures{}, fmt.Errorf("-n %d: want 2 to %d", n, diningphilosophers.MaxN)
		}
		sys := &diningphilosophers.System{N: n}
		return search(sys, invariant("ExclusiveAccess", sys.ExclusiveAccess), o)
	}
	return figures{}, fmt.Errorf("-model %q: want %s", name,
		strings.Join([]string{"twophase", "lamportmutex", "paxoscommit", "diningphilosophers"}, ", "))
}

func invariant[S any](name string, holds func(*S) bool) explore.Properties[S] {
	return explore.Properties[S]{Invariants: []explore.Invariant[S]{{Name: name, Holds: holds}}}
}

func search[S any](sys explore.System[S], p explore.Properties[S], o explore.Options) (figures, error) {
	r, err := explore.Check(context.Background(), sys, p, o)
	if err != nil {
		return figures{}, err
	}
	initial := r.Levels[0] // counted as generated, but no transitions
	return figures{
		verdict: r.Verdict, reason: r.Reason,
		distinct: r.Distinct, transitions: r.Generated - initial, depth: r.Depth,
		seconds: r.Elapsed.Seconds(), storeBytes: r.StoreBytes,
	}, nil
}
