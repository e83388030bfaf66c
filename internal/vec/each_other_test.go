//go:build !amd64

package vec

import "testing"

// each runs f with every implementation that this machine has.
func each(t *testing.T, f func(t *testing.T)) { t.Run(Active(), f) }

// eachBench is each for benchmarks.
func eachBench(b *testing.B, f func(b *testing.B)) { b.Run(Active(), f) }
