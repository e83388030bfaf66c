// Package isa chooses the instruction set of the numerical kernels.
//
// A process uses the best set that processor and system support. The environment
// variable FORECASTER_VEC forces one of portable, avx2 and avx512. Each set adds numbers
// in another order, so results differ in their last bits. Functions without a kernel for
// AVX-512 take the kernel for AVX2.
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
