package main

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"vsrcheck/explore"
)

// TestMain has searches verify the contract of the model in fewer steps than a user's do:
// the tests make many small searches of similar models, and would spend most of their time
// on that. A long run verifies as much as a user's, but for what scripts start.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // or they spend a third of their time on the memory of the search before
	if !long() {
		explore.DefaultVerification = explore.Verification{First: 500, OneIn: 32}
	}
	testscript.Main(m, map[string]func(){"vsrcheck": main})
}

// TestScripts runs the program as a user does: one script for each command and for
// each family of mistakes, in testdata/script. With VSRCHECK_UPDATE=1 the expected
// outputs in the scripts are rewritten.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       update(),
		Setup: func(env *testscript.Env) error {
			env.Setenv("NO_COLOR", "")
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"code":  scriptCode,
			"clean": scriptClean,
			"tear":  scriptTear,
		},
	})
}

// scriptCode runs the program and wants an exit code: code 13 check NAME.
func scriptCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: code N ARGS...")
	}
	err := ts.Exec("vsrcheck", args[1:]...)
	got := "0"
	if err != nil {
		got = regexp.MustCompile(`exit status (\d+)`).ReplaceAllString(err.Error(), "$1")
	}
	if got != args[0] {
		ts.Fatalf("got exit code %s (%v), want %s", got, err, args[0])
	}
}

// scriptTear copies the beginning of a file, as a writer that was killed leaves it: tear
// FROM TO BYTES.
func scriptTear(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: tear FROM TO BYTES")
	}
	n, err := strconv.Atoi(args[2])
	ts.Check(err)
	ts.Check(os.WriteFile(filepath.Clean(ts.MkAbs(args[1])), []byte(ts.ReadFile(args[0])[:n]), 0o600))
}

// scriptClean copies a file of output and replaces what differs from run to run:
// clean FROM TO.
func scriptClean(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: clean FROM TO")
	}
	text := ts.ReadFile(args[0])
	for _, r := range []struct{ pattern, by string }{
		{`(?m)^vsrcheck    .*$`, "vsrcheck    VERSION"},
		{`(?m)^time        .*$`, "time        TIME"},
		{`(?m)^memory      .*$`, "memory      MEMORY"},
	} {
		text = regexp.MustCompile(r.pattern).ReplaceAllString(text, r.by)
	}
	ts.Check(os.WriteFile(filepath.Clean(ts.MkAbs(args[1])), []byte(text), 0o600))
}
