//go:build !amd64

package isatest

import (
	"testing"

	"github.com/orffvar/forecaster/internal/isa"
)

// runner is the common interface of *testing.T and *testing.B.
type runner[T any] interface {
	*testing.T | *testing.B
	Run(name string, f func(T)) bool
}

// Each runs f once, with the only instruction set of this machine.
func Each[T runner[T]](t T, f func(t T)) { t.Run(isa.Active.String(), f) }
