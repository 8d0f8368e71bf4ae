package model

import (
	"errors"
	"fmt"
)

// Limits of the packed layout. They bound the arrays of a State, not what a
// checker can exhaust: see Config.Validate for what fits together.
const (
	MaxReplicas = 5 // replicas of one group
	MaxOps      = 8 // highest op number
	MaxViews    = 4 // views 0..MaxViews-1
	MaxChannel  = 8 // messages in one channel under network = fifo

	// MaxChannelReplicas bounds network = fifo: every state of every network has room for
	// its channels, and is copied at every step.
	MaxChannelReplicas = 3
)

// Config holds the sizes and the fault budgets of one run: how large the system
// is and how much may go wrong. It holds no rules, see Rules.
type Config struct {
	Replicas int // number of replicas in the group, 2..MaxReplicas
	Ops      int // highest op number that may be prepared
	Pipeline int // how many ops may be prepared above the commit number
	ViewMax  int // highest view; no replica starts a change to a higher one

	Crashes int // budget of crash-and-restart faults
	Stops   int // budget of replicas that stop for good
	Drops   int // budget of messages that are lost

	Network    NetworkKind // what becomes of a message that is in flight, see networks.go
	Duplicates int         // budget of messages that are delivered and stay in flight (consume)
	Resets     int         // budget of connections that break between live replicas (fifo)
	Channel    int         // messages that a channel holds; read under fifo only

	MayCrash ReplicaSet // the replicas that may crash and restart
	MayStop  ReplicaSet // the replicas that may stop

	JournalDurable       bool // the journal survives a crash (a write-ahead log)
	RecoveringElects     bool // a recovering replica that nobody answers falls back to an election
	PrepareCarriesCommit bool // a prepare's header carries the commit number of its primary
}

// ErrConfig is wrapped by every error about sizes or budgets that do not fit.
var ErrConfig = errors.New("impossible configuration")

// DefaultConfig is the group of the report without any fault: three replicas and a
// pipeline of four, four ops, view 0 only.
func DefaultConfig() Config {
	return Config{
		Replicas: 3, Ops: 4, Pipeline: 4, ViewMax: 0,
		MayCrash: AllReplicas(3), MayStop: AllReplicas(3),
		PrepareCarriesCommit: true,
		Channel:              DefaultChannel,
	}
}

// Validate says whether the configuration fits the model's layout. Its errors wrap
// ErrConfig and name the field, what it was and what it may be.
func (c Config) Validate() error {
	check := func(name string, got, low, high int) error {
		if got < low || got > high {
			return fmt.Errorf("%w: %s is %d, want %d..%d", ErrConfig, name, got, low, high)
		}
		return nil
	}
	all := AllReplicas(c.Replicas)
	err := errors.Join(
		check("replicas", c.Replicas, 2, MaxReplicas),
		check("ops", c.Ops, 1, MaxOps),
		check("pipeline", c.Pipeline, 1, MaxOps),
		check("view_max", c.ViewMax, 0, MaxViews-1),
		check("crashes", c.Crashes, 0, 3),
		check("stops", c.Stops, 0, 3),
		check("drops", c.Drops, 0, 3),
		check("duplicates", c.Duplicates, 0, 3),
		check("resets", c.Resets, 0, 3),
	)
	if err != nil {
		return err
	}
	if c.MayCrash&^all != 0 {
		return fmt.Errorf("%w: may_crash is %v, want a subset of %v", ErrConfig, c.MayCrash, all)
	}
	if c.MayStop&^all != 0 {
		return fmt.Errorf("%w: may_stop is %v, want a subset of %v", ErrConfig, c.MayStop, all)
	}
	if c.Crashes > 0 && c.MayCrash == 0 {
		return fmt.Errorf("%w: crashes is %d and may_crash is {}, want a replica that may crash, or crashes = 0", ErrConfig, c.Crashes)
	}
	if c.Stops > c.MayStop.Len() {
		return fmt.Errorf("%w: stops is %d and may_stop is %v, want at most one stop for each of them", ErrConfig, c.Stops, c.MayStop)
	}
	if err := c.validateNetwork(); err != nil {
		return err
	}
	if n := c.identities() * c.Ops; n > 64 {
		return fmt.Errorf("%w: ops=%d with view_max=%d needs %d prepares to one replica, the layout holds 64; lower ops or view_max",
			ErrConfig, c.Ops, c.ViewMax, n)
	}
	return nil
}

// views is the number of views.
func (c *Config) views() int { return c.ViewMax + 1 }

// identities is the number of (view of the message, view of first preparation)
// pairs, that is of distinct prepares of one op.
func (c *Config) identities() int { return c.views() * (c.views() + 1) / 2 }

// ReplicationQuorum is the number of replicas that must hold an op before it is
// committed: ceil(n/2), but 2 for two replicas.
func (c *Config) ReplicationQuorum() int {
	if c.Replicas == 2 {
		return 2
	}
	return (c.Replicas + 1) / 2
}

// ViewChangeQuorum is the number of DoViewChange messages that decide a view.
func (c *Config) ViewChangeQuorum() int {
	if c.Replicas == 2 {
		return 2
	}
	return c.Replicas - c.ReplicationQuorum() + 1
}

// NackQuorum is the number of nacks that prove that an op never reached a
// replication quorum.
func (c *Config) NackQuorum() int { return c.Replicas - c.ReplicationQuorum() + 1 }

// MaxFaulty is f, the number of replicas that may fail while the group goes on.
func (c *Config) MaxFaulty() int { return (c.Replicas - 1) / 2 }

// Primary is the replica that leads a view.
func (c *Config) Primary(view uint8) int { return int(view) % c.Replicas }

// ReplicaSet is a set of replica numbers, one bit each.
type ReplicaSet uint8

// AllReplicas is the set {0, ..., n-1}.
func AllReplicas(n int) ReplicaSet { return ReplicaSet(1<<max(n, 0) - 1) }

// Has reports whether r is in the set.
func (s ReplicaSet) Has(r int) bool { return s>>r&1 == 1 }

// Len is the number of replicas in the set.
func (s ReplicaSet) Len() int {
	n := 0
	for ; s != 0; s &= s - 1 {
		n++
	}
	return n
}

// String writes the set in TLA+'s notation, for example {0, 2}.
func (s ReplicaSet) String() string {
	out := "{"
	for r := 0; s>>r != 0; r++ {
		if s.Has(r) {
			if len(out) > 1 {
				out += ", "
			}
			out += fmt.Sprint(r)
		}
	}
	return out + "}"
}
