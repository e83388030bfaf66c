package kernel

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/internal/tools/recorded"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/coupling"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/spectrum"
	"github.com/orffvar/forecaster/sgd/batch"
	"github.com/orffvar/forecaster/sgd/online"
	"github.com/orffvar/forecaster/sgd/rates"
	"github.com/orffvar/forecaster/varmodel"
	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
	"github.com/orffvar/forecaster/varmodel/internal/regression"
	"github.com/orffvar/forecaster/varmodel/interval"
)

// pureGaussianMap is one draw of the Gaussian kernel without a linear part.
func pureGaussianMap(dim int) func(random.Rand) (orff.Map, error) {
	return func(r random.Rand) (orff.Map, error) {
		f, err := orff.NewFourier(spectrum.Gaussian{Sigma: 1}, dim, 1, r)
		return orff.NewDecomposable(f, coupling.Identity(dim)), err
	}
}

// After a fit OKVAR is the ridge solution of the kernel: the residuals of the
// window are n lambda c, for every kind of kernel and of Gamma.
func TestOKVARSolvesTheWindow(t *testing.T) {
	const d = 3
	skew, err := coupling.FromFactor(d, d, []float64{1, 1, 0, 0, 1, 0, 0, 0, 1})
	if err != nil {
		t.Fatal(err)
	}
	for name, build := range map[string]func(random.Rand) (orff.Map, error){
		"identity": modeltest.GaussianMap(d, 1, 1, coupling.Identity(d)),
		"coupled":  modeltest.GaussianMap(d, 1, 1, modeltest.Coupled(d)),
		"skew":     modeltest.GaussianMap(d, 1, 1, skew), // the columns of its factor are not orthogonal
		"curl":     modeltest.CurlMap(d, 1),
		"schur":    modeltest.SchurMap(d, 1),
	} {
		m, err := NewOKVAR(OKVARConfig{Dim: d, Order: 1, Horizon: 1, Window: 30, Every: 1, Lambda: .05, Map: build})
		if err != nil {
			t.Fatal(err)
		}
		modeltest.Record(t, m.NewSeries(), modeltest.RandomSeries(rand.New(rand.NewPCG(41, 42)), 150, d, 0), d)
		o := m.(*regression.Model).Learner.(*okvar)
		h := make([]float64, d)
		for l := range o.fitted {
			o.PredictTo(h, o.basis[l*d:(l+1)*d])
			for a, v := range h {
				want := o.y[l*d+a] - float64(o.fitted)*o.lambda*o.c[l*d+a]
				if !(math.Abs(v-want) <= 1e-9) {
					t.Fatalf("%s: h(x_%d)_%d = %g, want %g", name, l, a, v, want)
				}
			}
		}
		if o.fitted != 30 {
			t.Errorf("%s: %d pairs in the fit", name, o.fitted)
		}
	}
}

// For k Gamma the recursion over eigen-outputs equals the closed form of batch.Ridge
// with B B^T = Gamma: the same weighted squares, lambda_H N = ridge.
func TestC5_11_OperatorRLSEqualsRidge(t *testing.T) {
	const d, r, n = 3, 8, 60
	out := modeltest.Coupled(d)
	l, err := newOperatorRLS(d, out, online.RLSConfig{Features: r, Ridge: 2, Forgetting: 1})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(43, 44))
	phi, y, p := make([]float64, n*r), make([]float64, n*d), make([]float64, d)
	for i := range phi {
		phi[i] = rng.NormFloat64()
	}
	for i := range n {
		row := phi[i*r : (i+1)*r]
		l.PredictTo(p, row)
		for a := range d {
			y[i*d+a] = rng.NormFloat64()
			p[a] = y[i*d+a] - p[a]
		}
		l.Update(row, p)
	}
	ridge, err := batch.NewRidge(n, phi, y, out.Factor())
	if err != nil {
		t.Fatal(err)
	}
	_, inner := out.Dims()
	theta := make([]float64, inner*r)
	if err := ridge.SolveTo(theta, 2./n); err != nil {
		t.Fatal(err)
	}
	b, w := out.Factor(), l.Weights()
	for a := range d {
		for c := range r {
			var want float64
			for k := range inner {
				want += b[a*inner+k] * theta[k*r+c]
			}
			if got := w[a*r+c]; !(math.Abs(got-want) <= 1e-10) {
				t.Errorf("weight (%d, %d) is %g, want %g", a, c, got, want)
			}
		}
	}
}

// lorenz is the system of Lorenz (1963), seen every .05: polynomial dynamics.
func lorenz(n int) [][]float64 {
	x, y, z := 1., 1., 25.
	rows := make([][]float64, n)
	for i := range rows {
		for range 50 {
			const h = .001
			x, y, z = x+h*10*(y-x), y+h*(x*(28-z)-y), z+h*(x*y-8./3*z)
		}
		rows[i] = []float64{x, y, z}
	}
	return rows
}

// Each relative learns what no linear model can. Measured in errors of VAR.
func TestRelativesLearnNonlinearSeries(t *testing.T) {
	sine := modeltest.RandomSeries(rand.New(rand.NewPCG(45, 46)), 2500, 2, 0)
	chaos := lorenz(3000)
	for _, c := range []struct {
		name string
		x    [][]float64
		make func(d int) (eval.Model, error)
		most float64
	}{
		{"ngrc on Lorenz", chaos, func(d int) (eval.Model, error) {
			return varmodel.NewNGRC(varmodel.NGRCConfig{Dim: d, Order: 2, Horizon: 1, Ridge: 1e-3})
		}, .02},
		{"krls", sine, func(d int) (eval.Model, error) {
			return NewKRLS(KRLSConfig{Dim: d, Order: 1, Horizon: 1, Bandwidth: .5, Features: modeltest.GaussianFeatures(d, 50), Ridge: 1, Seed: 1})
		}, .25},
		{"nystroem", sine, func(d int) (eval.Model, error) {
			return NewNystroem(NystroemConfig{KRLSConfig: KRLSConfig{Dim: d, Order: 1, Horizon: 1, Bandwidth: .5, Ridge: 1, Seed: 1}, Spectrum: spectrum.Gaussian{Sigma: 1}})
		}, .25},
		{"okvar", sine, func(d int) (eval.Model, error) {
			return NewOKVAR(OKVARConfig{Dim: d, Order: 1, Horizon: 1, Bandwidth: .5, Window: 100, Map: modeltest.GaussianMap(d, 1, 1, coupling.Identity(d))})
		}, .5},
		{"onorma", sine, func(d int) (eval.Model, error) {
			return NewONORMA(ONORMAConfig{Dim: d, Order: 1, Horizon: 1, Bandwidth: .3, Terms: 500, Lambda: 1e-3, Map: pureGaussianMap(d), Rate: rates.Constant(.3)})
		}, .85},
	} {
		d := len(c.x[0])
		linear, err := varmodel.NewVAR(varmodel.VARConfig{Dim: d, Order: 2, Horizon: 1})
		if err != nil {
			t.Fatal(err)
		}
		m, err := c.make(d)
		if err != nil {
			t.Fatal(err)
		}
		got := modeltest.MeanSquaredError(t, m, c.x, 1000) / modeltest.MeanSquaredError(t, linear, c.x, 1000)
		t.Logf("%s: %.4f of the error of VAR", c.name, got)
		if !(got <= c.most) {
			t.Errorf("%s: %.4f of the error of VAR, want at most %g", c.name, got, c.most)
		}
	}
}

// Inputs are NaN until the bandwidth is known. The prediction at such an input is 0, and it is not learnt from.
func TestInputsWithoutBandwidthAreNotLearnt(t *testing.T) {
	for name, build := range map[string]func() (eval.Model, error){
		"kernelvar": func() (eval.Model, error) { return newVAR(VARConfig{Dim: 1, Batch: 1}) },
		"okvar": func() (eval.Model, error) {
			return NewOKVAR(OKVARConfig{Dim: 1, Order: 1, Horizon: 1, Every: 1, Map: pureGaussianMap(1)})
		},
		"onorma": func() (eval.Model, error) {
			return NewONORMA(ONORMAConfig{Dim: 1, Order: 1, Horizon: 1, Map: pureGaussianMap(1)})
		},
	} {
		m, err := build()
		if err != nil {
			t.Fatal(err)
		}
		l, unknown, known, y := m.(*regression.Model).Learner, []float64{math.NaN()}, []float64{.5}, []float64{7}
		predicted := func(x []float64) float64 {
			l.PredictTo(y, x)
			return y[0]
		}
		s := m.NewSeries().(*regression.Series)
		modeltest.Record(t, s, [][]float64{{1}, {2}, {4}}, 1)
		if s.JacobianTo(y) {
			t.Errorf("%s: there is a derivative without a bandwidth", name)
		}
		l.Update(unknown, []float64{1})
		if predicted(unknown) != 0 || predicted(known) != 0 {
			t.Errorf("%s: prediction %v after an input without a bandwidth", name, y)
		}
		if l.Update(known, []float64{1}); predicted(known) == 0 || predicted(unknown) != 0 {
			t.Errorf("%s: prediction %v after an input with a bandwidth", name, y)
		}
	}
}

func TestRelativesRefuseWithTheReason(t *testing.T) {
	zero, err := coupling.FromFactor(2, 1, []float64{0, 0})
	if err != nil {
		t.Fatal(err)
	}
	laplacian := func(r random.Rand) (orff.Scalar, error) {
		return orff.NewFourier(spectrum.Laplacian{Gamma: 1}, 1, 5, r)
	}
	laplacianMap := func(r random.Rand) (orff.Map, error) {
		f, err := laplacian(r)
		return orff.NewDecomposable(f, coupling.Identity(1)), err
	}
	influence := func(m eval.Model, err error) (eval.Model, error) {
		if err != nil {
			t.Fatal(err)
		}
		return interval.NewInfluence(m, 1, 0)
	}
	var text strings.Builder
	for _, c := range []struct {
		what string
		make func() (eval.Model, error)
	}{
		{"Gamma", func() (eval.Model, error) {
			return NewOKVAR(OKVARConfig{Dim: 2, Order: 1, Horizon: 1, Map: modeltest.GaussianMap(2, 1, 1, zero)})
		}},
		{"Gamma", func() (eval.Model, error) {
			return NewKRLS(KRLSConfig{Dim: 2, Order: 1, Horizon: 1, Features: modeltest.GaussianFeatures(2, 5), Output: zero})
		}},
		{"variance", func() (eval.Model, error) {
			return influence(NewVAR(VARConfig{Dim: 1, Order: 1, Horizon: 1, Map: laplacianMap}))
		}},
		{"variance", func() (eval.Model, error) {
			return influence(NewOKVAR(OKVARConfig{Dim: 1, Order: 1, Horizon: 1, Map: laplacianMap}))
		}},
		{"variance", func() (eval.Model, error) {
			return influence(NewONORMA(ONORMAConfig{Dim: 1, Order: 1, Horizon: 1, Map: laplacianMap}))
		}},
		{"variance", func() (eval.Model, error) {
			return influence(NewKRLS(KRLSConfig{Dim: 1, Order: 1, Horizon: 1, Features: laplacian}))
		}},
		{"Degree", func() (eval.Model, error) {
			return varmodel.NewNGRC(varmodel.NGRCConfig{Dim: 1, Order: 1, Horizon: 1, Degree: 4})
		}},
		{"products", func() (eval.Model, error) {
			return varmodel.NewNGRC(varmodel.NGRCConfig{Dim: 100, Order: 3, Horizon: 1})
		}},
		{"Features", func() (eval.Model, error) { return NewKRLS(KRLSConfig{Dim: 1, Order: 1, Horizon: 1}) }},
		{"Features", func() (eval.Model, error) {
			return NewKRLS(KRLSConfig{Dim: 1, Order: 2, Horizon: 1, Features: modeltest.GaussianFeatures(1, 5)})
		}},
		{"Output", func() (eval.Model, error) {
			return NewKRLS(KRLSConfig{Dim: 2, Order: 1, Horizon: 1, Features: modeltest.GaussianFeatures(2, 5), Output: modeltest.Coupled(3)})
		}},
		{"Landmarks", func() (eval.Model, error) {
			return NewNystroem(NystroemConfig{Spectrum: spectrum.Gaussian{Sigma: 1}, Landmarks: -1})
		}},
		{"Spectrum", func() (eval.Model, error) { return NewNystroem(NystroemConfig{}) }},
		{"Window", func() (eval.Model, error) { return NewOKVAR(OKVARConfig{Window: 1}) }},
		{"Order 1", func() (eval.Model, error) {
			return NewOKVAR(OKVARConfig{Dim: 2, Order: 2, Horizon: 1, Map: modeltest.CurlMap(2, 1)})
		}},
		{"Lambda", func() (eval.Model, error) { return NewOKVAR(OKVARConfig{Lambda: -1}) }},
		{"Terms", func() (eval.Model, error) {
			return NewONORMA(ONORMAConfig{Dim: 2, Order: 1, Horizon: 1, Map: modeltest.CurlMap(2, 1), Terms: -1})
		}},
		{"Map", func() (eval.Model, error) { return NewONORMA(ONORMAConfig{Dim: 2, Order: 1, Horizon: 1}) }},
		{"Features", func() (eval.Model, error) {
			return NewKRLS(KRLSConfig{Dim: 1, Order: 1, Horizon: 1, Features: func(random.Rand) (orff.Scalar, error) { return nil, errors.New("of features") }})
		}},
		{"Dim", func() (eval.Model, error) {
			return NewKRLS(KRLSConfig{Dim: 1025, Order: 1, Horizon: 1, Features: modeltest.GaussianFeatures(1025, 5)})
		}},
		{"Ridge", func() (eval.Model, error) {
			return NewKRLS(KRLSConfig{Dim: 1, Order: 1, Horizon: 1, Ridge: -1, Features: modeltest.GaussianFeatures(1, 5)})
		}},
		{"Forgetting", func() (eval.Model, error) {
			return NewKRLS(KRLSConfig{Dim: 1, Order: 1, Horizon: 1, Forgetting: 2, Features: modeltest.GaussianFeatures(1, 5)})
		}},
		{"Bandwidth", func() (eval.Model, error) {
			return NewKRLS(KRLSConfig{Dim: 1, Order: 1, Horizon: 1, Bandwidth: -2, Features: modeltest.GaussianFeatures(1, 5)})
		}},
		{"Landmarks", func() (eval.Model, error) {
			return NewNystroem(NystroemConfig{Spectrum: spectrum.Gaussian{Sigma: 1}, Landmarks: 2001})
		}},
		{"Order", func() (eval.Model, error) {
			return NewNystroem(NystroemConfig{KRLSConfig: KRLSConfig{Dim: 1, Horizon: 1}, Spectrum: spectrum.Gaussian{Sigma: 1}})
		}},
		{"Window", func() (eval.Model, error) { return NewOKVAR(OKVARConfig{Window: 5001}) }},
		{"Window", func() (eval.Model, error) {
			return NewOKVAR(OKVARConfig{Dim: 2, Order: 1, Horizon: 1, Window: 2501, Map: modeltest.CurlMap(2, 1)})
		}},
		{"Every", func() (eval.Model, error) { return NewOKVAR(OKVARConfig{Every: -1}) }},
		{"Dim", func() (eval.Model, error) {
			return NewOKVAR(OKVARConfig{Dim: 1025, Order: 1, Horizon: 1, Map: modeltest.CurlMap(2, 1)})
		}},
		{"Horizon", func() (eval.Model, error) {
			return NewOKVAR(OKVARConfig{Dim: 2, Order: 1, Horizon: 10001, Map: modeltest.CurlMap(2, 1)})
		}},
		{"Order", func() (eval.Model, error) {
			return NewOKVAR(OKVARConfig{Dim: 2, Order: 10001, Horizon: 1, Map: modeltest.CurlMap(2, 1)})
		}},
		{"Bandwidth", func() (eval.Model, error) {
			return NewOKVAR(OKVARConfig{Dim: 2, Order: 1, Horizon: 1, Bandwidth: -1, Map: modeltest.CurlMap(2, 1)})
		}},
		{"Terms", func() (eval.Model, error) {
			return NewONORMA(ONORMAConfig{Dim: 2, Order: 1, Horizon: 1, Map: modeltest.CurlMap(2, 1), Terms: 100001})
		}},
		{"Lambda", func() (eval.Model, error) {
			return NewONORMA(ONORMAConfig{Dim: 2, Order: 1, Horizon: 1, Map: modeltest.CurlMap(2, 1), Lambda: -1})
		}},
	} {
		_, err := c.make()
		if err == nil {
			t.Errorf("%s: accepted", c.what)
		}
		fmt.Fprintf(&text, "%s: %v\n", c.what, err)
	}
	recorded.Check(t, "testdata/refused_relatives.txt", text.String())
}

// The products of two lags are all that the system of Lorenz needs.
func ExampleNewNGRC() {
	m, err := varmodel.NewNGRC(varmodel.NGRCConfig{Dim: 3, Order: 2, Horizon: 4, Ridge: 1e-3})
	if err != nil {
		panic(err)
	}
	f := m.NewSeries()
	rows := lorenz(2004)
	for _, row := range rows[:2000] {
		if err := f.Observe(row); err != nil {
			panic(err)
		}
	}
	forecast := make([]float64, 4*3)
	f.ForecastTo(forecast)
	off := 0.0
	for h := range 4 {
		for j := range 3 {
			off = max(off, math.Abs(forecast[3*h+j]-rows[2000+h][j]))
		}
	}
	fmt.Println("four steps of a chaotic system, error below 1:", off < 1)
	// Output: four steps of a chaotic system, error below 1: true
}

// henon is the Henon map, chaotic: x' = 1 - 1.4 x^2 + y, y' = .3 x.
func henon(n int) [][]float64 {
	x, y := .1, .1
	rows := make([][]float64, n)
	for i := range rows {
		x, y = 1-1.4*x*x+y, .3*x
		rows[i] = []float64{x, y}
	}
	return rows
}

// learnt feeds all rows but the last to a model and returns the error of the
// forecast of that one.
func learnt(m eval.Model, err error, rows [][]float64) float64 {
	if err != nil {
		panic(err)
	}
	f := m.NewSeries()
	for _, row := range rows[:len(rows)-1] {
		if err := f.Observe(row); err != nil {
			panic(err)
		}
	}
	last := rows[len(rows)-1]
	forecast := make([]float64, len(last))
	f.ForecastTo(forecast)
	var off float64
	for j, v := range last {
		off = max(off, math.Abs(forecast[j]-v))
	}
	return off
}

func ExampleNewKRLS() {
	m, err := NewKRLS(KRLSConfig{
		Dim: 2, Order: 1, Horizon: 1, Ridge: 1e-3,
		Features: func(r random.Rand) (orff.Scalar, error) {
			return orff.NewFourier(spectrum.Orthogonal{Sigma: 1}, 2, 50, r)
		},
	})
	fmt.Println("error below .01:", learnt(m, err, henon(1000)) < .01)
	// Output: error below .01: true
}

func ExampleNewNystroem() {
	m, err := NewNystroem(NystroemConfig{
		KRLSConfig: KRLSConfig{Dim: 2, Order: 1, Horizon: 1, Ridge: 1e-3},
		Spectrum:   spectrum.Gaussian{Sigma: 1}, Landmarks: 30,
	})
	fmt.Println("error below .01:", learnt(m, err, henon(1000)) < .01)
	// Output: error below .01: true
}

func ExampleNewONORMA() {
	m, err := NewONORMA(ONORMAConfig{
		Dim: 2, Order: 1, Horizon: 1, Bandwidth: .5, Terms: 500, Lambda: 1e-4,
		Map: func(r random.Rand) (orff.Map, error) {
			k, err := orff.NewFourier(spectrum.Gaussian{Sigma: 1}, 2, 1, r)
			return orff.NewDecomposable(k, coupling.Identity(2)), err
		},
	})
	fmt.Println("error below .3:", learnt(m, err, henon(2000)) < .3)
	// Output: error below .3: true
}

// A window of 100 samples, learnt exactly.
func ExampleNewOKVAR() {
	m, err := NewOKVAR(OKVARConfig{
		Dim: 1, Order: 1, Horizon: 1, Bandwidth: .5, Lambda: 1e-5,
		Map: func(r random.Rand) (orff.Map, error) {
			k, err := orff.NewFourier(spectrum.Gaussian{Sigma: 1}, 1, 1, r)
			return orff.NewDecomposable(k, coupling.Identity(1)), err
		},
	})
	if err != nil {
		panic(err)
	}
	f := m.NewSeries()
	x, forecast := .3, make([]float64, 1)
	for range 500 {
		if err := f.Observe([]float64{x}); err != nil {
			panic(err)
		}
		x = 3.7 * x * (1 - x) // the logistic map, chaotic
	}
	f.ForecastTo(forecast)
	fmt.Println("error below .02:", math.Abs(forecast[0]-x) < .02)
	// Output: error below .02: true
}
