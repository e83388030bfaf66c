package vec

import "unsafe"

const cacheLine = 64 // bytes

// Aligned returns n zeros whose first address is a multiple of a cache line. Go's allocator aligns most sizes already:
// the second allocation is rare.
func Aligned(n int) []float64 {
	const numbers = cacheLine / 8
	b := make([]float64, (n+numbers-1)/numbers*numbers)
	i := misaligned(b)
	if i > 0 {
		b = make([]float64, n+numbers-1)
		i = misaligned(b)
	}
	return b[i : i+n : i+n]
}

// misaligned returns the number of elements before the first cache line that begins in b.
func misaligned(b []float64) int {
	return int(-uintptr(unsafe.Pointer(unsafe.SliceData(b)))%cacheLine) / 8
}

// Stride returns n rounded up to whole registers of any instruction set: the row length of matrices for kernels that load
// whole registers.
func Stride(n int) int { return (n + tile - 1) / tile * tile }
