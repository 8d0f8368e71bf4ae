package picture

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// ShiVizPattern finds the events in a log for ShiViz. Such a log has it in its first
// line; the second would separate several executions and is empty.
const ShiVizPattern = `(?<host>r\d+) (?<clock>\{.*?\}) (?<step>\d+) (?<event>.*)`

// WriteShiViz writes the diagram as a log with vector clocks for ShiViz. Every lane has
// an event for the initial state. A lane that sends without being the actor of the step
// gets an event of its own for it.
func (t *SpaceTime) WriteShiViz(out io.Writer) error {
	w := &lineWriter{Writer: bufio.NewWriter(out)}
	w.line("%s", ShiVizPattern)
	w.line("")
	clocks := make([][]int, len(t.Lanes))
	sent := make([][]int, len(t.Messages)) // the clock that each message carries
	event := func(lane, moment int, text string) {
		clocks[lane][lane]++
		w.line("r%d %s %d %s", lane, shivizClock(clocks[lane], lane), moment, oneLine(text))
	}
	for i := range t.Lanes {
		clocks[i] = make([]int, len(t.Lanes))
		event(i, 0, "initial state")
	}
	send := func(moment, lane int) {
		for k, msg := range t.Messages {
			if msg.Sent == moment && msg.From == lane {
				sent[k] = append([]int(nil), clocks[lane]...)
			}
		}
	}
	for i := range t.Lanes {
		send(0, i)
	}
	for i := 1; i < len(t.Moments); i++ {
		m := &t.Moments[i]
		if m.Message >= 0 && !m.Lost {
			for lane, n := range sent[m.Message] {
				clocks[m.Lane][lane] = max(clocks[m.Lane][lane], n)
			}
		}
		event(m.Lane, i, t.shivizText(i))
		send(i, m.Lane)
		for lane := range t.Lanes {
			if labels := t.sentAside(i, lane); lane != m.Lane && len(labels) > 0 {
				event(lane, i, "sends "+strings.Join(labels, ", "))
				send(i, lane)
			}
		}
	}
	return w.end("log for ShiViz")
}

// sentAside are the messages that a lane sends at a moment and that are delivered.
func (t *SpaceTime) sentAside(moment, lane int) (labels []string) {
	for _, msg := range t.Messages {
		if msg.Sent == moment && msg.From == lane && len(msg.Deliveries) > 0 {
			labels = append(labels, msg.Label)
		}
	}
	return labels
}

// shivizText is one event: the action, what a guard refused and the marks.
func (t *SpaceTime) shivizText(i int) string {
	m := &t.Moments[i]
	parts := []string{m.Action}
	if m.Refused != "" {
		parts = append(parts, "refused: "+m.Refused)
	}
	return strings.Join(append(parts, t.markTexts(i)...), "; ")
}

// shivizClock is a vector clock in JSON, the own component first.
func shivizClock(clock []int, own int) string {
	parts := []string{fmt.Sprintf(`"r%d":%d`, own, clock[own])}
	for lane, n := range clock {
		if lane != own && n > 0 {
			parts = append(parts, fmt.Sprintf(`"r%d":%d`, lane, n))
		}
	}
	return "{" + strings.Join(parts, ", ") + "}"
}
