package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
)

// The README shows what the command prints, so it must print that.
func TestReadmeShowsTheWedge(t *testing.T) {
	if testing.Short() {
		t.Skip("explores a full-size specification")
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(readme), "<!-- wedge:begin -->\n```\n")
	block, _, closed := strings.Cut(rest, "\n```\n<!-- wedge:end -->")
	if !found || !closed || block == "" {
		t.Fatal("README.md has no text between the wedge markers")
	}
	var stdout, stderr bytes.Buffer
	code := run(context.Background(), []string{"check", "fetch-to-op-old", "--no-progress"}, &stdout, &stderr)
	if code != exitLiveness {
		t.Fatalf("got exit code %d, want %d; stderr: %s", code, exitLiveness, stderr.String())
	}
	if !strings.Contains(stdout.String(), block) {
		t.Fatalf("the README's output is not what the command prints; the command printed\n%s", stdout.String())
	}
}
