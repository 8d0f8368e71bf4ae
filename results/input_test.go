package results

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestReadersAreBounded: what is no trace takes no more memory than some times its size,
// whichever part of it is too large or wrong, and in every form that is read.
func TestReadersAreBounded(t *testing.T) {
	trace := sampleTrace(t, false)
	record, err := sample().Write()
	if err != nil {
		t.Fatal(err)
	}
	// put has a list in place of the one that a member has.
	put := func(data []byte, member, list string) string {
		text := string(data)
		start := strings.Index(text, member)
		if start < 0 {
			t.Fatalf("there is no %s", member)
		}
		start += len(member)
		start += strings.IndexAny(text[start:], "[{")
		return text[:start] + list
	}
	ones := func(n int) string { return "[" + strings.Repeat("1,", n) + "1]}" }
	nested := func(n int) string {
		return "[" + strings.Repeat("["+strings.Repeat("1,", 1000)+"1],", n/1000) + "1]}"
	}
	members := func(n int) string {
		var out strings.Builder
		for i := range n {
			fmt.Fprintf(&out, `"%d":1,`, i)
		}
		return "{" + out.String() + `"x":1}}`
	}
	json, itf := written(t, "json", trace), written(t, "itf", trace)
	for name, text := range map[string]string{
		"steps":            put(json, `"steps":`, ones(1_500_000)),
		"steps that fit":   put(json, `"steps":`, ones(100_000)),
		"a state":          put(json, `"state":`, members(200_000)),
		"members that fit": put(json, `"state":`, members(100_000)),
		"rules":            put(json, `"rules":`, ones(1_500_000)),
		"config":           put(json, `"config":`, nested(1_500_000)),
		"itf states":       put(itf, `"states":`, ones(1_500_000)),
		"itf vars":         put(itf, `"vars":`, nested(1_500_000)),
		"itf config":       put(itf, `"config":`, members(200_000)),
		"record":           put(record, `"violations":`, ones(1_500_000)),
		"record that fits": put(record, `"violations":`, ones(100_000)),
		"actions":          put(record, `"actions":`, nested(1_500_000)),
		"a list":           ones(1_500_000),
		"values":           nested(5_000_000),
		"depth":            strings.Repeat("[", 3_000_000),
		"an open text":     put(json, `"steps":`, `["`+strings.Repeat("x", 3_000_000)),
		"lines":            strings.Repeat("\n", 3_000_000),
		"an open action":   "trace of P\n 1 Request(\n" + strings.Repeat(" 2 (\n", 500_000),
		"a long line":      "Request(" + strings.Repeat("é", 1_500_000),
	} {
		path := filepath.Join(t.TempDir(), "t")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, read := range []func() error{
			func() error { _, err := ReadTraceFile(path, trace.Variables); return err },
			func() error { _, err := ReadActionsFile(path, trace.Variables); return err },
		} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := read()
			runtime.ReadMemStats(&after)
			if !errors.Is(err, ErrTrace) || len(err.Error()) > 500 || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: got error %.500v", name, err)
			}
			if used, most := after.TotalAlloc-before.TotalAlloc, uint64(40*len(text)+64<<20); used > most {
				t.Errorf("%s: reading %d bytes takes %d, want at most %d", name, len(text), used, most)
			}
		}
	}
}

// TestLongFiles: a file that has more than any of its kind is refused before it is read.
func TestLongFiles(t *testing.T) {
	for name, read := range map[string]func(path string) error{
		"t.cells":              func(path string) error { _, err := OpenCells(path); return err },
		"m.json":               func(path string) error { _, err := ReadMatrix(path); return err },
		"mend.json":            func(path string) error { _, err := ReadMend(path); return err },
		"r.json":               func(path string) error { _, err := Read(path); return err },
		"x" + CrosscheckRecord: func(path string) error { _, err := ReadSpeeds(filepath.Dir(path)); return err },
		"x.out":                func(path string) error { _, err := ReadTLC(path); return err },
		"trace.json":           func(path string) error { _, err := ReadTraceFile(path, nil); return err },
	} {
		path := filepath.Join(t.TempDir(), name)
		// It has a hole instead of content, which takes no disk.
		if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, maxDataBytes+1)); err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := read(path)
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), " bytes, want at most so many") || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v", name, err)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20 {
			t.Errorf("%s: refusing it takes %d bytes", name, used)
		}
		var at *os.PathError
		if err := os.WriteFile(path, []byte("\xff\xfea\x00"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := read(path); err == nil || !strings.Contains(err.Error(), name) || !Unreadable(err) && !errors.As(err, &at) && !errors.Is(err, ErrTLC) {
			t.Errorf("%s: got %v of text in UTF-16, want the file and a class", name, err)
		}
	}
}

// TestReadAtMost: a stream is read as far as it is allowed, and its byte order mark is no part
// of it.
func TestReadAtMost(t *testing.T) {
	for _, test := range []struct{ in, want, fault string }{
		{"abc", "abc", ""}, {"\ufeffab", "ab", ""}, {"", "", ""}, {"abcdefg", "", "more than 6 bytes"}, {"\xff\xfea\x00", "", "UTF-16"},
	} {
		got, err := ReadAtMost(strings.NewReader(test.in), 6)
		if string(got) != test.want || (err == nil) != (test.fault == "") || err != nil && !strings.Contains(err.Error(), test.fault) {
			t.Errorf("%q: got %q, %v", test.in, got, err)
		}
	}
	trace := sampleTrace(t, true)
	for _, format := range []string{"json", "itf"} {
		marked := append([]byte(byteOrderMark), written(t, format, trace)...)
		if _, err := ReadTrace(marked, trace.Variables); err != nil {
			t.Errorf("%s with a byte order mark: %v", format, err)
		}
		if got, err := ReadTraceFrom(bytes.NewReader(marked), "stdin", trace.Variables); err != nil || got.LoopStart != 0 {
			t.Errorf("%s from a stream: %v", format, err)
		}
	}
}

// TestStutteringITF: what stays for ever has a loop of one state, and is read as it was.
func TestStutteringITF(t *testing.T) {
	for loop, want := range map[bool]string{false: `"loop": 2`, true: `"loop": 0`} {
		trace := sampleTrace(t, loop)
		if data := written(t, "itf", trace); !bytes.Contains(data, []byte(want)) {
			t.Errorf("got %s, want %s", data, want)
		}
	}
	finite := sampleTrace(t, false)
	finite.Kind, finite.Forever = "invariant", false
	if data := written(t, "itf", finite); bytes.Contains(data, []byte(`"loop"`)) {
		t.Errorf("a finite trace has a loop: %s", data)
	}
}
