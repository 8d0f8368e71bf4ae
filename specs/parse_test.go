package specs

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"vsrcheck/model"
)

// good is a complete file; the tests below damage it.
func good(t testing.TB) string {
	t.Helper()
	spec, err := Load("tiny-fetch-to-op-old")
	if err != nil {
		t.Fatal(err)
	}
	return Write(spec)
}

// TestSyntax reads what TLC reads.
func TestSyntax(t *testing.T) {
	text := `(* a block (* nested *) comment *) \* and a line
CONSTANTS a = 1 b = TRUE c = "x\"y" d = model_value
  e = {} f = {1, {"s", FALSE}, m}
CONSTANT g = 0
INVARIANT I1 I2
INVARIANTS I3
PROPERTY P1 PROPERTIES P2
CONSTRAINT C
INIT Init NEXT Next
SPECIFICATION Spec CHECK_DEADLOCK FALSE \* no newline at the end`
	tree, err := parse("x.cfg", text)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, a := range tree.constants {
		got = append(got, a.name.text+"="+a.value.String())
	}
	if got, want := strings.Join(got, " "), `a=1 b=TRUE c="x\"y" d=model_value e={} f={1, {"s", FALSE}, m} g=0`; got != want {
		t.Errorf("got constants %s, want %s", got, want)
	}
	words := func(list []token) string {
		var out []string
		for _, t := range list {
			out = append(out, t.text)
		}
		return strings.Join(out, " ")
	}
	if got := words(tree.lists[kwInvariant]) + "|" + words(tree.lists[kwProperty]) + "|" + words(tree.lists[kwConstraint]); got != "I1 I2 I3|P1 P2|C" {
		t.Errorf("got lists %s", got)
	}
	if got := tree.single[kwSpecification].text + tree.single[kwInit].text + tree.single[kwNext].text + tree.single[kwDeadlock].text; got != "SpecInitNextFALSE" {
		t.Errorf("got single operands %s", got)
	}
	if a := tree.constants[5]; a.name.pos != (position{3, 10}) || a.at != (position{3, 14}) {
		t.Errorf("f is at %v with its value at %v", a.name.pos, a.at)
	}
}

// TestErrors pins the place, the class and the words of every kind of error.
func TestErrors(t *testing.T) {
	const at = 2 // the tests replace the first constant, in this line of the text below
	for _, test := range []struct {
		name  string
		text  string // of the file from its second line on
		class error
		want  string
	}{
		{"keyword", "CONSTNATS", ErrSyntax, `x.cfg:2:1: got "CONSTNATS", want a keyword such as CONSTANTS or PROPERTIES; did you mean CONSTANTS?`},
		{"no keyword", "= 3", ErrSyntax, `x.cfg:2:1: got "=", want a keyword`},
		{"character", "CONSTANTS a = 3;", ErrSyntax, `x.cfg:2:16: got ';', want`},
		{"control character", "CONSTANTS a = \x01", ErrSyntax, "x.cfg:2:15: got the character U+0001"},
		{"not UTF-8", "CONSTANTS é = \xff", ErrSyntax, "x.cfg:2:11: got 'é'"},
		{"bad byte", "CONSTANTS a = \xff", ErrSyntax, "x.cfg:2:15: got a byte 0xff that is not UTF-8"},
		{"columns are characters", `(* ééé *) "x"`, ErrSyntax, `x.cfg:2:11: got the string "x"`},
		{"string", `CONSTANTS a = "x`, ErrSyntax, "x.cfg:2:15: got a string that does not end"},
		{"string over lines", "CONSTANTS a = \"x\ny\"", ErrSyntax, "x.cfg:2:15: got a string that does not end on its line"},
		{"string with bad bytes", "CONSTANTS a = \"\xff\"", ErrSyntax, "x.cfg:2:15: got a string that is not UTF-8"},
		{"escape", `CONSTANTS a = "\q"`, ErrSyntax, "x.cfg:2:15: got an unknown escape"},
		{"escape at the end", `CONSTANTS a = "\`, ErrSyntax, "x.cfg:2:15: got a string that does not end"},
		{"comment", "(* (* *)", ErrSyntax, "x.cfg:2:1: got a comment that does not end"},
		{"no value", "CONSTANTS ops =", ErrSyntax, "x.cfg:2:16: got the end of the file, want a value"},
		{"keyword as value", "CONSTANTS ops = INIT", ErrSyntax, `x.cfg:2:17: got "INIT", want a value`},
		{"misspelt keyword after a constant", "CONSTANTS ops = 3\nINVARIENTS TypeOK", ErrSyntax, `x.cfg:3:12: got "TypeOK" after INVARIENTS, want = and a value; did you mean INVARIANTS?`},
		{"no equals sign", "CONSTANTS ops 3", ErrSyntax, "x.cfg:2:15: got the number 3 after ops, want = and a value"},
		{"sign", "CONSTANTS ops = -3", ErrSyntax, "x.cfg:2:17: got '-', want a number without a sign"},
		{"large number", "CONSTANTS ops = 2147483648", ErrSyntax, "x.cfg:2:17: got the number 2147483648, want one below 2^31"},
		{"huge number", "CONSTANTS ops = " + strings.Repeat("9", 1000), ErrSyntax, "x.cfg:2:17: got the number 999"},
		{"number as name", "CONSTANTS 3 = 3", ErrSyntax, "x.cfg:2:11: got the number 3, want the name of a constant"},
		{"set", "CONSTANTS a = {1 2}", ErrSyntax, "x.cfg:2:18: got the number 2 in a set, want , or }"},
		{"open set", "CONSTANTS a = {1,", ErrSyntax, "x.cfg:2:18: got the end of the file, want a value"},
		{"deep set", "CONSTANTS a = " + strings.Repeat("{", 100000), ErrSyntax, "x.cfg:2:23: got sets nested"},
		{"substitution", "CONSTANTS ops <- Four", ErrMeaning, "x.cfg:2:15: got a substitution (<-) for ops"},
		{"module constant", "CONSTANTS ops = [VSR] 3", ErrMeaning, "x.cfg:2:18: got a value for the module VSR in CONSTANTS, want one for all: ops = value"},
		{"operator constant", "CONSTANTS f(1) = 3", ErrMeaning, `x.cfg:2:12: got the value of an operator, f(...)`},
		{"symmetry", "SYMMETRY Perms", ErrMeaning, "x.cfg:2:1: got SYMMETRY, which this checker does not honour"},
		{"view", "VIEW v", ErrMeaning, "x.cfg:2:1: got VIEW, which"},
		{"alias", "ALIAS a", ErrMeaning, "x.cfg:2:1: got ALIAS, which"},
		{"postcondition", "POSTCONDITION a", ErrMeaning, "x.cfg:2:1: got POSTCONDITION, which"},
		{"action constraint", "ACTION_CONSTRAINT a", ErrMeaning, "x.cfg:2:1: got ACTION_CONSTRAINT, which"},
		{"deadlock", "CHECK_DEADLOCK YES", ErrSyntax, `x.cfg:2:16: got "YES" after CHECK_DEADLOCK, want TRUE or FALSE`},
		{"deadlock twice", "CHECK_DEADLOCK TRUE CHECK_DEADLOCK TRUE", ErrSyntax, "x.cfg:2:21: got CHECK_DEADLOCK twice"},
		{"specification", "SPECIFICATION", ErrSyntax, "x.cfg:2:14: got the end of the file after SPECIFICATION, want a name"},
		{"string as invariant", `INVARIANT "a"`, ErrSyntax, `x.cfg:2:11: got the string "a", want a name or a keyword`},
		{"unknown constant", "CONSTANTS opps = 3", ErrMeaning, "x.cfg:2:11: got an unknown constant opps; did you mean ops?"},
		{"duplicate", "CONSTANTS ops = 3\nops = 4", ErrMeaning, "x.cfg:3:1: got ops twice, want it once; the first is in line 2"},
		{"type", `CONSTANTS ops = "3"`, ErrMeaning, `x.cfg:2:17: got the string "3" for ops, want a number`},
		{"type of a set", "CONSTANTS may_stop = {a}", ErrMeaning, "x.cfg:2:22: got the model value a in may_stop, want replica numbers"},
		{"replica", "CONSTANTS may_stop = {77}", model.ErrConfig, "x.cfg:2:22: impossible configuration: may_stop has replica 77"},
		{"rule without quotes", "CONSTANTS fetch_to_op = old", ErrMeaning, `x.cfg:2:25: got the model value old for the rule fetch_to_op, want a string; write "old"`},
		{"misspelt rule without quotes", "CONSTANTS fetch_to_op = oldd", ErrMeaning, `x.cfg:2:25: got the model value oldd for the rule fetch_to_op, want a string; did you mean "old", in quotes?`},
		{"alternative", `CONSTANTS fetch_to_op = "fixd"`, ErrMeaning, `x.cfg:2:25: got "fixd" for the rule fetch_to_op, want one of old, fixed; did you mean fixed?`},
		{"unknown invariant", "INVARIANT Agrement", ErrMeaning, "x.cfg:2:11: got an unknown property Agrement in INVARIANTS; did you mean Agreement?"},
		{"invariant as property", "PROPERTY Agreement", ErrMeaning, "x.cfg:2:10: got Agreement in PROPERTIES, but it is an invariant"},
		{"companion as constraint", "CONSTRAINT SomeCommit", ErrMeaning, "x.cfg:2:12: got SomeCommit in CONSTRAINT, but it says that a state is reachable: it is false where a search begins, " +
			"and nothing would be searched; want one of RestartFirst, StopLast, InheritedLog, DeposedStays, or an invariant"},
		{"companion as invariant", "INVARIANT SomeCommit", ErrMeaning, "x.cfg:2:11: got SomeCommit in INVARIANTS, but it says that a state is reachable; leave it out: "},
		{"constraint as invariant", "INVARIANT StopLast", ErrMeaning, "x.cfg:2:11: got StopLast in INVARIANTS, but it is a constraint, want it in CONSTRAINT"},
		{"report as constraint", "CONSTRAINT ViewSettles", ErrMeaning, "x.cfg:2:12: got"},
		{"unknown constraint", "CONSTRAINT RestartFirstt", ErrMeaning, "x.cfg:2:12: got an unknown property RestartFirstt in CONSTRAINT; did you mean RestartFirst?"},
		{"bound as property", "PROPERTY SendsFit", ErrMeaning, "x.cfg:2:10: got SendsFit in PROPERTIES, but it is checked by itself with network = fifo; leave it out"},
		{"step property as invariant", "INVARIANT NoRegression", ErrMeaning, "x.cfg:2:11: got NoRegression in INVARIANTS, but it is a step property, want it in PROPERTIES"},
		{"property as invariant", "INVARIANT QuorumAckedCommits", ErrMeaning, "x.cfg:2:11: got QuorumAckedCommits in INVARIANTS, but it is a liveness property"},
		{"property twice", "INVARIANT TypeOK TypeOK", ErrMeaning, "x.cfg:2:18: got TypeOK twice in INVARIANTS"},
		{"no behaviour", "INVARIANT TypeOK", ErrMeaning, "x.cfg:2:17: got no behaviour to check, want SPECIFICATION Spec"},
		{"half a behaviour", "INIT Init", ErrMeaning, "x.cfg:2:10: got no behaviour"},
		{"two behaviours", "SPECIFICATION Spec INIT Init", ErrMeaning, "x.cfg:2:25: got INIT next to SPECIFICATION"},
		{"wrong behaviour", "SPECIFICATION Specc", ErrMeaning, "x.cfg:2:15: got SPECIFICATION Specc, want Spec or FairSpec"},
		{"wrong init", "INIT Start NEXT Next", ErrMeaning, "x.cfg:2:6: got INIT Start, want Init"},
		{"unfair", "SPECIFICATION Spec PROPERTY QuorumAckedCommits", ErrMeaning, "x.cfg:2:29: got the liveness property QuorumAckedCommits without fairness, want SPECIFICATION FairSpec"},
		{"constraint", "SPECIFICATION FairSpec PROPERTY QuorumAckedCommits CONSTRAINT TypeOK", ErrMeaning, "x.cfg:2:33: got the liveness property QuorumAckedCommits next to the CONSTRAINT TypeOK"},
	} {
		_, err := Parse("x.cfg", "\n"+test.text)
		if !errors.Is(err, test.class) || !strings.HasPrefix(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got error\n%v\nwant\n%s (%v)", test.name, err, test.want, test.class)
		}
		var placed *Error
		if !errors.As(err, &placed) || placed.Line < at {
			t.Errorf("%s: the error has no place: %v", test.name, err)
		}
	}
}

// TestHeader pins the errors of the comment block.
func TestHeader(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"\\* size: huge", `x.cfg:1:1: got size "huge", want tiny or small or full`},
		{"\\* a\n\\* size: tiny\n\\* size: tiny", "x.cfg:3:1: got a second size"},
	} {
		if _, err := Parse("x.cfg", test.text); err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%q: got error %v, want %s", test.text, err, test.want)
		}
	}
	spec, err := Parse("x.cfg", "\\*\n\\*  A summary \n\\*\n\\* Text.\n\\*   indented\n\\*\n\\* size: full\n"+good(t)[strings.Index(good(t), "SPECIFICATION"):])
	if err != nil {
		t.Fatal(err)
	}
	if spec.Summary != "A summary" || spec.Text != "Text.\n  indented" || spec.Size != Full {
		t.Errorf("got summary %q, text %q, size %q", spec.Summary, spec.Text, spec.Size)
	}
}

// TestMissing holds a file to all constants but the two that have a default.
func TestMissing(t *testing.T) {
	text := good(t)
	section := strings.Count(text[:strings.Index(text, "CONSTANTS")], "\n") + 1
	lines := strings.Split(text, "\n")
	without := func(name string) string {
		var kept []string
		for _, l := range lines {
			if !strings.HasPrefix(strings.TrimSpace(l), name+" =") {
				kept = append(kept, l)
			}
		}
		if len(kept) != len(lines)-1 {
			t.Fatalf("%s is in %d lines", name, len(lines)-len(kept))
		}
		return strings.Join(kept, "\n")
	}
	var names []string
	for _, c := range Constants() {
		if !c.Optional {
			names = append(names, c.Name)
		}
	}
	for _, r := range model.Catalogue() {
		names = append(names, r.Name)
	}
	for _, name := range names {
		_, err := Parse("x.cfg", without(name))
		var placed *Error
		if !errors.Is(err, ErrMeaning) || !errors.As(err, &placed) || placed.Line != section || placed.Col != 1 ||
			!strings.Contains(err.Error(), "got no value for the constants "+name+",") {
			t.Errorf("without %s: %v", name, err)
		}
	}
	spec, err := Parse("x.cfg", without("may_crash"))
	if err != nil || spec.Config.MayCrash != model.AllReplicas(spec.Config.Replicas) {
		t.Errorf("without may_crash: %v, %v", spec.Config.MayCrash, err)
	}
}

// TestSizes pins where an error about sizes points.
func TestSizes(t *testing.T) {
	text := strings.Replace(good(t), "ops = 3", "ops = 99", 1)
	_, err := Parse("x.cfg", text)
	line := strings.Count(text[:strings.Index(text, "ops = 99")], "\n") + 1
	var placed *Error
	if !errors.As(err, &placed) || !errors.Is(err, model.ErrConfig) || placed.Line != line || placed.Col != 9 {
		t.Errorf("got %v, want model.ErrConfig at %d:9", err, line)
	}
	text = strings.Replace(text, "replicas = 3", "replicas = 99", 1)
	if _, err := Parse("x.cfg", text); !errors.Is(err, model.ErrConfig) || strings.Contains(err.Error(), "\n") {
		t.Errorf("two impossible sizes: %v", err)
	}
}

// TestInitNext reads the other way to name a behaviour.
func TestInitNext(t *testing.T) {
	text := good(t)
	text = text[:strings.Index(text, "PROPERTIES")]
	text = strings.Replace(text, "SPECIFICATION FairSpec", "INIT Init NEXT Next", 1)
	spec, err := Parse("x.cfg", text)
	if err != nil {
		t.Fatal(err)
	}
	if !spec.CheckDeadlock {
		t.Error("a file that does not say CHECK_DEADLOCK does not check it, TLC does")
	}
	if got := spec.Specification(); got != "Spec" {
		t.Errorf("got specification %s for a file without liveness", got)
	}
}

// TestLineEnds reads the ends of lines as TLC does: \n, \r\n and \r each end a line and a
// comment.
func TestLineEnds(t *testing.T) {
	for _, end := range []string{"\n", "\r\n", "\r"} {
		text := strings.Join([]string{`\* comment`, "", `INIT Init \* comment`, "NEXT =", ""}, end)
		_, err := parse("x.cfg", text)
		if want := `x.cfg:4:6: got "=", want a name`; err == nil || err.Error() != want {
			t.Errorf("lines that end with %q: got %v, want %s", end, err, want)
		}
		spec, err := Parse("x.cfg", strings.ReplaceAll(good(t), "\n", end))
		if err != nil || spec.Size != Tiny || spec.Summary == "" {
			t.Errorf("lines that end with %q: got %+v, %v", end, spec, err)
		}
	}
}

// FuzzParse holds the parser to three promises for every input: it does not panic,
// an error has a place within the file and one line, and what it accepts survives a round trip through Write.
func FuzzParse(f *testing.F) {
	paths, err := filepath.Glob("*/*.cfg")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	for _, text := range []string{
		"", "(*", "(* *) *)", `"`, `"\`, "CONSTANTS a = {1, {2}, \"x\"}", "CONSTANT x <- y", "SYMMETRY S VIEW v ALIAS a",
		"CONSTANTS a!b <- [M] c d = [M] {e} f(1, \"x\") = 2", "POSTCONDITIONS ACTION_CONSTRAINTS A B _POSSIBLE C", "\\* s\rINIT Init\r\nNEXT Next",
		"INIT Init NEXT Next", "\\* s\n\\* size: tiny\nSPECIFICATION Spec", "CONSTANTS\r\n a = TRUE", "\xff",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		spec, err := Parse("f.cfg", text)
		if err != nil {
			var placed *Error
			if errors.As(err, &placed) {
				if lines := strings.Count(oneLineEnd(text), "\n") + 1; placed.Line < 1 || placed.Line > lines || placed.Col < 1 {
					t.Errorf("an error at %d:%d in a file of %d lines", placed.Line, placed.Col, lines)
				}
			} else {
				t.Errorf("an error without a place: %v", err)
			}
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("an error of several lines: %q", err)
			}
			return
		}
		again, err := Parse("f.cfg", Write(spec))
		if err != nil {
			t.Fatalf("what Write made is refused: %v\n%s", err, Write(spec))
		}
		if !reflect.DeepEqual(spec, again) {
			t.Fatalf("the round trip changed\n%+v\nto\n%+v", spec, again)
		}
	})
}
