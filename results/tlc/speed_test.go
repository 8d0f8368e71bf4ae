package tlc

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"vsrcheck/results"
	"vsrcheck/results/internal/resultstest"
)

// tlcOutput is what TLC prints about the record of held.
const tlcOutput = Title + `2.20 of Day (rev: abc)
Running breadth-first search Model-Checking with fp 5 and seed 1 with 2 workers on 4 cores with 2731MB heap and 64MB offheap memory [pid: 1] (Linux 6 amd64, Vendor 17.0.1 64bit, MSBDiskFPSet, DiskStateQueue).
Model checking completed. No error has been found.
2000000 states generated, 1234567 distinct states found, 0 states left on queue.
The depth of the complete state graph search is 3.
`

// measured is a small valid measurement.
func measured(t testing.TB) *Speed {
	r := held().Record
	r.Properties = []results.Property{{Name: "P", Kind: "invariant"}}
	r.Reduction = "none"
	s, err := NewSpeed(r, "tlc", tlcOutput)
	if err != nil {
		t.Fatal(err)
	}
	load := 1.5
	s.Rounds = []SpeedRound{
		{Load: &load, Ours: []SpeedTimes{{2, 3}, {1, 2}, {9, 4}}, TLC: SpeedTimes{100, 150}},
		{Ours: []SpeedTimes{{1, 2}}, TLC: SpeedTimes{90, 120}},
	}
	return s
}

func TestSpeedRoundTrip(t *testing.T) {
	s := measured(t)
	want := SpeedOfTLC{Version: "2.20 of Day (rev: abc)", Java: "Vendor 17.0.1 64bit", Command: "tlc", Workers: 2, HeapMB: 2731, Distinct: 1234567, Generated: 2000000, Depth: 3}
	if s.TLC != want {
		t.Errorf("got %+v, want %+v", s.TLC, want)
	}
	data, err := s.Write()
	if err != nil {
		t.Fatal(err)
	}
	got, err := ParseSpeed(data)
	if err != nil || !reflect.DeepEqual(got, s) {
		t.Errorf("got %+v, %v, want %+v", got, err, s)
	}
}

// TestNewSpeed has outputs that are not of the same search.
func TestNewSpeed(t *testing.T) {
	for _, test := range []struct{ from, to, want string }{
		{"1234567 distinct", "1234568 distinct", "distinct states: ours 1234567, TLC 1234568"},
		{"2000000 states", "2000001 states", "generated states: ours 2000000, TLC 2000001"},
		{"search is 3", "search is 4", "depth: ours 3, TLC 4"},
		{"with 2 workers", "with 1 worker", "workers: ours 2, TLC 1"},
		{"Model checking completed. No error has been found.", "Error: Deadlock reached.", "TLC's verdict is Deadlock violated"},
		{"Running", "Walking", "does not say with how many workers"},
		{Title, "Hello ", "no output of TLC"},
	} {
		_, err := NewSpeed(held().Record, "tlc", strings.Replace(tlcOutput, test.from, test.to, 1))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %q", test.to, err, test.want)
		}
	}
}

func TestSpeedValidate(t *testing.T) {
	for what, spoil := range map[string]func(s *Speed){
		"schema":             func(s *Speed) { s.Schema++ },
		"record is missing":  func(s *Speed) { s.Record = nil },
		"invalid record":     func(s *Speed) { s.Record.Workers = 0 },
		"verdict":            func(s *Speed) { r := resultstest.Sample(); r.Properties = nil; s.Record = r },
		"liveness":           func(s *Speed) { s.Record.Properties = []results.Property{{Name: "L", Kind: "liveness"}} },
		"tlc has":            func(s *Speed) { s.TLC.Java = "" },
		"distinct states":    func(s *Speed) { s.TLC.Distinct++ },
		"rounds is empty":    func(s *Speed) { s.Rounds = nil },
		"rounds[1].ours":     func(s *Speed) { s.Rounds[1].Ours = nil },
		"rounds[0] has 0 s":  func(s *Speed) { s.Rounds[0].TLC.Seconds = 0 },
		"rounds[1] has +Inf": func(s *Speed) { s.Rounds[1].Ours[0].Seconds = math.Inf(1) },
		"0 s of CPU":         func(s *Speed) { s.Rounds[1].Ours[0].CPUSeconds = 0 },
	} {
		s := measured(t)
		spoil(s)
		if err := s.Validate(); !errors.Is(err, ErrSpeed) || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: got %v", what, err)
		}
		if data, err := s.Write(); err == nil {
			t.Errorf("%s: was written: %s", what, data)
		}
	}
}

// TestSpeedRows: within a round our median counts, and of the rounds the median of two.
func TestSpeedRows(t *testing.T) {
	s := measured(t)
	if clock, cpu := s.Ratio(); clock != (50.0+90)/2 || cpu != (50.0+60)/2 {
		t.Errorf("got ratios %v and %v, want 70 and 55", clock, cpu)
	}
	all := []PublishedSpeed{{"toy.json", s}}
	want := `| run | workers | distinct states | generated | depth | checker | seconds | CPU s | distinct/s | times ours | CPU, times ours |
|---|--:|--:|--:|--:|---|--:|--:|--:|--:|--:|
| [toy --ops=2 --reduce=none](toy.json) | 2 | 1,234,567 | 2,000,000 | 3 | vsrcheck | 1.50 | 2.50 | 823,044 | 1.0 | 1.0 |
| [toy --ops=2 --reduce=none](toy.json) | 2 | 1,234,567 | 2,000,000 | 3 | TLC | 95.00 | 135.00 | 12,995 | 70.0 | 55.0 |
`
	if got := SpeedRows(all); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for _, want := range []string{
		"round 1 (load 1.50 when it began): vsrcheck 2.00, 1.00, 9.00 s, TLC 100.00 s\n  - round 2: vsrcheck 1.00 s, TLC 90.00 s\n",
		"TLC 2.20 of Day (rev: abc), Java Vendor 17.0.1 64bit, heap of 2731 MB, started by `tlc`", "2 cores",
	} {
		if got := SpeedDocument(all); !strings.Contains(got, want) {
			t.Errorf("there is no %q in\n%s", want, got)
		}
	}
}

// TestSpeeds holds the document in tlc/speed to the files beside it, and the figure in the
// README to them: it is that of the least favourable of all ratios.
func TestSpeeds(t *testing.T) {
	dir := "../runs/tlc/speed"
	all, err := ReadSpeeds(dir)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(dir, CrosscheckTable))
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != SpeedDocument(all) {
		t.Errorf("%s/%s is not that of the files beside it; run go run ./cmd/vsrcheck crosscheck --speed --from results/runs/tlc/speed --write", dir, CrosscheckTable)
	}
	least := math.Inf(1)
	for _, s := range all {
		clock, cpu := s.Ratio()
		least = min(least, clock, cpu)
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("%d times as fast as TLC", int(least)); !strings.Contains(strings.Join(strings.Fields(string(readme)), " "), want) {
		t.Errorf("the README does not say %q", want)
	}
}

func TestReadSpeeds(t *testing.T) {
	dir := t.TempDir()
	if _, err := ReadSpeeds(dir); !errors.Is(err, ErrNoSpeed) {
		t.Errorf("of an empty folder: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadSpeeds(dir); !errors.Is(err, ErrSpeed) || !strings.Contains(err.Error(), "a.json") {
		t.Errorf("of a file that is none: %v", err)
	}
}

// FuzzParseSpeed: what is read is valid, and can be written and read again.
func FuzzParseSpeed(f *testing.F) {
	data, err := measured(f).Write()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(`{"schema":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := ParseSpeed(data)
		if err != nil {
			if !errors.Is(err, ErrSpeed) {
				t.Errorf("got %v, want an error that wraps ErrSpeed", err)
			}
			return
		}
		again, err := s.Write()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ParseSpeed(again); err != nil {
			t.Errorf("what was written is not read: %v", err)
		}
		if SpeedRows([]PublishedSpeed{{"x.json", s}}) == "" {
			t.Error("there are no rows")
		}
	})
}
