package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"

	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/cmd/vsrcheck/internal/tell"
	"vsrcheck/results"
	"vsrcheck/results/trace"
)

func helpCommand() command {
	return command{
		name: "help", usage: "[COMMAND]", summary: "show this help, or a command's",
		completes: func() (out []string) {
			for _, c := range commands() {
				out = append(out, c.name+"\t"+c.summary)
			}
			return out
		},
		printsOnly: true,
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
				return 0, unknownCommand(c.root, "help: ", c.args[0])
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

const programText = `vsrcheck explores every reachable state of a group of replicas that runs Viewstamped
Replication, under switchable rules, and says whether its properties hold.`

// sentence is a summary as a sentence.
func sentence(summary string) string { return strings.ToUpper(summary[:1]) + summary[1:] + "." }

func writeHelp(w io.Writer) {
	tell.Printf(w, "%s\n\n", programText)
	tell.Printf(w, "Usage:\n  vsrcheck COMMAND [OPTIONS]\n\nCommands:\n")
	for _, c := range commands() {
		for _, line := range trace.Wrap(fmt.Sprintf("  %-10s ", c.name), strings.Repeat(" ", 13), c.summary, tell.DefaultWidth) {
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
		for _, line := range trace.Wrap(fmt.Sprintf("  %3d  %-12s  ", e.code, e.word), strings.Repeat(" ", 21), e.meaning, tell.DefaultWidth) {
			tell.Printf(w, "%s\n", line)
		}
	}
}

func writeCommandHelp(w io.Writer, c command, groups []optionGroup) {
	tell.Printf(w, "Usage:\n  vsrcheck %s\n\n", strings.TrimSpace(c.name+" "+c.usage))
	for _, line := range trace.Wrap("", "", sentence(c.summary), 88) {
		tell.Printf(w, "%s\n", line)
	}
	for _, paragraph := range c.about {
		tell.Printf(w, "\n")
		for _, line := range trace.Wrap("", "", paragraph, 88) {
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
		printsOnly: true,
		run: func(_ context.Context, c *call) (int, error) {
			if len(c.args) > 0 {
				return 0, job.Wrongf("version: got %d arguments, want none", len(c.args))
			}
			tell.Printf(c.stdout, "vsrcheck %s\n", results.ReadBuild())
			return exitHolds, nil
		},
	}
}

func manCommand() command {
	return command{
		name: "man", usage: "FOLDER", summary: "write the manual pages of this program and its commands to a folder",
		examples: []string{"vsrcheck man ~/.local/share/man/man1; man vsrcheck-check"},
		run: func(_ context.Context, c *call) (int, error) {
			if len(c.args) != 1 {
				return 0, job.Wrongf("man: got %d arguments, want a folder", len(c.args))
			}
			if err := os.MkdirAll(c.args[0], 0o755); err != nil {
				return 0, fmt.Errorf("%w: %w", results.ErrOutput, err)
			}
			header := &doc.GenManHeader{Section: "1", Source: "vsrcheck " + results.ReadBuild().Version, Manual: "vsrcheck"}
			var codes strings.Builder
			writeExitCodes(&codes)
			// A line that is indented stays as it is.
			c.root.Long += "\n\nExit codes:\n\n" + strings.ReplaceAll("\n"+codes.String(), "\n", "\n    ")
			c.root.DisableAutoGenTag = true
			for _, cmd := range c.root.Commands() {
				cmd.Flags().VisitAll(func(f *pflag.Flag) {
					// A page shows the default behind the name, and what is wanted where there is none.
					what, usage := pflag.UnquoteUsage(f)
					if f.Usage = usage; f.DefValue == "" {
						f.DefValue = what
					}
				})
			}
			if err := doc.GenManTree(c.root, header, c.args[0]); err != nil {
				return 0, fmt.Errorf("%w: %w", results.ErrOutput, err)
			}
			return exitHolds, nil
		},
	}
}
