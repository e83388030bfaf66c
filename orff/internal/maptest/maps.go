package maptest

import (
	"math"
	"testing"

	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/orff/internal/optional"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/sgd"
	"gonum.org/v1/gonum/mat"
)

// Points for kernels on positive inputs, and for maps of many inputs.
var (
	PositiveX = []float64{0.2, 0.5, 1.3}
	PositiveZ = []float64{0.7, 0.1, 0.4}
	WideX     = append(append([]float64{}, Normals(101, 16)...), make([]float64, 16)...)
	WideZ     = append(append([]float64{}, Normals(102, 16)...), make([]float64, 16)...)
)

// OneDraw returns the mean and the variance of phi(x).phi(z) over n maps.
func OneDraw[S scalar](t *testing.T, n int, build func(random.Rand) (S, error), x, z []float64) (mean, variance float64) {
	t.Helper()
	s, err := build(random.New(1))
	if err != nil {
		t.Fatal(err)
	}
	px, pz := make([]float64, s.Len()), make([]float64, s.Len())
	r := random.New(11)
	var s1, s2 float64
	for range n {
		if !optional.Redraw(s, &r) {
			t.Fatal("cannot be drawn again")
		}
		s.FeaturesTo(px, x)
		s.FeaturesTo(pz, z)
		k := vec.Dot(px, pz)
		s1 += k
		s2 += k * k
	}
	mean = s1 / float64(n)
	return mean, s2/float64(n) - mean*mean
}

// BlockGram checks C2.3 on ten points: the block Gram matrix is symmetric and positive semidefinite. For shift-invariant
// maps it does not change when all points are shifted.
func BlockGram(t *testing.T, m sgd.Map, in int, invariant bool) {
	t.Helper()
	const n = 10
	p := m.Dims().Out
	pts := Normals(31, in*n)
	for i := range pts {
		pts[i] = 0.3 + math.Abs(pts[i]) // kernels on the positive quadrant take part
	}
	at := func(i int) []float64 { return pts[in*i : in*i+in] }
	gram := make([]float64, n*p*n*p)
	for i := range n {
		for j := range n {
			k := Kernel(m, at(i), at(j))
			for a := range p {
				for b := range p {
					gram[(i*p+a)*n*p+j*p+b] = k[a*p+b]
				}
			}
		}
	}
	low, trace := Smallest(t, n*p, gram)
	if !(low >= -1e-12*trace) {
		t.Errorf("smallest eigenvalue %g at trace %g", low, trace)
	}
	for i := range n * p {
		for j := range i {
			if !(math.Abs(gram[i*n*p+j]-gram[j*n*p+i]) <= 1e-12*trace) {
				t.Fatalf("not symmetric at (%d, %d)", i, j)
			}
		}
	}
	if invariant {
		by := Normals(32, in)
		NearAll(t, "K~(x+t, z+t)", Kernel(m, Shifted(at(0), by), Shifted(at(1), by)), Kernel(m, at(0), at(1)), 1e-12)
	}
}

// OpNorm returns the spectral norm of an n x n matrix.
func OpNorm(a []float64, n int) float64 {
	var svd mat.SVD
	svd.Factorize(mat.NewDense(n, n, a), mat.SVDNone)
	return svd.Values(nil)[0]
}

// AsMap returns the result of a constructor as a Map.
func AsMap[M sgd.Map](m M, err error) (sgd.Map, error) { return m, err }

// Err returns only the error of a constructor.
func Err[T any](_ T, err error) error { return err }

// Jacobian returns the Jacobian of the predictions of m at x, Out x In row-major.
func Jacobian(m sgd.Map, x, theta []float64) []float64 {
	d := m.Dims()
	j, r, phi := make([]float64, d.Out*d.In), make([]float64, d.Out), Features(m, x, d.Features)
	for i := range r {
		clear(r)
		r[i] = 1
		m.(optional.SmoothMap).PullbackTo(j[i*d.In:(i+1)*d.In], x, phi, theta, r)
	}
	return j
}
