package study

import (
	"math"

	"github.com/orffvar/forecaster/eval/scoring"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/varmodel/interval"
)

// crpsScores sums the continuous ranked probability scores of a model over series and variables.
type crpsScores struct {
	horizons []int // ascending
	level    float64
	scales   func(s *stream.Series) []float64 // factors of the errors, by variable; nil: 1
	sum, n   []float64                        // by horizon: sum and number of the scores
}

// crpsSeries is an engine.Follower that keeps the quantiles of a series' forecasts until their targets are observed.
type crpsSeries struct {
	*interval.Distribution
	scores  *crpsScores
	dim     int
	scale   []float64 // factor of the errors, by variable
	waiting []float64 // ring of origins, as many as the longest horizon, each Quantiles x horizons x dim; NaN: no forecast
	next    int       // index of the origin that the next Issue overwrites
}

// follow returns the follower of a series.
func (c *crpsScores) follow(s *stream.Series) (engine.Follower, error) {
	dim, most := len(s.Variables), c.horizons[len(c.horizons)-1]
	d, err := interval.NewDistribution(dim, c.horizons, c.level)
	if err != nil {
		return nil, err
	}
	f := &crpsSeries{Distribution: d, scores: c, dim: dim, scale: make([]float64, dim), waiting: make([]float64, most*interval.Quantiles*len(c.horizons)*dim)}
	for j := range f.scale {
		f.scale[j] = 1
	}
	if c.scales != nil {
		f.scale = c.scales(s)
	}
	f.ResetLags()
	return f, nil
}

// origin returns the quantiles of the forecasts that were issued h samples ago.
func (f *crpsSeries) origin(h int) []float64 {
	size := interval.Quantiles * len(f.scores.horizons) * f.dim
	n := len(f.waiting) / size
	return f.waiting[(f.next-h+n)%n*size:][:size]
}

// rounding is the share of a value that counts as an error of rounding: intervals of a constant are that wide.
const rounding = 1e-12

// Observe implements engine.Follower.
func (f *crpsSeries) Observe(y []float64, scored bool) {
	f.Distribution.Observe(y)
	c := f.scores
	for k, h := range c.horizons {
		q := f.origin(h)
		for j, v := range y {
			loss := scoring.CRPS(v, q[k*f.dim+j:], len(c.horizons)*f.dim)
			if !scored || loss != loss {
				continue
			}
			c.n[k]++
			if loss > rounding*math.Abs(v) {
				c.sum[k] += f.scale[j] * loss
			}
		}
	}
}

// Issue implements engine.Follower.
func (f *crpsSeries) Issue(yhat, lower, upper []float64) {
	f.Distribution.Issue(yhat, lower, upper)
	q := f.origin(0)
	f.QuantilesTo(q)
	f.next = (f.next + 1) % f.scores.horizons[len(f.scores.horizons)-1]
}

// ResetLags implements engine.Follower.
func (f *crpsSeries) ResetLags() {
	f.Distribution.ResetLags()
	for i := range f.waiting {
		f.waiting[i] = math.NaN()
	}
}
