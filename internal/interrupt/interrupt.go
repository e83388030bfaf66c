// Package interrupt turns SIGTERM and Ctrl-C into the end of a context. It catches them
// from its initialisation on. Go initialises a package that imports so little before
// most others, so a process also ends in order when the signal comes during its start.
package interrupt

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

var signals = make(chan os.Signal, 1)

func init() { notify() }

func notify() { signal.Notify(signals, os.Interrupt, syscall.SIGTERM) }

// Context returns a context that ends with the first signal since the process has
// started. The second one ends the process at once.
func Context() context.Context {
	notify()
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-signals
		signal.Stop(signals)
		cancel()
	}()
	return ctx
}

// Ignore gives the signals back to the Go runtime until Context is called, for a test
// binary.
func Ignore() { signal.Stop(signals) }
