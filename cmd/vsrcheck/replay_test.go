package main

import (
	"bytes"
	"context"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"vsrcheck/cmd/vsrcheck/internal/behaviour"
	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/cmd/vsrcheck/internal/tell"
	"vsrcheck/explore"
	"vsrcheck/invariants"
	"vsrcheck/model"
	"vsrcheck/results"
	"vsrcheck/results/trace"
	"vsrcheck/specs"
)

// resultsDir has the records of the published runs, and tracesDir a trace of every tiny
// and small specification that is violated.
const (
	resultsDir = "../../results"
	runsDir    = resultsDir + "/runs"
	tracesDir  = runsDir + "/traces"
)

// recordedTraces lists the specifications that have a trace there, with their expected
// result.
func recordedTraces(t *testing.T) map[string]specs.Entry {
	t.Helper()
	manifest, err := specs.LoadManifest()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]specs.Entry{}
	for _, name := range specs.Names() {
		spec, err := specs.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		e, _ := manifest.Entry(name)
		if e.Violated != "" && (spec.Size == specs.Tiny || spec.Size == specs.Small) {
			out[name] = e
		}
	}
	if len(out) < 5 {
		t.Fatalf("only %d specifications have a trace", len(out))
	}
	return out
}

// program runs the command and returns its exit code and its output.
func program(args ...string) (code int, stdout, stderr string) {
	return runHere(context.Background(), args...)
}

// TestRecordedTraces: every recorded trace is possible under its own rules, to the
// recorded states, and violates what it was recorded for. With VSRCHECK_UPDATE=1 the traces
// are made anew first.
func TestRecordedTraces(t *testing.T) {
	found, err := filepath.Glob(filepath.Join(tracesDir, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	all := recordedTraces(t)
	for _, path := range found {
		if _, ok := all[strings.TrimSuffix(filepath.Base(path), ".json")]; !ok {
			t.Errorf("%s is of no tiny or small violated specification", path)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		path := filepath.Join(tracesDir, name+".json")
		if update() {
			if code, _, stderr := program("check", name, "--no-progress", "--trace", "json="+path); stderr != "" {
				t.Fatalf("check %s: exit code %d, %s", name, code, stderr)
			}
			data, err := os.ReadFile(path)
			if err == nil {
				data, err = trace.Shorten(data)
			}
			if err == nil {
				err = results.WriteFile(path, data)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		code, stdout, stderr := program("replay", path, "--trace-states", "none")
		want := map[string]int{specs.ResultSafety: exitSafety, specs.ResultLiveness: exitLiveness}[all[name].Result]
		if code != want || stderr != "" || !strings.Contains(stdout, "\nREPRODUCED "+name+": ") ||
			!strings.Contains(stdout, all[name].Violated) || strings.Contains(stdout, "differs ") {
			t.Errorf("%s: got exit code %d, want %d; run VSRCHECK_UPDATE=1 go test ./cmd/vsrcheck -run RecordedTraces if the model has changed\n%s%s",
				name, code, want, last(stdout), stderr)
		}
	}
}

func last(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

// TestPublishedRuns: the trace of every published run, the longest searches included,
// is reproduced from its record.
func TestPublishedRuns(t *testing.T) {
	records, err := results.ReadAll(runsDir)
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, r := range records {
		if len(r.Violations) == 0 {
			continue
		}
		count++
		code, stdout, stderr := program("replay", filepath.Join(runsDir, r.File), "--trace-states", "none")
		if code != r.ExitCode || stderr != "" || !strings.HasPrefix(last(stdout), "REPRODUCED "+r.Spec+": ") || !strings.Contains(last(stdout), r.Violated) {
			t.Errorf("%s: got exit code %d, want %d: %s%s", r.File, code, r.ExitCode, last(stdout), stderr)
		}
	}
	if count < 10 {
		t.Errorf("only %d published runs have a trace", count)
	}
}

// TestFixedRuleStopsTraces: under the fixed rule no trace of the incident goes through,
// of the published runs neither. The step that cannot be taken is the one that the old
// rule made possible: the repair request that leaves out the inherited op.
func TestFixedRuleStopsTraces(t *testing.T) {
	stopped := regexp.MustCompile(`^STOPPED [a-z0-9-]+ with fetch_to_op=fixed: step \d+, ReceiveRequestPrepares\(replica (\d), ` +
		`RequestPrepares\{from_op 1, to_op 1\} from replica (\d)\), is not possible: no such message is in flight to replica (\d); ` +
		`of its kind there is RequestPrepares\{from_op 1, to_op 2\} from replica (\d)$`)
	var paths []string
	for _, pattern := range []string{"*fetch-to-op-old*.json", "report-scenario.json", "traces/*fetch-to-op-old*.json"} {
		found, err := filepath.Glob(filepath.Join(runsDir, pattern))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: got %v, %v", pattern, found, err)
		}
		paths = append(paths, found...)
	}
	for _, path := range paths {
		code, stdout, stderr := program("replay", path, "--fetch-to-op", "fixed", "--trace-states", "none")
		parts := stopped.FindStringSubmatch(last(stdout))
		if code != exitDiverged || stderr != "" || parts == nil || parts[1] != parts[3] || parts[2] != parts[4] {
			t.Errorf("%s: got exit code %d, want %d: %s%s", path, code, exitDiverged, last(stdout), stderr)
		}
		if hasStates := strings.Contains(path, "traces"); hasStates != regexp.MustCompile(`session_to:\s+recorded 1, now 2`).MatchString(stdout) {
			t.Errorf("%s: has states is %v, and the first other state is told otherwise:\n%s", path, hasStates, stdout)
		}
	}
}

// TestRuleStopsTrace: the rule that a finding names stops its trace, at the message that
// must not be taken.
func TestRuleStopsTrace(t *testing.T) {
	for _, test := range []struct{ file, rule, alternative, step string }{
		{"finding-stale-start-view.json", "incarnation", "checked",
			"step 10, ReceiveAnswer(replica 2, StartView{view 1, op 0, commit 0} without suffix), is not possible: no such message is in flight to replica 2"},
		{"simulate-old-repair-frame.json", "repair_frames", "session",
			"step 18, ReceiveRequestPrepares(replica 0, RequestPrepares{from_op 1, to_op 1} from replica 3), is not possible: no such message is in flight to replica 0"},
	} {
		code, stdout, stderr := program("replay", filepath.Join(runsDir, test.file), "--"+job.OptionName(test.rule), test.alternative, "--trace-states", "none")
		if code != exitDiverged || stderr != "" || !strings.Contains(last(stdout), " with "+test.rule+"="+test.alternative+": "+test.step) {
			t.Errorf("%s: got exit code %d, want %d: %s%s", test.file, code, exitDiverged, last(stdout), stderr)
		}
	}
}

// TestCheckedIncarnationHolds: with incarnation = checked the whole space of the finding
// about the other alternative is searched, and is safe.
func TestCheckedIncarnationHolds(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	code, stdout, stderr := program("check", "finding-stale-start-view", "--incarnation", "checked", "--no-progress",
		"--property", "NoRegression,Durability")
	if code != exitHolds || stderr != "" {
		t.Errorf("got exit code %d, want %d: %s%s", code, exitHolds, last(stdout), stderr)
	}
}

// TestReplayITF: a recorded trace goes through the Informal Trace Format, with the names
// of its actions and without, and is still reproduced.
func TestReplayITF(t *testing.T) {
	itf := filepath.Join(t.TempDir(), "t.itf.json")
	nameless := func(data []byte) []byte { return bytes.ReplaceAll(data, []byte(`"action":`), []byte(`"was":`)) }
	for name := range recordedTraces(t) {
		path := filepath.Join(tracesDir, name+".json")
		code, stdout, stderr := program("replay", path, "--trace", "itf="+itf, "--trace-states", "none")
		if stderr != "" || !strings.Contains(stdout, "written to") {
			t.Fatalf("%s: %s%s", name, last(stdout), stderr)
		}
		data, err := os.ReadFile(itf)
		if err != nil {
			t.Fatal(err)
		}
		validate(t, "itf", data)
		for _, text := range [][]byte{data, nameless(data)} {
			if err := os.WriteFile(itf, text, 0o600); err != nil {
				t.Fatal(err)
			}
			again, stdout, stderr := program("replay", itf, "--trace-states", "none")
			if again != code || stderr != "" || !strings.Contains(stdout, "\nREPRODUCED ") {
				t.Errorf("%s: got exit code %d, want %d:\n%s%s", name, again, code, last(stdout), stderr)
			}
		}
		if bytes.Equal(data, nameless(data)) {
			t.Fatalf("%s: the trace names no actions", name)
		}
	}
}

// TestTraceFilesRoundTrip: a replay writes the very file that it read, but with every state in full, and with the rules that
// are newer than the trace.
func TestTraceFilesRoundTrip(t *testing.T) {
	again := filepath.Join(t.TempDir(), "t.json")
	for name := range recordedTraces(t) {
		path := filepath.Join(tracesDir, name+".json")
		if _, _, stderr := program("replay", path, "--trace", "json="+again); stderr != "" {
			t.Fatal(stderr)
		}
		var files [2][]byte
		for i, p := range []string{path, again} {
			data, err := os.ReadFile(p)
			if err != nil {
				t.Fatal(err)
			}
			validate(t, "trace", data)
			if p == again { // the recorded one is short
				if data, err = trace.Shorten(data); err != nil {
					t.Fatal(err)
				}
				validate(t, "trace", data)
			}
			files[i] = regexp.MustCompile(`(?s)"program": \{.*?\}`).ReplaceAll(data, nil)
			// A replay takes faults at any time, and has every answer.
			files[i] = regexp.MustCompile(`"reduction": "eager[a-z,]*"`).ReplaceAll(files[i], []byte(`"reduction": "eager"`))
			files[i] = regexp.MustCompile(`"reduction": "(?:faults|prompt)[a-z,]*"`).ReplaceAll(files[i], []byte(`"reduction": "none"`))
		}
		for _, r := range model.Catalogue() {
			if !bytes.Contains(files[0], []byte(`{"name": "`+r.Name+`"`)) {
				entry := regexp.MustCompile(`,\n *\{"name": "` + r.Name + `", "value": "` + r.Get(model.Rules{}) + `".*?\}`)
				files[1] = entry.ReplaceAll(files[1], nil)
			}
		}
		if !bytes.Equal(files[0], files[1]) {
			t.Errorf("%s: a replay does not give the same trace", name)
		}
	}
}

// schemas are those that were compiled, by name.
var schemas sync.Map

func validate(t *testing.T, name string, data []byte) {
	t.Helper()
	compiled, found := schemas.Load(name)
	if !found {
		schema, err := jsonschema.NewCompiler().Compile(filepath.Join(resultsDir, "schema", name+".schema.json"))
		if err != nil {
			t.Fatal(err)
		}
		compiled, _ = schemas.LoadOrStore(name, schema)
	}
	schema := compiled.(*jsonschema.Schema)
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(v); err != nil {
		t.Error(err)
	}
}

// TestVariables: the values of a state say everything about it, and are of the types
// that the formats announce.
func TestVariables(t *testing.T) {
	variables, err := behaviour.Variables()
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range variables {
		if strings.Contains(v.Type.String(), "a)") || strings.HasSuffix(v.Type.String(), "-> a") {
			t.Errorf("the elements of %s have no type: %s", variables[i].Name, v.Type)
		}
	}
	cfg := model.DefaultConfig()
	cfg.Replicas, cfg.Ops, cfg.ViewMax, cfg.Crashes, cfg.Drops = 2, 1, 1, 1, 0
	cfg.MayCrash, cfg.MayStop = model.AllReplicas(2), model.AllReplicas(2)
	m, err := model.New(cfg, model.Rules{})
	if err != nil {
		t.Fatal(err)
	}
	seen, kinds := map[string]bool{}, map[string]bool{}
	typical := behaviour.Values(m, behaviour.Crowded(m))
	states := 0
	see := func(s *model.State) bool {
		states++
		var text strings.Builder
		for i, v := range behaviour.Values(m, s) {
			text.WriteString(trace.Text(v))
			if states%16 != 0 {
				continue
			}
			ty, err := trace.TypeOf(trace.Seq{v, typical[i]})
			if err != nil || ty.Elem.String() != variables[i].Type.String() {
				t.Fatalf("%s has the type %v, %v, want %s", variables[i].Name, ty, err, variables[i].Type)
			}
		}
		if seen[text.String()] {
			t.Fatalf("two states have the values\n%s", text.String())
		}
		seen[text.String()] = true
		m.Messages(s, func(msg model.Message) { kinds[msg.Set] = true })
		return true
	}
	properties := explore.Properties[model.State]{Invariants: []explore.Invariant[model.State]{{Name: "See", Holds: see}}}
	if _, err := explore.Check(context.Background(), explore.System[model.State](m), properties, explore.Options{Workers: 1, MaxStates: 4000}); err != nil {
		t.Fatal(err)
	}
	if states < 4000 || len(kinds) < 9 {
		t.Errorf("only %d states and %d kinds of messages were seen", states, len(kinds))
	}
}

// TestReplayLoop: of a lasso it is checked that it closes, that something is outstanding
// all the way round, and that it is fair.
func TestReplayLoop(t *testing.T) {
	variables, err := behaviour.Variables()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(tracesDir, "finding-readoption.json")
	for loop, want := range map[int]string{
		3: "there is no loop", 8: "which is fair",
	} {
		recorded, err := trace.ReadFile(path, variables)
		if err != nil {
			t.Fatal(err)
		}
		recorded.LoopStart = loop
		o := behaviour.Again{Settings: job.NewSettings()}
		r, err := o.Prepare(path, recorded)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Run(); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(r.Why, want) || r.Confirmed != (loop == 8) {
			t.Errorf("a loop from %d: confirmed is %v, %s; want %s", loop, r.Confirmed, r.Why, want)
		}
	}
	// A loop of one state in which steps that have to happen are never taken.
	recorded, err := trace.ReadFile(path, variables)
	if err != nil {
		t.Fatal(err)
	}
	o := behaviour.Again{Settings: job.NewSettings()}
	r, err := o.Prepare(path, recorded)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Run(); err != nil {
		t.Fatal(err)
	}
	r.Behaviour = append(r.Behaviour, r.Behaviour[len(r.Behaviour)-1])
	r.Behaviour[len(r.Behaviour)-1].Action = 0
	recorded.LoopStart = len(r.Behaviour) - 2
	if violated, why := r.Waits(); violated || !strings.Contains(why, "the loop is not fair: ") {
		t.Errorf("got %v, %s, want that the loop is not fair", violated, why)
	}
	r.Property.Outstanding = func(*model.Model, *model.State) uint64 { return 0 }
	if violated, why := r.Waits(); violated || !strings.Contains(why, "nothing is outstanding") {
		t.Errorf("got %v, %s, want that nothing is outstanding", violated, why)
	}
}

// FuzzReplay: whatever a trace says, a replay ends with a result or an error, and every
// state that it reaches is one of the model.
func FuzzReplay(f *testing.F) {
	variables, err := behaviour.Variables()
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range []string{"tiny-fetch-to-op-old", "finding-readoption"} {
		data, err := os.ReadFile(filepath.Join(tracesDir, name+".json"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
		theTrace, err := trace.Read(data, variables)
		if err != nil {
			f.Fatal(err)
		}
		format, _ := trace.FindFormat("itf")
		if data, err = format.Bytes(theTrace, trace.WriteOptions{}); err != nil {
			f.Fatal(err)
		}
		f.Add(data)
		f.Add(bytes.ReplaceAll(data, []byte(`"action":`), []byte(`"was":`)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		theTrace, err := trace.Read(data, variables)
		if err != nil {
			return
		}
		o := behaviour.Again{Settings: job.NewSettings()}
		r, err := o.Prepare("x", theTrace)
		if err == nil {
			err = r.Run()
		}
		if err != nil {
			if code := codeOfError(err); code != exitData {
				t.Fatalf("got %v, exit code %d, want %d", err, code, exitData)
			}
			return
		}
		for i := range r.Behaviour {
			if s := &r.Behaviour[i].State; r.Model.Kept(s) != *s {
				t.Fatalf("state %d has what the model does not keep", i)
			}
		}
		var out bytes.Buffer
		if err := (&tell.Page{Writer: &out, Width: 60}).Replay(r, trace.StatesDiff, ""); err != nil || out.Len() == 0 {
			t.Fatalf("report: %v", err)
		}
	})
}

// TestReplayJudges: each kind of property is judged at the end of a complete replay.
func TestReplayJudges(t *testing.T) {
	holds := func(*model.Model, *model.State) bool { return true }
	r := &behaviour.Replay{Job: &job.Job{}, Recorded: &trace.Trace{LoopStart: -1}}
	m, err := model.New(model.DefaultConfig(), model.Rules{})
	if err != nil {
		t.Fatal(err)
	}
	r.Model = m
	m.Init(func(s *model.State) { r.Behaviour = append(r.Behaviour, explore.Step[model.State]{State: *s}) })
	for _, test := range []struct {
		property invariants.Property
		want     bool
	}{
		{invariants.Property{Kind: invariants.State, Holds: holds}, false},
		{invariants.Property{Kind: invariants.State, Holds: func(*model.Model, *model.State) bool { return false }}, true},
		{invariants.Property{Kind: invariants.Step}, false}, // there is no step
		{invariants.Property{Kind: invariants.Liveness, Outstanding: func(*model.Model, *model.State) uint64 { return 0 }}, false},
		{invariants.Property{Kind: invariants.Liveness, Outstanding: func(*model.Model, *model.State) uint64 { return 1 }}, true},
		{job.Deadlock, false},
	} {
		r.Property = test.property
		if got, why := r.Violated(); got != test.want || why == "" {
			t.Errorf("%s: got %v, %s, want %v", test.property.Kind, got, why, test.want)
		}
	}
}

// TestNarrowPage: on a terminal of 40 columns nothing is longer, apart from single words.
func TestNarrowPage(t *testing.T) {
	j := changedJob(t, "tiny-fetch-to-op-old", func(*model.Config) {})
	result, err := j.Run(context.Background(), explore.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, width := range []int{40, 60, 80, 100} {
		for _, states := range []trace.States{trace.StatesDiff, trace.StatesFull} {
			var out bytes.Buffer
			if err := (&tell.Page{Writer: &out, Width: width}).Report(result, states, "", tell.Advice{}); err != nil {
				t.Fatal(err)
			}
			for line := range strings.SplitSeq(out.String(), "\n") {
				if len(line) > width && strings.Contains(strings.TrimSpace(line), " ") && !strings.HasPrefix(line, "VIOLATED") {
					t.Errorf("in %d columns with %s: %d in %q", width, states, len(line), line)
				}
			}
			if strings.Contains(out.String(), "\x1b") {
				t.Errorf("in %d columns: colours in what is no terminal", width)
			}
			if !strings.Contains(out.String(), "op 3 has its quorum") {
				t.Errorf("in %d columns with %s: the notes are missing", width, states)
			}
		}
	}
}

// TestDecisiveWords: what is to stand out is there, in the words that the model uses.
func TestDecisiveWords(t *testing.T) {
	j := changedJob(t, "tiny-fetch-to-op-old", func(*model.Config) {})
	result, err := j.Run(context.Background(), explore.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := (&tell.Page{Writer: &out, Width: tell.DefaultWidth, Color: true}).Report(result, trace.StatesDiff, "", tell.Advice{}); err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"HOLE", "this is the hole", "refused:", "refused each time", "QUORUM, not committed", "cannot commit"} {
		if !strings.Contains(out.String(), "\x1b[1;33m"+word+"\x1b[0m") || !slices.Contains(model.Decisive(), word) {
			t.Errorf("%q does not stand out", word)
		}
	}
	for _, note := range []string{"op 2 is claimed, missing and not asked for", "as op 2 has no quorum"} {
		if !regexp.MustCompile(`\x1b\[1;33m[^\x1b]*` + note).MatchString(out.String()) {
			t.Errorf("the note %q does not stand out", note)
		}
	}
}
