package model

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
)

// ErrAction is wrapped by the errors about a text that names no action.
var ErrAction = errors.New("unknown action")

var (
	actionForm = regexp.MustCompile(`^(\w+)\((.*)\)$`)
	localForm  = regexp.MustCompile(`^replica (\d{1,3})$`)
	atForm     = regexp.MustCompile(`^replica (\d{1,3}), (.*)$`)
	pairForm   = regexp.MustCompile(`^replica (\d{1,3}), replica (\d{1,3})$`)
	lossForm   = regexp.MustCompile(`^(.*) to replica (\d{1,3})$`)
)

// ParseAction reads an action as ActionString writes it. Its errors wrap ErrAction; one
// is given, too, for an action that the bounds of this model rule out.
func (m *Model) ParseAction(text string) (uint32, error) {
	parts := actionForm.FindStringSubmatch(text)
	if parts == nil {
		return 0, fmt.Errorf("%w: got %q, want such as Stop(replica 0)", ErrAction, shorten(text))
	}
	k := kind(0)
	for k < kinds && kindTable[k].name != parts[1] {
		k++
	}
	if k == kinds {
		return 0, fmt.Errorf("%w: got %q, want the kind of an action, such as Stop", ErrAction, shorten(parts[1]))
	}
	a, ok := m.parseArguments(k, parts[2])
	// An action has one name: no leading zeros.
	if !ok || m.ActionString(a) != text {
		return 0, fmt.Errorf("%w: got %q, want what %s acts on, within these bounds", ErrAction, shorten(text), kindTable[k].name)
	}
	return a, nil
}

// parseArguments reads what stands in the parentheses of an action of kind k.
func (m *Model) parseArguments(k kind, text string) (uint32, bool) {
	parts, to, message := atForm.FindStringSubmatch(text), 1, 2
	switch kindTable[k].on {
	case onReplica:
		parts := localForm.FindStringSubmatch(text)
		if parts == nil {
			return 0, false
		}
		self, _ := strconv.Atoi(parts[1])
		return act(k, self, 0, 0), self < m.cfg.Replicas
	case onPair:
		parts := pairForm.FindStringSubmatch(text)
		if parts == nil {
			return 0, false
		}
		i, _ := strconv.Atoi(parts[1])
		j, _ := strconv.Atoi(parts[2])
		return act(k, i&7, j&7, 0), i < j && j < m.cfg.Replicas
	case onFlight:
		parts, to, message = lossForm.FindStringSubmatch(text), 2, 1
	}
	if parts == nil {
		return 0, false
	}
	receiver, _ := strconv.Atoi(parts[to])
	if receiver >= m.cfg.Replicas {
		return 0, false
	}
	a, ok := m.parseMessage(receiver, parts[message])
	switch {
	case !ok || m.receiver(a) != receiver:
		return 0, false
	case kindTable[k].on == onFlight:
		return about(k, a), true
	}
	return a, kindOf(a) == k
}

// parseMessage is the action that delivers the message that a text names. Numbers that do
// not go together, as a range that ends before it begins, could be packed into those of
// another message; written out again the action would have another name, and ParseAction
// compares the two.
func (m *Model) parseMessage(to int, text string) (uint32, bool) {
	for i := range messageTable {
		k, n := &messageTable[i], numbers{partTo: uint8(to)}
		if m.read(k, text, &n) {
			return m.deliveryOf(k, n), true
		}
	}
	return 0, false
}

// shorten keeps a text that was got short enough for one line.
func shorten(text string) string {
	if r := []rune(text); len(r) > 80 {
		return string(r[:77]) + "..."
	}
	return text
}
