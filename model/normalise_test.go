package model

import (
	"flag"
	"fmt"
	"hash/maphash"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"
)

// fingerprints tells states apart by all of their bytes, also those that are outside
// the layout of the model.
type fingerprints struct {
	seeds [2]maphash.Seed
	seen  map[[2]uint64]struct{}
}

func newFingerprints() *fingerprints {
	return &fingerprints{[2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}, map[[2]uint64]struct{}{}}
}

// add reports whether the states were not there together yet.
func (f *fingerprints) add(states ...*State) bool {
	var key [2]uint64
	for k, seed := range f.seeds {
		var h maphash.Hash
		h.SetSeed(seed)
		for _, s := range states {
			h.Write(bytesOf(s)[:])
		}
		key[k] = h.Sum64()
	}
	if _, old := f.seen[key]; old {
		return false
	}
	f.seen[key] = struct{}{}
	return true
}

// bytesOf are the bytes of a state.
func bytesOf(s *State) *[stateSize]byte { return (*[stateSize]byte)(unsafe.Pointer(s)) }

// raw calls yield for every effective step of s without normalising the successor.
func raw(m *Model, s *State, yield func(a uint32, t *State)) {
	if s.Failed != AssertNone {
		return
	}
	m.each(s, func(a uint32) {
		if kindOf(a) != kDrop && s.Replica[m.Actor(a)].Status == Stopped {
			return // the model relies on normalisation here
		}
		t := *s
		if out := rawStep(m, &t, a); out&changed == 0 {
			return
		}
		again(m, &t)
		yield(a, &t)
	})
}

// rawStep is a step with what the network makes of it, and without normalising.
func rawStep(m *Model, t *State, a uint32) Outcome {
	if m.cfg.Network == NetworkSet {
		return m.step(t, a)
	}
	if kindOf(a) == kDuplicate {
		out := m.step(t, droppedBy(a))
		if out&changed != 0 {
			t.Duplicates++
		}
		return out
	}
	return m.arrive(t, a)
}

// again does what the model does after every step before it normalises.
func again(m *Model, t *State) {
	if m.reductions.EagerSends {
		m.sendEagerly(t)
	}
}

// A pair is a state that was never normalised, and the state that the normalised
// system is in after the same actions; with the way back.
type pair struct {
	raw, twin State
	parent    int
	action    uint32
}

// twinSteps calls yield for the pairs that follow one, and says what is wrong with
// the pair when an action does in one system what it does not do in the other. An
// action that only the raw system has must leave the twin a match for the new raw
// state too, which the pair says that is yielded; and the other way round.
func twinSteps(m *Model, s, n *State, yield func(a uint32, t, u *State)) (why string) {
	can := map[uint32]State{}
	var t State
	m.Next(n, &t, func(a uint32) {
		if t != *n {
			can[a] = t
		}
	})
	done := map[uint32]bool{}
	check := func(a uint32, t, u *State) {
		if diff := m.mismatch(t, u); diff != "" && why == "" {
			why = fmt.Sprintf("%s makes a difference:\n\t%s", m.ActionString(a), diff)
		}
		yield(a, t, u)
	}
	raw(m, s, func(a uint32, t *State) {
		b := counterpart(m, n, a)
		u, matched := can[b]
		switch {
		case matched:
			done[b] = true
			if kindOf(a) == kDrop && kindOf(droppedBy(a)) == kReceiveCommit {
				loseMerged(m, n, t, a)
				again(m, t)
			}
		case kindOf(a) == kDrop:
			// The loss of a dead message only uses up the budget.
			u = *n
			u.Drops++
			m.normalise(&u)
		case kindOf(a) == kDuplicate:
			u = *n // and so does its repetition
			u.Duplicates++
		default:
			u = *n
			if v, found := servedAnew(m, s, t, n, can, a); found {
				u = v
			}
		}
		check(a, t, &u)
	})
	for _, a := range slices.Sorted(maps.Keys(can)) {
		if done[a] {
			continue
		}
		u, t := can[a], *s
		if kindOf(a) == kDrop {
			// A message that stands for others, and was sent again meanwhile.
			if kindOf(droppedBy(a)) != kReceiveCommit {
				return "added by normalising: " + m.ActionString(a)
			}
			t.Drops++
		}
		if kindOf(a) == kReceiveRequestPrepares {
			// A request that was shortened when its asker held more: the raw system serves
			// the longer one, which its asker may have sent again meanwhile.
			i, j := selfOf(a), peerOf(a)
			low, high := rangeAt(posOf(a))
			for low > 1 && s.Net.RequestPrepares[i][j]>>rangePos(low, high)&1 == 0 {
				low--
			}
			if s.Net.RequestPrepares[i][j]>>rangePos(low, high)&1 == 1 {
				m.step(&t, act(kReceiveRequestPrepares, i, j, rangePos(low, high)))
				again(m, &t)
			}
		}
		// Else a send that puts back what the raw state still has.
		check(a, &t, &u)
	}
	return why
}

// twins explores a model without normalisation together with the model itself,
// breadth first and up to a limit of pairs. The two systems are bisimilar, up to
// steps that only touch what is dead, if no pair has anything wrong. The error tells
// the shortest way to the first difference.
func twins(m *Model, limit int) (int, error) {
	seen := newFingerprints()
	var queue []pair
	m.Init(func(s *State) { queue = append(queue, pair{raw: *s, twin: *s, parent: -1}) })
	for i := 0; i < len(queue); i++ {
		s, n := queue[i].raw, queue[i].twin
		why := twinSteps(m, &s, &n, func(a uint32, t, u *State) {
			if len(queue) < limit && seen.add(t, u) {
				queue = append(queue, pair{*t, *u, i, a})
			}
		})
		if why != "" {
			return i, way(m, queue, i, why)
		}
	}
	return len(queue), nil
}

// walkTwins follows random behaviours of both systems, for sizes whose pairs are too
// many.
func walkTwins(m *Model, rnd *rand.Rand, walks, length int) error {
	for range walks {
		var trail []pair
		m.Init(func(s *State) { trail = []pair{{raw: *s, twin: *s, parent: -1}} })
		for i := range length {
			var options []pair
			why := twinSteps(m, &trail[i].raw, &trail[i].twin, func(a uint32, t, u *State) {
				options = append(options, pair{*t, *u, i, a})
			})
			if why != "" {
				return way(m, trail, i, why)
			}
			if len(options) == 0 {
				break
			}
			// Faults and timeouts would use up their budgets at once.
			next := options[rnd.IntN(len(options))]
			for try := 0; try < 20 && rnd.IntN(5) > 0 && kindOf(next.action) != kRequest && !m.Fair(next.action); try++ {
				next = options[rnd.IntN(len(options))]
			}
			trail = append(trail, next)
		}
	}
	return nil
}

// servedAnew is the twin's match for a step from s to t in which a request of an
// earlier session, with the same peer and end as the live one, brings a RepairDone:
// the twin has forgotten that request, but the live session's own brings the same. It
// is served in t too.
func servedAnew(m *Model, s, t, n *State, can map[uint32]State, a uint32) (State, bool) {
	j := peerOf(a)
	if kindOf(a) != kReceiveRequestPrepares || s.Net.RepairDone[j] == t.Net.RepairDone[j] {
		return State{}, false
	}
	for _, b := range slices.Sorted(maps.Keys(can)) {
		u := can[b]
		if kindOf(b) == kReceiveRequestPrepares && selfOf(b) == selfOf(a) && peerOf(b) == j && u.Net.RepairDone[j] != n.Net.RepairDone[j] {
			m.step(t, b)
			return u, true
		}
	}
	return State{}, false
}

// mismatch says how two states differ in what a property, a handler at its own
// replica or a client can see.
func (m *Model) mismatch(s, n *State) string {
	a, b := *s, *n
	a.Net, b.Net = Network{}, Network{}
	a.Stamp = b.Stamp
	a.Drops, a.Channels = b.Drops, b.Channels
	for i := range m.cfg.Replicas {
		m.normaliseReplica(&a, i)
		m.normaliseReplica(&b, i)
	}
	if a == b {
		return ""
	}
	return fieldDiff("", reflect.ValueOf(a), reflect.ValueOf(b))
}

// fieldDiff lists the fields in which two values differ.
func fieldDiff(path string, a, b reflect.Value) string {
	out := ""
	switch a.Kind() {
	case reflect.Struct:
		for i := range a.NumField() {
			out += fieldDiff(path+"."+a.Type().Field(i).Name, a.Field(i), b.Field(i))
		}
	case reflect.Array:
		for i := range a.Len() {
			out += fieldDiff(fmt.Sprintf("%s[%d]", path, i), a.Index(i), b.Index(i))
		}
	default:
		if a.Uint() != b.Uint() {
			out = fmt.Sprintf("%s: %d, in the normalised system %d\n\t", path, a.Uint(), b.Uint())
		}
	}
	return out
}

// way is an error that says how a search came to a pair.
func way(m *Model, queue []pair, at int, why string) error {
	var steps []string
	for j := at; queue[j].parent >= 0; j = queue[j].parent {
		p := queue[queue[j].parent]
		step := m.ActionString(queue[j].action) + "\n\t" + strings.Join(m.Changes(&p.raw, &queue[j].raw), "\n\t")
		if p.twin == queue[j].twin {
			step += "\n\t(nothing in the normalised system)"
		}
		steps = append(steps, step)
	}
	slices.Reverse(steps)
	return fmt.Errorf("after %d steps\n%s\n%s\nthe normalised system is in\n%s\n%s",
		len(steps), strings.Join(steps, "\n"), m.Table(&queue[at].raw), m.Table(&queue[at].twin), why)
}

// counterpart is the action of the twin n that stands for the raw action a:
// normalisation merges the heartbeats of one view that cannot raise anything into one
// with commit number 0, and lets a repair request begin with the first op of use.
func counterpart(m *Model, n *State, a uint32) uint32 {
	inner := a
	if kindOf(a) == kDrop {
		inner = droppedBy(a)
	}
	i, pos := selfOf(inner), posOf(inner)
	if kindOf(a) == kReceiveRequestPrepares {
		low, high := rangeAt(pos)
		for low < high && n.Net.RequestPrepares[i][peerOf(a)]>>rangePos(low, high)&1 == 0 {
			low++
		}
		return act(kReceiveRequestPrepares, i, peerOf(a), rangePos(low, high))
	}
	if kindOf(inner) != kReceiveCommit || n.Net.Commit[i]>>pos&1 == 1 {
		return a
	}
	view, _ := m.commitAt(pos)
	inner = act(kReceiveCommit, i, 0, m.commitPos(view, 0))
	if kindOf(a) == kDrop {
		return dropOf(inner)
	}
	return inner
}

// loseMerged loses all heartbeats of t that the same heartbeat of n stands for as for
// the one that the drop a loses: the twin can lose them all at once, and so could a
// system that has sent only one of them.
func loseMerged(m *Model, n, t *State, a uint32) {
	lost := counterpart(m, n, a)
	i := selfOf(droppedBy(a))
	for set := t.Net.Commit[i]; set != 0; {
		pos := next(&set)
		if counterpart(m, n, dropOf(act(kReceiveCommit, i, 0, pos))) == lost {
			t.Net.Commit[i] &^= 1 << pos
		}
	}
}

// sized is a configuration of the given sizes in which every replica may fail.
func sized(replicas, ops, viewMax, crashes, stops, drops int) Config {
	c := DefaultConfig()
	c.Replicas, c.Ops, c.ViewMax = replicas, ops, viewMax
	c.Crashes, c.Stops, c.Drops = crashes, stops, drops
	c.MayCrash, c.MayStop = AllReplicas(replicas), AllReplicas(replicas)
	return c
}

// overNetwork is a configuration over another network, with the given budget of what only
// that one has.
func overNetwork(c Config, network NetworkKind, budget int) Config {
	c.Network = network
	if network == NetworkFIFO {
		c.Resets = budget
	} else {
		c.Duplicates = budget
	}
	return c
}

// soundRules is every rule set to its first alternative that is not known to break
// a property.
func soundRules() Rules {
	var rs Rules
	for _, r := range Catalogue() {
		for _, a := range r.Alternatives {
			if a.Sound {
				if err := r.Set(&rs, a.Name); err != nil {
					panic(err)
				}
				break
			}
		}
	}
	return rs
}

// ruleSet is a named set of rules.
type ruleSet struct {
	name  string
	rules Rules
}

// ruleSets are the report's rules, the sound ones, and each that differs from the
// sound ones, or from the report's, in one rule.
func ruleSets() []ruleSet {
	out := []ruleSet{{"report", Rules{}}, {"sound", soundRules()}}
	seen := map[Rules]bool{out[0].rules: true, out[1].rules: true}
	for _, base := range out[:2] {
		for _, r := range Catalogue() {
			for _, a := range r.Alternatives {
				rs := base.rules
				if err := r.Set(&rs, a.Name); err != nil {
					panic(err)
				}
				if !seen[rs] {
					seen[rs] = true
					out = append(out, ruleSet{base.name + "+" + r.Name + "=" + a.Name, rs})
				}
			}
		}
	}
	return out
}

func (c Config) testName() string {
	name := fmt.Sprintf("n%d-ops%d-view%d-crash%d-stop%d-drop%d", c.Replicas, c.Ops, c.ViewMax, c.Crashes, c.Stops, c.Drops)
	if c.Network != NetworkSet {
		name += fmt.Sprintf("-%s%d", c.Network, c.Duplicates+c.Resets)
	}
	return name
}

// TestNormaliseIsExact compares the model with what it would be without any
// normalisation: for tiny sizes over (the first of) all states, for larger ones along
// random behaviours.
func TestNormaliseIsExact(t *testing.T) {
	configs := []Config{
		sized(2, 2, 0, 1, 0, 0),
		sized(2, 1, 1, 1, 0, 0),
		sized(2, 1, 1, 0, 1, 0),
		sized(2, 1, 1, 0, 0, 1),
		sized(2, 1, 2, 0, 0, 0),
		sized(3, 1, 0, 1, 1, 0),
		sized(3, 1, 0, 0, 0, 1),
		sized(3, 1, 1, 1, 0, 0),
		sized(3, 2, 0, 0, 1, 0),
		sized(2, 2, 0, 2, 0, 0),
	}
	configs[len(configs)-1].JournalDurable = true
	configs = append(configs,
		overNetwork(sized(2, 1, 1, 1, 0, 0), NetworkConsume, 1),
		overNetwork(sized(3, 1, 1, 0, 1, 1), NetworkConsume, 0))
	for _, cfg := range configs {
		t.Run(cfg.testName(), func(t *testing.T) {
			t.Parallel()
			forEachModel(t, cfg, func(name string, m *Model) {
				limit := *pairLimit
				if strings.Contains(name, "+") {
					limit /= 10 // one rule differs from a set that is explored further
				}
				n, err := twins(m, limit)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				t.Logf("%s: %d pairs", name, n)
			})
		})
	}
}

var (
	pairLimit   = flag.Int("pairs", inFull(1200, 4000), "how many pairs TestNormaliseIsExact explores of the report's and of the sound rules")
	walkCount   = flag.Int("walks", inFull(1, 4), "how many random behaviours tests follow in each model")
	ruleSetName = flag.String("ruleset", "", "only the rule sets whose names contain this")
	walkSeed    = flag.Uint64("walkseed", 1, "the first of them")
)

// TestNormaliseIsExactAlongWalks is the same for larger sizes, along random
// behaviours.
func TestNormaliseIsExactAlongWalks(t *testing.T) {
	configs := []Config{
		sized(2, 2, 2, 1, 0, 1),
		sized(3, 2, 1, 1, 1, 1),
		sized(3, 3, 2, 1, 1, 0),
		sized(3, 2, 2, 2, 0, 2),
	}
	for i := range 4 {
		configs = append(configs, overNetwork(configs[i], NetworkConsume, i%2))
	}
	for i := range 4 {
		c := configs[i]
		c.PrepareCarriesCommit = i%2 == 1
		c.RecoveringElects = i < 2
		c.JournalDurable = i%3 == 0
		configs = append(configs, c)
	}
	for _, cfg := range configs {
		t.Run(cfg.testName(), func(t *testing.T) {
			t.Parallel()
			rnd := rand.New(rand.NewPCG(*walkSeed, uint64(cfg.Ops)))
			forEachModel(t, cfg, func(name string, m *Model) {
				if err := walkTwins(m, rnd, *walkCount, 60); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			})
		})
	}
}

// forEachModel calls f with the models of a configuration under every rule set, with
// and without the reduction.
func forEachModel(t *testing.T, cfg Config, f func(name string, m *Model)) {
	t.Helper()
	for _, rs := range ruleSets() {
		if !strings.Contains(rs.name, *ruleSetName) || testing.Short() && strings.Contains(rs.name, "+") {
			continue
		}
		m, err := New(cfg, rs.rules)
		if err != nil {
			t.Fatal(err)
		}
		f(rs.name, m)
		if cfg.Network == NetworkSet {
			f(rs.name+", unreduced", m.Unreduced())
		}
	}
}
