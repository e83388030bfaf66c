package auto

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
)

// climbingSeries are simulated series that climb by slope per row, scored from row from on: 1,000
// rows after they begin to climb, as a horizon of 96 has no trend of its own before five of them, and the disk after seven days. limit is the largest ratio of the
// squared error to the smaller of those of the last value and of the last value plus the true
// slope; of an exact series, whose slope makes no error, to that of the last value alone.
var climbingSeries = []struct {
	name     string
	slope    float64
	from     int
	exact    bool
	limit    float64
	coverage bool // that of the 90 % interval is checked
	value    func(r *rand.Rand) func(i int) float64
}{
	{"exact ramp", 300, 1000, true, .001, false, func(*rand.Rand) func(i int) float64 {
		return func(i int) float64 { return 300 * float64(i) }
	}},
	{"ramp after 1,000 equal rows", 300, 2000, true, .02, false, func(*rand.Rand) func(i int) float64 {
		return func(i int) float64 { return 300 * float64(max(i-1000, 0)) }
	}},
	{"ramp, noise", .1, 1000, false, 1.1, true, func(r *rand.Rand) func(i int) float64 {
		return func(i int) float64 { return .1*float64(i) + r.NormFloat64() }
	}},
	{"steep ramp, noise", 3, 1000, false, 3.5 /* the aim is 1.1 */, true, func(r *rand.Rand) func(i int) float64 {
		return func(i int) float64 { return 3*float64(i) + r.NormFloat64() }
	}},
	{"ramp after 1,000 rows of noise", .1, 2000, false, 1.75 /* the aim is 1.1 */, true, func(r *rand.Rand) func(i int) float64 {
		return func(i int) float64 { return .1*float64(max(i-1000, 0)) + r.NormFloat64() }
	}},
	{"disk with a day", .02, 2016, false, 1.1, true, func(r *rand.Rand) func(i int) float64 {
		return func(i int) float64 { return .02*float64(i) + .5*wave(i, 288) + .2*r.NormFloat64() }
	}},
	{"counter, reset every 700 rows", 300, 1000, false, 1.1, false, func(*rand.Rand) func(i int) float64 {
		return func(i int) float64 { return 300 * float64(i%700) }
	}},
	{"counter, random resets", 300, 1000, false, 1.1, false, counter(0)},
	{"counter with noise, random resets", 300, 1000, false, 1.1, false, counter(100)},
}

// counter climbs by 300 and some noise, and starts again every 700 rows in the mean.
func counter(noise float64) func(r *rand.Rand) func(i int) float64 {
	return func(r *rand.Rand) func(i int) float64 {
		v := 0.
		return func(int) float64 {
			if v += 300 + noise*r.NormFloat64(); r.Float64() < 1./700 {
				v = 0
			}
			return v
		}
	}
}

// climbScores are the scores of one variable at one horizon, sums over n forecasts.
type climbScores struct {
	n, ours, last, slope float64 // squared errors
	inside, width, empty float64 // empty: intervals without width beside an error
}

// scoreClimb runs the default model on x, rows of five minutes; slope is that of the first variable.
func scoreClimb(t *testing.T, x [][]float64, horizon, from int, slope float64) [][]climbScores {
	d := len(x[0])
	f := intervalsAround(t, newAuto(t, Config{Dim: d, Horizon: horizon}), d, horizon, []float64{.9}).NewSeries()
	out, lower, upper := make([]float64, horizon*d), make([]float64, horizon*d), make([]float64, horizon*d)
	scores := make([][]climbScores, horizon+1)
	for h := range scores {
		scores[h] = make([]climbScores, d)
	}
	clock, bounder := modeltest.As[eval.Clocked](t, f), modeltest.As[eval.Bounder](t, f)
	for i, row := range x {
		clock.SetTime(modeltest.FirstOf2026 + int64(i)*300e9)
		if err := f.Observe(row); err != nil {
			t.Fatal(err)
		}
		if i < from {
			continue
		}
		f.ForecastTo(out)
		bounder.BoundsTo(lower, upper)
		for h := 1; h <= horizon && i+h < len(x); h++ {
			for j, y := range x[i+h] {
				s, k, rise := &scores[h][j], (h-1)*d+j, 0.
				if j == 0 {
					rise = slope * float64(h)
				}
				e, rounding := y-out[k], 1e-9*math.Abs(y)
				s.n++
				s.ours += e * e
				s.last += (y - row[j]) * (y - row[j])
				s.slope += (y - row[j] - rise) * (y - row[j] - rise)
				s.width += upper[k] - lower[k]
				if upper[k] == lower[k] && math.Abs(e) > rounding {
					s.empty++
				}
				if lower[k]-rounding <= y && y <= upper[k]+rounding {
					s.inside++
				}
			}
		}
	}
	return scores
}

// Series that climb, beside a variable of noise: forecasts go on, and the noise has the intervals
// that it has without the neighbour.
func TestProtocolRamps(t *testing.T) {
	modeltest.Measuring(t)
	const H, n = 96, 4000
	noise := rand.New(rand.NewPCG(7, 7))
	beside := column(n, func(int) float64 { return noise.NormFloat64() })
	for _, c := range climbingSeries {
		value := c.value(rand.New(rand.NewPCG(3, 4)))
		x := column(n, value)
		for i := range x {
			x[i] = append(x[i], beside[i][0])
		}
		both, alone := scoreClimb(t, x, H, c.from, c.slope), scoreClimb(t, beside, H, c.from, 0)
		for _, h := range []int{1, 24, 96} {
			s, b := both[h][0], both[h][1]
			best := min(s.last, s.slope)
			if c.exact {
				best = s.last
			}
			ratio, coverage, width := s.ours/best, s.inside/s.n, b.width/alone[h][0].width
			t.Logf("%-33s h=%-2d error %.4g, of the best %.4g; coverage %.3f; width of the neighbour %.3f", c.name, h, s.ours/s.n, ratio, coverage, width)
			if !(ratio <= c.limit) {
				t.Errorf("%s, %d steps: %.4g of the best simple forecast, limit %.4g", c.name, h, ratio, c.limit)
			}
			// The intervals of 96 steps, which remember 2,000 rows, are still wide from the first rows.
			if c.coverage && !(coverage >= .85 && (coverage <= .95 || h == 96)) {
				t.Errorf("%s, %d steps: coverage %.3f", c.name, h, coverage)
			}
			if s.empty > 0 {
				t.Errorf("%s, %d steps: %v intervals without width", c.name, h, s.empty)
			}
			if !(math.Abs(width-1) <= .14) { // the aim is .1
				t.Errorf("%s, %d steps: intervals of the neighbour are %.3f times as wide", c.name, h, width)
			}
		}
	}
}

// Random walks have no trend: at each horizon the error is at most 1.01 times that of persistence.
func TestProtocolWalksFar(t *testing.T) {
	modeltest.Measuring(t)
	const H, d, walks, n = 96, 3, 20, 3000
	rng := rand.New(rand.NewPCG(1, 16))
	var ours, last [H + 1]float64
	for range walks {
		x := make([][]float64, n)
		for i := range x {
			x[i] = make([]float64, d)
			for j := range x[i] {
				if x[i][j] = rng.NormFloat64(); i > 0 {
					x[i][j] += x[i-1][j]
				}
			}
		}
		for h, scores := range scoreClimb(t, x, H, 0, 0) {
			for _, s := range scores {
				ours[h], last[h] = ours[h]+s.ours, last[h]+s.last
			}
		}
	}
	for _, h := range []int{1, 24, 96} {
		t.Logf("random walks, h=%-2d %.4f", h, ours[h]/last[h])
		if !(ours[h] <= 1.01*last[h]) {
			t.Errorf("%d steps: %.4f of the last value's error", h, ours[h]/last[h])
		}
	}
}
