package auto

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
)

// A counter that climbs by 300 per row from the first row on, or after 300 equal ones, beside an
// hour of twelve rows: forecasts of 2 and 24 steps climb on, those of one step never leave the
// ramp by more than a step, although the hour makes the model subtract seasons from row 60 on.
// It is saved and restored on the way.
func TestForecastsClimbOn(t *testing.T) {
	const H, slope = 24, 300.
	for _, flat := range []int{0, 300} {
		create := func() (eval.Model, eval.Forecaster) {
			m := intervalsAround(t, newAuto(t, Config{Dim: 2, Horizon: H}), 2, H, []float64{.9})
			return m, m.NewSeries()
		}
		m, f := create()
		_, never := create()
		rng, out, want := rand.New(rand.NewPCG(61, 62)), make([]float64, 2*H), make([]float64, 2*H)
		for i := range flat + 500 {
			x := slope * float64(max(i-flat, 0))
			switch e := math.Abs(x - out[0]); {
			case i > flat+50 && e > slope/2 && flat == 0, i > 0 && e > 1.5*slope:
				t.Errorf("%d equal rows, row %d: error of one step %v", flat, i, e)
			}
			if i%97 == 60 {
				c := snapshot.NewDecoder(modeltest.SaveState(m, f))
				m, f = create()
				m.State(c)
				f.State(c)
				if err := c.Finish(); err != nil {
					t.Fatal(err)
				}
			}
			y := []float64{x, 3*wave(i, 12) + .1*rng.NormFloat64()}
			for _, f := range []eval.Forecaster{f, never} {
				modeltest.As[eval.Clocked](t, f).SetTime(modeltest.FirstOf2026 + int64(i)*300e9)
				if err := f.Observe(y); err != nil {
					t.Fatal(err)
				}
			}
			f.ForecastTo(out)
			never.ForecastTo(want)
			if err := modeltest.Same([][]float64{want}, [][]float64{out}); err != nil {
				t.Fatalf("%d equal rows, restored, row %d: %v", flat, i, err)
			}
			for _, h := range []int{2, H} {
				rise := slope * float64(h)
				// 18 rounds of h^(2/3) outcomes: 1/20 of the mixture is still the last value. The iterated
				// mixture stays within the range that was seen, and has a fortieth.
				if e := math.Abs(out[2*(h-1)] - x - rise); i > flat+400 && !(e <= .075*rise) {
					t.Errorf("%d equal rows, row %d, %d steps: %v from a rise by %v", flat, i, h, e, rise)
				}
			}
		}
	}
}

// The morning of the first day is no trend of a day: forecasts follow it for half of the time that it was seen.
func TestTrendGoesAsFarAsOutcomesConfirm(t *testing.T) {
	const H, day, rows = 288, 288, 140
	f := newAuto(t, Config{Dim: 1, Horizon: H}).NewSeries()
	rng, y, out := rand.New(rand.NewPCG(71, 72)), make([]float64, 1), make([]float64, H)
	value := func(i int) float64 { return -math.Cos(2 * math.Pi * float64(i) / day) }
	for i := range rows {
		y[0] = value(i) + .01*rng.NormFloat64()
		if err := f.Observe(y); err != nil {
			t.Fatal(err)
		}
	}
	if !f.ForecastTo(out) {
		t.Fatal("no forecast")
	}
	// The mean slope of the morning, 2 in 140 rows, over 70 steps, and what a slope of the last hours adds.
	if got := out[H-1] - y[0]; !(got < 1.2) {
		t.Errorf("%v above the last value after a day; the range of a day is 2", got)
	}
}

// The season of one step is that of variables that have one; of a random walk it is the last value,
// and far from the mean no farther than the limit from the last value.
func TestSeasonExpertWithoutASeason(t *testing.T) {
	s := newAuto(t, Config{Dim: 2, Horizon: 1}).NewSeries().(*autoSeries)
	rng, x, row := rand.New(rand.NewPCG(67, 68)), 0., make([]float64, 2)
	for i := range 400 {
		x += rng.NormFloat64()
		s.SetTime(modeltest.FirstOf2026 + int64(i)*300e9)
		row[0], row[1] = x, 3*wave(i, 12)+.1*rng.NormFloat64()
		if err := s.Observe(row); err != nil {
			t.Fatal(err)
		}
	}
	if s.seasons.has(0) || !s.seasons.has(1) {
		t.Fatal("the seasons are other ones: take another seed")
	}
	dst := make([]float64, 2)
	s.forecastSeason(dst)
	if dst[0] != x || !(math.Abs(dst[1]-3*wave(400, 12)) <= .5) {
		t.Errorf("%v after %v", dst, row)
	}
	s.remainder.frame.scaler.Mean[1] += 1000
	s.scaler.Ceiling[1] += 2000
	s.forecastSeason(dst)
	if got, want := dst[1]-row[1], returnLimit*s.scaler.Steps[1]; !(math.Abs(got-want) <= 1e-9) {
		t.Errorf("%v from the last value, limit %v", got, want)
	}
}

// The share of outcomes that are the trend is 1 after trendTerms terms; of outcomes that have
// nothing to do with the trend it is 0 in all but .6 % of the cases, those above 2.5 standard errors.
func TestTrendShare(t *testing.T) {
	var s trendShare
	for n := range 2 * trendTerms {
		if got, want := s.value(), 1.; n > trendTerms && !(math.Abs(got-want) <= 1e-6) {
			t.Errorf("after %d terms: %v", n, got)
		}
		for range 3 {
			s.learn(.5, .5, 3)
		}
	}
	rng, believed := rand.New(rand.NewPCG(63, 64)), 0
	const cases = 1000
	for range cases {
		var s trendShare
		for range 60 {
			s.learn(.1*rng.NormFloat64(), rng.NormFloat64(), 3)
		}
		if s.value() > 0 {
			believed++
		}
	}
	if believed > 14 { // 6 expected, and three standard errors
		t.Errorf("%d of %d trends without a reason are believed", believed, cases)
	}
}

// Before a trend has a share, a line that has lasted goes on at the first anchor already.
func TestLineGoesOnWithoutAShare(t *testing.T) {
	const slope = 300.
	s := newAuto(t, Config{Dim: 1, Horizon: 3}).NewSeries().(*autoSeries)
	for i := range 200 {
		if err := s.Observe([]float64{slope * float64(i)}); err != nil {
			t.Fatal(err)
		}
	}
	r := s.multihorizon.trends
	clear(r.shares)
	r.predict(s.rest(), s.past.Seen, s.smoothing)
	if want := []float64{2 * slope, 3 * slope}; !slices.Equal(r.moves, want) {
		t.Errorf("moves %v after %v steps, want %v", r.moves, r.steps, want)
	}
}

// The path of a trend is not set while all moves are 0, so a path of an earlier sample must not be used.
func TestStillTrendsHaveNoPath(t *testing.T) {
	r := newTrends(2, []int{1, 3}, true)
	for i := range r.path {
		r.path[i] = float64(i)
	}
	if got := r.ahead(2); !slices.Equal(got, []float64{2, 3}) {
		t.Errorf("two steps ahead: %v, want [2 3]", got)
	}
	r.still = true
	if got := r.ahead(2); got != nil {
		t.Errorf("without a trend: %v", got)
	}
}
