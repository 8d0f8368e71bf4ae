package model

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/bits"
	"reflect"
	"slices"
	"strings"
	"testing"

	"vsrcheck/explore"
)

func mustNew(t testing.TB, cfg Config, rs Rules) *Model {
	t.Helper()
	m, err := New(cfg, rs)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// encoded is what the layout keeps of a state: with a single view nothing reads the
// ghost Lost, see newLayout.
func encoded(m *Model, s *State) State {
	u := *s
	if m.cfg.views() == 1 {
		u.Lost = 0
	}
	return u
}

// roundTrip says how encoding and decoding change a state.
func roundTrip(m *Model, s *State) error {
	for _, f := range m.layout {
		if v := bytesOf(s)[f.offset]; bits.Len8(v) > int(f.width) {
			return fmt.Errorf("%s is %d, and its field has %d bits", f.name, v, f.width)
		}
	}
	words := make([]uint64, m.Words())
	m.Encode(s, words)
	back := State{Failed: 1, Crashes: 9} // Decode has to overwrite everything
	m.Decode(words, &back)
	if want := encoded(m, s); back != want {
		return fmt.Errorf("decode(encode(s)) differs: %s", fieldDiff("", reflect.ValueOf(want), reflect.ValueOf(back)))
	}
	again := make([]uint64, m.Words())
	m.Encode(&back, again)
	if !slices.Equal(words, again) {
		return fmt.Errorf("encode(decode(w)) is %x, want %x", again, words)
	}
	return nil
}

func tinyConfigs() []Config {
	durable := sized(2, 2, 0, 1, 0, 0)
	durable.JournalDurable = true
	elects := sized(2, 1, 1, 1, 0, 0)
	elects.RecoveringElects, elects.PrepareCarriesCommit = true, false
	return []Config{
		overNetwork(sized(2, 1, 1, 1, 0, 0), NetworkConsume, 1),
		overNetwork(sized(2, 2, 0, 1, 0, 0), NetworkFIFO, 1),
		sized(2, 2, 0, 1, 1, 0),
		sized(2, 2, 0, 0, 0, 1),
		durable,
		elects,
		sized(2, 1, 1, 1, 1, 0),
		sized(2, 1, 2, 0, 0, 0),
		sized(3, 1, 0, 1, 0, 1),
	}
}

// TestLayoutRoundTrip encodes and decodes every state that a step of a small system
// leads to.
func TestLayoutRoundTrip(t *testing.T) {
	configs := tinyConfigs()
	if Long() {
		configs = append(configs, sized(3, 2, 1, 0, 0, 0))
	}
	for n, cfg := range configs {
		t.Run(cfg.testName(), func(t *testing.T) {
			sets := someOf(ruleSets(), n)
			if cfg.Replicas == 3 && cfg.ViewMax > 0 || cfg.Network != NetworkSet {
				sets = sets[1:2] // the sound rules
			}
			t.Parallel()
			for _, rs := range sets {
				m := mustNew(t, cfg, rs.rules)
				encodedS, encodedU, step := make([]uint64, m.Words()), make([]uint64, m.Words()), make([]uint64, m.Words())
				overReachable(t, m, func(s *State, _ uint32, u *State) error {
					m.Encode(s, encodedS)
					m.Encode(u, encodedU)
					if m.EncodeStep(s, encodedS, u, step); !slices.Equal(step, encodedU) {
						return fmt.Errorf("the encoding as a step is %x, want %x", step, encodedU)
					}
					return roundTrip(m, u)
				})
			}
		})
	}
}

// TestContractIsKept has the engine verify its contract in every step of small systems,
// under each reduction.
func TestContractIsKept(t *testing.T) {
	for n, cfg := range tinyConfigs() {
		for _, rs := range someOf(ruleSets(), n) {
			m, err := New(cfg, rs.rules)
			if err != nil {
				continue // not over this network
			}
			for _, r := range []Reductions{{}, {EagerSends: true}, AllReductions} {
				limit := uint64(inFull(500, 5000))
				if _, err := explore.Check(context.Background(), explore.System[State](m.With(r)), explore.Properties[State]{},
					explore.Options{Workers: 1, MaxStates: limit, Verify: explore.VerifyAll()}); err != nil {
					t.Errorf("%s, %s, %+v: %v", cfg.testName(), rs.name, r, err)
				}
			}
		}
	}
}

// setPositions is how many positions a bit set of the network can have in a
// configuration, from the number of different messages alone.
func setPositions(c *Config, name string) int {
	views := c.ViewMax + 1
	switch name {
	case "Prepare", "PrepareOk":
		return views * (views + 1) / 2 * c.Ops // no body is younger than the view that sends it
	case "Commit":
		return views * (c.Ops + 1)
	case "StartViewChange", "Probe":
		return views * c.Replicas
	case "Answer":
		return (c.Ops + 1) * (c.Ops + 2) / 2 // commit <= op
	case "RequestPrepares":
		return c.Ops * (c.Ops + 1) / 2
	case "RepairPrepare":
		return views * c.Ops
	}
	panic(name)
}

// neverUsed are the fields that a configuration or a rule set leaves at zero for good,
// or that no property of it reads.
func neverUsed(m *Model, path string) bool {
	if strings.HasPrefix(path, ".Net.DoViewChange[0]") || strings.HasPrefix(path, ".Net.StartView[0]") {
		return true // view 0 needs no view change
	}
	field := path[strings.LastIndexByte(path, '.')+1:]
	field, _, _ = strings.Cut(field, "[")
	switch field {
	case "View", "LogView", "Observed", "HeadersOp", "Headers", "Votes", "VoteSent", "Parked", "MergedOp",
		"MergedCommit", "Merged", "StartViewChange", "Lost":
		return m.cfg.ViewMax == 0
	case "AnnouncedOp":
		return !(m.rules.GapCheck == GapAdoptedHole || m.rules.AdoptedNacks == AbstainAdopted && m.cfg.ViewMax > 0)
	case "DecidedIn":
		return m.cfg.ViewMax < 2
	case "Crashes":
		return m.cfg.Crashes == 0
	case "Stops":
		return m.cfg.Stops == 0
	case "Drops":
		return m.cfg.Drops == 0
	case "Duplicates":
		return m.cfg.Duplicates == 0
	case "Resets":
		return m.cfg.Resets == 0
	case "Channels":
		return m.cfg.Network != NetworkFIFO || strings.HasPrefix(path, ".Channels[") && path[10] == path[13] && m.rules.SelfAck == SelfAckPrepared
	}
	return false
}

// leaves calls visit for every number in a State that is within the arrays that a
// configuration uses.
func leaves(c *Config, path string, v reflect.Value, visit func(path string, v reflect.Value)) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			leaves(c, path+"."+v.Type().Field(i).Name, v.Field(i), visit)
		}
	case reflect.Array:
		if strings.HasPrefix(path, ".Channels") && v.Len() == MaxChannelReplicas {
			for i := range min(c.Replicas, v.Len()) {
				leaves(c, fmt.Sprintf("%s[%d]", path, i), v.Index(i), visit)
			}
			return
		}
		used := map[int]int{MaxReplicas: c.Replicas, MaxOps: c.Ops, MaxViews: c.ViewMax + 1}[v.Len()]
		if strings.Count(path, "[") == 2 && strings.HasPrefix(path, ".Channels") {
			used = c.Channel
		}
		for i := range used {
			leaves(c, fmt.Sprintf("%s[%d]", path, i), v.Index(i), visit)
		}
	default:
		visit(path, v)
	}
}

// TestLayoutIsComplete changes every number of a State that a configuration can use,
// bit by bit for the sets, and expects another encoding.
func TestLayoutIsComplete(t *testing.T) {
	for _, cfg := range append(tinyConfigs(), sized(3, 3, 2, 1, 1, 1), sized(5, 4, 0, 1, 1, 1), sized(3, 6, 3, 1, 1, 1),
		overNetwork(sized(3, 2, 1, 1, 1, 0), NetworkFIFO, 0)) {
		for _, rs := range ruleSets() {
			if cfg.Network == NetworkFIFO && rs.rules.ViewDurability == ViewLost {
				continue // is no model
			}
			m := mustNew(t, cfg, rs.rules)
			var s State
			zero, words := make([]uint64, m.Words()), make([]uint64, m.Words())
			m.Encode(&s, zero)
			kept := func() bool {
				m.Encode(&s, words)
				return !slices.Equal(words, zero)
			}
			leaves(&cfg, "", reflect.ValueOf(&s).Elem(), func(path string, v reflect.Value) {
				if v.Kind() == reflect.Uint8 {
					v.SetUint(1)
					if got, want := kept(), !neverUsed(m, path); got != want {
						t.Errorf("%s, %s: %s is in the layout: %v, want %v", cfg.testName(), rs.name, path, got, want)
					}
					v.SetUint(0)
					return
				}
				name, _, _ := strings.Cut(path[strings.LastIndexByte(path, '.')+1:], "[")
				for bit := range 64 {
					v.SetUint(1 << bit)
					if bit < setPositions(&cfg, name) && !neverUsed(m, path) && !kept() {
						t.Errorf("%s, %s: bit %d of %s is not in the layout", cfg.testName(), rs.name, bit, path)
					}
				}
				v.SetUint(0)
			})
		}
	}
}

// TestLayoutFieldsAreDisjoint: no two fields share bits of the encoding or bytes of
// the state.
func TestLayoutFieldsAreDisjoint(t *testing.T) {
	m := mustNew(t, sized(3, 6, 3, 1, 1, 1), soundRules())
	used := make([]uint64, m.Words())
	offsets := map[uint16]string{}
	for _, f := range m.layout {
		mask := (uint64(1)<<f.width - 1) << f.shift
		if used[f.word]&mask != 0 || int(f.shift)+int(f.width) > 64 {
			t.Errorf("%s overlaps another field", f.name)
		}
		used[f.word] |= mask
		if other := offsets[f.offset]; other != "" {
			t.Errorf("%s and %s are the same byte", f.name, other)
		}
		offsets[f.offset] = f.name
	}
	if got := strings.Count(m.Layout(), "\n"); got != len(m.layout)+1 {
		t.Errorf("the table has %d lines, want one per field and a head, %d", got, len(m.layout)+1)
	}
}

// FuzzLayout decodes arbitrary words: what decodes has to encode to the same words,
// but for the bits that no field uses.
func FuzzLayout(f *testing.F) {
	f.Add([]byte{1, 2, 3}, uint8(0))
	f.Add([]byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"), uint8(3))
	var models []*Model
	for _, cfg := range append(tinyConfigs(), sized(3, 3, 2, 1, 1, 1)) {
		models = append(models, mustNew(f, cfg, soundRules()), mustNew(f, cfg, Rules{}))
	}
	f.Fuzz(func(t *testing.T, data []byte, which uint8) {
		m := models[int(which)%len(models)]
		words := make([]uint64, m.Words())
		data = append(data, make([]byte, 8*len(words))...)
		for i := range words {
			words[i] = binary.LittleEndian.Uint64(data[8*i:])
		}
		masked := make([]uint64, len(words))
		for _, fd := range m.layout {
			masked[fd.word] |= words[fd.word] & ((1<<fd.width - 1) << fd.shift)
		}
		var s, again State
		m.Decode(words, &s)
		got := make([]uint64, len(words))
		m.Encode(&s, got)
		if !slices.Equal(got, masked) {
			t.Errorf("encode(decode(w)) is %x, want %x", got, masked)
		}
		m.Decode(got, &again)
		if again != s {
			t.Errorf("decode(encode(s)) differs: %s", fieldDiff("", reflect.ValueOf(s), reflect.ValueOf(again)))
		}
	})
}
