package vec

import "unsafe"

const cacheLine = 64 // bytes

// Aligned returns n zeros whose first address is a multiple of a cache line.
func Aligned(n int) []float64 {
	const numbers = cacheLine / 8
	b := make([]float64, n+numbers-1)
	i := int(-uintptr(unsafe.Pointer(unsafe.SliceData(b)))%cacheLine) / 8
	return b[i : i+n : i+n]
}

// Stride is n rounded up to whole registers of any instruction set: the length of the
// rows of a matrix that a kernel takes by registers.
func Stride(n int) int { return (n + tile - 1) / tile * tile }
