package modeltest

import (
	"testing"

	"github.com/orffvar/forecaster/eval"
)

// As returns f, or a forecaster wrapped by f, as a T. The test fails if neither is a T.
func As[T any](t testing.TB, f eval.Forecaster) T {
	t.Helper()
	v, ok := eval.As[T](f)
	if !ok {
		t.Fatalf("%T is no %T", f, (*T)(nil))
	}
	return v
}
