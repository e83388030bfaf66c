package engine

import "unsafe"

// arena allocates slices that are valid until its reset. It grows by blocks, so it never copies allocated slices.
type arena[T any] struct {
	blocks [][]T // kept by reset; the free part of a block is its capacity beyond its length
	at     int   // index of the present block; blocks before it are full
	size   int   // total capacity of the blocks
	used   int   // number of elements taken since the reset
}

// blockMost is the largest number of elements per block, unless a single slice is larger. Blocks grow with the
// arena. Without the limit, up to half of the memory could stay unused.
const blockMost = 1 << 16

// take returns n elements with undefined values. It never returns nil.
func (a *arena[T]) take(n int) []T {
	for a.at < len(a.blocks) && n > cap(a.blocks[a.at])-len(a.blocks[a.at]) {
		a.at++
	}
	if a.at == len(a.blocks) {
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

// reset invalidates all slices. It keeps the blocks unless they are excessive.
func (a *arena[T]) reset() {
	if excessive[T](a.used, a.size) {
		*a = arena[T]{}
	}
	for i := range a.blocks {
		a.blocks[i] = a.blocks[i][:0]
	}
	a.at, a.used = 0, 0
}

// emptied returns v[:0], or nil if the capacity of v is excessive.
func emptied[T any](v []T) []T {
	if excessive[T](len(v), cap(v)) {
		return nil
	}
	return v[:0]
}

// excessive reports whether a batch has used a small part of room elements, so that the memory should be freed.
// Batches are small after a backlog.
func excessive[T any](used, room int) bool {
	const least = 1 << 20 // bytes
	var element T
	return used < room/4 && room*int(unsafe.Sizeof(element)) > least
}
