package job

import (
	"vsrcheck/invariants"
	"vsrcheck/model"
	"vsrcheck/specs"
)

// Settings override the configuration and the rules of a specification.
type Settings struct {
	Constants []*ConstantSetting
	Rules     []*ruleSetting
}

// ConstantSetting overrides a constant. Its text is read once the specification is known,
// because "all" depends on the number of replicas.
type ConstantSetting struct {
	specs.Constant
	Text  string
	Given bool
}

// ruleSetting overrides a rule, unless its text is "".
type ruleSetting struct {
	Rule model.Rule
	Text string
}

// NewSettings overrides nothing yet, and has every constant and every rule.
func NewSettings() (s Settings) {
	for _, c := range specs.Constants() {
		s.Constants = append(s.Constants, &ConstantSetting{Constant: c})
	}
	for _, r := range model.Catalogue() {
		s.Rules = append(s.Rules, &ruleSetting{Rule: r})
	}
	return s
}

// Take checks the text's form. Which sizes fit is decided later, for all together.
func (o *ConstantSetting) Take(text string) error {
	if text == "" && o.Kind == specs.SetValue {
		return Wrongf("got an empty text, want replica numbers such as 0,2, or all, or none")
	}
	if _, err := o.Parse(model.Config{}, text); err != nil {
		return Wrongf("%s", err)
	}
	o.Text, o.Given = text, true
	return nil
}

// Apply overrides the configuration and the rules of a specification.
func (o *Settings) Apply(spec specs.Spec) (*Override, error) {
	changed := spec
	all := model.AllReplicas(spec.Config.Replicas)
	for _, c := range o.Constants {
		if !c.Given {
			continue
		}
		v, err := c.Parse(changed.Config, c.Text) // replicas is the first of the constants
		if err != nil {
			return nil, Wrongf("--%s: %s", OptionName(c.Name), err)
		}
		if err := c.Constant.Set(&changed.Config, v); err != nil {
			return nil, err
		}
		if c.Name == "replicas" && v.Int >= 0 && v.Int <= model.MaxReplicas {
			// Who was "all of them" stays all of them.
			if spec.Config.MayCrash == all {
				changed.Config.MayCrash = model.AllReplicas(v.Int)
			}
			if spec.Config.MayStop == all {
				changed.Config.MayStop = model.AllReplicas(v.Int)
			}
		}
	}
	for _, c := range o.Constants {
		if c.Given && c.Name == "channel" && !c.Shown(changed.Config) {
			return nil, Wrongf("--channel %s: got network = %s, want --network %s: only there a channel has a size",
				c.Text, changed.Config.Network, model.NetworkFIFO)
		}
	}
	for _, r := range o.Rules {
		if r.Text == "" {
			continue
		}
		if err := r.Rule.Set(&changed.Rules, r.Text); err != nil {
			return nil, Wrongf("--%s: %s", OptionName(r.Rule.Name), err)
		}
	}
	return NewOverride(spec, changed), nil
}

// Request is what somebody wants checked of a specification, instead of what it says.
type Request struct {
	Settings
	Properties, Invariants []string // nil: those of the specification
	CheckDeadlock          *bool    // nil: as the specification says
	ContinueAll            bool
	Reduce                 string
}

// Apply overrides the specification.
func (o *Request) Apply(spec specs.Spec) (*Override, error) {
	out, err := o.Settings.Apply(spec)
	if err != nil {
		return nil, err
	}
	if o.Invariants != nil {
		if out.Invariants, err = chosen(o.Invariants, "--invariant", invariants.State); err != nil {
			return nil, err
		}
	}
	if o.Properties != nil {
		if out.Properties, err = chosen(o.Properties, "--property", invariants.Step, invariants.Liveness); err != nil {
			return nil, err
		}
		out.Chosen = true
	}
	if o.CheckDeadlock != nil {
		out.CheckDeadlock = *o.CheckDeadlock
	}
	if name := out.CutsFairSteps(); name != "" && out.Specification() != spec.Specification() {
		return nil, Wrongf("--property: got a liveness property for a specification with the CONSTRAINT %s, want one of the two", name)
	}
	return out, nil
}

// Job is the check of a specification that is asked for.
func (o *Request) Job(spec specs.Spec) (*Job, error) {
	effective, err := o.Apply(spec)
	if err != nil {
		return nil, err
	}
	return New(effective, o.ContinueAll, o.Reduce)
}

// CheckingOnly is a specification with nothing but one property to check.
func CheckingOnly(spec specs.Spec, property string) specs.Spec {
	spec.Properties, spec.Invariants, spec.CheckDeadlock = nil, nil, property == Deadlock.Name
	if p, ok := invariants.Named(property); ok && p.Kind == invariants.State {
		spec.Invariants = []string{property}
	} else if ok {
		spec.Properties = []string{property}
	}
	return spec
}
