package model

import (
	"fmt"
	"slices"
	"strings"
)

// Changes lists what differs between s and t, the most telling first: a line for each
// replica, then what was sent. What became irrelevant is told only when there is
// nothing else to tell.
func (m *Model) Changes(s, t *State) []string {
	var out []string
	if t.Failed != s.Failed {
		out = append(out, "assertion failed: "+t.Failed.String())
	}
	for i := range m.cfg.Replicas {
		if c := m.replicaChanges(&s.Replica[i], &t.Replica[i]); len(c) > 0 {
			out = append(out, fmt.Sprintf("replica %d: %s", i, strings.Join(c, ", ")))
		}
	}
	before, after := m.messages(s), m.messages(t)
	fresh := slices.DeleteFunc(after.without(before), func(a uint32) bool { return m.standsIn(t, a) })
	out = append(out, m.sent(t, fresh)...)
	if gone := before.without(after); len(out) == 0 && len(gone) > 0 {
		out = append(out, count(len(gone), "message")+" less in flight")
	}
	return out
}

// standsIn reports whether a message was not sent but stands for others: of the
// heartbeats whose commit number raises nothing, normalisation keeps one of number 0.
func (m *Model) standsIn(t *State, a uint32) bool {
	if kindOf(a) != kReceiveCommit {
		return false
	}
	view, commit := m.commitAt(posOf(a))
	p := &t.Replica[m.cfg.Primary(view)]
	return p.Status != Normal || p.View != view || p.CommitMin != commit
}

// sent lists new messages, one line for all receivers of the same one. Those that are
// sent eagerly say only how their sender stands and share one line.
func (m *Model) sent(t *State, list messageSet) []string {
	var texts, eager []string
	to := map[string][]int{}
	for _, a := range list {
		text := m.messageText(t, a)
		if _, ok := to[text]; !ok {
			if m.reductions.EagerSends && messageOf(a).stands {
				eager = append(eager, text)
			} else {
				texts = append(texts, text)
			}
		}
		to[text] = append(to[text], m.receiver(a))
	}
	var out []string
	for _, text := range texts {
		out = append(out, fmt.Sprintf("sent to %s: %s", replicas(to[text]), text))
	}
	for i, text := range eager {
		eager[i] = fmt.Sprintf("%s to %s", text, replicas(to[text]))
	}
	if len(eager) > 0 {
		out = append(out, "now in flight: "+strings.Join(eager, "; "))
	}
	return out
}

// replicaChanges lists the fields in which two states of a replica differ.
func (m *Model) replicaChanges(a, b *Replica) []string {
	var out []string
	change := func(name string, x, y any) {
		if x != y {
			out = append(out, fmt.Sprintf("%s %v -> %v", name, x, y))
		}
	}
	if a.Status != b.Status {
		out = append(out, fmt.Sprintf("%s -> %s", a.Status, b.Status))
	}
	if b.Status == Stopped {
		return out
	}
	// Only a crash takes these back; NoRegression is about any other step that does.
	crash := a.Status != Recovering && b.Status == Recovering
	grow := func(name string, x, y uint8) {
		change(name, x, y)
		if y < x && !crash {
			out[len(out)-1] += " (goes back)"
		}
	}
	grow("view", a.View, b.View)
	grow("log_view", a.LogView, b.LogView)
	change("newer view seen", a.Observed, b.Observed)
	change("head", a.Op, b.Op)
	grow("commit_max", a.CommitMax, b.CommitMax)
	grow("commit_min", a.CommitMin, b.CommitMin)
	out = append(out, m.logChanges("journal", &a.Journal, &b.Journal)...)
	out = append(out, m.logChanges("headers", &a.Headers, &b.Headers)...)
	change("repair session", sessionString(a), sessionString(b))
	for op := range uint8(m.cfg.Ops) {
		// The pipeline entry of an op that commits goes with it.
		if op+1 > b.CommitMax || b.Acks[op] != 0 {
			change(fmt.Sprintf("acks of op %d", op+1), a.Acks[op], b.Acks[op])
		}
	}
	if b.VoteSent == 0 {
		change("votes", a.Votes, b.Votes)
	}
	if a.VoteSent < b.VoteSent {
		out = append(out, "it has voted")
	}
	if a.Parked < b.Parked {
		out = append(out, "the merged log is parked")
	}
	return out
}

// logChanges is what a log gained, what it lost, and where one body took the place of
// another.
func (m *Model) logChanges(name string, x, y *[MaxOps]identity) []string {
	var gained, lost, replaced []string
	for op := range m.cfg.Ops {
		was, is := opString(uint8(op+1), x[op]), opString(uint8(op+1), y[op])
		switch {
		case x[op] == y[op]:
		case x[op] == none:
			gained = append(gained, is)
		case y[op] == none:
			lost = append(lost, was)
		default:
			replaced = append(replaced, fmt.Sprintf("%s[%d] %s -> %s", name, op+1, was, is))
		}
	}
	var out []string
	if len(lost) > 0 {
		out = append(out, name+" loses "+strings.Join(lost, " "))
	}
	if len(gained) > 0 {
		out = append(out, name+" gets "+strings.Join(gained, " "))
	}
	return append(out, replaced...)
}

// mergedString is the merged log that a replica has parked.
func (m *Model) mergedString(r *Replica) string {
	return fmt.Sprintf("with head %d and commit %d: %s", r.MergedOp, r.MergedCommit,
		logString(max(r.MergedCommit, 1), r.MergedOp, &r.Merged))
}

// logString lists the entries of a log between two ops.
func logString(from, to uint8, log *[MaxOps]identity) string {
	var out []string
	for op := from; op <= to; op++ {
		out = append(out, slotString(op, log[op-1]))
	}
	if len(out) == 0 {
		return "empty"
	}
	return strings.Join(out, " ")
}

func slotString(op uint8, id identity) string {
	if id == none {
		return fmt.Sprintf("%d:none", op)
	}
	return opString(op, id)
}

func sessionString(r *Replica) string {
	if r.SessionTo == 0 {
		return "none"
	}
	return fmt.Sprintf("to op %d from replica %d", r.SessionTo, r.SessionPeer)
}

// count is a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// list joins words: a, b and c.
func list(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// numbered is a noun with its numbers: op 2, or ops 2 and 3.
func numbered[N ~int | ~uint8](noun string, numbers []N) string {
	words := make([]string, len(numbers))
	for i, n := range numbers {
		words[i] = fmt.Sprint(n)
	}
	if len(words) != 1 {
		noun += "s"
	}
	return noun + " " + list(words)
}

func replicas(numbers []int) string { return numbered("replica", numbers) }
func opsString(ops []uint8) string  { return numbered("op", ops) }
func members(set ReplicaSet) (n []int) {
	for i := range MaxReplicas {
		if set.Has(i) {
			n = append(n, i)
		}
	}
	return n
}

// messageSet is the list of the actions that deliver the messages of a state.
type messageSet []uint32

func (l messageSet) without(other messageSet) (out messageSet) {
	for _, a := range l {
		if !slices.Contains(other, a) {
			out = append(out, a)
		}
	}
	return out
}

func (m *Model) messages(s *State) messageSet {
	var out messageSet
	m.eachMessage(s, func(a uint32) { out = append(out, a) })
	return out
}

// voteString is the content of a DoViewChange.
func voteString(v *Vote) string {
	var items []string
	for op := max(v.Commit, 1); op <= v.Op; op++ {
		items = append(items, itemString(op, v.Items[op-1]))
	}
	return fmt.Sprintf("log_view %d, op %d, commit %d, suffix [%s]", v.LogView, v.Op, v.Commit, strings.Join(items, ", "))
}

func itemString(op uint8, i item) string {
	switch {
	case i == itemBlank:
		return fmt.Sprintf("%d blank", op)
	case i == itemNack:
		return fmt.Sprintf("%d nack", op)
	case itemPresent(i):
		return opString(op, itemIdentity(i)) + " present"
	}
	return opString(op, itemIdentity(i)) + " header only"
}

// textWidth is the longest line of a table or an explanation, unless WithWidth makes it
// less; printers indent them.
const (
	textWidth    = 94
	minTextWidth = 34
)

// WithWidth is the same model, whose tables and explanations fit into lines of so many
// characters where they can: not more than 94, and not less than 34.
func (m *Model) WithWidth(width int) *Model {
	narrow := *m
	narrow.width = min(max(width, minTextWidth), textWidth)
	return &narrow
}

// Decisive are the words in tables, notes and explanations that show what is wrong: a
// hole, a message that is refused, a quorum that cannot commit. Printers make them stand
// out.
func Decisive() []string {
	return []string{
		"HOLE", "this is the hole", "refused:", "refused each time", "QUORUM, not committed", "cannot commit",
		"has two bodies", "aborts here",
	}
}

// text collects lines that are at most width wide.
type text struct {
	strings.Builder
	width int
}

// put adds a paragraph: its first line begins with first, the others with rest.
func (w *text) put(first, rest, paragraph string) {
	line, begun := first, false
	for word := range strings.FieldsSeq(paragraph) {
		if begun && len(line)+1+len(word) > w.width {
			w.WriteString(line + "\n")
			line, begun = rest, false
		}
		if begun {
			line += " "
		}
		line += word
		begun = true
	}
	w.WriteString(line + "\n")
}

// attempt takes action a on a copy of s, sends and normalisation included.
func (m *Model) attempt(s *State, a uint32) (State, Outcome) {
	t := *s
	out := m.take(&t, a)
	return t, out
}

// handled is what a replica makes of the message that a delivers, on a copy of s in which
// that stays in flight; in a network that delivers in order, also if it is not its turn.
func (m *Model) handled(s *State, a uint32) (State, Outcome) {
	if m.cfg.Network == NetworkSet {
		return m.attempt(s, a)
	}
	t := *s
	out := m.step(&t, a)
	if out&changed != 0 {
		m.normalise(&t)
	}
	return t, out
}

// reason is why a guard refuses the message that a delivers, with the numbers that the
// guard compared.
func (m *Model) reason(s *State, a uint32, out Outcome) string {
	r := &s.Replica[m.receiver(a)]
	op, _, _ := m.carried(a)
	switch out &^ changed {
	case RefusedGap:
		return fmt.Sprintf("out-of-order prepare (gap): op %d is not head + 1 = %d", op, r.Op+1)
	case RefusedApplied:
		return fmt.Sprintf("op %d is already applied: commit_min is %d", op, r.CommitMin)
	case RefusedDiffers:
		return "the journal holds another body, " + slotString(op, r.held(op))
	case RefusedStatus:
		return "the replica is " + r.Status.String()
	case RefusedOldView:
		return fmt.Sprintf("the replica is in view %d already", r.View)
	case RefusedNewerView:
		return fmt.Sprintf("the replica is in view %d and has to join the newer one first", r.View)
	case RefusedOutOfSession:
		return fmt.Sprintf("the repair session asks for ops %d..%d only", r.CommitMin+1, r.SessionTo)
	case RefusedStale:
		return fmt.Sprintf("the replica is %s in view %d with head %d and commit_min %d; it would not move it forward",
			r.Status, r.View, r.Op, r.CommitMin)
	case RefusedNothingNew:
		return m.nothingNew(r, kindOf(a))
	}
	return out.String()
}

// nothingNew is why a message of a kind has nothing new to say to a replica.
func (m *Model) nothingNew(r *Replica, k kind) string {
	switch k {
	case kReceiveCommit:
		return fmt.Sprintf("commit_max is %d already", r.CommitMax)
	case kReceiveProbe:
		return "it was answered, and the answer is in flight"
	case kReceiveRequestPrepares:
		return "all that the replica would send for it is in flight"
	case kReceiveRepairDone:
		return fmt.Sprintf("commit_min stays at %d, so the session up to op %d is not over", r.CommitMin, r.SessionTo)
	}
	return RefusedNothingNew.String()
}

// fate is what would become of a message if it was delivered now.
func (m *Model) fate(s *State, a uint32) string {
	switch v, reason := m.Fate(s, a); v {
	case Refuses:
		return "refused: " + reason
	case NoEffect:
		return "no effect: nothing in it is new"
	case TakesPart:
		return "taken in part only: " + reason
	}
	return "can be taken"
}

// Table is the state as plain text: the replicas, the acks, and the messages in flight
// with what would become of each.
func (m *Model) Table(s *State) string {
	w := text{width: m.width}
	m.replicaTable(&w, s)
	m.replicaDetails(&w, s)
	m.ackTable(&w, s)
	m.messageTable(&w, s)
	return w.String()
}

// replicaTable has a row for each replica and a column for each op. The repair sessions
// go below when they do not fit beside.
func (m *Model) replicaTable(w *text, s *State) {
	rows := [][]string{
		{"", "", "", "log_", "", "commit_", ""},
		{"replica", "role", "view", "view", "head", "max", "min"},
	}
	for op := 1; op <= m.cfg.Ops; op++ {
		rows[0] = append(rows[0], "")
		rows[1] = append(rows[1], fmt.Sprintf("op %d", op))
	}
	rows[0], rows[1] = append(rows[0], ""), append(rows[1], "repair session")
	for i := range m.cfg.Replicas {
		rows = append(rows, m.replicaRow(s, i))
	}
	if columnsWidth(rows) > w.width {
		for i := range rows {
			rows[i] = rows[i][:min(len(rows[i]), 7+m.cfg.Ops)]
		}
		defer m.sessionLines(w, s)
	}
	if columnsWidth(rows) > w.width {
		m.replicaLines(w, s)
	} else {
		writeColumns(w, rows)
	}
	if legend := m.legend(s); legend != "" {
		w.put("", "", legend)
	}
}

// replicaLines says what the table says, for where it is too wide.
func (m *Model) replicaLines(w *text, s *State) {
	for i := range m.cfg.Replicas {
		r := &s.Replica[i]
		if r.Status == Stopped {
			w.put("", "  ", fmt.Sprintf("replica %d: Stopped", i))
			continue
		}
		var cells []string
		for op := range uint8(m.cfg.Ops) {
			cells = append(cells, cell(r, op+1))
		}
		w.put("", "  ", fmt.Sprintf("replica %d: %s, view %d, log_view %d, head %d, commit_max %d, commit_min %d; ops %s",
			i, m.role(s, i), r.View, r.LogView, r.Op, r.CommitMax, r.CommitMin, strings.Join(cells, " ")))
	}
}

func (m *Model) replicaRow(s *State, i int) []string {
	r := &s.Replica[i]
	if r.Status == Stopped {
		return []string{fmt.Sprint(i), r.Status.String()}
	}
	row := []string{fmt.Sprint(i), m.role(s, i)}
	for _, n := range []uint8{r.View, r.LogView, r.Op, r.CommitMax, r.CommitMin} {
		row = append(row, fmt.Sprint(n))
	}
	for op := range uint8(m.cfg.Ops) {
		row = append(row, cell(r, op+1))
	}
	return append(row, sessionString(r))
}

// role is what a replica is in its view.
func (m *Model) role(s *State, i int) string {
	switch {
	case s.Replica[i].Status != Normal:
		return s.Replica[i].Status.String()
	case m.leads(s, i):
		return "Primary"
	}
	return "Backup"
}

// cell is what a replica has at an op; legend explains the marks.
func cell(r *Replica, op uint8) string {
	text := "-"
	switch id := r.held(op); {
	case id != none && op > r.Op:
		text = "(" + opString(op, id) + ")"
	case id != none:
		text = opString(op, id)
	case op <= r.Op:
		text = "HOLE"
	}
	switch {
	case op <= r.CommitMin:
		text += "*"
	case op <= r.CommitMax:
		text += "+"
	}
	return text
}

// legend explains the marks that the table of a state has.
func (m *Model) legend(s *State) string {
	var cells strings.Builder
	for i := range m.cfg.Replicas {
		for op := range uint8(m.cfg.Ops) {
			cells.WriteString(cell(&s.Replica[i], op+1))
		}
	}
	var out []string
	for _, e := range []struct{ mark, meaning string }{
		{"@", "2@v1 = op 2 as view 1 prepared it"},
		{"*", "* = applied"},
		{"+", "+ = known committed, not applied"},
		{"HOLE", "HOLE = claimed, not held"},
		{"(", "() = held above the head"},
	} {
		if strings.Contains(cells.String(), e.mark) {
			out = append(out, e.meaning)
		}
	}
	return strings.Join(out, "; ")
}

func (m *Model) sessionLines(w *text, s *State) {
	for i := range m.cfg.Replicas {
		if r := &s.Replica[i]; r.SessionTo != 0 {
			w.put("", "  ", fmt.Sprintf("repair session of replica %d: %s", i, sessionString(r)))
		}
	}
}

// replicaDetails tells what only some replicas have and so has no column.
func (m *Model) replicaDetails(w *text, s *State) {
	for i := range m.cfg.Replicas {
		for _, d := range m.details(s, i) {
			w.put("", "  ", fmt.Sprintf("replica %d ", i)+d)
		}
	}
}

// details are the predicates of replica i that have no column.
func (m *Model) details(s *State, i int) (out []string) {
	r := &s.Replica[i]
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if r.Observed > r.View {
		say("has seen traffic of view %d", r.Observed)
	}
	if r.HeadersOp != 0 {
		say("knows the headers of the adopted log: %s", logString(max(r.CommitMax, 1), r.HeadersOp, &r.Headers))
	}
	if r.Votes != 0 {
		say("counts StartViewChange for view %d from %v", r.View, r.Votes)
	}
	if r.Parked == 1 {
		say("waits to start view %d with the merged log %s", r.View, m.mergedString(r))
	}
	for v := 1; v < m.cfg.views(); v++ {
		if vote := &s.Net.DoViewChange[v][i]; vote.Where == voteCounted {
			say("voted in view %d, counted: %s", v, voteString(vote))
		}
	}
	return out
}

// ackTable has a line for each op of a pipeline.
func (m *Model) ackTable(w *text, s *State) {
	for p := range m.cfg.Replicas {
		r := &s.Replica[p]
		if r.Acks == [MaxOps]ReplicaSet{} {
			continue
		}
		w.WriteString("\n")
		w.put("", "  ", fmt.Sprintf("acks at replica %d, primary of view %d; %d needed", p, r.View, m.cfg.ReplicationQuorum()))
		for _, a := range m.acks(r) {
			mark := "no quorum"
			switch {
			case a.Blocker != 0:
				mark = fmt.Sprintf("QUORUM, not committed: op %d below has none", a.Blocker)
			case a.Quorum:
				mark = "QUORUM"
			}
			line := fmt.Sprintf("op %d  %-*s %d of %d  %s", a.Op, 3*m.cfg.Replicas, r.Acks[a.Op-1], len(a.By), a.Needed, mark)
			if len(line)+2 > w.width {
				w.put("  ", "      ", line)
			} else {
				w.WriteString("  " + line + "\n")
			}
		}
	}
}

// messageTable lists the messages in flight by receiver.
func (m *Model) messageTable(w *text, s *State) {
	all := m.messages(s)
	for i := range m.cfg.Replicas {
		headed := false
		for _, a := range all {
			if m.receiver(a) != i {
				continue
			}
			if !headed {
				fmt.Fprintf(w, "\nin flight to replica %d\n", i)
				headed = true
			}
			line := m.messageText(s, a)
			if s.Failed == AssertNone {
				line += ": " + m.fate(s, a)
			}
			w.put("  ", "      ", line)
		}
	}
}

// columnsWidth is the width of the widest row as writeColumns writes it.
func columnsWidth(rows [][]string) int {
	width := -1
	for _, n := range columnWidths(rows) {
		width += n + 1
	}
	return width
}

func columnWidths(rows [][]string) []int {
	var widths []int
	for _, row := range rows {
		for i, c := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], len(c))
		}
	}
	return widths
}

// writeColumns writes rows with aligned columns.
func writeColumns(w *text, rows [][]string) {
	widths := columnWidths(rows)
	for _, row := range rows {
		var line strings.Builder
		for i, c := range row {
			fmt.Fprintf(&line, "%-*s ", widths[i], c)
		}
		w.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}
