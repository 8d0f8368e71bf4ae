package main

import (
	"context"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/model"
	"vsrcheck/specs"
)

// eachOption calls do for every option of every command.
func eachOption(do func(c command, f *pflag.Flag)) {
	for _, c := range commands() {
		if c.groups == nil {
			continue
		}
		_, groups := c.groups()
		for _, g := range groups {
			g.flags.VisitAll(func(f *pflag.Flag) { do(c, f) })
		}
	}
}

// TestEmptyOptions gives every option of every command an empty text, as a variable of the
// shell does that is not set: no command takes it for an option that was not given, or for
// nothing to ask, which holds.
func TestEmptyOptions(t *testing.T) {
	texts := 0
	eachOption(func(c command, f *pflag.Flag) {
		option := "--" + f.Name
		if c.name == "explore" && f.Value.Set("") == nil {
			t.Errorf("%s %s= would serve a page", c.name, option)
			return
		}
		code, stdout, stderr := runHere(context.Background(), c.name, "tiny-fetch-to-op-old", option+"=")
		if code != exitUsage || stdout != "" || !strings.HasPrefix(stderr, "vsrcheck: "+option+": got ") || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s %s=: got exit code %d, %q", c.name, option, code, stderr)
		}
		if !takesText(f) {
			return
		}
		texts++
		for _, args := range [][]string{{option, "", option, "Agreement"}, {option, "Agreement", option, ""}, {option, "--json"}} {
			code, stdout, stderr := runHere(context.Background(), append([]string{c.name, "tiny-fetch-to-op-old"}, args...)...)
			if code != exitUsage || stdout != "" || !strings.Contains(stderr, "; is a variable") && !strings.Contains(stderr, "got the option --json") {
				t.Errorf("%s %q: got exit code %d, %q", c.name, args, code, stderr)
			}
		}
	})
	if texts < 25 {
		t.Errorf("got %d options that take a text, want all of them", texts)
	}
	for _, args := range [][]string{{"check", ""}, {"replay", ""}, {"resume", ""}, {"explain", ""}, {"list", ""}, {"manifest", ""}, {"matrix", ""}, {"matrix", "tiny-fetch-to-op-old:"},
		{"mend", ""}, {"minimise", ""}, {"simulate", ""}, {"step", ""}, {"graph", ""}, {"crosscheck", ""}, {"explore", ""}, {"help", ""}, {""}} {
		if code, _, stderr := runHere(context.Background(), args...); code != exitUsage && code != exitData || stderr == "" {
			t.Errorf("%q: got exit code %d, %q", args, code, stderr)
		}
	}
}

// TestUnderscores has constants and rules as the echo prints them.
func TestUnderscores(t *testing.T) {
	ctx := context.Background()
	for _, args := range [][]string{{"--fetch_to_op", "fixed"}, {"--fetch_to_op=fixed", "--view_max", "0"}} {
		code, stdout, stderr := runHere(ctx, append([]string{"check", "tiny-fetch-to-op-old", "--no_progress"}, args...)...)
		if code != exitHolds || !strings.Contains(stdout, "with fetch_to_op=fixed") {
			t.Errorf("%v: got exit code %d, %s", args, code, stderr)
		}
	}
	var names []string
	for _, c := range specs.Constants() {
		names = append(names, c.Name)
	}
	for _, r := range model.Catalogue() {
		names = append(names, r.Name)
	}
	for _, name := range names {
		want := "want it as an option: --" + job.OptionName(name) + " 7"
		if code, _, stderr := runHere(ctx, "check", "tiny-fetch-to-op-old", name+"=7"); code != exitUsage || !strings.Contains(stderr, want) {
			t.Errorf("%s=7: got exit code %d, %q", name, code, stderr)
		}
		// With the underscore it is the same option.
		if code, _, stderr := runHere(ctx, "check", "tiny-fetch-to-op-old", "--"+name+"="); code != exitUsage || !strings.HasPrefix(stderr, "vsrcheck: --"+job.OptionName(name)+": ") {
			t.Errorf("--%s=: got exit code %d, %q", name, code, stderr)
		}
	}
}

// TestOptionsOfTLC answers those with one dash, and with two, with what to write.
func TestOptionsOfTLC(t *testing.T) {
	for option, want := range map[string]string{
		"-workers 2": "--workers N", "-workers=2": "--workers N", "-config my.cfg": "vsrcheck check FILE.cfg", "--config my.cfg": "vsrcheck check FILE.cfg",
		"-continue": "--continue", "-deadlock": "--check-deadlock=false", "--deadlock": "--check-deadlock=false", "-depth 3": "--max-depth N",
		"-recover states": "vsrcheck resume DIR", "--recover states": "vsrcheck resume DIR", "-checkpoint 5": "--checkpoint DIR", "-simulate": "vsrcheck simulate",
		"-coverage 1": "want nothing", "-dump dot f": "vsrcheck graph", "-dumpTrace json f": "--trace FORMAT=FILE", "-metadir d": "--spill-dir DIR", "-fpmem 0.5": "--memory-limit SIZE",
		"-max-states 5": "want two dashes: --max-states", "-max_states=5": "want two dashes: --max-states", "-json x": "want two dashes: --json", "-propertty x": "did you mean --property?",
		"--workers auto": "got \"auto\", want a number",
	} {
		code, stdout, stderr := runHere(context.Background(), append([]string{"check", "tiny-fetch-to-op-old"}, strings.Fields(option)...)...)
		if code != exitUsage || stdout != "" || !strings.Contains(stderr, want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: got exit code %d, %q, want %q", option, code, stderr, want)
		}
	}
}

// TestUnits has every option that takes a size or a time without a unit: the answer has one.
func TestUnits(t *testing.T) {
	sizes, times := 0, 0
	eachOption(func(c command, f *pflag.Flag) {
		want := map[string]string{"SIZE": "8GiB", "duration": "8s or 8m"}[f.Value.Type()]
		if want == "" {
			return
		}
		if want == "8GiB" {
			sizes++
		} else {
			times++
		}
		code, _, stderr := runHere(context.Background(), c.name, "tiny-fetch-to-op-old", "--"+f.Name, "8")
		if code != exitUsage || !strings.HasPrefix(stderr, "vsrcheck: --"+f.Name+": got ") || !strings.Contains(stderr, want) {
			t.Errorf("%s --%s 8: got exit code %d, %q", c.name, f.Name, code, stderr)
		}
	})
	if sizes < 8 || times < 8 {
		t.Errorf("got %d options for sizes and %d for times, want more", sizes, times)
	}
}
