package eval

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// CompareOptions says how Compare judges a difference.
type CompareOptions struct {
	Horizon   int     // of the forecasts; 0 means 1
	Level     float64 // of the interval; 0 means .95
	Resamples int     // of the bootstrap; 0 means 2000
	Seed      uint64  // of the bootstrap
}

// Comparison is the difference of the losses of two models on the same targets.
type Comparison struct {
	N            int
	Mean         float64 // of loss A - loss B: negative when A is better
	DM           float64 // Diebold-Mariano statistic
	P            float64 // its two-sided p-value: how likely a |DM| this large is when the models are equally good
	Lower, Upper float64 // bootstrap interval of Mean
}

// Compare compares two models by their losses on the same targets, entry by
// entry, as Result.Losses has them; entries that are NaN in one of them do not
// count. It panics when the lengths differ, and returns an error with fewer
// than 8 targets.
//
// DM is that of Diebold and Mariano 1995 with the correction of Harvey,
// Leybourne and Newbold 1997 for small samples and the horizon h, against the
// t distribution with N-1 degrees of freedom. The variance of the mean difference
// allows for autocorrelation by Bartlett weights (Newey and West 1987) up to the
// lag max(h-1, 4 (N/100)^(2/9)): losses of h-step forecasts overlap by h-1
// steps, and losses of real series come in clusters besides.
//
// The interval is that of the moving-block bootstrap (Kunsch 1989) with blocks
// of max(h, N^(1/3)) targets.
func Compare(a, b []float64, o CompareOptions) (Comparison, error) {
	if len(a) != len(b) {
		panic("eval: Compare: losses of different lengths")
	}
	if o.Horizon == 0 {
		o.Horizon = 1
	}
	if o.Level == 0 {
		o.Level = .95
	}
	if o.Resamples == 0 {
		o.Resamples = 2000
	}
	var d []float64
	for i := range a {
		if v := a[i] - b[i]; finite(v) {
			d = append(d, v)
		}
	}
	n := len(d)
	if n < 8 || n <= o.Horizon {
		return Comparison{}, fmt.Errorf("%d common targets are too few to compare", n)
	}
	c := Comparison{N: n, Mean: stat.Mean(d, nil)}
	if slices.Max(d) == 0 && slices.Min(d) == 0 {
		c.P = 1
		return c, nil
	}
	c.DM = c.Mean / math.Sqrt(meanVariance(d, c.Mean, o.Horizon)) * harvey(n, o.Horizon)
	c.P = 2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 1)}.CDF(-math.Abs(c.DM))
	c.Lower, c.Upper = blockBootstrap(d, c.Mean, o)
	return c, nil
}

// StandardError returns the standard error of the mean of losses, which are those of
// forecasts at one horizon in the order of their targets. It allows for autocorrelation
// as Compare does. Losses that are NaN do not count; with fewer than 8 it is NaN.
func StandardError(losses []float64, horizon int) float64 {
	var v []float64
	for _, l := range losses {
		if finite(l) {
			v = append(v, l)
		}
	}
	if len(v) < 8 {
		return math.NaN()
	}
	return math.Sqrt(meanVariance(v, stat.Mean(v, nil), horizon))
}

// harvey is the factor of Harvey, Leybourne and Newbold.
func harvey(n, horizon int) float64 {
	N, h := float64(n), float64(horizon)
	return math.Sqrt((N + 1 - 2*h + h*(h-1)/N) / N)
}

// meanVariance estimates the variance of the mean of d.
func meanVariance(d []float64, mean float64, horizon int) float64 {
	n := len(d)
	lags := min(n-1, max(horizon-1, int(4*math.Pow(float64(n)/100, 2./9))))
	v := 0.
	for k := range lags + 1 {
		c := 0.
		for i := k; i < n; i++ {
			c += (d[i] - mean) * (d[i-k] - mean)
		}
		if k > 0 {
			c *= 2 * (1 - float64(k)/float64(lags+1))
		}
		v += c
	}
	return v / float64(n) / float64(n)
}

// blockBootstrap returns the interval of the mean: the quantiles of the
// resampled means, moved by what resampling favours the middle of the series.
func blockBootstrap(d []float64, mean float64, o CompareOptions) (lower, upper float64) {
	n := len(d)
	length := max(o.Horizon, int(math.Round(math.Cbrt(float64(n)))))
	sums := make([]float64, n+1) // of the deviations from the mean, which keeps them small
	for i, v := range d {
		sums[i+1] = sums[i] + v - mean
	}
	rng := rand.New(rand.NewPCG(o.Seed, 16))
	means := make([]float64, o.Resamples)
	centre := 0.
	for r := range means {
		for left := n; left > 0; left -= length {
			l := min(length, left)
			from := rng.IntN(n - length + 1)
			means[r] += sums[from+l] - sums[from]
		}
		means[r] /= float64(n)
		centre += means[r] / float64(len(means))
	}
	slices.Sort(means)
	tail := (1 - o.Level) / 2
	quantile := func(p float64) float64 {
		return mean + stat.Quantile(p, stat.Empirical, means, nil) - centre
	}
	return quantile(tail), quantile(1 - tail)
}
