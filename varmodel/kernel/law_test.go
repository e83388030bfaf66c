package kernel

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/coupling"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/spectrum"
	"github.com/orffvar/forecaster/orff/vectorfield"
	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
	"github.com/orffvar/forecaster/varmodel/internal/regression"
	"github.com/orffvar/forecaster/varmodel/units"
)

// walkOfScales feeds f a mean-reverting walk of the scales: what a model learns of it does
// not matter to the tests of laws, which hold for any weights.
func walkOfScales(t *testing.T, f eval.Forecaster, scales []float64, rows int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(7, 8))
	x := make([]float64, len(scales))
	for range rows {
		for j, s := range scales {
			x[j] += -.3*x[j] + s*math.Sin(2*x[(j+1)%len(x)]/scales[(j+1)%len(x)]) + .3*s*rng.NormFloat64()
		}
		if err := f.Observe(x); err != nil {
			t.Fatal(err)
		}
	}
}

// Increments forecast by a curl-free kernel have a symmetric Jacobian, those by a
// divergence-free kernel one without a trace: in the units of the data, whatever the
// scales of the coordinates.
func TestVectorFieldsObeyTheirLawInTheUnitsOfTheData(t *testing.T) {
	scales := []float64{10, 1, .2}
	const d = 3
	curl := func(r random.Rand) (orff.Map, error) {
		return vectorfield.NewCurlFree(1, d, 30, vectorfield.Bounded, r)
	}
	div := func(r random.Rand) (orff.Map, error) {
		return vectorfield.NewDivergenceFree(1, d, 30, vectorfield.Bounded, false, r)
	}
	for name, c := range map[string]struct {
		make   func() (eval.Model, error)
		broken func(j []float64) float64 // the largest deviation from the law
		scaled bool                      // it holds between the standardised coordinates
	}{
		"kernelvar, curl-free": {func() (eval.Model, error) {
			return NewVAR(VARConfig{Dim: d, Order: 1, Horizon: 1, Map: curl, Seed: 1, Inputs: units.Common, Law: units.FieldLaw})
		}, asymmetry, false},
		"kernelvar, divergence-free": {func() (eval.Model, error) {
			return NewVAR(VARConfig{Dim: d, Order: 1, Horizon: 1, Map: div, Seed: 1, Inputs: units.Common, Law: units.FieldLaw, Step: AdaGradSteps})
		}, trace, false},
		"kernelvar, divergence-free, standardised": {func() (eval.Model, error) {
			return NewVAR(VARConfig{Dim: d, Order: 1, Horizon: 1, Map: div, Seed: 1, Law: units.ScaledFieldLaw, Step: AdaGradSteps})
		}, trace, false},
		"kernelvar, curl-free, standardised": {func() (eval.Model, error) {
			return NewVAR(VARConfig{Dim: d, Order: 1, Horizon: 1, Map: curl, Seed: 1, Law: units.ScaledFieldLaw})
		}, asymmetry, true},
		"okvar, curl-free": {func() (eval.Model, error) {
			return NewOKVAR(OKVARConfig{Dim: d, Order: 1, Horizon: 1, Map: curl, Seed: 1, Inputs: units.Common, Law: units.FieldLaw})
		}, asymmetry, false},
		"onorma, divergence-free": {func() (eval.Model, error) {
			return NewONORMA(ONORMAConfig{Dim: d, Order: 1, Horizon: 1, Map: div, Seed: 1, Inputs: units.Common, Law: units.FieldLaw})
		}, trace, false},
	} {
		m, err := c.make()
		if err != nil {
			t.Fatal(err)
		}
		s := m.NewSeries().(*regression.Series)
		walkOfScales(t, s, scales, 400)
		jac := make([]float64, d*d)
		if !s.JacobianTo(jac) {
			t.Fatalf("%s has learnt nothing", name)
		}
		var size float64
		for i := range d {
			jac[i*d+i]-- // of the increments
			for j := range d {
				if !c.scaled {
					jac[i*d+j] *= s.Scaler.Sd[i] / s.Scaler.Sd[j] // from standard deviations to the units of the data
				}
				size = max(size, math.Abs(jac[i*d+j]))
			}
		}
		// Rounding of sums of 60 terms.
		if off := c.broken(jac); !(off <= 1e-12*size) || size == 0 {
			t.Errorf("%s: the Jacobian %v, of size %g, is off by %g", name, jac, size, off)
		}
	}
}

func asymmetry(j []float64) (off float64) {
	for i := range 3 {
		for k := range i {
			off = max(off, math.Abs(j[i*3+k]-j[k*3+i]))
		}
	}
	return off
}

func trace(j []float64) float64 { return math.Abs(j[0] + j[4] + j[8]) }

// With the simplex as Gamma the sum of the forecast is the sum of the last sample, in the
// units of the data.
func TestSimplexKeepsTheSumInTheUnitsOfTheData(t *testing.T) {
	scales := []float64{10, 1, .2}
	simplex, err := coupling.NewSimplex(3)
	if err != nil {
		t.Fatal(err)
	}
	scalar := func(r random.Rand) (orff.Scalar, error) {
		return orff.NewFourier(spectrum.Gaussian{Sigma: 1}, 3, 30, r)
	}
	gaussian := modeltest.GaussianMap(3, 1, 30, simplex)
	for name, c := range map[string]func() (eval.Model, error){
		"kernelvar": func() (eval.Model, error) {
			return NewVAR(VARConfig{Dim: 3, Order: 1, Horizon: 1, Map: gaussian, Seed: 1, Law: units.SumLaw})
		},
		"krls": func() (eval.Model, error) {
			return NewKRLS(KRLSConfig{Dim: 3, Order: 1, Horizon: 1, Features: scalar, Output: simplex, Seed: 1, Law: units.SumLaw})
		},
		"okvar": func() (eval.Model, error) {
			return NewOKVAR(OKVARConfig{Dim: 3, Order: 1, Horizon: 1, Map: gaussian, Seed: 1, Law: units.SumLaw})
		},
		"onorma": func() (eval.Model, error) {
			return NewONORMA(ONORMAConfig{Dim: 3, Order: 1, Horizon: 1, Map: gaussian, Seed: 1, Law: units.SumLaw})
		},
	} {
		m, err := c()
		if err != nil {
			t.Fatal(err)
		}
		s := m.NewSeries().(*regression.Series)
		walkOfScales(t, s, scales, 400)
		var sum, moved float64
		for j, y := range s.Past.Lag(0)[:3] {
			sum += s.Next[j] - y
			moved += math.Abs(s.Next[j] - y)
		}
		if !(math.Abs(sum) <= 1e-13*moved) || moved == 0 {
			t.Errorf("%s: forecast %v after %v: the sum moves by %g", name, s.Next, s.Past.Lag(0), sum)
		}
	}
}
