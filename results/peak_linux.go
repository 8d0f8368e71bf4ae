package results

import (
	"os"
	"strconv"
	"strings"
)

// PeakMemory is the largest resident size that the process has had, in bytes: the
// kernel's VmHWM. It is 0 when unknown.
func PeakMemory() uint64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	return parseHWM(string(status))
}

// parseHWM finds "VmHWM: 1234 kB".
func parseHWM(status string) uint64 {
	for line := range strings.Lines(status) {
		rest, ok := strings.CutPrefix(line, "VmHWM:")
		if !ok {
			continue
		}
		kib, err := strconv.ParseUint(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 54)
		if err != nil {
			return 0
		}
		return kib << 10
	}
	return 0
}
