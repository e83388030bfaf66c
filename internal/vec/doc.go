// Package vec has the linear algebra, the random features and the factorisations on
// which the models spend their time. Running statistics are in package lanes.
//
// Matrices are row-major slices; their shapes follow from the lengths of the vectors
// beside them. Lengths that do not fit are programmer errors and panic. Length zero is
// allowed. Destination and sources must not overlap unless a function says so. NaN and
// infinities propagate as in the formula.
//
// # Instruction sets
//
// Every function exists in portable Go and, on amd64, as a kernel for AVX2. Some have a
// kernel for AVX-512 as well. Package isa chooses the active set. The generator
// internal/tools/asmgen writes the kernels, one file per family: dense, symmetric and
// elementary.
//
// The order of a sum depends on the instruction set and on the shape, never on
// alignment or timing, so results repeat bit for bit. Two instruction sets differ in
// the last bits (order of sums, fused multiply-add); a checkpoint records which one
// wrote it. Portable code never fuses, so it gives the same bits on every platform.
package vec
