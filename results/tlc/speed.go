package tlc

import (
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"vsrcheck/results"
	"vsrcheck/results/internal/jsontext"
)

// Speed is a measurement of how long this checker and TLC take for the same search. Both
// ran as processes of their own, in turn, with the same number of workers.
type Speed struct {
	Schema int        `json:"schema"` // as that of a record
	TLC    SpeedOfTLC `json:"tlc"`
	// Rounds are in the order in which they ran.
	Rounds []SpeedRound `json:"rounds"`
	// Record is of the first of our runs: what was searched, with what, and what came out.
	Record *results.Record `json:"record"`
}

// SpeedOfTLC is what TLC says of itself and of its search.
type SpeedOfTLC struct {
	Version   string `json:"version"`
	Java      string `json:"java"`    // the vendor and the version
	Command   string `json:"command"` // of the shell, that started it
	Workers   int    `json:"workers"`
	HeapMB    int    `json:"heap_megabytes"`
	Distinct  uint64 `json:"distinct"`
	Generated uint64 `json:"generated"`
	Depth     int    `json:"depth"`
}

// SpeedRound is one run of TLC, and in the same minutes several of ours, which take so much
// less that the machine's hiccups would show in one.
type SpeedRound struct {
	// Load is the machine's load average of one minute when the round began; nil where it
	// is not known.
	Load *float64     `json:"load,omitempty"`
	Ours []SpeedTimes `json:"ours"`
	TLC  SpeedTimes   `json:"tlc"`
}

// SpeedTimes are the times of one process, from its start to its end, in seconds.
type SpeedTimes struct {
	Seconds    float64 `json:"seconds"`     // on the clock
	CPUSeconds float64 `json:"cpu_seconds"` // of all its threads, in the program and the kernel
}

// ErrSpeed is wrapped by every error about a file that is no valid measurement.
const ErrSpeed = results.InputError("invalid measurement of speed")

var tlcSetupLine = regexp.MustCompile(`(?m)^Running breadth-first search .* with (\d+) workers? on \d+ cores? with (\d+)MB heap .*?\([^,)]*, ([^,)]*), `)

// NewSpeed begins a measurement with one run of each: our record, and TLC's output, which
// has to be of a search of the same states that found no error.
func NewSpeed(record *results.Record, command, output string) (*Speed, error) {
	run, err := Parse(output)
	if err != nil {
		return nil, err
	}
	s := &Speed{Schema: results.Schema, Record: record, TLC: SpeedOfTLC{
		Command: command, Distinct: run.Distinct, Generated: run.Generated, Depth: run.Depth,
	}}
	title, _, _ := strings.Cut(output, "\n")
	s.TLC.Version = strings.TrimSpace(strings.TrimPrefix(title, Title))
	m := tlcSetupLine.FindStringSubmatch(output)
	if m == nil {
		return nil, fmt.Errorf("%w: it does not say with how many workers, what heap and what Java it ran", ErrOutput)
	}
	s.TLC.Java = m[3]
	for i, to := range []*int{&s.TLC.Workers, &s.TLC.HeapMB} {
		if *to, err = strconv.Atoi(m[i+1]); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrOutput, err)
		}
	}
	if run.Verdict != results.Holds {
		return nil, fmt.Errorf("%w: TLC's verdict is %s, want %s", ErrSpeed, (&Crosscheck{TLC: run}).theirs(), results.Holds)
	}
	return s, s.same()
}

// same says whether the two searched the same states with the same number of workers.
func (s *Speed) same() error {
	r, t := s.Record, s.TLC
	for _, x := range []struct {
		what         string
		ours, theirs uint64
	}{
		{"distinct states", r.Distinct, t.Distinct}, {"generated states", r.Generated, t.Generated},
		{"depth", uint64(max(r.Depth, 0)), uint64(max(t.Depth, 0))}, {"workers", uint64(max(r.Workers, 0)), uint64(max(t.Workers, 0))},
	} {
		if x.ours != x.theirs {
			return fmt.Errorf("%w: %s: ours %d, TLC %d, want the same", ErrSpeed, x.what, x.ours, x.theirs)
		}
	}
	return nil
}

// Validate says whether the measurement is complete and compares what is alike.
func (s *Speed) Validate() error {
	if s.Schema != results.Schema {
		return fmt.Errorf("%w: schema is %d, want %d", ErrSpeed, s.Schema, results.Schema)
	}
	if s.Record == nil {
		return fmt.Errorf("%w: record is missing", ErrSpeed)
	}
	if err := s.Record.Validate(); err != nil {
		return fmt.Errorf("%w: %w", ErrSpeed, err)
	}
	if s.Record.Verdict != results.Holds {
		return fmt.Errorf("%w: verdict is %s, want %s, as a violation ends a search anywhere", ErrSpeed, s.Record.Verdict, results.Holds)
	}
	if slices.ContainsFunc(s.Record.Properties, func(p results.Property) bool { return p.Kind == "liveness" }) {
		return fmt.Errorf("%w: a property of the record is of liveness, want none, as the two check it in ways that do not compare", ErrSpeed)
	}
	if s.TLC.Version == "" || s.TLC.Java == "" || s.TLC.Command == "" {
		return fmt.Errorf("%w: tlc has version %q, java %q and command %q, want all of them", ErrSpeed, s.TLC.Version, s.TLC.Java, s.TLC.Command)
	}
	if err := s.same(); err != nil {
		return err
	}
	if len(s.Rounds) == 0 {
		return fmt.Errorf("%w: rounds is empty, want some", ErrSpeed)
	}
	for i, round := range s.Rounds {
		if len(round.Ours) == 0 {
			return fmt.Errorf("%w: rounds[%d].ours is empty, want some", ErrSpeed, i)
		}
		for _, t := range append(slices.Clone(round.Ours), round.TLC) {
			if !(t.Seconds > 0) || math.IsInf(t.Seconds, 0) || !(t.CPUSeconds > 0) || math.IsInf(t.CPUSeconds, 0) {
				return fmt.Errorf("%w: rounds[%d] has %v s and %v s of CPU, want times above 0", ErrSpeed, i, t.Seconds, t.CPUSeconds)
			}
		}
	}
	return nil
}

// Write makes the JSON of the measurement.
func (s *Speed) Write() ([]byte, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	return jsontext.Write(s, "measurement of speed")
}

// ParseSpeed reads a measurement. Its error wraps ErrSpeed.
func ParseSpeed(data []byte) (*Speed, error) {
	var s Speed
	if err := jsontext.Parse(data, &s, ErrSpeed); err != nil {
		return nil, err
	}
	return &s, s.Validate()
}

// PublishedSpeed is a measurement with the name of its file.
type PublishedSpeed struct {
	File string // without the folder
	*Speed
}

// ErrNoSpeed is wrapped by the error about a folder without any measurement.
const ErrNoSpeed = results.InputError("no measurement of speed")

// ReadSpeeds reads the measurements in a folder, in the order of their names.
func ReadSpeeds(dir string) ([]PublishedSpeed, error) {
	paths := results.FilesWith(dir, CrosscheckRecord)
	if len(paths) == 0 {
		return nil, fmt.Errorf("%w in %s", ErrNoSpeed, dir)
	}
	slices.Sort(paths)
	var all []PublishedSpeed
	for _, path := range paths {
		data, err := results.ReadData(path)
		if err != nil {
			return nil, fmt.Errorf("read measurement of speed: %w", err)
		}
		s, err := ParseSpeed(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		all = append(all, PublishedSpeed{filepath.Base(path), s})
	}
	return all, nil
}

// median is the middle of some numbers, of an even number of them the mean of the two.
func median(values []float64) float64 {
	slices.Sort(values)
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}

// of is the median of something over the rounds, with our runs of a round replaced by
// their median.
func (s *Speed) of(what func(ours, tlc SpeedTimes) float64) float64 {
	var all []float64
	for _, round := range s.Rounds {
		var clock, cpu []float64
		for _, t := range round.Ours {
			clock, cpu = append(clock, t.Seconds), append(cpu, t.CPUSeconds)
		}
		all = append(all, what(SpeedTimes{median(clock), median(cpu)}, round.TLC))
	}
	return median(all)
}

// Ratio is how many times as long as ours TLC's search took: the median over the rounds of
// the ratio within each, by the clock and by the CPU time of all threads.
func (s *Speed) Ratio() (clock, cpu float64) {
	return s.of(func(ours, tlc SpeedTimes) float64 { return tlc.Seconds / ours.Seconds }),
		s.of(func(ours, tlc SpeedTimes) float64 { return tlc.CPUSeconds / ours.CPUSeconds })
}

// SpeedRows is the table of measurements in Markdown.
func SpeedRows(all []PublishedSpeed) string {
	var out strings.Builder
	out.WriteString("| run | workers | distinct states | generated | depth | checker | seconds | CPU s | distinct/s | times ours | CPU, times ours |\n")
	out.WriteString("|---|--:|--:|--:|--:|---|--:|--:|--:|--:|--:|\n")
	for _, s := range all {
		r := s.Record
		clock, cpu := s.Ratio()
		row := func(checker string, pick func(ours, tlc SpeedTimes) SpeedTimes, clock, cpu float64) {
			seconds := s.of(func(o, t SpeedTimes) float64 { return pick(o, t).Seconds })
			fmt.Fprintf(&out, "| [%s](%s) | %d | %s | %s | %d | %s | %.2f | %.2f | %s | %.1f | %.1f |\n",
				results.TableCell(crossName(r)), s.File, r.Workers, results.Count(r.Distinct), results.Count(r.Generated), r.Depth, checker, seconds,
				s.of(func(o, t SpeedTimes) float64 { return pick(o, t).CPUSeconds }), results.Count(uint64(float64(r.Distinct)/seconds)), clock, cpu)
		}
		row("vsrcheck", func(ours, _ SpeedTimes) SpeedTimes { return ours }, 1, 1)
		row("TLC", func(_, tlc SpeedTimes) SpeedTimes { return tlc }, clock, cpu)
	}
	return out.String()
}

// SpeedDocument is the file with the table for a folder of measurements. It is a function
// of the files alone.
func SpeedDocument(all []PublishedSpeed) string {
	var out strings.Builder
	out.WriteString("# The speed of vsrcheck and of TLC\n\n" +
		"Each pair of rows is one search that both made, of the same `.cfg` and `specs/VSR.tla`: the\n" +
		"same distinct and generated states and the same depth, or nothing is written; the same\n" +
		"invariants and step properties, and none of liveness. Both ran as processes of their own,\n" +
		"in turn, with the same number of workers, and the times are from outside, from the start\n" +
		"of a process to its end. In each round TLC ran once and vsrcheck several times, of which the\n" +
		"median counts. The figures are medians of the rounds, the ratios are medians of the ratios\n" +
		"within a round. CPU time is of all threads; on a busy machine it says more. TLC's includes\n" +
		"that of Java's compiler and collector. TLC stores fingerprints of 64 bits; vsrcheck's store\n" +
		"is exact.\n\n")
	out.WriteString(SpeedRows(all))
	out.WriteString("\n## Where, and with what\n")
	for _, s := range all {
		r := s.Record
		var rounds []string
		for i, round := range s.Rounds {
			load := ""
			if round.Load != nil {
				load = fmt.Sprintf(" (load %.2f when it began)", *round.Load)
			}
			var ours []string
			for _, t := range round.Ours {
				ours = append(ours, fmt.Sprintf("%.2f", t.Seconds))
			}
			rounds = append(rounds, fmt.Sprintf("  - round %d%s: vsrcheck %s s, TLC %.2f s\n", i+1, load, strings.Join(ours, ", "), round.TLC.Seconds))
		}
		fmt.Fprintf(&out, "\n[%s](%s), %s:\n\n- `%s`, %s, built with %s, %s/%s\n- TLC %s, Java %s, heap of %d MB, started by `%s`\n- rounds:\n%s",
			crossName(r), s.File, results.Plural(r.CPUs, "core"), strings.Join(r.CommandLine, " "), r.Build.Version, r.Build.Go, r.Build.OS, r.Build.Arch,
			s.TLC.Version, s.TLC.Java, s.TLC.HeapMB, s.TLC.Command, strings.Join(rounds, ""))
	}
	out.WriteString("\nEach was made by `vsrcheck crosscheck --speed --keep results/runs/tlc/speed NAME OPTIONS`, and this\n" +
		"file can be made again by `vsrcheck crosscheck --speed --from results/runs/tlc/speed --write`; a test\n" +
		"holds it to the others.\n")
	return out.String()
}
