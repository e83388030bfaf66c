package scoring_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/orffvar/forecaster/eval/scoring"
)

// path returns forecasts of mean mu with intervals of 90 % for errors of the given widths.
func path(mu float64, widths []float64) (yhat, lower, upper []float64) {
	const z = 1.6448536269514722 // quantile .95
	for _, w := range widths {
		yhat, lower, upper = append(yhat, mu), append(lower, mu-z*w), append(upper, mu+z*w)
	}
	return
}

// TestReachWhiteNoise: errors of equal width are independent, so the probability to stay inside is a power.
func TestReachWhiteNoise(t *testing.T) {
	widths := []float64{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}
	for _, limit := range []float64{.5, 1, 2, 3} {
		yhat, lower, upper := path(0, widths)
		p := make([]float64, len(widths))
		scoring.Limit{Low: math.Inf(-1), High: limit}.ReachTo(p, -5, yhat, lower, upper, .9)
		want := 1 - math.Pow(.5*math.Erfc(-limit/math.Sqrt2), float64(len(widths)))
		if got := p[len(p)-1]; math.Abs(got-want) > 1e-12 {
			t.Errorf("limit %v: probability %v, want %v", limit, got, want)
		}
	}
}

// TestReachSimulated compares with paths of an autoregression and of a random walk with known widths. The tolerance
// covers the error of the normal approximation after paths are cut off, which is largest far from the forecast. The
// error of the simulation is .002.
func TestReachSimulated(t *testing.T) {
	const steps, paths = 12, 200_000
	rng := rand.New(rand.NewPCG(1, 2))
	for _, phi := range []float64{0, .5, .9, 1} {
		for _, limit := range []float64{1, 2, 4} {
			reached := 0
			for range paths {
				y := 0.
				for range steps {
					if y = phi*y + rng.NormFloat64(); y >= limit {
						reached++
						break
					}
				}
			}
			var widths []float64
			variance := 0.
			for range steps {
				variance = phi*phi*variance + 1
				widths = append(widths, math.Sqrt(variance))
			}
			yhat, lower, upper := path(0, widths)
			p, mirrored := make([]float64, steps), make([]float64, steps)
			scoring.Limit{Low: math.Inf(-1), High: limit}.ReachTo(p, 0, yhat, lower, upper, .9)
			if want := float64(reached) / paths; math.Abs(p[steps-1]-want) > .025 {
				t.Errorf("phi %v, limit %v: probability %.3f, simulated %.3f", phi, limit, p[steps-1], want)
			}
			scoring.Limit{Low: -limit, High: math.Inf(1)}.ReachTo(mirrored, 0, yhat, lower, upper, .9)
			if !slices.Equal(mirrored, p) || !slices.IsSorted(p) {
				t.Errorf("phi %v, limit -%v: %v, mirrored %v", phi, limit, mirrored, p)
			}
		}
	}
}

func TestReachStep(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	ramp := []float64{1, 2, 3, 4}
	unknown := []float64{nan, nan, nan, nan}
	high := scoring.Limit{Low: -inf, High: 3}
	for _, c := range []struct {
		name         string
		y            float64
		lower, upper []float64
		step         int
		known        bool
	}{
		{"exact intervals", 0, ramp, ramp, 2, true},
		{"no intervals", 0, unknown, unknown, 2, false},
		{"intervals late", 0, []float64{nan, nan, 2.9, 3.9}, []float64{nan, nan, 3.1, 4.1}, 2, true},
		{"beyond already", 3, ramp, ramp, 0, true},
		{"value missing", nan, ramp, ramp, 2, true},
	} {
		p := make([]float64, len(ramp))
		if step := high.ReachTo(p, c.y, ramp, c.lower, c.upper, .9); step != c.step || math.IsNaN(p[3]) == c.known || c.known && p[3] < .5 {
			t.Errorf("%s: step %d, %v", c.name, step, p)
		}
	}
	p := make([]float64, len(ramp))
	if step := (scoring.Limit{Low: -inf, High: 10}).ReachTo(p, 0, ramp, ramp, ramp, .9); step != -1 || p[3] > 1e-9 {
		t.Errorf("far limit: step %d, %v", step, p)
	}
}

// TestReachOneStep: with one step, the probability of each side follows from the normal distribution with the width of
// the interval on that side of the forecast, whether the forecast lies within the limit, on it or beyond it.
func TestReachOneStep(t *testing.T) {
	const z = 1.6448536269514722 // quantile .95
	const up, down = 2, .5
	beyond := func(x float64) float64 { return math.Erfc(x/math.Sqrt2) / 2 }
	for _, c := range []struct {
		limit scoring.Limit
		want  float64
	}{
		{scoring.Limit{Low: math.Inf(-1), High: 13}, beyond(3. / up)},
		{scoring.Limit{Low: math.Inf(-1), High: 9.5}, 1 - beyond(.5/down)},
		{scoring.Limit{Low: 9.2, High: math.Inf(1)}, beyond(.8 / down)},
		{scoring.Limit{Low: 11, High: math.Inf(1)}, 1 - beyond(1./up)},
		{scoring.Limit{Low: 9.2, High: 13}, 1 - (1-beyond(.8/down))*(1-beyond(3./up))},
		{scoring.Limit{Low: math.Inf(-1), High: 10}, 1},
		{scoring.Limit{Low: 10, High: math.Inf(1)}, 1},
		{scoring.Limit{Low: math.Inf(-1), High: math.Inf(1)}, math.NaN()},
	} {
		p := make([]float64, 1)
		first := c.limit.ReachTo(p, 10, []float64{10}, []float64{10 - z*down}, []float64{10 + z*up}, .9)
		reached := c.limit.Reached(10) || c.want > .5
		if c.limit.Reached(10) {
			c.want = 1
		}
		if math.Abs(p[0]-c.want) > 1e-12 || (p[0] == p[0]) != (c.want == c.want) || (first == 0) != reached {
			t.Errorf("%v: probability %v, want %v; first step %d", c.limit, p[0], c.want, first)
		}
	}
}

func TestLimits(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		limit   scoring.Limit
		text    string
		bounded bool
		reached []float64
		not     []float64
	}{
		{scoring.Limit{Low: -inf, High: 90}, "<= 90", true, []float64{90, 91, inf}, []float64{89, math.NaN()}},
		{scoring.Limit{Low: .125, High: inf}, ">= 0.125", true, []float64{.125, 0, -inf}, []float64{.126, math.NaN()}},
		{scoring.Limit{Low: -1, High: 1.5}, ">= -1 <= 1.5", true, []float64{-1, 1.5}, []float64{0, -.9, 1.4}},
		{scoring.Limit{Low: -inf, High: inf}, "<= +Inf", false, nil, []float64{0}},
	} {
		if c.limit.String() != c.text || c.limit.Bounded() != c.bounded {
			t.Errorf("%s, bounded %v; want %s, %v", c.limit, c.limit.Bounded(), c.text, c.bounded)
		}
		for _, y := range c.reached {
			if !c.limit.Reached(y) {
				t.Errorf("%s is not reached by %v", c.limit, y)
			}
		}
		for _, y := range c.not {
			if c.limit.Reached(y) {
				t.Errorf("%s is reached by %v", c.limit, y)
			}
		}
	}
}
