package model

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// ErrAction is wrapped by the errors about a text that names no action.
var ErrAction = errors.New("unknown action")

// messageForm is how a message is written in the name of an action: the inverse of
// messageString.
type messageForm struct {
	k    kind
	text *regexp.Regexp
	pack func(m *Model, to int, n []int) uint32
}

// messageForms has one form for each kind of message. The numbers of a form are in the
// order of its groups.
var messageForms = []messageForm{
	form(kReceivePrepare, "Prepare{view N, op N@vN}", func(m *Model, to int, n []int) uint32 {
		return act(kReceivePrepare, to, 0, m.preparePos(uint8(n[0]), uint8(n[1]), identityOf(uint8(n[2]))))
	}),
	form(kReceivePrepareOk, "PrepareOk{view N, op N@vN} from replica N", func(m *Model, _ int, n []int) uint32 {
		return act(kReceivePrepareOk, n[3], 0, m.preparePos(uint8(n[0]), uint8(n[1]), identityOf(uint8(n[2]))))
	}),
	form(kReceiveCommit, "Commit{view N, commit N}", func(m *Model, to int, n []int) uint32 {
		return act(kReceiveCommit, to, 0, m.commitPos(uint8(n[0]), uint8(n[1])))
	}),
	form(kReceiveStartViewChange, "StartViewChange{view N} from replica N", func(m *Model, to int, n []int) uint32 {
		return act(kReceiveStartViewChange, to, 0, m.senderPos(uint8(n[0]), n[1]))
	}),
	form(kReceiveProbe, "RequestStartView{view N} from replica N", func(m *Model, to int, n []int) uint32 {
		return act(kReceiveProbe, to, 0, m.senderPos(uint8(n[0]), n[1]))
	}),
	form(kReceiveDoViewChange, "DoViewChange{view N} from replica N", func(_ *Model, _ int, n []int) uint32 {
		return act(kReceiveDoViewChange, n[1], 0, n[0])
	}),
	form(kReceiveStartView, "StartView{view N} with its suffix", func(_ *Model, to int, n []int) uint32 {
		return act(kReceiveStartView, to, 0, n[0])
	}),
	form(kReceiveAnswer, "StartView{view N, op N, commit N} without suffix", func(_ *Model, to int, n []int) uint32 {
		return act(kReceiveAnswer, to, n[0], answerPos(uint8(n[1]), uint8(n[2])))
	}),
	form(kReceiveRequestPrepares, "RequestPrepares{from_op N, to_op N} from replica N", func(_ *Model, to int, n []int) uint32 {
		return act(kReceiveRequestPrepares, to, n[2], rangePos(uint8(n[0]), uint8(n[1])))
	}),
	form(kReceiveRepairPrepare, "RepairPrepare{op N@vN}", func(m *Model, to int, n []int) uint32 {
		return act(kReceiveRepairPrepare, to, 0, m.repairPos(uint8(n[0]), identityOf(uint8(n[1]))))
	}),
	form(kReceiveRepairDone, "RepairDone", func(_ *Model, to int, _ []int) uint32 {
		return act(kReceiveRepairDone, to, 0, 0)
	}),
}

// form makes a messageForm from a text in which N stands for a number.
func form(k kind, text string, pack func(m *Model, to int, n []int) uint32) messageForm {
	pattern := strings.ReplaceAll(regexp.QuoteMeta(text), "N", `(\d{1,3})`)
	return messageForm{k, regexp.MustCompile("^" + pattern + "$"), pack}
}

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
	if local[k] {
		parts := localForm.FindStringSubmatch(text)
		if parts == nil {
			return 0, false
		}
		self, _ := strconv.Atoi(parts[1])
		return act(k, self, 0, 0), self < m.cfg.Replicas
	}
	if k == kReset {
		parts := pairForm.FindStringSubmatch(text)
		if parts == nil {
			return 0, false
		}
		i, _ := strconv.Atoi(parts[1])
		j, _ := strconv.Atoi(parts[2])
		return act(k, i&7, j&7, 0), i < j && j < m.cfg.Replicas
	}
	parts, to, message := atForm.FindStringSubmatch(text), 1, 2
	if k == kDrop || k == kDuplicate {
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
	case k == kDrop:
		return dropOf(a), true
	case k == kDuplicate:
		return duplicateOf(a), true
	}
	return a, kindOf(a) == k
}

// parseMessage is the action that delivers the message that a text names. Numbers out
// of the model's bounds could be packed into those of another message; written out
// again the action would have another name, and ParseAction compares the two.
func (m *Model) parseMessage(to int, text string) (uint32, bool) {
	for _, f := range messageForms {
		parts := f.text.FindStringSubmatch(text)
		if parts == nil {
			continue
		}
		numbers := make([]int, len(parts)-1)
		for i := range numbers {
			numbers[i], _ = strconv.Atoi(parts[i+1])
			if numbers[i] > max(m.cfg.Ops, m.cfg.ViewMax, m.cfg.Replicas-1) {
				return 0, false
			}
		}
		a := f.pack(m, to, numbers)
		return a, kindOf(a) == f.k && m.inBounds(a)
	}
	return 0, false
}

// inBounds reports whether the model has a place for the message that a delivers.
func (m *Model) inBounds(a uint32) bool {
	op, view := 1, 0
	msg, _ := m.Message(a)
	for _, f := range msg.Fields {
		switch f.Name {
		case "op", "from_op", "to_op":
			op = max(op, f.Value)
			if f.Value < 1 && kindOf(a) != kReceiveAnswer {
				return false
			}
		case "commit":
			op = max(op, f.Value)
		case "view":
			view = f.Value
		case "identity":
			if f.Value < 1 || f.Value > m.cfg.views() {
				return false
			}
		}
	}
	if view == 0 && (kindOf(a) == kReceiveDoViewChange || kindOf(a) == kReceiveStartView) {
		return false // view 0 starts by itself
	}
	return op <= m.cfg.Ops && view <= m.cfg.ViewMax && msg.From < m.cfg.Replicas && selfOf(a) < m.cfg.Replicas
}

// shorten keeps a text that was got short enough for one line.
func shorten(text string) string {
	if r := []rune(text); len(r) > 80 {
		return string(r[:77]) + "..."
	}
	return text
}
