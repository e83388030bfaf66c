// Package lanes keeps running statistics of many variables side by side: a kernel takes
// one variable in each lane of a vector register. It is the one home of each rule; the
// constants of a rule are the caller's.
//
// A type has its statistics in rows of vec.Stride(n) elements, of which the first n
// count. Inputs and outputs have n elements. A NaN is a missing value and leaves the
// statistics of its variable as they are. What depends on other statistics of the same
// row is recomputed by Derive, so that a checkpoint need not hold it.
//
// All instruction sets give the same bits, except in Mixture and Tally: there the order
// of sums and fused multiply-adds differ. Formulas use
//
//	clip(v, c) = min(max(v, -c), c)
//	a_t        = max(1/t, rate)
//
// where a_t is the weight of the t-th value in a running mean: the weight of an average over
// all values first, and later of an exponential mean with the given rate.
package lanes
