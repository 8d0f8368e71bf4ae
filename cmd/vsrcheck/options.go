package main

import (
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/cmd/vsrcheck/internal/tell"
	"vsrcheck/model"
	"vsrcheck/results/trace"
	"vsrcheck/specs"
)

// This file has the options that several commands offer, each declared in one place. A
// command's own are in its file.

// progressOptions are about what is shown while a search goes on.
type progressOptions struct {
	progress   string
	noProgress bool
}

// How a run shows that it is getting on.
const (
	progressText        = "text"
	progressForPrograms = "json"
	progressNone        = "none"
)

func (o *progressOptions) add(f *pflag.FlagSet) {
	o.progress = progressText
	f.Var(&choice{&o.progress, []string{progressText, progressForPrograms, progressNone}}, "progress",
		"on standard error. text: a line that changes on a terminal, elsewhere one a minute; json: one object a second")
	f.BoolVar(&o.noProgress, "no-progress", false, "the same as --progress none")
}

// quiet reports whether nothing is to be said of how a run is getting on.
func (o *progressOptions) quiet() bool { return o.noProgress || o.progress == progressNone }

// pageOptions are about the looks of what is printed, and how much it is.
type pageOptions struct {
	color       string
	onlyVerdict bool
}

func (o *pageOptions) add(f *pflag.FlagSet) {
	f.BoolVar(&o.onlyVerdict, "quiet", false, "print the last line only, the verdict, and no progress")
	addColor(f, &o.color)
}

// page is the standard output with what the command line and the environment say of
// its looks.
func (o *pageOptions) page(c *call) *tell.Page {
	if o.onlyVerdict {
		return tell.OnlyVerdict(c.stdout, o.color)
	}
	return tell.NewPage(c.stdout, o.color)
}

// printOptions are those of a page with traces.
type printOptions struct {
	traceStates string
	pageOptions
}

func (o *printOptions) add(f *pflag.FlagSet) {
	o.traceStates = string(trace.StatesDiff)
	f.Var(&choice{&o.traceStates, []string{string(trace.StatesDiff), string(trace.StatesFull), string(trace.StatesNone)}},
		"trace-states", "how much of each state a trace shows")
	o.pageOptions.add(f)
}

func addColor(f *pflag.FlagSet, color *string) {
	*color = "auto"
	f.Var(&choice{color, []string{"auto", "always", "never"}}, "color", "colours; auto: on a terminal, unless NO_COLOR is set")
}

func (o *printOptions) states() trace.States { return trace.States(o.traceStates) }

// outputOptions are those of a run that may find a violation.
type outputOptions struct {
	json   string
	traces traceOption
	progressOptions
	printOptions
}

func (o *outputOptions) add(f *pflag.FlagSet) {
	f.StringVar(&o.json, "json", "", "write the run's record to `FILE`; - is standard output, and what is printed goes to standard error then, as for every option that writes a file")
	f.Var(&o.traces, "trace", "write the trace of the violation that decides the verdict (with --continue: the first reported) "+
		"to a file; may be given again; the formats are "+strings.Join(trace.FormatNames(), ", ")+", see vsrcheck list formats")
	o.progressOptions.add(f)
	o.printOptions.add(f)
}

// quiet reports whether nothing is to be said of how a run is getting on.
func (o *outputOptions) quiet() bool { return o.onlyVerdict || o.progressOptions.quiet() }

// addWorkers declares how many workers a search has.
func addWorkers(f *pflag.FlagSet, l *job.Limits) {
	f.IntVar(&l.Workers, "workers", 0, "`N` workers (default: one per processor)")
}

// addReduce declares which reductions of the states a search takes.
func addReduce(f *pflag.FlagSet, r *job.Request) {
	r.Reduce = job.ReduceAll
	f.Var(reduceOption{&r.Reduce}, "reduce", reduceUsage)
}

// addMaxStates declares how many states a search visits at most.
func addMaxStates(f *pflag.FlagSet, l *job.Limits) {
	f.Uint64Var(&l.MaxStates, "max-states", 0, "end as inconclusive beyond `N` distinct states")
}

// addMemory declares where a search keeps its states, and how much it keeps.
func addMemory(f *pflag.FlagSet, l *job.Limits) {
	f.Var(memoryOption{&l.MemoryLimit}, "memory-limit", "go on disk beyond `SIZE` of memory (a hash store: end as inconclusive): 8GiB, 500M, bytes, 80% of the machine's, or none")
	f.StringVar(&l.SpillDir, "spill-dir", "", "`DIR` for what does not fit into memory, and for traces (default: the system's for temporary files, or the checkpoint's)")
	f.Var(memoryOption{&l.DiskLimit}, "disk-limit", "end as inconclusive beyond `SIZE` on disk: 100GiB, bytes, or none")
}

// addTimeout declares one of the options for how long a run, or each of many, may take.
func addTimeout(f *pflag.FlagSet, l *job.Limits, name, usage string) {
	l.TimeoutName = name
	f.DurationVar(&l.Timeout, name, 0, usage)
	f.DurationVar(&l.Timeout, oldTimeoutOption, 0, "the same as --"+name+" `TIME`")
	f.Lookup(oldTimeoutOption).Hidden = true
}

// validateLimits finds what the types of the options cannot.
func validateLimits(l *job.Limits) error {
	switch {
	case l.Workers < 0 || l.Workers > 1024:
		return job.Wrongf("--workers: got %d, want 0..1024", l.Workers)
	case l.MaxDepth < 0:
		return job.Wrongf("--max-depth: got %d, want a number of steps", l.MaxDepth)
	case l.DiskLimit.Percent != 0:
		return job.Wrongf("--disk-limit: got %s, want a size such as 100GiB, or none", l.DiskLimit.Text)
	case l.Timeout < 0:
		return job.Wrongf("--%s: got %s, want a time that is not negative", l.TimeoutName, l.Timeout)
	}
	return nil
}

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

// optionGroups are the options of a command.
type optionGroups []optionGroup

// add begins a group.
func (g *optionGroups) add(title string) *pflag.FlagSet {
	f := pflag.NewFlagSet(title, pflag.ContinueOnError)
	f.SortFlags = false
	*g = append(*g, optionGroup{title, f})
	return f
}

// settings declares the options for every constant and every rule; whose says where the
// defaults come from.
func (g *optionGroups) settings(o *job.Settings, whose string) {
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

// properties declares the options for what is checked of a specification.
func (g *optionGroups) properties(r *job.Request) {
	f := g.add("Properties")
	f.StringSliceVar(&r.Properties, "property", nil, "step or liveness `NAME`s to check instead of the specification's; or none")
	f.StringSliceVar(&r.Invariants, "invariant", nil, "state property `NAME`s to check instead of the specification's; or none")
	f.VarPF(switchOption{&r.CheckDeadlock}, "check-deadlock", "", "a state without any step is a violation (default: the specification's)").NoOptDefVal = "true"
	f.BoolVar(&r.ContinueAll, "continue", false, "go on after a violation, and report the first of each property")
}

// request declares the options for sizes, rules and properties.
func (g *optionGroups) request(r *job.Request) {
	r.Settings = job.NewSettings()
	g.settings(&r.Settings, "the specification's")
	g.properties(r)
}

// The options for how long a run may take, and each of many: cells, checks, candidates. Both
// were --time-limit once. Recorded command lines have that, so it is taken, and in no help.
const (
	timeoutOption     = "timeout"
	cellTimeoutOption = "cell-timeout"
	oldTimeoutOption  = "time-limit"
)

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
