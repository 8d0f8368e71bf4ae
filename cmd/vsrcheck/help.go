package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/cmd/vsrcheck/internal/tell"
	"vsrcheck/results"
)

func helpCommand() command {
	return command{
		name: "help", usage: "[COMMAND]", summary: "show this help, or a command's",
		run: func(_ context.Context, c *call) (int, error) {
			switch len(c.args) {
			case 0:
				writeHelp(c.stdout)
				return exitHolds, nil
			case 1:
			default:
				return 0, job.Wrongf("help: got %d arguments, want at most one command", len(c.args))
			}
			other, ok := findCommand(c.args[0])
			if !ok {
				var names []string
				for _, c := range commands() {
					names = append(names, c.name)
				}
				return 0, job.Wrongf("help: got unknown command %q, want one of %s%s", c.args[0], strings.Join(names, ", "), job.DidYouMean(c.args[0], names, ""))
			}
			var groups []optionGroup
			if other.groups != nil {
				_, groups = other.groups()
			}
			writeCommandHelp(c.stdout, other, groups)
			return exitHolds, nil
		},
	}
}

func writeHelp(w io.Writer) {
	tell.Printf(w, "vsrcheck explores every reachable state of a group of replicas that runs Viewstamped\n")
	tell.Printf(w, "Replication, under switchable rules, and says whether its properties hold.\n\n")
	tell.Printf(w, "Usage:\n  vsrcheck COMMAND [OPTIONS]\n\nCommands:\n")
	for _, c := range commands() {
		for _, line := range results.Wrap(fmt.Sprintf("  %-10s ", c.name), strings.Repeat(" ", 13), c.summary, tell.DefaultWidth) {
			tell.Printf(w, "%s\n", line)
		}
	}
	tell.Printf(w, "\nOptions:\n  -h, --help      of the program, or after a command of that command\n      --version   as vsrcheck version\n")
	tell.Printf(w, "\nExamples:\n")
	tell.Printf(w, "  vsrcheck check fetch-to-op-old                      find the wedge\n")
	tell.Printf(w, "  vsrcheck check fetch-to-op-old --fetch-to-op fixed  the same with one rule fixed\n")
	tell.Printf(w, "  vsrcheck simulate fetch-to-op-old --replicas 5 --ops 8 --stops 2\n")
	tell.Printf(w, "                                                      beyond what can be exhausted\n")
	tell.Printf(w, "  vsrcheck check fetch-to-op-old --trace json=wedge.json; vsrcheck replay wedge.json\n")
	tell.Printf(w, "                                                      keep the trace, and take it again\n")
	tell.Printf(w, "  vsrcheck step fetch-to-op-old                       take its steps one by one\n")
	tell.Printf(w, "  vsrcheck list specs                                 what can be checked\n")
	tell.Printf(w, "  vsrcheck explain fetch_to_op                        what a rule is about\n")
	tell.Printf(w, "\nExit codes:\n")
	writeExitCodes(w)
}

func writeExitCodes(w io.Writer) {
	for _, e := range exitCodes() {
		for _, line := range results.Wrap(fmt.Sprintf("  %3d  %-12s  ", e.code, e.word), strings.Repeat(" ", 21), e.meaning, tell.DefaultWidth) {
			tell.Printf(w, "%s\n", line)
		}
	}
}

func writeCommandHelp(w io.Writer, c command, groups []optionGroup) {
	tell.Printf(w, "Usage:\n  vsrcheck %s\n\n", strings.TrimSpace(c.name+" "+c.usage))
	for _, line := range results.Wrap("", "", strings.ToUpper(c.summary[:1])+c.summary[1:]+".", 88) {
		tell.Printf(w, "%s\n", line)
	}
	for _, paragraph := range c.about {
		tell.Printf(w, "\n")
		for _, line := range results.Wrap("", "", paragraph, 88) {
			tell.Printf(w, "%s\n", line)
		}
	}
	for _, g := range groups {
		tell.Printf(w, "\n%s:\n%s", g.title, g.flags.FlagUsagesWrapped(100))
	}
	if len(groups) == 0 {
		tell.Printf(w, "\nOptions:\n")
	}
	tell.Printf(w, "  -h, --help   this help\n")
	if len(c.examples) > 0 {
		tell.Printf(w, "\nExamples:\n")
		for _, e := range c.examples {
			tell.Printf(w, "  %s\n", e)
		}
	}
}

func versionCommand() command {
	return command{
		name: "version", summary: "show the version, the commit and the Go release of this program",
		run: func(_ context.Context, c *call) (int, error) {
			if len(c.args) > 0 {
				return 0, job.Wrongf("version: got %d arguments, want none", len(c.args))
			}
			tell.Printf(c.stdout, "vsrcheck %s\n", results.ReadBuild())
			return exitHolds, nil
		},
	}
}
