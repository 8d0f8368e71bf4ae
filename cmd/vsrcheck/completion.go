package main

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/cmd/vsrcheck/internal/tell"
	"vsrcheck/invariants"
	"vsrcheck/specs"
)

// shells are those for which there are completions.
var shells = []string{"bash", "zsh", "fish", "powershell"}

func completionCommand() command {
	return command{
		name: "completion", usage: strings.Join(shells, "|"), summary: "write the script by which a shell completes commands, options, and names of specifications and properties",
		about: []string{"It is for one session, or for every one when the shell's start-up file has the line of the example."},
		examples: []string{
			"source <(vsrcheck completion bash)                      # ~/.bashrc; needs bash-completion",
			"source <(vsrcheck completion zsh)                       # ~/.zshrc, after compinit",
			"vsrcheck completion fish | source                       # ~/.config/fish/config.fish",
			"vsrcheck completion powershell | Out-String | Invoke-Expression",
		},
		completes:  func() []string { return shells },
		printsOnly: true,
		run: func(_ context.Context, c *call) (int, error) {
			if len(c.args) != 1 {
				return 0, job.Wrongf("completion: got %d arguments, want one of %s", len(c.args), strings.Join(shells, ", "))
			}
			switch c.args[0] {
			case "bash":
				return exitHolds, c.root.GenBashCompletionV2(c.stdout, true)
			case "zsh":
				return exitHolds, c.root.GenZshCompletion(c.stdout)
			case "fish":
				return exitHolds, c.root.GenFishCompletion(c.stdout, true)
			case "powershell":
				return exitHolds, c.root.GenPowerShellCompletionWithDesc(c.stdout)
			}
			return 0, job.Wrongf("completion: got %q, want one of %s%s", c.args[0], strings.Join(shells, ", "), job.DidYouMean(c.args[0], shells, ""))
		},
	}
}

// completed is for cobra what a list gives. Files are completed besides.
func completed(list func() []string) cobra.CompletionFunc {
	if list == nil {
		return nil
	}
	return func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return list(), cobra.ShellCompDirectiveDefault
	}
}

// completeOptions completes the texts of options of which a list is known.
func completeOptions(c *cobra.Command) {
	fixed := func(f *pflag.Flag, names ...string) {
		_ = c.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp)) // it is the command's, and no other has one
	}
	c.Flags().VisitAll(func(f *pflag.Flag) {
		switch value := f.Value.(type) {
		case *choice:
			fixed(f, value.names...)
		case reduceOption:
			fixed(f, slices.Concat(job.WholeReductions, job.ReductionNames)...)
		}
		switch f.Name {
		case "property":
			fixed(f, propertyNames(invariants.Step, invariants.Liveness)...)
		case "invariant":
			fixed(f, propertyNames(invariants.State)...)
		case "spec":
			_ = c.RegisterFlagCompletionFunc(f.Name, completed(specNames)) // which reads all of them
		case "size":
			fixed(f, specs.Sizes()...)
		}
	})
}

func propertyNames(kinds ...invariants.Kind) (out []string) {
	for _, p := range invariants.Catalogue() {
		if slices.Contains(kinds, p.Kind) {
			out = append(out, p.Name+"\t"+p.Summary)
		}
	}
	return out
}

// specNames are those of the specifications, each with its summary.
func specNames() (out []string) {
	for _, name := range specs.Names() {
		if spec, err := specs.Load(name); err == nil {
			out = append(out, name+"\t"+spec.Summary)
		}
	}
	return out
}

// explained are the names that explain knows, but for those with spaces.
func explained() (out []string) {
	entries, err := tell.Explanations(func(*tell.Page) {})
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if !strings.Contains(e.Name, " ") {
			out = append(out, e.Name+"\t"+e.Kind)
		}
	}
	return out
}
