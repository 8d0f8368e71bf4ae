package specs_test

import (
	"errors"
	"regexp"
	"slices"
	"testing"

	"vsrcheck/invariants"
	"vsrcheck/model"
	"vsrcheck/specs"
)

// The module in TLA+ declares the constants of the configuration files, admits the
// alternatives that the rules have, and defines every property and constraint that a
// file may name.
func TestModuleAgreesWithCatalogues(t *testing.T) {
	module := specs.Module()
	var want, got []string
	for _, c := range specs.Constants() {
		if c.Default == nil {
			want = append(want, c.Name)
			continue
		}
		// A file may leave it out, so that the module defines it, and a file overrides that.
		if !regexp.MustCompile(`(?m)^` + c.Name + ` +== ` + regexp.QuoteMeta(c.Default.String()) + `$`).MatchString(module) {
			t.Errorf("the module does not define %s as %s", c.Name, c.Default)
		}
	}
	for _, r := range model.Catalogue() {
		want = append(want, r.Name)
	}
	for _, block := range regexp.MustCompile(`(?m)^CONSTANTS\n((?:  .*\n)+)`).FindAllStringSubmatch(module, -1) {
		for _, m := range regexp.MustCompile(`(?m)^  (\w+),? +\\\*`).FindAllStringSubmatch(block[1], -1) {
			got = append(got, m[1])
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("the module declares the constants %q, want %q", got, want)
	}
	for _, r := range model.Catalogue() {
		m := regexp.MustCompile(`\b` + r.Name + ` \\in \{(.*)\}`).FindStringSubmatch(module)
		if m == nil {
			t.Errorf("the module does not say what %s may be", r.Name)
			continue
		}
		var alternatives []string
		for _, name := range regexp.MustCompile(`"([^"]*)"`).FindAllStringSubmatch(m[1], -1) {
			alternatives = append(alternatives, name[1])
		}
		if !slices.Equal(alternatives, r.AlternativeNames()) {
			t.Errorf("the module has the alternatives %q of %s, want %q", alternatives, r.Name, r.AlternativeNames())
		}
	}
	for _, p := range invariants.Catalogue() {
		if p.Kind == invariants.Reachable || p.Kind == invariants.Report || p.Kind == invariants.Bound {
			continue // no file may name it
		}
		if p.NotInTLA != "" {
			if regexp.MustCompile(`\b` + p.Name + `\b`).MatchString(module) {
				t.Errorf("the module names %s, which it cannot state: %s", p.Name, p.NotInTLA)
			}
			continue
		}
		if !regexp.MustCompile(`(?m)^` + p.Name + ` ==`).MatchString(module) {
			t.Errorf("the module does not define %s", p.Name)
		}
	}
}

// Text is the text of an embedded file and of no other.
func TestText(t *testing.T) {
	for _, name := range specs.Names() {
		spec, err := specs.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		text, err := specs.Text(name)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := specs.Parse(spec.Path, text); err != nil || again.Name != name {
			t.Errorf("%s: the text gives %q, %v", name, again.Name, err)
		}
	}
	for _, bad := range []string{"", "none", "tiny-fetch-to-op-old.cfg", "specs/tiny-fetch-to-op-old", "../specs/tiny-fetch-to-op-old"} {
		if _, err := specs.Text(bad); !errors.Is(err, specs.ErrUnknown) {
			t.Errorf("Text(%q) = %v, want ErrUnknown", bad, err)
		}
	}
}
