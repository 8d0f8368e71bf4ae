package main

import (
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
	if k, wrapped := w.(*errorKeeper); wrapped {
		w = k.Writer
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

// meter prints how a run is getting on: on a terminal one line that changes, and
// elsewhere a line a minute.
type meter struct {
	out      io.Writer
	terminal bool
	width    int
	limit    uint64 // of the memory, 0 for none
	shown    bool
	last     explore.Progress
}

func newMeter(out io.Writer, limit uint64) *meter {
	width, ok := terminalWidth(out)
	return &meter{out: out, terminal: ok, width: width, limit: limit}
}

// interval is how often update wants to be called.
func (m *meter) interval() time.Duration {
	if m.terminal {
		return time.Second
	}
	return time.Minute
}

// update prints one snapshot.
func (m *meter) update(p explore.Progress) {
	line := progressLine(m.last, p, m.limit)
	m.last = p
	m.show(line)
}

// show prints a line, on a terminal in the place of the last one.
func (m *meter) show(line string) {
	if !m.terminal {
		printf(m.out, "%s\n", line)
		return
	}
	if r := []rune(line); m.width > 1 && len(r) >= m.width {
		line = string(r[:m.width-1])
	}
	printf(m.out, "\r\x1b[K%s", line)
	m.shown = true
}

// clear removes the line from a terminal.
func (m *meter) clear() {
	if m.shown {
		printf(m.out, "\r\x1b[K")
		m.shown = false
	}
}

// progressLine says how far a run is. The rate is that since the last line.
func progressLine(last, p explore.Progress, limit uint64) string {
	done := 0.0
	if p.Frontier > 0 {
		done = 100 * float64(p.Expanded) / float64(p.Frontier)
	}
	rate := 0.0
	if s := (p.Elapsed - last.Elapsed).Seconds(); s > 0 && p.Distinct >= last.Distinct {
		rate = float64(p.Distinct-last.Distinct) / s
	}
	memory := results.Bytes(p.Bytes)
	if limit != 0 {
		memory += " of " + results.Bytes(limit)
	}
	if p.DiskBytes != 0 {
		memory += ", " + results.Bytes(p.DiskBytes) + " on disk"
	}
	return fmt.Sprintf("%s: %s, depth %d (%.0f%% of %s), %s distinct, %s generated, %s, %s",
		p.Phase, results.Duration(p.Elapsed.Round(time.Second)), p.Level, done, results.Count(p.Frontier),
		results.Count(p.Distinct), results.Count(p.Generated), results.Rate(rate), memory)
}
