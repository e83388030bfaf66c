// Package run connects an engine of package stream to its edges: it has the goroutines,
// the clock, the watchdog and the statistics, which package stream has not.
//
// A Runner runs one partition. What it does, and in which order, is a Driver: who wants
// to do the same step by step, as the simulator in internal/faultsim, uses that.
package run
