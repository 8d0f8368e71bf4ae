package store

import "math/bits"

// Constants of the mixers: digits of pi, made odd. Their only merit is to have no
// structure that a packed state could share.
const (
	mixA = 0x243f6a8885a308d3
	mixB = 0x13198a2e03707345
	mixC = 0xa4093822299f31d1
	mixD = 0x082efa98ec4e6c89
)

// Fold multiplies to 128 bits and folds the halves, so that every bit of either
// factor reaches the middle bits and both ends of the result.
func Fold(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}

// Hash is the hash of an encoded state. It has no random seed: runs must be
// reproducible.
func Hash(words []uint64) uint64 {
	h := uint64(mixA)
	for _, w := range words {
		h = Fold(h^w, mixB)
	}
	// The last round spreads the last word over the low bits, which are the index
	// of the home slot, and the high bits, which are the tag.
	return Fold(h^mixC, mixD)
}

// hashWords2 is a second hash, unrelated to Hash: it has other constants and
// adds where Hash xors.
func hashWords2(words []uint64) uint64 {
	h := uint64(mixC)
	for _, w := range words {
		h = Fold(h+w, mixD) + mixA
	}
	return Fold(h^mixB, mixC)
}
