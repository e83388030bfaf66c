package modeltest

import (
	"testing"

	"github.com/orffvar/forecaster/eval"
)

// As is f as a T, or what f wraps; the test fails when neither is one.
func As[T any](t testing.TB, f eval.Forecaster) T {
	t.Helper()
	v, ok := eval.As[T](f)
	if !ok {
		t.Fatalf("%T is no %T", f, (*T)(nil))
	}
	return v
}
