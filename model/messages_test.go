package model

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unsafe"
)

// messageConfigs are small and large groups over each network.
func messageConfigs() []Config {
	return []Config{
		sized(2, 1, 0, 0, 0, 1), sized(3, 3, 1, 0, 0, 1), sized(3, 6, 3, 0, 0, 1), sized(5, 8, 1, 0, 0, 1), sized(4, 2, 2, 0, 0, 1),
		overNetwork(sized(3, 3, 1, 0, 0, 1), NetworkConsume, 1),
		overNetwork(sized(3, 3, 1, 0, 0, 0), NetworkFIFO, 1), overNetwork(sized(2, 4, 2, 0, 0, 0), NetworkFIFO, 1),
	}
}

// everyMessage calls visit for every message of every kind of the table.
func everyMessage(m *Model, visit func(k *messageKind, a uint32)) {
	for i := range messageTable {
		k := &messageTable[i]
		if k.ofChange && m.cfg.views() == 1 {
			continue
		}
		for self := range m.cfg.Replicas {
			for peer := range k.peers(&m.cfg) {
				for pos := range k.positions(&m.cfg) {
					low, _ := m.bounds(k, partView)
					if a := act(k.delivery, self, peer, pos); !k.has(partView) || int(m.numbers(a)[partView]) >= low {
						visit(k, a)
					}
				}
			}
		}
	}
}

// send puts a message into a state, without any content.
func (m *Model) send(s *State, a uint32) {
	k := messageOf(a)
	p := unsafe.Add(unsafe.Pointer(&s.Net), k.offset(a))
	switch k.place {
	case placeSet:
		add((*uint64)(p), posOf(a))
	case placeFlag:
		*(*uint8)(p) = 1
	case placeVote:
		(*Vote)(p).Where = voteInFlight
	case placeCopy:
		(*Announcement)(p).To |= 1 << selfOf(a)
	}
}

// TestMessages takes every message of the table, at every position, through all that is
// derived from it and back.
func TestMessages(t *testing.T) {
	for _, cfg := range messageConfigs() {
		m := mustNew(t, cfg, soundRules())
		texts, records := map[string]bool{}, map[string]bool{}
		var empty State
		everyMessage(m, func(k *messageKind, a uint32) {
			name := m.ActionString(a)
			fail := func(format string, args ...any) {
				t.Helper()
				t.Errorf("%s, %#x, %s: %s", cfg.testName(), a, name, fmt.Sprintf(format, args...))
			}
			// The position, and the numbers.
			n := m.numbers(a)
			if got := m.deliveryOf(k, n); got != a {
				fail("its numbers %v are those of %#x", n, got)
			}
			for i, value := range n {
				if low, high := m.bounds(k, part(i)); k.has(part(i)) && (int(value) < low || int(value) > high) {
					fail("its %s is %d, want %d..%d", partTable[i].name, value, low, high)
				}
			}
			// The text, also as part of the other actions.
			for _, b := range []uint32{a, dropOf(a), duplicateOf(a)} {
				if got, err := m.ParseAction(m.ActionString(b)); err != nil || got != b {
					fail("%s is read as %#x, %v, want %#x", m.ActionString(b), got, err, b)
				}
			}
			if texts[name] {
				fail("another has this name")
			}
			texts[name] = true
			if !strings.HasPrefix(m.messageString(a), k.name) || !strings.HasPrefix(m.messageLabel(a), k.name) {
				fail("its label is %s", m.messageLabel(a))
			}
			// In flight.
			s := empty
			if m.carries(&s, a) {
				fail("is in an empty network")
			}
			m.send(&s, a)
			if got := m.messages(&s); !slices.Equal(got, messageSet{a}) || !m.carries(&s, a) {
				fail("it is in flight, and %#x are", got)
			}
			weight := uint64(k.weight)
			if k.delivery == kReceiveCommit {
				weight += uint64(n[partCommit])
			}
			if got := m.inFlight(&s); got != weight && weight > 0 || got == 0 {
				fail("it weighs %d, want %d", got, weight)
			}
			words := make([]uint64, m.Words())
			m.Encode(&s, words)
			var back State
			if m.Decode(words, &back); back.Net != s.Net {
				fail("it is lost in the encoding")
			}
			// The record, which says as much as the numbers.
			record := m.tlaMessage(&s, a)
			if records[record] {
				fail("another has the record %s", record)
			}
			records[record] = true
			if got := readRecord(m, k, record); got != a {
				fail("its record %s is that of %#x", record, got)
			}
			// A Message has the same numbers under their names.
			msg, ok := m.Message(a)
			if !ok || msg.Name != k.name || msg.Set != k.set || msg.To != m.receiver(a) || msg.To != int(n[partTo]) {
				fail("it is the message %+v", msg)
			}
			for _, f := range msg.Fields {
				if i := slices.IndexFunc(k.record, func(i part) bool { return partTable[i].name == f.Name }); i < 0 || int(n[k.record[i]]) != f.Value {
					fail("the message has the %s %d", f.Name, f.Value)
				}
			}
			// It goes with its receiver, unless the receiver is said by its view alone.
			u := s
			m.emptyInbox(&u, m.receiver(a))
			if gone := u.Net == empty.Net; gone != (k.self == partTo) {
				fail("it goes with its receiver: %t", gone)
			}
			m.remove(&s, a)
			if s.Net != empty.Net {
				fail("it cannot be removed")
			}
			// Somebody handles it.
			u = empty
			m.send(&u, a)
			m.step(&u, a)
			// In a channel it has a number.
			if cfg.Network == NetworkFIFO {
				from := msg.From
				if from < 0 {
					from = (msg.To + 1) % cfg.Replicas
				}
				if got := m.delivery(from, selfOf(a), m.code(a)); got != a && k.self == partTo {
					fail("its number in the channel is that of %#x", got)
				}
			}
		})
	}
}

// readRecord is the inverse of tlaMessage, for what is not content.
func readRecord(m *Model, k *messageKind, record string) uint32 {
	var n numbers
	rest, ok := strings.CutPrefix(record, fmt.Sprintf(`[type |-> "%s"`, k.tla))
	if !ok {
		return 0
	}
	for _, i := range k.record {
		var value string
		rest, ok = strings.CutPrefix(rest, ", "+partTable[i].tla+" |-> ")
		value = rest[:strings.IndexAny(rest, ",]")]
		rest = rest[len(value):]
		v, err := strconv.Atoi(value)
		if !ok || err != nil {
			return 0
		}
		n[i] = uint8(v - i.told(0))
	}
	return m.deliveryOf(k, n)
}

// TestMessageTable: what is declared is complete, and each has its own.
func TestMessageTable(t *testing.T) {
	type own struct{ what, value string }
	seen := map[own]string{}
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	for i := range messageTable {
		k := &messageTable[i]
		for _, o := range []own{
			{"delivery", kindTable[k.delivery].name}, {"set", k.set}, {"type", k.tla}, {"text", k.text.text},
			{"turn", fmt.Sprint(k.turn)}, {"place", fmt.Sprint(k.base)},
		} {
			if other, taken := seen[o]; taken || o.value == "" || o.value == "0" && o.what == "turn" {
				t.Errorf("%s: its %s is %q, and that of %q too", k.tla, o.what, o.value, other)
			}
			seen[o] = k.tla
		}
		if !strings.Contains(string(doc), "\n//	"+k.name+" ") {
			t.Errorf("doc.go does not say who sends a %s", k.name)
		}
		if k.name == "" || k.label.text == "" || (k.weight == 0) != (k.content != nil) || len(k.guards) == 0 || k.codec == nil {
			t.Errorf("%s: the declaration is not complete", k.tla)
		}
		if (k.content == nil) != (k.whole.text == "") || (k.content == nil) != (k.tlaContent == nil) {
			t.Errorf("%s has content in one form and not in the other", k.tla)
		}
		if kindTable[k.delivery].on != onMessage {
			t.Errorf("%s does not receive a message", kindTable[k.delivery].name)
		}
	}
	for k, info := range kindTable {
		if (info.on == onMessage) != delivers(kind(k)) {
			t.Errorf("%s receives a message that is not in the table", info.name)
		}
	}
}

// TestModuleHasTheMessages: the module in TLA+ declares a record of the numbers that the
// table has, for each kind and for no other.
func TestModuleHasTheMessages(t *testing.T) {
	text, err := os.ReadFile("../specs/VSR.tla")
	if err != nil {
		t.Fatal(err)
	}
	declared := map[string][]string{}
	for _, d := range regexp.MustCompile(`\[type : \{"(\w+)"\}((?:, \w+ : [^,\]]*)*)`).FindAllStringSubmatch(string(text), -1) {
		for _, f := range regexp.MustCompile(`, (\w+) :`).FindAllStringSubmatch(d[2], -1) {
			declared[d[1]] = append(declared[d[1]], f[1])
		}
	}
	for i := range messageTable {
		k := &messageTable[i]
		var want []string
		for _, p := range k.record {
			want = append(want, partTable[p].tla)
		}
		got := declared[k.tla]
		if len(got) > len(want) && k.content != nil {
			got = got[:len(want)]
		}
		if !slices.Equal(got, want) {
			t.Errorf("a %s has the fields %q in the module, want %q", k.tla, got, want)
		}
		delete(declared, k.tla)
	}
	if len(declared) > 0 {
		t.Errorf("the module has messages that are not in the table: %v", declared)
	}
}

// TestKinds: every kind of action has a name, a text that is read back, and a handler, and
// the kinds of a network are the first of all.
func TestKinds(t *testing.T) {
	m := mustNew(t, overNetwork(sized(3, 2, 1, 1, 1, 0), NetworkFIFO, 1), soundRules())
	for k, info := range kindTable {
		if info.name == "" || info.doc == "" || slices.Index(AllKinds(), info.name) != k {
			t.Errorf("kind %d has no name of its own, or says nothing: %+v", k, info)
		}
		if k > 0 && info.since < kindTable[k-1].since {
			t.Errorf("%s is of more networks than the kind before it", info.name)
		}
		a := act(kind(k), 0, 0, 0)
		switch info.on {
		case onPair:
			a = act(kind(k), 0, 1, 0)
		case onMessage, onFlight:
			a = act(kReceiveRepairDone, 1, 0, 0)
			if info.on == onFlight {
				a = about(kind(k), a)
			}
		}
		if got, err := m.ParseAction(m.ActionString(a)); err != nil || got != a {
			t.Errorf("%s is read as %#x, %v, want %#x", m.ActionString(a), got, err, a)
		}
		var s State
		if info.on == onMessage {
			a = act(kind(k), 1, 0, 1)
		}
		m.step(&s, a)
	}
}

// TestUnknownKinds: what is of no kind is not taken for something else.
func TestUnknownKinds(t *testing.T) {
	m := mustNew(t, sized(3, 2, 1, 1, 1, 0), soundRules())
	var s State
	for name, try := range map[string]func(){
		"step":          func() { m.step(&s, act(kinds, 0, 0, 0)) },
		"ActionString":  func() { _ = m.ActionString(act(kinds, 0, 0, 0)) },
		"messageString": func() { _ = m.messageString(act(kStop, 0, 0, 0)) },
		"tlaMessage":    func() { _ = m.tlaMessage(&s, act(kStop, 0, 0, 0)) },
		"carries":       func() { m.carries(&s, act(kStop, 0, 0, 0)) },
		"remove":        func() { m.remove(&s, act(kinds+1, 0, 0, 0)) },
		"code":          func() { m.code(act(kRequest, 0, 0, 0)) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s of an unknown kind does not panic", name)
				}
			}()
			try()
		}()
	}
}
