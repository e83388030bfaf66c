package auto

import (
	"slices"
	"testing"
)

// After a sample changes by some amount, the increments are those of a history that had this sample from the beginning.
func TestIncrementsOfAChangedSample(t *testing.T) {
	const dim, count, by = 3, 4, 10.
	increments := func(changed int) []float64 {
		n := newIncrements(dim, count)
		var before []float64
		for i := range 2 * count {
			y := []float64{float64(i * i), float64(3 * i), float64(i % 2)}
			if i == 2*count-1-changed {
				y[1] += by
			}
			if before != nil {
				n.Push(y, before)
			}
			before = y
		}
		return n.rows(0)
	}
	for lag := range count + 1 {
		n := newIncrements(dim, count)
		copy(n.rows(0), increments(-1))
		n.change(lag, 1, by)
		if want := increments(lag); !slices.Equal(n.rows(0), want) {
			t.Errorf("the sample at lag %d: %v, want %v", lag, n.rows(0), want)
		}
	}
}
