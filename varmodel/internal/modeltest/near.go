package modeltest

import (
	"math"
	"testing"
)

func Near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Errorf("%s is %.13g, want %.13g +- %g", what, got, want, tol)
	}
}
