//go:build !linux

package isatest

import "testing"

// Guarded returns n numbers; only on Linux they end where memory ends.
func Guarded(_ testing.TB, n int) []float64 { return make([]float64, n) }
