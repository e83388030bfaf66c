//go:build !amd64

package isatest

import (
	"testing"

	"github.com/orffvar/forecaster/internal/isa"
)

// runner is what a test and a benchmark have in common.
type runner[T any] interface {
	*testing.T | *testing.B
	Run(name string, f func(T)) bool
}

// Each runs f once with each instruction set of this machine.
func Each[T runner[T]](t T, f func(t T)) { t.Run(isa.Active.String(), f) }
