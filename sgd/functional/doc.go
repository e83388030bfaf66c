// Package functional learns function-valued models f(x)(tau), online and in batch: Quantile, all
// conditional quantiles at once, and LevelSet, all density level sets at once
// (Brault 2017, chapter 9).
package functional
