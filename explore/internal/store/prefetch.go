//go:build amd64 || arm64

package store

// prefetch asks the processor to bring what is at the addresses into its cache, and does
// not wait for it. Go has no such statement. A loop of loads does the same for fewer
// misses at once, as the processor does not look far beyond a load that it waits for.
// Nothing is read: an address may be out of date.
//
//go:noescape
func prefetch(addresses []uintptr)
