package model

import "fmt"

// NetworkKind says what becomes of a message that is in flight.
type NetworkKind uint8

// The networks. Handlers do not know which one it is: they put messages into the sets of
// State.Net, take and what it calls decide what a delivery leaves there.
//
// Under NetworkSet a delivery leaves the message in flight. Delay, reordering and
// duplication are free, only a loss has a budget; and a message that is refused today may
// be received tomorrow.
//
// Under NetworkConsume a message in flight is delivered once: the delivery takes it out,
// whether it has an effect or is refused. What is sent while the same message is in flight
// merges with it. That loses nothing but counts of copies: a copy that has no effect when it
// arrives might as well not have been sent, so what is missing are the runs in which two
// copies of one message that were in flight together both have an effect. Config.Duplicates
// is a budget for those: Duplicate delivers a message and leaves it in flight, which is
// simpler than to count copies. It is a step only where the handler has an effect.
//
// Under NetworkFIFO a message is in the channel from its sender to its receiver, too, and
// only the first of each channel is delivered, once: what TCP gives. Nothing is repeated and
// nothing lost but with a connection. fifo.go has the channels.
//
// A replica that is refused what it is sent again and again makes a cycle: send, refuse,
// send. So the quiescent states do not decide liveness under the last two; the engine's
// strongly connected components do. Fairness stays weak, of every step. A message in flight
// stays there until it is delivered, lost, or of no use any more (dead, or the end of its
// session): its delivery is enabled all that time, as consuming it is an effect by itself.
// So whatever is sent is received, and what is sent for ever is received for ever, which is
// what strong fairness of the receipt of each message asks for (the fair links of Lynch,
// "Distributed Algorithms", 1996, section 14.1.2). Under fifo this goes for the first of a
// channel, and so, one after the other, for all. What weak fairness does not promise is
// that a message arrives while its receiver would take it: no network does.
const (
	NetworkSet NetworkKind = iota
	NetworkConsume
	NetworkFIFO
)

// DefaultChannel is how many messages a channel holds unless it is said otherwise.
const DefaultChannel = 8

var networkNames = [...]string{"set", "consume", "fifo"}

// String is the network's name in specification files and options.
func (n NetworkKind) String() string { return networkNames[n] }

// NetworkNames are the names of the networks; the first is the default.
func NetworkNames() []string { return networkNames[:] }

// NetworkNamed is the network of a name.
func NetworkNamed(name string) (NetworkKind, bool) {
	for i, n := range networkNames {
		if n == name {
			return NetworkKind(i), true
		}
	}
	return 0, false
}

// validateNetwork says whether the budgets fit the network.
func (c *Config) validateNetwork() error {
	no := func(budget string, n int, why string) error {
		return fmt.Errorf("%w: %s is %d with network = %s, want 0: %s", ErrConfig, budget, n, c.Network, why)
	}
	switch {
	case c.Network > NetworkFIFO:
		return fmt.Errorf("%w: network is %d, want 0..%d", ErrConfig, c.Network, NetworkFIFO)
	case c.Network == NetworkSet && c.Duplicates > 0:
		return no("duplicates", c.Duplicates, "there every message may be delivered again")
	case c.Network == NetworkFIFO && c.Duplicates > 0:
		return no("duplicates", c.Duplicates, "a connection delivers once")
	case c.Network != NetworkFIFO && c.Resets > 0:
		return no("resets", c.Resets, "only fifo has connections")
	case c.Network == NetworkFIFO && c.Drops > 0:
		return no("drops", c.Drops, "a connection loses nothing by itself, see resets")
	case c.Network == NetworkFIFO && c.Replicas > MaxChannelReplicas:
		return fmt.Errorf("%w: replicas is %d with network = fifo, want 2..%d", ErrConfig, c.Replicas, MaxChannelReplicas)
	case c.Network == NetworkFIFO && (c.Channel < 1 || c.Channel > MaxChannel):
		return fmt.Errorf("%w: channel is %d, want 1..%d", ErrConfig, c.Channel, MaxChannel)
	}
	return nil
}

// takeOnce is take under the networks that deliver a message once.
func (m *Model) takeOnce(t *State, a uint32) Outcome {
	if m.cfg.Network == NetworkFIFO {
		return m.takeInOrder(t, a)
	}
	if kindOf(a) == kDuplicate {
		return m.duplicate(t, droppedBy(a))
	}
	out := m.arrive(t, a)
	if out&changed != 0 {
		m.normalise(t)
	}
	return out
}

// duplicate delivers the message of a and leaves it in flight, where that has an effect.
func (m *Model) duplicate(t *State, a uint32) Outcome {
	before := *t
	out := m.step(t, a)
	m.normalise(t)
	if *t == before {
		return out &^ changed
	}
	t.Duplicates++
	return out | changed
}

// arrive takes a step and, when that is a delivery, its message out of the network.
func (m *Model) arrive(t *State, a uint32) Outcome {
	out := m.step(t, a)
	if delivers(kindOf(a)) {
		m.remove(t, a)
		out |= changed
	}
	return out
}
