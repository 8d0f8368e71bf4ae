package specs

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vsrcheck/invariants"
	"vsrcheck/model"
)

// With VSRCHECK_UPDATE=1, TestShippedFiles rewrites the .cfg files in canonical form. A rule
// that a file does not mention yet is added at its first alternative: what the file
// meant before there was the rule, so that it stays what its records are of. So a new
// rule of the model needs one command:
//
//	VSRCHECK_UPDATE=1 go test ./specs -run TestShippedFiles
func update() bool { return os.Getenv("VSRCHECK_UPDATE") != "" }

// TestFamilies: each specification is in the folder of its family, and its name says which that
// is. A name is that of one file.
func TestFamilies(t *testing.T) {
	if top, err := filepath.Glob("*.cfg"); err != nil || len(top) > 0 {
		t.Errorf("%q are in no family's folder (%v)", top, err)
	}
	paths, err := filepath.Glob("*/*.cfg")
	if err != nil || len(paths) != len(Names()) {
		t.Errorf("%d files, and %d names of embedded ones (%v)", len(paths), len(Names()), err)
	}
	families := []struct{ folder, names string }{
		{"zoo", "^zoo-"}, {"findings", "^finding-"}, {"as-shipped", "^as-(shipped|reported)"}, {"sound", "^(sound|full)"},
		{"wedge", "^(tiny-)?(fetch-to-op|leads-to)-|^gap-check-|^report-scenario|^arming-any-heals$"},
	}
	for name, file := range places() {
		for _, f := range families {
			if in := filepath.Dir(file) == f.folder; in != regexp.MustCompile(f.names).MatchString(name) {
				t.Errorf("%s: in %s is %v, and its name says otherwise", file, f.folder, in)
			}
		}
	}
}

// TestShippedFiles holds the shipped files to the canonical form, in which every
// constant and every rule has a value: TLC refuses a file that leaves one out.
func TestShippedFiles(t *testing.T) {
	paths, err := filepath.Glob("*/*.cfg")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no shipped files: %v", err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		b := newBinder(path)
		missing, err := b.read(string(text))
		spec := *b.spec
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		if update() {
			if err := os.WriteFile(path, []byte(Write(spec)), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if len(missing) > 0 {
			t.Errorf("%s: no value for %s; run VSRCHECK_UPDATE=1 go test ./specs -run TestShippedFiles", path, strings.Join(missing, ", "))
			continue
		}
		if got, want := string(text), Write(spec); got != want {
			t.Errorf("%s is not in canonical form; run VSRCHECK_UPDATE=1 go test ./specs -run TestShippedFiles, and see git diff", path)
		}
		if spec.Size == "" || spec.Summary == "" || spec.Text == "" {
			t.Errorf("%s: want a summary, a text and a size", path)
		}
	}
}

// TestShippedSpecs holds the shipped specifications to what they promise: the mission's
// property is the decisive one, or what it is as a temporal formula, but in the findings,
// which are about others, and where a single op leaves it nothing to say.
func TestShippedSpecs(t *testing.T) {
	for _, name := range Names() {
		spec, err := Load(name)
		if err != nil {
			t.Errorf("Load(%q): %v", name, err)
			continue
		}
		if spec.Name != name || spec.Path != "specs/"+places()[name] {
			t.Errorf("Load(%q) is named %q at %q", name, spec.Name, spec.Path)
		}
		// What a property is about may be one rule alone.
		finding := strings.HasPrefix(name, "finding-") || strings.HasPrefix(name, "zoo-") || strings.HasPrefix(name, "sound-but-")
		for _, p := range spec.Properties {
			if isLiveness(p) {
				if p != "QuorumAckedCommits" && p != "AckedLeadsToDecided" && !finding && spec.Config.Ops > 1 {
					t.Errorf("%s: the decisive liveness property is %s, want QuorumAckedCommits", name, p)
				}
				break
			}
		}
		named := strings.HasPrefix(name, "tiny-") || strings.HasSuffix(name, "-tiny")
		if named && spec.Size != Tiny || spec.Size == Tiny && !finding && !named {
			t.Errorf("%s has size %s; the tiny ones are named tiny- or -tiny, finding-, zoo- or sound-but-", name, spec.Size)
		}
	}
}

// TestPairs holds each old/fixed pair to its one difference.
func TestPairs(t *testing.T) {
	pairs := 0
	for _, name := range Names() {
		if !strings.Contains(name, "fetch-to-op-old") {
			continue
		}
		pairs++
		old, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		fixed, err := Load(strings.Replace(name, "-old", "-fixed", 1))
		if err != nil {
			t.Errorf("%s has no partner: %v", name, err)
			continue
		}
		if old.Rules.FetchToOp != model.FetchOld || fixed.Rules.FetchToOp != model.FetchFixed {
			t.Errorf("%s and %s have fetch_to_op %v and %v", old.Name, fixed.Name, old.Rules.FetchToOp, fixed.Rules.FetchToOp)
		}
		fixed.Rules.FetchToOp = old.Rules.FetchToOp
		fixed.Name, fixed.Path, fixed.Summary, fixed.Text = old.Name, old.Path, old.Summary, old.Text
		if !reflect.DeepEqual(old, fixed) {
			t.Errorf("%s and its partner differ in more than fetch_to_op:\n%s\n%s", name, Write(old), Write(fixed))
		}
	}
	if pairs == 0 {
		t.Error("no pair was found")
	}
}

// TestZoo holds each pair zoo-RULE and zoo-RULE-sound to its one difference, the rule,
// which is faulty in the one and violates something; and each known defect to its pair.
func TestZoo(t *testing.T) {
	manifest, err := LoadManifest()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range model.Catalogue() {
		name := "zoo-" + strings.ReplaceAll(r.Name, "_", "-")
		if !r.Defect && !slices.Contains(Names(), name) {
			continue
		}
		faulty, err := Load(name)
		if err != nil {
			t.Errorf("%s: %v", r.Name, err)
			continue
		}
		sound, err := Load(name + "-sound")
		if err != nil {
			t.Errorf("%s: %v", r.Name, err)
			continue
		}
		isSound := map[string]bool{}
		for _, a := range r.Alternatives {
			isSound[a.Name] = a.Sound
		}
		if r.Defect && !r.Alternatives[0].Sound {
			t.Errorf("%s: the report's version is said not to have the defect, and has %s", r.Name, r.Alternatives[0].Name)
		}
		if isSound[r.Get(faulty.Rules)] || !isSound[r.Get(sound.Rules)] {
			t.Errorf("%s is %s in %s and %s in its twin", r.Name, r.Get(faulty.Rules), name, r.Get(sound.Rules))
		}
		if e, _ := manifest.Entry(name); e.Violated == "" {
			t.Errorf("%s violates nothing", name)
		}
		if e, _ := manifest.Entry(name + "-sound"); e.Result != ResultSuccess {
			t.Errorf("%s-sound: %s", name, e.Result)
		}
		if err := r.Set(&sound.Rules, r.Get(faulty.Rules)); err != nil {
			t.Fatal(err)
		}
		sound.Name, sound.Path, sound.Summary, sound.Text = faulty.Name, faulty.Path, faulty.Summary, faulty.Text
		if !reflect.DeepEqual(faulty, sound) {
			t.Errorf("%s and its twin differ in more than %s:\n%s\n%s", name, r.Name, Write(faulty), Write(sound))
		}
	}
}

// TestManifestMatchesFiles holds the manifest to one entry for each file, of the
// same size. Whether the numbers are right is tested where checks can be run.
func TestManifestMatchesFiles(t *testing.T) {
	m, err := LoadManifest()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, e := range m.Entries() {
		seen[e.Name()] = true
		spec, err := Load(e.Name())
		if err != nil {
			t.Errorf("%s: %v", e.Path, err)
			continue
		}
		if spec.Path != e.Path || spec.Size != e.Size {
			t.Errorf("the entry of %s has path %s and size %s, want %s and %s", spec.Name, e.Path, e.Size, spec.Path, spec.Size)
		}
	}
	for _, name := range Names() {
		if !seen[name] {
			t.Errorf("the manifest lacks %s; run go run ./cmd/vsrcheck manifest --update", name)
		}
	}
	data, err := m.Write()
	if err != nil {
		t.Fatal(err)
	}
	if again, err := ParseManifest(data); err != nil || !reflect.DeepEqual(m, again) {
		t.Errorf("writing and reading the manifest changes it: %v", err)
	}
}

func TestParseManifestRefuses(t *testing.T) {
	entry := `{"path":"a.cfg","size":"tiny","mode":"exhaustive search","result":"success"}`
	file := func(models string) string {
		return `{"specifications":[{"path":"specs","title":"","modules":[{"path":"","models":[` + models + `]}]}]}`
	}
	if _, err := ParseManifest([]byte(file(entry))); err != nil {
		t.Fatalf("a good manifest: %v", err)
	}
	for _, bad := range []string{
		``, `{`, `{"specs":[]}`, file(entry) + file(entry),
		file(entry + "," + entry),
		file(strings.Replace(entry, "tiny", "huge", 1)),
		file(strings.Replace(entry, "exhaustive search", "simulation", 1)),
		file(strings.Replace(entry, "success", "fine", 1)),
	} {
		if m, err := ParseManifest([]byte(bad)); err == nil {
			t.Errorf("ParseManifest(%s) = %v, want an error", bad, m)
		}
	}
}

func TestLoadUnknown(t *testing.T) {
	_, err := Load("fetch-to-op-odl")
	if !errors.Is(err, ErrUnknown) || !strings.Contains(err.Error(), "did you mean fetch-to-op-old?") {
		t.Errorf("Load of a mistyped name: %v", err)
	}
	if _, err := Load("../specs/fetch-to-op-old"); !errors.Is(err, ErrUnknown) {
		t.Errorf("Load of a path: %v", err)
	}
}

func TestParseFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "mine.cfg")
	spec, err := Load("tiny-fetch-to-op-old")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(Write(spec)), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got.Name != "mine" || got.Path != path {
		t.Errorf("got name %q and path %q", got.Name, got.Path)
	}
	got.Name, got.Path = spec.Name, spec.Path
	if !reflect.DeepEqual(got, spec) {
		t.Errorf("got %+v, want %+v", got, spec)
	}
	if _, err := ParseFile(filepath.Join(dir, "none.cfg")); !errors.Is(err, os.ErrNotExist) || !errors.Is(err, ErrSyntax) {
		t.Errorf("a file that is not there: %v", err)
	}
	if _, err := ParseFile(dir); !errors.Is(err, ErrSyntax) {
		t.Errorf("a folder: %v", err)
	}
	if err := os.WriteFile(path, []byte(strings.Repeat(" ", maxFileBytes+1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ParseFile(path); !errors.Is(err, ErrSyntax) {
		t.Errorf("a huge file: %v", err)
	}
}

func TestSuggest(t *testing.T) {
	for _, test := range []struct {
		word string
		want string
	}{
		{"fetch-to-op-odl", "fetch-to-op-old"},
		{"Fetch_To_Op_Old", "fetch-to-op-old"},
		{"fetch-to", "fetch-to-op-old"},
		{"fixe", "fixed"},
		{"xyzzy", ""},
		{"", ""},
		{strings.Repeat("x", 1000), ""},
	} {
		if got := Suggest(test.word, []string{"fetch-to-op-old", "fetch-to-op-fixed", "fixed"}); got != test.want {
			t.Errorf("Suggest(%q) = %q, want %q", test.word, got, test.want)
		}
	}
	for _, test := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"", "ab", 2}, {"old", "odl", 1}, {"abc", "axc", 1}, {"kitten", "sitting", 3}} {
		if got := distance(test.a, test.b); got != test.want {
			t.Errorf("distance(%q, %q) = %d, want %d", test.a, test.b, got, test.want)
		}
		if got := distance(test.b, test.a); got != test.want {
			t.Errorf("distance(%q, %q) = %d, want %d", test.b, test.a, got, test.want)
		}
	}
}

// TestConstants holds the list of constants to the fields of model.Config: each
// field is set by exactly one constant.
func TestConstants(t *testing.T) {
	if got, want := len(Constants()), reflect.TypeFor[model.Config]().NumField(); got != want {
		t.Errorf("there are %d constants for %d fields of model.Config", got, want)
	}
	for _, c := range Constants() {
		var cfg model.Config
		values := map[ValueKind]Value{
			IntValue:  intValue(2),
			BoolValue: boolValue(true),
			SetValue:  {Kind: SetValue, Set: []Value{intValue(0), intValue(2)}},

			StringValue: stringValue("fifo"),
		}
		v := values[c.Kind]
		if err := c.Set(&cfg, v); err != nil {
			t.Errorf("%s: %v", c.Name, err)
		}
		if got := c.Get(cfg); !reflect.DeepEqual(got, v) {
			t.Errorf("%s is %v after it was set to %v", c.Name, got, v)
		}
		changed := 0
		for i := range reflect.TypeFor[model.Config]().NumField() {
			if !reflect.ValueOf(cfg).Field(i).IsZero() {
				changed++
			}
		}
		if changed != 1 {
			t.Errorf("setting %s changed %d fields", c.Name, changed)
		}
		if err := c.Set(&cfg, Value{Kind: ModelValue, Str: "x"}); err == nil {
			t.Errorf("%s took a model value", c.Name)
		}
		parsed, err := c.Parse(model.Config{Replicas: 3}, v.String())
		if err != nil || !reflect.DeepEqual(parsed, v) {
			t.Errorf("%s: Parse(%s) = %v, %v", c.Name, v, parsed, err)
		}
		for _, bad := range []string{"-1", "x", "1,", "99999999999999999999"} {
			if c.Kind == BoolValue && bad == "1" {
				continue
			}
			if got, err := c.Parse(model.Config{Replicas: 3}, bad); err == nil {
				t.Errorf("%s: Parse(%q) = %v, want an error", c.Name, bad, got)
			}
		}
	}
}

// A file need not mention the network, and is then about the set of messages; Write says
// what the network of a specification has, and nothing of the others'.
func TestNetworkIsOptional(t *testing.T) {
	spec, err := Load("tiny-fetch-to-op-fixed")
	if err != nil {
		t.Fatal(err)
	}
	if c := spec.Config; c.Network != model.NetworkSet || c.Duplicates != 0 || c.Resets != 0 || c.Channel != model.DefaultChannel {
		t.Errorf("without a word about it the network is %v with %d duplicates, %d resets and channels of %d", c.Network, c.Duplicates, c.Resets, c.Channel)
	}
	for _, test := range []struct {
		network model.NetworkKind
		written string
	}{
		{model.NetworkSet, ""},
		{model.NetworkConsume, "  network = \"consume\"\n  duplicates = 1\n"},
		{model.NetworkFIFO, "  network = \"fifo\"\n  resets = 1\n  channel = 3\n"},
	} {
		other := spec
		other.Config.Network = test.network
		switch test.network {
		case model.NetworkConsume:
			other.Config.Duplicates = 1
		case model.NetworkFIFO:
			other.Config.Resets, other.Config.Channel = 1, 3
		}
		text := Write(other)
		before, after, _ := strings.Cut(text, "  prepare_carries_commit = TRUE\n")
		if !strings.HasPrefix(after, test.written+"  fetch_to_op") {
			t.Errorf("%v is written as\n%s", test.network, text)
		}
		if again, err := Parse(spec.Path, before+"  prepare_carries_commit = TRUE\n"+after); err != nil || !reflect.DeepEqual(again, other) {
			t.Errorf("%v: Parse(Write(s)) = %+v, %v", test.network, again.Config, err)
		}
	}
}

// A budget that the network does not have is refused, and says why.
func TestNetworkBudgets(t *testing.T) {
	text, err := Text("tiny-fetch-to-op-fixed")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ constants, want string }{
		{"duplicates = 1", "duplicates is 1 with network = set, want 0"},
		{"resets = 1", "resets is 1 with network = set, want 0"},
		{"network = \"consume\" resets = 1", "resets is 1 with network = consume, want 0"},
		{"network = \"fifo\" duplicates = 2", "duplicates is 2 with network = fifo, want 0"},
		{"network = \"fifo\" channel = 9", "channel is 9, want 1..8"},
		{"network = \"fifo\" channel = 0", "channel is 0, want 1..8"},
		{"network = \"lifo\"", "want one of set, consume, fifo; did you mean fifo?"},
		{"network = fifo", "want one of \"set\", \"consume\", \"fifo\""},
	} {
		_, err := Parse("x.cfg", strings.Replace(text, "CONSTANTS\n", "CONSTANTS\n  "+test.constants+"\n", 1))
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v, want an error with %q", test.constants, err, test.want)
		}
	}
}

// TestKinds documents which kinds of properties the sections take.
func TestKinds(t *testing.T) {
	for _, p := range invariants.Catalogue() {
		invariant := CheckProperty(p.Name, "INVARIANTS", invariants.State)
		property := CheckProperty(p.Name, "PROPERTIES", invariants.Step, invariants.Liveness)
		if (invariant == nil) != (p.Kind == invariants.State) {
			t.Errorf("%s (%s) in INVARIANTS: %v", p.Name, p.Kind, invariant)
		}
		if (property == nil) != (p.Kind == invariants.Step || p.Kind == invariants.Liveness) {
			t.Errorf("%s (%s) in PROPERTIES: %v", p.Name, p.Kind, property)
		}
	}
}
