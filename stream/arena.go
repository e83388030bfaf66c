package stream

// arena hands out slices that are valid until it is reset. Where it has to grow, those
// before stay where they are: nothing is copied.
type arena[T any] struct {
	block []T // the end of it is free
	used  int // since the reset, in this block and others
}

// take returns n elements, of any value.
func (a *arena[T]) take(n int) []T {
	from := len(a.block)
	if n > cap(a.block)-from || a.block == nil { // what is empty is not nil
		a.block, from = make([]T, 0, max(n, 2*cap(a.block), 64)), 0
	}
	a.block = a.block[:from+n]
	a.used += n
	return a.block[from : from+n : from+n]
}

// copy returns a copy of v; nil stays nil.
func (a *arena[T]) copy(v []T) []T {
	if v == nil {
		return nil
	}
	c := a.take(len(v))
	copy(c, v)
	return c
}

// reset takes everything back, and forgets a block of exceptional size.
func (a *arena[T]) reset() {
	a.block, a.used = a.block[:0], 0
	if cap(a.block) > maxSpare {
		a.block = nil
	}
}

// maxSpare is how many elements are kept for later use.
const maxSpare = 16 << 20
