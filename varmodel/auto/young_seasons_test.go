package auto

import (
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
)

// youngKind is a kind of young series.
type youngKind struct {
	name    string
	period  int   // samples; 0: no season
	spacing int64 // ns; 0: no time stamps
	vars    int
	swings  bool
	make    func(r *rand.Rand) func(i int) float64 // one variable
}

const (
	youngSeeds = 8
	youngFirst = 2000 // first seed
)

// autoregression returns noise of the given standard deviation with coefficients a and b.
func autoregression(r *rand.Rand, sd, a, b float64) func() float64 {
	u, v := 0., 0.
	next := func() float64 { u, v = a*u+b*v+sd*r.NormFloat64(), u; return u }
	for range 100 {
		next()
	}
	return next
}

// youngDay is a shape of one period, of random phases, and an autoregression of order one beside it.
func youngDay(shape string, period int, sd, keep float64) func(r *rand.Rand) func(i int) float64 {
	return func(r *rand.Rand) func(i int) float64 {
		a, b := r.Float64(), r.Float64()
		rest := autoregression(r, sd*math.Sqrt(1-keep*keep), keep, 0)
		return func(i int) float64 {
			u, v := math.Mod(float64(i)/float64(period), 1), 10+rest()
			switch shape {
			case "waves":
				return v + math.Sin(2*math.Pi*(u+a)) + .4*math.Sin(4*math.Pi*(u+b))
			case "office":
				if u > .25+.15*a && u < .65+.2*b {
					return v + 1.5
				}
				return v - .5
			}
			return v + 3*math.Exp(-math.Pow((u-.2-.2*a)/.04, 2)) + 2*math.Exp(-math.Pow((u-.7-.2*b)/.06, 2))
		}
	}
}

func oscillator(short, long, keep float64) func(r *rand.Rand) func(i int) float64 {
	return func(r *rand.Rand) func(i int) float64 {
		turn := 2 * math.Pi / (short + (long-short)*r.Float64())
		next := autoregression(r, 1, 2*keep*math.Cos(turn), -keep*keep)
		return func(int) float64 { return next() }
	}
}

const (
	quarterHour = int64(900e9)
	hour        = 4 * quarterHour
	month       = yearSpan / 12
)

var youngKinds = []youngKind{
	{"day of waves", 24, hour, 1, false, youngDay("waves", 24, .3, 0)},
	{"day of an office", 24, hour, 1, false, youngDay("office", 24, .4, .7)},
	{"day of peaks", 48, hour / 2, 1, false, youngDay("peaks", 48, .3, .5)},
	{"day of five variables", 24, hour, 5, false, youngDay("peaks", 24, .5, .5)},
	{"day of counts", 48, hour / 2, 1, false, func(r *rand.Rand) func(i int) float64 {
		first := r.IntN(48)
		return func(i int) float64 { return poisson(r, 4+3.5*wave(i+first, 48)) }
	}},
	{"day and week", 168, hour, 1, false, func(r *rand.Rand) func(i int) float64 {
		day, first := youngDay("waves", 24, .3, .6)(r), r.IntN(7)
		return func(i int) float64 {
			v := day(i)
			if (i/24+first)%7 >= 5 {
				v = .4*v + 5
			}
			return v
		}
	}},
	{"week", 7, daySpan, 1, false, youngDay("office", 7, .3, 0)},
	{"trend and year", 12, month, 1, false, func(r *rand.Rand) func(i int) float64 {
		day, level := youngDay("waves", 12, .1, 0)(r), 0.
		return func(i int) float64 {
			level += .01 + .01*r.NormFloat64()
			return 100 * math.Exp(level) * (1 + .1*(day(i)-10))
		}
	}},
	{"trend and quarters", 4, 3 * month, 1, false, func(r *rand.Rand) func(i int) float64 {
		day, level := youngDay("office", 4, .3, 0)(r), 0.
		return func(i int) float64 { level += .3 + .3*r.NormFloat64(); return level + 2*day(i) }
	}},
	{"walk", 0, hour, 1, false, func(r *rand.Rand) func(int) float64 {
		v := 0.
		return func(int) float64 { v += r.NormFloat64(); return v }
	}},
	{"noise", 0, hour, 1, false, func(r *rand.Rand) func(int) float64 { return func(int) float64 { return 10 + r.NormFloat64() } }},
	{"AR of .9", 0, hour, 1, false, func(r *rand.Rand) func(int) float64 {
		next := autoregression(r, 1, .9, 0)
		return func(int) float64 { return next() }
	}},
	{"oscillator of a day", 0, hour, 1, true, oscillator(15, 35, .97)},
	{"oscillator of a week", 0, daySpan, 1, true, oscillator(6, 10, .97)},
	{"18 oscillators", 0, hour, 18, true, oscillator(15, 35, .9)},
	{"counts", 0, hour, 1, false, func(r *rand.Rand) func(int) float64 { return func(int) float64 { return poisson(r, 3) } }},
	{"levels", 0, hour, 1, false, func(r *rand.Rand) func(int) float64 {
		level := 0.
		return func(int) float64 {
			if r.Float64() < .02 {
				level += 5 * r.NormFloat64()
			}
			return level + r.NormFloat64()
		}
	}},
	{"glitches", 0, hour, 1, false, func(r *rand.Rand) func(int) float64 {
		next := autoregression(r, 1, .8, 0)
		return func(i int) float64 {
			if v := next(); i >= 50 || r.Float64() > .06 {
				return v
			}
			return 100 * r.Float64()
		}
	}},
	{"trend", 0, hour, 1, false, func(r *rand.Rand) func(int) float64 {
		slope := .3 * r.NormFloat64()
		return func(i int) float64 { return slope*float64(i) + r.NormFloat64() }
	}},
}

// youngBaselines forecast each horizon from the past x of one variable: the last value, the last day, and exponential
// smoothing with the gain that was best so far.
type youngBaselines struct {
	gains, levels, errors []float64
}

func newYoungBaselines() *youngBaselines {
	b := &youngBaselines{gains: []float64{1, .6, .35, .18, .08, .03}}
	b.levels, b.errors = make([]float64, len(b.gains)), make([]float64, len(b.gains))
	return b
}

func (b *youngBaselines) Observe(n int, v float64) {
	for k, gain := range b.gains {
		if n > 0 {
			b.errors[k] += square(v - b.levels[k])
		}
		b.levels[k] += max(gain, 1/float64(n+1)) * (v - b.levels[k])
	}
}

func (b *youngBaselines) forecast(x []float64, h int) [3]float64 {
	last, best := x[len(x)-1], 0
	for k, e := range b.errors {
		if e < b.errors[best] {
			best = k
		}
	}
	season := last
	if i := len(x) - 1 + h - 24*((h+23)/24); i >= 0 {
		season = x[i]
	}
	return [3]float64{last, season, b.levels[best]}
}

// youngErrors are sums of squared errors of the model, and of what it is compared with: of a seasonal mean that is told
// the period, or of the baselines.
type youngErrors struct {
	model float64
	other [3]float64
}

func (e *youngErrors) add(o youngErrors) {
	e.model += o.model
	for b, v := range o.other {
		e.other[b] += v
	}
}

// ratio is the error of the model over that of the best baseline in hindsight.
func (e *youngErrors) ratio() float64 {
	return math.Sqrt(e.model / min(e.other[0], e.other[1], e.other[2]))
}

// stage returns the stage of a target, -1 for none: with a season, origins of the third period, and of the fifth and the
// sixth; else targets in the first 50, 100 and 300 samples.
func (k youngKind) stage(target, h int) int {
	switch p := k.period; {
	case p == 0 && target < 8:
	case p == 0 && target < 50:
		return 0
	case p == 0 && target < 100:
		return 1
	case p == 0:
		return 2
	case target-h >= 2*p-1 && target-h < 3*p-1:
		return 0
	case target-h >= 4*p-1 && target-h < 6*p-1:
		return 1
	}
	return -1
}

func (k youngKind) rows() int {
	if k.period == 0 {
		return 300
	}
	return 6*k.period + k.period/2
}

func (k youngKind) horizons() [2]int {
	if k.period == 0 {
		return [2]int{1, 12}
	}
	return [2]int{1, max(2, k.period/2)}
}

// errors runs a series of the kind and returns errors by horizon and stage.
func (k youngKind) errors(t *testing.T, seed uint64) (sums [2][3]youngErrors) {
	r := rand.New(rand.NewPCG(seed, uint64(7000+k.period)))
	var variables []func(i int) float64
	for range k.vars {
		variables = append(variables, k.make(r))
	}
	unit, hs := []float64{1, 1e-6, 1e4}[seed%3], k.horizons()
	f := newAuto(t, Config{Dim: k.vars, Horizon: hs[1]}).NewSeries()
	clock := modeltest.As[eval.Clocked](t, f)
	first := modeltest.FirstOf2026 + int64(r.IntN(1000))*k.spacing
	x, baselines := make([][]float64, k.vars), make([]*youngBaselines, k.vars)
	for j := range baselines {
		baselines[j] = newYoungBaselines()
	}
	type forecasts struct {
		model []float64
		other [][3]float64
	}
	pending := map[[2]int]forecasts{}
	y, dst := make([]float64, k.vars), make([]float64, hs[1]*k.vars)
	for i := range k.rows() {
		for j := range y {
			y[j] = variables[j](i)
			x[j] = append(x[j], y[j])
			baselines[j].Observe(i, y[j])
		}
		for n, h := range hs {
			p, known := pending[[2]int{i, n}]
			if at := k.stage(i, h); known && at >= 0 {
				for j, v := range y {
					e := youngErrors{model: square(v - p.model[j])}
					for b := range e.other {
						e.other[b] = square(v - p.other[j][b])
					}
					sums[n][at].add(e)
				}
			}
		}
		for j := range y {
			y[j] *= unit
		}
		if k.spacing > 0 {
			clock.SetTime(first + int64(i)*k.spacing)
		}
		if err := f.Observe(y); err != nil {
			t.Fatal(err)
		}
		f.ForecastTo(dst)
		for n, h := range hs {
			p := forecasts{}
			for j := range y {
				p.model = append(p.model, dst[(h-1)*k.vars+j]/unit)
				other := baselines[j].forecast(x[j], h)
				if k.period > 0 {
					mean, n := 0., 0.
					for at := (i + h) % k.period; at <= i; at += k.period {
						mean, n = mean+x[j][at], n+1
					}
					other = [3]float64{mean / n, math.Inf(1), math.Inf(1)}
				}
				p.other = append(p.other, other)
			}
			pending[[2]int{i + h, n}] = p
		}
	}
	return sums
}

// Young series of many kinds, told nothing but the time. After two and four periods the root mean squared error, one step and
// half a period ahead, is compared with that of a seasonal mean that is told the period; where nothing repeats, in the first
// 50, 100 and 300 samples, with the best baseline in hindsight. Over nine other sets of eight seeds, half a period ahead:
//
//	                               after two periods    after four
//	geometric mean of the kinds    .84 to .89           .71 to .75
//	largest of a kind              1.27, once 1.57      1.08
//
// Once, the first week of one series has a single large jump, which is no evidence. The limits are the other
// largest ratios and a tenth. What does not repeat had 1.09 at most, except oscillators (1.13), and, up to
// row 100, levels twelve steps ahead in one set (1.25) and glitches one step ahead in one (1.32). Without reviewYouth
// glitches have 1.44 with these seeds, and up to 3.18 with others, one step ahead up to row 100.
func TestYoungKinds(t *testing.T) {
	const plain, swinging = 1.2, 1.3
	var mu sync.Mutex
	var logs [2]float64
	seasonal := 0.
	t.Run("kinds", func(t *testing.T) {
		for _, k := range youngKinds {
			t.Run(k.name, func(t *testing.T) {
				t.Parallel()
				var sums [2][3]youngErrors
				for seed := range uint64(youngSeeds) {
					for n, stages := range k.errors(t, youngFirst+seed) {
						for at, e := range stages {
							sums[n][at].add(e)
						}
					}
				}
				mu.Lock()
				defer mu.Unlock()
				limits := []float64{plain, plain, plain}
				if k.period > 0 {
					seasonal++
					limits = []float64{1.4, 1.19}
				}
				for n, h := range k.horizons() {
					for at, limit := range limits {
						if k.swings && n > 0 {
							limit = swinging
						}
						ratio := sums[n][at].ratio()
						t.Logf("stage %d, %d steps ahead: %.3f of the baseline", at, h, ratio)
						if !(ratio <= limit) {
							t.Errorf("stage %d, %d steps ahead: %.3f of the baseline, more than %v", at, h, ratio, limit)
						}
						if k.period > 0 && n > 0 {
							logs[at] += math.Log(ratio)
						}
					}
				}
			})
		}
	})
	for at, limit := range []float64{.98, .83} {
		mean := math.Exp(logs[at] / seasonal)
		if t.Logf("stage %d: %.3f of the seasonal mean", at, mean); !(mean <= limit) {
			t.Errorf("stage %d: %.3f of the seasonal mean, more than %v", at, mean, limit)
		}
	}
}
