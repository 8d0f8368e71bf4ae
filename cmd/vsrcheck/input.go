package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/cmd/vsrcheck/internal/tell"
	"vsrcheck/results"
	"vsrcheck/results/trace"
	"vsrcheck/specs"
)

// stdio stands on a command line for standard input, and in --json and --trace for standard
// output.
const stdio = "-"

// create makes an output file. With - it is standard output, and what is printed for people
// goes to standard error from then on: a program that reads the one must not find the other.
func (c *call) create(path string) (*results.File, error) {
	if path != stdio {
		return results.Create(path)
	}
	if c.printsElsewhere {
		return nil, job.Wrongf("%s: got - for two outputs, want a file for one of them", c.name)
	}
	f := results.ToWriter(tell.Whole{Writer: c.stdout})
	c.stdout, c.printsElsewhere = c.stderr, true
	return f, nil
}

// stdinName is what standard input is called in errors and records.
const stdinName = "stdin"

// takeStdin is standard input, for one of the things that a command reads.
func (c *call) takeStdin(what string) (io.Reader, error) {
	if c.stdinFor != "" {
		return nil, job.Wrongf("%s: got - for %s, and standard input has %s: want a file for one of the two", c.name, what, c.stdinFor)
	}
	c.stdinFor = what
	return c.stdin, nil
}

// findSpec is the function, with - for standard input.
func (c *call) findSpec(arg string) (specs.Spec, error) {
	if arg != stdio {
		return findSpec(arg)
	}
	in, err := c.takeStdin("a specification")
	if err != nil {
		return specs.Spec{}, err
	}
	return specs.ParseFrom(in, stdinName)
}

// readTrace is the trace of a file, with - for standard input.
func (c *call) readTrace(arg string, variables []trace.Variable) (*trace.Trace, error) {
	if arg != stdio {
		return trace.ReadFile(arg, variables)
	}
	in, err := c.takeStdin("a trace")
	if err != nil {
		return nil, err
	}
	return trace.ReadFrom(in, stdinName, variables)
}

// isPath reports whether an argument that means a specification is the path of its file.
func isPath(arg string) bool {
	return strings.HasSuffix(arg, ".cfg") || strings.ContainsRune(arg, filepath.Separator)
}

// findSpec reads the specification that an argument of the command line means: a
// path if it looks like one, else a name.
func findSpec(arg string) (specs.Spec, error) {
	if isPath(arg) {
		return specs.ParseFile(arg)
	}
	spec, err := specs.Load(arg)
	if errors.Is(err, specs.ErrUnknown) && specs.Nearest(arg) == "" {
		return spec, fmt.Errorf("%w; vsrcheck list specs has them all, and a file is named by its path, ending in .cfg", err)
	}
	return spec, err
}
