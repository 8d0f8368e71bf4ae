package store

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// chunk is a run of the words of a shard. They take eight bytes each until all of them
// are there. Then they are packed: most words are narrower than 64 bits, above all pairs
// of node numbers. The low and the high half of each word take as many bytes as the
// greatest of their kind in the chunk. So a full chunk takes a small multiple of 4096
// bytes and not a byte more, which the allocator rounds up by nothing.
type chunk struct {
	bytes    []byte // at least 8
	stride   uint32 // bytes of a word
	highAt   uint32 // bits from a word to its high half
	lowMask  uint32
	highMask uint32
}

// newChunk has room for so many words.
func newChunk(words int) chunk { return chunkOf(words, 4, 4) }

// chunkOf has room for so many words of so many bytes in their halves.
func chunkOf(words, low, high int) chunk {
	return chunk{
		bytes:    make([]byte, max(8, words*(low+high))),
		stride:   uint32(low + high),
		highAt:   uint32(8 * low),
		lowMask:  uint32(1<<(8*low) - 1),
		highMask: uint32(1<<(8*high) - 1),
	}
}

func (c *chunk) at(i uint32) uint64 {
	// A word is read with the bytes after it. At the end of the chunk there are too few,
	// and it is read with some before it.
	from := int(i * c.stride)
	early := max(0, from+8-len(c.bytes))
	x := binary.LittleEndian.Uint64(c.bytes[from-early:]) >> (8 * early & 63)
	return x>>(c.highAt&63)&uint64(c.highMask)<<32 | x&uint64(c.lowMask)
}

// address is where a word is in memory.
func (c *chunk) address(i uint32) uintptr {
	return uintptr(unsafe.Pointer(unsafe.SliceData(c.bytes))) + uintptr(i*c.stride)
}

// set writes a word of a chunk that is not packed.
func (c *chunk) set(i uint32, word uint64) { binary.LittleEndian.PutUint64(c.bytes[8*i:], word) }

// pack is the packed form of a full chunk.
func (c *chunk) pack() chunk {
	words := uint32(len(c.bytes) / 8)
	var low, high uint64
	for i := range words {
		w := c.at(i)
		low |= w & (1<<32 - 1)
		high |= w >> 32
	}
	p := chunkOf(int(words), (bits.Len64(low)+7)/8, (bits.Len64(high)+7)/8)
	for i := range words {
		w := c.at(i)
		x := w>>32<<(p.highAt&63) | w&uint64(p.lowMask)
		b := p.bytes[i*p.stride:]
		for k := range p.stride {
			b[k] = byte(x >> (8 * k))
		}
	}
	return p
}
