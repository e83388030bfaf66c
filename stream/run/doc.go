// Package run connects an engine.Engine to its source and sink. It adds goroutines, a clock, a
// watchdog and statistics. Driver.Deliver writes points and dead letters, then saves the
// checkpoint, then commits the offset.
//
// A Runner runs one partition. Its Driver fixes the order of the effects and has no goroutine
// and no clock, so that the simulator in internal/tools/faultsim can run it step by step.
package run
