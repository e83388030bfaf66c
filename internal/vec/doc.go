// Package vec has linear algebra, random features and factorisations: the models spend most of their time here. Running
// statistics are in package lanes.
//
// Matrices are row-major slices. Their shapes follow from the lengths of the vectors in the same call. Lengths that do
// not fit are programmer errors and panic. Length zero is allowed. Destination and sources must not overlap, except
// where the comment of a function allows it. NaN and infinities propagate as in the formula.
//
// # Instruction sets
//
// Every function exists in portable Go and, on amd64, as a kernel for AVX2. Some have a
// kernel for AVX-512 as well. Package isa chooses the active set. The generator
// internal/tools/asmgen writes the kernels, one file per family: dense, symmetric and
// elementary.
//
// The order of a sum depends on the instruction set and on the shape, never on alignment or timing: results repeat bit
// for bit. Two instruction sets differ in the last bits (order of sums, fused multiply-add). A checkpoint records the
// instruction set that wrote it. Portable code never fuses: it gives the same bits on every platform.
package vec
