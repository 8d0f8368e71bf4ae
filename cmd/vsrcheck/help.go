package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"vsrcheck/results/trace"
	"vsrcheck/specs"
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
				return 0, usagef("help: got %d arguments, want at most one command", len(c.args))
			}
			other, ok := findCommand(c.args[0])
			if !ok {
				var names []string
				for _, c := range commands() {
					names = append(names, c.name)
				}
				return 0, usagef("help: got unknown command %q, want one of %s%s", c.args[0], strings.Join(names, ", "), didYouMean(c.args[0], names, ""))
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

// printf prints what cannot fail in a way that matters here: run looks at the first
// error of standard output itself.
//
// A terminal would obey the control characters that a name may have: they are written out.
func printf(w io.Writer, format string, args ...any) {
	_, _ = io.WriteString(w, printable(fmt.Sprintf(format, args...)))
}

// printable is a text of several lines without control characters.
func printable(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && (r == utf8.RuneError || !unicode.IsGraphic(r)) }) {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = specs.Printable(line)
	}
	return strings.Join(lines, "\n")
}

func writeHelp(w io.Writer) {
	printf(w, "vsrcheck explores every reachable state of a group of replicas that runs Viewstamped\n")
	printf(w, "Replication, under switchable rules, and says whether its properties hold.\n\n")
	printf(w, "Usage:\n  vsrcheck COMMAND [OPTIONS]\n\nCommands:\n")
	for _, c := range commands() {
		for _, line := range trace.Wrap(fmt.Sprintf("  %-10s ", c.name), strings.Repeat(" ", 13), c.summary, defaultWidth) {
			printf(w, "%s\n", line)
		}
	}
	printf(w, "\nOptions:\n  -h, --help      of the program, or after a command of that command\n      --version   as vsrcheck version\n")
	printf(w, "\nExamples:\n")
	printf(w, "  vsrcheck check fetch-to-op-old                      find the wedge\n")
	printf(w, "  vsrcheck check fetch-to-op-old --fetch-to-op fixed  the same with one rule fixed\n")
	printf(w, "  vsrcheck simulate fetch-to-op-old --replicas 5 --ops 8 --stops 2\n")
	printf(w, "                                                      beyond what can be exhausted\n")
	printf(w, "  vsrcheck check fetch-to-op-old --trace json=wedge.json; vsrcheck replay wedge.json\n")
	printf(w, "                                                      keep the trace, and take it again\n")
	printf(w, "  vsrcheck step fetch-to-op-old                       take its steps one by one\n")
	printf(w, "  vsrcheck list specs                                 what can be checked\n")
	printf(w, "  vsrcheck explain fetch_to_op                        what a rule is about\n")
	printf(w, "\nExit codes:\n")
	writeExitCodes(w)
}

func writeExitCodes(w io.Writer) {
	for _, e := range exitCodes() {
		for _, line := range trace.Wrap(fmt.Sprintf("  %3d  %-12s  ", e.code, e.word), strings.Repeat(" ", 21), e.meaning, defaultWidth) {
			printf(w, "%s\n", line)
		}
	}
}

func writeCommandHelp(w io.Writer, c command, groups []optionGroup) {
	printf(w, "Usage:\n  vsrcheck %s\n\n", strings.TrimSpace(c.name+" "+c.usage))
	for _, line := range trace.Wrap("", "", strings.ToUpper(c.summary[:1])+c.summary[1:]+".", 88) {
		printf(w, "%s\n", line)
	}
	for _, paragraph := range c.about {
		printf(w, "\n")
		for _, line := range trace.Wrap("", "", paragraph, 88) {
			printf(w, "%s\n", line)
		}
	}
	for _, g := range groups {
		printf(w, "\n%s:\n%s", g.title, g.flags.FlagUsagesWrapped(100))
	}
	if len(groups) == 0 {
		printf(w, "\nOptions:\n")
	}
	printf(w, "  -h, --help   this help\n")
	if len(c.examples) > 0 {
		printf(w, "\nExamples:\n")
		for _, e := range c.examples {
			printf(w, "  %s\n", e)
		}
	}
}
