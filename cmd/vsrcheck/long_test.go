package main

import "os"

// long reports whether tests that take minutes are to run in full, as in `.ci/run`:
// VSRCHECK_LONG=1 go test ./cmd/vsrcheck.
func long() bool { return os.Getenv("VSRCHECK_LONG") != "" }

// update reports whether tests write anew what they compare: the traces in results/runs/traces,
// the outputs in testdata/script, the README's picture.
func update() bool { return os.Getenv("VSRCHECK_UPDATE") != "" }
