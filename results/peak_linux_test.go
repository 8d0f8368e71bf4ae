package results

import "testing"

func TestPeakMemory(t *testing.T) {
	if got := PeakMemory(); got < 1<<20 || got > 1<<40 {
		t.Errorf("got a peak of %d bytes", got)
	}
	for status, want := range map[string]uint64{
		"VmPeak: 9 kB\nVmHWM:\t    1234 kB\n": 1234 << 10, "": 0, "VmHWM: many kB\n": 0, "VmHWM: 99999999999999999999 kB\n": 0,
	} {
		if got := parseHWM(status); got != want {
			t.Errorf("parseHWM(%q) = %d, want %d", status, got, want)
		}
	}
}
