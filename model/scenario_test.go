package model

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"github.com/cockroachdb/datadriven"
)

// The scenario tests in testdata: one file per action, with what the action does and
// each reason for which it is refused. The commands are
//
//	init replicas=3 ops=3 view_max=1 crashes=1 rules=sound <rule>=<alternative>
//	    start again, from the initial state; rules are those of the report, or sound.
//	set replica=1 op=2 journal=(1@v0,2@v0) ...
//	    overwrite what a replica holds: status, view, log_view, observed, op,
//	    commit_max, commit_min, journal, headers, announced, session=(to,peer),
//	    acks=(op:members, ...), votes, vote_sent, merged=(head,commit,1@v0,...).
//	set stamp=(2@v0:1)
//	    the commit number in the header of a prepare.
//	send
//	    put messages in flight, one per line, named by the action that delivers them.
//	vote view=1 from=0 log_view=0 op=2 commit=1 items=(1@v0+,2-) counted
//	    put a DoViewChange in flight: + says present, - nacks, 2@v0 is a header.
//	start_view view=1 to=(0,2) op=2 commit=1 log=(1@v0,2@v0)
//	do
//	    take actions, one per line, each by a unique prefix of its name; print what
//	    changes.
//	try
//	    the same, but only say what would become of each action; nothing changes.
//	take
//	    the same as do, but with what the network and normalisation make of it.
//	channels
//	    the channels of network = fifo.
//	state
//	enabled
//	    the state as a table; the actions that would change it.
type script struct {
	m *Model
	s State
	// tried has the outcomes that the scenarios have met.
	tried map[kind]map[Outcome]bool
}

func TestScenarios(t *testing.T) {
	tried := map[kind]map[Outcome]bool{}
	datadriven.Walk(t, "testdata/scenarios", func(t *testing.T, path string) {
		sc := &script{tried: tried}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			out, err := sc.run(t, d)
			if err != nil {
				d.Fatalf(t, "%v", err)
			}
			return out
		})
	})
	if t.Failed() {
		return
	}
	happens := everyOutcome(t)
	for k := range kinds {
		for o := range happens[k] {
			if !tried[k][o] {
				t.Errorf("no scenario in which %s is %q, which happens", kindTable[k].name, o)
			}
		}
	}
}

// everyOutcome is what becomes of each kind of action somewhere in a few small
// systems.
func everyOutcome(t *testing.T) (seen [kinds]map[Outcome]bool) {
	for k := range seen {
		seen[k] = map[Outcome]bool{}
	}
	for _, cfg := range []Config{sized(2, 2, 0, 1, 0, 0), sized(2, 1, 1, 1, 0, 0), sized(3, 1, 1, 0, 0, 0)} {
		for _, rs := range ruleSets()[:2] {
			if cfg.Replicas > 2 && rs.name != "sound" {
				continue
			}
			m := mustNew(t, cfg, rs.rules).Unreduced()
			overStates(t, m, func(s *State) error {
				if s.Failed != AssertNone {
					return nil // nothing happens any more
				}
				m.each(s, func(a uint32) {
					u := *s
					seen[kindOf(a)][m.step(&u, a)&^changed] = true
				})
				return nil
			})
		}
	}
	return seen
}

func (sc *script) run(t *testing.T, d *datadriven.TestData) (string, error) {
	if d.Cmd != "init" && sc.m == nil {
		return "", fmt.Errorf("%s comes before init", d.Cmd)
	}
	switch d.Cmd {
	case "init":
		return "", sc.init(d)
	case "set":
		for _, arg := range d.CmdArgs {
			if arg.Key == "replica" {
				continue
			}
			if err := sc.set(d, arg); err != nil {
				return "", fmt.Errorf("%s: %w", arg.Key, err)
			}
		}
		return "", nil
	case "send":
		for line := range strings.Lines(d.Input) {
			a, err := unique(sc.m, sc.everyDelivery, strings.TrimSpace(line))
			if err != nil {
				return "", err
			}
			sc.put(a)
		}
		return "", nil
	case "vote":
		return "", sc.vote(d)
	case "start_view":
		return "", sc.startView(d)
	case "do", "try":
		var b strings.Builder
		for line := range strings.Lines(d.Input) {
			a, err := unique(sc.m, func(try func(uint32)) { sc.m.each(&sc.s, try) }, strings.TrimSpace(line))
			if err != nil {
				return "", err
			}
			sc.step(&b, a, d.Cmd == "do")
		}
		return b.String(), nil
	case "take":
		var b strings.Builder
		for line := range strings.Lines(d.Input) {
			a, err := sc.m.ParseAction(strings.TrimSpace(line))
			if err != nil {
				return "", err
			}
			t, why := sc.m.Try(&sc.s, a)
			if why != "" {
				why = ": " + why
			}
			fmt.Fprintf(&b, "%s%s\n", sc.m.ActionString(a), why)
			if why == "" {
				for _, c := range append(sc.m.Notes(&sc.s, a), sc.m.Changes(&sc.s, &t)...) {
					fmt.Fprintf(&b, "  %s\n", c)
				}
			}
			sc.s = t
		}
		return b.String(), nil
	case "channels":
		return sc.channels(), nil
	case "state":
		return sc.m.Table(&sc.s), nil
	case "enabled":
		var b strings.Builder
		var u State
		sc.m.Next(&sc.s, &u, func(a uint32) {
			if u != sc.s {
				fmt.Fprintln(&b, sc.m.ActionString(a))
			}
		})
		return b.String(), nil
	}
	return "", fmt.Errorf("unknown command %s", d.Cmd)
}

// channels lists what is in each channel, the first to arrive first.
func (sc *script) channels() string {
	var b strings.Builder
	for i := range sc.m.cfg.Replicas {
		for j := range sc.m.cfg.Replicas {
			for k, code := range sc.m.channel(&sc.s, i, j) {
				if code == 0 {
					break
				}
				if k == 0 {
					fmt.Fprintf(&b, "from %d to %d\n", i, j)
				}
				fmt.Fprintf(&b, "  %s\n", sc.m.messageString(sc.m.delivery(i, j, code)))
			}
		}
	}
	return b.String()
}

// step prints what an action does, and takes it if keep is set. A step is not
// normalised, so that the effects of the handler alone show.
func (sc *script) step(b *strings.Builder, a uint32, keep bool) {
	u := sc.s
	out := sc.m.step(&u, a)
	if sc.tried[kindOf(a)] == nil {
		sc.tried[kindOf(a)] = map[Outcome]bool{}
	}
	sc.tried[kindOf(a)][out&^changed] = true
	fmt.Fprintf(b, "%s: %s\n", sc.m.ActionString(a), out)
	if (u != sc.s) != (out&changed != 0) && kindOf(a) != kDrop {
		fmt.Fprintf(b, "  (says that it changed something: %v)\n", out&changed != 0)
	}
	for _, c := range sc.m.Changes(&sc.s, &u) {
		fmt.Fprintf(b, "  %s\n", c)
	}
	if keep {
		sc.s = u
	}
}

// unique is the one action whose name starts with a prefix.
func unique(m *Model, each func(try func(uint32)), prefix string) (found uint32, err error) {
	n := 0
	var names []string
	each(func(a uint32) {
		name := m.ActionString(a)
		names = append(names, name)
		if name == prefix || n == 0 && strings.HasPrefix(name, prefix) {
			found = a
		}
		if strings.HasPrefix(name, prefix) {
			n++
		}
		if name == prefix {
			n = -100
		}
	})
	if n != 1 && n >= 0 {
		return 0, fmt.Errorf("%d actions match %q, want 1 of\n%s", n, prefix, strings.Join(names, "\n"))
	}
	return found, nil
}

func (sc *script) init(d *datadriven.TestData) error {
	cfg := DefaultConfig()
	cfg.Ops = 3
	var rs Rules
	for _, arg := range d.CmdArgs {
		switch arg.Key {
		case "rules":
			if arg.Vals[0] == "sound" {
				rs = soundRules()
			}
		case "network":
			cfg.Network, _ = NetworkNamed(arg.Vals[0])
		case "journal_durable":
			cfg.JournalDurable = true
		case "recovering_elects":
			cfg.RecoveringElects = true
		case "prepare_carries_commit":
			cfg.PrepareCarriesCommit = arg.Vals[0] == "true"
		default:
			if n, err := strconv.Atoi(arg.Vals[0]); err == nil {
				p, ok := map[string]*int{"replicas": &cfg.Replicas, "ops": &cfg.Ops, "pipeline": &cfg.Pipeline, "view_max": &cfg.ViewMax,
					"crashes": &cfg.Crashes, "stops": &cfg.Stops, "drops": &cfg.Drops,
					"duplicates": &cfg.Duplicates, "resets": &cfg.Resets, "channel": &cfg.Channel}[arg.Key]
				if !ok {
					return fmt.Errorf("no size %s", arg.Key)
				}
				*p = n
				continue
			}
			known := false
			for _, r := range Catalogue() {
				if r.Name == arg.Key {
					known = true
					if err := r.Set(&rs, arg.Vals[0]); err != nil {
						return err
					}
				}
			}
			if !known {
				return fmt.Errorf("no rule %s", arg.Key)
			}
		}
	}
	cfg.MayCrash, cfg.MayStop = AllReplicas(cfg.Replicas), AllReplicas(cfg.Replicas)
	m, err := New(cfg, rs)
	if err != nil {
		return err
	}
	sc.m = m.Unreduced() // so that a heartbeat or a probe is a step
	m.Init(func(s *State) { sc.s = *s })
	return nil
}

// slot reads op@vN.
func slot(text string) (op uint8, id identity, err error) {
	a, b, ok := strings.Cut(text, "@v")
	o, err1 := strconv.Atoi(a)
	v, err2 := strconv.Atoi(b)
	if !ok || err1 != nil || err2 != nil {
		return 0, 0, fmt.Errorf("got %q, want for example 1@v0", text)
	}
	return uint8(o), identityOf(uint8(v)), nil
}

func parseLog(slots []string) (ids [MaxOps]identity, err error) {
	for _, text := range slots {
		if text == "" {
			continue
		}
		op, id, err := slot(text)
		if err != nil {
			return ids, err
		}
		ids[op-1] = id
	}
	return ids, nil
}

func memberSet(vals []string) (set ReplicaSet, err error) {
	for _, v := range vals {
		n, err := strconv.Atoi(v)
		if err != nil {
			return 0, err
		}
		set |= 1 << n
	}
	return set, nil
}

func (sc *script) set(d *datadriven.TestData, arg datadriven.CmdArg) (err error) {
	if arg.Key == "stamp" {
		for _, v := range arg.Vals {
			text, commit, _ := strings.Cut(v, ":")
			op, id, err := slot(text)
			if err != nil {
				return err
			}
			n, err := strconv.Atoi(commit)
			if err != nil {
				return err
			}
			sc.s.Stamp[id-1][op-1] = uint8(n)
		}
		return nil
	}
	var i int
	if _, err := fmt.Sscan(valueOf(d, "replica"), &i); err != nil {
		return err
	}
	r := &sc.s.Replica[i]
	numbers := make([]uint8, len(arg.Vals))
	for j, v := range arg.Vals {
		if n, err := strconv.Atoi(v); err == nil {
			numbers[j] = uint8(n)
		}
	}
	switch arg.Key {
	case "status":
		for n, name := range statusNames {
			if name == arg.Vals[0] {
				r.Status = Status(n)
			}
		}
	case "journal":
		r.Journal, err = parseLog(arg.Vals)
	case "headers":
		r.Headers, err = parseLog(arg.Vals)
		for op, id := range r.Headers {
			if id != none {
				r.HeadersOp = uint8(op + 1)
			}
		}
	case "session":
		r.SessionTo, r.SessionPeer = numbers[0], numbers[1]
	case "acks":
		r.Acks = [MaxOps]ReplicaSet{}
		for _, v := range arg.Vals {
			op, who, _ := strings.Cut(v, ":")
			n, err := strconv.Atoi(op)
			if err != nil {
				return err
			}
			if r.Acks[n-1], err = memberSet(strings.Split(who, "+")); err != nil {
				return err
			}
		}
	case "votes":
		r.Votes, err = memberSet(arg.Vals)
	case "merged":
		r.Parked, r.MergedOp, r.MergedCommit = 1, numbers[0], numbers[1]
		r.Merged, err = parseLog(arg.Vals[2:])
	default:
		p, ok := map[string]*uint8{"view": &r.View, "log_view": &r.LogView, "observed": &r.Observed, "op": &r.Op,
			"commit_max": &r.CommitMax, "commit_min": &r.CommitMin, "announced": &r.AnnouncedOp, "vote_sent": &r.VoteSent}[arg.Key]
		if !ok {
			return fmt.Errorf("no such field")
		}
		*p = numbers[0]
	}
	return err
}

func valueOf(d *datadriven.TestData, key string) string {
	for _, arg := range d.CmdArgs {
		if arg.Key == key && len(arg.Vals) > 0 {
			return arg.Vals[0]
		}
	}
	return ""
}

func number(d *datadriven.TestData, key string) uint8 {
	n, _ := strconv.Atoi(valueOf(d, key))
	return uint8(n)
}

func (sc *script) vote(d *datadriven.TestData) error {
	v := Vote{Where: voteInFlight, LogView: number(d, "log_view"), Op: number(d, "op"), Commit: number(d, "commit")}
	for _, arg := range d.CmdArgs {
		switch arg.Key {
		case "counted":
			v.Where = voteCounted
		case "items":
			for _, text := range arg.Vals {
				if op, nack := strings.CutSuffix(text, "-"); nack {
					n, err := strconv.Atoi(op)
					if err != nil {
						return err
					}
					v.Items[n-1] = itemNack
					continue
				}
				text, present := strings.CutSuffix(text, "+")
				op, id, err := slot(text)
				if err != nil {
					return err
				}
				v.Items[op-1] = itemOf(id, present)
			}
		}
	}
	sc.s.Net.DoViewChange[number(d, "view")][number(d, "from")] = v
	return nil
}

func (sc *script) startView(d *datadriven.TestData) (err error) {
	sv := Announcement{Op: number(d, "op"), Commit: number(d, "commit")}
	for _, arg := range d.CmdArgs {
		switch arg.Key {
		case "to":
			sv.To, err = memberSet(arg.Vals)
		case "log":
			sv.Log, err = parseLog(arg.Vals)
		}
		if err != nil {
			return err
		}
	}
	sc.s.Net.StartView[number(d, "view")] = sv
	return nil
}

// everyDelivery calls try for the delivery of every message without further content
// that can be in flight.
func (sc *script) everyDelivery(try func(uint32)) {
	c := &sc.m.cfg
	each := func(k kind, i, peer, positions int) {
		for pos := range positions {
			try(act(k, i, peer, pos))
		}
	}
	for i := range c.Replicas {
		for n := range messageTable {
			if k := &messageTable[n]; k.content == nil {
				for peer := range k.peers(c) {
					each(k.delivery, i, peer, k.positions(c))
				}
			}
		}
	}
}

// put puts the message into the network that the action a delivers.
func (sc *script) put(a uint32) {
	k := messageOf(a)
	p := unsafe.Add(unsafe.Pointer(&sc.s.Net), k.offset(a))
	switch k.place {
	case placeSet:
		add((*uint64)(p), posOf(a))
	case placeFlag:
		*(*uint8)(p) = 1
	default:
		panic("a " + k.name + " has content, which nobody says")
	}
}
