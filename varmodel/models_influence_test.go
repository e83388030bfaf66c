package varmodel

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/coupling"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/spectrum"
	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
	"github.com/orffvar/forecaster/varmodel/internal/regression"
	"github.com/orffvar/forecaster/varmodel/interval"
	"github.com/orffvar/forecaster/varmodel/kernel"
	"github.com/orffvar/forecaster/varmodel/series"
)

// withInfluence adds the influences of a model of the table.
func withInfluence(t testing.TB, name string, d, h int) eval.Model {
	t.Helper()
	m, err := interval.NewInfluence(newModel(t, name, d, h), d, 0)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return m
}

// differentiables are the regressions of the table that have influences; TestJacobianOfAuto has the mixtures.
var differentiables = []string{
	"var", "orffvar-rls", "kernelvar", "kernelvar-plain", "kernelvar-curl", "kernelvar-divergence", "kernelvar-schur", "kernelvar-correlations",
}

// The Jacobian is that of the forecast: central differences of the one-step
// forecast after a change of each lag of each variable. With a step of 1e-5
// standard deviations they are accurate to 1e-10 + 1e-16/1e-5, relative to
// derivatives of about 1.
func TestJacobianOfTheForecast(t *testing.T) {
	const d = 3
	for _, name := range differentiables {
		f := newModel(t, name, d, 1).NewSeries()
		modeltest.Record(t, f, modeltest.RandomSeries(rand.New(rand.NewPCG(31, 32)), 900, d, 0), d)
		s := f.(*regression.Series)
		n := s.Lags() * d
		jac := make([]float64, d*n)
		if !s.JacobianTo(jac) {
			t.Fatal(name)
		}
		up, down := make([]float64, d), make([]float64, d)
		for k := range n {
			l, j := k/d, k%d
			const h = 1e-5
			step := func(dst []float64, by float64) {
				past := series.NewHistory(d, s.Model.Depth)
				past.CopyFrom(s.Past)
				past.Lag(l)[j] += by * s.Scaler.Sd[j]
				s.StepTo(dst, s.Phi, past, 1)
			}
			step(up, h)
			step(down, -h)
			for i := range d {
				want := (up[i] - down[i]) / (2 * h) / s.Scaler.Sd[i]
				if got := jac[i*n+k]; !(math.Abs(got-want) <= 1e-6*(1+math.Abs(want))) {
					t.Errorf("%s: d x%d / d x%d, lag %d: %g, differences say %g", name, i, j, l, got, want)
				}
			}
		}
	}
}

// Influences change no forecast, are saved and restored, and are there without
// allocations.
func TestInfluenceIsAnAddition(t *testing.T) {
	const d, h = 3, 2
	x := modeltest.RandomSeries(rand.New(rand.NewPCG(33, 34)), 900, d, .02)
	for _, name := range differentiables {
		plain := modeltest.Record(t, newModel(t, name, d, h).NewSeries(), x, h*d)
		m := withInfluence(t, name, d, h)
		f := m.NewSeries()
		if err := modeltest.Same(plain, modeltest.Record(t, f, x, h*d)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		m2 := withInfluence(t, name, d, h)
		f2 := m2.NewSeries()
		c := snapshot.NewDecoder(modeltest.SaveState(m, f))
		m2.State(c)
		f2.State(c)
		if err := c.Finish(); err != nil {
			t.Fatal(err)
		}
		i := 0
		if n := testing.AllocsPerRun(100, func() {
			if err := f.Observe(x[i]); err != nil {
				t.Fatal(err)
			}
			i++
		}); n != 0 {
			t.Errorf("%s: %v allocations per sample", name, n)
		}
		modeltest.Record(t, f2, x[:i], h*d)
		a, b := make([]float64, d*d), make([]float64, d*d)
		if !modeltest.As[eval.Influencer](t, f).InfluenceTo(a) || !modeltest.As[eval.Influencer](t, f2).InfluenceTo(b) {
			t.Fatal(name)
		}
		if err := modeltest.Same([][]float64{a}, [][]float64{b}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestInfluenceRefusesWithTheReason(t *testing.T) {
	laplacian, err := kernel.NewVAR(kernel.VARConfig{Dim: 2, Order: 1, Horizon: 1, Map: func(r random.Rand) (orff.Map, error) {
		f, err := orff.NewFourier(spectrum.Laplacian{Gamma: 1}, 2, 10, r)
		return orff.NewDecomposable(f, coupling.Identity(2)), err
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		m    eval.Model
		want string
	}{
		{laplacian, "variance"},
		{newModel(t, "ar", 2, 1), "own past"},
		{newModel(t, "orffvar-nlms", 2, 1), "learner"},
		{newModel(t, "persistence", 2, 1), "no derivative"},
	} {
		if _, err := interval.NewInfluence(c.m, 2, 0); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v does not mention %q", err, c.want)
		}
	}
}
