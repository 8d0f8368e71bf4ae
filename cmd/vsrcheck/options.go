package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"vsrcheck/explore"
	"vsrcheck/invariants"
	"vsrcheck/model"
	"vsrcheck/results"
	"vsrcheck/results/trace"
	"vsrcheck/specs"
)

// checkOptions is what the command line of check can say.
type checkOptions struct {
	settingOptions

	properties, invariants []string
	checkDeadlock          *pflag.Flag
	deadlock               bool
	continueAll            bool

	workers     int
	store       string
	reduce      string
	maxStates   uint64
	maxDepth    int
	memoryLimit memoryOption
	spillDir    string
	diskLimit   memoryOption
	timeout     time.Duration
	timeoutName string // of its option
	guards      bool

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
	o.traceStates, o.color = string(trace.StatesDiff), "auto"
	f.Var(&choice{&o.traceStates, []string{string(trace.StatesDiff), string(trace.StatesFull), string(trace.StatesNone)}},
		"trace-states", "how much of each state a trace shows")
	f.Var(&choice{&o.color, []string{"auto", "always", "never"}}, "color", "colours; auto: on a terminal, unless NO_COLOR is set")
}

func (o *printOptions) states() trace.States { return trace.States(o.traceStates) }

// page is the standard output with what the command line and the environment say of
// its looks.
func (o *printOptions) page(c *call) *page { return newPage(c, o.color) }

// settingOptions override the configuration and the rules.
type settingOptions struct {
	constants []*constantOption
	rules     []*ruleOption
}

// constantOption overrides a constant. Its text is read once the specification is
// known, because "all" depends on the number of replicas.
type constantOption struct {
	specs.Constant
	text  string
	given bool
}

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
func (o *constantOption) Set(text string) error {
	if text == "" && o.Kind == specs.SetValue {
		return usagef("got an empty text, want replica numbers such as 0,2, or all, or none")
	}
	if _, err := o.Parse(model.Config{}, text); err != nil {
		return usagef("%s", err)
	}
	o.text, o.given = text, true
	return nil
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
	return usagef("got %q, want one of %s%s", text, strings.Join(o.names, ", "), didYouMean(text, o.names, ""))
}

// ruleOption overrides a rule.
type ruleOption struct {
	choice
	rule model.Rule
	text string
}

// How a run shows that it is getting on.
const (
	progressText        = "text"
	progressForPrograms = "json"
	progressNone        = "none"
)

// optionName is a constant's or a rule's name as an option.
func optionName(name string) string { return strings.ReplaceAll(name, "_", "-") }

// newCheckOptions declares the options of check. Those for constants and rules are
// made from their catalogues.
func newCheckOptions() (*checkOptions, optionGroups) {
	o := &checkOptions{store: string(explore.StoreExact), reduce: reduceAll, progress: progressText}
	var groups optionGroups
	o.declare(&groups, "the specification's")

	f := groups.add("Properties")
	f.StringSliceVar(&o.properties, "property", nil, "step or liveness `NAME`s to check instead of the specification's; or none")
	f.StringSliceVar(&o.invariants, "invariant", nil, "state property `NAME`s to check instead of the specification's; or none")
	f.BoolVar(&o.deadlock, "check-deadlock", false, "a state without any step is a violation (default: the specification's)")
	o.checkDeadlock = f.Lookup("check-deadlock")
	f.BoolVar(&o.continueAll, "continue", false, "go on after a violation, and report the first of each property")

	f = groups.add("Run")
	f.IntVar(&o.workers, "workers", 0, "`N` workers (default: one per processor)")
	f.Var(&choice{&o.store, []string{string(explore.StoreExact), string(explore.StoreHash64), string(explore.StoreHash128)}},
		"store", "how visited states are remembered; the hashes need less memory and may miss states")
	f.Var(reduceOption{&o.reduce}, "reduce", reduceUsage)
	f.Uint64Var(&o.maxStates, "max-states", 0, "end as inconclusive beyond `N` distinct states")
	f.IntVar(&o.maxDepth, "max-depth", 0, "end as inconclusive at `N` steps")
	o.memoryLimit = defaultMemory()
	f.Var(&o.memoryLimit, "memory-limit", "go on disk beyond `SIZE` of memory (a hash store: end as inconclusive): 8GiB, 500M, bytes, 80% of the machine's, or none")
	f.StringVar(&o.spillDir, "spill-dir", "", "`DIR` for what does not fit into memory, and for traces (default: the system's for temporary files, or the checkpoint's)")
	o.diskLimit = memoryOption{text: "none"}
	f.Var(&o.diskLimit, "disk-limit", "end as inconclusive beyond `SIZE` on disk: 100GiB, bytes, or none")
	o.declareTimeout(f, timeoutOption, "end as inconclusive after `TIME`, such as 90s or 1h30m")
	f.BoolVar(&o.guards, "guards", false, fmt.Sprintf("say which guards never refused a message, by a second search; up to %s states that is done anyway", results.Count(guardStates)))

	f.StringVar(&o.checkpoint, "checkpoint", "", "keep in `DIR` what vsrcheck resume DIR needs to go on with a check that was cut short; it is removed when there is a verdict and every output is written")
	f.DurationVar(&o.checkpointEvery, "checkpoint-every", 10*time.Minute, "`TIME` between checkpoints at least; one is made in any case when the check is interrupted or at a limit")

	f = groups.add("Output")
	f.StringVar(&o.json, "json", "", "write the run's record to `FILE`; - is standard output, and what is printed goes to standard error then, as for every option that writes a file")
	f.Var(&o.traces, "trace", "write the trace of the violation that decides the verdict (with --continue: the first reported) "+
		"to a file; may be given again; the formats are "+strings.Join(trace.FormatNames(), ", ")+", see vsrcheck list formats")
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

// declare declares the options; whose says where the defaults come from.
func (o *settingOptions) declare(groups *optionGroups, whose string) {
	f := groups.add("Sizes, budgets and switches (default: " + whose + ")")
	for _, c := range specs.Constants() {
		option := &constantOption{Constant: c}
		o.constants = append(o.constants, option)
		summary := c.Summary
		if c.Kind == specs.SetValue {
			summary += ": such as 0,2 or all or none"
		}
		flag := f.VarPF(option, optionName(c.Name), "", summary)
		if c.Kind == specs.BoolValue {
			flag.NoOptDefVal = "true"
		}
	}

	rules := groups.add("Rules (default: " + whose + ")")
	defects := groups.add(knownDefects + " (default: " + whose + ")")
	for _, r := range model.Catalogue() {
		option := &ruleOption{rule: r}
		option.choice = choice{&option.text, r.AlternativeNames()}
		o.rules = append(o.rules, option)
		f = rules
		if r.Defect {
			f = defects
		}
		f.Var(option, optionName(r.Name), r.Summary)
	}
}

// validate finds what the types of the options cannot.
func (o *checkOptions) validate() error {
	switch {
	case o.workers < 0 || o.workers > 1024:
		return usagef("--workers: got %d, want 0..1024", o.workers)
	case o.maxDepth < 0:
		return usagef("--max-depth: got %d, want a number of steps", o.maxDepth)
	case o.diskLimit.percent != 0:
		return usagef("--disk-limit: got %s, want a size such as 100GiB, or none", o.diskLimit.text)
	case o.checkpoint != "" && o.spillDir != "":
		return usagef("--spill-dir: got %s and --checkpoint %s, want one of the two: a checkpoint has the states on disk in its own directory", o.spillDir, o.checkpoint)
	case o.checkpointEvery < 0:
		return usagef("--checkpoint-every: got %s, want a time that is not negative", o.checkpointEvery)
	case o.timeout < 0:
		return usagef("--%s: got %s, want a time that is not negative", o.timeoutName, o.timeout)
	}
	return nil
}

// quiet reports whether nothing is to be said of how a run is getting on.
func (o *checkOptions) quiet() bool { return o.noProgress || o.progress == progressNone }

// workerCount is the number of workers, one per processor by default.
func (o *checkOptions) workerCount() int {
	if o.workers == 0 {
		return runtime.GOMAXPROCS(0)
	}
	return o.workers
}

// The options for how long a run may take, and each of many: cells, checks, candidates. Both
// were --time-limit once. Recorded command lines have that, so it is taken, and in no help.
const (
	timeoutOption     = "timeout"
	cellTimeoutOption = "cell-timeout"
	oldTimeoutOption  = "time-limit"
)

// declareTimeout declares one of these options.
func (o *checkOptions) declareTimeout(f *pflag.FlagSet, name, usage string) {
	o.timeoutName = name
	f.DurationVar(&o.timeout, name, 0, usage)
	f.DurationVar(&o.timeout, oldTimeoutOption, 0, "the same as --"+name+" `TIME`")
	f.Lookup(oldTimeoutOption).Hidden = true
}

// withTimeout is the context of a run that --timeout or --cell-timeout may end.
func (o *checkOptions) withTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	if o.timeout == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, o.timeout, errTimeout)
}

// reasonOf names the time limit as what interrupted a run, when it did.
func (o *checkOptions) reasonOf(ctx context.Context, reason string) string {
	if !errors.Is(context.Cause(ctx), errTimeout) {
		return reason
	}
	return strings.Replace(reason, "interrupted", fmt.Sprintf("time limit of %s reached", o.timeout), 1)
}

// override is a specification with what the command line changed.
type override struct {
	specs.Spec
	instead map[string]string // by name: the value that was overridden, as the echo writes it
	chosen  bool              // the liveness properties were chosen one by one: no other is asked
}

// apply overrides the configuration and the rules of a specification.
func (o *settingOptions) apply(spec specs.Spec) (*override, error) {
	changed := spec
	all := model.AllReplicas(spec.Config.Replicas)
	for _, c := range o.constants {
		if !c.given {
			continue
		}
		v, err := c.Parse(changed.Config, c.text) // replicas is the first of the constants
		if err != nil {
			return nil, usagef("--%s: %s", optionName(c.Name), err)
		}
		if err := c.Constant.Set(&changed.Config, v); err != nil {
			return nil, err
		}
		if c.Name == "replicas" && v.Int >= 0 && v.Int <= model.MaxReplicas {
			// Who was "all of them" stays all of them.
			if spec.Config.MayCrash == all {
				changed.Config.MayCrash = model.AllReplicas(v.Int)
			}
			if spec.Config.MayStop == all {
				changed.Config.MayStop = model.AllReplicas(v.Int)
			}
		}
	}
	for _, c := range o.constants {
		if c.given && c.Name == "channel" && !c.Shown(changed.Config) {
			return nil, usagef("--channel %s: got network = %s, want --network %s: only there a channel has a size",
				c.text, changed.Config.Network, model.NetworkFIFO)
		}
	}
	for _, r := range o.rules {
		if r.text == "" {
			continue
		}
		if err := r.rule.Set(&changed.Rules, r.text); err != nil {
			return nil, usagef("--%s: %s", optionName(r.rule.Name), err)
		}
	}
	return newOverride(spec, changed), nil
}

// newOverride is a changed specification that remembers the settings it was made from.
func newOverride(base, changed specs.Spec) *override {
	out := &override{Spec: changed, instead: map[string]string{}}
	for _, c := range specs.Constants() {
		if before := c.Get(base.Config).String(); before != c.Get(changed.Config).String() {
			out.instead[c.Name] = before
		}
	}
	for _, r := range model.Catalogue() {
		if before := r.Get(base.Rules); before != r.Get(changed.Rules) {
			out.instead[r.Name] = before
		}
	}
	return out
}

// apply overrides the specification.
func (o *checkOptions) apply(spec specs.Spec) (*override, error) {
	out, err := o.settingOptions.apply(spec)
	if err != nil {
		return nil, err
	}
	if o.invariants != nil {
		if out.Invariants, err = chosen(o.invariants, "--invariant", invariants.State); err != nil {
			return nil, err
		}
	}
	if o.properties != nil {
		if out.Properties, err = chosen(o.properties, "--property", invariants.Step, invariants.Liveness); err != nil {
			return nil, err
		}
		out.chosen = true
	}
	if o.checkDeadlock.Changed {
		out.CheckDeadlock = o.deadlock
	}
	if name := out.CutsFairSteps(); name != "" && out.Specification() != spec.Specification() {
		return nil, usagef("--property: got a liveness property for a specification with the CONSTRAINT %s, want one of the two", name)
	}
	return out, nil
}

// chosen checks a list of property names from the command line.
func chosen(names []string, option string, kinds ...invariants.Kind) ([]string, error) {
	if len(names) == 1 && names[0] == "none" {
		return nil, nil
	}
	var out []string
	for i, name := range names {
		if err := specs.CheckProperty(name, option, kinds...); err != nil {
			return nil, usagef("%s", err)
		}
		if !slices.Contains(names[:i], name) {
			out = append(out, name)
		}
	}
	return out, nil
}
