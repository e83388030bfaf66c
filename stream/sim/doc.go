// Package sim has a source of synthetic data: the simulators of package eval as a stream of
// messages.
package sim
