package model

import (
	"fmt"
	"strings"
)

// This file says why: why a step had the effect it had (Notes), what is wrong with a
// state (Contradictions) and why a group is stuck in it (Explain). Nothing of that is
// known beforehand: the handlers are run on copies of the state, also with messages
// that nobody sent, and their outcomes are told.

// noteContext is a step whose decisive facts are looked for.
type noteContext struct {
	m             *Model
	s, t          *State // t before normalisation
	a             uint32
	out           Outcome
	before, after *Replica // of the replica that takes the step
}

// noters find the facts worth a note, the most telling first. Each returns "" when
// there is none of its kind.
var noters = []func(*noteContext) string{
	noteConflict, noteRefusal, notePrepare, noteQuorum, noteAdoption, noteRequest, noteSessionEnd,
	noteMerge, noteStart, noteDropped,
}

// Notes are the decisive facts of the step a from s that a list of changed fields does
// not tell: what a guard refused, what a quorum did or did not commit, what a repair
// request leaves out.
func (m *Model) Notes(s *State, a uint32) []string {
	t := *s
	out := m.step(&t, a)
	if infoOf(a).cause == fault {
		return nil // the action says it all
	}
	if aboutMessage(a) {
		a = droppedBy(a)
	}
	i := m.receiver(a)
	c := &noteContext{m: m, s: s, t: &t, a: a, out: out, before: &s.Replica[i], after: &t.Replica[i]}
	var notes []string
	for _, note := range noters {
		if n := note(c); n != "" {
			notes = append(notes, n)
		}
	}
	return notes
}

// noteConflict: a replica applies another body than the one decided before.
func noteConflict(c *noteContext) string {
	for op := c.before.CommitMin + 1; op <= c.after.CommitMin; op++ {
		if decided := c.s.Decided[op-1]; decided != none && decided != c.after.held(op) {
			return fmt.Sprintf("applies %s where %s was committed before", slotString(op, c.after.held(op)), slotString(op, decided))
		}
	}
	return ""
}

func noteRefusal(c *noteContext) string {
	if !c.out.refused() {
		return ""
	}
	note := "refused: " + c.m.reason(c.s, c.a, c.out)
	if still := c.m.replicaChanges(c.before, c.after); len(still) > 0 {
		note += "; what still counts: " + strings.Join(still, ", ")
	}
	return note
}

func notePrepare(c *noteContext) string {
	if kindOf(c.a) != kReceivePrepare || c.out.refused() {
		return ""
	}
	op, id, _ := c.m.carried(c.a)
	switch {
	case op <= c.before.CommitMin:
		return fmt.Sprintf("op %d is applied already and acked again", op)
	case c.before.held(op) == id:
		return fmt.Sprintf("op %d is held already, forwarded and acked again", op)
	case op <= c.before.Op:
		return fmt.Sprintf("op %d fills a hole below the head", op)
	}
	note := fmt.Sprintf("accepted: op %d is head + 1", op)
	if missing := holes(c.before, c.before.CommitMin+1, c.before.Op); len(missing) > 0 {
		note += fmt.Sprintf(", although %s below it %s missing", opsString(missing), isAre(len(missing)))
	}
	return note
}

func noteQuorum(c *noteContext) string {
	if kindOf(c.a) != kReceivePrepareOk || c.out.refused() {
		return ""
	}
	op, _, _ := c.m.carried(c.a)
	acks := c.before.Acks[op-1] | 1<<selfOf(c.a)
	need := c.m.cfg.ReplicationQuorum()
	if acks.Len() < need {
		return fmt.Sprintf("op %d has %d of %d acks", op, acks.Len(), need)
	}
	note := fmt.Sprintf("op %d has its quorum: %v", op, acks)
	if c.after.CommitMax > c.before.CommitMax {
		return note + fmt.Sprintf("; the commit point moves to %d", c.after.CommitMax)
	}
	return note + fmt.Sprintf("; the commit point stays at %d, as op %d has no quorum", c.after.CommitMax, c.after.CommitMax+1)
}

func noteAdoption(c *noteContext) string {
	k := kindOf(c.a)
	if k != kReceiveAnswer && k != kReceiveStartView || c.out.refused() {
		return ""
	}
	note := fmt.Sprintf("adopts the log of view %d up to head %d", c.after.View, c.after.Op)
	if missing := holes(c.after, c.after.CommitMin+1, c.after.Op); len(missing) > 0 {
		note += fmt.Sprintf(", claims %s without the body", opsString(missing))
	}
	return note
}

// noteRequest: a repair session opens. What it leaves out is what the report is about.
func noteRequest(c *noteContext) string {
	r := c.after
	if r.SessionTo == 0 || r.SessionTo == c.before.SessionTo && r.SessionPeer == c.before.SessionPeer {
		return ""
	}
	note := fmt.Sprintf("repair asks replica %d for ops %d..%d", r.SessionPeer, r.CommitMin+1, r.SessionTo)
	if missing := holes(r, r.SessionTo+1, r.Op); len(missing) > 0 {
		note += fmt.Sprintf(" only: %s %s claimed, missing and not asked for", opsString(missing), isAre(len(missing)))
	}
	return note
}

func noteSessionEnd(c *noteContext) string {
	if c.before.SessionTo == 0 || c.after.SessionTo != 0 {
		return ""
	}
	if missing := holes(c.after, c.after.CommitMin+1, c.after.Op); len(missing) > 0 {
		return fmt.Sprintf("repair is over, and %s %s still missing", opsString(missing), isAre(len(missing)))
	}
	return ""
}

// noteMerge: the votes decide the log of a view.
func noteMerge(c *noteContext) string {
	if c.before.Parked == 1 || c.after.Parked == 0 {
		return ""
	}
	top := uint8(0)
	var from []int
	for i := range c.m.cfg.Replicas {
		if v := &c.t.Net.DoViewChange[c.after.View][i]; v.Where == voteCounted {
			top = max(top, v.Op)
			from = append(from, i)
		}
	}
	note := fmt.Sprintf("the votes of %s are merged into the log %s", replicas(from), c.m.mergedString(c.after))
	if top > c.after.MergedOp {
		note += fmt.Sprintf("; what was claimed above, up to op %d, is discarded", top)
	}
	return note
}

func noteStart(c *noteContext) string {
	if kindOf(c.a) != kAdvanceView || c.after.Status != Normal {
		return ""
	}
	return fmt.Sprintf("view %d starts with head %d and commit_max %d", c.after.View, c.after.Op, c.after.CommitMax)
}

func noteDropped(c *noteContext) string {
	var lost []string
	for op := range uint8(c.m.cfg.Ops) {
		if had := c.before.Journal[op]; had != none && c.after.Journal[op] == none {
			lost = append(lost, opString(op+1, had))
		}
	}
	if len(lost) == 0 {
		return ""
	}
	return "drops from its journal what the adopted log does not prove: " + strings.Join(lost, " ")
}

// holes lists the ops of a range that a replica does not hold.
func holes(r *Replica, from, to uint8) (out []uint8) {
	for op := max(from, 1); op <= to; op++ {
		if r.held(op) == none {
			out = append(out, op)
		}
	}
	return out
}

func isAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// explainer writes what it finds in one state.
type explainer struct {
	text
	m *Model
	s *State
	// still are the weakly fair steps that change s, and free the others that do: those
	// that need not happen.
	still, free []string
	// explained are the (replica, op) pairs whose missing body is explained already.
	explained map[[2]int]bool
	// conclusion is the head of the first section.
	conclusion string
}

func newExplainer(m *Model, s *State) *explainer {
	return &explainer{text: text{width: m.width}, m: m, s: s, explained: map[[2]int]bool{}}
}

// quiescent reports whether no step that has to happen changes the state. Otherwise the
// state is one of a cycle, and what is said of it must not be said of the whole cycle.
func (x *explainer) quiescent() bool { return len(x.still) == 0 }

// choose is the first of two texts in a quiescent state and the second in a cycle.
func (x *explainer) choose(quiescent, cycle string) string {
	if x.quiescent() {
		return quiescent
	}
	return cycle
}

// head begins a section, say adds a paragraph to it and item a point of a list.
func (x *explainer) head(format string, args ...any) {
	if x.Len() > 0 {
		x.WriteString("\n")
	}
	text := fmt.Sprintf(format, args...)
	if x.conclusion == "" {
		x.conclusion = text
	}
	x.put("", "", text)
}

func (x *explainer) say(format string, args ...any) {
	x.put("  ", "  ", fmt.Sprintf(format, args...))
}

func (x *explainer) item(format string, args ...any) {
	x.put("  - ", "    ", fmt.Sprintf(format, args...))
}

// Contradictions says in sentences what in s contradicts the safety properties: which
// replicas applied which body, which committed op a view lacks, what was asserted. It
// is empty when nothing in the state does.
func (m *Model) Contradictions(s *State) string {
	x := newExplainer(m, s)
	x.contradictions()
	return x.String()
}

func (x *explainer) contradictions() {
	x.assertion()
	for op := uint8(1); int(op) <= x.m.cfg.Ops; op++ {
		x.disagreement(op)
	}
	x.forgotten()
}

func (x *explainer) assertion() {
	if x.s.Failed == AssertNone {
		return
	}
	x.head("The running system aborts here: %s.", x.s.Failed)
	for i := range x.m.cfg.Replicas {
		if r := &x.s.Replica[i]; r.Status != Stopped && x.m.leads(x.s, i) {
			x.say("Replica %d, %s of view %d: %s.", i, strings.ToLower(x.m.role(x.s, i)), r.View, x.claims(r))
		}
	}
}

// disagreement says who applied which body of an op, when there are two.
func (x *explainer) disagreement(op uint8) {
	decided := x.s.Decided[op-1]
	by := map[identity][]int{}
	var not []int
	two := false
	for i := range x.m.cfg.Replicas {
		switch r := &x.s.Replica[i]; {
		case r.Status == Stopped:
		case r.CommitMin < op:
			not = append(not, i)
		default:
			by[r.held(op)] = append(by[r.held(op)], i)
			two = two || r.held(op) != decided
		}
	}
	if !two {
		return
	}
	x.head("Op %d has two bodies. The first that was committed or applied is %s.", op, slotString(op, decided))
	for id := none; int(id) <= x.m.cfg.views(); id++ {
		switch {
		case len(by[id]) > 0 && id == none:
			x.item("applied and no longer held by %s", replicas(by[id]))
		case len(by[id]) > 0:
			x.item("%s is applied by %s", opString(op, id), replicas(by[id]))
		case id == decided:
			x.item("%s is applied by no replica that is up: its primary committed it, or who applied it has crashed or stopped", opString(op, id))
		}
	}
	if len(not) > 0 {
		x.item("%s %s not applied the op", replicas(not), hasHave(len(not)))
	}
}

func hasHave(n int) string {
	if n == 1 {
		return "has"
	}
	return "have"
}

// forgotten says which decided ops the primary of the newest view that has started
// lacks.
func (x *explainer) forgotten() {
	p := -1
	for i := range x.m.cfg.Replicas {
		r := &x.s.Replica[i]
		if r.Status == Normal && x.m.leads(x.s, i) && (p < 0 || r.View > x.s.Replica[p].View) {
			p = i
		}
	}
	if p < 0 {
		return
	}
	r := &x.s.Replica[p]
	for op := r.CommitMin + 1; int(op) <= x.m.cfg.Ops; op++ {
		decided := x.s.Decided[op-1]
		held := r.held(op)
		if decided == none || held == decided || held == none && op <= r.CommitMax && op <= r.Op {
			continue
		}
		what := fmt.Sprintf("its log ends at op %d", r.Op)
		if op <= r.Op {
			what = fmt.Sprintf("its log has %s there", slotString(op, held))
		}
		x.head("View %d has lost op %d: %s was committed, and replica %d leads the view without it.", r.View, op, opString(op, decided), p)
		x.say("Replica %d: %s; %s.", p, x.claims(r), what)
		x.holders(op, decided)
	}
}

func (x *explainer) holders(op uint8, id identity) {
	var who []int
	for i := range x.m.cfg.Replicas {
		if x.s.Replica[i].Status != Stopped && x.s.Replica[i].held(op) == id {
			who = append(who, i)
		}
	}
	if len(who) == 0 {
		x.say("No replica that is up holds %s any more.", opString(op, id))
		return
	}
	x.say("%s is still held by %s.", opString(op, id), replicas(who))
}

// claims is how a replica stands, in its numbers.
func (x *explainer) claims(r *Replica) string {
	held := []string{}
	for op := range uint8(x.m.cfg.Ops) {
		if id := r.Journal[op]; id != none {
			held = append(held, opString(op+1, id))
		}
	}
	journal := "its journal is empty"
	if len(held) > 0 {
		journal = "its journal holds " + list(held)
	}
	return fmt.Sprintf("head %d, commit_max %d, commit_min %d, and %s", r.Op, r.CommitMax, r.CommitMin, journal)
}

// Explain says in sentences why the group is stuck in s: which ops cannot commit and
// which replicas cannot catch up, and for each what would have to arrive and which
// guard closes the way.
func (m *Model) Explain(s *State) string {
	x := newExplainer(m, s)
	x.explain()
	return x.String()
}

// Conclusion is the first sentence of Explain, or, unless nothing helps any more, of
// Contradictions; "" if there is nothing to say. It is one line, of any length.
func (m *Model) Conclusion(s *State, stuck bool) string {
	x := newExplainer(m, s)
	if stuck {
		x.explain()
	} else {
		x.contradictions()
	}
	return x.conclusion
}

func (x *explainer) explain() {
	m, s := x.m, x.s
	x.contradictions()
	if s.Failed != AssertNone {
		return
	}
	x.try()
	leaders := m.leaders(s)
	for _, p := range leaders {
		x.uncommitted(p)
		x.lagging(p)
	}
	if len(leaders) == 0 {
		x.leaderless()
		x.ways()
	}
	x.ending()
}

// leaders are the Normal primaries that the liveness properties speak of: those with a
// replication quorum of replicas that are up and not past their view.
func (m *Model) leaders(s *State) (out []int) {
	for i := range m.cfg.Replicas {
		r := &s.Replica[i]
		if r.Status != Normal || !m.leads(s, i) {
			continue
		}
		if m.followers(s, i).Len() >= m.cfg.ReplicationQuorum() {
			out = append(out, i)
		}
	}
	return out
}

// followers are the replicas that are up and not past the view of replica p, itself
// included.
func (m *Model) followers(s *State, p int) (set ReplicaSet) {
	for j := range m.cfg.Replicas {
		if o := &s.Replica[j]; o.Status != Stopped && o.View <= s.Replica[p].View {
			set |= 1 << j
		}
	}
	return set
}

// uncommitted explains the ops above the commit point of primary p: the first without
// a quorum holds up all others.
func (x *explainer) uncommitted(p int) {
	r := &x.s.Replica[p]
	var done, short []uint8
	for op := r.CommitMax + 1; op <= r.Op; op++ {
		if x.m.hasQuorum(r, op) {
			done = append(done, op)
		} else {
			short = append(short, op)
		}
	}
	if len(short) == 0 {
		return // an op whose quorum is complete commits in that very step
	}
	hole := short[0]
	if len(done) > 0 {
		it, its := "it", "its"
		if len(done) > 1 {
			it, its = "they", "their"
		}
		x.head("%s %s %s quorum and cannot commit: op %d, below %s, has none.", title(opsString(done)), hasHave(len(done)), its, hole, object(it))
		for _, op := range done {
			x.say("Op %d is acked by %s: %s.", op, replicas(members(r.Acks[op-1])), x.ofNeeded(r.Acks[op-1]))
		}
		x.say("The commit point of replica %d, the primary of view %d, is %d. It walks up one op at a time and stops at the first without a quorum, which is op %d.",
			p, r.View, r.CommitMax, hole)
	}
	for _, op := range short {
		x.short(p, op, op > hole)
	}
	x.primary(p)
}

func object(it string) string {
	if it == "they" {
		return "them"
	}
	return it
}

func title(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func (x *explainer) ofNeeded(acks ReplicaSet) string {
	return fmt.Sprintf("%d of the %d acks that it needs", acks.Len(), x.m.cfg.ReplicationQuorum())
}

// short explains an op that lacks its quorum.
func (x *explainer) short(p int, op uint8, behind bool) {
	r := &x.s.Replica[p]
	if behind {
		x.head("Op %d is behind it and has no quorum either.", op)
	} else {
		x.head("Op %d has no quorum, %s.", op, x.choose("and nothing can bring it one", "and need not ever get one"))
	}
	acks := r.Acks[op-1]
	if acks == 0 {
		x.say("It is not in the pipeline of replica %d, so its acks are not counted and it is not sent again: the pipeline of a new view is rebuilt from the journal up to its first gap.", p)
	} else {
		x.say("It is acked by %s alone: %s. %s", replicas(members(acks)), x.ofNeeded(acks), x.wanted(p, acks))
	}
	for j := range x.m.cfg.Replicas {
		if j != p && !acks.Has(j) && x.s.Replica[j].Status != Stopped {
			x.missingAck(p, j, op)
		}
	}
}

// wanted says whose ack could complete a quorum.
func (x *explainer) wanted(p int, acks ReplicaSet) string {
	var up, gone []int
	for j := range x.m.cfg.Replicas {
		switch {
		case acks.Has(j):
		case x.m.followers(x.s, p).Has(j):
			up = append(up, j)
		case x.s.Replica[j].Status == Stopped:
			gone = append(gone, j)
		}
	}
	out := ""
	if len(gone) > 0 {
		out = fmt.Sprintf("%s %s stopped. ", title(replicas(gone)), hasHave(len(gone)))
	}
	switch need := x.m.cfg.ReplicationQuorum() - acks.Len(); {
	case len(up) == need:
		out += fmt.Sprintf("So it depends on %s.", replicas(up))
	case len(up) > 0:
		out += fmt.Sprintf("So it depends on %d of %s.", need, replicas(up))
	}
	return out
}

// missingAck explains why replica j does not ack an op of primary p.
func (x *explainer) missingAck(p, j int, op uint8) {
	r := &x.s.Replica[j]
	lead := x.s.Replica[p].held(op)
	switch {
	case r.Status != Normal || r.View != x.s.Replica[p].View:
		x.head("Replica %d is %s in view %d and acks nothing in view %d.", j, r.Status, r.View, x.s.Replica[p].View)
		x.say("It has %s.", x.claims(r))
		x.outsider(p, j)
		return
	case r.held(op) == lead && lead != none:
		x.head("Replica %d holds op %d, and no ack of it counts.", j, op)
	case r.held(op) != none:
		x.head("Replica %d holds another body of op %d, %s.", j, op, opString(op, r.held(op)))
	case op <= r.Op:
		x.head("Replica %d claims op %d and does not hold it: this is the hole.", j, op)
	default:
		x.head("Replica %d has not got to op %d.", j, op)
	}
	x.say("It has %s.", x.claims(r))
	x.deliveries(p, j, op)
	if r.held(op) == none {
		x.repair(p, j, op)
	}
}

// deliveries tells what becomes of the messages in flight that are about an op: those
// to replica j, and its acks to primary p.
func (x *explainer) deliveries(p, j int, op uint8) {
	some := false
	r := &x.s.Replica[j]
	for _, a := range x.m.messages(x.s) {
		got, _, ok := x.m.carried(a)
		to := x.m.receiver(a)
		mine := to == j && kindOf(a) != kReceivePrepareOk || to == p && kindOf(a) == kReceivePrepareOk && selfOf(a) == j
		if !ok || got != op || !mine {
			continue
		}
		some = true
		note := ""
		if _, out := x.m.handled(x.s, a); out&^changed == RefusedGap && op <= r.Op {
			note = fmt.Sprintf(". The head claims op %d, and nothing checks whether its body is there", op)
		}
		x.item("%s is in flight and %s%s.", x.m.messageText(x.s, a), x.verdict(a), note)
	}
	if !some {
		x.item("No message with op %d is in flight to it that could have an effect. %s.", op, x.resend(p, j, op))
	}
}

// verdict is the fate of a message as part of a sentence.
func (x *explainer) verdict(a uint32) string {
	fate := x.m.fate(x.s, a)
	if rest, ok := strings.CutPrefix(fate, "refused: "); ok {
		return "refused each time: " + rest
	}
	return strings.Replace(fate, "no effect", "has no effect", 1)
}

// resend is what primary p does to send an op to replica j again, and what becomes of
// that; the handlers are asked in a network without prepares to j.
func (x *explainer) resend(p, j int, op uint8) string {
	r := &x.s.Replica[p]
	pos := 0
	t := *x.s
	t.Net.Prepare[j] = 0
	x.m.retransmit(&t, p)
	if r.held(op) != none {
		pos = x.m.preparePos(r.View, op, r.held(op))
	}
	switch {
	case r.held(op) != none && t.Net.Prepare[j]>>pos&1 == 1:
		a := act(kReceivePrepare, j, 0, pos)
		return fmt.Sprintf("Replica %d sends %s again and again, and it is %s", p, x.m.messageString(a), x.verdict(a))
	case op <= r.CommitMax:
		return fmt.Sprintf("Replica %d retransmits only what is not committed", p)
	case !x.m.inPipeline(r, op):
		return fmt.Sprintf("Replica %d does not retransmit what is not in its pipeline", p)
	case x.m.hasQuorum(r, op):
		return fmt.Sprintf("Replica %d does not retransmit what has its quorum", p)
	}
	return fmt.Sprintf("Replica %d does not send it again", p)
}

// repair explains why repair does not bring replica j the body of an op.
func (x *explainer) repair(p, j int, op uint8) {
	r := &x.s.Replica[j]
	x.explained[[2]int{j, int(op)}] = true
	if r.SessionTo != 0 {
		x.session(j, op)
	} else {
		x.item("No repair session is open%s:", x.choose(", and nothing opens one", ". What could open one"))
		x.byTick(j)
		x.byHeartbeat(p, j, op)
		x.byStartView(p, j)
	}
	x.servers(j, op)
}

// point is an item of a list within a list.
func (x *explainer) point(format string, args ...any) {
	x.put("      ", "        ", fmt.Sprintf(format, args...))
}

// session explains a live session that does not get on.
func (x *explainer) session(j int, op uint8) {
	r := &x.s.Replica[j]
	in := "which includes it"
	if op > r.SessionTo {
		in = "which leaves it out"
	}
	if r.SessionTo <= r.CommitMin {
		x.item("Its repair session asked replica %d for ops up to %d, all of which it has applied since. The session still waits for its end, and no other opens while it lives: %s.",
			r.SessionPeer, r.SessionTo, x.m.ruleIs(ruleSessionEnd))
	} else {
		x.item("Its repair session asks replica %d for ops %d..%d, %s, and does not end before they are applied.", r.SessionPeer, r.CommitMin+1, r.SessionTo, in)
	}
	if x.s.Replica[r.SessionPeer].Status == Stopped {
		x.point("replica %d has stopped: nobody answers, and while this session lives no other one opens", r.SessionPeer)
	}
	for _, a := range x.m.messages(x.s) {
		k := kindOf(a)
		ask := k == kReceiveRequestPrepares && peerOf(a) == j
		frame := x.m.receiver(a) == j && (k == kReceiveRepairDone || k == kReceiveRepairPrepare)
		if ask || frame {
			x.point("%s to replica %d: %s", x.m.messageText(x.s, a), x.m.receiver(a), x.m.fate(x.s, a))
		}
	}
	if _, out := x.m.attempt(x.s, act(kRetryRepair, j, 0, 0)); out.refused() {
		x.point("asking again: %s", x.idle(out))
	}
}

// idle is why a local step does nothing. A step that is taken to no effect sends only
// what is in flight or has no use any more.
func (x *explainer) idle(out Outcome) string {
	switch out &^ changed {
	case Taken:
		return "all that it would send is in flight already, or nobody can use it"
	case RefusedNothingNew:
		return "all that it would send is in flight already"
	}
	return out.String()
}

// byTick: which condition of opening a session on a tick is false.
func (x *explainer) byTick(j int) {
	r := &x.s.Replica[j]
	if t := *x.s; x.m.tickArmRepair(&t, j)&changed != 0 {
		x.point("on a tick: it would open one up to op %d", t.Replica[j].SessionTo)
		return
	}
	why := fmt.Sprintf("commit_min = commit_max = %d", r.CommitMin)
	switch {
	case r.Status != Normal:
		why = "it is " + r.Status.String()
	case r.CommitMin < r.CommitMax && r.held(r.CommitMin+1) != none:
		why = fmt.Sprintf("op %d is held", r.CommitMin+1)
	case r.CommitMin < r.CommitMax:
		why = fmt.Sprintf("op %d is committed and missing", r.CommitMin+1)
	}
	x.point("on a tick: %s; here %s", x.m.ruleIs(ruleRepairArming), why)
}

// byHeartbeat: which commit number a heartbeat would need to open a session, and what
// its primary can send.
func (x *explainer) byHeartbeat(p, j int, op uint8) {
	lead := &x.s.Replica[p]
	from, window := "", ""
	for commit := uint8(0); int(commit) <= x.m.cfg.Ops && from == ""; commit++ {
		t := *x.s
		x.m.receiveCommit(&t, j, lead.View, commit)
		if to := t.Replica[j].SessionTo; to != 0 {
			from = fmt.Sprintf(", that is from commit %d on", commit)
			if to < op {
				window = fmt.Sprintf(", and then only up to op %d", to)
			}
		}
	}
	x.point("on a heartbeat: when it raises commit_max above %d%s%s; replica %d can send only its commit_min, %d",
		x.s.Replica[j].CommitMax, from, window, p, lead.CommitMin)
}

// byStartView: which head a StartView of the view would need to be adopted.
func (x *explainer) byStartView(p, j int) {
	lead := &x.s.Replica[p]
	adopts := func(head uint8) bool {
		t := *x.s
		return !x.m.receiveStartView(&t, j, lead.View, head, min(head, lead.CommitMax), nil).refused()
	}
	least := uint8(0)
	for int(least) <= x.m.cfg.Ops && !adopts(least) {
		least++
	}
	ask := ""
	if _, out := x.m.attempt(x.s, act(kProbe, j, 0, 0)); out&^changed == NotEnabled {
		ask = "; nor does a Normal replica ask for one"
	}
	switch {
	case int(least) > x.m.cfg.Ops:
		x.point("on a StartView of view %d: it adopts none; %s", lead.View, x.m.ruleIs(ruleReadoption))
	case adopts(lead.Op):
		x.point("on a StartView of view %d: it would adopt one with head %d, but none is in flight%s", lead.View, lead.Op, ask)
	default:
		x.point("on a StartView of view %d: %s, that is from head %d on; the head of replica %d is %d%s",
			lead.View, x.m.ruleIs(ruleReadoption), least, p, lead.Op, ask)
	}
}

// servers tells who would serve the body if replica j asked for all it lacks up to op.
func (x *explainer) servers(j int, op uint8) {
	r := &x.s.Replica[j]
	from := r.CommitMin + 1
	if from > op {
		return
	}
	var would, not []string
	for k := range x.m.cfg.Replicas {
		if k == j || x.s.Replica[k].Status == Stopped {
			continue
		}
		if why := x.unserved(k, j, from, op); why != "" {
			not = append(not, fmt.Sprintf("replica %d %s", k, why))
		} else {
			would = append(would, fmt.Sprintf("replica %d would serve %s", k, opString(op, x.s.Replica[k].held(op))))
		}
	}
	asks := "It does not ask"
	if r.SessionTo != 0 {
		asks = fmt.Sprintf("Its session asks only replica %d, for ops up to %d", r.SessionPeer, r.SessionTo)
	}
	span := fmt.Sprintf("op %d", op)
	if from < op {
		span = fmt.Sprintf("ops %d..%d", from, op)
	}
	switch {
	case len(would) > 0:
		x.item("If it asked for %s, %s. %s.", span, list(would), asks)
	case len(not) > 0:
		x.item("If it asked for %s, nobody would serve op %d: %s.", span, op, list(not))
	}
}

// unserved is why replica k would not serve op to replica j that asks for the ops from
// one on, or "" when it would.
func (x *explainer) unserved(k, j int, from, op uint8) string {
	r := &x.s.Replica[k]
	t := *x.s
	t.Net.RepairPrepare[j] = 0
	out := x.m.receiveRequestPrepares(&t, k, j, from, op)
	id := r.held(op)
	switch {
	case id != none && t.Net.RepairPrepare[j]>>x.m.repairPos(op, id)&1 == 1:
		return ""
	case out&^changed == RefusedStatus:
		return fmt.Sprintf("is %s and serves nothing", r.Status)
	case id == none:
		return "does not hold it"
	case op > r.CommitMax && x.m.rules.ServeCeiling == ServeCommit:
		return fmt.Sprintf("holds it, but above its commit_max, %d, it serves: %s", r.CommitMax, x.m.ruleIs(ruleServeCeiling))
	}
	return "holds it, but its stream stops at a hole below"
}

// outsider explains why a replica that is not Normal in the view of primary p does not
// join it: what becomes of its probes, and of the announcements to it.
func (x *explainer) outsider(p, j int) {
	some := false
	for _, a := range x.m.messages(x.s) {
		k := kindOf(a)
		probe := k == kReceiveProbe && x.m.receiver(a) == p && func() bool { _, from := x.m.senderAt(posOf(a)); return from == j }()
		call := x.m.receiver(a) == j && (k == kReceiveAnswer || k == kReceiveStartView)
		if probe || call {
			some = true
			x.item("%s to replica %d is in flight and %s.", x.m.messageText(x.s, a), x.m.receiver(a), x.verdict(a))
		}
	}
	if !some {
		x.item("Neither a probe of it nor an announcement to it is in flight that could still have an effect.")
	}
}

// lagging explains the backups that have applied less than primary p.
func (x *explainer) lagging(p int) {
	lead := &x.s.Replica[p]
	for j := range x.m.cfg.Replicas {
		r := &x.s.Replica[j]
		if !x.m.followers(x.s, p).Has(j) || r.CommitMin >= lead.CommitMin {
			continue
		}
		op := r.CommitMin + 1
		x.head("Replica %d cannot catch up: it has applied %s, and replica %d, the primary of view %d, has applied %s.",
			j, upTo(r.CommitMin), p, lead.View, upTo(lead.CommitMin))
		x.say("It is %s in view %d with %s.", r.Status, r.View, x.claims(r))
		switch {
		case r.Status != Normal || r.View != lead.View:
			x.outsider(p, j)
			continue
		case r.CommitMax < op:
			x.unaware(j, op)
		}
		if r.held(op) != none {
			continue
		}
		if x.explained[[2]int{j, int(op)}] {
			x.say("It lacks op %d, see above.", op)
			continue
		}
		x.say("The next op to apply, op %d, is not in its journal.", op)
		x.deliveries(p, j, op)
		x.repair(p, j, op)
	}
}

func upTo(op uint8) string {
	if op == 0 {
		return "nothing"
	}
	return fmt.Sprintf("up to op %d", op)
}

// unaware explains why replica j does not learn that an op is committed.
func (x *explainer) unaware(j int, op uint8) {
	x.say("It does not know that op %d is committed.", op)
	some := false
	for _, a := range x.m.messages(x.s) {
		if x.m.receiver(a) == j && kindOf(a) == kReceiveCommit {
			some = true
			x.item("%s is in flight and %s.", x.m.messageText(x.s, a), x.verdict(a))
		}
	}
	if !some {
		x.item("No heartbeat that would tell it is in flight.")
	}
}

// primary tells what the primary can still do on its own.
func (x *explainer) primary(p int) {
	x.head("Replica %d, the primary, %s.", p, x.choose("has nothing left to do on its own", "on its own"))
	for _, k := range []kind{kRetransmit, kHeartbeat, kCommitWalk, kArmRepair} {
		t, out := x.m.attempt(x.s, act(k, p, 0, 0))
		switch {
		case t != *x.s:
			x.item("%s: still possible: %s", kindTable[k].name, kindTable[k].doc)
		case out&^changed != NotEnabled:
			x.item("%s: %s.", kindTable[k].name, x.idle(out))
		}
	}
}

// leaderless says how each replica stands when no primary has a quorum behind it.
func (x *explainer) leaderless() {
	x.head("No replica leads a view with a quorum behind it.")
	for i := range x.m.cfg.Replicas {
		r := &x.s.Replica[i]
		if r.Status == Stopped {
			x.item("Replica %d has stopped.", i)
			continue
		}
		x.item("Replica %d is %s in view %d: %s.", i, x.m.role(x.s, i), r.View, x.claims(r))
		if x.m.Undecided(x.s).Has(i) {
			x.undecided(i)
		}
		if r.Parked == 0 {
			continue
		}
		for op := r.CommitMin + 1; op <= r.MergedOp; op++ {
			if r.held(op) == none {
				x.point("its merged log waits for the body of op %d", op)
			}
		}
	}
}

// undecided says which votes the primary of a view change has, and what keeps them from
// deciding.
func (x *explainer) undecided(p int) {
	view := x.s.Replica[p].View
	votes := &x.s.Net.DoViewChange[view]
	var counted ReplicaSet
	for i := range votes {
		if votes[i].Where == voteCounted {
			counted |= 1 << i
		}
	}
	x.point("%v have joined the change to view %d, which it leads; it has the votes of %v: %d of the %d that decide",
		x.m.joined(x.s, view), view, counted, counted.Len(), x.m.cfg.ViewChangeQuorum())
	for i := range x.m.cfg.Replicas {
		a := act(kReceiveDoViewChange, i, 0, int(view))
		if votes[i].Where == voteInFlight {
			x.point("%s is in flight and %s", x.m.messageText(x.s, a), x.verdict(a))
		}
	}
	if counted.Len() >= x.m.cfg.ViewChangeQuorum() {
		x.point("discarding an op takes %d nacks, and keeping it a header and a copy of its body; for some op there is neither", x.m.nackQuorum())
	}
}

// ending says what is left: nothing that has to happen, or steps that go round.
func (x *explainer) ending() {
	if x.quiescent() {
		x.head("Nothing that has to happen is left: %s in flight and every weakly fair step of every replica were tried in this state, and none changes it.", count(len(x.m.messages(x.s)), "message"))
	} else {
		x.head("Steps that have to happen can still be taken; in the cycle that is reported they lead back here:")
		for _, s := range x.still {
			x.item("%s", s)
		}
	}
	if len(x.free) > 0 {
		x.say("What may happen, but need not: %s.", list(x.free))
	}
	if t := *x.s; !x.quiescent() && x.m.settle(&t) && !x.m.waiting(&t) {
		x.say("In another order the steps that have to happen lead out; nothing makes them take that order.")
		return
	}
	x.request()
	x.otherRules()
}

// try takes every step in the state.
func (x *explainer) try() {
	x.m.each(x.s, func(a uint32) {
		k := kindOf(a)
		if t, _ := x.m.attempt(x.s, a); t == *x.s || kindTable[k].on == onFlight || kindTable[k].on == onPair {
			return
		}
		if fairKinds[k] {
			x.still = append(x.still, x.m.ActionString(a))
		} else {
			x.free = append(x.free, x.m.ActionString(a))
		}
	})
}

// settleSteps bounds settle; no group of these sizes takes as many.
const settleSteps = 1000

// settle takes fair steps until none changes s, and reports whether it came to an end.
func (m *Model) settle(s *State) bool {
	if m.cfg.Network != NetworkSet {
		return m.settleInTurns(s)
	}
	for range settleSteps {
		moved := false
		m.each(s, func(a uint32) {
			if moved || s.Failed != AssertNone || !fairKinds[kindOf(a)] {
				return
			}
			if t, _ := m.attempt(s, a); t != *s {
				*s, moved = t, true
			}
		})
		if !moved {
			return true
		}
	}
	return false
}

// settleInTurns is settle for networks in which fair steps may go round: it takes each that
// is possible in turn, until the states at the ends of the rounds repeat.
func (m *Model) settleInTurns(s *State) bool {
	seen := map[State]bool{}
	for len(seen) < settleSteps && !seen[*s] {
		seen[*s] = true
		var round []uint32
		m.each(s, func(a uint32) { round = append(round, a) })
		for _, a := range round {
			if s.Failed != AssertNone || !fairKinds[kindOf(a)] || delivers(kindOf(a)) && !m.carries(s, a) {
				continue
			}
			*s, _ = m.attempt(s, a)
		}
	}
	return len(seen) < settleSteps
}

// waiting reports whether some op or backup of a primary, or some view change, still
// waits, as the liveness properties have it.
func (m *Model) waiting(s *State) bool {
	if m.Undecided(s) != 0 {
		return true
	}
	for _, p := range m.leaders(s) {
		r := &s.Replica[p]
		if r.Op > r.CommitMax {
			return true
		}
		for _, j := range members(m.followers(s, p)) {
			if s.Replica[j].CommitMin < r.CommitMin {
				return true
			}
		}
	}
	return false
}

// request tells what becomes of one more request of a client: whether it frees the
// group, or ends up behind the others.
func (x *explainer) request() {
	for _, p := range x.m.leaders(x.s) {
		t, _ := x.m.attempt(x.s, act(kRequest, p, 0, 0))
		if t == *x.s {
			continue
		}
		settled := x.m.settle(&t)
		r := &t.Replica[p]
		switch op := x.s.Replica[p].Op + 1; {
		case !settled || t.Failed != AssertNone:
		case !x.m.waiting(&t):
			x.say("One more request would free the group.")
		case r.Op < op || r.CommitMax >= op:
		case x.m.hasQuorum(r, op):
			x.say("One more request does not help: op %d would get its quorum, %v, and wait like the others.", op, r.Acks[op-1])
		default:
			x.say("One more request does not help: op %d would wait like the others.", op)
		}
	}
}

// otherRules names the sound alternatives under which the fair steps alone lead out of
// this very state, and those that could only have kept the group from getting there.
func (x *explainer) otherRules() {
	if !x.m.waiting(x.s) {
		return
	}
	var frees, late []string
	for k, rule := range Catalogue() {
		chosen := rule.Get(x.m.rules)
		for i, a := range rule.Alternatives {
			name := at(ruleIndex(k), uint8(i)).words()
			switch {
			case !a.Sound || a.Name == chosen:
			case x.freedBy(rule, uint8(i)):
				frees = append(frees, name)
			case !rule.safety && !rule.chosen(x.m.rules).Sound:
				late = append(late, name)
			}
		}
	}
	if len(frees) > 0 {
		x.say("With another rule from here on the group would get out: %s.", strings.Join(frees, "; or "))
	}
	if len(late) > 0 {
		x.say("It is too late for %s: from here on alone that does not free the group.", list(late))
	}
}

// freedBy reports whether the fair steps lead out of the state once an alternative of
// a rule is chosen.
func (x *explainer) freedBy(rule Rule, alternative uint8) bool {
	rules := x.m.rules
	*rule.field(&rules) = alternative
	other, err := New(x.m.cfg, rules)
	if err != nil {
		return false
	}
	other.reductions = x.m.reductions
	t := *x.s
	other.normalise(&t)
	return other.settle(&t) && t.Failed == AssertNone && !other.waiting(&t)
}
