// Package vec holds the arithmetic on which the models spend their time:
// vectors, small row-major matrices, symmetric matrices stored by half,
// Cholesky factors, sines, cosines and logarithms, and the statistics of many
// variables that a sample changes all at once.
//
// Matrices are row-major slices without a stride; their shape follows from the
// lengths of the vectors beside them. Lengths that do not fit are programmer
// errors and panic. Destination and sources must not overlap unless a function
// says so. Length zero is allowed everywhere. NaN and infinities propagate as
// in the textbook formula.
//
// # Implementations
//
// Every function exists in portable Go. On amd64, kernels for AVX2 and AVX-512
// stand beside it, and the best one that the processor has is chosen when the
// program starts; Active names it. Setting FORECASTER_VEC to portable, avx2 or
// avx512 forces one of them.
//
// Sums are taken in an order that is fixed for an implementation and for the
// shape, whatever the alignment, so results repeat bit for bit. Two
// implementations differ in the last bits (order of the sums, fused
// multiply-add), therefore a checkpoint should record Active. The portable
// implementation never fuses, so it gives the same bits on every platform.
package vec
