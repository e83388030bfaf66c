// Package isa knows for which instruction sets there are kernels, and which of them
// this process uses.
//
// The best one that processor and system support is chosen when the program starts.
// The environment variable FORECASTER_VEC forces one of portable, avx2 and avx512.
// Sums are taken in another order by each of them, so results differ in their last
// bits.
package isa

// Set is an instruction set. A larger one includes the smaller ones.
type Set int

const (
	Portable Set = iota // Go
	AVX2                // with FMA and BMI2
	AVX512              // F, DQ, VL and BW
)

var names = [...]string{"portable", "avx2", "avx512"}

func (s Set) String() string { return names[s] }
