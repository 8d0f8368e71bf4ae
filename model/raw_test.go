package model_test

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"vsrcheck/explore"
	"vsrcheck/invariants"
	"vsrcheck/model"
	"vsrcheck/model/modeltest"
)

var (
	draws     = flag.Int("draws", 0, "how many systems TestRawOnRandomSystems draws (0: as many as fit into a short or a long run)")
	firstDraw = flag.Uint64("first-draw", 1, "the first of them; the number of a draw decides all about it")
	drawsTo   = flag.String("draws-json", "", "write what TestRawOnRandomSystems counted to this file")
)

// TestRawOnRandomSystems draws systems: sizes, budgets, who may fail, network, constraints,
// and rules of which many differ from the sound ones at once. Of each it compares the raw
// model with the normalised one, and that with each set of reductions that is sound for it:
// what the replicas can be, where nothing has to happen any more, and each property with the
// length of its shortest violation.
func TestRawOnRandomSystems(t *testing.T) {
	n := *draws
	if n == 0 {
		n = 60
		switch {
		case testing.Short():
			n = 10
		case model.Long():
			n = 400
		}
	}
	var count drawCount
	var wg sync.WaitGroup
	next := make(chan uint64)
	for range 2 {
		wg.Go(func() {
			for number := range next {
				compareDraw(t, number, &count)
			}
		})
	}
	for k := range uint64(n) {
		next <- *firstDraw + k
	}
	close(next)
	wg.Wait()
	count.Draws, count.First = n, *firstDraw
	t.Logf("%+v", &count.figures)
	if count.Compared < n/3 || count.Raw < n/6 || n >= 60 && (count.Cyclic == 0 || count.Constrained == 0 || count.Violating == 0) {
		t.Errorf("%d draws, and too little was compared: %+v", n, &count.figures)
	}
	if *drawsTo != "" {
		text, err := json.MarshalIndent(&count.figures, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(*drawsTo, append(text, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// figures are what a run of TestRawOnRandomSystems counted.
type figures struct {
	First       uint64 `json:"first_draw"`
	Draws       int    `json:"draws"`
	Compared    int    `json:"compared"`    // systems of which two models or more were small enough
	Raw         int    `json:"raw"`         // of these, those whose raw model was among them
	Reduced     int    `json:"reduced"`     // pairs of a reduced and the unreduced model
	Violating   int    `json:"violating"`   // systems that violate something
	Cyclic      int    `json:"cyclic"`      // systems with cycles
	Constrained int    `json:"constrained"` // systems with a constraint
	TooLarge    int    `json:"too_large"`   // systems that were skipped
	Differing   int    `json:"differing"`
}

type drawCount struct {
	sync.Mutex
	figures
}

// system is one that was drawn.
type system struct {
	cfg         model.Config
	rules       model.Rules
	settings    []string // the rules that differ from the sound ones
	constraints []string
}

func (y *system) String() string {
	c := &y.cfg
	return fmt.Sprintf("%s may_crash=%b may_stop=%b network=%s duplicates=%d pipeline=%d durable=%t elects=%t carries=%t %v constraints %v",
		modeltest.Name(*c), c.MayCrash, c.MayStop, c.Network, c.Duplicates, c.Pipeline, c.JournalDurable, c.RecoveringElects, c.PrepareCarriesCommit, y.settings, y.constraints)
}

// drawSystem draws a system small enough to be compared, mostly.
func drawSystem(rnd *rand.Rand) *system {
	pick := func(weights ...int) int {
		sum := 0
		for _, w := range weights {
			sum += w
		}
		at := rnd.IntN(sum)
		for i, w := range weights {
			if at -= w; at < 0 {
				return i
			}
		}
		return 0
	}
	replicas := 2 + pick(60, 32, 4, 4)
	views := pick(30, 50, 20)
	ops := 1 + pick(70, 30)
	faults := [][3]int{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}, {1, 0, 1}, {0, 1, 1}, {2, 0, 0}, {0, 0, 2}, {1, 0, 2}}
	if replicas > 2 {
		ops = 1 + pick(90, 10)
		views = pick(60, 40)
		faults = faults[:5]
	}
	if replicas > 3 {
		ops, views = 1, 0
	}
	f := faults[rnd.IntN(len(faults))]
	y := &system{cfg: modeltest.Sized(replicas, ops, views, f[0], f[1], f[2])}
	c := &y.cfg
	all := 1<<replicas - 1
	if rnd.IntN(2) == 0 {
		c.MayCrash = model.ReplicaSet(1 + rnd.IntN(all))
		c.MayStop = model.ReplicaSet(1 + rnd.IntN(all))
	}
	c.JournalDurable = rnd.IntN(2) == 0
	c.RecoveringElects = rnd.IntN(4) == 0
	c.PrepareCarriesCommit = rnd.IntN(3) != 0
	if pick(85, 15) == 1 {
		c.Network = model.NetworkConsume
		c.Duplicates = rnd.IntN(2)
	}
	y.rules = modeltest.SoundRules()
	set := func(r model.Rule) {
		name := r.AlternativeNames()[rnd.IntN(len(r.AlternativeNames()))]
		if name != r.Get(y.rules) {
			y.rules = modeltest.With(y.rules, r.Name+"="+name)
		}
	}
	rules := model.Catalogue()
	for _, r := range rules {
		switch {
		case slices.Contains([]string{"readoption", "probe_adoption", "incarnation"}, r.Name):
			if rnd.IntN(2) == 0 { // much of the reductions rests on them
				set(r)
			}
		case rnd.IntN(10) == 0:
			set(r)
		}
	}
	for _, r := range rules {
		if got := r.Get(y.rules); got != r.Get(modeltest.SoundRules()) {
			y.settings = append(y.settings, r.Name+"="+got)
		}
	}
	if rnd.IntN(4) == 0 {
		for _, p := range invariants.Catalogue() {
			if p.Kind == invariants.Constraint && rnd.IntN(3) == 0 {
				y.constraints = append(y.constraints, p.Name)
			}
		}
	}
	return y
}

// seenParts are what a search of a model shows of its replicas: all that they can be, and
// what they are where no fair step changes anything, with a primary that leads a quorum.
type seenParts struct {
	all, led map[string]bool
}

// partOf is what the properties see of a state, for models of one system: not the network,
// not its budget, and no variable that the normalisation may clear.
func partOf(plain *model.Model, s *model.State) string {
	u := model.State{Crashes: s.Crashes, Stops: s.Stops, Decided: s.Decided, Failed: s.Failed}
	c := plain.Config()
	for i := range c.Replicas {
		r := &s.Replica[i]
		v := &u.Replica[i]
		v.Status, v.View, v.LogView, v.Op = r.Status, r.View, r.LogView, r.Op
		v.CommitMax, v.CommitMin, v.Journal = r.CommitMax, r.CommitMin, r.Journal
		v.Parked, v.MergedOp = r.Parked, r.MergedOp
		if r.Status == model.Normal && c.Primary(r.View) == i {
			v.Acks = r.Acks
		}
	}
	return key(plain, &u, make([]uint64, plain.Words()))
}

// ending is how a check of a model ended: what is violated, and of what has no cycle, after
// how many steps.
type ending struct {
	violated         []string
	safety, liveness []string
	decided          bool // liveness was
	cyclic           bool
}

// without is an ending without a property.
func (e *ending) without(property string) *ending {
	out := *e
	other := func(text string) bool { return text == property || strings.HasPrefix(text, property+" ") }
	out.violated = slices.DeleteFunc(slices.Clone(e.violated), other)
	out.safety = slices.DeleteFunc(slices.Clone(e.safety), other)
	return &out
}

// examine checks a model and collects its parts; ok is false when it is too large.
func examine(t *testing.T, m, plain *model.Model, y *system, limit uint64) (parts seenParts, end ending, ok bool) {
	t.Helper()
	parts = seenParts{map[string]bool{}, map[string]bool{}}
	props := everyProperty(m)
	props.Reachable = nil
	var predicates []invariants.Property
	for _, name := range y.constraints {
		p, _ := invariants.Named(name)
		predicates = append(predicates, p)
	}
	if len(predicates) > 0 {
		props.Constraint = func(s *model.State) bool {
			return !slices.ContainsFunc(predicates, func(p invariants.Property) bool { return !p.Holds(m, s) })
		}
	}
	var lock sync.Mutex
	props.Invariants = append(props.Invariants, explore.Invariant[model.State]{Name: "seen", Holds: func(s *model.State) bool {
		part := partOf(plain, s)
		lock.Lock()
		parts.all[part] = true
		lock.Unlock()
		return true
	}})
	props.Observed = append(props.Observed, explore.Observed[model.State]{Name: "led", Is: func(s *model.State) bool {
		if s.Failed == model.AssertNone && leadsQuorum(m, s) {
			part := partOf(plain, s)
			lock.Lock()
			parts.led[part] = true
			lock.Unlock()
		}
		return true
	}})
	r, err := explore.Check(context.Background(), explore.System[model.State](m), props, explore.Options{Workers: 1, MaxStates: limit})
	if err != nil {
		t.Errorf("%s: %v", y, err)
		return parts, end, false
	}
	switch r.Stop {
	case explore.StopNone:
		end.decided = true
	case explore.StopConstraint, explore.StopReduction:
	default:
		return parts, end, false
	}
	end.cyclic = r.Liveness == explore.MethodComponents
	for _, v := range r.Violations {
		end.violated = append(end.violated, v.Property)
		what := fmt.Sprintf("%s after %d steps", v.Property, v.Depth)
		switch {
		case v.Kind != explore.KindLiveness:
			end.safety = append(end.safety, what)
		case v.LoopStart < 0: // how long a lasso is depends on the sends on its way
			end.liveness = append(end.liveness, what)
		}
	}
	slices.Sort(end.violated)
	slices.Sort(end.safety)
	slices.Sort(end.liveness)
	return parts, end, true
}

// reductionSets are all sets of reductions, none of them first.
func reductionSets() (out []model.Reductions) {
	for b := range 8 {
		out = append(out, model.Reductions{EagerSends: b&1 != 0, FaultsLast: b&2 != 0, PromptAnswers: b&4 != 0})
	}
	return out
}

// compareDraw draws the system of a number and compares its models.
func compareDraw(t *testing.T, number uint64, count *drawCount) {
	y := drawSystem(rand.New(rand.NewPCG(number, 42)))
	plain, err := model.New(y.cfg, y.rules)
	if err != nil {
		t.Errorf("draw %d: %s: %v", number, y, err)
		return
	}
	plain = plain.Unreduced()
	const limit = 25_000
	free, end, ok := examine(t, plain, plain, y, limit)
	if !ok {
		count.Lock()
		count.TooLarge++
		count.Unlock()
		return
	}
	var problems []string
	raw, reduced := 0, 0
	if plain.RawRefused() == "" {
		if parts, rawEnd, ok := examine(t, plain.Raw(), plain, y, 3*limit); ok {
			raw = 1
			problems = append(problems, differences("raw", &free, &parts, &end, &rawEnd, true)...)
			problems = append(problems, lengths("raw", end.safety, rawEnd.safety)...)
		}
	}
	// A reduction keeps the lengths of traces, but for eager sends: these are no steps.
	ends := map[bool]*ending{false: &end}
	tried := []model.Reductions{{}}
	for _, r := range reductionSets()[1:] {
		m := plain.With(r)
		r = m.Reductions()
		if slices.Contains(tried, r) || r.PromptAnswers && len(y.constraints) > 0 { // the command refuses these, and rightly: draw 101918
			continue
		}
		tried = append(tried, r)
		name := fmt.Sprintf("%+v", r)
		parts, redEnd, ok := examine(t, m, plain, y, limit)
		if !ok {
			problems = append(problems, name+" has more states")
			continue
		}
		reduced++
		if r.FaultsLast { // CommittedIsHeld is not checked with these, see everyProperty
			problems = append(problems, differences(name, &free, &parts, end.without("CommittedIsHeld"), &redEnd, false)...)
		} else {
			problems = append(problems, differences(name, &free, &parts, &end, &redEnd, true)...)
		}
		if base := ends[r.EagerSends]; base == nil {
			ends[r.EagerSends] = &redEnd
		} else {
			safety := base.safety
			if r.FaultsLast {
				safety = base.without("CommittedIsHeld").safety
			}
			problems = append(problems, lengths(name, safety, redEnd.safety)...)
			if base.decided && redEnd.decided {
				problems = append(problems, lengths(name, base.liveness, redEnd.liveness)...)
			}
		}
	}
	count.Lock()
	defer count.Unlock()
	if raw+reduced > 0 {
		count.Compared++
	}
	count.Raw += raw
	count.Reduced += reduced
	if len(end.violated) > 0 {
		count.Violating++
	}
	if end.cyclic {
		count.Cyclic++
	}
	if len(y.constraints) > 0 {
		count.Constrained++
	}
	if len(problems) > 0 {
		count.Differing++
		t.Errorf("draw %d: %s\n\t%s", number, y, strings.Join(problems, "\n\t"))
	}
}

// lengths says which traces differ in length.
func lengths(name string, want, got []string) []string {
	if slices.Equal(want, got) {
		return nil
	}
	return []string{fmt.Sprintf("%s: %v, want %v", name, got, want)}
}

// differences says what two models of one system do not have in common. exact asks for all
// states of the replicas; a model that takes faults last has fewer.
func differences(name string, free, other *seenParts, a, b *ending, exact bool) (out []string) {
	say := func(format string, args ...any) { out = append(out, name+": "+fmt.Sprintf(format, args...)) }
	if a.decided && b.decided && !slices.Equal(a.violated, b.violated) {
		say("violates %v, want %v", b.violated, a.violated)
	}
	missing := func(what string, x, y map[string]bool) {
		n := 0
		for k := range x {
			if !y[k] {
				n++
			}
		}
		if n > 0 {
			say("%d states of the replicas %s", n, what)
		}
	}
	missing("that the unreduced model does not reach", other.all, free.all)
	if exact {
		missing("are not reached", free.all, other.all)
	}
	if a.decided && b.decided && !a.cyclic {
		missing("are still and led, and are not so in the unreduced model", other.led, free.led)
		missing("are still and led in the unreduced model only", free.led, other.led)
	}
	slices.SortFunc(out, func(a, b string) int { return cmp.Compare(a, b) })
	return out
}
