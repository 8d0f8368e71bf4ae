//go:build !unix

package results

// PeakMemory is 0: the largest resident size of the process is not known here.
func PeakMemory() uint64 { return 0 }
