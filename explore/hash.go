package explore

import "math/bits"

// Constants of the mixers: digits of pi, made odd. Their only merit is to have no
// structure that a packed state could share.
const (
	mixA = 0x243f6a8885a308d3
	mixB = 0x13198a2e03707345
	mixC = 0xa4093822299f31d1
	mixD = 0x082efa98ec4e6c89
)

// fold multiplies to 128 bits and folds the halves, so that every bit of either
// factor reaches the middle bits and both ends of the result.
func fold(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}

// hashWords is the hash of an encoded state. It has no random seed: runs must be
// reproducible.
func hashWords(words []uint64) uint64 {
	h := uint64(mixA)
	for _, w := range words {
		h = fold(h^w, mixB)
	}
	// The last round spreads the last word over the low bits, which are the index
	// of the home slot, and the high bits, which are the tag.
	return fold(h^mixC, mixD)
}

// hashWords2 is a second hash, unrelated to hashWords: it has other constants and
// adds where hashWords xors.
func hashWords2(words []uint64) uint64 {
	h := uint64(mixC)
	for _, w := range words {
		h = fold(h+w, mixD) + mixA
	}
	return fold(h^mixB, mixC)
}
