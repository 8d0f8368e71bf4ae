package explore

import "os"

// long reports whether tests that take minutes are to run in full, as in `.ci/run`:
// VSRCHECK_LONG=1 go test ./explore.
func long() bool { return os.Getenv("VSRCHECK_LONG") != "" }
