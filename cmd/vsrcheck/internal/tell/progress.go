package tell

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"vsrcheck/explore"
	"vsrcheck/results"
)

// terminalWidth is the width of the terminal that w writes to; ok is false when it is
// no terminal.
func terminalWidth(w io.Writer) (width int, ok bool) {
	switch wrapped := w.(type) {
	case *ErrorKeeper:
		w = wrapped.Writer
	case *PatientWriter:
		w = wrapped.out
	}
	f, isFile := w.(*os.File)
	if !isFile || !term.IsTerminal(int(f.Fd())) {
		return 0, false
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width <= 0 {
		width = 80
	}
	return width, true
}

// Meter prints how a run is getting on: on a terminal one line that changes, and
// elsewhere a line a minute.
type Meter struct {
	out      io.Writer
	terminal bool
	width    int
	limit    uint64 // of the memory, 0 for none
	shown    bool
	last     explore.Progress
}

// NewMeter prints to an output. The limit is that on memory, in bytes, 0 for none.
func NewMeter(out io.Writer, limit uint64) *Meter {
	width, ok := terminalWidth(out)
	return &Meter{out: out, terminal: ok, width: width, limit: limit}
}

// Interval is how often update wants to be called.
func (m *Meter) Interval() time.Duration {
	if m.terminal {
		return time.Second
	}
	return time.Minute
}

// Update prints one snapshot.
func (m *Meter) Update(p explore.Progress) {
	line := progressLine(m.last, p, m.limit, m.width)
	m.last = p
	m.Show(line)
}

// Show prints a line, on a terminal in the place of the last one.
func (m *Meter) Show(line string) {
	if !m.terminal {
		Printf(m.out, "%s\n", line)
		return
	}
	if r := []rune(line); m.width > 1 && len(r) >= m.width {
		line = string(r[:m.width-1])
	}
	_, _ = io.WriteString(m.out, "\r\x1b[K"+printable(line))
	m.shown = true
}

// Clear removes the line from a terminal.
func (m *Meter) Clear() {
	if m.shown {
		_, _ = io.WriteString(m.out, "\r\x1b[K")
		m.shown = false
	}
}

// progressLine says how far a run is. The rate is that since the last line. What matters less
// is left out where the line would be longer than the width; 0 is no limit.
func progressLine(last, p explore.Progress, limit uint64, width int) string {
	memory := results.Bytes(p.Bytes)
	if limit != 0 {
		memory += " of " + results.Bytes(limit)
	}
	level, growth, disk, left := "", "", "", ""
	if p.Frontier > 0 {
		level = fmt.Sprintf(" (%.0f%% of %s", 100*float64(p.Expanded)/float64(p.Frontier), results.Count(p.Frontier))
		if g := levelGrowth(p); g > 0 {
			growth = fmt.Sprintf(", %.2f times the one before", g)
		}
	}
	if p.DiskBytes != 0 {
		disk = ", " + results.Bytes(p.DiskBytes) + " on disk"
	}
	if t, ok := timeLeft(p); ok {
		left = ", about " + results.Duration(t.Round(time.Second)) + " left"
	}
	parts := []struct {
		text string
		rank int // 0 stays; of the others the greatest goes first
	}{
		{p.Phase + ": " + results.Duration(p.Elapsed.Round(time.Second)), 0},
		{fmt.Sprintf(", depth %d", p.Level), 0},
		{level, 3}, {growth, 6}, {"", 3}, // which ends what level begins
		{", " + results.Count(p.Distinct) + " distinct", 0},
		{", " + results.Count(p.Generated) + " generated", 5},
		{", " + results.Rate(distinctRate(last, p)), 4},
		{", " + memory, 1}, {disk, 2}, {left, 1},
	}
	if level != "" {
		parts[4].text = ")"
	}
	for most := 6; ; most-- {
		line := ""
		for _, part := range parts {
			if part.rank <= most {
				line += part.text
			}
		}
		if width == 0 || len([]rune(line)) < width || most == 0 {
			return line
		}
	}
}

// distinctRate is the number of distinct states found in a second between two snapshots.
func distinctRate(last, p explore.Progress) float64 {
	if s := (p.Elapsed - last.Elapsed).Seconds(); s > 0 && p.Distinct >= last.Distinct {
		return float64(p.Distinct-last.Distinct) / s
	}
	return 0
}

// levelGrowth is the size of the level that is expanded, in terms of the one before; 0
// when there is none.
func levelGrowth(p explore.Progress) float64 {
	if p.Before == 0 || p.Phase != "search" {
		return 0
	}
	return float64(p.Frontier) / float64(p.Before)
}

// timeLeft guesses how long a search will take, once its levels shrink: by the same
// factor from now on, and at the speed that it had so far.
func timeLeft(p explore.Progress) (time.Duration, bool) {
	g := levelGrowth(p)
	if g == 0 || g >= 0.95 || p.Done == 0 {
		return 0, false
	}
	// The figures are not read at one moment: the level may have changed between them.
	states := float64(p.Frontier-min(p.Frontier, p.Expanded)) + float64(p.Frontier)*g/(1-g)
	return time.Duration(float64(p.Elapsed) * states / float64(p.Done+p.Expanded)), true
}

// progressJSON is a snapshot for programs: one object on a line.
type progressJSON struct {
	Phase       string   `json:"phase"`
	Seconds     float64  `json:"seconds"`
	Depth       int      `json:"depth"`
	Frontier    uint64   `json:"frontier"`         // states of the level
	Expanded    uint64   `json:"expanded"`         // of these
	Growth      float64  `json:"growth,omitempty"` // frontier in terms of that before
	Distinct    uint64   `json:"distinct"`
	Generated   uint64   `json:"generated"`
	PerSecond   float64  `json:"distinct_per_second"`
	Memory      uint64   `json:"memory_bytes"`
	MemoryLimit uint64   `json:"memory_limit_bytes,omitempty"`
	Disk        uint64   `json:"disk_bytes"`
	SecondsLeft *float64 `json:"seconds_left,omitempty"` // a guess, when there is one
}

// UpdateJSON prints one snapshot for programs.
func (m *Meter) UpdateJSON(p explore.Progress) {
	j := progressJSON{
		Phase: p.Phase, Seconds: p.Elapsed.Seconds(), Depth: p.Level, Frontier: p.Frontier, Expanded: p.Expanded,
		Growth: levelGrowth(p), Distinct: p.Distinct, Generated: p.Generated, PerSecond: distinctRate(m.last, p),
		Memory: p.Bytes, MemoryLimit: m.limit, Disk: p.DiskBytes,
	}
	if left, ok := timeLeft(p); ok {
		seconds := left.Seconds()
		j.SecondsLeft = &seconds
	}
	m.last = p
	m.showJSON(j)
}

// simulateJSON is a snapshot of walks for programs: one object on a line.
type simulateJSON struct {
	Phase   string  `json:"phase"`
	Seconds float64 `json:"seconds"`
	Walks   uint64  `json:"walks"` // begun
}

// SimulateJSON prints one.
func (m *Meter) SimulateJSON(s explore.SimulateProgress) {
	m.showJSON(simulateJSON{Phase: s.Phase, Seconds: s.Elapsed.Seconds(), Walks: s.Walks})
}

func (m *Meter) showJSON(snapshot any) {
	data, err := json.Marshal(snapshot)
	if err == nil { // a struct of numbers and a string cannot fail
		Printf(m.out, "%s\n", data)
	}
}

// CellMeter shows how many checks are finished.
type CellMeter struct {
	Meter *Meter
	Quiet bool
	last  time.Time
}

// Update shows how many checks are finished, on a terminal at once, elsewhere once a minute.
func (c *CellMeter) Update(text string) {
	if c.last.IsZero() {
		c.last = time.Now()
	}
	if c.Quiet || !c.Meter.terminal && time.Since(c.last) < c.Meter.Interval() {
		return
	}
	c.last = time.Now()
	c.Meter.Show(text)
}
