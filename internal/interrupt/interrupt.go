// Package interrupt turns SIGTERM and Ctrl-C into the end of a context, and keeps SIGHUP
// for who reads the configuration again. It catches them from its initialisation on. Go
// initialises a package that imports so little before most others, so a signal that comes
// during the start of a process has the same effect as one that comes later.
package interrupt

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

var (
	signals = make(chan os.Signal, 1)
	hangups = make(chan os.Signal, 1)
)

func init() { notify() }

func notify() {
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	signal.Notify(hangups, syscall.SIGHUP)
}

// Hangups returns the channel of SIGHUP. It holds a signal that came before.
func Hangups() <-chan os.Signal {
	signal.Notify(hangups, syscall.SIGHUP)
	return hangups
}

// HangupsEnd lets SIGHUP end the process, as it does by default. One that came before
// ends the context.
func HangupsEnd() {
	signal.Reset(syscall.SIGHUP)
	select {
	case s := <-hangups:
		select {
		case signals <- s:
		default: // it ends already
		}
	default:
	}
}

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
func Ignore() {
	signal.Stop(signals)
	signal.Stop(hangups)
}
