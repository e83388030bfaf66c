package scoring

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Losses that are joined have the mean of all, a standard error that differs from the one of all by the
// choice of lags, and as many targets.
func TestManyLossesAreJoined(t *testing.T) {
	const n = 5*mostLosses + 12345
	rng := rand.New(rand.NewPCG(1, 2))
	var l, other Losses
	var all []float64
	sum, v := 0., 0.
	for i := range n {
		v = .9*v + rng.NormFloat64()
		x := v * v
		if i%1000 == 0 {
			x = math.NaN()
		}
		l.Add(x)
		other.Add(x - .01)
		all = append(all, x)
		if !math.IsNaN(x) {
			sum += x
		}
	}
	if len(l.means) >= mostLosses || l.width != 8 {
		t.Fatalf("%d means of %d", len(l.means), l.width)
	}
	if want := n - (n-1)/1000 - 1; l.known != want {
		t.Errorf("%d targets, want %d", l.known, want)
	}
	// The variance of an AR(1) process with .9, squared, is autocorrelated by .81: 4 (n/100)^(2/9) = 27 lags
	// of single losses, against 17 lags of 8. Both leave out less than 1 % of the sum of autocovariances,
	// and Bartlett's weights lower the former by about 15 %.
	got, want := l.StandardError(1), standardErrorOf(all, 1)
	if !(math.Abs(got/want-1) < .2) {
		t.Errorf("standard error %v, of single losses %v", got, want)
	}
	c, err := l.Compare(&other, 1)
	if err != nil || c.N != l.known || math.Abs(c.Mean-.01) > 1e-9 {
		t.Errorf("%+v, %v: want the difference .01 of %d", c, err, l.known)
	}
}

// standardErrorOf returns the standard error of the mean of losses h steps ahead.
func standardErrorOf(losses []float64, h int) float64 {
	var l Losses
	for _, v := range losses {
		l.Add(v)
	}
	return l.StandardError(h)
}
