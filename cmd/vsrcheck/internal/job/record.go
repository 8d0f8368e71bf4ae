package job

import (
	"fmt"
	"runtime"

	"vsrcheck/explore"
	"vsrcheck/model"
	"vsrcheck/results"
	"vsrcheck/specs"
)

// Record is everything about a run for its JSON file.
func (o *Outcome) Record(commandLine []string, exitCode int) *results.Record {
	r := &results.Record{
		Schema:     results.Schema,
		Spec:       o.Name,
		Path:       o.Path,
		Config:     o.ConfigSettings(),
		Rules:      o.RuleSettings(),
		Deciding:   o.Decided,
		Properties: o.Bound.Listed,
		Network:    NetworkText(o.Config),

		Constraints: o.ConstraintRecords(),

		Verdict:  string(o.Verdict),
		Stop:     string(o.Stop),
		Reason:   o.Why,
		ExitCode: exitCode,

		Distinct:   o.Distinct,
		Outside:    o.Outside,
		Generated:  o.Generated,
		Depth:      o.Depth,
		Levels:     o.Levels,
		Liveness:   string(o.Liveness),
		Quiescent:  o.Quiescent,
		Components: o.Components,
		Observed:   map[string]uint64{},

		Workers:              o.Workers,
		Store:                string(o.Store),
		Reduction:            ReductionOf(o.Model),
		CollisionProbability: o.CollisionProbability,
		Seconds:              o.Elapsed.Seconds(),
		StatesPerSecond:      o.StatesPerSecond(),
		PeakMemory:           results.PeakMemory(),
		StoreBytes:           o.StoreBytes,
		StateBytes:           8 * o.Model.Words(),
		BytesPerState:        o.BytesPerState(),

		CommandLine: ShownLine(commandLine),
		Started:     o.Started.UTC(),
		Build:       results.ReadBuild(),
		CPUs:        runtime.NumCPU(),
	}
	if v := o.Decisive(); v != nil {
		r.Violated, r.TraceLength = v.Property, Steps(v)
	}
	for i, seen := range o.Bound.Observed {
		r.Observed[seen.Name] = o.Observed[i]
	}
	for i, e := range o.Bound.Excuses {
		if len(o.ObservedSteps) > i { // walks count none
			if r.Excused == nil {
				r.Excused = map[string]uint64{}
			}
			r.Excused[e.Name] = o.ObservedSteps[i]
		}
	}
	r.Vacuous = o.Silent()
	r.NotAsked = o.Bound.NotAsked
	for i := range o.Violations {
		r.Violations = append(r.Violations, o.ViolationRecord(&o.Violations[i]))
	}
	for k, c := range o.Coverage {
		r.Coverage = append(r.Coverage, results.Action{Name: c.Kind, Fair: o.Model.KindFair(k), Generated: c.Generated, Effective: c.Effective})
	}
	r.Guards = o.guardRecords()
	return r
}

// ViolationRecord is a violation for the record of a run, with the actions that lead to it.
func (o *Outcome) ViolationRecord(v *explore.Violation[model.State]) results.Violation {
	out := results.Violation{Property: v.Property, Kind: string(v.Kind), Depth: v.Depth, LoopStart: v.LoopStart, Actions: []string{}}
	out.Bounded = o.RankOf(v).bounded()
	for i := 1; i < len(v.Trace); i++ {
		out.Actions = append(out.Actions, o.Model.ActionString(v.Trace[i].Action))
	}
	return out
}

// ObservedOf is the count of what is reported and no verdict; 0 when it was not counted.
func (o *Outcome) ObservedOf(name string) uint64 {
	for i, seen := range o.Bound.Observed {
		if seen.Name == name {
			return o.Observed[i]
		}
	}
	return 0
}

// NetworkText says what may happen to a message.
func NetworkText(c model.Config) string {
	switch c.Network {
	case model.NetworkConsume:
		return fmt.Sprintf("each sent message is delivered once, effective or refused, at any time, late and out of order; what is sent while the same is in flight merges with it; again only by the budget duplicates=%d, lost only by drops=%d",
			c.Duplicates, c.Drops)
	case model.NetworkFIFO:
		return fmt.Sprintf("a channel from each replica to each other delivers each message once, in the order in which they were sent; at most %s at a time, and a step whose sends do not fit waits; lost with the crash of the receiver, or by the budget resets=%d of connections",
			results.Plural(c.Channel, "message"), c.Resets)
	}
	return fmt.Sprintf("set of sent messages: any of them may be delivered at any time, late, out of order and again; lost only by the budget drops=%d", c.Drops)
}

// ShownLine is a command line as a record has it: without what a terminal would obey.
func ShownLine(words []string) []string {
	var out []string
	for _, word := range words {
		out = append(out, specs.Printable(word))
	}
	return out
}
