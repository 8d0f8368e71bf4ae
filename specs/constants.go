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
	Kind    ValueKind // IntValue, BoolValue, SetValue (a set of replica numbers) or StringValue (the network)

	// Optional says that a file may leave the constant out. The two sets of replicas
	// then are all replicas; the constants of the network have their Default.
	Optional bool
	// Default is the value of a constant of the network that a file, a record or a trace
	// does not mention: all of them are older than it. It is not written or echoed either
	// where it is all that the network leaves possible, see Shown.
	Default *Value

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
	network := func(c Constant, value Value) Constant {
		c.Optional, c.Default = true, &value
		return c
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
		network(Constant{Name: "network", Kind: StringValue,
			Summary: "set: a message stays in flight when it is delivered; consume: it is delivered once; fifo: once, and in the order of its channel"},
			stringValue(model.NetworkSet.String())),
		network(size("duplicates", "budget of messages that are delivered and stay in flight (consume)",
			func(c *model.Config) *int { return &c.Duplicates }), intValue(0)),
		network(size("resets", "budget of connections that break (fifo)",
			func(c *model.Config) *int { return &c.Resets }), intValue(0)),
		network(size("channel", "messages that a channel holds before a send waits (fifo)",
			func(c *model.Config) *int { return &c.Channel }), intValue(model.DefaultChannel)),
	}
}

// Shown reports whether a file or an echo mentions the constant: under network = set, which
// is all that there was at first, those of the other networks are at their defaults or have
// no effect.
func (c Constant) Shown(cfg model.Config) bool {
	if c.Default == nil {
		return true
	}
	switch {
	case cfg.Network == model.NetworkSet:
		return false
	case c.Name == "duplicates":
		return cfg.Network == model.NetworkConsume
	case c.Name == "resets" || c.Name == "channel":
		return cfg.Network == model.NetworkFIFO
	}
	return true
}

// Get is the constant's value in a configuration.
func (c Constant) Get(cfg model.Config) Value {
	switch c.Kind {
	case IntValue:
		return intValue(*c.integer(&cfg))
	case BoolValue:
		return boolValue(*c.boolean(&cfg))
	case StringValue:
		return stringValue(cfg.Network.String())
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
	case StringValue:
		n, ok := model.NetworkNamed(v.Str)
		if !ok {
			return fmt.Errorf("got %s for %s, want one of %s%s", shorten(v.String()), c.Name, strings.Join(model.NetworkNames(), ", "),
				onlyNear(v.Str, model.NetworkNames()))
		}
		cfg.Network = n
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

// Parse reads a value in the notation of the command line: 3, true, set, and for sets
// 0,2 or {0, 2} or all or none. Text in quotes, as the echo has it, is the same without.
func (c Constant) Parse(cfg model.Config, text string) (Value, error) {
	trimmed := strings.TrimSpace(text)
	switch c.Kind {
	case IntValue:
		n, err := strconv.ParseUint(trimmed, 10, 16)
		if err != nil {
			return Value{}, fmt.Errorf("got %q, want a number that is not negative", text)
		}
		return intValue(int(n)), nil
	case BoolValue:
		b, err := strconv.ParseBool(strings.ToLower(trimmed))
		if err != nil {
			return Value{}, fmt.Errorf("got %q, want true or false", text)
		}
		return boolValue(b), nil
	case StringValue:
		name := strings.Trim(trimmed, `"`)
		return stringValue(name), c.Set(&model.Config{}, stringValue(name))
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
	case StringValue:
		return `one of "` + strings.Join(model.NetworkNames(), `", "`) + `"`
	default:
		return "a set of replica numbers, such as {0, 2}"
	}
}
