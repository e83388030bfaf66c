package scoring

import (
	"fmt"
	"math"
	"slices"

	"github.com/orffvar/forecaster/internal/vec"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Comparison compares the losses of two models on the same targets.
type Comparison struct {
	N            int
	Mean         float64 // mean of loss A - loss B; negative: A is better
	SE           float64 // standard error of Mean
	DM           float64 // Diebold-Mariano statistic, Mean / SE
	P            float64 // two-sided p-value of DM
	Lower, Upper float64 // 95 % interval of Mean; contains 0 if and only if P > 0.05
}

// Compare compares two models by their losses on the same targets, forecast horizon >= 1 steps ahead. a and b have
// the layout of Result.Losses; entries that are NaN in either do not count. Compare panics if the lengths differ.
// It returns an error for fewer than 8 targets.
//
// DM is the statistic of Diebold and Mariano 1995, with the correction of Harvey, Leybourne and Newbold 1997 for
// small samples and the horizon, against the t distribution with N-1 degrees of freedom. The interval inverts this
// test. See [Losses.StandardError] for the variance of the mean difference.
func Compare(a, b []float64, horizon int) (Comparison, error) {
	return compare(a, b, horizon, .95)
}

// compare is Compare for an interval of any level.
func compare(a, b []float64, horizon int, level float64) (Comparison, error) {
	if len(a) != len(b) {
		panic("scoring: Compare: losses of different lengths")
	}
	var d []float64
	for i := range a {
		if v := a[i] - b[i]; vec.Finite(v) {
			d = append(d, v)
		}
	}
	n := len(d)
	if n < 8 || n <= horizon {
		return Comparison{}, fmt.Errorf("%d common targets are too few to compare", n)
	}
	c := Comparison{N: n, Mean: stat.Mean(d, nil)}
	if slices.Max(d) == 0 && slices.Min(d) == 0 {
		c.P = 1
		return c, nil
	}
	c.SE = standardError(d, c.Mean, horizon)
	c.DM = c.Mean / c.SE
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 1)}
	c.P = 2 * t.CDF(-math.Abs(c.DM))
	half := t.Quantile((1+level)/2) * c.SE
	c.Lower, c.Upper = c.Mean-half, c.Mean+half
	return c, nil
}

// standardError returns the standard error of the mean of d; see Losses.StandardError.
func standardError(d []float64, mean float64, horizon int) float64 {
	n := len(d)
	centred := slices.Clone(d)
	floats.AddConst(-mean, centred)
	lags := min(n-1, max(horizon-1, int(4*math.Pow(float64(n)/100, 2./9))))
	return math.Sqrt(bartlett(centred, lags)) / float64(n) / harvey(n, horizon)
}

// harvey returns the factor of Harvey, Leybourne and Newbold for n losses.
func harvey(n, horizon int) float64 {
	N, h := float64(n), float64(horizon)
	return math.Sqrt((N + 1 - 2*h + h*(h-1)/N) / N)
}

// bartlett estimates the variance of the sum of d, which has mean 0:
//
//	sum_t d_t² + 2 sum_{0<l<=lags} (1 - l/(lags+1)) sum_t d_t d_(t-l).
func bartlett(d []float64, lags int) float64 {
	v := 0.
	for k := range lags + 1 {
		c := 0. // floats.Dot would move the scratch memory of a Scorer to the heap
		for i := k; i < len(d); i++ {
			c += d[i] * d[i-k]
		}
		if k > 0 {
			c *= 2 * (1 - float64(k)/float64(lags+1))
		}
		v += c
	}
	return v
}
