package main

import (
	"context"
	"strings"

	"vsrcheck/cmd/vsrcheck/internal/behaviour"
	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/explore"
	"vsrcheck/results/trace"
)

// replayOptions is what the command line of replay can say.
type replayOptions struct {
	behaviour.Again
	spec   string
	traces traceOption
	printOptions
}

func replayCommand() command {
	return command{
		name: "replay", usage: "TRACE [OPTIONS]",
		summary: "take the steps of a recorded trace again, and say whether they are possible and still violate the property",
		about: []string{
			"TRACE is a file in the format json or itf, as check --trace and simulate --trace write it, or the record of a run (--json), of which the first violation is taken; - is standard input.",
		},
		examples: []string{
			"vsrcheck replay wedge.json",
			"vsrcheck replay wedge.json --fetch-to-op fixed",
			"vsrcheck replay wedge.itf.json --trace tla=wedge_trace.tla",
			"vsrcheck replay results/runs/fetch-to-op-old.json --trace json=wedge.json",
		},
		groups: func() (any, []optionGroup) {
			o, groups := newReplayOptions()
			return o, groups
		},
		run: runReplay,
	}
}

func newReplayOptions() (*replayOptions, []optionGroup) {
	o := &replayOptions{Again: behaviour.Again{Settings: job.NewSettings()}}
	var groups optionGroups
	groups.settings(&o.Settings, "the trace's")
	f := groups.add("Replay")
	f.StringVar(&o.spec, "spec", "", "take the configuration and the rules of the specification `NAME` or PATH.cfg instead of the trace's")
	f.StringVar(&o.Property, "property", "", "the property `NAME` to check at the end instead of the trace's")
	f.Var(&choice{&o.Reduce, []string{job.ReduceEager, job.ReduceNone, job.ReduceRaw}}, "reduce", "as for check (default: the trace's, with faults at any time)")
	f = groups.add("Output")
	f.Var(&o.traces, "trace", "write the replayed trace, when it is complete and the violation confirmed, to a file; may be given again; the formats are "+
		strings.Join(trace.FormatNames(), ", "))
	o.printOptions.add(f)
	return o, groups
}

func runReplay(_ context.Context, c *call) (int, error) {
	o := c.options.(*replayOptions)
	if len(c.args) != 1 {
		return 0, job.Wrongf("replay: got %d arguments, want the file of one trace, in the format json or itf, or of a record", len(c.args))
	}
	variables, err := behaviour.Variables()
	if err != nil {
		return 0, err
	}
	recorded, err := c.readTrace(c.args[0], variables)
	if err != nil {
		return 0, err
	}
	if o.spec != "" {
		spec, err := c.findSpec(o.spec)
		if err != nil {
			return 0, err
		}
		o.Again.Spec = &spec
	}
	name := c.args[0]
	if name == stdio {
		name = stdinName
	}
	r, err := o.Prepare(name, recorded)
	if err != nil {
		return 0, err
	}
	files, err := o.traces.create(c, "")
	if err != nil {
		return 0, err
	}
	defer files.abort()
	if err := r.Run(); err != nil {
		return 0, err
	}
	p := o.page(c)
	defer p.Later()()
	failed := p.Replay(r, o.states(), files.line(r.Confirmed))
	if r.Confirmed {
		t := behaviour.Trace(r.Job, r.Property.Name, explore.Kind(r.Property.Kind), r.Behaviour, recorded.LoopStart)
		r.KeepHistory(t)
		failed = join(failed, files.write(&tracedRun{r.Job, t, r.Behaviour}, o.states()))
	}
	return codeOfReplay(r), failed
}

// codeOfReplay is the exit code of a replay: that of the violation when it is confirmed.
func codeOfReplay(r *behaviour.Replay) int {
	switch {
	case !r.Complete():
		return exitDiverged
	case !r.Confirmed:
		return exitHolds
	}
	return codeOf(r.Rank().End())
}
