package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/model"
	"vsrcheck/specs"
)

// This file reads command lines, and says what to write instead of what it cannot read.

// addGroups declares the options of a command.
func addGroups(flags *pflag.FlagSet, groups []optionGroup) {
	flags.SortFlags = false
	for _, g := range groups {
		g.flags.VisitAll(func(f *pflag.Flag) {
			if takesText(f) {
				what, _ := pflag.UnquoteUsage(f)
				f.Value = text{f.Value, what}
				if f.DefValue == "[]" {
					f.DefValue = "" // as pflag has it of the values that it knows
				}
			}
		})
		flags.AddFlagSet(g.flags)
	}
}

// parseFlags declares the options of a command and reads them. An underscore is as good as a
// dash, as echoes and specifications have it.
func parseFlags(flags *pflag.FlagSet, groups []optionGroup, args []string) error {
	flags.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		return pflag.NormalizedName(job.OptionName(name))
	})
	addGroups(flags, groups)
	return flags.Parse(args)
}

// text is the value of an option that takes any text, but none that is empty: that is no name
// and no path. A variable of the shell that is not set would else be an option that nobody gave,
// or ask for nothing, which holds; without quotes it would have the next option taken for a name.
type text struct {
	pflag.Value
	what string // it wants
}

func (t text) Set(value string) error {
	switch {
	case value == "":
		return job.Wrongf("got an empty text, want %s; is a variable of the shell not set?", t.what)
	case strings.HasPrefix(value, "--"):
		return job.Wrongf("got the option %s instead of its own text, want %s", value, t.what)
	}
	return t.Value.Set(value)
}

// takesText reports whether an option takes any text: names, paths, commands. All others look
// at theirs themselves.
func takesText(f *pflag.Flag) bool {
	return slices.Contains([]string{"string", "stringSlice", "stringArray"}, f.Value.Type())
}

// flagError says what is wrong with an option, and names the nearest one.
func flagError(command string, flags *pflag.FlagSet, err error) error {
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	var missing *pflag.ValueRequiredError
	var wrong *job.WrongError
	switch {
	case errors.As(err, &unknown):
		var names []string
		flags.VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				names = append(names, f.Name)
			}
		})
		name := unknown.GetSpecifiedName()
		if short := unknown.GetSpecifiedShortnames(); short != "" {
			return singleDash(command, flags, names, short)
		}
		if instead := insteadOfTLC(name); instead != "" {
			return job.Wrongf("got --%s, which is an option of TLC; want %s", name, instead)
		}
		near := job.DidYouMean(name, names, "--")
		if name == timeoutOption && flags.Lookup(cellTimeoutOption) != nil {
			near = "; did you mean --" + cellTimeoutOption + "?"
		}
		if near != "" {
			return job.Wrongf("got unknown option --%s%s", name, near)
		}
		return job.Wrongf("got unknown option --%s, see %s", name, seeHelp(command))
	case errors.As(err, &invalid):
		if errors.As(invalid.Unwrap(), &wrong) {
			return job.Wrongf("--%s: %s", invalid.GetFlag().Name, wrong)
		}
		return job.Wrongf("--%s: got %q, want %s", invalid.GetFlag().Name, invalid.GetValue(), valueWords(invalid.GetFlag().Value.Type(), invalid.GetValue()))
	case errors.As(err, &wrong):
		return wrong
	case errors.As(err, &missing):
		return job.Wrongf("--%s: got no value, want one, see %s", missing.GetSpecifiedName(), seeHelp(command))
	}
	return job.Wrongf("%s, see %s", err, seeHelp(command))
}

// valueWords says for people what an option of one of pflag's types wants instead of a text.
func valueWords(kind, text string) string {
	switch kind {
	case "duration":
		if strings.Trim(text, "0123456789") == "" && text != "" {
			return fmt.Sprintf("a time with its unit: %ss or %sm", text, text)
		}
		return "a time such as 90s or 1h30m"
	case "int":
		return "a number"
	case "uint64":
		return "a number that is not negative"
	case "bool":
		return "true or false"
	}
	return "a value of type " + kind
}

// singleDash says what to write instead of a word after one dash, which TLC has before long
// names and Go's programs before all.
func singleDash(command string, flags *pflag.FlagSet, names []string, word string) error {
	name, _, _ := strings.Cut(word, "=")
	instead := insteadOfTLC(name)
	switch {
	case instead != "":
		return job.Wrongf("got -%s, which is an option of TLC; want %s", name, instead)
	case flags.Lookup(name) != nil:
		return job.Wrongf("got -%s, want two dashes: --%s", name, job.OptionName(name))
	}
	if near := job.DidYouMean(name, names, "--"); near != "" && len(name) > 2 {
		return job.Wrongf("got unknown option -%s%s", name, near)
	}
	return job.Wrongf("got unknown option -%s, see %s", name, seeHelp(command))
}

// insteadOfTLC is what to write instead of an option of TLC, or "" for one that TLC does not
// have. They are those of tlc2.TLC -help.
func insteadOfTLC(name string) string {
	const (
		always  = "nothing: it is so in every run"
		nothing = "nothing: there is no such thing here"
	)
	switch name {
	case "config":
		return "the path of the file by itself: vsrcheck check FILE.cfg"
	case "workers":
		return "--workers N, or nothing for one per processor"
	case "continue":
		return "--continue"
	case "deadlock":
		return "--check-deadlock=false, or CHECK_DEADLOCK FALSE in the specification"
	case "depth":
		return "vsrcheck simulate NAME --depth N; of a search --max-depth N is a limit"
	case "recover":
		return "vsrcheck resume DIR"
	case "checkpoint":
		return "--checkpoint DIR, with --checkpoint-every TIME such as 10m"
	case "metadir":
		return "--spill-dir DIR, or --checkpoint DIR"
	case "simulate":
		return "vsrcheck simulate NAME"
	case "seed", "aril":
		return "vsrcheck simulate NAME --seed N"
	case "dump":
		return "vsrcheck graph NAME > FILE"
	case "dumpTrace", "dumptrace":
		return "--trace FORMAT=FILE, see vsrcheck list formats"
	case "difftrace":
		return "--trace-states diff, which is the default"
	case "fpmem":
		return "--memory-limit SIZE, such as 8GiB or 80%"
	case "fp", "fpbits":
		return "nothing, or --store hash64: by default states are compared and not fingerprinted"
	case "lncheck":
		return "nothing: liveness is decided at the end of every search"
	case "loadTrace", "loadtrace":
		return "vsrcheck replay TRACE"
	case "coverage", "modelcheck", "terse", "tool", "nowarning", "noTE", "noGenerateSpecTE", "cleanup", "gzip":
		return always
	case "generateSpecTE", "teSpecOutDir", "debugger", "dfid", "view", "userFile", "maxSetSize", "postCondition":
		return nothing
	}
	return ""
}

// settingWritten says how a setting is given that was written as the echo prints it, without
// dashes; "" is no setting.
func settingWritten(arg string) string {
	name, value, found := strings.Cut(arg, "=")
	if !found {
		return ""
	}
	for _, c := range specs.Constants() {
		if job.OptionName(c.Name) == job.OptionName(name) {
			return "--" + job.OptionName(name) + " " + strings.Trim(value, "{}")
		}
	}
	for _, r := range model.Catalogue() {
		if job.OptionName(r.Name) == job.OptionName(name) {
			return "--" + job.OptionName(name) + " " + value
		}
	}
	return ""
}

// seeHelp is the command line for the help of a command; "" is the program.
func seeHelp(command string) string {
	return strings.ReplaceAll("vsrcheck "+command+" --help", "  ", " ")
}
