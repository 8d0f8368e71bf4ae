package trace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"vsrcheck/results"
)

// ErrTrace is wrapped by every error about a file that is no valid trace.
const ErrTrace = results.InputError("invalid trace")

// ReadFile reads a trace in one of the formats that can be read, json and itf, or
// from the record of a run. They are told apart by what is in them and not by their names.
func ReadFile(path string, variables []Variable) (*Trace, error) {
	data, err := readTraceData(path)
	if err != nil {
		return nil, err
	}
	return readTraceOf(data, path, variables)
}

// ReadFrom is ReadFile of a stream, which errors call by a name.
func ReadFrom(in io.Reader, name string, variables []Variable) (*Trace, error) {
	data, err := results.ReadAtMost(in, maxTraceBytes)
	if err != nil {
		return nil, wrongTrace(name, err)
	}
	return readTraceOf(data, name, variables)
}

// readTraceOf reads a trace from what has been read.
func readTraceOf(data []byte, name string, variables []Variable) (*Trace, error) {
	t, err := Read(data, variables)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return t, nil
}

// Read reads a trace in the format json or itf, whose states are of the variables
// given, or the first one of a record, which has no states. Its errors wrap ErrTrace and
// say where: by line and column for what is no JSON, else by the path to the value.
func Read(data []byte, variables []Variable) (*Trace, error) {
	data = bytes.TrimPrefix(data, []byte(results.ByteOrderMark))
	if err := bounded(data); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrTrace, err)
	}
	var root any
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&root); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrTrace, placed(data, err))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: line %s: got more after the first value, want one JSON object", ErrTrace, lineAndColumn(data, d.InputOffset()))
	}
	r := &traceReader{variables: variables}
	n := jsonNode{r, "", root}
	var t *Trace
	object, _ := root.(map[string]any)
	switch {
	case object == nil:
		n.fail("a JSON object")
	case object["format"] != nil:
		t = r.json(n)
	case object["vars"] != nil || object["states"] != nil:
		t = r.itf(n)
	case object["verdict"] != nil:
		t = r.record(data)
	default:
		r.errorf("", `got an object without "format", "states" or "verdict", want a trace of vsrcheck in the format json or itf, or a record`)
	}
	if r.err != nil {
		return nil, fmt.Errorf("%w: %w", ErrTrace, r.err)
	}
	return t, nil
}

// placed adds the line and the column to an error of the JSON decoder.
func placed(data []byte, err error) error {
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("line %s: %w", lineAndColumn(data, syntax.Offset), err)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("line %s: the file ends in the middle of a value, want a JSON object", lineAndColumn(data, int64(len(data))))
	}
	return err
}

func lineAndColumn(data []byte, offset int64) string {
	before := data[:min(int(offset), len(data))]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := len([]rune(string(before[bytes.LastIndexByte(before, '\n')+1:])))
	return fmt.Sprintf("%d, column %d", line, max(column, 1))
}

// traceReader keeps the first error, so that not every step has to look at it.
type traceReader struct {
	variables []Variable
	patched   int // of how many values the states consist that a patch made
	err       error
}

func (r *traceReader) errorf(path, format string, args ...any) {
	if r.err != nil {
		return
	}
	text := fmt.Sprintf(format, args...)
	if path != "" {
		text = path + ": " + text
	}
	r.err = errors.New(text)
}

// plain refuses a text that a terminal, or whoever reads a trace made of it, would obey.
func (r *traceReader) plain(path, text string) {
	for _, c := range text {
		if c != '\n' && c != '\t' && c != utf8.RuneError && !unicode.IsGraphic(c) {
			r.errorf(path, "got the character %U, want text without control characters", c)
			return
		}
	}
}

// json reads what writeJSON wrote.
func (r *traceReader) json(root jsonNode) *Trace {
	root.only("format", "version", "program", "spec", "path", "config", "rules", "reduction", "properties", "constraints",
		"violation", "variables", "steps")
	if f := root.field("format").text(); f != traceFormat {
		r.errorf("format", "got %q, want %q", shortText(f), traceFormat)
	}
	if v := root.field("version").number(); v != traceVersion {
		r.errorf("version", "got %d, want %d", v, traceVersion)
	}
	violation := root.field("violation")
	violation.only("property", "kind", "summary", "loop_start", "forever", "explanation")
	t := &Trace{
		Program: r.build(root.field("program")), Spec: root.field("spec").text(), Path: root.field("path").text(),
		Reduction: root.field("reduction").text(), Variables: r.variables,
		Property: violation.field("property").text(), Kind: violation.field("kind").text(),
		Summary: violation.field("summary").text(), LoopStart: -1,
		Forever: violation.field("forever").flag(), Explanation: violation.field("explanation").text(),
	}
	for _, n := range root.field("config").list() {
		n.only("name", "value", "instead_of")
		t.Config = append(t.Config, n.setting())
	}
	for _, n := range root.field("rules").list() {
		n.only("name", "value", "instead_of", "alternatives")
		t.Rules = append(t.Rules, Rule{n.setting(), n.field("alternatives").texts()})
	}
	for _, n := range root.field("properties").list() {
		n.only("name", "kind", "deferred")
		t.Properties = append(t.Properties, results.Property{Name: n.field("name").text(), Kind: n.field("kind").text(), Deferred: n.field("deferred").flag()})
	}
	for _, n := range root.field("variables").list() {
		n.only("name", "type")
		n.field("name").text()
		n.field("type").text()
	}
	t.Constraints = root.field("constraints").texts()
	var state any // of the step before
	for i, n := range root.field("steps").list() {
		s := r.stateOf(i, n, state)
		state = s.v
		t.Steps = append(t.Steps, r.step(i, n, s))
	}
	if loop := violation.field("loop_start"); loop.v != nil {
		r.loop(t, loop)
	}
	return r.complete(t, "steps")
}

// record makes the trace of a record's first violation. Its states are not recorded.
func (r *traceReader) record(data []byte) *Trace {
	rec, err := results.Parse(data)
	if err != nil {
		r.err = err
		return nil
	}
	if len(rec.Violations) == 0 {
		r.errorf("violations", "got none, want one: this run found nothing to replay")
		return nil
	}
	v := &rec.Violations[0]
	r.plain("spec", rec.Spec)
	r.plain("path", rec.Path)
	r.plain("constraints", strings.Join(results.ConstraintNames(rec.Constraints), ""))
	for _, p := range rec.Properties {
		r.plain("properties", p.Name+p.Kind)
	}
	r.plain("violations[0]", v.Property+v.Kind+strings.Join(v.Actions, ""))
	for _, s := range rec.Config {
		r.plain("config", s.Name+s.Value+s.Instead)
	}
	for _, s := range rec.Rules {
		r.plain("rules", s.Name+s.Value+s.Instead)
	}
	t := &Trace{
		Program: rec.Build, Spec: rec.Spec, Path: rec.Path, Config: rec.Config, Reduction: rec.Reduction, Properties: rec.Properties,
		Constraints: results.ConstraintNames(rec.Constraints),
		Property:    v.Property, Kind: v.Kind, LoopStart: v.LoopStart, Forever: v.Kind == "liveness" && v.LoopStart < 0,
		Variables: r.variables, Steps: make([]Step, 1, len(v.Actions)+1),
	}
	for _, s := range rec.Rules {
		t.Rules = append(t.Rules, Rule{Setting: s})
	}
	for i, a := range v.Actions {
		if a == "" {
			r.errorf(fmt.Sprintf("violations[0].actions[%d]", i), "got nothing, want the name of an action")
		}
		t.Steps = append(t.Steps, Step{Action: a})
	}
	if v.LoopStart < -1 || v.LoopStart >= len(t.Steps) {
		r.errorf("violations[0].loop_start", "got %d, want -1 or the index of one of the %d states", v.LoopStart, len(t.Steps))
	}
	return t
}

func (r *traceReader) build(n jsonNode) results.Build {
	n.only("version", "revision", "modified", "go", "os", "arch")
	return results.Build{
		Version: n.field("version").text(), Revision: n.field("revision").text(), Modified: n.field("modified").flag(),
		Go: n.field("go").text(), OS: n.field("os").text(), Arch: n.field("arch").text(),
	}
}

// stateOf is the state of a step: in full, or made of the one before.
func (r *traceReader) stateOf(i int, n jsonNode, before any) jsonNode {
	patch, patched := n.optional("patch")
	if !patched || i == 0 {
		return n.field("state")
	}
	if _, both := n.optional("state"); both {
		r.errorf(patch.path, "got a state, too, want one of them")
	}
	patch.object()
	state := jsonNode{r, strings.TrimSuffix(patch.path, "patch") + "state", merged(before, patch.v)}
	if r.patched += count(state.v); r.patched > maxTraceValues {
		r.errorf(patch.path, "got more than %d values in the states up to here, want at most so many", maxTraceValues)
	}
	return state
}

func (r *traceReader) step(i int, n, state jsonNode) Step {
	if index := n.field("index"); index.number() != int64(i) {
		r.errorf(index.path, "got %d, want %d", index.number(), i)
	}
	s := Step{Values: r.state(state, plainEncoding{})}
	if i == 0 {
		n.only("index", "state")
		return s
	}
	n.only("index", "action", "notes", "changes", "state", "patch")
	action := n.field("action")
	action.only("text", "kind", "fair", "replica", "message")
	s.Action, s.Kind = action.field("text").text(), action.field("kind").text()
	s.Fair, s.Actor = action.field("fair").flag(), int(action.field("replica").number())
	s.Notes, s.Changes = n.field("notes").texts(), n.field("changes").texts()
	if m, ok := action.optional("message"); ok {
		s.Message = m.message()
	}
	return s
}

// itf reads a trace in the Informal Trace Format. What #meta lacks stays empty.
func (r *traceReader) itf(root jsonNode) *Trace {
	t := &Trace{LoopStart: -1, Variables: r.variables}
	if meta, ok := root.optional("#meta"); ok {
		meta.object()
		for _, f := range []struct {
			name string
			to   *string
		}{{"spec", &t.Spec}, {"source", &t.Path}, {"property", &t.Property}, {"kind", &t.Kind}, {"reduction", &t.Reduction}} {
			if n, ok := meta.optional(f.name); ok {
				*f.to = n.text()
			}
		}
		if n, ok := meta.optional("forever"); ok {
			t.Forever = n.flag()
		}
		if n, ok := meta.optional("constraints"); ok {
			t.Constraints = n.texts()
		}
		if n, ok := meta.optional("config"); ok {
			t.Config = n.settings()
		}
		if n, ok := meta.optional("rules"); ok {
			for _, s := range n.settings() {
				t.Rules = append(t.Rules, Rule{Setting: s})
			}
		}
	}
	for i, n := range root.field("states").list() {
		s := Step{Values: r.state(n, itfEncoding{})}
		if meta, ok := n.optional("#meta"); ok && i > 0 {
			meta.object()
			if action, ok := meta.optional("action"); ok {
				s.Action = action.text()
			}
			if notes, ok := meta.optional("notes"); ok {
				s.Notes = notes.texts()
			}
		}
		t.Steps = append(t.Steps, s)
	}
	if loop, ok := root.optional("loop"); ok {
		r.loop(t, loop)
	}
	if t.Forever && t.LoopStart == len(t.Steps)-1 {
		t.LoopStart = -1 // so it is written where a state stays: no step leads back to it
	}
	return r.complete(t, "states")
}

// loop reads where the last state returns to.
func (r *traceReader) loop(t *Trace, n jsonNode) {
	t.LoopStart = int(n.number())
	if t.LoopStart < 0 || t.LoopStart >= len(t.Steps) {
		r.errorf(n.path, "got %d, want the index of one of the %d states", t.LoopStart, len(t.Steps))
	}
}

// complete is a trace that has been read, if it has a state at all.
func (r *traceReader) complete(t *Trace, steps string) *Trace {
	if len(t.Steps) == 0 {
		r.errorf(steps, "got no state, want the initial one at least")
	}
	return t
}

// state reads the variables of a state.
func (r *traceReader) state(n jsonNode, enc encoding) []Value {
	names := []string{"#meta"}
	var values []Value
	for _, v := range r.variables {
		names = append(names, v.Name)
		values = append(values, enc.value(n.field(v.Name), v.Type))
	}
	n.only(names...)
	return values
}

// encoding is how a format writes values.
type encoding interface {
	value(n jsonNode, t Type) Value
}

// plainEncoding is that of plainJSON, itfEncoding that of itfJSON.
type (
	plainEncoding struct{}
	itfEncoding   struct{}
)

func (e plainEncoding) value(n jsonNode, t Type) Value {
	switch t.Form {
	case IntForm:
		return Int(n.number())
	case SeqForm:
		return Seq(elements(n, t.Elem, e))
	case SetForm:
		return Set(elements(n, t.Elem, e))
	case FuncForm:
		out := Func{}
		for _, name := range n.names() {
			if n.r.err != nil {
				break
			}
			key := Value(Str(name))
			if t.Key != nil && t.Key.Form == IntForm {
				key = Int(n.integer(name))
				if Text(key) != name {
					n.r.errorf(n.path, "got the key %q, want a number as such", shortText(name))
				}
			}
			out = append(out, Entry{key, element(n.field(name), t.Elem, e)})
		}
		return out
	}
	return commonForms(n, t, e)
}

func (e itfEncoding) value(n jsonNode, t Type) Value {
	object, _ := n.v.(map[string]any)
	switch t.Form {
	case IntForm:
		if object == nil {
			return Int(n.number())
		}
		n.only("#bigint")
		big := n.field("#bigint")
		return Int(big.integer(big.text()))
	case SeqForm:
		if _, tuple := object["#tup"]; tuple {
			n.only("#tup")
			n = n.field("#tup")
		}
		return Seq(elements(n, t.Elem, e))
	case SetForm:
		if object != nil {
			n.only("#set")
			n = n.field("#set")
		}
		return Set(elements(n, t.Elem, e))
	case FuncForm:
		n.only("#map")
		out := Func{}
		for _, entry := range n.field("#map").list() {
			if pair, ok := entry.v.([]any); !ok || len(pair) != 2 {
				entry.fail("a list of a key and a value")
				return out
			}
			var pair []jsonNode
			for _, n := range entry.list() {
				pair = append(pair, n)
			}
			out = append(out, Entry{element(pair[0], t.Key, e), element(pair[1], t.Elem, e)})
		}
		return out
	}
	return commonForms(n, t, e)
}

// commonForms reads the forms that both encodings write alike.
func commonForms(n jsonNode, t Type, e encoding) Value {
	switch t.Form {
	case StrForm:
		return Str(n.text())
	case BoolForm:
		return Bool(n.flag())
	case RecordForm:
		out := Rec{}
		var names []string
		for _, f := range t.Fields {
			names = append(names, f.Name)
			out = append(out, Field{f.Name, e.value(n.field(f.Name), f.Type)})
		}
		n.only(names...)
		return out
	}
	n.r.errorf(n.path, "the type of this value is unknown")
	return Int(0)
}

func elements(list jsonNode, t *Type, e encoding) []Value {
	out := []Value{}
	for _, n := range list.list() {
		out = append(out, element(n, t, e))
	}
	return out
}

func element(n jsonNode, t *Type, e encoding) Value {
	if t == nil {
		n.fail("nothing here")
		return Int(0)
	}
	return e.value(n, *t)
}

// jsonNode is a JSON value with the path to it. Its methods return zero values after
// they have reported an error.
type jsonNode struct {
	r    *traceReader
	path string
	v    any
}

func (n jsonNode) fail(want string) {
	if n.r.err != nil {
		return // and nothing large is made for nobody
	}
	text := "nothing"
	if n.v != nil {
		data, _ := json.Marshal(n.v) // it came from JSON
		text = string(data)
	}
	n.r.errorf(n.path, "got %s, want %s", shortText(text), want)
}

func shortText(text string) string {
	if len(text) > 1<<10 {
		text = strings.ToValidUTF8(text[:1<<10], "") // enough for what is left of it
	}
	if r := []rune(text); len(r) > 60 {
		return string(r[:57]) + "..."
	}
	return text
}

func (n jsonNode) object() map[string]any {
	object, ok := n.v.(map[string]any)
	if !ok {
		n.fail("an object")
	}
	return object
}

// names are the names of an object's members, sorted: numbers by their value.
func (n jsonNode) names() []string {
	var names []string
	for name := range n.object() {
		n.r.plain(n.path, name)
		names = append(names, name)
	}
	slices.SortFunc(names, byLengthAndText)
	return names
}

func (n jsonNode) optional(name string) (jsonNode, bool) {
	path := name
	if n.path != "" {
		path = n.path + "." + name
	}
	object, _ := n.v.(map[string]any)
	v, ok := object[name]
	return jsonNode{n.r, path, v}, ok
}

func (n jsonNode) field(name string) jsonNode {
	n.object()
	f, ok := n.optional(name)
	if !ok {
		n.r.errorf(n.path, "got no %q, want one", name)
	}
	return f
}

// only reports the members that do not belong there.
func (n jsonNode) only(names ...string) {
	for _, name := range n.names() {
		if n.r.err != nil {
			return
		}
		if !slices.Contains(names, name) {
			n.r.errorf(n.path, "got an unknown member %q, want only %s", shortText(name), strings.Join(names, ", "))
		}
	}
}

// list are the elements of a list, up to the first error.
func (n jsonNode) list() iter.Seq2[int, jsonNode] {
	return func(yield func(int, jsonNode) bool) {
		list, ok := n.v.([]any)
		if !ok {
			n.fail("a list")
		}
		for i, v := range list {
			if n.r.err != nil || !yield(i, jsonNode{n.r, fmt.Sprintf("%s[%d]", n.path, i), v}) {
				return
			}
		}
	}
}

func (n jsonNode) text() string {
	s, ok := n.v.(string)
	if !ok {
		n.fail("a string")
	}
	n.r.plain(n.path, s)
	return s
}

func (n jsonNode) texts() (out []string) {
	for _, e := range n.list() {
		out = append(out, e.text())
	}
	return out
}

func (n jsonNode) flag() bool {
	b, ok := n.v.(bool)
	if !ok {
		n.fail("true or false")
	}
	return b
}

// number is a whole number. No value of a state is large.
func (n jsonNode) number() int64 {
	number, ok := n.v.(json.Number)
	if !ok {
		n.fail(wantNumber)
		return 0
	}
	return n.integer(number.String())
}

const wantNumber = "a whole number below 2147483648"

// integer is the number that a text says.
func (n jsonNode) integer(text string) int64 {
	i, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		n.r.errorf(n.path, "got %s, want %s", shortText(text), wantNumber)
	}
	return i
}

func (n jsonNode) setting() results.Setting {
	s := results.Setting{Name: n.field("name").text(), Value: n.field("value").text()}
	if instead, ok := n.optional("instead_of"); ok {
		s.Instead = instead.text()
	}
	return s
}

// settings are the members of an object, sorted by name.
func (n jsonNode) settings() (out []results.Setting) {
	for _, name := range n.names() {
		out = append(out, results.Setting{Name: name, Value: n.field(name).text()})
	}
	slices.SortFunc(out, func(a, b results.Setting) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// message reads what an action delivers: a name and numbers, name first.
func (n jsonNode) message() Rec {
	out := Rec{{"name", Str(n.field("name").text())}}
	for _, name := range n.names() {
		if name != "name" {
			out = append(out, Field{name, Int(n.field(name).number())})
		}
	}
	return out
}
