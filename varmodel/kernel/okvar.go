package kernel

import (
	"errors"
	"fmt"
	"math"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/varmodel/internal/check"
	"github.com/orffvar/forecaster/varmodel/internal/regression"
	"github.com/orffvar/forecaster/varmodel/units"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// OKVARConfig describes kernel ridge vector autoregression on a window.
type OKVARConfig struct {
	Dim     int // d, coordinates of a sample
	Order   int // q >= 1, lags
	Horizon int // H, forecasts 1 … H steps ahead

	// Map returns a map of the kernel with bandwidth 1, from the Order*Dim scaled lags to the Dim increments. Only its
	// exact kernel is used, so one draw is enough. A fit costs O(Window^3) for a decomposable kernel, O((Window*Dim)^3)
	// for any other.
	Map  func(r random.Rand) (orff.Map, error)
	Seed uint64

	Inputs    units.Scale
	Bandwidth float64   // in units of the median distance between inputs; 0 means 1
	Law       units.Law // of the kernel between the coordinates of an increment

	Window int     // N, number of last pairs in a fit; 0 means 100
	Every  int     // number of samples from one fit to the next; 0 means a tenth of Window
	Lambda float64 // ridge, convention H; 0 means 0.01
}

// NewOKVAR returns the vector autoregression of Lim et al. (2015) with kernel
// ridge regression in place of their sparse one (Brault 2017, equation 8.1): the
// increments are
//
//	h(x) = sum_l K(x, x_l) c_l, (G + N lambda I) c = y,
//
// over the last N pairs. Their kernel is the entrywise product of a decomposable
// and a transformable one, orff.NewSchur. It is the exact model that ORFFVAR
// approximates, for short series and small windows.
func NewOKVAR(cfg OKVARConfig) (eval.Model, error) {
	check.SetDefault(&cfg.Window, 100)
	check.SetDefault(&cfg.Every, max(cfg.Window/10, 1))
	check.SetDefault(&cfg.Lambda, 0.01)
	if err := check.Range("Window", cfg.Window, 2, 5000); err != nil {
		return nil, err
	}
	if err := check.Range("Every", cfg.Every, 1, check.MaxLags); err != nil {
		return nil, err
	}
	if err := check.Positive("Lambda", cfg.Lambda); err != nil {
		return nil, err
	}
	input, k, err := newKernelModel(cfg.Dim, cfg.Order, cfg.Horizon, cfg.Map, cfg.Seed, cfg.Inputs, cfg.Bandwidth)
	if err != nil {
		return nil, err
	}
	n := cfg.Window
	l := &okvar{
		kernel: k, window: n, every: cfg.Every, lambda: cfg.Lambda,
		x: make([]float64, n*k.in), y: make([]float64, n*k.out),
		basis: make([]float64, n*k.in), c: make([]float64, n*k.out),
		p: make([]float64, k.out),
	}
	order := n
	if k.scalar == nil {
		order = n * k.out
		if order > 5000 {
			return nil, fmt.Errorf("varmodel: Window*Dim of a kernel that is not decomposable must be <= 5000, got %d", order)
		}
	} else {
		l.rotated = make([]float64, n*k.out)
	}
	l.gram, l.factor = make([]float64, order*order), make([]float64, order*order)
	l.rhs = make([]float64, n*k.out)
	return &regression.Model{Dim: cfg.Dim, Horizon: cfg.Horizon, Depth: cfg.Order, Law: cfg.Law, Design: input, Learner: l}, nil
}

// newKernelModel returns the inputs and the kernel of a model with an exact kernel.
func newKernelModel(dim, order, horizon int, build func(random.Rand) (orff.Map, error), seed uint64, inputs units.Scale, bandwidth float64) (*units.Lags, *exactKernel, error) {
	if err := check.Lags(dim, order, horizon); err != nil {
		return nil, nil, err
	}
	if build == nil {
		return nil, nil, errors.New("varmodel: Map is missing")
	}
	input, err := units.NewLags(dim, order, inputs, bandwidth)
	if err != nil {
		return nil, nil, err
	}
	m, err := build(random.Block(seed, 1))
	if err != nil {
		return nil, nil, err
	}
	if err := checkMap(m, dim, order); err != nil {
		return nil, nil, err
	}
	k, err := newExactKernel(m)
	if err != nil {
		return nil, nil, err
	}
	return input, k, nil
}

// okvar is the learner of a window of pairs.
type okvar struct {
	kernel        *exactKernel
	window, every int
	lambda        float64

	x, y  []float64 // ring of pairs
	count int       // number of pairs in the ring
	next  int       // index of the next pair in the ring
	wait  int       // number of pairs since the last fit

	basis, c []float64 // inputs and coefficients of the last fit
	fitted   int       // number of pairs in the last fit

	p                          []float64 // scratch, out
	gram, factor, rhs, rotated []float64
}

func (o *okvar) PredictTo(y, x []float64) {
	clear(y)
	if math.IsNaN(x[0]) {
		return
	}
	k := o.kernel
	for l := range o.fitted {
		k.AddProduct(y, 1, x, o.basis[l*k.in:(l+1)*k.in], o.c[l*k.out:(l+1)*k.out])
	}
}

func (o *okvar) Smooth() error { return o.kernel.rough }

func (o *okvar) JacobianTo(jac, x []float64) {
	clear(jac)
	k := o.kernel
	for l := range o.fitted {
		k.addJacobian(jac, 1, x, o.basis[l*k.in:(l+1)*k.in], o.c[l*k.out:(l+1)*k.out])
	}
}

// Update adds a pair with the error e. A missing coordinate, whose error is 0, counts as forecast exactly.
func (o *okvar) Update(x, e []float64) {
	if math.IsNaN(x[0]) {
		return
	}
	k := o.kernel
	o.PredictTo(o.p, x)
	// One outlier must not spoil the fit of the whole window.
	for i, v := range e {
		o.p[i] = min(max(o.p[i]+v, -regression.TargetLimit), regression.TargetLimit)
	}
	copy(o.x[o.next*k.in:], x)
	copy(o.y[o.next*k.out:], o.p)
	o.next = (o.next + 1) % o.window
	o.count = min(o.count+1, o.window)
	o.wait++
	if o.wait >= o.every {
		o.wait = 0
		o.fit()
	}
}

// fit solves (G + n lambda I) c = y on the pairs of the ring.
func (o *okvar) fit() {
	k, n := o.kernel, o.count
	shift := float64(n) * o.lambda
	at := func(i int) []float64 { return o.x[i*k.in : (i+1)*k.in] }
	if k.scalar == nil {
		p := k.out
		for i := range n {
			for j := range i + 1 {
				orff.KernelTo(k.k, k.m, at(i), at(j))
				for a := range p {
					copy(o.gram[(i*p+a)*n*p+j*p:], k.k[a*p:(a+1)*p])
				}
			}
		}
		copy(o.rhs, o.y[:n*p])
		if !o.solve(n*p, 1, 1, shift, o.rhs[:n*p]) {
			return
		}
		copy(o.c, o.rhs[:n*p])
	} else {
		for i := range n {
			for j := range i + 1 {
				o.gram[i*n+j] = orff.Kernel(k.scalar, at(i), at(j))
			}
		}
		// With Gamma = U diag(g) U^T, row k of U^T c solves (g_k G + n lambda I) (U^T c)_k = (U^T y)_k.
		p := len(k.gains)
		for l := range n {
			for a := range p {
				o.rotated[a*n+l] = vec.Dot(k.u[a*k.out:(a+1)*k.out], o.y[l*k.out:(l+1)*k.out])
			}
		}
		for a := 0; a < p; {
			first := a
			for a < p && k.gains[a] == k.gains[first] {
				a++
			}
			rows := o.rotated[first*n : a*n]
			if !o.solve(n, a-first, k.gains[first], shift, rows) {
				return
			}
		}
		for l := range n {
			c := o.c[l*k.out : (l+1)*k.out]
			clear(c)
			for a := range p {
				vec.Axpy(o.rotated[a*n+l], k.u[a*k.out:(a+1)*k.out], c)
			}
		}
	}
	copy(o.basis, o.x[:n*k.in])
	o.fitted = n
}

// solve replaces each row b_i of b, count x n, by (gain G + shift I)^-1 b_i. G is in the lower triangle of gram.
func (o *okvar) solve(n, count int, gain, shift float64, b []float64) (ok bool) {
	f := o.factor[:n*n]
	copy(f, o.gram[:n*n])
	vec.Scale(gain, f)
	for i := range n {
		f[i*n+i] += shift
	}
	t, ok := lapack64.Potrf(blas64.Symmetric{N: n, Stride: n, Data: f, Uplo: blas.Lower})
	if !ok { // happens only after overflow
		return false
	}
	for i := range count {
		v := blas64.Vector{N: n, Inc: 1, Data: b[i*n : (i+1)*n]}
		blas64.Trsv(blas.NoTrans, t, v)
		blas64.Trsv(blas.Trans, t, v)
	}
	return true
}

func (o *okvar) State(c *snapshot.Codec) {
	c.Section("okvar")
	c.Float64s(o.x)
	c.Float64s(o.y)
	c.Index(&o.count, o.window+1)
	c.Index(&o.next, o.window)
	c.Index(&o.wait, o.every)
	c.Float64s(o.basis)
	c.Float64s(o.c)
	c.Index(&o.fitted, o.window+1)
}
