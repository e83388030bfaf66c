package engine

import "unsafe"

// arena hands out slices that are valid until it is reset. Where it has to grow, those
// before stay where they are: nothing is copied.
type arena[T any] struct {
	blocks [][]T // all are used again after a reset: the end of each is free
	at     int   // those before are full
	size   int   // of all blocks
	used   int   // since the reset
}

// blockMost is the largest number of elements of a block, unless one slice has more: a larger
// block could leave as much memory free as is used.
const blockMost = 1 << 16

// take returns n elements, of any value.
func (a *arena[T]) take(n int) []T {
	for a.at < len(a.blocks) && n > cap(a.blocks[a.at])-len(a.blocks[a.at]) {
		a.at++
	}
	if a.at == len(a.blocks) { // an empty slice is not nil
		a.blocks = append(a.blocks, make([]T, 0, max(n, min(a.size, blockMost), 64)))
		a.size += cap(a.blocks[a.at])
	}
	b := &a.blocks[a.at]
	from, to := len(*b), len(*b)+n
	*b = (*b)[:to]
	a.used += n
	return (*b)[from:to:to]
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

// reset takes everything back. Blocks of far more room than was used are given up.
func (a *arena[T]) reset() {
	if excessive[T](a.used, a.size) {
		*a = arena[T]{}
	}
	for i := range a.blocks {
		a.blocks[i] = a.blocks[i][:0]
	}
	a.at, a.used = 0, 0
}

// emptied returns v without elements, and without memory that is excessive.
func emptied[T any](v []T) []T {
	if excessive[T](len(v), cap(v)) {
		return nil
	}
	return v[:0]
}

// excessive reports whether the room for elements is far more than a batch has used: behind a
// backlog, batches are small.
func excessive[T any](used, room int) bool {
	const least = 1 << 20 // bytes
	var element T
	return used < room/4 && room*int(unsafe.Sizeof(element)) > least
}
