package auto

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
)

// shareOf returns the share of a line with the levels.
func shareOf(levels []float64) float64 {
	var l line
	for i, v := range levels[1:] {
		step := v - levels[i]
		l.learn(step, step, math.Inf(1))
	}
	return l.share
}

// levels returns f at 0, …, n.
func levels(n int, f func(x float64) float64) []float64 {
	v := make([]float64, n+1)
	for i := range v {
		v[i] = f(float64(i))
	}
	return v
}

// A straight line has the share 1, a parabola and a morning 0; another unit does not change a bit.
func TestLineOfClosedForms(t *testing.T) {
	rng := rand.New(rand.NewPCG(81, 82))
	for n := 16; n <= 500; n += 11 {
		if got := shareOf(levels(n, func(x float64) float64 { return 3 - 2*x })); got != 1 {
			t.Errorf("%d samples of a line: share %v", n, got)
		}
		if got := shareOf(levels(n, func(x float64) float64 { return x * x })); got > 1e-9 {
			t.Errorf("%d samples of a parabola: share %v", n, got)
		}
		// The moves of the morning are a sine, of which a parabola explains 98 % of the variance or more; a larger
		// part than that has the probability .02^((7-3)/2) or less.
		if got := shareOf(levels(n, func(x float64) float64 { return -math.Cos(math.Pi * x / float64(n)) })); got > .02*.02/lineCurve {
			t.Errorf("%d samples of a morning: share %v", n, got)
		}
		v := levels(n, func(x float64) float64 { return x + rng.NormFloat64() })
		want := shareOf(v)
		for i := range v {
			v[i] *= 1 << 20
		}
		if got := shareOf(v); got != want {
			t.Errorf("%d samples: share %v, in another unit %v", n, want, got)
		}
	}
}

// A random walk is no line. The means of its blocks have moves with the correlation 1/4, so that t is 1.22 times as
// large as of independent moves: of 7 moves it is above 3 (1 + 2/7) in 2.0 % of the cases. A line with noise is one:
// the probability of a larger curve is uniform for independent moves, so that its factor has the mean 1 -
// lineCurve/2, and t is above 20, which costs less than 4 % more. All with three standard errors of 1000 cases.
func TestLineOfNoise(t *testing.T) {
	rng := rand.New(rand.NewPCG(83, 84))
	const cases = 1000
	for _, n := range []int{128, 200, 255} {
		walks, lines := 0, 0.
		for range cases {
			x := 0.
			if shareOf(levels(n, func(float64) float64 { x += rng.NormFloat64(); return x })) > 0 {
				walks++
			}
			lines += shareOf(levels(n, func(i float64) float64 { return .3*i + rng.NormFloat64() })) / cases
		}
		if most := .02*cases + 3*math.Sqrt(.02*cases); float64(walks) > most {
			t.Errorf("%d samples: %d of %d random walks have a share, want at most %.0f", n, walks, cases, most)
		}
		if least := .96*(1-lineCurve/2.) - 3*.2/math.Sqrt(cases); lines < least {
			t.Errorf("%d samples: mean share of lines with noise %v, want at least %.3f", n, lines, least)
		}
	}
}

// A shift ends a line. The next line does not continue before it is twice as long. A spike does not end a line.
func TestLineEndsWithShift(t *testing.T) {
	var l line
	learn := func(step float64) { l.learn(step, math.Max(math.Min(step, 5), -5), 5) }
	for range 100 {
		learn(1)
	}
	learn(100)
	learn(-100)
	if l.steps(50) < 49 {
		t.Errorf("after a spike a line of 100 samples goes on for %v of 50 steps", l.steps(50))
	}
	learn(-100)
	for l.lasted == 0 && l.seen() < 120 { // to the end of the block
		learn(1)
	}
	if l.lasted < 100 || l.lasted > 110 {
		t.Fatalf("the line lasted for %d samples, want 100 and the rest of a block", l.lasted)
	}
	for l.steps(10) == 0 && l.seen() < 1000 {
		learn(1)
	}
	if l.seen() != 2*l.lasted {
		t.Errorf("after a shift the line goes on after %d samples, want twice %d", l.seen(), l.lasted)
	}
	if got, want := l.steps(2*l.seen()), float64(l.seen())*(1+math.Ln2); math.Abs(got-want) > 1e-9*want {
		t.Errorf("%v steps in %d, want %v", got, 2*l.seen(), want)
	}
}

// A disk fills by .1 a row, with noise in its level or in its rate: forecasts as far ahead as the series is long keep
// the drift of the rows. In the mean of 10 series at most 5 % of it is missing, or 15 % with noise in the rate: then
// one line in ten seems to be curved by chance and ends after half of the steps.
func TestDiskFills(t *testing.T) {
	const series = 10
	for _, n := range []int{100, 300} {
		for _, rate := range []bool{false, true} {
			sum := 0.
			for seed := range uint64(series) {
				f := newAuto(t, Config{Dim: 1, Horizon: n}).NewSeries()
				rng, x, out := rand.New(rand.NewPCG(85, seed)), 40., make([]float64, n)
				first, y := 0., 0.
				for i := range n {
					e := .05 * rng.NormFloat64()
					x += .1
					if y = x + e; rate {
						x += e
					}
					if i == 0 {
						first = y
					}
					modeltest.As[eval.Clocked](t, f).SetTime(modeltest.FirstOf2026 + int64(i)*3600e9)
					if err := f.Observe([]float64{y}); err != nil {
						t.Fatal(err)
					}
				}
				if !f.ForecastTo(out) {
					t.Fatal("no forecast")
				}
				drift := (y - first) / float64(n-1) * float64(n)
				sum += math.Abs(out[n-1]-y-drift) / drift
			}
			if most := map[bool]float64{false: .05, true: .15}[rate]; sum > most*series {
				t.Errorf("%d rows, noise in the rate %t: %.2f of the drift is missing in the mean", n, rate, sum/series)
			}
		}
	}
}
