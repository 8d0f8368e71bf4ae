package main

import (
	"runtime"

	"vsrcheck/explore"
	"vsrcheck/model"
	"vsrcheck/results"
	"vsrcheck/specs"
)

// record is everything about a run for its JSON file.
func (o *outcome) record(commandLine []string) *results.Record {
	r := &results.Record{
		Schema:     results.Schema,
		Spec:       o.Name,
		Path:       o.Path,
		Config:     o.configSettings(),
		Rules:      o.ruleSettings(),
		Deciding:   o.decided,
		Properties: o.bound.listed,
		Network:    networkText(o.Config),

		Constraints: o.constraintRecords(),

		Verdict:  string(o.Verdict),
		Stop:     string(o.Stop),
		Reason:   o.reason,
		ExitCode: o.code,

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
		Reduction:            reductionOf(o.model),
		CollisionProbability: o.CollisionProbability,
		Seconds:              o.Elapsed.Seconds(),
		StatesPerSecond:      o.statesPerSecond(),
		PeakMemory:           results.PeakMemory(),
		StoreBytes:           o.StoreBytes,
		StateBytes:           8 * o.model.Words(),
		BytesPerState:        o.bytesPerState(),

		CommandLine: shownLine(commandLine),
		Started:     o.started.UTC(),
		Build:       results.ReadBuild(),
		CPUs:        runtime.NumCPU(),
	}
	if v := o.decisive(); v != nil {
		r.Violated, r.TraceLength = v.Property, steps(v)
	}
	for i, seen := range o.bound.Observed {
		r.Observed[seen.Name] = o.Observed[i]
	}
	for i, e := range o.bound.excuses {
		if len(o.ObservedSteps) > i { // walks count none
			if r.Excused == nil {
				r.Excused = map[string]uint64{}
			}
			r.Excused[e.Name] = o.ObservedSteps[i]
		}
	}
	r.Vacuous = o.silent()
	r.NotAsked = o.bound.notAsked
	for i := range o.Violations {
		r.Violations = append(r.Violations, o.violationRecord(&o.Violations[i]))
	}
	for k, c := range o.Coverage {
		r.Coverage = append(r.Coverage, results.Action{Name: c.Kind, Fair: o.model.KindFair(k), Generated: c.Generated, Effective: c.Effective})
	}
	r.Guards = o.guardRecords()
	return r
}

func (o *outcome) violationRecord(v *explore.Violation[model.State]) results.Violation {
	out := results.Violation{Property: v.Property, Kind: string(v.Kind), Depth: v.Depth, LoopStart: v.LoopStart, Actions: []string{}}
	out.Bounded = o.rankOf(v).bounded()
	for i := 1; i < len(v.Trace); i++ {
		out.Actions = append(out.Actions, o.model.ActionString(v.Trace[i].Action))
	}
	return out
}

// configSettings lists the constants other than rules as they are in force.
func (s *override) configSettings() []results.Setting {
	var out []results.Setting
	for _, c := range specs.Constants() {
		if !c.Shown(s.Config) {
			continue
		}
		out = append(out, results.Setting{Name: c.Name, Value: c.Get(s.Config).String(), Instead: s.instead[c.Name]})
	}
	return out
}

// ruleSettings lists the rules as they are in force.
func (s *override) ruleSettings() []results.Setting {
	var out []results.Setting
	for _, r := range model.Catalogue() {
		out = append(out, results.Setting{Name: r.Name, Value: r.Get(s.Rules), Instead: s.instead[r.Name]})
	}
	return out
}

// shownLine is a command line as a record has it: without what a terminal would obey.
func shownLine(words []string) []string {
	var out []string
	for _, word := range words {
		out = append(out, specs.Printable(word))
	}
	return out
}
