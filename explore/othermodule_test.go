package explore_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestOtherModule builds and runs a model in a module of its own, as a user has it. What it
// needs of other modules, the tests of this one need too, so nothing is downloaded here.
func TestOtherModule(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	read := func(path string) []byte {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	write := func(name string, text []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	mod := read("testdata/othermodule/go.mod")
	if !bytes.Contains(mod, []byte("=> ../../..")) {
		t.Fatalf("got go.mod\n%s\nwant that it replaces vsrcheck by ../../..", mod)
	}
	write("go.mod", bytes.ReplaceAll(mod, []byte("../../.."), []byte(root)))
	write("main.go", read("testdata/othermodule/main.go"))
	// Sums that are known need not be asked for. Those of a browser and of a command line are
	// left out, to see that the go command does not add them.
	foreign := func(text []byte) bool {
		return slices.ContainsFunc([]string{"chromedp", "spf13/cobra", "go-md2man", "blackfriday"}, func(name string) bool {
			return bytes.Contains(text, []byte(name))
		})
	}
	var sums []byte
	for line := range bytes.Lines(read("../go.sum")) {
		if !foreign(line) {
			sums = append(sums, line...)
		}
	}
	write("go.sum", sums)

	program := filepath.Join(dir, "jugs")
	build := exec.Command("go", "build", "-mod=mod", "-o", program, ".")
	build.Dir = dir
	build.Env = append(os.Environ(), "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	if sum := read(filepath.Join(dir, "go.sum")); foreign(sum) {
		t.Errorf("go.sum of who imports the engine names a browser or a command line:\n%s", sum)
	}
	for _, run := range []struct {
		args  []string
		input string
		want  string
	}{
		{nil, "", " 6  pour into small: Small = 3, Big = 4\n"},
		{[]string{"walk"}, "2\nquit\n", "after 1 steps: Small = 0, Big = 5\n"},
	} {
		c := exec.Command(program, run.args...)
		c.Stdin = strings.NewReader(run.input)
		if out, err := c.CombinedOutput(); err != nil || !strings.Contains(string(out), run.want) {
			t.Errorf("jugs %v: got %v\n%s\nwant in it\n%s", run.args, err, out, run.want)
		}
	}
}
