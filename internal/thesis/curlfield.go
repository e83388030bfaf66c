package thesis

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/distance"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/spectrum"
	"github.com/orffvar/forecaster/orff/vectorfield"
	"gonum.org/v1/gonum/mat"
)

// CurlField compares a curl-free kernel with an independent kernel on a gradient field (Brault 2017, section 6.4.1,
// with a generator that can be learnt).
type CurlField struct {
	CurlFree, Independent float64 // R^2 on the 1000 points of the test set
}

// CurlFields repeats NewCurlField with different fields and points. A is the curl-free, B the independent kernel. check
// and progress are those of NewMultiTask.
func CurlFields(n, draws, repeats int, seed uint64, check func() error, progress func(done int)) (Paired, error) {
	if repeats < 2 {
		return Paired{}, fmt.Errorf("study: a comparison needs 2 repeats or more, got %d", repeats)
	}
	var curl, independent []float64
	for r := range repeats {
		if err := check(); err != nil {
			return Paired{}, err
		}
		f, err := NewCurlField(n, draws, seed+uint64(r))
		if err != nil {
			return Paired{}, err
		}
		curl, independent = append(curl, f.CurlFree), append(independent, f.Independent)
		if progress != nil {
			progress(r + 1)
		}
	}
	return PairedTest(curl, independent), nil
}

// gradientField is the gradient of a random function on [-1, 1]^5: at n points for training, at 500 points for the
// choice of lambda, and at 1000 points for the test.
type gradientField struct {
	d, n, validation int
	x, y             []float64
	sigma            float64 // median distance between the n training points
}

// grid returns the candidate values of lambda.
func (g *gradientField) grid() []float64 {
	return []float64{1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, .1, 1}
}

func newGradientField(n int, seed uint64) *gradientField {
	const d, terms, validation, test = 5, 100, 500, 1000
	rng := rand.New(rand.NewPCG(seed, 66))
	// f(x) = sqrt(2/terms) sum_k a_k cos(w_k.x + b_k), with normal w_k.
	w, a, b := make([]float64, terms*d), make([]float64, terms), make([]float64, terms)
	for k := range a {
		a[k], b[k] = math.Sqrt(2./terms)*rng.NormFloat64(), 2*math.Pi*rng.Float64()
	}
	for k := range w {
		w[k] = rng.NormFloat64()
	}
	total := n + validation + test
	x, y := make([]float64, total*d), make([]float64, total*d)
	for i := range x {
		x[i] = 2*rng.Float64() - 1
	}
	for i := range total {
		for k := range terms {
			s := b[k]
			for j := range d {
				s += w[k*d+j] * x[i*d+j]
			}
			for j := range d {
				y[i*d+j] -= a[k] * math.Sin(s) * w[k*d+j]
			}
		}
	}
	return &gradientField{d, n, validation, x, y, distance.Median(x[:n*d], d, seed)}
}

// parts returns the points for training, for the choice of lambda, and for the test.
func (g *gradientField) parts() (x, y, xv, yv, xt, yt []float64) {
	n, v := g.n*g.d, (g.n+g.validation)*g.d
	return g.x[:n], g.y[:n], g.x[n:v], g.y[n:v], g.x[v:], g.y[v:]
}

// NewCurlField draws a gradient field, and learns it from n points with both kernels. Each has draws frequencies, and
// the median distance as its bandwidth. lambda is chosen from 10^-8 … 1 on 500 further points.
func NewCurlField(n, draws int, seed uint64) (*CurlField, error) {
	if n < 2 || draws < 1 {
		return nil, fmt.Errorf("study: a curl field needs n >= 2 and draws >= 1, got %d and %d", n, draws)
	}
	g := newGradientField(n, seed)
	curl, err := vectorfield.NewCurlFree(g.sigma, g.d, draws, vectorfield.Bounded, random.Block(seed, 1))
	if err != nil {
		return nil, err
	}
	scalar, err := orff.NewFourier(spectrum.Gaussian{Sigma: g.sigma}, g.d, draws, random.Block(seed, 2))
	if err != nil {
		return nil, err
	}
	x, y, xv, yv, xt, yt := g.parts()
	fits, err := dualRidge(curl, x, y, g.grid())
	if err != nil {
		return nil, err
	}
	f, best := &CurlField{}, math.Inf(-1)
	for _, theta := range fits {
		if v := determination(curl, theta, xv, yv); v > best {
			best, f.CurlFree = v, determination(curl, theta, xt, yt)
		}
	}
	f.Independent, err = ridgeR2(scalar, g.d, g.n, x, y, g.grid(), xv, yv, xt, yt)
	return f, err
}

// dualRidge returns the ridge solutions theta of any map, one per lambda. With the n p x n p Gram matrix G = Phi^T Phi
// of the samples, (G + n lambda I) u = y and theta = Phi u (Brault 2017, Theorem 6.3).
func dualRidge(m orff.Map, x, y []float64, lambdas []float64) ([][]float64, error) {
	d := m.Dims()
	n := len(x) / d.In
	rows := mat.NewDense(n*d.Out, d.Params, nil)
	phi, unit := make([]float64, d.Features), make([]float64, d.Out)
	for i := range n {
		m.FeaturesTo(phi, x[i*d.In:(i+1)*d.In])
		for k := range unit {
			unit[k] = 1
			m.AddGradient(rows.RawRowView(i*d.Out+k), 1, phi, unit)
			unit[k] = 0
		}
	}
	exact, gram := mat.NewSymDense(n*d.Out, nil), mat.NewSymDense(n*d.Out, nil)
	exact.SymOuterK(1, rows)
	var fits [][]float64
	for _, lambda := range lambdas {
		gram.CopySym(exact)
		for i := range n * d.Out {
			gram.SetSym(i, i, gram.At(i, i)+float64(n)*lambda)
		}
		var chol mat.Cholesky
		if !chol.Factorize(gram) {
			continue // lambda is below the rounding errors of G
		}
		var u, theta mat.VecDense
		if err := chol.SolveVecTo(&u, mat.NewVecDense(len(y), y)); err != nil {
			var condition mat.Condition
			if !errors.As(err, &condition) {
				return nil, err
			}
		}
		theta.MulVec(rows.T(), &u)
		fits = append(fits, theta.RawVector().Data)
	}
	return fits, nil
}

// determination returns the R^2 of the predictions at x.
func determination(m orff.Map, theta, x, y []float64) float64 {
	d := m.Dims()
	h := make([]float64, len(y))
	phi := make([]float64, m.Dims().Features)
	predict := func(h, x []float64) {
		m.FeaturesTo(phi, x)
		m.PredictTo(h, phi, theta)
	}
	for i := range len(x) / d.In {
		predict(h[i*d.Out:(i+1)*d.Out], x[i*d.In:(i+1)*d.In])
	}
	return r2(d.Out, h, y)
}
