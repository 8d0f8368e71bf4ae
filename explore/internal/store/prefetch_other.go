//go:build !amd64 && !arm64

package store

// prefetch does nothing: lookups are slower without it, and find the same.
func prefetch([]uintptr) {}
