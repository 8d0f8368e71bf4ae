package picture

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// WriteDot writes the diagram for Graphviz: time runs down, a column for each lane.
func (t *SpaceTime) WriteDot(out io.Writer) error {
	w := &lineWriter{Writer: bufio.NewWriter(out)}
	w.line("digraph trace {")
	w.line("    graph [label=%s, labelloc=t, ranksep=0.25, nodesep=0.6, splines=line, fontname=\"sans-serif\"];", dotText(t.title()))
	w.line("    node [shape=box, style=\"rounded,filled\", fillcolor=white, fontname=\"sans-serif\", fontsize=11, height=0.3, margin=\"0.12,0.04\"];")
	w.line("    edge [fontname=\"sans-serif\", fontsize=10, arrowsize=0.7];")
	d := &dotTrace{t: t, w: w, last: make([]string, len(t.Lanes)), points: map[[2]int]bool{}}
	for i, lane := range t.Lanes {
		d.last[i] = fmt.Sprintf("lane%d", i)
		w.line("    lane%d [label=%s, shape=plaintext, style=\"\"];", i, dotText(lane))
	}
	w.line("    { rank=same; time0 [label=\"0\", shape=plaintext, style=\"\"]; time0 -> %s [style=invis]; }", strings.Join(d.last, " -> "))
	for i := 1; i < len(t.Moments); i++ {
		d.moment(i)
	}
	for i := range t.Messages {
		d.message(i)
	}
	w.line("}")
	return w.end("dot")
}

// dotTrace writes the nodes and edges of one diagram.
type dotTrace struct {
	t      *SpaceTime
	w      *lineWriter
	last   []string        // the lowest node of each lane
	points map[[2]int]bool // (moment, lane) where a lane sends without being the actor
}

// moment writes the row of one step.
func (d *dotTrace) moment(i int) {
	m := &d.t.Moments[i]
	label := m.Label
	if m.Lost {
		label = "lost: " + label
	}
	for _, text := range d.t.markTexts(i) {
		label += "\n" + text
	}
	style := ""
	switch {
	case m.Kind == "CrashRestart" || m.Kind == "Stop" || m.Lost:
		style = `, color="#bb2a22", fontcolor="#bb2a22"`
	case m.Refused != "":
		label += "\nrefused: " + m.Refused
		style = `, color="#8f5a06", fontcolor="#8f5a06"`
	case m.Message < 0:
		style = `, fillcolor="#eef1f5"`
	}
	node := d.node(i, m.Lane)
	d.w.line("    %s [label=%s%s];", node, dotText(label), style)
	row := []string{node}
	for _, msg := range d.t.Messages {
		if msg.Sent == i && msg.From != m.Lane && d.drawn(&msg) && !d.points[[2]int{i, msg.From}] {
			d.points[[2]int{i, msg.From}] = true
			point := d.node(i, msg.From)
			d.w.line("    %s [label=\"\", shape=point, width=0.06];", point)
			d.extend(msg.From, point)
			row = append(row, point)
		}
	}
	d.extend(m.Lane, node)
	d.w.line("    { rank=same; time%d [label=\"%d\", shape=plaintext, style=\"\"]; %s }", i, i, strings.Join(row, "; "))
	d.w.line("    time%d -> time%d [style=invis, weight=20];", i-1, i)
}

// extend draws a lane down to a node.
func (d *dotTrace) extend(lane int, node string) {
	d.w.line("    %s -> %s [arrowhead=none, weight=20, color=\"#b9c1cc\"];", d.last[lane], node)
	d.last[lane] = node
}

func (d *dotTrace) node(moment, lane int) string {
	if moment == 0 {
		return fmt.Sprintf("lane%d", lane)
	}
	return fmt.Sprintf("m%d_%d", moment, lane)
}

// drawn reports whether a message has an arrow: it arrives, is lost, or is in flight at
// the end where a guard refuses it.
func (d *dotTrace) drawn(m *Message) bool {
	return m.Fate == Delivered || m.Fate == Lost || m.Fate == Rejected
}

// message writes the arrows of one message.
func (d *dotTrace) message(i int) {
	m := &d.t.Messages[i]
	if !d.drawn(m) {
		return
	}
	from := d.node(m.Sent, m.From)
	color := map[string]string{
		"RequestPrepares": "#0b7a75", "RepairPrepare": "#0b7a75", "RepairDone": "#0b7a75", "Commit": "#76808d",
		"StartViewChange": "#7a45b5", "DoViewChange": "#7a45b5", "StartView": "#7a45b5", "RequestStartView": "#7a45b5",
	}[m.Kind]
	if color == "" {
		color = "#2f66c4"
	}
	switch m.Fate {
	case Lost:
		d.w.line("    %s -> %s [constraint=false, color=\"#bb2a22\", style=dashed, arrowhead=tee];", from, d.node(m.Gone, m.To))
	case Rejected:
		node := fmt.Sprintf("refused%d", i)
		d.w.line("    %s [label=%s, style=\"rounded,dashed\", color=\"#bb2a22\", fontcolor=\"#bb2a22\"];", node,
			dotText("in flight: "+m.Label+"\nrefused: "+m.Reason))
		d.w.line("    time%d -> %s [style=invis];", len(d.t.Moments)-1, node)
		d.extend(m.To, node)
		d.w.line("    %s -> %s [constraint=false, color=\"#bb2a22\", style=dashed, arrowhead=tee];", from, node)
	}
	for k, del := range m.Deliveries {
		style := ""
		if k > 0 {
			style = ", style=dashed"
		}
		d.w.line("    %s -> %s [constraint=false, color=%q%s];", from, d.node(del.Moment, m.To), color, style)
	}
}

// dotText quotes a text for Graphviz.
func dotText(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", " ").Replace(s) + `"`
}
