package explore

// cacheLine keeps fields apart that different processors write to.
type cacheLine [64]byte

// equalWords reports whether two encodings of the same width are equal.
func equalWords(a, b []uint64) bool {
	b = b[:len(a)]
	for i, w := range a {
		if w != b[i] {
			return false
		}
	}
	return true
}

// lessWords is the total order on encodings that breaks every tie.
func lessWords(a, b []uint64) bool {
	b = b[:len(a)]
	for i, w := range a {
		if w != b[i] {
			return w < b[i]
		}
	}
	return false
}
