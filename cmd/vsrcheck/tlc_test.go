package main

import (
	"bytes"
	"context"
	"os"
	"testing"
)

// TestCrosscheckTLC runs the tiny specifications under the TLC that VSRCHECK_TLC starts.
func TestCrosscheckTLC(t *testing.T) {
	command := os.Getenv("VSRCHECK_TLC")
	if command == "" {
		t.Skip("VSRCHECK_TLC is not set to a command that starts TLC, such as java -cp tla2tools.jar tlc2.TLC")
	}
	for _, args := range [][]string{
		{"tiny-fetch-to-op-old"},
		{"tiny-fetch-to-op-fixed", "--reduce", "none"},
		{"tiny-fetch-to-op-fixed", "--view-max", "1", "--ops", "1", "--stops", "1", "--properties", "safety"},
	} {
		var stdout, stderr bytes.Buffer
		code := run(context.Background(), append([]string{"crosscheck", "--tlc", command, "--states"}, args...), &stdout, &stderr)
		if code != exitHolds {
			t.Errorf("%v: code %d\n%s%s", args, code, stdout.String(), stderr.String())
		}
	}
}
