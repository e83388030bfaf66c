package orff

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// The reference points at which the expected numbers of the tests are taken.
var (
	refX     = []float64{0.3, -0.7, 1.1}
	refZ     = []float64{-0.2, 0.4, 0.5}
	refDelta = []float64{0.3 + 0.2, -0.7 - 0.4, 1.1 - 0.5}
)

const refSigma = 0.9

// near fails unless got is want within tol, relative to max(1, |want|).
func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*max(1, math.Abs(want))) {
		t.Errorf("%s = %.16g, want %.16g +- %g", what, got, want, tol)
	}
}

func nearAll(t *testing.T, what string, got, want []float64, tol float64) {
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

// must turns an error of a constructor into a failure.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func features(m interface{ FeaturesTo(phi, x []float64) }, x []float64, n int) []float64 {
	phi := make([]float64, n)
	m.FeaturesTo(phi, x)
	return phi
}

func scalarFeatures(s Scalar, x []float64) []float64 { return features(s, x, s.Len()) }

// scalarKernel is phi(x).phi(z).
func scalarKernel(s Scalar, x, z []float64) float64 {
	return dot(scalarFeatures(s, x), scalarFeatures(s, z))
}

// operator returns Phi(x), Params x Out row-major, from AddGradient alone.
func operator(m Map, x []float64) []float64 {
	d := m.Dims()
	phi := features(m, x, d.Features)
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

// mapKernel is Phi(x)^T Phi(z), Out x Out row-major: the first by PredictTo, the
// second by AddGradient.
func mapKernel(m Map, x, z []float64) []float64 {
	d := m.Dims()
	px, pz := features(m, x, d.Features), features(m, z, d.Features)
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

// smallest returns the smallest eigenvalue and the trace of a symmetric matrix.
func smallest(t *testing.T, n int, a []float64) (low, trace float64) {
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

func normals(seed uint64, n int) []float64 {
	v := make([]float64, n)
	r := NewRand(seed)
	r.NormalsTo(v)
	return v
}

func shifted(x, by []float64) []float64 {
	s := make([]float64, len(x))
	for i := range x {
		s[i] = x[i] + by[i]
	}
	return s
}

func scaled(x []float64, by float64) []float64 {
	s := make([]float64, len(x))
	for i := range x {
		s[i] = by * x[i]
	}
	return s
}

// adjoint checks C2.1: <Phi(x) r, theta> = <r, Phi(x)^T theta>, relative to the
// sizes of both sides; 1e-13 is a few hundred roundings.
func adjoint(t *testing.T, m Map, x []float64, seed uint64) {
	t.Helper()
	d := m.Dims()
	phi := features(m, x, d.Features)
	r, theta := normals(seed, d.Out), normals(seed+1, d.Params)
	g, y := make([]float64, d.Params), make([]float64, d.Out)
	m.AddGradient(g, 1, phi, r)
	m.PredictTo(y, phi, theta)
	size := math.Sqrt(squaredNorm(g)*squaredNorm(theta)) + math.Sqrt(squaredNorm(y)*squaredNorm(r))
	if diff := math.Abs(dot(g, theta) - dot(r, y)); !(diff <= 1e-13*size) {
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
