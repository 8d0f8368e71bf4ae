package explore

import (
	"encoding/binary"
	"math/bits"
)

// chunk is a run of the words of a shard. They are plain until all of them are there.
// Then they are packed: most words are narrower than 64 bits, above all pairs of node
// numbers. The low and the high half of each word take as many bytes as the greatest
// of their kind in the chunk.
type chunk struct {
	plain  []uint64
	packed []byte // nil, or what replaces plain

	stride   uint32 // bytes of a packed word
	highAt   uint8  // bits from a packed word to its high half
	lowMask  uint64
	highMask uint64
}

func (c *chunk) at(i uint32) uint64 {
	if c.packed == nil {
		return c.plain[i]
	}
	x := binary.LittleEndian.Uint64(c.packed[i*c.stride:])
	return x>>(c.highAt&63)&c.highMask<<32 | x&c.lowMask
}

// pack is the packed form of a full plain chunk.
func (c *chunk) pack() chunk {
	var low, high uint64
	for _, w := range c.plain {
		low |= w & (1<<32 - 1)
		high |= w >> 32
	}
	l, h := uint32(bits.Len64(low)+7)/8, uint32(bits.Len64(high)+7)/8
	p := chunk{
		stride:   l + h,
		highAt:   uint8(8 * l),
		lowMask:  1<<(8*l) - 1,
		highMask: 1<<(8*h) - 1,
	}
	// A word is read with the seven bytes that follow it.
	p.packed = make([]byte, len(c.plain)*int(p.stride)+8)
	for i, w := range c.plain {
		x := w>>32<<(p.highAt&63) | w&p.lowMask
		b := p.packed[i*int(p.stride):]
		for k := range p.stride {
			b[k] = byte(x >> (8 * k))
		}
	}
	return p
}

// bytes is the memory of the words of a chunk.
func (c *chunk) bytes() uint64 { return uint64(len(c.plain)*8 + len(c.packed)) }
