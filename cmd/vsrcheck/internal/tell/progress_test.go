package tell

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"vsrcheck/explore"
)

func TestProgressLine(t *testing.T) {
	last := explore.Progress{Distinct: 1000, Elapsed: 2 * time.Second}
	p := explore.Progress{Phase: "search", Level: 7, Distinct: 21000, Generated: 100000, Frontier: 4000, Expanded: 1000, Elapsed: 4 * time.Second, Bytes: 3 << 20}
	if got, want := progressLine(last, p, 8<<30, 0), "search: 4s, depth 7 (25% of 4,000), 21,000 distinct, 100,000 generated, 10.0 k/s, 3.00 MiB of 8.00 GiB"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := progressLine(explore.Progress{}, explore.Progress{Phase: "trace"}, 0, 0); !strings.HasPrefix(got, "trace: 0s, depth 0, 0 distinct") {
		t.Errorf("at the start got %s", got)
	}
	shrinking := p
	shrinking.Before, shrinking.Done, shrinking.DiskBytes = 8000, 9000, 5<<30
	// Left are the rest of the level, 3000 states, and 2000 + 1000 + 500 ... after it, and
	// 10,000 took four seconds.
	if got, want := progressLine(last, shrinking, 0, 0), "search: 4s, depth 7 (25% of 4,000, 0.50 times the one before), 21,000 distinct, 100,000 generated, 10.0 k/s, 3.00 MiB, 5.00 GiB on disk, about 3s left"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for width, want := range map[int]string{
		170: "search: 4s, depth 7 (25% of 4,000, 0.50 times the one before), 21,000 distinct, 100,000 generated, 10.0 k/s, 3.00 MiB, 5.00 GiB on disk, about 3s left",
		130: "search: 4s, depth 7 (25% of 4,000), 21,000 distinct, 100,000 generated, 10.0 k/s, 3.00 MiB, 5.00 GiB on disk, about 3s left",
		100: "search: 4s, depth 7 (25% of 4,000), 21,000 distinct, 3.00 MiB, 5.00 GiB on disk, about 3s left",
		80:  "search: 4s, depth 7, 21,000 distinct, 3.00 MiB, 5.00 GiB on disk, about 3s left",
		70:  "search: 4s, depth 7, 21,000 distinct, 3.00 MiB, about 3s left",
		40:  "search: 4s, depth 7, 21,000 distinct",
	} {
		if got := progressLine(last, shrinking, 0, width); got != want {
			t.Errorf("width %d: got %q, want %q", width, got, want)
		}
	}
	var out bytes.Buffer
	m := NewMeter(&out, 8<<30)
	m.last = last
	m.UpdateJSON(shrinking)
	if got, want := out.String(), `{"phase":"search","seconds":4,"depth":7,"frontier":4000,"expanded":1000,"growth":0.5,"distinct":21000,"generated":100000,"distinct_per_second":10000,"memory_bytes":3145728,"memory_limit_bytes":8589934592,"disk_bytes":5368709120,"seconds_left":2.8}`+"\n"; got != want {
		t.Errorf("got  %swant %s", got, want)
	}
	out.Reset()
	m.SimulateJSON(explore.SimulateProgress{Phase: "simulate", Walks: 12, Elapsed: 1500 * time.Millisecond})
	if got, want := out.String(), `{"phase":"simulate","seconds":1.5,"walks":12}`+"\n"; got != want {
		t.Errorf("got  %swant %s", got, want)
	}
	out.Reset()
	m = NewMeter(&out, 0)
	if m.Interval() != time.Minute {
		t.Errorf("away from a terminal the interval is %s", m.Interval())
	}
	m.Update(p)
	m.Clear()
	if got := out.String(); strings.ContainsAny(got, "\r\x1b") || strings.Count(got, "\n") != 1 {
		t.Errorf("away from a terminal got %q", got)
	}
	out.Reset()
	m = &Meter{out: &out, terminal: true, width: 20}
	m.Update(p)
	m.Clear()
	if got, want := out.String(), "\r\x1b[Ksearch: 4s, depth 7\r\x1b[K"; got != want || m.Interval() != time.Second {
		t.Errorf("on a terminal got %q, want %q", got, want)
	}
}
