package explore

// Noting is a System that notes, as up to 64 bits, things about the steps that it is asked
// for. Bits are only ever added, by any number of goroutines, so that after a whole level of
// states they do not depend on the order of the work. A checkpoint keeps them, and a run that
// goes on gives them back.
type Noting interface {
	// Noted are the bits so far.
	Noted() uint64
	// Note adds bits.
	Note(bits uint64)
}

// marksOf are the bits of a system that notes things, or 0.
func marksOf[S any](sys System[S]) uint64 {
	if n, ok := sys.(Noting); ok {
		return n.Noted()
	}
	return 0
}

// markAgain gives a system back what it noted before a checkpoint.
func markAgain[S any](sys System[S], bits uint64) {
	if n, ok := sys.(Noting); ok {
		n.Note(bits)
	}
}
