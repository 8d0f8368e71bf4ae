package store

// cacheLine keeps fields apart that different processors write to.
type cacheLine [64]byte

// Equal reports whether two encodings of the same width are equal.
func Equal(a, b []uint64) bool {
	b = b[:len(a)]
	for i, w := range a {
		if w != b[i] {
			return false
		}
	}
	return true
}

// Less is the total order on encodings that breaks every tie.
func Less(a, b []uint64) bool {
	b = b[:len(a)]
	for i, w := range a {
		if w != b[i] {
			return w < b[i]
		}
	}
	return false
}
