// Package pack packs the fields of a state into words, so that a system for package explore
// need not do it by hand: fields are listed once, each with the values that it takes, and
// Encode and Decode follow from the list. A value outside its range is a panic that names
// the field, which the checker returns as an error with a trace to the state.
//
// A field that is not listed is not part of the encoding, which the checker takes for a
// breach of the contract as soon as it is not zero.
package pack

import (
	"fmt"
	"math/bits"
	"unsafe"
)

// Integer is any type of integers.
type Integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr
}

// Layout says which bits of an encoded S hold which field of it. It is never changed after
// New, so any number of goroutines may use it.
type Layout[S any] struct {
	fields []field
	words  int
}

type field struct {
	name   string
	offset uintptr
	width  int // bits
	word   int
	shift  int
	large  uint64 // greatest value, counted from least
	least  uint64 // two's complement
	load   func(p unsafe.Pointer) uint64
	store  func(p unsafe.Pointer, v uint64)
	signed bool
}

// Fields collects the fields of a layout.
type Fields struct {
	fields []field
	base   unsafe.Pointer
	size   uintptr
	word   int
	shift  int
}

// New makes the layout of the fields that list adds. They are fields of the state that list
// is given, and are found in any other state at the same place; what pointers, slices and
// maps lead to is not part of S, and refused by a panic.
func New[S any](list func(f *Fields, s *S)) *Layout[S] {
	s := new(S)
	f := &Fields{base: unsafe.Pointer(s), size: unsafe.Sizeof(*s)}
	list(f, s)
	words := f.word
	if f.shift > 0 || words == 0 {
		words++
	}
	return &Layout[S]{fields: f.fields, words: words}
}

// Values adds a field that takes the values 0..largest.
func Values[T Integer](f *Fields, name string, p *T, largest T) { Range(f, name, p, 0, largest) }

// Range adds a field that takes the values least..largest.
func Range[T Integer](f *Fields, name string, p *T, least, largest T) {
	if least > largest {
		panic(fmt.Sprintf("pack: %s: got the values %d..%d, want the least one first", name, least, largest))
	}
	f.add(field{
		name: name, least: uint64(least), large: uint64(largest) - uint64(least), signed: T(0)-1 < 0,
		load:  func(p unsafe.Pointer) uint64 { return uint64(*(*T)(p)) },
		store: func(p unsafe.Pointer, v uint64) { *(*T)(p) = T(v) },
	}, unsafe.Pointer(p), unsafe.Sizeof(*p))
}

// Set adds a bit set of so many positions.
func Set[T ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64](f *Fields, name string, p *T, positions int) {
	if most := 8 * int(unsafe.Sizeof(*p)); positions < 0 || positions > most {
		panic(fmt.Sprintf("pack: %s: got %d positions, want 0..%d", name, positions, most))
	}
	largest := uint64(1)<<positions - 1 // a shift by 64 gives 0, and this is all bits
	Range(f, name, p, 0, T(largest))
}

// Flag adds a bool.
func Flag(f *Fields, name string, p *bool) {
	f.add(field{
		name: name, large: 1,
		load: func(p unsafe.Pointer) uint64 {
			if *(*bool)(p) {
				return 1
			}
			return 0
		},
		store: func(p unsafe.Pointer, v uint64) { *(*bool)(p) = v == 1 },
	}, unsafe.Pointer(p), 1)
}

func (f *Fields) add(x field, p unsafe.Pointer, size uintptr) {
	x.offset = uintptr(p) - uintptr(f.base)
	if x.offset >= f.size || size > f.size-x.offset {
		panic(fmt.Sprintf("pack: %s is not in the state that the list was given", x.name))
	}
	for _, other := range f.fields {
		if other.offset == x.offset {
			panic(fmt.Sprintf("pack: %s and %s are the same field", other.name, x.name))
		}
	}
	x.width = bits.Len64(x.large)
	if f.shift+x.width > 64 {
		f.word++
		f.shift = 0
	}
	x.word, x.shift = f.word, f.shift
	f.fields = append(f.fields, x)
	f.shift += x.width
	if f.shift == 64 {
		f.word++
		f.shift = 0
	}
}

// OverflowError says that a field has a value outside the range of its layout.
type OverflowError struct {
	Field               string
	Got, Least, Largest string
}

func (e *OverflowError) Error() string {
	return fmt.Sprintf("pack: %s is %s, want %s..%s", e.Field, e.Got, e.Least, e.Largest)
}

func (x *field) overflow(v uint64) {
	text := func(v uint64) string {
		if x.signed {
			return fmt.Sprint(int64(v))
		}
		return fmt.Sprint(v)
	}
	panic(&OverflowError{x.name, text(v), text(x.least), text(x.least + x.large)})
}

// Words is the width of an encoded state.
func (l *Layout[S]) Words() int { return l.words }

// Encode packs s into dst, which has Words() words. It panics with an *OverflowError if a
// value is out of range.
func (l *Layout[S]) Encode(s *S, dst []uint64) {
	clear(dst[:l.words])
	for i := range l.fields {
		x := &l.fields[i]
		v := x.load(unsafe.Add(unsafe.Pointer(s), x.offset))
		if v-x.least > x.large {
			x.overflow(v)
		}
		if x.width > 0 {
			dst[x.word] |= (v - x.least) << x.shift
		}
	}
}

// Decode unpacks src into s, all of which it overwrites.
func (l *Layout[S]) Decode(src []uint64, s *S) {
	*s = *new(S)
	for i := range l.fields {
		x := &l.fields[i]
		v := uint64(0)
		if x.width > 0 {
			v = src[x.word] >> x.shift & (1<<x.width - 1)
		}
		x.store(unsafe.Add(unsafe.Pointer(s), x.offset), v+x.least)
	}
}
