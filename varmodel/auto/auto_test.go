package auto

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/varmodel"
	"github.com/orffvar/forecaster/varmodel/internal/check"
	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
	"github.com/orffvar/forecaster/varmodel/interval"
	"github.com/orffvar/forecaster/varmodel/series"
)

func newAuto(t testing.TB, cfg Config) eval.Model {
	t.Helper()
	m, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func intervalsAround(t testing.TB, m eval.Model, dim, horizon int, levels []float64) eval.Model {
	t.Helper()
	m, err := interval.WithIntervals(m, interval.Config{Dim: dim, Horizon: horizon, Levels: levels})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestAutoConfigErrors(t *testing.T) {
	ok := Config{Dim: 2, Horizon: 1}
	for field, change := range map[string]func(*Config){
		"Dim":     func(c *Config) { c.Dim = 0 },
		"Horizon": func(c *Config) { c.Horizon = 0 },
		"Season":  func(c *Config) { c.Season = -1 },
		"Experts": func(c *Config) { c.Experts = []string{"var1", "oracle"} },
		"Without": func(c *Config) { c.Without = []Ingredient{"salt"} },
	} {
		c := ok
		change(&c)
		if _, err := New(c); err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("bad %s: error %v does not name it", field, err)
		}
	}
	f := newAuto(t, ok).NewSeries()
	if err := f.Observe([]float64{1, 2e100}); err == nil {
		t.Error("a value whose square overflows was accepted")
	}
}

// A daily pattern of hours needs more than a few lags. An expert with 30 own lags
// forecasts it.
func TestExpertsOfAnyOrder(t *testing.T) {
	const n = 3000
	rng := rand.New(rand.NewPCG(23, 24))
	x := make([][]float64, n)
	for i := range x {
		v := rng.NormFloat64()
		if i >= 24 {
			v = .3*v + .9*x[i-24][0]
		}
		x[i] = []float64{v}
	}
	mse := func(experts ...string) (sum float64) {
		f := newAuto(t, Config{Dim: 1, Horizon: 1, Experts: experts}).NewSeries()
		if got := modeltest.As[eval.Mixture](t, f).Experts()[1:]; !slices.Equal(got, experts) {
			t.Errorf("experts %v, want %v", got, experts)
		}
		for i, v := range modeltest.Record(t, f, x, 1) {
			if i > n/2 && i+1 < n {
				sum += (x[i+1][0] - v[0]) * (x[i+1][0] - v[0])
			}
		}
		return sum
	}
	if short, long := mse("var1", "var3"), mse("var1", "ar30"); !(long <= .5*short) {
		t.Errorf("squared error %.4g with 30 lags, %.4g with 3", long, short)
	}
	for _, bad := range []string{"ar0", "ar01", "var1000", "orff", "ngrc2", "ar6,ar6"} {
		if _, err := New(Config{Dim: 1, Horizon: 1, Experts: strings.Split(bad, ",")}); err == nil || !strings.Contains(err.Error(), "Experts") {
			t.Errorf("%s: error %v", bad, err)
		}
	}
}

// TestLongOrderWithASeason: a model with more lags than remainderLags learns a series in which it finds a season.
func TestLongOrderWithASeason(t *testing.T) {
	orffvar, err := NewORFFVAR(ORFFVARConfig{Dim: 1, Horizon: 2, Order: 12, Frequencies: 10})
	if err != nil {
		t.Fatal(err)
	}
	rng, x := rand.New(rand.NewPCG(25, 26)), make([][]float64, 300)
	for i := range x {
		x[i] = []float64{math.Sin(2*math.Pi*float64(i)/24) + .1*rng.NormFloat64()}
	}
	for name, m := range map[string]eval.Model{
		"orffvar": orffvar, "experts": newAuto(t, Config{Dim: 1, Horizon: 2, Season: 24, Experts: []string{"ar2", "var30"}}),
	} {
		f := m.NewSeries()
		modeltest.Record(t, f, x, 2)
		if f.(*autoSeries).remainder == nil {
			t.Errorf("%s: no season was found", name)
		}
	}
}

// ML-Poly competes with the best convex combination of the experts: here the
// mean of two experts that are wrong on either side.
func TestPolynomialFindsACombination(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	p := newMLPoly(1, 3, 1, -1, false)
	inverse := make([]float64, vec.Stride(1))
	inverse[0] = 1
	outcome := slices.Repeat([]float64{math.NaN()}, vec.Stride(1))
	var mixed, best float64
	for step := range 5000 {
		y := rng.NormFloat64()
		z := []float64{y + 1 + .1*rng.NormFloat64(), y - 1 + .1*rng.NormFloat64(), 0}
		p.Aggregate(z, []float64{0}, inverse, 10)
		out := p.Mean[0]
		if step > 1000 {
			mixed += (out - y) * (out - y)
			best += ((z[0]+z[1])/2 - y) * ((z[0]+z[1])/2 - y)
		}
		outcome[0] = y
		p.Learn(p.Mean, outcome)
	}
	// The regret bound grows like sqrt(n): with 4000 rounds of losses of
	// about 1 it is a few hundredths a round.
	if !(mixed <= best+.05*4000) {
		t.Errorf("squared error %v of the aggregate, %v of the best combination", mixed, best)
	}
	if w := p.weight(0, 0) + p.weight(1, 0); !(w >= .9) {
		t.Errorf("the two have the weight %v", w)
	}
}

func TestSeasonIsFound(t *testing.T) {
	for _, c := range []struct {
		name   string
		season int
		value  func(rng *rand.Rand, i int, prev float64) float64
	}{
		{"day", 24, func(rng *rand.Rand, i int, _ float64) float64 {
			return 3*math.Sin(2*math.Pi*float64(i)/24) + .3*rng.NormFloat64()
		}},
		{"pattern of seven", 7, func(rng *rand.Rand, i int, _ float64) float64 {
			return []float64{0, 2, 1, 3, 5, -4, -6}[i%7] + rng.NormFloat64()
		}},
		{"random walk", 0, func(rng *rand.Rand, _ int, prev float64) float64 { return prev + rng.NormFloat64() }},
		{"noise", 0, func(rng *rand.Rand, _ int, _ float64) float64 { return rng.NormFloat64() }},
	} {
		rng := rand.New(rand.NewPCG(7, 8))
		past := series.NewHistory(1, 2002)
		prev := 0.0
		for i := range 1600 {
			prev = c.value(rng, i, prev)
			past.Push([]float64{prev}, nil)
		}
		search, known := newSeasonSearch(2000), newSeasons(past, 100, 0)
		search.begin(1600)
		got, done := search.proceed(past, known)
		for !done {
			got, done = search.proceed(past, known)
		}
		if got != c.season {
			t.Errorf("%s: season %d, want %d", c.name, got, c.season)
		}
	}
}

func TestAnchors(t *testing.T) {
	if a := anchors(check.MaxHorizon); a[len(a)-1] != longestAnchor {
		t.Errorf("the anchor of the longest horizon is %d", a[len(a)-1])
	}
	for horizon, want := range map[int]string{
		1: "[]", 2: "[2]", 5: "[2 3 4 6]", 24: "[2 3 4 6 8 12 16 24]", 48: "[2 3 4 6 8 12 16 24 32 48]",
	} {
		if got := fmt.Sprint(anchors(horizon)); got != want {
			t.Errorf("anchors(%d) = %s, want %s", horizon, got, want)
		}
	}
}

// On a seasonal series with persistent deviations, every horizon is forecast
// better than by persistence and by the last season.
func TestHorizonsBeatTheNaiveForecasts(t *testing.T) {
	const n, H, season = 3000, 24, 24
	rng := rand.New(rand.NewPCG(9, 10))
	x := make([][]float64, n)
	var dev float64
	for i := range x {
		dev = .9*dev + .5*rng.NormFloat64()
		x[i] = []float64{10 + 3*math.Sin(2*math.Pi*float64(i)/season) + dev}
	}
	mse := func(m eval.Model) []float64 {
		sum := make([]float64, H)
		for i, f := range modeltest.Record(t, m.NewSeries(), x, H) {
			for h := 1; h <= H && i+h < n && i > n/3; h++ {
				e := x[i+h][0] - f[h-1]
				sum[h-1] += e * e
			}
		}
		return sum
	}
	naive, err := varmodel.NewPersistence(varmodel.PersistenceConfig{Dim: 1, Horizon: H})
	if err != nil {
		t.Fatal(err)
	}
	last, err := varmodel.NewSeasonal(varmodel.SeasonalConfig{Dim: 1, Horizon: H, Period: season})
	if err != nil {
		t.Fatal(err)
	}
	got, a, b := mse(newAuto(t, Config{Dim: 1, Horizon: H, Experts: []string{"ar96", "var1"}})), mse(naive), mse(last)
	for h := range H {
		if !(got[h] <= min(a[h], b[h])) {
			t.Errorf("horizon %d: squared error %g, persistence %g, last season %g", h+1, got[h], a[h], b[h])
		}
	}
}

func TestWeightsSumToOne(t *testing.T) {
	const d = 3
	f := newAuto(t, Config{Dim: d, Horizon: 1, Experts: []string{"ar6", "var1"}}).NewSeries()
	modeltest.Record(t, f, modeltest.RandomSeries(rand.New(rand.NewPCG(15, 16)), 300, d, .01), d)
	mixture := modeltest.As[eval.Mixture](t, f)
	names := mixture.Experts()
	w := make([]float64, d*len(names))
	mixture.WeightsTo(w)
	for j := range d {
		var sum float64
		for _, v := range w[j*len(names) : (j+1)*len(names)] {
			if !(v >= 0) {
				t.Errorf("negative weight %v", v)
			}
			sum += v
		}
		if !(math.Abs(sum-1) <= 1e-12) {
			t.Errorf("weights of coordinate %d sum to %v", j, sum)
		}
	}
}

func BenchmarkAuto(b *testing.B) {
	const learnt = 9000 // samples after which nothing changes any more
	for _, c := range []struct {
		tier         Tier
		dim, horizon int
	}{
		{TierFull, 1, 1}, {TierFull, 3, 1}, {TierFull, 7, 1}, {TierFull, 20, 1}, {TierFull, 31, 1}, {TierFull, 7, 12},
		{TierLight, 1, 1}, {TierLight, 3, 1}, {TierLight, 7, 1}, {TierLight, 20, 1}, {TierLight, 7, 12}, {TierTiny, 7, 1},
	} {
		b.Run(fmt.Sprintf("%s/dim=%d/horizon=%d", c.tier, c.dim, c.horizon), func(b *testing.B) {
			x := modeltest.RandomSeries(rand.New(rand.NewPCG(1, 1)), learnt+1000, c.dim, 0)
			n := c.dim * c.horizon
			f := newAuto(b, Config{Dim: c.dim, Horizon: c.horizon, Tier: c.tier}).NewSeries()
			modeltest.Record(b, f, x[:learnt], n)
			dst := make([]float64, n)
			i := 0
			b.ReportAllocs()
			for b.Loop() {
				if err := f.Observe(x[learnt+i%1000]); err != nil {
					b.Fatal(err)
				}
				f.ForecastTo(dst)
				i++
			}
		})
	}
}

// After a break the default model repeats the last value until it has seen a few
// samples of the new run, learns nothing from the pair that spans the break, and
// forecasts the new run with what it knows.
func TestAutoResetLags(t *testing.T) {
	const H = 3
	m := newAuto(t, Config{Dim: 1, Horizon: H, Experts: []string{"ar6", "orff1"}})
	f := m.NewSeries()
	rng := rand.New(rand.NewPCG(17, 18))
	v := 0.0
	next := func() []float64 { v = -.9*v + rng.NormFloat64(); return []float64{v} }
	for range 1500 {
		if err := f.Observe(next()); err != nil {
			t.Fatal(err)
		}
	}
	modeltest.As[eval.LagResetter](t, f).ResetLags()
	before := string(modeltest.SaveState(m))
	dst := make([]float64, H)
	var e, naive float64
	for i := range 500 {
		last := v
		y := next()
		y[0] += 50
		if i > 3 {
			f.ForecastTo(dst)
			e += (y[0] - dst[0]) * (y[0] - dst[0])
			naive += (v - last) * (v - last)
		}
		if err := f.Observe(y); err != nil {
			t.Fatal(err)
		}
		f.ForecastTo(dst)
		if i == 0 && (dst[0] != y[0] || dst[H-1] != y[0] || string(modeltest.SaveState(m)) != before) {
			t.Errorf("the first sample after a break is %v, the forecast %v", y, dst)
		}
	}
	// Persistence has 2 * 1.9 times the variance, the noise is 1/(1-.81) of it.
	if !(e <= .5*naive) {
		t.Errorf("squared error %g after the break, of persistence %g", e, naive)
	}
}

// A checkpoint in the middle of a refit continues it: the forecasts, and the
// bytes of the next checkpoint, are the same.
func TestRefitContinuesFromACheckpoint(t *testing.T) {
	const d = 3
	x := modeltest.RandomSeries(rand.New(rand.NewPCG(19, 20)), 460, d, .05)
	for at := 400; at <= 450; at += 7 {
		whole := newAuto(t, Config{Dim: d, Horizon: 6})
		f := whole.NewSeries()
		modeltest.Record(t, f, x[:at], 6*d)
		if begun := f.(*autoSeries).refit.resetCopy != nil; at == 407 && !begun {
			t.Fatal("no refit is under way")
		}
		restored := newAuto(t, Config{Dim: d, Horizon: 6})
		g := restored.NewSeries()
		for _, c := range []struct{ from, to snapshot.Stateful }{{whole, restored}, {f, g}} {
			dec := snapshot.NewDecoder(modeltest.SaveState(c.from))
			if c.to.State(dec); dec.Finish() != nil {
				t.Fatal(dec.Finish())
			}
		}
		want, got := modeltest.Record(t, f, x[at:], 6*d), modeltest.Record(t, g, x[at:], 6*d)
		for i := range want {
			if !slices.Equal(want[i], got[i]) {
				t.Fatalf("saved at %d: forecast %d differs", at, i)
			}
		}
		if string(modeltest.SaveState(f)) != string(modeltest.SaveState(g)) || string(modeltest.SaveState(whole)) != string(modeltest.SaveState(restored)) {
			t.Fatalf("saved at %d: states differ", at)
		}
	}
}

// The first value of a coordinate that begins later than the others is not a step.
func TestAutoLateCoordinate(t *testing.T) {
	m, err := New(Config{Dim: 2, Horizon: 1})
	if err != nil {
		t.Fatal(err)
	}
	s := m.NewSeries().(*autoSeries)
	rng := rand.New(rand.NewPCG(4, 4))
	y := []float64{0, math.NaN()}
	for i := range 200 {
		y[0] += rng.NormFloat64()
		if i == 100 {
			y[1] = 1000
		}
		y[1] += rng.NormFloat64() // NaN before
		if err := s.Observe(y); err != nil {
			t.Fatal(err)
		}
	}
	if unit := s.panel.mixture.steps.Unit[1]; !(unit <= 2) {
		t.Errorf("the typical step is %v, want about 1", unit)
	}
}

// A random walk costs little from the first row on: 40 walks of 100 rows in every tier. The
// standard error of the ratio is about .004, because forecasts differ from persistence by a tenth
// of a step at most.
func TestEarlyRowsOfRandomWalks(t *testing.T) {
	for _, tier := range Tiers {
		var ours, naive float64
		for seed := range uint64(40) {
			rng := rand.New(rand.NewPCG(seed, 3))
			f, v, forecast := newAuto(t, Config{Dim: 1, Horizon: 1, Tier: tier}).NewSeries(), 0., []float64{0}
			for i := range 100 {
				before := v
				v += rng.NormFloat64()
				if i > 0 {
					ours, naive = ours+(v-forecast[0])*(v-forecast[0]), naive+(v-before)*(v-before)
				}
				if err := f.Observe([]float64{v}); err != nil {
					t.Fatal(err)
				}
				f.ForecastTo(forecast)
			}
		}
		t.Logf("%s: %.3f of persistence", tier, ours/naive)
		if !(ours <= 1.05*naive) {
			t.Errorf("%s: %.3f of persistence over the first 100 rows", tier, ours/naive)
		}
	}
}
