// Package lanes keeps running statistics of many variables side by side: a kernel processes one variable per lane of a
// vector register. Each rule is implemented only here; the caller sets its constants.
//
// A type has its statistics in rows of vec.Stride(n) elements, and uses the first n. Inputs and outputs have n
// elements. A NaN is a missing value: the statistics of its variable do not change. Derive recomputes the fields that
// depend on other fields, so a checkpoint need not have them.
//
// All instruction sets give the same bits, except in Mixture and Tally: the order of sums and the fused multiply-adds
// differ there. Formulas use
//
//	clip(v, c) = min(max(v, -c), c)
//	a_t        = max(1/t, rate)
//
// where a_t is the weight of the t-th value in a running mean: first 1/t, as in an average over all values, later the
// rate of an exponential mean.
package lanes
