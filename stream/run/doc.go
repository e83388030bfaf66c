// Package run connects an engine of package stream to its edges: it has the goroutines, the
// clock, the watchdog and the statistics. Driver.Deliver writes points and dead letters,
// then saves the checkpoint and commits the offset.
//
// A Runner runs one partition. A Driver has the order of its effects, without goroutines
// and clock: the simulator in internal/tools/faultsim uses it step by step.
package run
