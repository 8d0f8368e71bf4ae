package main

import (
	"bytes"
	"context"
	"testing"

	"github.com/spf13/pflag"
)

func (o *cellOptions) setSmall(states uint64) { o.smallCell = states }

// cellCall is a use of a command that runs many checks, which are small up to a number of
// states.
func cellCall(t *testing.T, cmd command, small uint64, args []string) *call {
	t.Helper()
	options, groups := cmd.groups()
	options.(interface{ setSmall(uint64) }).setSmall(small)
	flags := pflag.NewFlagSet(cmd.name, pflag.ContinueOnError)
	for _, g := range groups {
		flags.AddFlagSet(g.flags)
	}
	if err := flags.Parse(append([]string{"--no-progress"}, args...)); err != nil {
		t.Fatal(err)
	}
	return &call{
		name: cmd.name, args: flags.Args(), options: options, flags: flags,
		commandLine: append([]string{"vsrcheck", cmd.name}, args...), stdout: &bytes.Buffer{}, stderr: &bytes.Buffer{},
	}
}

// cellTest runs such a command, and returns what it prints.
func cellTest(t *testing.T, ctx context.Context, cmd command, small uint64, want int, args []string) string {
	t.Helper()
	c := cellCall(t, cmd, small, args)
	code, err := cmd.run(ctx, c)
	if err != nil || code != want {
		t.Fatalf("%s %v: got exit code %d, %v, want %d\n%s%s", cmd.name, args, code, err, want, c.stdout, c.stderr)
	}
	return c.stdout.(*bytes.Buffer).String()
}
