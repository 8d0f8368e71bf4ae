package specs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// TestGrammar reads small files that use everything TLC's configuration files have. The
// command tree prints what was understood; bind prints what becomes of it here.
func TestGrammar(t *testing.T) {
	datadriven.RunTest(t, "testdata/grammar.txt", func(t *testing.T, d *datadriven.TestData) string {
		switch d.Cmd {
		case "tree":
			tree, err := parse("x.cfg", d.Input)
			if err != nil {
				return err.Error() + "\n"
			}
			return tree.String()
		case "bind":
			if _, err := Parse("x.cfg", d.Input); err != nil {
				return err.Error() + "\n"
			}
			return "ok\n"
		}
		d.Fatalf(t, "got the command %s, want tree or bind", d.Cmd)
		return ""
	})
}

// String is the tree as lines, one for each constant and each section.
func (t *tree) String() string {
	var out strings.Builder
	line := func(parts ...string) { out.WriteString(strings.Join(parts, " ") + "\n") }
	for _, a := range t.constants {
		module := ""
		if a.module != nil {
			module = "[" + a.module.text + "] "
		}
		args := ""
		if a.args != nil {
			set := Value{Kind: SetValue, Set: a.args}.String()
			args = "(" + set[1:len(set)-1] + ")"
		}
		if a.definition != nil {
			line("constant", a.name.text, "<-", module+a.definition.text)
		} else {
			line("constant", a.name.text+args, "=", module+string(a.value.Kind), a.value.String())
		}
	}
	seen := map[string]bool{}
	for _, k := range keywords() {
		if seen[k.canonical] {
			continue
		}
		seen[k.canonical] = true
		if operand, ok := t.single[k.canonical]; ok {
			line(k.canonical, operand.text)
		}
		for _, name := range t.lists[k.canonical] {
			line(k.canonical, name.text)
		}
	}
	return out.String()
}

// TestEmptySections takes a section that TLC knows and that says nothing, as TLC does.
func TestEmptySections(t *testing.T) {
	text := good(t)
	want, err := Parse("x.cfg", text)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Parse("x.cfg", text+"\nACTION_CONSTRAINTS POSTCONDITION\nINVARIANT CONSTANTS CONSTRAINT\n")
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
}

// corpusVariable names a folder of configuration files of other systems, such as the TLA+
// Examples collection, which is not a part of this one.
const corpusVariable = "VSRCHECK_CFG_CORPUS"

// TestCorpus reads the files of other people: each is understood or refused with a place,
// and no file of another system is taken for one of ours. See results/cfg-corpus.md.
func TestCorpus(t *testing.T) {
	dir := os.Getenv(corpusVariable)
	if dir == "" {
		t.Skipf("%s is not set to a folder with .cfg files", corpusVariable)
	}
	files := 0
	var refused []string
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".cfg" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files++
		if _, err := parse(path, string(text)); err != nil {
			refused = append(refused, err.Error())
		}
		_, err = Parse(path, string(text))
		var placed *Error
		if !errors.As(err, &placed) || placed.Line < 1 || placed.Line > strings.Count(oneLineEnd(string(text)), "\n")+1 || placed.Col < 1 {
			t.Errorf("%s: got error %v, want one with a place in the file", path, err)
		}
		return nil
	})
	if err != nil || files == 0 {
		t.Fatalf("%d files in %s: %v", files, dir, err)
	}
	slices.Sort(refused)
	t.Logf("%d files, %d of them in TLC's syntax, the others:\n%s", files, files-len(refused), strings.Join(refused, "\n"))
}
