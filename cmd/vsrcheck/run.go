package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/cmd/vsrcheck/internal/tell"
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
	// completes lists what may stand as an argument, each with a few words after a tab; nil is
	// files only.
	completes func() []string
	// printsOnly says that it does nothing but print: whoever stops reading has read enough, and
	// is told so by the exit code alone.
	printsOnly bool
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
	root           *cobra.Command
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
		listCommand(), explainCommand(), tableCommand(), manifestCommand(), crosscheckCommand(), completionCommand(), manCommand(), helpCommand(), versionCommand(),
	}
}

// run is the whole program but for the process: it returns the exit code.
func run(ctx context.Context, args []string, stdout, errs io.Writer) (code int) {
	stderr := tell.NewPatientWriter(errs)
	// The engine turns panics of a model into errors; this is about everything else.
	defer func() {
		if v := recover(); v != nil {
			tell.Printf(stderr, "vsrcheck: internal error: %v\n%s", v, debug.Stack())
			code = exitInternal
		}
	}()
	out := tell.NewErrorKeeper(ctx, stdout)
	code, err := dispatch(ctx, args, out, stderr)
	// Whatever the command was writing when it failed: what is to be mended is the same.
	if lost := out.Lost(); lost != nil {
		err = join(lost, without(err, out.Err()))
	}
	err = join(err, stderr.Lost())
	if len(args) > 0 && errors.Is(err, syscall.EPIPE) {
		if c, _ := findCommand(args[0]); c.printsOnly {
			return exitOutput
		}
	}
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
	if k, kept := c.stdout.(*tell.ErrorKeeper); kept {
		return k.Lost()
	}
	return nil
}

// dispatch runs the command that a command line names. Commands, their options and what shells
// complete are cobra's; the looks of the help are this program's, as cobra has no groups of
// options and no exit codes.
func dispatch(ctx context.Context, args []string, stdout, stderr io.Writer) (code int, err error) {
	root := newRoot(&invocation{args: args, stdout: stdout, stderr: stderr, code: &code})
	root.SetArgs(slices.Concat([]string{}, args)) // not nil, which is the arguments of the process
	err = root.ExecuteContext(ctx)
	return code, err
}

// invocation is one use of the program.
type invocation struct {
	args           []string
	stdout, stderr io.Writer
	code           *int // the exit code, when there is no error
}

// newRoot is the program for cobra.
func newRoot(p *invocation) *cobra.Command {
	root := &cobra.Command{
		Use: "vsrcheck COMMAND", Short: "an explicit-state model checker for Viewstamped Replication", Long: programText,
		Args: cobra.ArbitraryArgs, SilenceErrors: true, SilenceUsage: true, SuggestionsMinimumDistance: 2,
		// The default command would have a help with other looks.
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	root.SetOut(p.stdout)
	root.SetErr(p.stderr)
	root.SetGlobalNormalizationFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		return pflag.NormalizedName(job.OptionName(name))
	})
	version := root.Flags().Bool("version", false, "as vsrcheck version")
	root.SetHelpFunc(func(*cobra.Command, []string) { writeHelp(p.stdout) })
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return flagError("", root.Flags(), err) })
	root.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case *version:
			return p.run(cmd, versionCommand(), nil, args)
		case len(args) == 0 && len(p.args) == 0:
			writeHelp(p.stderr)
			*p.code = exitUsage
			return nil
		case len(args) == 0:
			return job.Wrongf("got no command, want one of %s", strings.Join(commandNames(), ", "))
		}
		if _, known := findCommand(args[0]); known { // after --
			return job.Wrongf("got -- before the command %s, want it after", args[0])
		}
		return unknownCommand(root, "", args[0])
	}
	for _, c := range commands() {
		child := p.child(c)
		if root.AddCommand(child); c.name == "help" {
			root.SetHelpCommand(child)
		}
	}
	return root
}

// child is a command for cobra.
func (p *invocation) child(c command) *cobra.Command {
	child := &cobra.Command{
		Use: strings.TrimSpace(c.name + " " + c.usage), Short: c.summary, Long: strings.Join(append([]string{sentence(c.summary)}, c.about...), "\n\n"),
		Example: strings.Join(c.examples, "\n"), Args: cobra.ArbitraryArgs, DisableFlagsInUseLine: true, ValidArgsFunction: completed(c.completes),
	}
	options, groups := any(nil), []optionGroup(nil)
	if c.groups != nil && p.mentions(c.name) {
		options, groups = c.groups()
	}
	addGroups(child.Flags(), groups)
	completeOptions(child)
	child.SetHelpFunc(func(*cobra.Command, []string) { writeCommandHelp(p.stdout, c, groups) })
	child.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return flagError(c.name, cmd.Flags(), err) })
	child.RunE = func(cmd *cobra.Command, args []string) error { return p.run(cmd, c, options, args) }
	return child
}

// mentions reports whether a command line needs the options of a command: to declare those of all
// would take longer than all else that a short command does.
func (p *invocation) mentions(name string) bool {
	all := len(p.args) > 0 && (p.args[0] == "man" || strings.HasPrefix(p.args[0], cobra.ShellCompRequestCmd))
	return all || slices.Contains(p.args, name)
}

// run runs a command.
func (p *invocation) run(cmd *cobra.Command, c command, options any, args []string) (err error) {
	*p.code, err = c.run(cmd.Context(), &call{
		name: c.name, args: args, options: options, flags: cmd.Flags(), root: cmd.Root(), stdin: os.Stdin, stdout: p.stdout, stderr: p.stderr,
		commandLine: append([]string{"vsrcheck"}, p.args...),
	})
	return err
}

// unknownCommand says what to write instead of a name that is no command; where is "" or who
// was asked.
func unknownCommand(root *cobra.Command, where, name string) error {
	near := ""
	if all := root.SuggestionsFor(name); len(all) > 0 {
		near = "; did you mean " + strings.Join(all, " or ") + "?"
	} else if slices.Contains(specs.Names(), name) || strings.HasSuffix(name, ".cfg") {
		near = "; did you mean vsrcheck check " + tell.Quoted(name) + "?"
	}
	return job.Wrongf("%sgot unknown command %q, want one of %s%s", where, name, strings.Join(commandNames(), ", "), near)
}

func commandNames() (names []string) {
	for _, c := range commands() {
		names = append(names, c.name)
	}
	return names
}

func findCommand(name string) (command, bool) {
	for _, c := range commands() {
		if c.name == name {
			return c, true
		}
	}
	return command{}, false
}
