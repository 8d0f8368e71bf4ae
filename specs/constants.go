package specs

import (
	"fmt"
	"strconv"
	"strings"

	"vsrcheck/model"
)

// Constant is one size, fault budget or switch of a model.Config under its name in
// a specification file. The command line's flags, the files and the echo of a run
// are all made from this one list.
type Constant struct {
	Name    string
	Summary string
	Kind    ValueKind // IntValue, BoolValue or SetValue (a set of replica numbers)

	// Optional says that a file may leave the constant out. The two sets of replicas
	// then are all replicas.
	Optional bool

	integer func(*model.Config) *int
	boolean func(*model.Config) *bool
	set     func(*model.Config) *model.ReplicaSet
}

// Constants lists the constants of a specification file other than the rules, in
// the order in which they are written and echoed.
func Constants() []Constant {
	size := func(name, summary string, field func(*model.Config) *int) Constant {
		return Constant{Name: name, Summary: summary, Kind: IntValue, integer: field}
	}
	flag := func(name, summary string, field func(*model.Config) *bool) Constant {
		return Constant{Name: name, Summary: summary, Kind: BoolValue, boolean: field}
	}
	who := func(name, summary string, field func(*model.Config) *model.ReplicaSet) Constant {
		return Constant{Name: name, Summary: summary, Kind: SetValue, Optional: true, set: field}
	}
	return []Constant{
		size("replicas", "replicas in the group", func(c *model.Config) *int { return &c.Replicas }),
		size("ops", "highest op number that may be prepared", func(c *model.Config) *int { return &c.Ops }),
		size("pipeline", "ops that may be prepared above the commit number", func(c *model.Config) *int { return &c.Pipeline }),
		size("view_max", "highest view", func(c *model.Config) *int { return &c.ViewMax }),
		size("crashes", "budget of crashes with a restart", func(c *model.Config) *int { return &c.Crashes }),
		size("stops", "budget of replicas that stop for good", func(c *model.Config) *int { return &c.Stops }),
		size("drops", "budget of lost messages", func(c *model.Config) *int { return &c.Drops }),
		who("may_crash", "replicas that may crash and restart", func(c *model.Config) *model.ReplicaSet { return &c.MayCrash }),
		who("may_stop", "replicas that may stop for good", func(c *model.Config) *model.ReplicaSet { return &c.MayStop }),
		flag("journal_durable", "the journal survives a crash", func(c *model.Config) *bool { return &c.JournalDurable }),
		flag("recovering_elects", "a recovering replica that nobody answers starts an election",
			func(c *model.Config) *bool { return &c.RecoveringElects }),
		flag("prepare_carries_commit", "a prepare's header carries its primary's commit number",
			func(c *model.Config) *bool { return &c.PrepareCarriesCommit }),
	}
}

// Get is the constant's value in a configuration.
func (c Constant) Get(cfg model.Config) Value {
	switch c.Kind {
	case IntValue:
		return intValue(*c.integer(&cfg))
	case BoolValue:
		return boolValue(*c.boolean(&cfg))
	default:
		out := Value{Kind: SetValue}
		for r := range 8 {
			if c.set(&cfg).Has(r) {
				out.Set = append(out.Set, intValue(r))
			}
		}
		return out
	}
}

// Set changes the constant in a configuration. It checks the value's type and
// nothing else: sizes are judged together, by model.Config.Validate. Only a replica
// number that no layout can hold is refused here; its error wraps model.ErrConfig.
func (c Constant) Set(cfg *model.Config, v Value) error {
	if v.Kind != c.Kind {
		return fmt.Errorf("got %s for %s, want %s", v.describe(), c.Name, c.want())
	}
	switch c.Kind {
	case IntValue:
		*c.integer(cfg) = v.Int
	case BoolValue:
		*c.boolean(cfg) = v.Bool
	default:
		var set model.ReplicaSet
		for _, item := range v.Set {
			if item.Kind != IntValue {
				return fmt.Errorf("got %s in %s, want replica numbers, such as {0, 2}", item.describe(), c.Name)
			}
			if item.Int < 0 || item.Int >= model.MaxReplicas {
				return fmt.Errorf("%w: %s has replica %d, want 0..%d", model.ErrConfig, c.Name, item.Int, model.MaxReplicas-1)
			}
			set |= 1 << item.Int
		}
		*c.set(cfg) = set
	}
	return nil
}

// Parse reads a value in the notation of the command line: 3, true, and for sets
// 0,2 or {0, 2} or all or none.
func (c Constant) Parse(cfg model.Config, text string) (Value, error) {
	trimmed := strings.TrimSpace(text)
	switch c.Kind {
	case IntValue:
		n, err := strconv.ParseUint(trimmed, 10, 16)
		if err != nil {
			return Value{}, fmt.Errorf("got %q, want %s", text, c.want())
		}
		return intValue(int(n)), nil
	case BoolValue:
		b, err := strconv.ParseBool(strings.ToLower(trimmed))
		if err != nil {
			return Value{}, fmt.Errorf("got %q, want true or false", text)
		}
		return boolValue(b), nil
	}
	out := Value{Kind: SetValue}
	switch trimmed {
	case "none", "", "{}":
		return out, nil
	case "all":
		for r := range cfg.Replicas {
			out.Set = append(out.Set, intValue(r))
		}
		return out, nil
	}
	trimmed = strings.TrimSuffix(strings.TrimPrefix(trimmed, "{"), "}")
	for item := range strings.SplitSeq(trimmed, ",") {
		n, err := strconv.ParseUint(strings.TrimSpace(item), 10, 16)
		if err != nil {
			return Value{}, fmt.Errorf("got %q, want replica numbers such as 0,2, or all, or none", text)
		}
		out.Set = append(out.Set, intValue(int(n)))
	}
	return out, nil
}

func (c Constant) want() string {
	switch c.Kind {
	case IntValue:
		return "a number"
	case BoolValue:
		return "TRUE or FALSE"
	default:
		return "a set of replica numbers, such as {0, 2}"
	}
}
