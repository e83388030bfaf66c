package auto

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
	"github.com/orffvar/forecaster/varmodel/series"
)

// oddsFamily is a family of young series for the learning of the odds. Seasonal series end when their season is found.
type oddsFamily struct {
	rows int
	make func(r *rand.Rand) func(i int) float64
}

// between returns a number between a and b with a uniform logarithm.
func between(r *rand.Rand, a, b float64) float64 { return a * math.Pow(b/a, r.Float64()) }

// sumOf returns the sums of steps.
func sumOf(step func() float64) func(int) float64 {
	v := 0.
	return func(int) float64 { v += step(); return v }
}

// oddsFamilies lists the families. Each has the same weight.
func oddsFamilies() []oddsFamily {
	const rows = 124
	of := func(make func(r *rand.Rand) func(i int) float64) oddsFamily { return oddsFamily{rows, make} }
	plain := func(next func(r *rand.Rand) func() float64) oddsFamily {
		return of(func(r *rand.Rand) func(int) float64 { f := next(r); return func(int) float64 { return f() } })
	}
	walk := func(increment func(r *rand.Rand) func() float64) oddsFamily {
		return of(func(r *rand.Rand) func(int) float64 { return sumOf(increment(r)) })
	}
	drifting := func(r *rand.Rand, sd, keep float64) func() float64 {
		drift, rest := sd*r.NormFloat64(), autoregression(r, 1, keep, 0)
		return func() float64 { return drift + rest() }
	}
	noise := func(r *rand.Rand) func() float64 { return r.NormFloat64 }
	day := func(period, rows int) oddsFamily {
		return oddsFamily{rows, func(r *rand.Rand) func(int) float64 {
			shape := []string{"waves", "office", "peaks"}[r.IntN(3)]
			return youngDay(shape, period, between(r, .1, .6), .9*r.Float64())(r)
		}}
	}
	return []oddsFamily{
		walk(noise),
		walk(func(r *rand.Rand) func() float64 { return drifting(r, .3, 0) }),
		walk(func(r *rand.Rand) func() float64 { return drifting(r, 0, -.3+1.1*r.Float64()) }),
		walk(func(r *rand.Rand) func() float64 { return drifting(r, 1, .8*r.Float64()) }),
		plain(noise),
		plain(func(r *rand.Rand) func() float64 { return autoregression(r, 1, r.Float64(), 0) }),
		plain(func(r *rand.Rand) func() float64 { return autoregression(r, 1, 1-between(r, .01, .3), 0) }),
		plain(func(r *rand.Rand) func() float64 {
			a, b := r.Float64(), -.5+1.4*r.Float64()
			return autoregression(r, 1, a+b, -a*b)
		}),
		plain(func(r *rand.Rand) func() float64 {
			next, sd := autoregression(r, 1, 1-between(r, .02, .5), 0), between(r, .3, 3)
			return func() float64 { return next() + sd*r.NormFloat64() }
		}),
		plain(func(r *rand.Rand) func() float64 {
			next, size := autoregression(r, 1, 1-between(r, .02, .5), 0), .1+.3*r.Float64()
			return func() float64 { return math.Exp(size * next()) }
		}),
		plain(func(r *rand.Rand) func() float64 {
			next, mean := autoregression(r, 1, .9*r.Float64(), 0), between(r, .3, 30)
			return func() float64 { return poisson(r, mean*math.Exp(.2*next())) }
		}),
		of(func(r *rand.Rand) func(int) float64 { // oscillator
			period := between(r, 4, 48)
			return oscillator(period, period, 1-between(r, .01, .3))(r)
		}),
		of(func(r *rand.Rand) func(int) float64 { // level that moves
			level, sd := sumOf(noise(r)), between(r, .05, 1)
			return func(i int) float64 { return sd*level(i) + r.NormFloat64() }
		}),
		of(func(r *rand.Rand) func(int) float64 { // slope that moves
			slope, sd, share := 0., between(r, .003, .1), .3*r.Float64()
			level := sumOf(func() float64 { slope += sd * r.NormFloat64(); return slope + share*r.NormFloat64() })
			return func(i int) float64 { return level(i) + r.NormFloat64() }
		}),
		of(func(r *rand.Rand) func(int) float64 { // line
			slope, next := .2*r.NormFloat64(), autoregression(r, 1, .9*r.Float64(), 0)
			return func(i int) float64 { return slope*float64(i) + next() }
		}),
		of(func(r *rand.Rand) func(int) float64 { // growth
			rate, next := .3+r.Float64(), autoregression(r, 1, .6*r.Float64(), 0)
			level := sumOf(func() float64 { return rate + next() })
			return func(i int) float64 { return math.Exp(.01 * level(i)) }
		}),
		of(func(r *rand.Rand) func(int) float64 { // shifts
			level, chance := 0., between(r, .01, .1)
			return func(int) float64 {
				if r.Float64() < chance {
					level += 5 * r.NormFloat64()
				}
				return level + r.NormFloat64()
			}
		}),
		of(func(r *rand.Rand) func(int) float64 { // bursts
			on, begins, lasts := false, between(r, .02, .1), .5+.5*r.Float64()
			return func(int) float64 {
				if on && r.Float64() > lasts || !on && r.Float64() < begins {
					on = !on
				}
				if on {
					return 5 + r.NormFloat64()
				}
				return .01 * r.NormFloat64()
			}
		}),
		day(24, 60), day(24, 60), day(7, 28), day(12, 40), day(48, 120),
	}
}

// restFamily is a family of series with a season of the clock.
type restFamily struct {
	oddsFamily
	spacing int64
}

// restFamilies lists the families of restRows. The level beside the season is constant, or it moves, or it grows.
func restFamilies() (all []restFamily) {
	shapes := []string{"waves", "office", "peaks"}
	for _, c := range []struct {
		period  int
		spacing int64
	}{{24, hour}, {48, hour / 2}, {7, daySpan}, {12, month}} {
		day := func(r *rand.Rand) func(int) float64 {
			return youngDay(shapes[r.IntN(len(shapes))], c.period, between(r, .1, .6), .9*r.Float64())(r)
		}
		rows := 4*c.period + oddsLatest
		all = append(all,
			restFamily{oddsFamily{rows, day}, c.spacing},
			restFamily{oddsFamily{rows, func(r *rand.Rand) func(int) float64 {
				first, mean := r.IntN(c.period), between(r, 1, 30)
				return func(i int) float64 { return poisson(r, mean*(1+.8*wave(i+first, c.period))) }
			}}, c.spacing},
			restFamily{oddsFamily{rows, func(r *rand.Rand) func(int) float64 {
				level, sd, season := sumOf(r.NormFloat64), between(r, .03, .3), day(r)
				return func(i int) float64 { return sd*level(i) + season(i) }
			}}, c.spacing},
			restFamily{oddsFamily{rows, func(r *rand.Rand) func(int) float64 {
				slope, season := r.NormFloat64()/float64(c.period), day(r)
				return func(i int) float64 { return slope*float64(i) + season(i) }
			}}, c.spacing},
		)
	}
	return all
}

var oddsHorizons = [...]int{1, 4, 12, 24}

// oddsRow holds the forecasts of all smoothers and laws at one origin.
type oddsRow struct {
	evidence []float64                    // logarithms of the likelihoods
	forecast [len(oddsHorizons)][]float64 // increments
	outcome  [len(oddsHorizons)]float64   // increments
}

const (
	oddsFirst  = 7 // first origin
	oddsEvery  = 3 // distance of the origins
	oddsLatest = 24
)

// newOddsRow returns the forecasts of all smoothers and laws of b, which are increments. b is not changed.
func newOddsRow(b *smoothing) (row oddsRow) {
	c := *b
	c.weights, c.lawWeights = make([]float64, len(b.weights)), make([]float64, len(b.lawWeights))
	c.level, c.ramp, c.used = make([]float64, 1), make([]float64, 1), make([][]uint8, 1)
	for _, e := range [][]float64{b.errors, b.lawErrors} {
		for _, v := range e {
			row.evidence = append(row.evidence, -b.known[0]/2*math.Log(v+math.SmallestNonzeroFloat64))
		}
	}
	for n, h := range oddsHorizons {
		for _, w := range [][]float64{c.weights, c.lawWeights} {
			for k := range w {
				w[k] = 1
				c.use(0)
				c.combine(0)
				row.forecast[n] = append(row.forecast[n], c.ahead(0, h, responses(h)))
				w[k] = 0
			}
			c.use(0)
		}
	}
	return row
}

// oddsRows returns every third origin from the eighth row on whose outcomes are known.
func oddsRows(x []float64) (rows []oddsRow) {
	b, scaler := newSmoothing(1), series.NewScaler(1)
	for i := range x[:len(x)-oddsLatest] {
		scaler.Add(x[i : i+1])
		if b.learn(0, x[i]-x[max(i-1, 0)], scaler) {
			b.weigh(0, scaler)
		}
		if i < oddsFirst || i%oddsEvery != 0 {
			continue
		}
		row := newOddsRow(b)
		for n, h := range oddsHorizons {
			row.outcome[n] = x[i+h] - x[i]
		}
		rows = append(rows, row)
	}
	return rows
}

// restRows returns the origins with a season, see oddsRows. The outcomes are those of the remainder.
func restRows(t *testing.T, x []float64, spacing, first int64) (rows []oddsRow) {
	f := newAuto(t, Config{Dim: 1, Horizon: 2}).NewSeries().(*autoSeries)
	for i := range x[:len(x)-oddsLatest] {
		f.SetTime(first + int64(i)*spacing)
		if err := f.Observe(x[i : i+1]); err != nil {
			t.Fatal(err)
		}
		if !f.smoothing.seasonal[0] || i%oddsEvery != 0 {
			continue
		}
		row := newOddsRow(f.smoothing)
		for n, h := range oddsHorizons {
			row.outcome[n] = x[i+h] - f.seasons.valueAt(0, h) - f.remainder.past.Lag(0)[0]
		}
		rows = append(rows, row)
	}
	return rows
}

// oddsKinds returns the kinds of all smoothers and laws.
func oddsKinds() (all []kind) {
	for _, m := range smoothers {
		all = append(all, m.of)
	}
	for _, l := range laws {
		all = append(all, l.of)
	}
	return all
}

// addOddsGradient adds the gradient of the loss of one series: the sum over the horizons of the logarithm of the mean
// squared error.
func addOddsGradient(gradient *[lawKinds]float64, rows []oddsRow, at [lawKinds]float64, kinds []kind) {
	weights := make([]float64, len(kinds))
	var square [len(oddsHorizons)]float64
	var slopes [len(oddsHorizons)][lawKinds]float64
	for _, row := range rows {
		top, sum := math.Inf(-1), 0.
		for k, e := range row.evidence {
			weights[k] = e + at[kinds[k]]
			top = max(top, weights[k])
		}
		for k, v := range weights {
			weights[k] = math.Exp(v - top)
			sum += weights[k]
		}
		for n, forecasts := range row.forecast {
			mean := 0.
			for k, f := range forecasts {
				mean += weights[k] / sum * f
			}
			e := row.outcome[n] - mean
			square[n] += e * e
			for k, f := range forecasts {
				slopes[n][kinds[k]] -= 2 * e * weights[k] / sum * (f - mean)
			}
		}
	}
	for n, s := range square {
		if s == 0 { // counts that do not change
			continue
		}
		for k, v := range slopes[n] {
			gradient[k] += v / s
		}
	}
}

// learnOdds returns the odds that minimise the mean loss over the series, where those of a level are 0. Adam (Kingma and
// Ba 2015) descends from odds of 0, with a ridge, because the loss hardly depends on some of them.
func learnOdds(all [][]oddsRow) (learnt [lawKinds]float64) {
	const steps, rate, ridge = 40, .3, .002
	var first, second [lawKinds]float64
	kinds, n := oddsKinds(), float64(len(all))
	for step := 1.; step <= steps; step++ {
		var gradient [lawKinds]float64
		for _, rows := range all {
			addOddsGradient(&gradient, rows, learnt, kinds)
		}
		for k, g := range gradient {
			g = g/n + 2*ridge*learnt[k]
			first[k] += .1 * (g - first[k])
			second[k] += .01 * (g*g - second[k])
			m, v := first[k]/(1-math.Pow(.9, step)), second[k]/(1-math.Pow(.99, step))
			learnt[k] -= rate * (1 - step/(steps+1)) * m / (math.Sqrt(v) + 1e-9)
		}
	}
	level := learnt[levelKind]
	for k := range learnt {
		learnt[k] -= level
	}
	return learnt
}

// oddsSeeds is the number of series of a family.
const oddsSeeds = 16

// TestOdds learns the odds from simulated young series. The limit is the rounding of the odds, and as much for the
// rounding of other processors.
func TestOdds(t *testing.T) {
	var all, rest [][]oddsRow
	for f, family := range oddsFamilies() {
		for seed := range uint64(oddsSeeds) {
			next := family.make(rand.New(rand.NewPCG(seed, uint64(f))))
			all = append(all, oddsRows(firstOf(next, family.rows)))
		}
	}
	for f, family := range restFamilies() {
		for seed := range uint64(oddsSeeds) {
			r := rand.New(rand.NewPCG(seed, uint64(1000+f)))
			next := family.make(r)
			first := modeltest.FirstOf2026 + int64(r.IntN(1000))*family.spacing
			if rows := restRows(t, firstOf(next, family.rows), family.spacing, first); len(rows) > 0 {
				rest = append(rest, rows)
			}
		}
	}
	for _, c := range []struct {
		name        string
		learnt, has [lawKinds]float64
	}{{"odds", learnOdds(all), odds}, {"restOdds", learnOdds(rest), restOdds}} {
		for k, v := range c.learnt {
			if !(math.Abs(v-c.has[k]) <= .01) {
				t.Errorf("%s of kind %d: learnt %.3f, not %v", c.name, k, v, c.has[k])
			}
		}
	}
}

// firstOf returns the first n values of a series.
func firstOf(next func(i int) float64, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = next(i)
	}
	return x
}

// A response is the forecast of the law by its definition, step by step, for each deviation, increment and slope.
func TestResponses(t *testing.T) {
	const deviation, increment, slope = 3., -2., .5
	for h := 1; h <= 30; h++ {
		for k, r := range responses(h) {
			l := laws[k]
			now, before := -deviation, -deviation-(increment-slope) // of the last value from the centre
			for range h {
				now, before = l.now*now+l.before*before, now
			}
			want := deviation + now // forecast minus last value, when the centre does not move
			got := r.level*deviation + r.step*(increment-slope)
			modeltest.Near(t, fmt.Sprintf("%+v, %d steps", l, h), got, want, 1e-12*(1+math.Abs(want)))
		}
	}
}
