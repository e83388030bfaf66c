// Package sim has a source that makes its data up: the simulators of package eval
// as a stream of messages.
package sim
