package varmodel

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/varmodel/auto"
	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
)

// models are constructors of every model for one shape.
var models = map[string]func(dim, horizon int) (eval.Model, error){
	"persistence": func(d, h int) (eval.Model, error) { return NewPersistence(PersistenceConfig{Dim: d, Horizon: h}) },
	"seasonal":    func(d, h int) (eval.Model, error) { return NewSeasonal(SeasonalConfig{Dim: d, Horizon: h, Period: 5}) },
	"var":         func(d, h int) (eval.Model, error) { return NewVAR(VARConfig{Dim: d, Horizon: h, Order: 3}) },
	"var-forget": func(d, h int) (eval.Model, error) {
		return NewVAR(VARConfig{Dim: d, Horizon: h, Order: 2, Forgetting: .98})
	},
	"ar": func(d, h int) (eval.Model, error) {
		return NewAR(ARConfig{Dim: d, Horizon: h, Order: 6, Forgetting: .999})
	},
	"orffvar": func(d, h int) (eval.Model, error) {
		return auto.NewORFFVAR(auto.ORFFVARConfig{Dim: d, Horizon: h, Order: 2, Seed: 1, Frequencies: 20})
	},
	"orffvar-rls": func(d, h int) (eval.Model, error) {
		return auto.NewORFFVAR(auto.ORFFVARConfig{Dim: d, Horizon: h, Order: 1, Seed: 1, Frequencies: 20, Optimiser: auto.RLS})
	},
	"orffvar-nlms": func(d, h int) (eval.Model, error) {
		return auto.NewORFFVAR(auto.ORFFVARConfig{Dim: d, Horizon: h, Order: 1, Seed: 1, Frequencies: 20, Optimiser: auto.NLMS})
	},
	"orffvar-nlms-block": func(d, h int) (eval.Model, error) { // too large for the first cache
		return auto.NewORFFVAR(auto.ORFFVARConfig{Dim: d, Horizon: h, Order: 3, Seed: 1, Frequencies: 600, Optimiser: auto.NLMS})
	},
}

func newModel(t testing.TB, name string, dim, horizon int) eval.Model {
	t.Helper()
	m, err := models[name](dim, horizon)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// eachModel runs f for every model as a subtest.
func eachModel(t *testing.T, f func(t *testing.T, name string)) {
	for name := range models {
		t.Run(name, func(t *testing.T) { f(t, name) })
	}
}

// What comes later, right or wrong, changes no earlier forecast; and two runs
// agree bit for bit.
func TestForecastsDependOnThePastOnly(t *testing.T) {
	const d, h, n, cut = 3, 4, 600, 400
	eachModel(t, func(t *testing.T, name string) {
		x := modeltest.RandomSeries(rand.New(rand.NewPCG(1, 2)), n, d, .05)
		garbled := append([][]float64(nil), x[:cut]...)
		rng := rand.New(rand.NewPCG(3, 4))
		for range n - cut {
			garbled = append(garbled, []float64{1e6 * rng.NormFloat64(), math.NaN(), 7})
		}
		whole := modeltest.Record(t, newModel(t, name, d, h).NewSeries(), x, h*d)
		again := modeltest.Record(t, newModel(t, name, d, h).NewSeries(), x, h*d)
		short := modeltest.Record(t, newModel(t, name, d, h).NewSeries(), x[:cut], h*d)
		wrong := modeltest.Record(t, newModel(t, name, d, h).NewSeries(), garbled, h*d)
		if err := modeltest.Same(whole, again); err != nil {
			t.Errorf("two runs differ: %v", err)
		}
		if err := modeltest.Same(short, whole[:cut]); err != nil {
			t.Errorf("cutting the future changed a forecast: %v", err)
		}
		if err := modeltest.Same(short, wrong[:cut]); err != nil {
			t.Errorf("garbling the future changed a forecast: %v", err)
		}
	})
}

// Asking for forecasts, once or often, changes nothing.
func TestForecastToHasNoEffect(t *testing.T) {
	const d, h = 2, 3
	eachModel(t, func(t *testing.T, name string) {
		x := modeltest.RandomSeries(rand.New(rand.NewPCG(5, 6)), 400, d, .02)
		a, b := newModel(t, name, d, h).NewSeries(), newModel(t, name, d, h).NewSeries()
		p, q := make([]float64, h*d), make([]float64, h*d)
		for i, row := range x {
			if err := a.Observe(row); err != nil {
				t.Fatal(err)
			}
			if err := b.Observe(row); err != nil {
				t.Fatal(err)
			}
			a.ForecastTo(p)
			a.ForecastTo(p)
			if i > 390 {
				b.ForecastTo(q)
				if err := modeltest.Same([][]float64{p}, [][]float64{q}); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}

func TestSaveAndRestoreContinuesBitForBit(t *testing.T) {
	const d, h = 3, 3
	eachModel(t, func(t *testing.T, name string) {
		x := modeltest.RandomSeries(rand.New(rand.NewPCG(7, 8)), 700, d, .05)
		for _, cut := range []int{0, 1, 150, 450} {
			m := newModel(t, name, d, h)
			f := m.NewSeries()
			modeltest.Record(t, f, x[:cut], h*d)
			saved, ofModel := modeltest.SaveState(m, f), len(modeltest.SaveState(m))

			m2 := newModel(t, name, d, h)
			f2 := m2.NewSeries()
			c := snapshot.NewDecoder(saved)
			m2.State(c)
			f2.State(c)
			if err := c.Finish(); err != nil {
				t.Fatal(err)
			}
			if err := modeltest.Same(modeltest.Record(t, f, x[cut:], h*d), modeltest.Record(t, f2, x[cut:], h*d)); err != nil {
				t.Errorf("restored after %d samples: %v", cut, err)
			}
			if len(saved) > 8 {
				c := snapshot.NewDecoder(saved[:len(saved)-1])
				m2.State(c)
				f2.State(c)
				if c.Finish() == nil {
					t.Error("a truncated state was accepted")
				}
			}
			// The states of model and series begin with their names, behind the length of the name.
			for _, at := range []int{8, ofModel + 8} {
				other := slices.Clone(saved)
				other[at]++
				c := snapshot.NewDecoder(other)
				m2.State(c)
				f2.State(c)
				if c.Finish() == nil {
					t.Errorf("a state with byte %d of another name was accepted", at)
				}
			}
		}
	})
}

// A sample that is refused leaves no trace.
func TestObserveRefusesBadSamples(t *testing.T) {
	const d, h = 2, 2
	eachModel(t, func(t *testing.T, name string) {
		m := newModel(t, name, d, h)
		f := m.NewSeries()
		modeltest.Record(t, f, modeltest.RandomSeries(rand.New(rand.NewPCG(9, 10)), 300, d, 0), h*d)
		before := string(modeltest.SaveState(m, f))
		for _, bad := range [][]float64{{1}, {1, 2, 3}, {math.Inf(1), 1}, {math.NaN(), math.Inf(-1)}} {
			if err := f.Observe(bad); err == nil {
				t.Errorf("%v was accepted", bad)
			}
		}
		if string(modeltest.SaveState(m, f)) != before {
			t.Error("a refused sample changed the state")
		}
	})
}

// Nothing is forecast before anything was observed, a constant series is
// forecast exactly, and samples without any value are allowed.
func TestBeginningsAndConstants(t *testing.T) {
	const d, h = 2, 3
	eachModel(t, func(t *testing.T, name string) {
		f := newModel(t, name, d, h).NewSeries()
		dst := make([]float64, h*d)
		if f.ForecastTo(dst) {
			t.Error("a forecast of nothing")
		}
		nan := math.NaN()
		if err := f.Observe([]float64{nan, nan}); err != nil {
			t.Fatal(err)
		}
		if f.ForecastTo(dst) {
			t.Error("a forecast of nothing but missing values")
		}
		for i := range 500 {
			row := []float64{3.7, -1e9}
			if i%7 == 3 {
				row[i%2] = nan
			}
			if i%50 == 49 {
				row = []float64{nan, nan}
			}
			if err := f.Observe(row); err != nil {
				t.Fatal(err)
			}
			if !f.ForecastTo(dst) {
				t.Fatal("no forecast")
			}
			for k, v := range dst {
				if want := []float64{3.7, -1e9}[k%2]; i > 2 && !(math.Abs(v-want) <= 1e-9*math.Abs(want)) {
					t.Fatalf("row %d: forecast %v of the constant %v", i, v, want)
				}
			}
		}
	})
}

// On white noise no forecast can beat the variance. The scored mean of 4000 x 2
// squared normals has a standard error of sqrt(2/8000) = 1.6 %; five of them.
func TestNothingBeatsWhiteNoise(t *testing.T) {
	eachModel(t, func(t *testing.T, name string) {
		rng := rand.New(rand.NewPCG(11, 12))
		f := newModel(t, name, 2, 1).NewSeries()
		dst := make([]float64, 2)
		var sum, n float64
		for i := range 5000 {
			row := []float64{rng.NormFloat64(), rng.NormFloat64()}
			if i >= 1000 {
				f.ForecastTo(dst)
				for j, v := range row {
					sum += (v - dst[j]) * (v - dst[j])
					n++
				}
			}
			if err := f.Observe(row); err != nil {
				t.Fatal(err)
			}
		}
		if mse := sum / n; !(mse >= 1-.08) {
			t.Errorf("mean squared error %v on noise of variance 1: a look into the future", mse)
		}
	})
}

// Series of one model share the weights and nothing else: a model that has
// learnt one series forecasts the first samples of another.
func TestSeriesShareTheWeights(t *testing.T) {
	const d = 2
	for _, name := range []string{"var", "orffvar", "orffvar-rls"} {
		t.Run(name, func(t *testing.T) {
			score := func(taught bool) float64 {
				m := newModel(t, name, d, 1)
				rng := rand.New(rand.NewPCG(13, 14))
				if taught {
					modeltest.Record(t, m.NewSeries(), modeltest.RandomSeries(rng, 3000, d, 0), d)
				}
				x := modeltest.RandomSeries(rand.New(rand.NewPCG(15, 16)), 100, d, 0)
				f := m.NewSeries()
				var s float64
				dst := make([]float64, d)
				for i, row := range x {
					if i > 20 {
						f.ForecastTo(dst)
						for j, v := range row {
							s += (v - dst[j]) * (v - dst[j])
						}
					}
					if err := f.Observe(row); err != nil {
						t.Fatal(err)
					}
				}
				return s
			}
			if taught, alone := score(true), score(false); !(taught <= .9*alone) {
				t.Errorf("squared error of a second series %g, of a first one %g: nothing was shared", taught, alone)
			}
		})
	}
}

// A missing coordinate hurts the others little.
func TestMissingValuesAreFilled(t *testing.T) {
	const d = 3
	for _, name := range []string{"var", "orffvar"} {
		x := modeltest.RandomSeries(rand.New(rand.NewPCG(17, 18)), 4000, d, 0)
		holes := make([][]float64, len(x))
		rng := rand.New(rand.NewPCG(19, 20))
		for i, row := range x {
			holes[i] = append([]float64(nil), row...)
			for j := range row {
				if rng.Float64() < .02 {
					holes[i][j] = math.NaN()
				}
			}
		}
		mse := func(in [][]float64) float64 {
			var s float64
			all := modeltest.Record(t, newModel(t, name, d, 1).NewSeries(), in, d)
			for i := 1000; i < len(x); i++ {
				for j, v := range all[i-1] {
					s += (v - x[i][j]) * (v - x[i][j])
				}
			}
			return s
		}
		// Two per cent of the inputs are replaced by forecasts, whose error is
		// of the size of the noise: a few per cent of the error.
		if full, gaps := mse(x), mse(holes); !(gaps <= 1.1*full) {
			t.Errorf("%s: squared error %g with 2 %% missing, %g without", name, gaps, full)
		}
	}
}

func TestHotPathDoesNotAllocate(t *testing.T) {
	const d, h = 3, 4
	eachModel(t, func(t *testing.T, name string) {
		f := newModel(t, name, d, h).NewSeries()
		x := modeltest.RandomSeries(rand.New(rand.NewPCG(21, 22)), 1500, d, .02)
		modeltest.Record(t, f, x[:500], h*d)
		dst := make([]float64, h*d)
		i := 500
		if n := testing.AllocsPerRun(900, func() {
			if err := f.Observe(x[i]); err != nil {
				t.Fatal(err)
			}
			f.ForecastTo(dst)
			i++
		}); n != 0 {
			t.Errorf("%v allocations per sample", n)
		}
	})
}

func TestConstructorErrorsNameTheField(t *testing.T) {
	for _, c := range []struct {
		field string
		make  func() (eval.Model, error)
	}{
		{"Dim", func() (eval.Model, error) { return NewPersistence(PersistenceConfig{Horizon: 1}) }},
		{"Horizon", func() (eval.Model, error) { return NewPersistence(PersistenceConfig{Dim: 1}) }},
		{"Period", func() (eval.Model, error) { return NewSeasonal(SeasonalConfig{Dim: 1, Horizon: 1}) }},
		{"Order", func() (eval.Model, error) { return NewVAR(VARConfig{Dim: 1, Horizon: 1}) }},
		{"Ridge", func() (eval.Model, error) { return NewVAR(VARConfig{Dim: 1, Horizon: 1, Order: 1, Ridge: -1}) }},
		{"Forgetting", func() (eval.Model, error) {
			return NewVAR(VARConfig{Dim: 1, Horizon: 1, Order: 1, Forgetting: 2})
		}},
		{"Order", func() (eval.Model, error) { return NewAR(ARConfig{Dim: 1, Horizon: 1}) }},
		{"Frequencies", func() (eval.Model, error) {
			return auto.NewORFFVAR(auto.ORFFVARConfig{Dim: 1, Horizon: 1, Order: 1, Frequencies: -1})
		}},
		{"Bandwidth", func() (eval.Model, error) {
			return auto.NewORFFVAR(auto.ORFFVARConfig{Dim: 1, Horizon: 1, Order: 1, Bandwidth: math.NaN()})
		}},
		{"Optimiser", func() (eval.Model, error) {
			return auto.NewORFFVAR(auto.ORFFVARConfig{Dim: 1, Horizon: 1, Order: 1, Optimiser: 9})
		}},
		{"Step", func() (eval.Model, error) {
			return auto.NewORFFVAR(auto.ORFFVARConfig{Dim: 1, Horizon: 1, Order: 1, Optimiser: auto.NLMS, Step: 2})
		}},
	} {
		if _, err := c.make(); err == nil || !strings.Contains(err.Error(), c.field) {
			t.Errorf("bad %s: error %v does not name it", c.field, err)
		}
	}
}
