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

// Each runs f once per instruction set of this machine.
func Each[T runner[T]](t T, f func(t T)) {
	before := isa.Active
	defer func() { isa.Active = before }()
	for isa.Active = isa.Portable; isa.Active <= isa.Best(); isa.Active++ {
		t.Run(isa.Active.String(), f)
	}
}
