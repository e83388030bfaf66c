package numeric

import (
	"slices"
	"testing"
)

// After a restart the mean is that of the later iterates, also when the restart cuts a window.
func TestMeanRestarts(t *testing.T) {
	m, fresh := NewMean(2), NewMean(2)
	theta := []float64{0, 0}
	for i := range 10 {
		if i == 6 { // after windows of 1, 2 and three quarters of 4
			m.Restart()
		}
		delta := []float64{float64(i + 1), -2}
		theta[0], theta[1] = theta[0]+delta[0], theta[1]+delta[1]
		m.Add(theta, .5, 0, delta)
		if i < 6 {
			continue
		}
		fresh.Add(theta, .5, 0, delta)
		var got, want [2]float64
		m.To(got[:], theta, 0)
		if fresh.To(want[:], theta, 0); !slices.Equal(got[:], want[:]) {
			t.Errorf("iterate %d: mean %v, want %v", i, got, want)
		}
	}
}
