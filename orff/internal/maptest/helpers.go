// Package maptest has the reference points and the comparisons of the tests of feature maps.
package maptest

import (
	"math"
	"testing"

	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/orff/internal/numeric"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/sgd"
	"gonum.org/v1/gonum/mat"
)

// Reference points for the expected numbers of the tests.
var (
	X     = []float64{0.3, -0.7, 1.1}
	Z     = []float64{-0.2, 0.4, 0.5}
	Delta = []float64{0.3 + 0.2, -0.7 - 0.4, 1.1 - 0.5}

	// The fixture of the thesis checks: two frequencies in the plane, and a point.
	FixtureW = []float64{1, 0.5, -0.3, 0.8}
	FixtureX = []float64{0.2, -0.1}

	Gamma = []float64{1, 0.5, 0.5, 0.89}         // B B^T with B = [[1, 0], [0.5, 0.8]]
	Path3 = []float64{0, 1, 0, 1, 0, 1, 0, 1, 0} // weights of a path of three nodes
)

// Sigma is the bandwidth of the reference kernels.
const Sigma = 0.9

// Near fails unless |got - want| <= tol max(1, |want|).
func Near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*max(1, math.Abs(want))) {
		t.Errorf("%s = %.16g, want %.16g +- %g", what, got, want, tol)
	}
}

// NearAll fails unless Near holds for each element.
func NearAll(t *testing.T, what string, got, want []float64, tol float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s has length %d, want %d", what, len(got), len(want))
	}
	for i := range got {
		if !(math.Abs(got[i]-want[i]) <= tol*max(1, math.Abs(want[i]))) {
			t.Errorf("%s[%d] = %.16g, want %.16g +- %g", what, i, got[i], want[i], tol)
			return
		}
	}
}

// Must fails the test if a constructor returns an error.
func Must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// scalar has the methods of a scalar map that the helpers call.
type scalar interface {
	Len() int
	FeaturesTo(phi, x []float64)
}

// Features returns phi(x), of length n.
func Features(m interface{ FeaturesTo(phi, x []float64) }, x []float64, n int) []float64 {
	phi := make([]float64, n)
	m.FeaturesTo(phi, x)
	return phi
}

// ScalarFeatures returns phi(x) of a scalar map.
func ScalarFeatures(s scalar, x []float64) []float64 { return Features(s, x, s.Len()) }

// ScalarKernel returns phi(x).phi(z).
func ScalarKernel(s scalar, x, z []float64) float64 {
	return vec.Dot(ScalarFeatures(s, x), ScalarFeatures(s, z))
}

// Operator returns Phi(x), Params x Out row-major, computed by AddGradient only.
func Operator(m sgd.Map, x []float64) []float64 {
	d := m.Dims()
	phi := Features(m, x, d.Features)
	out := make([]float64, d.Params*d.Out)
	r, g := make([]float64, d.Out), make([]float64, d.Params)
	for k := range d.Out {
		clear(r)
		clear(g)
		r[k] = 1
		m.AddGradient(g, 1, phi, r)
		for i, v := range g {
			out[i*d.Out+k] = v
		}
	}
	return out
}

// Kernel returns Phi(x)^T Phi(z), Out x Out row-major: PredictTo applies Phi(x)^T, AddGradient Phi(z).
func Kernel(m sgd.Map, x, z []float64) []float64 {
	d := m.Dims()
	px, pz := Features(m, x, d.Features), Features(m, z, d.Features)
	k := make([]float64, d.Out*d.Out)
	r, y, g := make([]float64, d.Out), make([]float64, d.Out), make([]float64, d.Params)
	for j := range d.Out {
		clear(r)
		clear(g)
		r[j] = 1
		m.FeaturesTo(pz, z)
		m.AddGradient(g, 1, pz, r)
		m.FeaturesTo(px, x)
		m.PredictTo(y, px, g)
		for i, v := range y {
			k[i*d.Out+j] = v
		}
	}
	return k
}

// Smallest returns the smallest eigenvalue and the trace of a symmetric matrix.
func Smallest(t *testing.T, n int, a []float64) (low, trace float64) {
	t.Helper()
	s := mat.NewSymDense(n, nil)
	for i := range n {
		trace += a[i*n+i]
		for j := range i + 1 {
			s.SetSym(i, j, (a[i*n+j]+a[j*n+i])/2)
		}
	}
	var e mat.EigenSym
	if !e.Factorize(s, false) {
		t.Fatal("no eigenvalues")
	}
	return e.Values(nil)[0], trace
}

// Normals returns n standard normal numbers.
func Normals(seed uint64, n int) []float64 {
	v := make([]float64, n)
	r := random.New(seed)
	r.NormalsTo(v)
	return v
}

// Shifted returns x + by.
func Shifted(x, by []float64) []float64 {
	s := make([]float64, len(x))
	for i := range x {
		s[i] = x[i] + by[i]
	}
	return s
}

// Scaled returns by x.
func Scaled(x []float64, by float64) []float64 {
	s := make([]float64, len(x))
	for i := range x {
		s[i] = by * x[i]
	}
	return s
}

// Adjoint checks C2.1: <Phi(x) r, theta> = <r, Phi(x)^T theta>, relative to the
// sizes of both sides; 1e-13 is a few hundred roundings.
func Adjoint(t *testing.T, m sgd.Map, x []float64, seed uint64) {
	t.Helper()
	d := m.Dims()
	phi := Features(m, x, d.Features)
	r, theta := Normals(seed, d.Out), Normals(seed+1, d.Params)
	g, y := make([]float64, d.Params), make([]float64, d.Out)
	m.AddGradient(g, 1, phi, r)
	m.PredictTo(y, phi, theta)
	size := math.Sqrt(numeric.SquaredNorm(g)*numeric.SquaredNorm(theta)) + math.Sqrt(numeric.SquaredNorm(y)*numeric.SquaredNorm(r))
	if diff := math.Abs(vec.Dot(g, theta) - vec.Dot(r, y)); !(diff <= 1e-13*size) {
		t.Errorf("<Phi r, theta> - <r, Phi^T theta> = %g at size %g", diff, size)
	}
	// alpha and accumulation: g + alpha Phi r.
	twice := append([]float64(nil), g...)
	m.AddGradient(twice, -3, phi, r)
	for i := range twice {
		if !(math.Abs(twice[i]+2*g[i]) <= 1e-12*max(1, math.Abs(g[i]))) {
			t.Errorf("AddGradient with alpha = -3 on top of alpha = 1 gives %g, want %g", twice[i], -2*g[i])
			break
		}
	}
}
