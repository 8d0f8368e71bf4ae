package model

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestRulesAreNamedOnce: the name of a rule stands in the catalogue, and the code asks for
// rules by their constants.
func TestRulesAreNamedOnce(t *testing.T) {
	var names []string
	for _, r := range Catalogue() {
		name := `\b` + r.Name + `\b`
		if !strings.Contains(r.Name, "_") {
			name = `^` + r.Name + `$|\b` + r.Name + ` ?=` // also a word of English
		}
		names = append(names, name)
	}
	named := regexp.MustCompile(strings.Join(names, "|"))
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, e.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(lit.Value)
			if err != nil {
				t.Fatal(err)
			}
			switch name := named.FindString(text); {
			case name == "":
			case e.Name() == "catalogue.go":
				found++
			default:
				t.Errorf("%s: %q names a rule", fset.Position(lit.Pos()), text)
			}
			return true
		})
	}
	if want := len(Catalogue()); found < want {
		t.Errorf("the catalogue names %d rules in its literals, want %d", found, want)
	}
}

// TestRuleFacts: each entry of the catalogue is complete and points at a field of its own, and
// each fact about alternatives is one of some alternative, and not of all of its rule.
func TestRuleFacts(t *testing.T) {
	fields := map[*uint8]string{}
	var rs Rules
	var against arguments
	for k, r := range Catalogue() {
		if r.field == nil {
			t.Fatalf("rule %d is not in the catalogue", k)
		}
		if other := fields[r.field(&rs)]; other != "" {
			t.Errorf("%s and %s are the same field", r.Name, other)
		}
		fields[r.field(&rs)] = r.Name
		free := ^arguments(0)
		for i, a := range r.Alternatives {
			against |= a.against
			free &= a.against
			if a.Sound != (len(a.Breaks) == 0 && a.Cycles == acyclic) {
				t.Errorf("%s: sound is %t, and it breaks %v", at(ruleIndex(k), uint8(i)), a.Sound, a.Breaks)
			}
		}
		if free != 0 {
			t.Errorf("no alternative of %s leaves the arguments %b", r.Name, free)
		}
	}
	if against != promptAnswers|eagerAnswers|oldSends|freeProbes|newBoot|outsiders {
		t.Errorf("some argument rests on no rule: %b", against)
	}
}
