package model

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// This file writes and reads what the table of the messages declares: texts, labels and
// records.

// A wording is a text with holes for the numbers of a message, such as <view>, and perhaps
// one for its <content>.
type wording struct {
	text   string
	pieces []piece
	form   *regexp.Regexp // matches a text without content
}

// A piece is some text and the hole behind it.
type piece struct {
	text    string
	hole    part // partCount: none
	content bool
}

// words makes a wording.
func words(text string) wording {
	w := wording{text: text}
	pattern := "^"
	rest := text
	for {
		before, after, found := strings.Cut(rest, "<")
		p := piece{text: before, hole: partCount}
		pattern += regexp.QuoteMeta(before)
		if found {
			var word string
			word, rest, _ = strings.Cut(after, ">")
			p.content = word == "content"
			for i, is := range partTable {
				if is.word == word {
					p.hole = part(i)
				}
			}
			if p.hole == partCount && !p.content {
				panic("model: no part <" + word + "> for " + text)
			}
			pattern += `(\d{1,3})`
		}
		w.pieces = append(w.pieces, p)
		if !found {
			w.form = regexp.MustCompile(pattern + "$")
			return w
		}
	}
}

// fill is the text with the numbers of a message, and its content.
func (w *wording) fill(n numbers, content string) string {
	var b strings.Builder
	for _, p := range w.pieces {
		b.WriteString(p.text)
		switch {
		case p.content:
			b.WriteString(content)
		case p.hole != partCount:
			b.WriteString(strconv.Itoa(p.hole.told(n[p.hole])))
		}
	}
	return b.String()
}

// read is the inverse of fill for a message of kind k that has no content in its text. It
// reports whether the text is one of such a message, with its numbers in the bounds.
func (m *Model) read(k *messageKind, text string, n *numbers) bool {
	parts := k.text.form.FindStringSubmatch(text)
	if parts == nil {
		return false
	}
	for _, p := range k.text.pieces {
		if p.hole == partCount {
			continue
		}
		parts = parts[1:]
		value, _ := strconv.Atoi(parts[0])
		value -= p.hole.told(0)
		if low, high := m.bounds(k, p.hole); value < low || value > high {
			return false
		}
		n[p.hole] = uint8(value)
	}
	return true
}

// messageString is the message that a receiving action delivers.
func (m *Model) messageString(a uint32) string {
	return messageOf(a).text.fill(m.numbers(a), "")
}

// messageText is messageString with the content that the state keeps for a
// DoViewChange or a StartView.
func (m *Model) messageText(s *State, a uint32) string {
	k := messageOf(a)
	if k.content == nil {
		return m.messageString(a)
	}
	return k.whole.fill(m.numbers(a), k.content(m, s, a))
}

// messageLabel is the message in a few characters.
func (m *Model) messageLabel(a uint32) string {
	return messageOf(a).label.fill(m.numbers(a), "")
}

// tlaMessage is the record of the message that a delivers.
func (m *Model) tlaMessage(s *State, a uint32) string {
	k, n := messageOf(a), m.numbers(a)
	record := fmt.Sprintf(`type |-> "%s"`, k.tla)
	for _, i := range k.record {
		record += fmt.Sprintf(", %s |-> %d", partTable[i].tla, i.told(n[i]))
	}
	if k.tlaContent != nil {
		record += ", " + k.tlaContent(m, s, a)
	}
	return "[" + record + "]"
}

// carried is the op that a message is about, if it is about one.
func (m *Model) carried(a uint32) (op uint8, id identity, ok bool) {
	k := messageKinds[kindOf(a)]
	if k == nil || !k.has(partOp) || !k.has(partIdentity) {
		return 0, none, false
	}
	n := m.numbers(a)
	return n[partOp], n[partIdentity], true
}
