//go:build unix && !linux

package results

import (
	"runtime"
	"syscall"
)

// PeakMemory is the largest resident size that the process has had, in bytes. It is
// 0 when unknown.
func PeakMemory() uint64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil || usage.Maxrss < 0 {
		return 0
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return uint64(usage.Maxrss) // bytes there, kilobytes elsewhere
	}
	return uint64(usage.Maxrss) << 10
}
