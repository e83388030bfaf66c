package auto

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/varmodel"
	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
)

// simpleSeries are simulated series that a simple model forecasts as well as can be, with the
// largest ratio of the error of the default model to that of the best simple model.
var simpleSeries = []struct {
	name     string
	absolute bool // mean absolute error, where squares have no mean
	limit    float64
	make     func(r *rand.Rand, n int) [][]float64
}{
	{"Mackey-Glass", false, 1.05, func(_ *rand.Rand, n int) [][]float64 { return mackeyGlass(n, 17) }},
	{"two sines, noise .01", false, 1.05, twoSines(.01)},
	{"two sines, noise .1", false, 1.05, twoSines(.1)},
	{"copy delayed by 50", false, 1.45 /* the aim is 1.05 */, func(r *rand.Rand, n int) [][]float64 {
		x := make([][]float64, n)
		for i := range x {
			x[i] = []float64{r.NormFloat64(), .1 * r.NormFloat64()}
			if i >= 50 {
				x[i][1] += x[i-50][0]
			}
		}
		return x
	}},
	{"MA(1)", false, 1.05, func(r *rand.Rand, n int) [][]float64 {
		before := 0.
		return column(n, func(int) float64 {
			e := r.NormFloat64()
			v := e + .8*before
			before = e
			return v
		})
	}},
	{"intermittent", false, 1.05, func(r *rand.Rand, n int) [][]float64 {
		return column(n, func(int) float64 {
			if r.Float64() < .9 {
				return 0
			}
			return 1 + poisson(r, 3)
		})
	}},
	{"Cauchy", true, 1.05, func(r *rand.Rand, n int) [][]float64 {
		return column(n, func(int) float64 { return math.Tan(math.Pi * (r.Float64() - .5)) })
	}},
	{"walk of Cauchy steps", true, 1.05, func(r *rand.Rand, n int) [][]float64 {
		v := 0.
		return column(n, func(int) float64 { v += math.Tan(math.Pi * (r.Float64() - .5)); return v })
	}},
	{"random walk", false, 1.01, func(r *rand.Rand, n int) [][]float64 {
		v := 0.
		return column(n, func(int) float64 { v += r.NormFloat64(); return v })
	}},
}

func column(n int, next func(i int) float64) [][]float64 {
	x := make([][]float64, n)
	for i := range x {
		x[i] = []float64{next(i)}
	}
	return x
}

func twoSines(noise float64) func(r *rand.Rand, n int) [][]float64 {
	return func(r *rand.Rand, n int) [][]float64 {
		return column(n, func(i int) float64 {
			t := float64(i)
			return math.Sin(2*math.Pi*t/25.3) + .5*math.Sin(2*math.Pi*t/7.7) + noise*r.NormFloat64()
		})
	}
}

// mackeyGlass integrates x' = .2 x(t-tau)/(1 + x(t-tau)^10) - .1 x by steps of .1 of Euler's
// method, one sample per unit of time.
func mackeyGlass(n, tau int) [][]float64 {
	const parts = 10
	var path []float64
	for range tau*parts + 1 {
		path = append(path, 1.2)
	}
	var x [][]float64
	for i := 0; len(x) < n; i++ {
		last, old := path[len(path)-1], path[len(path)-1-tau*parts]
		path = append(path, last+(.2*old/(1+math.Pow(old, 10))-.1*last)/parts)
		if i >= 500*parts && i%parts == 0 { // without the transient
			x = append(x, path[len(path)-1:len(path):len(path)])
		}
	}
	return x
}

// runningForecast is the mean of all samples, or their median, or an exponentially weighted
// mean with the given rate.
type runningForecast struct {
	median bool
	rate   float64
	x      [][]float64 // of each variable, sorted for the median
	sum    []float64
	n      float64
}

func (f *runningForecast) Next(y []float64) []float64 {
	if f.sum == nil {
		f.sum, f.x = make([]float64, len(y)), make([][]float64, len(y))
	}
	f.n++
	out := make([]float64, len(y))
	for j, v := range y {
		f.sum[j] += max(f.rate, 1/f.n) * (v - f.sum[j])
		out[j] = f.sum[j]
		if f.median {
			i, _ := slices.BinarySearch(f.x[j], v)
			f.x[j] = slices.Insert(f.x[j], i, v)
			out[j] = f.x[j][len(f.x[j])/2]
		}
	}
	return out
}

// errorsFrom is the mean over the variables of the error of one step in units of persistence's,
// over the rows from .. to.
func errorsFrom(x [][]float64, next func(y []float64) []float64, absolute bool, from, to int) (mean float64) {
	d := len(x[0])
	ours, naive := make([]float64, d), make([]float64, d)
	size := func(v float64) float64 {
		if absolute {
			return math.Abs(v)
		}
		return v * v
	}
	for i := 0; i+1 < to; i++ {
		forecast := next(x[i])
		if i+1 < from {
			continue
		}
		for j, v := range x[i+1] {
			ours[j] += size(forecast[j] - v)
			naive[j] += size(x[i][j] - v)
		}
	}
	for j, v := range ours {
		mean += v / naive[j] / float64(d)
	}
	return mean
}

func nextOf(t *testing.T, m eval.Model, err error) func(y []float64) []float64 {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	f := m.NewSeries()
	return func(y []float64) []float64 {
		if err := f.Observe(y); err != nil {
			t.Fatal(err)
		}
		out := make([]float64, len(y))
		f.ForecastTo(out)
		return out
	}
}

// Series that a simple model forecasts as well as can be: the error of one step over the last
// three quarters, in units of the best of the last value, means, autoregressions by least
// squares and, with several variables, VAR(1) and VAR(60).
func TestProtocolSimple(t *testing.T) {
	modeltest.Measuring(t)
	const n, seeds = 4000, 3
	for _, s := range simpleSeries {
		var ratios [3]float64
		best := ""
		for seed := range uint64(seeds) {
			x := s.make(rand.New(rand.NewPCG(seed, 15)), n)
			d := len(x[0])
			simple := map[string]func(y []float64) []float64{
				"last value":    func(y []float64) []float64 { return y },
				"mean":          (&runningForecast{}).Next,
				"median":        (&runningForecast{median: true}).Next,
				"smoothed, .1":  (&runningForecast{rate: .1}).Next,
				"smoothed, .02": (&runningForecast{rate: .02}).Next,
			}
			for name, order := range map[string]int{"AR(1)": 1, "AR(12)": 12, "AR(48)": 48} {
				m, err := varmodel.NewAR(varmodel.ARConfig{Dim: d, Order: order, Horizon: 1, Ridge: 1e-6})
				simple[name] = nextOf(t, m, err)
			}
			if d > 1 {
				for name, order := range map[string]int{"VAR(1)": 1, "VAR(60)": 60} {
					m, err := varmodel.NewVAR(varmodel.VARConfig{Dim: d, Order: order, Horizon: 1, Ridge: 1e-6})
					simple[name] = nextOf(t, m, err)
				}
			}
			least := math.Inf(1)
			for name, next := range simple {
				if v := errorsFrom(x, next, s.absolute, n/4, n); v < least {
					least, best = v, name
				}
			}
			for i, tier := range Tiers {
				m, err := New(Config{Dim: d, Horizon: 1, Tier: tier})
				ratios[i] += errorsFrom(x, nextOf(t, m, err), s.absolute, n/4, n) / least / seeds
			}
		}
		t.Logf("%-22s %.3f  light %.3f  tiny %.3f  of %s", s.name, ratios[0], ratios[1], ratios[2], best)
		if !(ratios[0] <= s.limit) {
			t.Errorf("%s: %.3f of the best simple model, limit %.2f", s.name, ratios[0], s.limit)
		}
	}
}

// Series whose last value is the best forecast: 1.01 of its error over all rows, 1.05 over the
// first 100.
func TestProtocolWalks(t *testing.T) {
	modeltest.Measuring(t)
	check := func(name string, x [][]float64, series int) {
		var all, first float64
		d := len(x[0]) / series
		for k := range series {
			part := columns(x, from(k*d, (k+1)*d)...)
			m, err := New(Config{Dim: d, Horizon: 1})
			first += errorsFrom(part, nextOf(t, m, err), false, 1, 101) / float64(series)
			m, err = New(Config{Dim: d, Horizon: 1})
			all += errorsFrom(part, nextOf(t, m, err), false, 1, len(x)) / float64(series)
		}
		t.Logf("%-14s all rows %.4f, the first 100 %.4f", name, all, first)
		if !(all <= 1.01) || !(first <= 1.05) {
			t.Errorf("%s: all rows %.4f, the first 100 %.4f of the last value's error", name, all, first)
		}
	}
	const walks, d = 20, 3
	rng := rand.New(rand.NewPCG(1, 16))
	x := make([][]float64, 3000)
	for i := range x {
		x[i] = make([]float64, walks*d)
		for j := range x[i] {
			if x[i][j] = rng.NormFloat64(); i > 0 {
				x[i][j] += x[i-1][j]
			}
		}
	}
	check("random walks", x, walks)
	check("exchange_rate", modeltest.ReadSeries(t, "exchange_rate.csv"), 1)
}
