package algebra_test

import (
	"testing"

	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/algebra"
	"github.com/orffvar/forecaster/orff/coupling"
	"github.com/orffvar/forecaster/orff/internal/maptest"
	"github.com/orffvar/forecaster/orff/internal/optional"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/spectrum"
)

// Compositions of decomposable maps k Gamma are decomposable maps: kernel, variance and slope of a rule agree with those
// of the composed scalar kernel and the composed Gamma.
func TestRulesOfDecomposableMaps(t *testing.T) {
	f := func() orff.Scalar {
		return maptest.Must(orff.NewFourier(spectrum.Gaussian{Sigma: 1}, 3, 2, random.Block(1, 1)))
	}
	s := func() orff.Scalar {
		return maptest.Must(orff.NewFourier(spectrum.Gaussian{Sigma: 2}, 3, 5, random.Block(1, 2)))
	}
	a, b := []float64{2, 1, 1, 3}, []float64{1, -.5, -.5, 4}
	dec := func(k orff.Scalar, gamma []float64, p int) orff.Map {
		return orff.NewDecomposable(k, maptest.Must(coupling.New(p, gamma)))
	}
	entrywise, kronecker := append([]float64(nil), a...), make([]float64, 16)
	vec.Mul(entrywise, b)
	for i := range 4 {
		for j := range 4 {
			kronecker[4*i+j] = a[i/2*2+j/2] * b[i%2*2+j%2]
		}
	}
	product := func() orff.Scalar { return maptest.Must(algebra.NewScalarProduct(f(), s())) }
	for _, c := range []struct {
		name      string
		got, want orff.Map
		variance  bool // the rule has a formula for its variance
	}{
		{"sum", maptest.Must(algebra.NewSum([]float64{.25, 3}, dec(f(), a, 2), dec(s(), a, 2))), dec(maptest.Must(algebra.NewScalarSum([]float64{.25, 3}, f(), s())), a, 2), true},
		{"product", maptest.Must(algebra.NewProduct(f(), dec(s(), a, 2))), dec(product(), a, 2), true},
		{"Schur", maptest.Must(algebra.NewSchur(dec(f(), a, 2), dec(s(), b, 2))), dec(product(), entrywise, 2), false},
		{"tensor", maptest.Must(algebra.NewTensor(dec(f(), a, 2), dec(s(), b, 2))), dec(product(), kronecker, 4), true},
	} {
		p := c.want.Dims().Out
		k, want := make([]float64, p*p), make([]float64, p*p)
		orff.KernelTo(k, c.got, maptest.X, maptest.Z)
		orff.KernelTo(want, c.want, maptest.X, maptest.Z)
		maptest.NearAll(t, c.name+": K", k, want, 1e-13) // roundings of a factor of Gamma, at most 12
		if c.variance {
			optional.VarianceTo(k, c.got, maptest.X, maptest.Z)
			optional.VarianceTo(want, c.want, maptest.X, maptest.Z)
			maptest.NearAll(t, c.name+": variance", k, want, 1e-12) // the same for its square
		}
		r, v := maptest.Normals(1, p), maptest.Normals(2, p)
		r[0] = 0 // shortcut of some rules
		g, slope := []float64{1, 2, 3}, make([]float64, 3)
		maptest.Must(orff.NewKernelSlope(c.got)).PullbackTo(g, maptest.X, maptest.Z, r, v)
		maptest.Must(orff.NewKernelSlope(c.want)).PullbackTo(slope, maptest.X, maptest.Z, r, v)
		maptest.NearAll(t, c.name+": slope", g, slope, 1e-12)
	}
}

// A rule refuses a derivative, or a point, whichever part refuses it.
func TestRulesAskEveryPart(t *testing.T) {
	rough := func() orff.Scalar {
		return maptest.Must(orff.NewFourier(spectrum.Laplacian{Gamma: 1}, 1, 2, random.New(1)))
	}
	domain := func() orff.Scalar { return maptest.Must(orff.NewSkewedChiSquared([]float64{1}, 2, random.New(1))) }
	smooth := func() orff.Scalar { return maptest.Must(orff.NewLinear(1, 1)) }
	for name, rule := range map[string]func(a, b orff.Scalar) orff.Map{
		"scalar sum": func(a, b orff.Scalar) orff.Map {
			return wrap(maptest.Must(algebra.NewScalarSum([]float64{1, 1}, a, b)))
		},
		"scalar product": func(a, b orff.Scalar) orff.Map { return wrap(maptest.Must(algebra.NewScalarProduct(a, b))) },
		"sum": func(a, b orff.Scalar) orff.Map {
			return maptest.Must(algebra.NewSum([]float64{1, 1}, wrap(a), wrap(b)))
		},
		"product": func(a, b orff.Scalar) orff.Map { return maptest.Must(algebra.NewProduct(a, wrap(b))) },
		"Schur":   func(a, b orff.Scalar) orff.Map { return maptest.Must(algebra.NewSchur(wrap(a), wrap(b))) },
		"tensor":  func(a, b orff.Scalar) orff.Map { return maptest.Must(algebra.NewTensor(wrap(a), wrap(b))) },
	} {
		for i, m := range []orff.Map{rule(smooth(), smooth()), rule(rough(), smooth()), rule(smooth(), rough())} {
			_, jacobian := orff.NewJacobian(m)
			_, slope := orff.NewKernelSlope(m)
			if (jacobian != nil) != (i > 0) || (slope != nil) != (i > 0) {
				t.Errorf("%s: with the rough part %d the errors are %v and %v", name, i, jacobian, slope)
			}
		}
		for i, m := range []orff.Map{rule(smooth(), smooth()), rule(domain(), smooth()), rule(smooth(), domain())} {
			if err := orff.CheckInput(m, []float64{-2}); (err != nil) != (i > 0) {
				t.Errorf("%s: with the bounded part %d the error is %v", name, i, err)
			}
		}
	}
}

func wrap(s orff.Scalar) orff.Map { return orff.NewDecomposable(s, coupling.Identity(2)) }
