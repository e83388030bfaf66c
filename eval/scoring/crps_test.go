package scoring

import (
	"math"
	"testing"
)

// With the quantiles of the Gaussian, the mean over Gaussian outcomes is 1/sqrt(pi) (Gneiting and Raftery 2007, section
// 4.2), but for the error of Simpson's rule on twice its density at the quantiles, .2 %.
func TestCRPSOfGaussian(t *testing.T) {
	const n = 10_000
	gauss := func(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }
	quantiles := make([]float64, 9)
	for i := range quantiles {
		quantiles[i] = gauss(float64(i+1) / 10)
	}
	var mean float64
	for i := range n {
		mean += CRPS(gauss((float64(i)+.5)/n), quantiles, 1) / n
	}
	if want := 1 / math.Sqrt(math.Pi); math.Abs(mean/want-1) > .002 {
		t.Errorf("%v, not %v", mean, want)
	}
}

// For an outcome 1 above all quantiles the loss of the order q is q, and its integral 1/2; Simpson's rule leaves out the
// order 1, whose loss of 1 has the weight 1/30. Numbers between the quantiles do not count.
func TestCRPSByHand(t *testing.T) {
	quantiles := make([]float64, 18)
	for i := range 9 {
		quantiles[2*i], quantiles[2*i+1] = 3, math.NaN()
	}
	if got, want := CRPS(4, quantiles, 2), 1-2./30; math.Abs(got-want) > 1e-15 { // nine roundings of numbers below 1
		t.Errorf("%v, not %v", got, want)
	}
}
