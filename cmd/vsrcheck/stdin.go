package main

import (
	"io"

	"vsrcheck/results"
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
		return nil, usagef("%s: got - for two outputs, want a file for one of them", c.name)
	}
	f := results.ToWriter(whole{c.stdout})
	c.stdout, c.printsElsewhere = c.stderr, true
	return f, nil
}

// stdinName is what standard input is called in errors and records.
const stdinName = "stdin"

// takeStdin is standard input, for one of the things that a command reads.
func (c *call) takeStdin(what string) (io.Reader, error) {
	if c.stdinFor != "" {
		return nil, usagef("%s: got - for %s, and standard input has %s: want a file for one of the two", c.name, what, c.stdinFor)
	}
	c.stdinFor = what
	return c.stdin, nil
}

// findSpec is findSpec, with - for standard input.
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
func (c *call) readTrace(arg string, variables []results.Variable) (*results.Trace, error) {
	if arg != stdio {
		return results.ReadTraceFile(arg, variables)
	}
	in, err := c.takeStdin("a trace")
	if err != nil {
		return nil, err
	}
	return results.ReadTraceFrom(in, stdinName, variables)
}
