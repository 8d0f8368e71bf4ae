package model

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Each message of a channel has a number of its own, from 1 on without a gap, and
// delivery is the inverse of code.
func TestChannelCodes(t *testing.T) {
	for _, cfg := range []Config{sized(2, 1, 0, 0, 0, 0), sized(3, 3, 1, 0, 0, 0), sized(3, 4, 2, 0, 0, 0), sized(3, 8, 0, 0, 0, 0)} {
		m := mustNew(t, overNetwork(cfg, NetworkFIFO, 0), soundRules())
		for from := range cfg.Replicas {
			for to := range cfg.Replicas {
				for code := 1; code <= m.codes.last; code++ {
					a := m.delivery(from, to, uint8(code))
					if got := m.code(a); got != uint8(code) {
						t.Fatalf("%s: %s has the number %d, want %d", cfg.testName(), m.ActionString(a), got, code)
					}
					if !delivers(kindOf(a)) {
						t.Fatalf("%s: number %d is %s, which delivers nothing", cfg.testName(), code, m.ActionString(a))
					}
					// A message that says who sent it, or who leads its view, is of the sender; an
					// answer or a vote of a view that another leads is not sent by anybody.
					switch k := kindOf(a); k {
					case kReceiveProbe, kReceiveStartViewChange, kReceiveRequestPrepares:
						if msg, _ := m.Message(a); msg.From != from || msg.To != to {
							t.Fatalf("%s is from %d to %d, want from %d to %d", m.ActionString(a), msg.From, msg.To, from, to)
						}
					}
				}
			}
		}
	}
	cfg := overNetwork(sized(3, 8, 1, 0, 0, 0), NetworkFIFO, 0)
	if m, err := New(cfg, soundRules()); err == nil && m.codes.last > 255 || err != nil && !errors.Is(err, ErrConfig) {
		t.Errorf("%d numbers, %v", m.codes.last, err)
	}
	rules := soundRules()
	rules.ViewDurability = ViewLost
	if _, err := New(overNetwork(sized(2, 1, 1, 1, 0, 0), NetworkFIFO, 0), rules); !errors.Is(err, ErrConfig) {
		t.Errorf("views that start twice over channels: got %v, want ErrConfig", err)
	}
}

// networkConfigs are tiny systems in which the networks are compared.
func networkConfigs() []Config {
	return []Config{sized(2, 2, 0, 1, 0, 0), sized(2, 1, 1, 1, 0, 0), sized(3, 1, 0, 1, 0, 0), sized(2, 1, 1, 0, 1, 0)}
}

// Whatever the replicas can come to over channels, they can come to when each message
// arrives once in any order, and what they can come to then, when it may arrive again.
func TestNetworksAreOrdered(t *testing.T) {
	type group struct {
		replicas [MaxReplicas]Replica
		decided  [MaxOps]identity
		failed   Assertion
	}
	for _, cfg := range networkConfigs() {
		for _, rs := range ruleSets()[:2] {
			if cfg.Replicas > 2 && rs.name != "sound" {
				continue
			}
			var reached [3]map[group]bool
			for n := range reached {
				reached[n] = map[group]bool{}
				m := mustNew(t, overNetwork(cfg, NetworkKind(n), 0), rs.rules).Unreduced()
				overReachable(t, m, func(_ *State, _ uint32, u *State) error {
					reached[n][group{u.Replica, u.Decided, u.Failed}] = true
					return nil
				})
			}
			for n := NetworkSet; n < NetworkFIFO; n++ {
				for g := range reached[n+1] {
					if !reached[n][g] {
						t.Errorf("%s, %s: a state of the replicas is reached over %v and not over %v: %+v", cfg.testName(), rs.name, n+1, n, g)
						break
					}
				}
				t.Logf("%s, %s: %d states of the replicas over %v, %d over %v", cfg.testName(), rs.name, len(reached[n+1]), n+1, len(reached[n]), n)
			}
		}
	}
}

// follow takes in the looser network the step that a system took over a stricter one.
// What is not in flight there any more had no effect.
func follow(m *Model, s *State, a uint32) State {
	if delivers(kindOf(a)) {
		if a = counterpart(m, s, a); !m.carries(s, a) {
			return *s
		}
	}
	t, _ := m.attempt(s, a)
	return t
}

// A run over channels, step by step, is one of the network that consumes, and that one
// of the set: the replicas do the same.
func TestFIFORunIsARunOfTheOthers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := rapid.SampledFrom(append(networkConfigs(), sized(3, 2, 1, 1, 1, 0), sized(3, 3, 0, 1, 1, 0))).Draw(t, "config")
		cfg.JournalDurable = rapid.Bool().Draw(t, "durable")
		rs := rapid.SampledFrom(ruleSets()).Draw(t, "rules")
		if rs.rules.ViewDurability == ViewLost {
			return
		}
		var models [3]*Model
		var states [3]State
		for n := range models {
			m, err := New(overNetwork(cfg, NetworkKind(n), 0), rs.rules)
			if err != nil {
				t.Fatal(err)
			}
			models[n] = m.Unreduced()
			m.Init(func(s *State) { states[n] = *s })
		}
		for range 60 {
			var options []uint32
			var u State
			models[NetworkFIFO].Next(&states[NetworkFIFO], &u, func(a uint32) { options = append(options, a) })
			if len(options) == 0 {
				return
			}
			a := rapid.SampledFrom(options).Draw(t, "step")
			states[NetworkFIFO], _ = models[NetworkFIFO].attempt(&states[NetworkFIFO], a)
			for n := range NetworkFIFO {
				before := states[n]
				states[n] = follow(models[n], &states[n], a)
				want, got := states[NetworkFIFO], states[n]
				want.Net, got.Net = Network{}, Network{}
				want.Channels, want.Stamp = got.Channels, got.Stamp
				if got != want {
					t.Fatalf("%s, %s, over %v: %s\nfrom\n%s\nleads to\n%s\nand over channels to\n%s", cfg.testName(), rs.name, n,
						models[n].ActionString(a), models[n].Table(&before), models[n].Table(&states[n]), models[NetworkFIFO].Table(&states[NetworkFIFO]))
				}
			}
		}
	})
}

// What is in the channels is what is in flight: each message once, at most as many as
// there is room for, in the channel to its receiver.
func TestChannelsHoldWhatIsInFlight(t *testing.T) {
	cfg := overNetwork(sized(2, 1, 1, 1, 0, 0), NetworkFIFO, 1)
	cfg.Channel = 2
	m := mustNew(t, cfg, soundRules())
	waited := false
	overReachable(t, m, func(_ *State, _ uint32, u *State) error {
		waited = waited || m.Waits(u)
		left := map[uint32]bool{}
		m.eachMessage(u, func(a uint32) { left[a] = true })
		for from := range cfg.Replicas {
			for to := range cfg.Replicas {
				for k, code := range u.Channels[from][to] {
					if code == 0 {
						continue
					}
					a := m.delivery(from, to, code)
					if k >= cfg.Channel || !left[a] || m.receiver(a) != to || k > 0 && u.Channels[from][to][k-1] == 0 {
						return fmt.Errorf("%s at place %d of the channel from %d to %d", m.ActionString(a), k, from, to)
					}
					delete(left, a)
				}
			}
		}
		if len(left) > 0 {
			return fmt.Errorf("%d messages are in no channel", len(left))
		}
		return nil
	})
	if !waited {
		t.Error("no step ever waits for room in channels of two messages")
	}
	cfg.Channel = MaxChannel
	m = mustNew(t, cfg, soundRules())
	overReachable(t, m, func(_ *State, _ uint32, u *State) error {
		if m.Waits(u) {
			return fmt.Errorf("a step waits in\n%s", m.Table(u))
		}
		return nil
	})
}

// A dead message that is left in its channel is in nobody's way for good: a system that
// does not normalise, and delivers what is dead as soon as that is first, does what the
// model does, along random behaviours.
func TestDeadMessagesInChannels(t *testing.T) {
	for _, cfg := range []Config{sized(2, 2, 0, 1, 0, 0), sized(2, 2, 1, 1, 0, 0), sized(3, 2, 1, 1, 1, 0), sized(3, 3, 0, 2, 0, 0)} {
		for _, rs := range ruleSets() {
			if rs.rules.ViewDurability == ViewLost || testing.Short() && strings.Contains(rs.name, "+") {
				continue
			}
			m := mustNew(t, overNetwork(cfg, NetworkFIFO, 1), rs.rules)
			rnd := rand.New(rand.NewPCG(*walkSeed, uint64(cfg.Ops)))
			for range *walkCount {
				if err := walkChannels(m, rnd, 60); err != nil {
					t.Errorf("%s, %s: %v", cfg.testName(), rs.name, err)
				}
			}
		}
	}
}

// walkChannels follows one behaviour of both systems.
func walkChannels(m *Model, rnd *rand.Rand, length int) error {
	var s, n State // the one that does not normalise, and the model
	m.Init(func(i *State) { s, n = *i, *i })
	for range length {
		// Whatever is first in a channel of s and not in flight in n does nothing.
		for from := range m.cfg.Replicas {
			for to := range m.cfg.Replicas {
				for code := s.Channels[from][to][0]; code != 0 && n.Channels[from][to][0] != code; code = s.Channels[from][to][0] {
					a := m.delivery(from, to, code)
					if n.Replica[to].Status == Stopped {
						m.remove(&s, a)
						m.keepInFlight(&s, from, to)
						continue
					}
					if !rawInOrder(m, &s, a) {
						return nil // no room
					}
					if diff := m.mismatch(&s, &n); diff != "" {
						return fmt.Errorf("%s makes a difference, and is not the first of its channel\n\t%s", m.ActionString(a), diff)
					}
				}
			}
		}
		var options []uint32
		var u State
		m.Next(&n, &u, func(a uint32) {
			if u != n {
				options = append(options, a)
			}
		})
		if len(options) == 0 {
			return nil
		}
		a := options[rnd.IntN(len(options))]
		for try := 0; try < 20 && rnd.IntN(5) > 0 && kindOf(a) != kRequest && !m.Fair(a); try++ {
			a = options[rnd.IntN(len(options))]
		}
		n, _ = m.attempt(&n, a)
		before := s
		if !rawInOrder(m, &s, a) {
			return nil
		}
		if diff := m.mismatch(&s, &n); diff != "" {
			return fmt.Errorf("%s from\n%s\nmakes a difference\n\t%s", m.ActionString(a), m.Table(&before), diff)
		}
	}
	return nil
}

// rawInOrder is a step over channels without normalising; false when it does not fit.
func rawInOrder(m *Model, s *State, a uint32) bool {
	before := *s
	m.arrive(s, a)
	if kindOf(a) == kCrashRestart {
		m.loseInbox(s, selfOf(a))
	}
	return m.moveChannels(&before, s, m.Actor(a)) == Taken
}
