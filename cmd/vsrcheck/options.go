package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/cmd/vsrcheck/internal/tell"
	"vsrcheck/explore"
	"vsrcheck/model"
	"vsrcheck/results"
	"vsrcheck/specs"
)

// checkOptions is what the command line of check can say.
type checkOptions struct {
	job.Request
	job.Limits
	guards bool

	checkpoint      string
	checkpointEvery time.Duration

	json       string
	traces     traceOption
	progress   string
	noProgress bool
	printOptions
}

// printOptions are about the looks of what is printed.
type printOptions struct {
	traceStates string
	color       string
}

func (o *printOptions) add(f *pflag.FlagSet) {
	o.traceStates, o.color = string(results.StatesDiff), "auto"
	f.Var(&choice{&o.traceStates, []string{string(results.StatesDiff), string(results.StatesFull), string(results.StatesNone)}},
		"trace-states", "how much of each state a trace shows")
	f.Var(&choice{&o.color, []string{"auto", "always", "never"}}, "color", "colours; auto: on a terminal, unless NO_COLOR is set")
}

func (o *printOptions) states() results.States { return results.States(o.traceStates) }

// page is the standard output with what the command line and the environment say of
// its looks.
func (o *printOptions) page(c *call) *tell.Page { return tell.NewPage(c.stdout, o.color) }

// constantOption is the option for a constant.
type constantOption struct{ *job.ConstantSetting }

func (o *constantOption) String() string { return "" } // the default is the specification's
func (o *constantOption) Type() string {
	switch o.Kind {
	case specs.IntValue:
		return "N"
	case specs.BoolValue:
		return "bool"
	case specs.StringValue:
		return strings.Join(model.NetworkNames(), "|")
	}
	return "LIST"
}

// Set checks the text's form. Which sizes fit is decided later, for all together.
func (o *constantOption) Set(text string) error { return o.Take(text) }

// memoryOption is an option with a size.
type memoryOption struct{ *job.Memory }

func (o memoryOption) String() string        { return o.Text }
func (o memoryOption) Type() string          { return "SIZE" }
func (o memoryOption) Set(text string) error { return o.Parse(text) }

// switchOption is an option of which is known whether it was given: nil is not.
type switchOption struct{ value **bool }

func (o switchOption) Type() string { return "bool" }
func (o switchOption) String() string {
	if *o.value == nil {
		return ""
	}
	return strconv.FormatBool(**o.value)
}

func (o switchOption) Set(text string) error {
	on, err := strconv.ParseBool(text)
	*o.value = &on
	return err
}

// choice is an option with a few values.
type choice struct {
	value *string
	names []string
}

func (o *choice) String() string { return *o.value }
func (o *choice) Type() string   { return strings.Join(o.names, "|") }
func (o *choice) Set(text string) error {
	for _, n := range o.names {
		if n == text {
			*o.value = text
			return nil
		}
	}
	return job.Wrongf("got %q, want one of %s%s", text, strings.Join(o.names, ", "), job.DidYouMean(text, o.names, ""))
}

// How a run shows that it is getting on.
const (
	progressText        = "text"
	progressForPrograms = "json"
	progressNone        = "none"
)

// newCheckOptions declares the options of check. Those for constants and rules are
// made from their catalogues.
func newCheckOptions() (*checkOptions, optionGroups) {
	o := &checkOptions{
		Request: job.Request{Settings: job.NewSettings(), Reduce: job.ReduceAll}, Limits: job.Limits{Store: string(explore.StoreExact)}, progress: progressText,
	}
	var groups optionGroups
	groups.declare(&o.Settings, "the specification's")

	f := groups.add("Properties")
	f.StringSliceVar(&o.Properties, "property", nil, "step or liveness `NAME`s to check instead of the specification's; or none")
	f.StringSliceVar(&o.Invariants, "invariant", nil, "state property `NAME`s to check instead of the specification's; or none")
	f.VarPF(switchOption{&o.CheckDeadlock}, "check-deadlock", "", "a state without any step is a violation (default: the specification's)").NoOptDefVal = "true"
	f.BoolVar(&o.ContinueAll, "continue", false, "go on after a violation, and report the first of each property")

	f = groups.add("Run")
	f.IntVar(&o.Workers, "workers", 0, "`N` workers (default: one per processor)")
	f.Var(&choice{&o.Store, []string{string(explore.StoreExact), string(explore.StoreHash64), string(explore.StoreHash128)}},
		"store", "how visited states are remembered; the hashes need less memory and may miss states")
	f.Var(reduceOption{&o.Reduce}, "reduce", reduceUsage)
	f.Uint64Var(&o.MaxStates, "max-states", 0, "end as inconclusive beyond `N` distinct states")
	f.IntVar(&o.MaxDepth, "max-depth", 0, "end as inconclusive at `N` steps")
	o.MemoryLimit = job.DefaultMemory()
	f.Var(memoryOption{&o.MemoryLimit}, "memory-limit", "go on disk beyond `SIZE` of memory (a hash store: end as inconclusive): 8GiB, 500M, bytes, 80% of the machine's, or none")
	f.StringVar(&o.SpillDir, "spill-dir", "", "`DIR` for what does not fit into memory, and for traces (default: the system's for temporary files, or the checkpoint's)")
	o.DiskLimit = job.Memory{Text: "none"}
	f.Var(memoryOption{&o.DiskLimit}, "disk-limit", "end as inconclusive beyond `SIZE` on disk: 100GiB, bytes, or none")
	o.declareTimeout(f, timeoutOption, "end as inconclusive after `TIME`, such as 90s or 1h30m")
	f.BoolVar(&o.guards, "guards", false, fmt.Sprintf("say which guards never refused a message, by a second search; up to %s states that is done anyway", results.Count(job.GuardStates)))

	f.StringVar(&o.checkpoint, "checkpoint", "", "keep in `DIR` what vsrcheck resume DIR needs to go on with a check that was cut short; it is removed when there is a verdict and every output is written")
	f.DurationVar(&o.checkpointEvery, "checkpoint-every", 10*time.Minute, "`TIME` between checkpoints at least; one is made in any case when the check is interrupted or at a limit")

	f = groups.add("Output")
	f.StringVar(&o.json, "json", "", "write the run's record to `FILE`; - is standard output, and what is printed goes to standard error then, as for every option that writes a file")
	f.Var(&o.traces, "trace", "write the trace of the violation that decides the verdict (with --continue: the first reported) "+
		"to a file; may be given again; the formats are "+strings.Join(results.FormatNames(), ", ")+", see vsrcheck list formats")
	f.Var(&choice{&o.progress, []string{progressText, progressForPrograms, progressNone}}, "progress",
		"on standard error. text: a line that changes on a terminal, elsewhere one a minute; json: one object a second")
	f.BoolVar(&o.noProgress, "no-progress", false, "the same as --progress none")
	o.printOptions.add(f)
	return o, groups
}

// optionGroups are the options of a command.
type optionGroups []optionGroup

// add begins a group.
func (g *optionGroups) add(title string) *pflag.FlagSet {
	f := pflag.NewFlagSet(title, pflag.ContinueOnError)
	f.SortFlags = false
	*g = append(*g, optionGroup{title, f})
	return f
}

// share adds options to a set that are declared in another command's groups.
func (g optionGroups) share(to *pflag.FlagSet, names ...string) {
	for _, group := range g {
		group.flags.VisitAll(func(f *pflag.Flag) {
			if slices.Contains(names, f.Name) {
				to.AddFlag(f)
			}
		})
	}
}

// declare declares the options for every constant and every rule; whose says where the
// defaults come from.
func (g *optionGroups) declare(o *job.Settings, whose string) {
	f := g.add("Sizes, budgets and switches (default: " + whose + ")")
	for _, c := range o.Constants {
		summary := c.Summary
		if c.Kind == specs.SetValue {
			summary += ": such as 0,2 or all or none"
		}
		flag := f.VarPF(&constantOption{c}, job.OptionName(c.Name), "", summary)
		if c.Kind == specs.BoolValue {
			flag.NoOptDefVal = "true"
		}
	}

	rules := g.add("Rules (default: " + whose + ")")
	defects := g.add(tell.KnownDefects + " (default: " + whose + ")")
	for _, r := range o.Rules {
		f = rules
		if r.Rule.Defect {
			f = defects
		}
		f.Var(&choice{&r.Text, r.Rule.AlternativeNames()}, job.OptionName(r.Rule.Name), r.Rule.Summary)
	}
}

// validate finds what the types of the options cannot.
func (o *checkOptions) validate() error {
	switch {
	case o.Workers < 0 || o.Workers > 1024:
		return job.Wrongf("--workers: got %d, want 0..1024", o.Workers)
	case o.MaxDepth < 0:
		return job.Wrongf("--max-depth: got %d, want a number of steps", o.MaxDepth)
	case o.DiskLimit.Percent != 0:
		return job.Wrongf("--disk-limit: got %s, want a size such as 100GiB, or none", o.DiskLimit.Text)
	case o.checkpoint != "" && o.SpillDir != "":
		return job.Wrongf("--spill-dir: got %s and --checkpoint %s, want one of the two: a checkpoint has the states on disk in its own directory", o.SpillDir, o.checkpoint)
	case o.checkpointEvery < 0:
		return job.Wrongf("--checkpoint-every: got %s, want a time that is not negative", o.checkpointEvery)
	case o.Timeout < 0:
		return job.Wrongf("--%s: got %s, want a time that is not negative", o.TimeoutName, o.Timeout)
	}
	return nil
}

// quiet reports whether nothing is to be said of how a run is getting on.
func (o *checkOptions) quiet() bool { return o.noProgress || o.progress == progressNone }

// The options for how long a run may take, and each of many: cells, checks, candidates. Both
// were --time-limit once. Recorded command lines have that, so it is taken, and in no help.
const (
	timeoutOption     = "timeout"
	cellTimeoutOption = "cell-timeout"
	oldTimeoutOption  = "time-limit"
)

// declareTimeout declares one of these options.
func (o *checkOptions) declareTimeout(f *pflag.FlagSet, name, usage string) {
	o.TimeoutName = name
	f.DurationVar(&o.Timeout, name, 0, usage)
	f.DurationVar(&o.Timeout, oldTimeoutOption, 0, "the same as --"+name+" `TIME`")
	f.Lookup(oldTimeoutOption).Hidden = true
}

const reduceUsage = "eager: heartbeats, probes and their answers are in flight as early as they can be; " +
	"faults: a stop or a loss is taken where it leaves nothing to do; prompt: an answer to a probe is in flight while it is true; " +
	"all: each that is sound for what is checked; none; raw: none, and dead messages and variables stay, to compare with"

// reduceOption is a list of reductions.
type reduceOption struct{ value *string }

func (o reduceOption) String() string { return *o.value }

func (o reduceOption) Type() string { return "LIST" }

func (o reduceOption) Set(text string) error {
	if !slices.Contains(job.WholeReductions, text) {
		if _, err := job.ListedReductions(text); err != nil {
			return err
		}
	}
	*o.value = text
	return nil
}

// declareSends declares --reduce for commands that take every step of a fault: those
// that walk, and those that compare with a system which knows nothing of faults last.
func declareSends(f *pflag.FlagSet, value *string) {
	*value = job.ReduceEager
	f.Var(&choice{value, []string{job.ReduceEager, job.ReduceNone, job.ReduceRaw}}, "reduce",
		"eager: heartbeats, probes and their answers are in flight as early as they can be; none: each is a step of its own; "+
			"raw: so is it, and dead messages and variables stay")
}
