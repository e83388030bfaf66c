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

// officeHours are n hourly samples from hour first of the week on: a day of two peaks with an amplitude, lower on weekends,
// around the level 3, plus an autoregression. The second variable has the opposite day.
func officeHours(seed uint64, first, n int, amplitude float64) [][]float64 {
	rng := rand.New(rand.NewPCG(seed, 8))
	x, a := make([][]float64, n), 0.
	for t := range x {
		a = .7*a + .1*rng.NormFloat64()
		day := 2 * math.Pi * float64((first+t)%24) / 24
		v := math.Sin(day) + .6*math.Cos(2*day)
		if (first+t)/24%7 >= 5 {
			v = .3*v - .5
		}
		x[t] = []float64{3 + amplitude*(v+a), 3 - amplitude*(v+.5*a)}
	}
	return x
}

// office returns a series that has learnt officeHours from a Thursday on.
func office(t *testing.T, seed uint64, n int, amplitude float64) eval.Forecaster {
	f := newAuto(t, Config{Dim: 2, Horizon: 6}).NewSeries()
	runSpaced(t, f, officeHours(seed, 0, n, amplitude), modeltest.FirstOf2026, hour, 6)
	return f
}

// heir returns a new series with the heritage of older, which begins at a time in hours.
func heir(t *testing.T, older []eval.Forecaster, at int) *autoSeries {
	s := newAuto(t, Config{Dim: 2, Horizon: 6}).NewSeries().(*autoSeries)
	s.Inherit(older, modeltest.FirstOf2026+int64(at)*hour)
	return s
}

// sixAhead returns the mean absolute error six steps ahead of the first variable, from row 12 on.
func sixAhead(forecasts, x [][]float64) (mae float64) {
	for i := 12; i+6 < len(x); i++ {
		mae += math.Abs(forecasts[i][10] - x[i+6][0])
	}
	return mae
}

// TestNewSeriesInherits: in its first two days, a series with another amplitude and unit forecasts six hours ahead with
// at most half of the error without its elders. Its own unit changes no bit. If its days do not resemble theirs, it has
// no inherited season after the first day.
func TestNewSeriesInherits(t *testing.T) {
	const at, n = 500, 48
	older := []eval.Forecaster{office(t, 1, at, 1), office(t, 2, at, 3)}
	start := modeltest.FirstOf2026 + int64(at)*hour
	x := officeHours(3, at, n, .5)
	f := heir(t, older, at)
	with, without := runSpaced(t, f, x, start, hour, 6), runSpaced(t, heir(t, nil, at), x, start, hour, 6)
	if ratio := sixAhead(with, x) / sixAhead(without, x); !(ratio < .5) {
		t.Errorf("%.3f of the error without a heritage", ratio)
	}
	// The inherited season has odds of a season from the day on that the series itself has seen.
	for rows, seen := range map[int]bool{20: false, 30: true} {
		f := heir(t, older, at)
		runSpaced(t, f, x[:rows], start, hour, 6)
		if !f.seasons.has(0) || f.smoothing.seasonal[0] != seen {
			t.Errorf("after %d rows the variable has a season: %v, of its own: %v", rows, f.seasons.has(0), f.smoothing.seasonal[0])
		}
	}
	large := make([][]float64, n)
	for i, v := range x {
		large[i] = []float64{1024 * v[0], 1024 * v[1]}
	}
	for i, v := range runSpaced(t, heir(t, older, at), large, start, hour, 6) {
		for k := range v {
			if v[k] != 1024*with[i][k] {
				t.Fatalf("row %d: forecasts %v in another unit, %v in the first one", i, v, with[i])
			}
		}
	}
	rng := rand.New(rand.NewPCG(4, 4))
	for i := 1; i < n; i++ {
		x[i] = []float64{x[i-1][0] + .1*rng.NormFloat64(), x[i-1][1] + .1*rng.NormFloat64()}
	}
	f = heir(t, older, at)
	runSpaced(t, f, x[:26], start, hour, 6)
	if f.seasons.active {
		t.Error("a walk has the season of its elders after a day")
	}
	for i, v := range runSpaced(t, heir(t, older, at), slices.Repeat([][]float64{{7, 1e-3}}, n), start, hour, 6) {
		if slices.Max(v) != 7 || slices.Min(v) != 1e-3 {
			t.Fatalf("row %d: forecasts %v of constants", i, v)
		}
	}
}

// TestNoiseBesideElders: in its first two days, white noise beside elders with a season has 1.47 times the error without them.
// It has 1.65 times the error if the smoothers keep the errors of the season from before its amplitude is known.
func TestNoiseBesideElders(t *testing.T) {
	const at, n, seeds = 500, 48, 16
	older := []eval.Forecaster{office(t, 1, at, 1), office(t, 2, at, 3)}
	start := modeltest.FirstOf2026 + int64(at)*hour
	var with, without float64
	for seed := range uint64(seeds) {
		rng, x := rand.New(rand.NewPCG(seed, 9)), make([][]float64, n)
		for i := range x {
			x[i] = []float64{rng.NormFloat64(), rng.NormFloat64()}
		}
		with += sixAhead(runSpaced(t, heir(t, older, at), x, start, hour, 6), x)
		without += sixAhead(runSpaced(t, heir(t, nil, at), x, start, hour, 6), x)
	}
	if ratio := with / without; !(ratio < 1.55) {
		t.Errorf("%.3f of the error without elders", ratio)
	}
}

// TestGlitchBesideElders: a new series whose first sample is 20 times too large, or the fourth a thousand times, has no larger errors
// than alone, and no negative forecasts, as no series had negative values.
func TestGlitchBesideElders(t *testing.T) {
	const at, n = 500, 60
	older := []eval.Forecaster{office(t, 1, at, 1), office(t, 2, at, 1.2)}
	start := modeltest.FirstOf2026 + int64(at)*hour
	for glitch, factor := range map[int]float64{0: 20, 3: 1000} {
		x := officeHours(3, at, n, .9)
		x[glitch][0] *= factor
		with, alone := runSpaced(t, heir(t, older, at), x, start, hour, 6), runSpaced(t, heir(t, nil, at), x, start, hour, 6)
		if ratio := sixAhead(with, x) / sixAhead(alone, x); !(ratio < 1) {
			t.Errorf("a glitch in row %d: %.3f of the error alone", glitch, ratio)
		}
		for i, v := range with {
			if slices.Min(v) < 0 {
				t.Errorf("a glitch in row %d: row %d has forecasts %v", glitch, i, v)
			}
		}
	}
}

// TestWhoLeavesAHeritage: one series leaves none, nor do series that are too young, have other spacings, have nothing in
// common, or have learnt samples from later on than the beginning of the new series.
func TestWhoLeavesAHeritage(t *testing.T) {
	const at = 500
	a, b, young := office(t, 1, at, 1), office(t, 2, at, 3), office(t, 3, 40, 1)
	opposite := newAuto(t, Config{Dim: 2, Horizon: 6}).NewSeries()
	runSpaced(t, opposite, officeHours(4, 0, at, -1), modeltest.FirstOf2026, hour, 6)
	slow := newAuto(t, Config{Dim: 2, Horizon: 6}).NewSeries()
	runSpaced(t, slow, officeHours(5, 0, at, 1)[:250], modeltest.FirstOf2026, 2*hour, 6)
	for what, c := range map[string]struct {
		older []eval.Forecaster
		begin int
		want  bool
	}{
		"two":              {[]eval.Forecaster{a, b}, at, true},
		"two, and a clock": {[]eval.Forecaster{a, b}, at - 2, true},
		"one":              {[]eval.Forecaster{a}, at, false},
		"none":             {nil, at, false},
		"a young one":      {[]eval.Forecaster{a, young}, at, false},
		"opposite days":    {[]eval.Forecaster{a, opposite}, at, false},
		"two spacings":     {[]eval.Forecaster{a, slow}, at, false},
		"the future":       {[]eval.Forecaster{a, b}, at - 3, false},
	} {
		if got := heir(t, c.older, c.begin).seasons.heritage != nil; got != c.want {
			t.Errorf("%s: a heritage %v", what, got)
		}
	}
	given := newAuto(t, Config{Dim: 2, Horizon: 6, Season: 24}).NewSeries().(*autoSeries)
	if given.Inherit([]eval.Forecaster{a, b}, modeltest.FirstOf2026+at*hour); given.seasons.heritage != nil {
		t.Error("a heritage beside a configured season")
	}
	many := slices.Repeat([]eval.Forecaster{a}, heritageMost)
	if got, want := heir(t, many, at), heir(t, append(many, b, b), at); !slices.Equal(got.seasons.heritage.cycles[0].shape, want.seasons.heritage.cycles[0].shape) {
		t.Error("the ninth series counts")
	}
}

// TestMeanCycle: shapes v and 3 v in typical steps have the mean 2 v, and explain 8 of 10 parts of their squares: (2 x .8 - 1)
// / 1 = .6 without the part that two shapes have in common by chance. Of opposite shapes nothing remains.
func TestMeanCycle(t *testing.T) {
	shape := []float32{1, -1, 2, -2, 0, 0, 3, -3, -6, 6} // five phases of two variables
	var of []*autoSeries
	for i, factor := range []float64{1, 3} {
		s := newAuto(t, Config{Dim: 2, Horizon: 1}).NewSeries().(*autoSeries)
		s.seasons.spacing, s.gate.of[0].step, s.gate.of[1].step = hour, 2, 4
		c := newCycle(2, 5)
		c.span, c.learnt, c.mean = daySpan, 10, slices.Clone(shape)
		c.unit[0], c.unit[1] = 4*factor, 8
		c.share[0].value, c.share[1].value = .5, float64(1-2*i)
		s.seasons.add(c)
		of = append(of, s)
	}
	got := meanCycle(of, daySpan, hour, 2)
	if got == nil || got.period != 5 || got.span != daySpan {
		t.Fatalf("the mean is %+v", got)
	}
	for i, v := range got.shape {
		want := 0.
		if i%2 == 0 {
			want = 1.2 * float64(shape[i])
		}
		modeltest.Near(t, "the mean", float64(v), want, 1e-6) // float32
	}
}

// TestAmplitude: of changes 1 and 3 of the season, 2 and 6 of the samples, and a prior of weight .6 at .7 typical steps of 4.
// A change of 1e6 counts as heritageClip prior amplitudes of the change of the season and of its root mean square.
func TestAmplitude(t *testing.T) {
	const weight, prior = 2 * heritageBlocks, .7 * 4
	f := amplitudeFit{weight: weight}
	for i, x := range []float64{1, 2, 5} { // blocks of two samples
		if f.add(x-.5, 2*x+9, 24) || !f.add(x+.5, 2*x+11, 24) {
			t.Fatalf("block %d does not end with its second sample", i)
		}
		f.fit(4)
	}
	xx, xy, yy := 1+9+weight, 2+18+weight*prior, 4+36+weight*prior*prior
	modeltest.Near(t, "the amplitude", f.amplitude, xy/xx*xy*xy/(xx*yy), 1e-12)
	g := f
	g.add(5.5, 1e6, 24)
	g.add(5.5, 1e6, 24)
	g.fit(4)
	modeltest.Near(t, "the clipped square", g.yy-f.yy, math.Pow(heritageClip*prior*(.5+math.Sqrt2), 2), 1e-9)
	h := heritage{fits: []amplitudeFit{f}}
	h.interrupt()
	h.fits[0].add(7, 0, 12)
	if h.fits[0].fit(4); h.fits[0].xx != f.xx {
		t.Error("a change across a break counts")
	}
	modeltest.Near(t, "the mean square change", (&inheritedCycle{period: 24, shape: []float32{
		1, 1, 0, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 5, 5,
	}}).meanChange(0), (16+16)/12., 1e-12)
}

// TestMerge: the first period of a cycle has the shape y, the inherited one is x, with the least-squares factor b. The
// inherited shape counts as two periods. The level of the period, 1, does not count, and a glitch counts as heritageClip
// amplitudes. Opposite shapes stay apart, and only the first variable is believed. A level far away means a step: nothing is
// merged.
func TestMerge(t *testing.T) {
	begun := func(level, glitch float64) *cycle {
		c := newCycle(2, 4)
		c.open()
		c.learnt, c.unit[0], c.unit[1] = 4, 1, 1
		for i, y := range []float64{2, 3, -2, -3} {
			c.mean[2*i], c.mean[2*i+1] = float32(y+level), float32(-y)
		}
		c.mean[4] += float32(glitch)
		c.share[0].value, c.share[1].value = 1, 1
		c.merge([]float32{1, 1, 1.5, 1.5, -1, -1, -1.5, -1.5}, []float64{2, 2}, []float64{1, 1})
		return c
	}
	limit := heritageClip * 2 * math.Sqrt(6.5/4) // x x = 6.5
	for _, glitch := range []float64{0, 1000} {
		y := []float64{2, 3, -2, -3}
		if glitch > 0 {
			y[2] += limit
		}
		b := (y[0] + 1.5*y[1] - y[2] - 1.5*y[3]) / 6.5
		c := begun(1, glitch)
		for i, x := range []float64{1, 1.5, -1, -1.5} {
			want := (y[i] + 2*b*x) / 3
			if glitch > 0 { // the correlation is too small
				want = y[i] + 1
				if i == 2 {
					want += glitch - limit
				}
			}
			modeltest.Near(t, "the shape", float64(c.mean[2*i]), want, 1e-4) // float32
			modeltest.Near(t, "the opposite shape", float64(c.mean[2*i+1]), []float64{-2, -3, 2, 3}[i], 0)
		}
		believed := glitch == 0
		if (c.share[0].value == 1) != believed || c.share[1].value != 0 || (c.count[0] == heritagePeriods) != believed {
			t.Errorf("glitch %v: shares %v and %v, counts %v", glitch, c.share[0].value, c.share[1].value, c.count)
		}
	}
	if c := begun(8, 0); c.share[0].value != 0 || c.count[0] != 0 {
		t.Error("a period with a step is merged")
	}
}

// TestHeritageState: an heir that is saved and restored after any sample goes on with the same forecasts, across a break in
// its first day as well. A heavier model of the same series begins with the same heritage.
func TestHeritageState(t *testing.T) {
	const at, n = 500, 40
	older := []eval.Forecaster{office(t, 1, at, 1), office(t, 2, at, 3)}
	x := officeHours(3, at, n, .5)
	run := func(s *autoSeries, i int) []float64 {
		if i == 14 {
			s.ResetLags()
		}
		s.SetTime(modeltest.FirstOf2026 + int64(at+i)*hour)
		if err := s.Observe(x[i]); err != nil {
			t.Fatal(err)
		}
		dst := make([]float64, 12)
		s.ForecastTo(dst)
		return dst
	}
	whole := heir(t, older, at)
	again := heir(t, older, at)
	for i := range n {
		c := snapshot.NewEncoder(nil)
		again.m.State(c)
		again.State(c)
		again = heir(t, nil, at)
		d := snapshot.NewDecoder(c.Bytes())
		again.m.State(d)
		again.State(d)
		if err := d.Finish(); err != nil {
			t.Fatal(err)
		}
		if want, got := run(whole, i), run(again, i); !slices.Equal(got, want) {
			t.Fatalf("row %d: %v after a restart, %v without", i, got, want)
		}
		if i == 23 {
			succeeded, inherited := heir(t, nil, at), heir(t, older, at)
			succeeded.Succeed(again)
			for k := range n {
				if !slices.Equal(run(succeeded, k), run(inherited, k)) {
					t.Fatalf("row %d of a heavier model differs", k)
				}
			}
		}
	}
}
