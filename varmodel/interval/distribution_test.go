package interval

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/orffvar/forecaster/eval/scoring"
)

// crpsOf returns the mean score of the distributions at a horizon around the forecast 0 of independent outcomes, and that of
// symmetric ones, the intervals of four levels and the forecast: the last three quarters of the rows.
func crpsOf(t *testing.T, horizon int, draw func(r *rand.Rand) float64) (mean, symmetric float64) {
	t.Helper()
	const rows = 20_000
	levels := []float64{.9, .2, .4, .6, .8}
	r := rand.New(rand.NewPCG(1, 2))
	intervals, err := NewIntervals(Config{Dim: 1, Horizon: horizon, Levels: levels})
	if err != nil {
		t.Fatal(err)
	}
	d, err := NewDistribution(1, []int{horizon}, levels[0])
	if err != nil {
		t.Fatal(err)
	}
	zero := make([]float64, horizon)
	lower, upper := make([]float64, len(levels)*horizon), make([]float64, len(levels)*horizon)
	var own, other [][]float64 // issued at each row
	for i := range rows {
		y := draw(r)
		if from := i - horizon; from >= rows/4 {
			mean += scoring.CRPS(y, own[from], 1) / (rows*3/4 - float64(horizon))
			symmetric += scoring.CRPS(y, other[from], 1) / (rows*3/4 - float64(horizon))
		}
		intervals.Observe([]float64{y})
		d.Observe([]float64{y})
		intervals.Issue(zero)
		q, s := make([]float64, Quantiles), make([]float64, Quantiles)
		if intervals.BoundsTo(lower, upper) {
			d.Issue(zero, lower, upper)
			for l := 1; l < len(levels); l++ {
				s[pairs-1-l], s[pairs-1+l] = lower[(l+1)*horizon-1], upper[(l+1)*horizon-1]
			}
		} else {
			d.Issue(zero, nil, nil)
		}
		d.QuantilesTo(q)
		if !slices.IsSorted(q) {
			t.Fatalf("row %d: quantiles %v cross", i, q)
		}
		own, other = append(own, q), append(other, s)
	}
	return mean, symmetric
}

// The score of the best distribution is sigma/sqrt(pi) for Gaussian outcomes. Half widths that follow the last 20 errors cost
// half a percent, as they cost the symmetric intervals, and chance is 1/sqrt(15,000) of the deviation of an outcome's score,
// which is .7 of the mean: 1.5 % in all.
func TestDistributionOfGaussianErrors(t *testing.T) {
	for _, horizon := range []int{1, 12} {
		mean, symmetric := crpsOf(t, horizon, func(r *rand.Rand) float64 { return 3 * r.NormFloat64() })
		if want := 3 / math.Sqrt(math.Pi); math.Abs(mean/want-1) > .015 || mean > 1.002*symmetric {
			t.Errorf("horizon %d: score %.4f, symmetric %.4f, best %.4f", horizon, mean, symmetric, want)
		}
	}
}

// Of outcomes with skewness the symmetric intervals know half of the shape: of lognormal ones around their mean they are
// 7 % worse, exponential ones 3 %.
func TestDistributionOfSkewedErrors(t *testing.T) {
	for name, c := range map[string]struct {
		draw func(r *rand.Rand) float64
		most float64 // of the symmetric score
	}{
		"lognormal":   {func(r *rand.Rand) float64 { return math.Exp(r.NormFloat64()) - math.Exp(.5) }, .95},
		"exponential": {func(r *rand.Rand) float64 { return r.ExpFloat64() - 1 }, .98},
		"reflected":   {func(r *rand.Rand) float64 { return 1 - r.ExpFloat64() }, .98},
	} {
		for _, horizon := range []int{1, 12} {
			if mean, symmetric := crpsOf(t, horizon, c.draw); mean > c.most*symmetric {
				t.Errorf("%s, horizon %d: score %.4f, symmetric %.4f", name, horizon, mean, symmetric)
			}
		}
	}
}

// A distribution that waits for bounds has none, and learns nothing.
func TestDistributionWithoutBounds(t *testing.T) {
	d, err := NewDistribution(1, []int{1}, .9)
	if err != nil {
		t.Fatal(err)
	}
	before, q := slices.Clone(d.width), make([]float64, Quantiles)
	for range 3 {
		d.Observe([]float64{5})
		d.Issue([]float64{1}, nil, nil)
	}
	if d.QuantilesTo(q); !math.IsNaN(q[0]) || !slices.Equal(d.width, before) {
		t.Errorf("quantiles %v", q)
	}
	for _, bad := range [][]int{nil, {0, 1}, {2, 1}} {
		if _, err := NewDistribution(1, bad, .9); err == nil {
			t.Errorf("takes the horizons %v", bad)
		}
	}
	if _, err := NewDistribution(1, []int{1}, 1); err == nil {
		t.Error("takes the level 1")
	}
}
