package report

import (
	"math"
	"strings"
	"testing"
)

// TestApart: different numbers are printed differently, with as few digits as possible.
func TestApart(t *testing.T) {
	for want, numbers := range map[string][]Number{
		"104452.31 104452.11 104452.51": {104452.31, 104452.11, 104452.51},
		"1.5 1.2 1.8":                   {1.5, 1.2, 1.8},
		"1013.2500 1013.2488 1013.2512": {1013.25, 1013.2488, 1013.2512},
		"137438953472 137438953000 -":   {137438953472, 137438953000, Number(math.NaN())},
		"5 5 5":                         {5, 5, 5},
		"0.0001234 0.0001233":           {.0001234, .0001233},
		"-20.000010 -20.000023":         {-20.00001, -20.000023},
	} {
		if got := strings.Join(Apart(6, numbers...), " "); got != want {
			t.Errorf("%v: %s, want %s", numbers, got, want)
		}
	}
}

// TestZeroHasNoSign: the interval of a constant is 0 … 0.
func TestZeroHasNoSign(t *testing.T) {
	zero := Number(math.Copysign(0, -1))
	if got := strings.Join(append(Apart(4, zero, zero), zero.String(), zero.Fixed(2)), " "); got != "0 0 0 0.00" {
		t.Errorf("got %s", got)
	}
}
