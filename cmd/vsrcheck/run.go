package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"

	"github.com/spf13/pflag"

	"vsrcheck/specs"
)

// command is one sub-command.
type command struct {
	name     string
	usage    string // what follows the name
	summary  string
	about    []string // paragraphs of its own help that a summary has no room for
	examples []string
	// groups declares the options; nil for a command without any.
	groups func() (options any, groups []optionGroup)
	// run does the work. An error is printed and decides the exit code.
	run func(ctx context.Context, c *call) (int, error)
}

// optionGroup is a part of a command's options under one heading of its help.
type optionGroup struct {
	title string
	flags *pflag.FlagSet
}

// call is one use of a command.
type call struct {
	name           string   // of the command
	args           []string // what is left after the options
	options        any      // what command.groups made
	flags          *pflag.FlagSet
	commandLine    []string
	stdin          io.Reader
	stdinFor       string // what it is used for; "" is nothing yet
	stdout, stderr io.Writer
	// printsElsewhere says that standard output has a file, and standard error what is printed.
	printsElsewhere bool
}

// commands lists the sub-commands in the order of the help.
func commands() []command {
	return []command{
		checkCommand(), resumeCommand(), simulateCommand(), stepCommand(), exploreCommand(), replayCommand(), graphCommand(),
		minimiseCommand(), matrixCommand(), mendCommand(),
		listCommand(), explainCommand(), tableCommand(), manifestCommand(), crosscheckCommand(), helpCommand(), versionCommand(),
	}
}

// run is the whole program but for the process: it returns the exit code.
func run(ctx context.Context, args []string, stdout, errs io.Writer) (code int) {
	stderr := newPatientWriter(errs)
	// The engine turns panics of a model into errors; this is about everything else.
	defer func() {
		if v := recover(); v != nil {
			printf(stderr, "vsrcheck: internal error: %v\n%s", v, debug.Stack())
			code = exitInternal
		}
	}()
	out := newErrorKeeper(ctx, stdout)
	code, err := dispatch(ctx, args, out, stderr)
	// Whatever the command was writing when it failed: what is to be mended is the same.
	if lost := out.lost(); lost != nil {
		err = join(lost, without(err, out.err))
	}
	err = join(err, stderr.lost())
	if err != nil {
		// An error is one line, whatever it wraps.
		_, _ = fmt.Fprintf(stderr, "vsrcheck: %s\n", specs.Printable(strings.ReplaceAll(err.Error(), "\n", "; ")))
		return codeOfError(err)
	}
	return code
}

// failures are several errors, of outputs that have nothing to do with each other.
type failures []error

func (f failures) Error() string {
	var parts []string
	for _, err := range f {
		parts = append(parts, err.Error())
	}
	return strings.Join(parts, "; ")
}

func (f failures) Unwrap() []error { return f }

// join is all of the errors that are some, or nil.
func join(errs ...error) error {
	var all failures
	for _, err := range errs {
		if more, several := err.(failures); several {
			all = append(all, more...)
		} else if err != nil {
			all = append(all, err)
		}
	}
	switch len(all) {
	case 0:
		return nil
	case 1:
		return all[0]
	}
	return all
}

// without is an error without those among several that are the same as a known one.
func without(err, known error) error {
	var rest failures
	all, several := err.(failures)
	if !several {
		all = failures{err}
	}
	for _, err := range all {
		if !errors.Is(err, known) {
			rest = append(rest, err)
		}
	}
	return join(rest...)
}

// lost says that standard output is not complete, if it is not.
func (c *call) lost() error {
	if k, kept := c.stdout.(*errorKeeper); kept {
		return k.lost()
	}
	return nil
}

func dispatch(ctx context.Context, args []string, stdout, stderr io.Writer) (int, error) {
	if len(args) == 0 {
		writeHelp(stderr)
		return exitUsage, nil
	}
	switch args[0] {
	case "-h", "--help":
		writeHelp(stdout)
		return exitHolds, nil
	case "--version":
		args = append([]string{"version"}, args[1:]...)
	}
	c, ok := findCommand(args[0])
	if !ok {
		var names []string
		for _, c := range commands() {
			names = append(names, c.name)
		}
		return 0, usagef("got unknown command %q, want one of %s%s", args[0], strings.Join(names, ", "), didYouMean(args[0], names, ""))
	}
	options, groups := any(nil), []optionGroup(nil)
	if c.groups != nil {
		options, groups = c.groups()
	}
	flags := pflag.NewFlagSet(c.name, pflag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Usage = func() {}
	flags.SortFlags = false
	switch err := parseFlags(flags, groups, args[1:]); {
	case errors.Is(err, pflag.ErrHelp):
		writeCommandHelp(stdout, c, groups)
		return exitHolds, nil
	case err != nil:
		return 0, flagError(c, flags, err)
	}
	return c.run(ctx, &call{
		name: c.name, args: flags.Args(), options: options, flags: flags, stdin: os.Stdin, stdout: stdout, stderr: stderr,
		commandLine: append([]string{"vsrcheck"}, args...),
	})
}

func findCommand(name string) (command, bool) {
	for _, c := range commands() {
		if c.name == name {
			return c, true
		}
	}
	return command{}, false
}

// didYouMean is the end of an error message that names the nearest candidate.
func didYouMean(word string, candidates []string, prefix string) string {
	if near := specs.Suggest(word, candidates); near != "" {
		return "; did you mean " + prefix + near + "?"
	}
	return ""
}
