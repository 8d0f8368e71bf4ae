package job

import (
	"slices"
	"strings"

	"vsrcheck/invariants"
	"vsrcheck/model"
	"vsrcheck/results"
	"vsrcheck/specs"
)

// Override is a specification with what the command line changed.
type Override struct {
	specs.Spec
	Instead map[string]string // by name: the value that was overridden, as the echo writes it
	Chosen  bool              // the liveness properties were chosen one by one: no other is asked
}

// NewOverride is a changed specification that remembers the settings it was made from.
func NewOverride(base, changed specs.Spec) *Override {
	out := &Override{Spec: changed, Instead: map[string]string{}}
	for _, c := range specs.Constants() {
		if before := c.Get(base.Config).String(); before != c.Get(changed.Config).String() {
			out.Instead[c.Name] = before
		}
	}
	for _, r := range model.Catalogue() {
		if before := r.Get(base.Rules); before != r.Get(changed.Rules) {
			out.Instead[r.Name] = before
		}
	}
	return out
}

// chosen checks a list of property names from the command line.
func chosen(names []string, option string, kinds ...invariants.Kind) ([]string, error) {
	if len(names) == 1 && names[0] == "none" {
		return nil, nil
	}
	var out []string
	for i, name := range names {
		if err := specs.CheckProperty(name, option, kinds...); err != nil {
			return nil, Wrongf("%s", err)
		}
		if !slices.Contains(names[:i], name) {
			out = append(out, name)
		}
	}
	return out, nil
}

// ConfigSettings lists the constants other than rules as they are in force.
func (s *Override) ConfigSettings() []results.Setting {
	var out []results.Setting
	for _, c := range specs.Constants() {
		if !c.Shown(s.Config) {
			continue
		}
		out = append(out, results.Setting{Name: c.Name, Value: c.Get(s.Config).String(), Instead: s.Instead[c.Name]})
	}
	return out
}

// RuleSettings lists the rules as they are in force.
func (s *Override) RuleSettings() []results.Setting {
	var out []results.Setting
	for _, r := range model.Catalogue() {
		out = append(out, results.Setting{Name: r.Name, Value: r.Get(s.Rules), Instead: s.Instead[r.Name]})
	}
	return out
}

// OverriddenText lists the settings that are not the specification's.
func OverriddenText(o *Override) string {
	var parts []string
	for _, s := range append(o.ConfigSettings(), o.RuleSettings()...) {
		if s.Instead != "" {
			parts = append(parts, s.Name+"="+strings.ReplaceAll(s.Value, " ", ""))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " with " + strings.Join(parts, ", ")
}
